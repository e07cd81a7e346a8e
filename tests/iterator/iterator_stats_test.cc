#include "iterator/iterator_stats.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <regex>

#include "expr/types/callback.h"
#include "iterator/iterator.h"
#include "support/pipeline.h"

namespace weir {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

// Stands still but for what a test lets pass.
class SetClock final : public Clock {
 public:
  int64_t now_ns() override { return now_ns_.load(); }
  int64_t computing_ns() override { return computing_ns_.load(); }
  void wait(int64_t ns) { now_ns_.fetch_add(ns); }
  void compute(int64_t ns) {
    computing_ns_.fetch_add(ns);
    wait(ns);
  }

 private:
  std::atomic<int64_t> now_ns_{1};
  std::atomic<int64_t> computing_ns_{1};
};

// Gives its argument after some time.
class Taking final : public Callback {
 public:
  Taking(SetClock& clock, int64_t ns, bool computes)
      : Callback({.pure = true}), clock_(clock), ns_(ns), computes_(computes) {}
  Result<Spec> result(const Spec& input) const override { return input; }
  Status call(Session&, const Block& in, Block& out) const override {
    computes_ ? clock_.compute(ns_) : clock_.wait(ns_);
    out.columns = in.columns;
    return Status();
  }

 private:
  SetClock& clock_;
  const int64_t ns_;
  const bool computes_;
};

// A runtime on the set clock. @parse computes for 10 ms, @sleep waits for 10 ms, @quick computes for 1 ms.
struct SetTime {
  SetClock clock;
  ThreadsRuntime runtime;

  SetTime() { runtime->clock = &clock; }
  OpenIterator open(std::string_view text) {
    Handed handed;
    handed.emplace("parse", make_ref<Taking>(clock, 10 * kMillisecond, true));
    handed.emplace("sleep", make_ref<Taking>(clock, 10 * kMillisecond, false));
    handed.emplace("quick", make_ref<Taking>(clock, kMillisecond, true));
    DocumentRef document = require_value(parse_document(*runtime, text, handed));
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    require_ok(iterator->initialize(document, {{}, nullptr}));
    return iterator;
  }
  // Takes all elements, with so much time between two calls.
  IteratorStats run(std::string_view text, int64_t consumer_ns = 0) {
    OpenIterator iterator = open(text);
    Block block;
    while (require_value(iterator->next(1, block)) == PullResult::rows) clock.compute(consumer_ns);
    return iterator->stats();
  }
};

const StageSnapshot& stage_at(const IteratorStats& stats, const std::string& path) {
  const std::vector<std::string> paths = paths_of(stats.stages);
  const auto found = std::find(paths.begin(), paths.end(), path);
  REQUIRE(found != paths.end());
  return stats.stages[static_cast<size_t>(found - paths.begin())];
}

TEST_CASE("iterator stats: elements and errors are counted exactly, and all openings into one place") {
  ThreadsRuntime runtime;
  auto iterator =
      open_text(*runtime, "range(4) | flat_map(x -> range(x) | map(y -> 6 // (y - 1))) | batch(2)");
  all_lines(*iterator);
  const IteratorStats stats = iterator->stats();
  CHECK(stage_at(stats, "batch/flat_map/range").elements == 4);
  const StageSnapshot& inner = stage_at(stats, "batch/flat_map/map");
  // 0 of one, two of three: y is 0, 0 1, 0 1 2.
  CHECK(inner.elements == 4);
  CHECK(inner.failed == 2);
  CHECK(inner.openings == 4);
  CHECK(inner.open_now == 0);
  CHECK(stage_at(stats, "batch/flat_map/map/range").elements == 6);
}

TEST_CASE("iterator stats: counting begins anew with the iterator") {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, "range(5)");
  all_lines(*iterator);
  require_ok(iterator->initialize(nullptr, {{}, nullptr}));
  take_lines(*iterator, 2);
  CHECK(stage_at(iterator->stats(), "range").elements == 2);
}

TEST_CASE("iterator stats: an iterator that was never initialised has none") {
  ThreadsRuntime runtime;
  Iterator iterator(*runtime, nullptr, Spec::tensor(DType::int64));
  CHECK(iterator.stats().stages.empty());
  CHECK(stats_json(iterator.stats()).find(R"("stages": [])") != std::string::npos);
}

