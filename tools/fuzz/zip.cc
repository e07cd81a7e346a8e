// Fuzzes zip archives: what is opened lies in the file, and what passes its checksum is the same read in
// pieces.
#include "format/zip.h"

#include <cstdlib>
#include <string>

#include "format/npz.h"
#include "support/simulated_files.h"

namespace weir {

namespace {

constexpr uint64_t kMostBytes = 1 << 20;

void check_pieces(const RefPtr<RandomAccessFile>& file, const ZipMember& member, const BufferRef& whole) {
  auto stream = open_member(file, member);
  if (!stream.ok()) std::abort();
  uint8_t piece[7];
  for (uint64_t at = 0; at < member.bytes;) {
    const Result<size_t> got = (*stream)->read(piece);
    if (!got.ok() || *got == 0) std::abort();
    for (size_t i = 0; whole && i < *got; ++i) {
      if (whole->data()[at + i] != piece[i]) std::abort();
    }
    at += *got;
  }
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weir;
  SimulatedFileSystem files;
  files.put("f", {reinterpret_cast<const char*>(data), size});
  const auto file = files.open("f");
  if (!file.ok()) std::abort();
  const auto members = read_zip(**file);
  if (!members.ok()) return 0;
  for (const ZipMember& member : *members) {
    const Result<uint64_t> begin = data_offset(**file, member);
    if (begin.ok() && (*begin > size || member.compressed_bytes > size - *begin)) std::abort();
    const Result<BufferRef> whole = check_member(*file, member, kMostBytes);
    if (whole.ok() && member.bytes <= kMostBytes) check_pieces(*file, member, *whole);
  }
  Result<Npz> npz = open_npz(files, "f", nullptr);
  if (!npz.ok() || !check_arrays(*npz, kMostBytes).ok()) return 0;
  for (const NpzArray& array : npz->arrays) {
    const uint64_t room = array.bytes ? array.bytes->size() : size;
    const auto needed =
        static_cast<unsigned __int128>(array.layout.row_bytes) * static_cast<uint64_t>(array.layout.rows);
    if (array.layout.begin > room || needed > room - array.layout.begin) std::abort();
  }
  return 0;
}
