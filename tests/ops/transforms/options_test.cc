#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries options_contract(
    "options", {{"PROBE | options()"},
                {"PROBE | map(x -> x + 1, num_parallel_calls: 3) | options(deterministic: true) | batch(3)",
                 [](int64_t) { return int64_t{-1}; }, false}});

TEST_CASE("options changes no element") {
  CHECK(run("range(5) | options() | map(x -> x * x)") == Lines{"0", "1", "4", "9", "16"});
  CHECK(
      run("range(5) | options(deterministic: true, autotune: true, threads: auto, memory: auto, warm_start: false)")
          .size() == 5);
  CHECK(cardinality("range(5) | options()") == 5);
}

std::string unreplayable(const std::string& text) {
  ThreadsRuntime runtime;
  return parse_text(*runtime, text)->root()->not_replayable();
}

TEST_CASE("options sets the order of all that leaves it open, before it and after it") {
  const std::string map = "map(x -> x, num_parallel_calls: 2)";
  CHECK(unreplayable("range(5) | " + map).empty());
  CHECK_FALSE(unreplayable("range(5) | " + map + " | options(deterministic: false)").empty());
  CHECK_FALSE(unreplayable("range(5) | options(deterministic: false) | " + map).empty());
  CHECK_FALSE(unreplayable("range(5) | " + map + " | batch(2) | options(deterministic: false)").empty());
  CHECK_FALSE(unreplayable("zip(range(5) | " + map + ", range(5)) | options(deterministic: false)").empty());
  CHECK_FALSE(
      unreplayable(
          "range(5) | interleave(x -> range(x), cycle_length: 2, num_parallel_calls: 2) | options(deterministic: false)")
          .empty());
  // What says so itself keeps its own.
  CHECK(
      unreplayable(
          "range(5) | map(x -> x, num_parallel_calls: 2, deterministic: true) | options(deterministic: false)")
          .empty());
  CHECK_FALSE(
      unreplayable(
          "range(5) | map(x -> x, num_parallel_calls: 2, deterministic: false) | options(deterministic: true)")
          .empty());
  // One call at a time has but one order.
  CHECK(unreplayable("range(5) | map(x -> x) | options(deterministic: false)").empty());
}

TEST_CASE("what options says of running ahead changes no element and fits any position") {
  const std::string text =
      "PROBE | interleave(x -> range(3), cycle_length: 3, num_parallel_calls: auto) | map(x -> x * x, num_parallel_calls: auto) | prefetch(auto)";
  std::string plain = text;
  plain.replace(plain.find("PROBE"), 5, "range(40)");
  const Lines whole = run(plain);
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, plain + " | options()");
  take_lines(*iterator, 50);
  const std::string saved = require_value(iterator->save());
  for (const char* options :
       {"autotune: false", "threads: 1", "memory: 1", "warm_start: true",
        "tuned: \"prefetch rows 3, prefetch/map calls 2, prefetch/map/interleave calls 1\"",
        "autotune: false, threads: 2, memory: 100, warm_start: true, tuned: \"prefetch rows 7\"",
        "tuned: \"alone 1\"", "cache: \"/nowhere\", cache_bytes: 100",
        "autotune: false, threads: 1, memory: 1, tuned: \"prefetch rows 2, alone 1\""}) {
    CAPTURE(options);
    const std::string other = plain + " | options(" + options + ")";
    CHECK(run(other) == whole);
    auto restored = open_text(*runtime, other, &saved);
    CHECK(all_lines(*restored) == Lines(whole.begin() + 50, whole.end()));
  }
}

TEST_CASE("options refuses what it cannot read, and two that differ") {
  for (const char* cache : {"folder", "./folder", "s3://bucket/folder", "~/cache"})
    CHECK(contains(build_error(std::string("range(5) | options(cache: \"") + cache + "\")"), "local folder"));
  CHECK(contains(build_error("range(5) | options(cache_bytes: -1)"), "cache_bytes"));
  CHECK(contains(build_error("range(5) | options(threads: 0)"), "threads"));
  CHECK(contains(build_error("range(5) | options(memory: 0)"), "memory"));
  for (const char* tuned : {"prefetch", "prefetch rows", "prefetch rows x", "prefetch rows 0", "map size 3",
                            "map calls 3;", "alone", "alone 0", "alone 2", "alone 1 1"})
    CHECK(contains(build_error(std::string("range(5) | options(tuned: \"") + tuned + "\")"),
                   "tuned to be a list"));
  CHECK(contains(build_error("range(5) | options(deterministic: true) | options(deterministic: false)"),
                 "deterministic to true and to false"));
}

}  // namespace
}  // namespace weir::test
