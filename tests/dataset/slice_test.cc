#include "dataset/slice.h"

#include <catch2/catch_test_macros.hpp>

namespace weir {

TEST_CASE("slice: how many elements of so many") {
  constexpr Slice all;
  CHECK(all.count_of(7) == 7);
  CHECK(all.count_of(kInfinite) == kInfinite);
  CHECK(all.count_of(kUnknown) == kUnknown);
  constexpr Slice head{.count = 3};
  CHECK(head.count_of(2) == 2);
  CHECK(head.count_of(3) == 3);
  CHECK(head.count_of(4) == 3);
  CHECK(head.count_of(kInfinite) == 3);
  CHECK(head.count_of(kUnknown) == kUnknown);
  constexpr Slice nothing{.count = 0};
  CHECK(nothing.count_of(kUnknown) == 0);
  CHECK(nothing.count_of(kInfinite) == 0);
  constexpr Slice tail{.first = 5};
  CHECK(tail.count_of(4) == 0);
  CHECK(tail.count_of(5) == 0);
  CHECK(tail.count_of(6) == 1);
  CHECK(tail.count_of(kInfinite) == kInfinite);
}

TEST_CASE("slice: every step-th element, at both edges of a part") {
  constexpr Slice third{.first = 2, .step = 3};
  CHECK(third.count_of(2) == 0);
  CHECK(third.count_of(3) == 1);
  CHECK(third.count_of(5) == 1);
  CHECK(third.count_of(6) == 2);
  constexpr Slice far{.first = INT64_MAX - 1, .step = INT64_MAX};
  CHECK(far.count_of(INT64_MAX - 1) == 0);
  CHECK(far.count_of(INT64_MAX) == 1);
}

TEST_CASE("slice: the numbers of a process take the place of those that are left open") {
  constexpr Slice open{.by_rank = true};
  CHECK(open.count_of(9) == kUnknown);
  CHECK(open.count_of(kInfinite) == kInfinite);
  CHECK(open.of(World{.size = 0}).status().code() == Code::failed_precondition);
  const Result<Slice> part = open.of(World{.rank = 1, .size = 4});
  REQUIRE(part.ok());
  CHECK(part->count_of(9) == 2);
  CHECK(part->count_of(10) == 3);
  CHECK((*Slice{.first = 3}.of(World{.size = 0})).count_of(9) == 6);
}

}  // namespace weir
