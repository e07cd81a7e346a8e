// With the driver of tests/fake_cuda.
#include "fake_cuda/fake_cuda.h"
#include "iterator/iterator_stats.h"
#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries to_device_contract(
    "to_device", {{"PROBE | to_device(\"cuda:0\")", [](int64_t k) { return k + 4; }},
                  {"PROBE | batch(2) | to_device(\"cuda:1\", depth: 1)", anything, false},
                  {"PROBE | map(x -> (x, x + 1)) | batch(4) | to_device([\"cuda:0\", \"cuda:1\"], depth: 3)",
                   anything, false}});

TEST_CASE("to_device changes no element, error or end") {
  const Lines clean = run("probe(50, errors: \"0,7,49\")");
  for (const char* depth : {"1", "2", "40"}) {
    INFO(depth);
    const std::string last = std::string(" | to_device(\"cuda:0\", depth: ") + depth + ")";
    CHECK(run("probe(50, errors: \"0,7,49\")" + last) == clean);
    CHECK(run("probe(50, errors: \"0,7,49\", pending: 5)" + last, 9) == clean);
  }
  CHECK(run("range(0) | to_device(\"cuda:0\")").empty());
  CHECK(run("range(7) | batch(3) | map(x -> {a: x, b: [x, x], c: float32(x)}) | to_device(\"cuda:0\")") ==
        run("range(7) | batch(3) | map(x -> {a: x, b: [x, x], c: float32(x)})"));
  CHECK(cardinality("range(5) | to_device(\"cuda:0\")") == 5);
  CHECK(fake_cuda_trap() == nullptr);
}

TEST_CASE("a list of devices cuts each element along its first dimension") {
  CHECK(run("range(7) | batch(5) | to_device([\"cuda:0\", \"cuda:1\"])") ==
        Lines{"[0, 1, 2]", "[3, 4]", "[5]", "[6]"});
  CHECK(run("range(1) | batch(5) | to_device([\"cuda:0\", \"cuda:1\"])") == Lines{"[0]", "[]"});
  CHECK(spec("range(8) | batch(4, drop_remainder: true) | to_device([\"cuda:0\", \"cuda:1\"])") ==
        "int64[2]");
  CHECK(spec("range(8) | batch(4) | to_device([\"cuda:0\", \"cuda:1\"])") == "int64[?]");
  CHECK(cardinality("range(8) | batch(4) | to_device([\"cuda:0\", \"cuda:1\", \"cuda:0\"])") == 6);
  CHECK(contains(build_error("range(8) | to_device([\"cuda:0\", \"cuda:1\"])"), "put batch(n) before it"));
}

TEST_CASE("what cannot be on a device is refused when the dataset is built") {
  CHECK(contains(build_error("from_list([\"a\"]) | to_device(\"cuda:0\")"),
                 "expected elements of numbers, which a device has, found strings in string"));
  CHECK(contains(build_error("range(4) | window(2) | to_device(\"cuda:0\")"), "found nested datasets in"));
  CHECK(contains(build_error("range(4) | to_device(\"cuda:0\") | map(x -> x)"),
                 "expected to_device as the last operator, found map after it; put map before it"));
  CHECK(contains(build_error("zip((range(4) | to_device(\"cuda:0\"), range(4)))"), "as the last operator"));
  CHECK(contains(build_error("range(4) | flat_map(x -> range(x) | to_device(\"cuda:0\"))"),
                 "to_device at the end of the document"));
  CHECK(contains(build_error("range(4) | to_device(\"gpu\")"),
                 "expected a device such as \"cuda:0\", found \"gpu\""));
  CHECK(contains(build_error("range(4) | to_device(\"cuda:0\", depth: 0)"),
                 "expected a number from 1 to 1024"));
  CHECK(contains(build_error("range(4) | to_device(3)"), "expected the name of a device"));
}

TEST_CASE("a device that is not there fails the iterator, not an element") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(4) | to_device(\"cuda:5\")");
  Iterator iterator(*runtime, nullptr, document->spec());
  const Status status = iterator.initialize(document, {{}, nullptr});
  CHECK(status.code() == Code::not_found);
  CHECK(contains(status.error().describe(), "to_device: expected the device cuda:5, found 2 devices"));
}

