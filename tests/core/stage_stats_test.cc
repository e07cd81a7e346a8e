#include "core/stage_stats.h"

#include <catch2/catch_test_macros.hpp>

#include "support/test_runtime.h"

namespace weir {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

TEST_CASE("stage stats: one place has one entry, however often it is opened") {
  auto tree = make_ref<StatsTree>(0, 0);
  StageStats* root = tree->find(nullptr, "flat_map", -1, 0, false);
  REQUIRE(root != nullptr);
  CHECK(tree->find(nullptr, "flat_map", -1, 0, false) == root);
  StageStats* outer = tree->find(root, "range", -1, 0, false);
  StageStats* inner = tree->find(root, "range", -1, 1, false);
  CHECK(outer != inner);
  CHECK(tree->find(root, "range", -1, 1, false) == inner);

  {
    LiveStage first, second;
    inner->open(first);
    inner->open(second);
    add_alone(first.rows, 3);
    add_alone(second.rows, 4);
    const StageSnapshot now = tree->snapshot().at(2);
    CHECK(now.elements == 7);
    CHECK(now.openings == 2);
    CHECK(now.open_now == 2);
    inner->close(first);
    inner->close(second);
  }
  const std::vector<StageSnapshot> after = tree->snapshot();
  REQUIRE(after.size() == 3);
  CHECK(after[0].parent == -1);
  CHECK(after[1].parent == 0);
  CHECK(after[2].parent == 0);
  CHECK(after[2].elements == 7);
  CHECK(after[2].open_now == 0);
}

TEST_CASE("stage stats: a tree stops growing") {
  auto tree = make_ref<StatsTree>(0, 0);
  StageStats* root = tree->find(nullptr, "zip", -1, 0, false);
  int made = 1;
  while (tree->find(root, "range", made, 0, false)) ++made;
  CHECK(made == StatsTree::kMaxStages);
}

// The pulls of `count` that were measured.
std::vector<int> sampled(Clock& clock, test::FakeClock& time, int64_t pull_ns, int count) {
  Sampler sampler;
  std::vector<int> out;
  for (int i = 1; i <= count; ++i) {
    if (!sampler.due()) {
      time.advance(pull_ns);
      continue;
    }
    Sample sample = sampler.begin(clock, nullptr);
    const Sample::Span span = sample.begin();
    time.advance(pull_ns);
    sample.end(span, nullptr, 1, 8);
    sampler.finish(clock, sample);
    out.push_back(i);
  }
  return out;
}

TEST_CASE("stage stats: long pulls are all measured, but the first, and short ones seldom") {
  test::FakeClock clock;
  CHECK(sampled(clock, clock, kMillisecond, 5) == std::vector<int>{2, 3, 4, 5});
  // Of ten nanoseconds each, at most one in a thousand in the long run.
  CHECK(sampled(clock, clock, 10, 1'000'000).size() < 1000);
  CHECK(sampled(clock, clock, 10, 1'000'000).size() > 50);
}

TEST_CASE(
    "stage stats: a stage's own time is without that of its inputs, and a sample stands for several pulls") {
  test::FakeClock clock;
  StageStats outer("map", -1, 0, false);
  StageStats inner("range", -1, 0, false);
  Sample sample(clock, nullptr, 10, true);
  const Sample::Span above = sample.begin();
  clock.advance(2 * kMillisecond);
  for (int i = 0; i < 2; ++i) {
    const Sample::Span below = sample.begin();
    clock.advance(3 * kMillisecond);
    sample.end(below, &inner, 4, 32);
  }
  clock.advance(kMillisecond);
  sample.end(above, &outer, 8, 64);
  CHECK(outer.busy.ns == 10 * 3 * kMillisecond);
  CHECK(inner.busy.ns == 10 * 6 * kMillisecond);
  CHECK(inner.sampled_bytes == 64);
  CHECK(inner.sampled_rows == 8);
  TimeSums time;
  time.add(outer.busy);
  CHECK(time.computing() == 1.0);
  CHECK(TimeSums().computing() == -1);
}

TEST_CASE("stage stats: what reading the clock takes is nobody's time") {
  test::FakeClock clock;
  clock.step_ns = 100;
  StageStats outer("map", -1, 0, false);
  StageStats inner("range", -1, 0, false);
  Sample sample(clock, nullptr, 1, false);
  const Sample::Span above = sample.begin();
  for (int i = 0; i < 50; ++i) {
    const Sample::Span below = sample.begin();
    sample.end(below, &inner, 1, 8);
  }
  sample.end(above, &outer, 1, 8);
  CHECK(outer.busy.ns == 0);
  CHECK(inner.busy.ns == 0);
}

}  // namespace
}  // namespace weir
