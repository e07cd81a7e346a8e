// Fuzzes decoders: Decompressor gives what a file of the same bytes gives, and fails where that does. What
// has positions is read by them, in bounded memory.
#include <cstdlib>
#include <string>

#include "format/decompress.h"
#include "format/inflate.h"
#include "support/simulated_files.h"

namespace weir {

namespace {

// More than the file's bytes; false if it fails, or has more than `limit` bytes.
bool read_file(std::string_view bytes, Compression compression, size_t limit, std::string& out) {
  SimulatedFileSystem files;
  files.put("f", bytes);
  auto stream = open_stream(files, "f", compression);
  if (!stream.ok()) std::abort();
  char buffer[4096];
  for (;;) {
    const auto got = (*stream)->read({reinterpret_cast<uint8_t*>(buffer), sizeof buffer});
    if (!got.ok()) return false;
    if (*got == 0) return true;
    out.append(buffer, *got);
    if (out.size() > limit) return false;
  }
}

void read_by_position(std::string_view bytes, Compression compression) {
  SimulatedFileSystem files;
  files.put("f", bytes);
  const auto file = open_decoded(files, "f", compression);
  if (!file.ok()) return;
  uint8_t buffer[100];
  for (const uint64_t at : {uint64_t{0}, *(*file)->size() / 2, *(*file)->size()})
    (void)(*file)->read_at(at, buffer);
}

void check(std::string_view bytes, Compression compression) {
  constexpr size_t kLimit = 1 << 20;
  std::string expected;
  const bool good = read_file(bytes, compression, kLimit, expected);
  Decompressor decompressor(codec_of(compression), kLimit);
  for (int round = 0; round < 2; ++round) {
    const Result<std::string_view> out = decompressor.run(bytes);
    if (out.ok() != good || (good && *out != expected)) std::abort();
  }
  if (may_have_positions(compression)) read_by_position(bytes, compression);
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const weir::Codec* codec : weir::codecs())
    weir::check(bytes, *weir::parse_compression(codec->marks->name));
  return 0;
}