TEST_CASE("what was copied ahead of a save is copied again") {
  const std::string text = "range(30) | shuffle(10, seed: 4) | batch(2)";
  const Lines whole = run(text);
  for (int64_t position : {0, 1, 7, 14, 15}) {
    INFO("saved after " << position);
    CHECK(run_restored(text + " | to_device(\"cuda:0\", depth: 4)", position) ==
          Lines(whole.begin() + position, whole.end()));
  }
  const Lines cut = run(text + " | to_device([\"cuda:0\", \"cuda:1\"])");
  for (int64_t position = 0; position < 8; ++position) {
    CHECK(run_restored(text + " | to_device([\"cuda:0\", \"cuda:1\"])", position) ==
          Lines(cut.begin() + position, cut.end()));
  }
}

// What follows after `count` elements of `before` when `after` goes on there, or the refusal.
Lines continued(const std::string& before, int64_t count, const std::string& after) {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, before);
  take_lines(*iterator, count);
  const std::string saved = require_value(iterator->save());
  const DocumentRef document = parse_text(*runtime, after);
  Iterator restored(*runtime, nullptr, document->spec());
  const Status status = restored.initialize(document, {{}, &saved});
  if (status.ok()) return all_lines(restored);
  CHECK(status.code() == Code::failed_precondition);
  return {status.error().message};
}

TEST_CASE("a position fits as many devices as it was saved with, whatever their names and the depth") {
  const std::vector<std::vector<std::string>> by_count = {
      {"to_device(\"cuda:0\")", "to_device([\"cuda:1\"], depth: 5)",
       "to_device(depth: 1, device: \"cuda:1\")"},
      {"to_device([\"cuda:0\", \"cuda:1\"])", "to_device([\"cuda:1\", \"cuda:1\"], depth: 1)"},
      {"to_device([\"cuda:0\", \"cuda:1\", \"cuda:0\"])"}};
  for (const std::string input :
       {"range(40) | batch(7) | ", "range(60) | batch(7) | shuffle(3, seed: 1) | "}) {
    for (size_t a = 0; a < by_count.size(); ++a) {
      const std::string before = input + by_count[a][0];
      const Lines whole = run(before);
      for (const int64_t count : {0, 1, 2, 3, 5}) {
        for (size_t b = 0; b < by_count.size(); ++b) {
          for (const std::string& other : by_count[b]) {
            INFO(before << " after " << count << ", then " << other);
            const Lines rest = continued(before, count, input + other);
            if (a == b) {
              CHECK(rest == Lines(whole.begin() + count, whole.end()));
            } else {
              REQUIRE(rest.size() == 1);
              CHECK(contains(rest[0], "to_device: parameter device differs"));
            }
          }
        }
      }
    }
  }
  const std::string two = "let a = \"cuda:0\"\nlet d = [a, \"cuda:1\"]\nrange(40) | batch(7) | to_device(d)";
  const std::string same = "let e = \"cuda:1\"\nrange(40) | batch(7) | to_device([e, e], depth: 4)";
  const std::string three =
      "let d = [\"cuda:0\", \"cuda:1\", \"cuda:1\"]\nrange(40) | batch(7) | to_device(d)";
  const Lines whole = run(two);
  CHECK(continued(two, 3, same) == Lines(whole.begin() + 3, whole.end()));
  CHECK(continued(same, 1, two) == Lines(whole.begin() + 1, whole.end()));
  CHECK(contains(continued(two, 1, three)[0], "parameter device differs"));
  const std::string computed =
      "range(40) | batch(7) | to_device(where(true, [\"cuda:0\", \"cuda:1\"], [\"cuda:1\", \"cuda:0\"]))";
  CHECK(continued(computed, 3, computed) == Lines(whole.begin() + 3, whole.end()));
  CHECK(
      contains(continued(computed, 1, "range(40) | batch(7) | to_device(\"cuda:0\")")[0], "device differs"));
}

