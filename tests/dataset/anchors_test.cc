#include "dataset/anchors.h"

#include <catch2/catch_test_macros.hpp>

#include "ops/list.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

// The anchors of a Port over range, and the input whose position they save.
struct AnchorsDriver {
  AnchorsDriver() : input(runtime.open(Build(range_op::definition()).set<IntParam>("stop", 1 << 20).node())) {
    anchors.start_over();
  }
  // Pulls up to row `row`, `step` rows at a time, and offers an anchor before each pull.
  void pull_to(int64_t row, int64_t step = 1) {
    Context ctx = runtime.context();
    while (pulled < row) {
      anchors.add_if_worth(runtime.clock, *input, pulled, pulled);
      Demand demand;
      demand.rows = static_cast<int>(std::min(step, row - pulled));
      REQUIRE(input->next(ctx, demand, block) == PullResult::rows);
      pulled += block.rows;
      // Anchors are cheap compared with this.
      runtime.clock.advance(1000);
    }
  }
  // Where a Port that restores the anchor goes on.
  int64_t first_after(const Anchor& anchor) {
    auto restored = runtime.open(input_node());
    Archive archive(anchor.bytes);
    restored->state(archive);
    Context ctx = runtime.context();
    Block out;
    REQUIRE(restored->next(ctx, Demand(), out) == PullResult::rows);
    return *out.columns[0].row(0).as<int64_t>();
  }
  DatasetRef input_node() { return DatasetRef(&input->node()); }

  TestRuntime runtime;
  std::unique_ptr<Stage> input;
  Anchors anchors;
  Block block;
  int64_t pulled = 0;
};

TEST_CASE("anchors: the first is at the opening and needs no state") {
  AnchorsDriver driver;
  CHECK(driver.anchors.count() == 1);
  CHECK(driver.anchors.oldest()->fresh);
  CHECK(driver.anchors.oldest()->ordinal == 0);
  CHECK(driver.anchors.newest()->fresh);
  // A short input is replayed from there.
  driver.pull_to(32);
  CHECK(driver.anchors.count() == 1);
}

TEST_CASE("anchors: each is a place to go on from") {
  AnchorsDriver driver;
  driver.pull_to(1000);
  REQUIRE(driver.anchors.count() > 1);
  const AnchorRef newest = driver.anchors.newest();
  CHECK(!newest->fresh);
  CHECK(newest->values == newest->ordinal);
  CHECK(driver.first_after(*newest) == newest->ordinal);
  CHECK(driver.anchors.newest() == newest);
}

TEST_CASE("anchors: the oldest is the last one at or before what is consumed") {
  AnchorsDriver driver;
  driver.pull_to(5000);
  const size_t all = driver.anchors.count();
  const int64_t newest = driver.anchors.newest()->ordinal;
  driver.anchors.consume_to(newest - 1);
  CHECK(driver.anchors.count() == 2);
  CHECK(driver.anchors.oldest()->ordinal < newest);
  driver.anchors.consume_to(newest);
  CHECK(driver.anchors.count() == 1);
  CHECK(driver.anchors.oldest()->ordinal == newest);
  driver.anchors.consume_to(5000);
  CHECK(driver.anchors.count() == 1);
  CHECK(all > 2);
}

TEST_CASE("anchors: however many rows are unconsumed, there are few") {
  AnchorsDriver driver;
  driver.pull_to(200'000, 7);
  CHECK(driver.anchors.count() > 100);
  CHECK(driver.anchors.count() <= 256);
  CHECK(driver.anchors.oldest()->fresh);
  CHECK(driver.first_after(*driver.anchors.newest()) == driver.anchors.newest()->ordinal);
}

TEST_CASE("anchors: where memory ran out the next one is left out") {
  AnchorsDriver driver;
  driver.pull_to(32);
  driver.anchors.skip_one();
  driver.pull_to(33);
  CHECK(driver.anchors.count() == 1);
  driver.pull_to(34);
  CHECK(driver.anchors.count() == 2);
}

TEST_CASE("anchors: openings come with the anchor that they were made after") {
  AnchorsDriver driver;
  constexpr uint64_t kNode = 6;
  driver.anchors.since().add(kNode, 0);
  const AnchorRef before = driver.anchors.newest();
  CHECK(before->openings == std::vector<uint64_t>{kNode, 0, 0, 1});
  driver.anchors.since().add(kNode, 1);
  CHECK(driver.anchors.newest() != before);
  driver.pull_to(90);
  REQUIRE(driver.anchors.count() == 2);
  CHECK(driver.anchors.newest()->openings.empty());
  driver.anchors.since().add(kNode, 2);
  CHECK(driver.anchors.newest()->openings == std::vector<uint64_t>{kNode, 2, 0, 1});
  CHECK(driver.anchors.oldest()->openings == std::vector<uint64_t>{kNode, 0, 1, 3});
}

TEST_CASE("anchors: what a loaded anchor lists is due again") {
  AnchorsDriver driver;
  Anchor loaded;
  loaded.fresh = true;
  loaded.openings = {6, 4, 0, 1};
  REQUIRE(driver.anchors.start_at(loaded, 10));
  CHECK(driver.anchors.repeats_openings());
  CHECK(driver.anchors.count() == 1);
  uint64_t number = 0;
  REQUIRE(driver.anchors.due().take(6, number));
  CHECK(number == 4);
  CHECK(!driver.anchors.repeats_openings());
  // The next one is not worth its time before the loaded position and some rows.
  driver.pull_to(42);
  CHECK(driver.anchors.count() == 1);
  driver.pull_to(43);
  CHECK(driver.anchors.count() == 2);
  loaded.openings = {6, 4};
  CHECK(!driver.anchors.start_at(loaded, 0));
  driver.anchors.clear();
  CHECK(driver.anchors.count() == 0);
}

}  // namespace
}  // namespace weir::test