TEST_CASE("iterator stats: windows and calls are seen while they run and afterwards") {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, "range(5000) | map(x -> x + 1, num_parallel_calls: 2) | prefetch(16)");
  take_lines(*iterator, 1);
  const IteratorStats begun = iterator->stats();
  CHECK(stage_at(begun, "prefetch").window.windows == 1);
  CHECK(stage_at(begun, "prefetch").window.max_rows == 16);
  CHECK(stage_at(begun, "prefetch/map").window.max_calls == 2);
  CHECK(stage_at(begun, "prefetch/map").window.calls <= 2);
  all_lines(*iterator);
  const IteratorStats ended = iterator->stats();
  CHECK(stage_at(ended, "prefetch/map/range").elements == 5000);
  CHECK(stage_at(ended, "prefetch/map").calls > 0);
  CHECK(stage_at(ended, "prefetch/map").window.windows == 0);
  CHECK(stage_at(ended, "prefetch/map").window.max_calls == 2);
  CHECK(stage_at(ended, "prefetch").elements == 5000);
}

TEST_CASE("verdict: a callback that sleeps") {
  SetTime time;
  const IteratorStats stats = time.run("range(100) | map(@sleep) | batch(10)");
  CHECK(stats.elapsed_ns == 1000 * kMillisecond);
  CHECK(stage_at(stats, "batch/map").busy.ns == 1000 * kMillisecond);
  CHECK(stage_at(stats, "batch").busy.ns == 0);
  const Verdict found = verdict(stats);
  CHECK(found.bound == Verdict::Bound::stage);
  CHECK(paths_of(stats.stages)[static_cast<size_t>(found.stage)] == "batch/map");
  CHECK(found.waits);
  CHECK(
      verdict_text(stats, found) ==
      "batch/map is the bound: it is busy 100 % of the time, mostly waiting. If it took no time, elements would come more than 1000 times as fast at most.");
}

TEST_CASE("verdict: a slow parse") {
  SetTime time;
  // 10 ms of 11 + 2 that the consumer takes.
  const IteratorStats stats = time.run("range(100) | map(@parse) | map(@quick)", 2 * kMillisecond);
  const Verdict found = verdict(stats);
  CHECK(found.bound == Verdict::Bound::stage);
  CHECK(paths_of(stats.stages)[static_cast<size_t>(found.stage)] == "map/map");
  CHECK_FALSE(found.waits);
  CHECK(found.gain == 13.0 / 3);
  const std::string text = verdict_text(stats, found);
  CHECK(text.find("mostly computing. If it took no time, elements would come 4.33 times as fast") !=
        std::string::npos);
  // 13 / 11 if the consumer works beside it.
  CHECK(text.find("a prefetch at the end would give 1.18 times at most.") != std::string::npos);
}

TEST_CASE("verdict: the consumer") {
  SetTime time;
  const IteratorStats stats = time.run("range(100) | map(@quick)", 9 * kMillisecond);
  const Verdict found = verdict(stats);
  CHECK(found.bound == Verdict::Bound::consumer);
  CHECK(found.busy == 0.9);
  CHECK(found.gain == 10.0);
  CHECK(verdict_text(stats, found).find("The consumer is the bound: 90 % of the time") == 0);
}

TEST_CASE("verdict: too little says nothing") {
  SetTime time;
  CHECK(verdict(time.run("range(3)")).bound == Verdict::Bound::none);
  CHECK(verdict(IteratorStats()).bound == Verdict::Bound::none);
}

// As if a prefetch over a map with calls over a source had run for a second.
IteratorStats by_hand() {
  IteratorStats stats;
  stats.elapsed_ns = 1000 * kMillisecond;
  stats.waited_ns = 900 * kMillisecond;
  stats.parallelism = 2;
  StageSnapshot prefetch;
  prefetch.operator_name = "prefetch";
  prefetch.elements = 50;
  prefetch.most_windows = 1;
  StageSnapshot map = prefetch;
  map.operator_name = "map";
  map.parent = 0;
  map.segment = 0;
  map.calls = 100;
  map.window.max_calls = 4;
  StageSnapshot source;
  source.operator_name = "tfrecord";
  source.parent = 1;
  source.segment = 1;
  stats.stages = {prefetch, map, source};
  return stats;
}

