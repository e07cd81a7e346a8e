// Fuzzes .npy: a reader of the file gives the rows that reading each by itself gives, and decode_npy the same
// entries.
#include "format/npy.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "format/array_reader.h"
#include "function.h"
#include "support/simulated_files.h"

namespace weir {

namespace {

// The rows as bytes, strings with their sizes before them; a failed row as one byte.
void add_rows(const Block& block, std::string& out, int& failed) {
  for (int row = 0; row < block.rows; ++row) {
    if (block.failed(row)) {
      out += '!';
      ++failed;
      continue;
    }
    const Tensor tensor = block.columns[0].row(row);
    if (tensor.dtype != DType::string) {
      out.append(reinterpret_cast<const char*>(tensor.data), tensor.byte_size());
      continue;
    }
    for (const Str& each : tensor.entries<const Str>())
      out += std::to_string(each.size) + ":" + std::string(each.view());
  }
}

constexpr int64_t kMostEntries = 1 << 16;

std::string read(FileSystem& files, const ArrayLayout& layout, size_t rows, int& failed) {
  auto stream = open_stream(files, "f", Compression::none);
  if (!stream.ok()) std::abort();
  ArrayReader reader(*std::move(stream), layout);
  std::string out;
  Block block;
  do {
    block.rows = 0;
    block.errors.clear();
    if (!reader.next_batch(rows, 1000, block).ok()) std::abort();
    add_rows(block, out, failed);
  } while (block.rows > 0);
  if (reader.position().record != static_cast<uint64_t>(layout.rows)) std::abort();
  return out;
}

void check_function(std::string_view bytes, DType dtype, bool good) {
  const std::string text = "s -> decode_npy(s, " + std::string(dtype_name(dtype)) + ")";
  const fuzz::CompiledLambda decode =
      fuzz::require(fuzz::CompiledLambda::compile(text, Spec::tensor(DType::string, Shape())));
  if (decode.call({Tensor::string(bytes)}).has_value() != good) std::abort();
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weir;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  SimulatedFileSystem files;
  files.put("f", bytes);
  auto stream = open_stream(files, "f", Compression::none);
  if (!stream.ok()) std::abort();
  const Result<NpyHeader> header = read_npy(**stream);
  if (header.ok() != parse_npy(bytes).ok()) std::abort();
  if (!header.ok()) return 0;
  const Result<ArrayLayout> layout = npy_rows(*header, size);
  if (!layout.ok() || layout->rows > kMostEntries || layout->row.count() > kMostEntries) return 0;
  int failed = 0;
  int failed_again = 0;
  const std::string rows = read(files, *layout, 1, failed);
  if (read(files, *layout, 7, failed_again) != rows || failed != failed_again) std::abort();
  if (rows.size() < 4096) check_function(bytes, layout->type.dtype, failed == 0);
  return 0;
}
