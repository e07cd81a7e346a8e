// What padding costs beside copying: rows of 100 to 8,000 int64, joined 64 at a time.
#include <algorithm>
#include <cstring>
#include <random>

#include "dataset/padded_buffer.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr int kRows = 64;

// Copies the same rows, without padding, one after the other.
size_t copy_rows(const std::vector<Tensor>& rows, uint8_t* to) {
  size_t done = 0;
  for (const Tensor& row : rows) {
    std::memcpy(to + done, row.data, row.byte_size());
    done += row.byte_size();
  }
  return done;
}

void padded_batch(benchmark::State& state) {
  std::mt19937 random(7);
  std::vector<Block> blocks(32);
  for (Block& block : blocks) {
    block.columns.resize(1);
    std::vector<Tensor>& list = block.columns[0].make_list();
    for (int i = 0; i < kRows; ++i) {
      Tensor row = Tensor::allocate(DType::int64, Shape{static_cast<int64_t>(100 + random() % 7901)});
      std::memset(row.data, 1, row.byte_size());
      list.push_back(std::move(row));
    }
    block.rows = kRows;
  }
  Drain drain(parse("range(1)"));
  PaddedBuffer buffer({{DType::int64, Shape{kUnknownDim}}}, kRows, {{Shape{kUnknownDim}, Tensor()}});
  const BufferRef place = Buffer::allocate(kRows * 8000 * sizeof(int64_t));
  Context ctx = drain.context();
  double ours = 0;
  double reference = 0;
  for (auto _ : state) {
    double bytes = 0;
    Stopwatch padding;
    for (const Block& block : blocks) {
      Block out;
      buffer.add(ctx, block, 0, kRows);
      if (!buffer.finish(out).ok()) state.SkipWithError("padding failed");
      bytes += static_cast<double>(out.columns[0].row(0).byte_size());
    }
    ours = std::max(ours, bytes / padding.seconds());
    Stopwatch copying;
    size_t copied = 0;
    for (const Block& block : blocks) copied += copy_rows(block.columns[0].list(), place->data());
    reference = std::max(reference, static_cast<double>(copied) / copying.seconds());
  }
  report_rate(state, ours / 1e9, reference / 1e9, 0.6);
}
BENCHMARK(padded_batch)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::bench