TEST_CASE("verdict: calls at once share their time, and waiting ones are not bound by the processors") {
  IteratorStats stats = by_hand();
  stats.stages[1].call_time = {3800 * kMillisecond, 100, 2};
  stats.stages[2].busy = {100 * kMillisecond, 100, 100};
  const Verdict waiting = verdict(stats);
  CHECK(waiting.bound == Verdict::Bound::stage);
  CHECK(waiting.stage == 1);
  CHECK(waiting.waits);
  CHECK(waiting.busy == 0.95);
  // The source and the consumer take 100 ms each, on threads of their own.
  CHECK(waiting.gain == 10);

  // Computing, two of them fill both processors.
  stats.stages[1].call_time = {1800 * kMillisecond, 100, 100};
  const Verdict computing = verdict(stats);
  CHECK(computing.bound == Verdict::Bound::processors);
  CHECK(computing.stage == 1);
  CHECK(computing.busy == 0.95);
}

TEST_CASE("verdict: a source that reads for others") {
  IteratorStats stats = by_hand();
  StageSnapshot reader;
  reader.operator_name = "tfrecord_reader";
  reader.parent = 2;
  reader.internal = true;
  reader.segment = 2;
  reader.busy = {950 * kMillisecond, 100, 5};
  stats.stages.push_back(reader);
  stats.stages[2].most_windows = 1;
  const Verdict found = verdict(stats);
  CHECK(found.bound == Verdict::Bound::stage);
  CHECK(found.stage == 2);
  CHECK(found.waits);
}

TEST_CASE("iterator stats: the difference of two looks") {
  IteratorStats before = by_hand();
  IteratorStats after = by_hand();
  after.elapsed_ns += 500 * kMillisecond;
  after.stages[0].elements += 7;
  after.stages[1].calls += 3;
  after.stages[0].window.rows = 5;
  const IteratorStats between = difference(before, after);
  CHECK(between.elapsed_ns == 500 * kMillisecond);
  CHECK(between.waited_ns == 0);
  CHECK(between.stages[0].elements == 7);
  CHECK(between.stages[1].calls == 3);
  CHECK(between.stages[0].window.rows == 5);
}

TEST_CASE("iterator stats: paths that occur twice get a number") {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, "range(2) | flat_map(x -> range(x))");
  all_lines(*iterator);
  CHECK(paths_of(iterator->stats().stages) ==
        std::vector<std::string>{"flat_map", "flat_map/range", "flat_map/range#2"});
}

TEST_CASE("iterator stats: the table indents inputs") {
  IteratorStats stats = by_hand();
  stats.stages[1].call_time = {3800 * kMillisecond, 100, 2};
  const std::string table = stats_table(stats);
  INFO(table);
  CHECK(table.find("stage         elements  failed  bytes   busy    cpu  empty   full  window  calls\n") ==
        0);
  CHECK(table.find("\n  map               50 ") != std::string::npos);
  CHECK(table.find("\n    tfrecord ") != std::string::npos);
  CHECK(table.find("50 elements in 1.000 s, 50.00 per second; next waited 90 %, the consumer took 10 %\n") !=
        std::string::npos);
}

TEST_CASE("iterator stats: Prometheus' format") {
  IteratorStats stats = by_hand();
  const std::string text = stats_prometheus(stats, "a \"quoted\"\nname\\");
  CHECK(text.find("# TYPE weir_elements_total counter\n"
                  "weir_elements_total{iterator=\"a \\\"quoted\\\"\\nname\\\\\",stage=\"prefetch\"} 50\n") !=
        std::string::npos);
  // Every line is a comment or a sample, each family comes once, each sample once.
  const std::regex line(
      R"re((# (HELP|TYPE) [a-z_]+ .+|[a-z_]+\{[a-z]+="([^"\\\n]|\\.)*"(,[a-z]+="([^"\\\n]|\\.)*")*\} [0-9.]+))re");
  std::vector<std::string> seen;
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string one = text.substr(begin, end - begin);
    INFO(one);
    CHECK(std::regex_match(one, line));
    seen.push_back(one.substr(0, one.rfind(' ')));
  }
  CHECK(begin == text.size());
  std::sort(seen.begin(), seen.end());
  CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

}  // namespace
}  // namespace weir
