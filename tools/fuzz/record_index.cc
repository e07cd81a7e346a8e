// Fuzzes indexes of records. An input is a file of records, whose index knows what a reader finds; or an
// index, which is put beside other records with its checksum mended, and gives offsets or an error.
#include "format/record_index.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "format/crc32c.h"
#include "format/tfrecord.h"
#include "support/simulated_files.h"

namespace weir {

namespace {

const std::string kFile = "f";
const std::string kIndex = index_beside(kFile);
// Where the checksum of an index is, what it is of, and how long the part is that says which file it belongs
// to.
constexpr size_t kCrcAt = 8;
constexpr size_t kSummedAt = 12;
constexpr size_t kStateBytes = 20;
constexpr size_t kHeaderBytes = 40;

// Where records begin, and where the last one ends; false if one of them is damaged.
bool read(FileSystem& files, std::vector<uint64_t>& offsets) {
  auto reader = RecordReader::open(files, kFile, Compression::none);
  if (!reader.ok()) std::abort();
  RecordBatch batch;
  for (;;) {
    offsets.push_back((*reader)->position().offset);
    batch.clear();
    if (!(*reader)->next_batch(1, 1, batch).ok()) return false;
    if (batch.records.empty()) return true;
  }
}

void check_made(std::string_view bytes) {
  SimulatedFileSystem files;
  files.put(kFile, bytes);
  std::vector<uint64_t> expected;
  const bool good = read(files, expected);
  const auto index = RecordIndex::make(files, kFile, IndexedFormat(), nullptr);
  // It looks at lengths only.
  if (!index.ok()) {
    if (good) std::abort();
    return;
  }
  std::vector<uint64_t> found;
  if (!(*index)->offsets(0, (*index)->count(), found).ok() || found.size() < expected.size()) std::abort();
  if (good && (found != expected || !(*index)->failure().ok())) std::abort();
}

void check_kept(std::string_view bytes) {
  SimulatedFileSystem files;
  auto writer = RecordWriter::create(files, kFile, Compression::none);
  for (size_t i = 0; i < 40; ++i) {
    if (!(*writer)->write(Str(std::string(i, 'x'))).ok()) std::abort();
  }
  if (!(*writer)->close().ok()) std::abort();
  const auto made = RecordIndex::make(files, kFile, IndexedFormat(), nullptr);
  if (!made.ok() || !(*made)->save(files, kIndex).ok()) std::abort();
  const auto own = files.read_file(kIndex, 1 << 20);
  std::string forged(bytes);
  if (!own.ok() || forged.size() < kHeaderBytes) return;
  forged.replace(0, kCrcAt, *own, 0, kCrcAt);
  forged.replace(kSummedAt, kStateBytes, *own, kSummedAt, kStateBytes);
  // A count that fits lets more offsets be looked at; the other inputs keep theirs.
  if (forged.size() % 2 == 0) {
    forged.resize(forged.size() / sizeof(uint64_t) * sizeof(uint64_t));
    const uint64_t entries = (forged.size() - kHeaderBytes) / sizeof(uint64_t);
    const uint64_t count = entries == 0 ? 0 : entries - 1;
    std::memcpy(&forged[kHeaderBytes - sizeof count], &count, sizeof count);
  }
  const uint32_t crc = mask_crc32c(crc32c(forged.data() + kSummedAt, kHeaderBytes - kSummedAt));
  std::memcpy(&forged[kCrcAt], &crc, sizeof crc);
  files.put(kIndex, forged);
  const auto index = RecordIndex::open(files, kFile, IndexedFormat(), kIndex);
  if (!index.ok() || *index == nullptr) return;
  const int64_t count = (*index)->count();
  std::vector<uint64_t> out;
  for (int64_t first = 0; first < count && first < 200; first += 7) {
    out.clear();
    (void)(*index)->offsets(first, std::min<int64_t>(5, count - first), out);
  }
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  weir::check_made(bytes);
  weir::check_kept(bytes);
  return 0;
}
