#include "core/origins.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace weir {
namespace {

std::vector<int64_t> turns_of(const Origins& origins, int rows) {
  std::vector<int64_t> out;
  for (int row = 0; row < rows; ++row) out.push_back(origins.turn_of(row));
  return out;
}

TEST_CASE("origins: turns of runs, and rows without one") {
  Origins origins;
  CHECK(origins.empty());
  CHECK(origins.turn_of(0) == Origins::kNoTurn);
  origins.add_turns(1, 5, 2);
  origins.add_turns(3, 9, 2);
  origins.add_turns(4, 20, 3);
  origins.add_turns(6, Origins::kNoTurn, 1);
  CHECK(!origins.empty());
  CHECK(turns_of(origins, 8) == std::vector<int64_t>{-1, 5, 7, 9, 20, 23, -1, -1});
  // The last word on a row counts.
  origins.add_turns(6, 30, 1);
  CHECK(turns_of(origins, 8) == std::vector<int64_t>{-1, 5, 7, 9, 20, 23, 30, 31});
}

TEST_CASE("origins: turns are appended and gathered with their rows, and so are files") {
  Origins source;
  source.add(0, Origin(1, 40));
  source.add_turns(0, 100, 10);
  source.add_turns(4, 7000, 1);
  Origins out;
  out.append(source, 2, 3, 0);
  out.append(Origins(), 0, 2, 3);
  out.append(source, 0, 2, 5);
  CHECK(turns_of(out, 7) == std::vector<int64_t>{120, 130, 7000, -1, -1, 100, 110});
  CHECK(out.of(1) == Origin(1, 43));
  Origins some;
  const std::vector<int32_t> rows{0, 1, 3, 4, 5};
  some.gather(source, rows);
  CHECK(turns_of(some, 5) == std::vector<int64_t>{100, 110, 130, 7000, 7001});
  CHECK(some.of(2) == Origin(1, 43));
  some.swap(out);
  CHECK(turns_of(some, 2) == std::vector<int64_t>{120, 130});
  some.clear();
  CHECK(some.empty());
}

}  // namespace
}  // namespace weir
