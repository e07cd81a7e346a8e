#include "dataset/unconsumed_rows.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace weir {
namespace {

// Rows [first, first + rows), each its number.
Block block_of(int64_t first, int rows) {
  Block block;
  block.reset(1);
  int64_t* values = block.columns[0].make_dense<int64_t>(Shape(), rows);
  for (int i = 0; i < rows; ++i) values[i] = first + i;
  block.rows = rows;
  return block;
}

std::vector<int64_t> numbers(HeldRows rows) {
  std::vector<int64_t> out;
  while (!rows.empty()) {
    Block block;
    rows.take(1, block);
    out.push_back(*block.columns[0].row(0).as<int64_t>());
  }
  return out;
}

TEST_CASE("unconsumed rows: those that were pulled and not consumed are there, in order") {
  UnconsumedRows rows(true);
  CHECK(rows.kept());
  rows.add(block_of(0, 4), 4);
  rows.add(block_of(4, 3), 7);
  CHECK(numbers(rows.rows()) == std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6});
  rows.consume_to(2, 7);
  CHECK(numbers(rows.rows()) == std::vector<int64_t>{2, 3, 4, 5, 6});
  rows.consume_to(2, 7);
  CHECK(rows.rows().rows() == 5);
  rows.consume_to(5, 7);
  CHECK(numbers(rows.rows()) == std::vector<int64_t>{5, 6});
  CHECK(rows.complete_from(5));
  rows.consume_to(7, 7);
  CHECK(rows.rows().empty());
  rows.add(block_of(7, 1), 8);
  rows.start_over();
  CHECK(rows.rows().empty());
}

TEST_CASE("unconsumed rows: nothing is dropped where none are kept") {
  UnconsumedRows rows(false);
  CHECK(!rows.kept());
  rows.consume_to(5, 9);
  rows.start_over();
  CHECK(rows.rows().empty());
  CHECK(rows.complete_from(0));
}

TEST_CASE("unconsumed rows: errors are rows, and not among the values") {
  UnconsumedRows rows(true);
  Block block = block_of(0, 3);
  Error error;
  error.code = Code::invalid_argument;
  block.fail_row(1, std::make_shared<Error>(error));
  rows.add(block, 3);
  CHECK(rows.rows().rows() == 3);
  CHECK(rows.rows().values() == 2);
}

}  // namespace
}  // namespace weir
