#include "ops/files/cached_rows.h"

#include <catch2/catch_test_macros.hpp>

namespace weir::test {
namespace {

const std::vector<Component> kOneNumber = {{DType::int64, Shape()}};

// Rows from number `first` on, which are records of one file, a hundred further on; `failed` of them, from
// the front, have failed.
Block numbered_rows(int64_t first, int rows, int failed = 0) {
  Block out;
  out.reset(1);
  out.rows = rows;
  int64_t* numbers = out.columns[0].make_dense<int64_t>(Shape(), rows);
  for (int i = 0; i < rows; ++i) numbers[i] = first + i;
  for (int i = 0; i < failed; ++i) out.fail_row(i, data_loss("failed").pointer());
  out.origins.add(0, Origin(1, first + 100));
  return out;
}

void add_rows(CachedRows& cached, int64_t first, int rows) {
  REQUIRE(cached.add(numbered_rows(first, rows)).ok());
}

// How many rows are given at once from there on; they must be the right ones.
int given_at(const CachedRows& cached, int64_t position, size_t& hint, int most = 5000) {
  Block out;
  cached.give(position, most, false, hint, out);
  for (int i = 0; i < out.rows; ++i) {
    REQUIRE(out.columns[0].tensor().as<int64_t>()[i] == position + i);
    REQUIRE(out.origins.of(i) == Origin(1, position + i + 100));
  }
  return out.rows;
}
int given_anew(const CachedRows& cached, int64_t position, int most = 5000) {
  size_t hint = 0;
  return given_at(cached, position, hint, most);
}

TEST_CASE("cached rows: blocks are joined up to 1,024 rows, and not beyond") {
  for (const int first : {1, 2, 700}) {
    CAPTURE(first);
    CachedRows cached(kOneNumber, nullptr);
    add_rows(cached, 0, first);
    add_rows(cached, first, 1024 - first);
    add_rows(cached, 1024, 1);
    add_rows(cached, 1025, 1024);
    add_rows(cached, 2049, 3);
    add_rows(cached, 2052, 4);
    cached.finish();
    CHECK(cached.rows() == 2056);
    CHECK(given_anew(cached, 0) == 1024);
    CHECK(given_anew(cached, 1024) == 1);
    CHECK(given_anew(cached, 1025) == 1024);
    CHECK(given_anew(cached, 2049) == 7);
  }
}

TEST_CASE("cached rows: from any position, whatever the hint says") {
  CachedRows cached(kOneNumber, nullptr);
  for (int64_t at = 0; at < 5000; at += 500) add_rows(cached, at, 500);
  cached.finish();
  for (const size_t hint : {0, 1, 3, 4, 5, 99}) {
    for (const int64_t at : {0, 1, 999, 1000, 1001, 2500, 3999, 4000, 4999}) {
      CAPTURE(hint, at);
      size_t moved = hint;
      CHECK(given_at(cached, at, moved) == 1000 - at % 1000);
      CHECK(moved == static_cast<size_t>(at / 1000));
      CHECK(given_at(cached, at, moved, 1) == 1);
    }
  }
}

TEST_CASE("cached rows: a block ends once it is large, and the next one begins with nothing") {
  const int64_t large = kMaxBlockBytes / 8;
  const std::vector<Component> wide = {{DType::int64, Shape{large}}};
  CachedRows cached(wide, nullptr);
  Block row;
  row.reset(1);
  row.rows = 1;
  std::fill_n(row.columns[0].make_dense<int64_t>(Shape{large}, 1), large, int64_t{7});
  for (int i = 0; i < 3; ++i) REQUIRE(cached.add(row).ok());
  cached.finish();
  CHECK(cached.rows() == 3);
  Block out;
  for (int64_t at = 0; at < 3; ++at) {
    size_t hint = 0;
    cached.give(at, 10, false, hint, out);
    CHECK(out.rows == 1);
    CHECK(out.columns[0].tensor().as<int64_t>()[large - 1] == 7);
  }
  // Halves of what is large come in pairs.
  CachedRows pairs({{{DType::int64, Shape{large / 2}}}}, nullptr);
  row.reset(1);
  row.rows = 1;
  std::fill_n(row.columns[0].make_dense<int64_t>(Shape{large / 2}, 1), large / 2, int64_t{7});
  for (int i = 0; i < 6; ++i) REQUIRE(pairs.add(row).ok());
  pairs.finish();
  for (int64_t at = 0; at < 6; at += 2) {
    size_t hint = 0;
    pairs.give(at, 10, false, hint, out);
    CHECK(out.rows == 2);
  }
}

TEST_CASE("cached rows: failed ones are left out, and nothing is given of what nobody wants") {
  CachedRows cached(kOneNumber, nullptr);
  REQUIRE(cached.add(numbered_rows(-3, 3, 3)).ok());
  REQUIRE(cached.add(numbered_rows(-2, 8, 2)).ok());
  cached.finish();
  CHECK(cached.rows() == 6);
  CHECK(given_anew(cached, 0) == 6);
  size_t hint = 0;
  Block out;
  cached.give(4, 10, true, hint, out);
  CHECK(out.rows == 2);
  CHECK(out.columns.empty());
  CHECK(out.origins.of(1) == Origin(1, 105));
}

TEST_CASE("cached rows: once there are all, they count no more than they take") {
  auto budget = make_ref<MemoryBudget>(INT64_MAX);
  CachedRows cached(kOneNumber, budget);
  for (int64_t at = 0; at < 3000; at += 1000) add_rows(cached, at, 1000);
  cached.finish();
  CHECK(budget->used() == 3000 * 8);
}

}  // namespace
}  // namespace weir::test