TEST_CASE("memory that cannot be pinned is the driver's error, in the place of elements") {
  fake_cuda_fail("cuMemHostRegister", 0, 1'000'000, 304);
  const std::string ahead =
      "range(12) | map(x -> full([9000], x)) | batch(4) | map(b -> b[:, 0]) | to_device(\"cuda:0\")";
  for (const std::string& text : {ahead, std::string("range(3) | to_device(\"cuda:0\")")}) {
    ThreadsRuntime runtime;
    auto iterator = open_text(*runtime, text);
    Block block;
    for (int i = 0; i < 3; ++i) {
      REQUIRE(require_value(iterator->next(1, block)) == PullResult::rows);
      REQUIRE(block.errors.size() == 1);
      const Error& error = *block.errors[0].error;
      CHECK(error.code == Code::unavailable);
      CHECK(contains(error.describe(), "expected cuMemHostRegister to succeed on cuda:0, found "));
    }
    CHECK(require_value(iterator->next(1, block)) == PullResult::end);
  }
  fake_cuda_fail("", 0, 0, 0);
  CHECK(run(ahead).size() == 3);
  CHECK(run(ahead)[2] == "[8, 9, 10, 11]");
  CHECK(fake_cuda_trap() == nullptr);
}

TEST_CASE("a driver that fails once when copies begin costs one element at most") {
  for (const char* function : {"cuStreamCreate", "cuCtxPushCurrent", "cuDevicePrimaryCtxGetState"}) {
    for (int after = 0; after < 4; ++after) {
      INFO(function << " fails after " << after);
      ThreadsRuntime runtime;
      const std::string text = "range(9) | to_device(\"cuda:0\")";
      auto iterator = open_text(*runtime, text);
      fake_cuda_fail(function, after, 1, 999);
      Lines lines = take_lines(*iterator, 1);
      const std::string saved = require_value(iterator->save());
      for (const std::string& line : all_lines(*iterator)) lines.push_back(line);
      fake_cuda_fail("", 0, 0, 0);
      REQUIRE(lines.size() == 9);
      CHECK(std::count(lines.begin(), lines.end(), "error: unavailable") <= 1);
      for (size_t i = 0; i < 9; ++i) CHECK((lines[i] == std::to_string(i) || contains(lines[i], "error")));
      CHECK(all_lines(*open_text(*runtime, text, &saved)) == Lines{"1", "2", "3", "4", "5", "6", "7", "8"});
    }
  }
}

TEST_CASE("an element for which the device has no memory is an error, and the next follows") {
  fake_cuda_devices(2, 1 << 20);
  const Lines lines = run(
      "range(4) | map(x -> zeros([where(x == 1, 2000000, 10)], uint8)) | map(x -> {x: x}) | to_device(\"cuda:0\") ");
  fake_cuda_devices(2, size_t{64} << 20);
  REQUIRE(lines.size() == 4);
  CHECK(lines[1] == "error: resource_exhausted");
  CHECK(lines[0] == lines[2]);
}

TEST_CASE("a failed element is an error in the turn of each device") {
  const std::string text =
      "range(6) | map(x -> assert(x != 2, \"bad\", x)) | batch(2) | to_device([\"cuda:0\", \"cuda:1\"])";
  const std::string error = "error: invalid_argument";
  const Lines lines = run(text);
  CHECK(std::count(lines.begin(), lines.end(), error) == 2);
  CHECK(lines.size() % 2 == 0);
  const auto first = std::find(lines.begin(), lines.end(), error);
  CHECK((first - lines.begin()) % 2 == 0);
  for (size_t at = 0; at <= lines.size(); ++at)
    CHECK(run_restored(text, static_cast<int64_t>(at)) ==
          Lines(lines.begin() + static_cast<ptrdiff_t>(at), lines.end()));
}

TEST_CASE("copies are counted") {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, "range(64) | batch(8) | to_device(\"cuda:0\")");
  all_lines(*iterator);
  const std::string json = stats_json(iterator->stats());
  CHECK(contains(json, "\"copies\": {\"count\": 8, \"bytes\": 512,"));
  CHECK(contains(stats_table(iterator->stats()), "copies to devices: 8 of"));
}

TEST_CASE("to_device makes no more ahead than it was told") {
  CHECK(demand("probe(500) | to_device(\"cuda:0\", depth: 3)", 1) <= 1 + 4);
}

}  // namespace
}  // namespace weir::test
