#include "exec/partial_block.h"

#include <catch2/catch_test_macros.hpp>

namespace weir {
namespace {

// Four rows of `width` numbers each, 10 times the row and the column.
PartialBlock numbers(int64_t width) {
  PartialBlock made;
  made.block.rows = 4;
  auto* entries = made.block.columns.emplace_back().make_dense<int64_t>(Shape{width}, 4);
  for (int64_t i = 0; i < 4 * width; ++i) entries[i] = 10 * (i / width) + i % width;
  made.bytes = made.block.byte_size();
  return made;
}

TEST_CASE("partial block: few numbers are copied out into the same memory, more share the block's") {
  for (const int64_t width : {1, 3, 32, 33}) {
    CAPTURE(width);
    PartialBlock from = numbers(width);
    const Tensor& whole = from.block.columns[0].tensor();
    Demand one;
    one.rows = 1;
    Block out;
    Mark mark;
    const uint8_t* place = nullptr;
    for (int row = 0; row < 4; ++row) {
      from.take_rows(one, out, mark);
      REQUIRE(out.rows == 1);
      const Tensor& taken = out.columns[0].tensor();
      CHECK(taken.shape == Shape{1, width});
      CHECK(taken.as<int64_t>()[width - 1] == 10 * row + width - 1);
      const bool copied = width <= 32;
      CHECK(whole.buffer->unique() == copied);
      CHECK((taken.data == whole.data + static_cast<size_t>(row * width) * sizeof(int64_t)) == !copied);
      if (copied) CHECK((place == nullptr || taken.data == place));
      place = taken.data;
    }
    CHECK(from.exhausted());
  }
}

TEST_CASE("partial block: what a reader keeps of a piece stays as it was") {
  PartialBlock from = numbers(2);
  Demand one;
  one.rows = 1;
  Block out;
  Mark mark;
  from.take_rows(one, out, mark);
  const Tensor kept = out.columns[0].row(0);
  from.take_rows(one, out, mark);
  CHECK(kept.as<int64_t>()[1] == 1);
  CHECK(out.columns[0].tensor().as<int64_t>()[1] == 11);
}

}  // namespace
}  // namespace weir
