// Blocks for the tests of written elements, and what a folder of them holds.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/text.h"
#include "format/written_reader.h"
#include "format/written_writer.h"

namespace weir {

template <class T>
T must(Result<T> result) {
  REQUIRE(result.ok());
  return *std::move(result);
}

inline ErrorPtr failure() { return invalid_argument("failed").pointer(); }

inline const std::string kRun = run_name(1, 2);

inline WrittenManifest new_manifest(size_t shards = 1, Compression compression = Compression::none,
                                    std::string run = kRun) {
  WrittenManifest manifest;
  manifest.run = std::move(run);
  manifest.spec = "int64";
  manifest.compression = compression;
  manifest.pipeline.nodes = {{"range", {{"stop", 7}}}};
  manifest.shards.resize(shards);
  return manifest;
}

// Rows of one row each, of any shapes.
inline Block block_of(const std::vector<Components>& rows) {
  Block out;
  for (const Components& row : rows) {
    Block one;
    one.set_row(row);
    out.append(one, 0, 1);
  }
  return out;
}

inline Block block_of(int64_t begin, int64_t end) {
  Block out;
  out.reset(1);
  out.rows = static_cast<int>(end - begin);
  auto* values = out.columns[0].make_dense<int64_t>(Shape(), out.rows);
  for (int64_t i = begin; i < end; ++i) values[i - begin] = i;
  return out;
}

inline const std::vector<Component> kNumbers = {{DType::int64, Shape()}};

inline Status write_blocks(FileSystem& files, const std::string& folder, const WrittenManifest& manifest,
                           const std::vector<Component>& components, const std::vector<Block>& blocks) {
  WEIR_ASSIGN(auto writer, WrittenWriter::begin(files, folder, manifest, components));
  if (writer == nullptr) return Status(Code::unavailable, "locked");
  for (const Block& block : blocks) WEIR_TRY(writer->add(block));
  return writer->publish();
}

inline Result<std::unique_ptr<WrittenReader>> open_folder(FileSystem& files, const std::string& folder,
                                                          const std::vector<Component>& components) {
  WEIR_ASSIGN(WrittenManifest manifest, read_manifest(files, folder));
  return WrittenReader::open(files, folder, std::move(manifest), components);
}

// All rows from `row` on, or the first error.
inline Result<std::vector<Components>> read_rows(FileSystem& files, const std::string& folder,
                                                 const std::vector<Component>& components, int64_t row = 0,
                                                 int at_once = 7) {
  WEIR_ASSIGN(auto reader, open_folder(files, folder, components));
  reader->seek(row);
  std::vector<Components> out;
  Block block;
  for (;;) {
    WEIR_ASSIGN(const int count, reader->next(at_once, kMaxBlockBytes, block));
    if (count == 0) return out;
    for (int i = 0; i < count; ++i) out.push_back(block.row(i));
  }
}

inline bool equal_rows(const std::vector<Components>& a, const std::vector<Components>& b,
                       size_t skipped = 0) {
  if (a.size() != b.size() + skipped) return false;
  for (size_t i = 0; i < b.size(); ++i) {
    for (size_t c = 0; c < b[i].size(); ++c) {
      if (!bit_equal(a[i + skipped][c], b[i][c])) return false;
    }
  }
  return true;
}

}  // namespace weir
