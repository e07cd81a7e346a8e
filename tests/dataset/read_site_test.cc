#include "dataset/read_site.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "ops/list.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

Instance place_of(uint64_t key, int input = -1) {
  const DatasetRef node = Build(range_op::definition()).set<IntParam>("stop", 9).node();
  return {node, nullptr, key, make_ref<PathNode>(nullptr, "zip", -1), input};
}

TEST_CASE("read sites: a read has the same number each time, and no other read has it") {
  CHECK(ReadSite(place_of(1)).read("a", 0) == ReadSite(place_of(1)).read("a", 0));
  const std::set<uint64_t> numbers = {
      ReadSite(place_of(1)).read("a", 0),    ReadSite(place_of(1)).read("b", 0),
      ReadSite(place_of(1)).read("a", 1),    ReadSite(place_of(2)).read("a", 0),
      ReadSite(place_of(1, 0)).read("a", 0), ReadSite(place_of(1, 1)).read("a", 0),
  };
  CHECK(numbers.size() == 6);
}

Block block_of(int rows) {
  Block block;
  block.reset(1);
  std::fill_n(block.columns[0].make_dense<int64_t>(Shape(), rows), rows, 7);
  block.rows = rows;
  return block;
}

ErrorPtr failed_read() {
  Error error;
  error.code = Code::unavailable;
  error.message = "cannot read";
  error.read_failed = true;
  return std::make_shared<Error>(error);
}

TEST_CASE("read sites: rows that failed before fail again, though they can be read") {
  const ReadSite site(place_of(1));
  FailedReads failed;
  const std::vector<int64_t> indices = {5, 2, 9};
  Block first = block_of(3);
  first.fail_row(1, failed_read());
  site.answer_again(failed, indices, first);
  REQUIRE(first.errors.size() == 1);
  CHECK(first.errors[0].error->read == site.read({}, 2));
  failed.add(first);
  for (const bool fails_again : {false, true}) {
    INFO("fails again: " << fails_again);
    Block again = block_of(3);
    if (fails_again) again.fail_row(1, failed_read());
    site.answer_again(failed, indices, again);
    REQUIRE(again.errors.size() == 1);
    CHECK(again.errors[0].row == 1);
    CHECK(again.errors[0].error->message == "cannot read");
    CHECK(!again.errors[0].error->read_failed);
  }
}

}  // namespace
}  // namespace weir::test
