// Forged files whose checksums are right: sizes are not believed, and nothing outside the file's bytes is
// handed out.
#include <cstring>

#include "format/crc32c.h"
#include "format/written_blocks.h"
#include "format/written_layout.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

const std::vector<Component> kComponents = {{DType::int32, {kUnknownDim}},
                                            {DType::string, {kUnknownDim}},
                                            {DType::boolean, Shape()},
                                            {DType::string, Shape()}};

Tensor vector_of(int count) {
  Tensor out = Tensor::allocate(DType::int32, {count});
  std::memset(out.data, count, out.byte_size());
  return out;
}

std::vector<uint8_t> payload() {
  ChunkBuilder builder(kComponents);
  for (int i = 0; i < 3; ++i) {
    const std::vector<std::string_view> texts(static_cast<size_t>(i), "ab");
    Block block;
    block.set_row(
        {vector_of(i + 1), Tensor::strings(texts, {i}), Tensor::scalar<bool>(true), Tensor::string("xyz")});
    builder.add(block, 0, 1);
  }
  std::vector<uint8_t> out;
  builder.finish(out);
  return out;
}

// Whether all that a chunk hands out lies in its bytes.
bool stays_inside(WrittenChunk& chunk, std::span<const uint8_t> bytes) {
  const auto inside = [&](const void* data, uint64_t size) {
    const auto* from = static_cast<const uint8_t*>(data);
    return size == 0 || (from >= bytes.data() && size <= bytes.size() &&
                         from - bytes.data() <= static_cast<ptrdiff_t>(bytes.size() - size));
  };
  Block block;
  while (chunk.left() > 0) {
    chunk.give(1, block);
    for (const Tensor& tensor : block.row(0)) {
      if (tensor.dtype != DType::string) {
        if (!inside(tensor.data, tensor.byte_size())) return false;
        continue;
      }
      for (const Str& text : tensor.entries<const Str>()) {
        if (!inside(text.data, text.size)) return false;
      }
    }
  }
  return true;
}

TEST_CASE("written: a forged chunk is refused, or gives nothing but its own bytes") {
  const std::vector<uint8_t> whole = payload();
  int refused = 0;
  int given = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 2, 64, 127, 128, 192, 255}) {
      BufferRef buffer = Buffer::allocate(whole.size());
      std::memcpy(buffer->data(), whole.data(), whole.size());
      buffer->data()[at] = static_cast<uint8_t>(value);
      const std::span<uint8_t> bytes(buffer->data(), whole.size());
      auto chunk = WrittenChunk::parse(buffer, bytes, 3, kComponents);
      refused += chunk.ok() ? 0 : 1;
      if (!chunk.ok()) continue;
      ++given;
      if (!stays_inside(*chunk, bytes)) FAIL("byte " << at << " as " << value << " leads out of the chunk");
    }
  }
  CHECK(refused > 500);
  CHECK(given > 500);
}

TEST_CASE("written: a chunk that is cut short is refused") {
  const std::vector<uint8_t> whole = payload();
  // What follows the last column's bytes is padding.
  for (size_t size = 0; size + kWrittenAlignment <= whole.size(); size += 4) {
    BufferRef buffer = Buffer::allocate(whole.size());
    std::memcpy(buffer->data(), whole.data(), size);
    if (WrittenChunk::parse(buffer, {buffer->data(), size}, 3, kComponents).ok())
      FAIL_CHECK("may be cut to " << size);
  }
}

// A shard whose index has these entries, with the right checksums.
Status open_with(const std::vector<IndexEntry>& entries, int64_t rows) {
  SimulatedFileSystem files;
  REQUIRE(write_blocks(files, "f", new_manifest(), kNumbers, {block_of(0, 3)}).ok());
  WrittenManifest manifest = must(read_manifest(files, "f"));
  const std::string name = manifest.shard_name("f", 0);
  std::string bytes = must(files.read_file(name, 1 << 20));
  bytes.resize(bytes.size() - sizeof(IndexEntry));
  const std::string index(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(IndexEntry));
  files.put(name, bytes + index);
  manifest.shards[0] = {bytes.size() + index.size(), rows, static_cast<int64_t>(entries.size()),
                        crc32c(index.data(), index.size())};
  manifest.rows = rows;
  files.put("f/manifest", manifest.bytes());
  return read_rows(files, "f", kNumbers).status();
}

TEST_CASE("written: a forged index is refused") {
  CHECK(open_with({{64, 3}}, 3).ok());
  CHECK(open_with({{64, 4}}, 4).code() == Code::data_loss);
  CHECK(open_with({{64, 3}}, 4).code() == Code::data_loss);
  CHECK(open_with({{64, 0}}, 0).code() == Code::data_loss);
  CHECK(open_with({{128, 3}}, 3).code() == Code::data_loss);
  CHECK(open_with({{65, 3}}, 3).code() == Code::data_loss);
  CHECK(open_with({{64, 3}, {64, 3}}, 6).code() == Code::data_loss);
  CHECK(open_with({{64, 3}, {192, 3}}, 6).code() == Code::data_loss);
  CHECK(open_with({{64, 3}, {UINT64_MAX - 63, 3}}, 6).code() == Code::data_loss);
  CHECK(open_with({{64, UINT64_MAX}, {128, 4}}, 3).code() == Code::data_loss);
  CHECK(open_with({}, 0).code() == Code::data_loss);
}

TEST_CASE("written: a manifest whose numbers do not add up is refused") {
  const auto refused = [](auto&& change) {
    WrittenManifest manifest = new_manifest(2);
    change(manifest);
    return WrittenManifest::parse(manifest.bytes(), "m").status().code() == Code::data_loss;
  };
  CHECK_FALSE(refused([](WrittenManifest&) {}));
  CHECK(refused([](WrittenManifest& m) { m.rows = 1; }));
  CHECK(refused([](WrittenManifest& m) { m.run = "../../etc/passwd"; }));
  CHECK(refused([](WrittenManifest& m) { m.shards.clear(); }));
  CHECK(refused([](WrittenManifest& m) { m.shards[0].rows = m.shards[1].rows = INT64_MAX; }));
  CHECK(refused([](WrittenManifest& m) { m.shards.resize(1001); }));
}

}  // namespace
}  // namespace weir
