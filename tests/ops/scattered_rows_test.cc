#include "ops/access/scattered_rows.h"

#include <catch2/catch_test_macros.hpp>

namespace weir::test {
namespace {

const std::vector<Component> kNumber{{DType::int64, Shape()}};

// `rows` numbers from `first` on.
Block numbers(int64_t first, int rows) {
  Block out;
  out.reset(1);
  int64_t* values = out.columns[0].make_dense<int64_t>(Shape(), rows);
  for (int i = 0; i < rows; ++i) values[i] = first + i;
  out.rows = rows;
  return out;
}

std::vector<int64_t> values_of(const Block& block) {
  const auto entries = block.columns[0].tensor().entries<const int64_t>();
  return {entries.begin(), entries.end()};
}

TEST_CASE("placed rows stand at their places") {
  ScatteredRows placed(kNumber);
  REQUIRE(placed.fits());
  CHECK(placed.row_bytes() == 8);
  Block out;
  REQUIRE(placed.begin(out, 9, false));
  // Runs of two, of which the first has one left.
  placed.put(numbers(10, 4), {.first = 0, .left = 1, .run = 2, .gap = 2});
  placed.put(numbers(20, 4), {.first = 1, .left = 2, .run = 2, .gap = 2});
  placed.put(numbers(30, 1), {.first = 8});
  placed.finish(9);
  CHECK(out.rows == 9);
  CHECK(values_of(out) == std::vector<int64_t>{10, 20, 21, 11, 12, 22, 23, 13, 30});
}

TEST_CASE("single rows of any size at a distance") {
  for (int64_t width : {1, 2, 3, 4, 5, 8, 16, 24}) {
    ScatteredRows placed({{DType::uint8, Shape{width}}, kNumber[0]});
    Block out;
    REQUIRE(placed.begin(out, 6, false));
    for (int slot = 0; slot < 3; ++slot) {
      Block part = numbers(slot * 10, 2);
      part.columns.resize(2);
      std::swap(part.columns[0], part.columns[1]);
      uint8_t* bytes = part.columns[0].make_dense<uint8_t>(Shape{width}, 2);
      for (int64_t i = 0; i < 2 * width; ++i) bytes[i] = static_cast<uint8_t>(slot * 2 + i / width);
      placed.put(part, {.first = slot, .gap = 2});
    }
    placed.finish(6);
    for (int row = 0; row < 6; ++row) {
      const Tensor bytes = out.columns[0].row(row);
      for (uint8_t byte : bytes.entries<const uint8_t>()) CHECK(byte == row % 3 * 2 + row / 3);
      CHECK(*out.columns[1].row(row).as<int64_t>() == row % 3 * 10 + row / 3);
    }
  }
}

TEST_CASE("errors and origins of placed rows have their places") {
  ScatteredRows placed(kNumber);
  Block out;
  REQUIRE(placed.begin(out, 4, false));
  Block first = numbers(0, 2);
  first.fail_row(1, data_loss("planted").pointer());
  first.origins.add(0, Origin(1, 5));
  Block second = numbers(7, 2);
  second.fail_row(0, data_loss("planted").pointer());
  placed.put(first, {.first = 0, .gap = 1});
  placed.put(second, {.first = 1, .gap = 1});
  placed.finish(4);
  REQUIRE(out.errors.size() == 2);
  CHECK(out.failed(1));
  CHECK(out.failed(2));
  CHECK(values_of(out) == std::vector<int64_t>{0, 0, 0, 8});
  CHECK(out.origins.of(0) == Origin(1, 5));
  CHECK(!out.origins.of(1).known());
  CHECK(out.origins.of(2) == Origin(1, 6));
}

TEST_CASE("rows that are dropped have no columns") {
  ScatteredRows placed(kNumber);
  Block out = numbers(0, 3);
  REQUIRE(placed.begin(out, 3, true));
  Block part;
  part.rows = 2;
  placed.put(part, {.first = 0, .left = 2, .run = 2});
  placed.finish(2);
  CHECK(out.rows == 2);
  CHECK(out.columns.empty());
}

TEST_CASE("rows whose size is not known do not fit, and others are refused") {
  CHECK(!ScatteredRows({{DType::string, Shape()}}).fits());
  CHECK(!ScatteredRows({{DType::int64, Shape{kUnknownDim}}}).fits());
  CHECK(!ScatteredRows({{DType::int64, Shape::unknown_rank()}}).fits());
  CHECK(ScatteredRows({}).fits());
  ScatteredRows placed({{DType::int64, Shape{2}}});
  Block out;
  REQUIRE(placed.begin(out, 1, false));
  placed.put(numbers(0, 1), {});
  CHECK_THROWS_AS(placed.finish(1), std::logic_error);
}

TEST_CASE("few rows do not hold the memory that was made for many") {
  ScatteredRows placed(kNumber);
  Block out;
  REQUIRE(placed.begin(out, 1000, false));
  placed.put(numbers(3, 2), {.first = 0, .left = 2, .run = 2});
  placed.finish(2);
  CHECK(values_of(out) == std::vector<int64_t>{3, 4});
  CHECK(out.columns[0].tensor().buffer->size() < 200);
}

}  // namespace
}  // namespace weir::test
