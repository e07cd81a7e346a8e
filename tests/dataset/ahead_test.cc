#include "dataset/ahead.h"

#include <catch2/catch_test_macros.hpp>

#include "ops/list.h"
#include "support/test_runtime.h"

namespace weir {

namespace test {
namespace {

DatasetRef range_node(int64_t stop) {
  return Build(range_op::definition()).set<IntParam>("stop", stop).node();
}

TEST_CASE("the position of a consumer is where the port reads on, however far its feed has run ahead") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  Port port(ctx, Instance(range_node(500), nullptr, 0), Port::Mode::keep);
  AheadPosition position;
  position.start(port, nullptr, {});
  PortFeed feed(std::move(port), INT64_MAX, {});
  std::vector<Mark> marks;
  std::vector<Block> blocks;
  Demand demand;
  demand.rows = 10;
  for (int i = 0; i < 40; ++i) {
    REQUIRE(feed.next(ctx, demand, blocks.emplace_back(), marks.emplace_back()) == PullResult::rows);
    CHECK(marks.back().ordinal == 10 * i);
  }
  for (size_t taken = 0; taken < 30; ++taken) {
    Archive saved;
    position.save(saved);
    const std::string written = saved.take();
    Archive archive(written);
    std::vector<uint64_t> counts;
    archive("counts", counts);
    CHECK(counts.empty());
    std::string bytes;
    archive.rest(bytes);
    auto restored = Port::open_at(ctx, Instance(range_node(500), nullptr, 0), Port::Mode::keep, bytes);
    REQUIRE(restored.ok());
    Block block;
    REQUIRE(restored->pull(ctx, demand, block) == PullResult::rows);
    CHECK(*block.columns[0].row(0).as<int64_t>() == static_cast<int64_t>(10 * taken));
    position.advance(ctx, marks[taken], blocks[taken]);
  }
}

}  // namespace
}  // namespace test
}  // namespace weir
