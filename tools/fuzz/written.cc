// Fuzzes folders of written elements: any bytes give rows that lie within them, or an error. An input is a
// manifest, or a shard, whose checksums are mended, since a fuzzer cannot guess them.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "format/written_layout.h"
#include "format/written_reader.h"
#include "support/simulated_files.h"

namespace weir {

namespace {

const std::vector<Component> kComponents = {{DType::int32, {kUnknownDim}},
                                            {DType::string, {kUnknownDim}},
                                            {DType::boolean, Shape()},
                                            {DType::string, Shape()}};
constexpr char kRun[] = "0123456789abcdef0123456789abcdef";

// Touches all bytes that a row has, for a sanitizer to see.
uint64_t sum_of(const Block& block) {
  uint64_t sum = 0;
  for (int row = 0; row < block.rows; ++row) {
    for (const Tensor& tensor : block.row(row)) {
      if (tensor.dtype == DType::string) {
        for (const Str& text : tensor.entries<const Str>()) {
          for (const char c : text.view()) sum += static_cast<unsigned char>(c);
        }
        continue;
      }
      const auto* bytes = static_cast<const uint8_t*>(tensor.data);
      for (size_t i = 0; i < tensor.byte_size(); ++i) sum += bytes[i];
    }
  }
  return sum;
}

template <class Header>
Header read_at(const std::string& bytes, size_t at) {
  Header out;
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

template <class Header>
void write_at(std::string& bytes, size_t at, Header header) {
  header.crc = header_crc(header);
  std::memcpy(&bytes[at], &header, sizeof header);
}

// A manifest that fits the shard's size and the last `chunks` entries, and a shard with the right checksums.
WrittenManifest mend(std::string& bytes, size_t chunks, Compression compression) {
  WrittenManifest manifest;
  manifest.run = kRun;
  manifest.spec = "(int32[?], string[?], bool, string)";
  manifest.compression = compression;
  ShardHeader header;
  std::memcpy(header.run, kRun, sizeof header.run);
  write_at(bytes, 0, header);
  const size_t index_at = bytes.size() - chunks * sizeof(IndexEntry);
  std::vector<IndexEntry> index(chunks);
  std::memcpy(index.data(), bytes.data() + index_at, chunks * sizeof(IndexEntry));
  // A single chunk is made to fit the file, so that what is in it is looked at.
  if (chunks == 1) {
    index[0].offset = sizeof(ShardHeader);
    std::memcpy(&bytes[index_at], index.data(), sizeof(IndexEntry));
  }
  uint64_t rows = 0;
  for (size_t i = 0; i < chunks; ++i) {
    rows += index[i].rows;
    const size_t from = index[i].offset + sizeof(ChunkHeader);
    const size_t end = i + 1 < chunks ? index[i + 1].offset : index_at;
    if (index[i].offset < sizeof(ShardHeader) || index[i].offset > index_at || from > end || end > index_at)
      continue;
    auto chunk = read_at<ChunkHeader>(bytes, index[i].offset);
    if (chunks == 1) {
      chunk.rows = static_cast<uint32_t>(index[i].rows);
      chunk.stored_bytes = end - from;
      chunk.packed_bytes = std::min(chunk.packed_bytes, chunk.stored_bytes);
    }
    chunk.payload_crc = crc32c(bytes.data() + from, end - from);
    write_at(bytes, index[i].offset, chunk);
  }
  manifest.rows = static_cast<int64_t>(rows);
  manifest.shards = {{bytes.size(), manifest.rows, static_cast<int64_t>(chunks),
                      crc32c(bytes.data() + index_at, chunks * sizeof(IndexEntry))}};
  return manifest;
}

uint64_t read_shard(std::string bytes, size_t chunks, Compression compression) {
  if (bytes.size() < sizeof(ShardHeader) + chunks * (sizeof(ChunkHeader) + sizeof(IndexEntry))) return 0;
  const WrittenManifest manifest = mend(bytes, chunks, compression);
  SimulatedFileSystem files;
  files.put(manifest.shard_name("f", 0), bytes);
  auto reader = WrittenReader::open(files, "f", manifest, kComponents);
  if (!reader.ok()) return 0;
  uint64_t sum = 0;
  Block block;
  for (int64_t row = 0; row < 1000;) {
    const Result<int> got = (*reader)->next(64, 1 << 16, block);
    if (got.ok() && *got == 0) break;
    if (got.ok()) sum += sum_of(block);
    row += got.ok() ? *got : 1;
  }
  return sum;
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static volatile uint64_t sum = 0;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  (void)weir::WrittenManifest::parse(bytes, "f/manifest");
  for (const size_t chunks : {1, 2}) {
    sum = sum + weir::read_shard(bytes, chunks, weir::Compression::none);
    sum = sum + weir::read_shard(bytes, chunks, weir::Compression::zlib);
  }
  return 0;
}
