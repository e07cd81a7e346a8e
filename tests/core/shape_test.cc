#include "core/shape.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace weir {
namespace {

TEST_CASE("Shapes count, grow and shrink at the front") {
  CHECK(Shape().count() == 1);
  CHECK(Shape{3, 0, 2}.count() == 0);
  CHECK(Shape{2, 3}.prepended(4) == Shape{4, 2, 3});
  CHECK(Shape{2, 3}.tail() == Shape{3});
  CHECK(Shape{2}.tail() == Shape());
  CHECK(Shape{2, 3}.with_dim(1, 5) == Shape{2, 5});
  CHECK(!Shape{2, kUnknownDim}.is_static());
  CHECK(!Shape::unknown_rank().is_static());
  CHECK(Shape::unknown_rank().prepended(2) == Shape::unknown_rank());
}

TEST_CASE("Compatible shapes have a common one") {
  CHECK(Shape{2, kUnknownDim}.compatible(Shape{2, 7}));
  CHECK(Shape::unknown_rank().compatible(Shape{1}));
  CHECK(!Shape{2}.compatible(Shape{3}));
  CHECK(!Shape{2}.compatible(Shape{2, 1}));
  CHECK(Shape::relax(Shape{2, 3}, Shape{2, 4}) == Shape{2, kUnknownDim});
  CHECK(Shape::relax(Shape{2}, Shape{2}) == Shape{2});
  CHECK(Shape::relax(Shape{2}, Shape{2, 1}) == Shape::unknown_rank());
}

TEST_CASE("Shapes are written as in a spec") {
  CHECK(Shape().to_string().empty());
  CHECK(Shape{28, kUnknownDim}.to_string() == "[28, ?]");
  CHECK(Shape::unknown_rank().to_string() == "[...]");
}

TEST_CASE("Counts that overflow are found") {
  CHECK(checked_count(std::vector<int64_t>{int64_t{1} << 32, int64_t{1} << 31}) == -1);
  CHECK(checked_count(std::vector<int64_t>{2, -1}) == -1);
  CHECK(checked_count(std::vector<int64_t>{2, 3}) == 6);
  CHECK(checked_count({}) == 1);
}

}  // namespace
}  // namespace weir
