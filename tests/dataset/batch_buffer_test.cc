#include "dataset/batch_buffer.h"

#include <catch2/catch_test_macros.hpp>

#include "support/test_runtime.h"

namespace weir::test {
namespace {

// Rows of `width` numbers: row i holds first + i.
Block rows_of(int64_t first, int rows, int64_t width) {
  Block block;
  block.rows = rows;
  int64_t* entries = block.columns.emplace_back().make_dense<int64_t>(Shape{width}, rows);
  for (int64_t i = 0; i < rows * width; ++i) entries[i] = first + i / width;
  return block;
}

std::vector<Component> component(int64_t width) { return {{DType::int64, Shape{width}}}; }

std::vector<int64_t> firsts(const Block& batch) {
  const Tensor tensor = batch.columns[0].row(0);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < tensor.shape.dim(0); ++i) out.push_back(*tensor.row(i).as<int64_t>());
  return out;
}

using Numbers = std::vector<int64_t>;

TEST_CASE("runs are put one behind the other, in small batches and in large ones") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  for (int64_t width : {1, 4096}) {
    INFO("width " << width);
    BatchBuffer batch(component(width), 5);
    batch.add(ctx, rows_of(0, 4, width), 1, 2);
    batch.add(ctx, rows_of(10, 3, width), 0, 3);
    CHECK(batch.rows() == 5);
    Block out;
    REQUIRE(batch.finish(out).ok());
    CHECK(out.rows == 1);
    CHECK(firsts(out) == Numbers{1, 2, 10, 11, 12});
    CHECK(batch.rows() == 0);
  }
}

TEST_CASE("cleared rows are forgotten, and a delivered batch keeps its own") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  for (int64_t width : {1, 4096}) {
    INFO("width " << width);
    BatchBuffer batch(component(width), 3);
    batch.add(ctx, rows_of(50, 2, width), 0, 2);
    batch.clear();
    batch.add(ctx, rows_of(0, 3, width), 0, 3);
    Block first;
    REQUIRE(batch.finish(first).ok());
    batch.add(ctx, rows_of(7, 1, width), 0, 1);
    Block second;
    REQUIRE(batch.finish(second).ok());
    CHECK(firsts(first) == Numbers{0, 1, 2});
    CHECK(firsts(second) == Numbers{7});
  }
}

TEST_CASE("one run that is a whole batch is not copied") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  Block run = rows_of(0, 4, 200);
  BatchBuffer batch(component(200), 4);
  batch.add(ctx, run, 0, 4);
  Block out;
  REQUIRE(batch.finish(out).ok());
  CHECK(out.columns[0].tensor().data == run.columns[0].tensor().data);
}

TEST_CASE("a batch of a few bytes is copied, so that both sides use their memory again") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  Block run = rows_of(0, 4, 2);
  BatchBuffer batch(component(2), 4);
  Block out;
  const uint8_t* place = nullptr;
  for (int i = 0; i < 3; ++i) {
    batch.add(ctx, run, 0, 4);
    REQUIRE(batch.finish(out).ok());
    CHECK(run.columns[0].tensor().buffer->unique());
    CHECK((place == nullptr || out.columns[0].tensor().data == place));
    place = out.columns[0].tensor().data;
  }
  // One that somebody keeps stays as it is.
  const Tensor kept = out.columns[0].row(0);
  batch.add(ctx, rows_of(7, 3, 2), 0, 3);
  REQUIRE(batch.finish(out).ok());
  CHECK(firsts(out) == Numbers{7, 8, 9});
  CHECK(kept.shape == Shape{4, 2});
  CHECK(*kept.row(3).as<int64_t>() == 3);
}

TEST_CASE("a batch that says it is huge takes memory as rows come") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  BatchBuffer batch(component(4096), int64_t{1} << 40);
  batch.add(ctx, rows_of(0, 2, 4096), 0, 2);
  CHECK(runtime.pool.used_bytes() < size_t{1} << 20);
  batch.add(ctx, rows_of(2, 9, 4096), 0, 9);
  Block out;
  REQUIRE(batch.finish(out).ok());
  CHECK(firsts(out).size() == 11);
}

TEST_CASE("different shapes are an error that names them, and the next batch is clean") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  BatchBuffer batch({{DType::int64, Shape{kUnknownDim}}}, 2);
  batch.add(ctx, rows_of(0, 1, 2), 0, 1);
  batch.add(ctx, rows_of(0, 1, 3), 0, 1);
  Block out;
  Status status = batch.finish(out);
  REQUIRE(status.code() == Code::invalid_argument);
  CHECK(
      status.error().message.find(
          "expected elements of one shape, [2] like the first one, found [3] in component 0 of element 1") !=
      std::string::npos);
  batch.add(ctx, rows_of(5, 1, 3), 0, 1);
  REQUIRE(batch.finish(out).ok());
  CHECK(firsts(out) == Numbers{5});
}

TEST_CASE("the highest rank that can be batched is one below the limit") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  Shape shape;
  for (int i = 1; i < kMaxRank; ++i) shape = shape.prepended(1);
  Block row;
  row.rows = 1;
  *row.columns.emplace_back().make_dense<int64_t>(shape, 1) = 3;
  BatchBuffer batch({{DType::int64, shape}}, 1);
  batch.add(ctx, row, 0, 1);
  Block out;
  REQUIRE(batch.finish(out).ok());
  CHECK(out.columns[0].row(0).shape.rank() == kMaxRank);
}

}  // namespace
}  // namespace weir::test
