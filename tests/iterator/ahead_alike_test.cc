// Which pipelines that open datasets from values go on with other numbers and options than a position was
// saved with.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/pipeline.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

std::string with(std::string text, const std::string& part) {
  const size_t at = text.find("PART");
  REQUIRE(at != std::string::npos);
  return text.replace(at, 4, part);
}

// Each way round: what differs, for PART.
const std::pair<std::string, std::string> kParts[] = {
    {"prefetch(2)", "prefetch(3)"},
    {"prefetch(0)", "prefetch(2)"},
    {"map(x -> x, num_parallel_calls: 1)", "map(x -> x, num_parallel_calls: 3)"},
    {"options(threads: 1)", "options(threads: 2, autotune: false)"},
    {"options(rewrites: true)", "options(rewrites: false, warm_start: true)"},
};

// No dataset that is a value opens a shuffle, a cache or the like.
const std::string kFits[] = {
    "range(23) | window(4, shift: 3) | PART | flat_map(w -> w)",
    "range(23) | PART | window(4, shift: 3) | flat_map(w -> w | batch(3))",
    "range(23) | shuffle(7, seed: 3) | window(4) | PART | interleave(w -> w, cycle_length: 2) | batch(3)",
    "range(23) | shuffle(7, seed: 3) | window(4) | flat_map(w -> w) | PART | shuffle(5, seed: 1)",
    "zip(range(23) | shuffle(7, seed: 3), range(23)) | window(4) | PART | flat_map((a, b) -> zip(a, b))",
    "range(7) | map(x -> range(x)) | PART | flat_map(w -> w | repeat(2))",
    "range(23) | cache() | window(4) | PART | flat_map(w -> w) | batch(2)",
};

TEST_CASE("values that open nothing that is counted fit whatever runs ahead") {
  ThreadsRuntime runtime;
  for (const std::string& text : kFits) {
    for (const auto& [one, two] : kParts) {
      for (const auto& [before, after] : {std::pair(one, two), std::pair(two, one)}) {
        INFO(with(text, before) << " and then " << after);
        const Lines whole = all_lines(*runtime, with(text, before));
        auto iterator = open_text(*runtime, with(text, before));
        for (size_t position = 0; position <= whole.size(); ++position) {
          const std::string saved = require_value(iterator->save());
          const Lines rest = all_lines(*open_text(*runtime, with(text, after), &saved));
          CHECK(rest == Lines(whole.begin() + static_cast<ptrdiff_t>(position), whole.end()));
          take_lines(*iterator, 1);
        }
      }
    }
  }
}

std::string refusal_of(Runtime& runtime, const std::string& before, const std::string& after) {
  auto iterator = open_text(runtime, before);
  take_lines(*iterator, 1);
  const std::string saved = require_value(iterator->save());
  const DocumentRef document = parse_text(runtime, after);
  Iterator restored(runtime, nullptr, document->spec());
  const Status status = restored.initialize(document, {{}, &saved});
  return status.ok() ? "" : status.error().message;
}

TEST_CASE("values that may open a shuffle fit only what is written alike, and the refusal says so") {
  ThreadsRuntime runtime;
  const std::string refused = "it opens datasets that come as values";
  for (const std::string text :
       {"range(5) | map(x -> range(6) | shuffle(6, seed: 3)) | PART | flat_map(w -> w)",
        "let s = range(6) | shuffle(6, seed: 3)\nrange(5) | map(x -> s) | PART | flat_map(w -> w)",
        "range(5) | map(x -> range(6) | cache()) | PART | flat_map(w -> w | repeat(2))"}) {
    INFO(text);
    const std::string before = "prefetch(2) | options(rewrites: true)";
    CHECK(refusal_of(*runtime, with(text, before), with(text, before)).empty());
    for (const std::string other :
         {"prefetch(3) | options(rewrites: true)", "prefetch(2) | options(rewrites: false)"}) {
      const std::string message = refusal_of(*runtime, with(text, before), with(text, other));
      CHECK(message.find(refused) != std::string::npos);
    }
  }
}

TEST_CASE("values fit other weights unless they may open a shuffle") {
  ThreadsRuntime runtime;
  const std::string mixed = "mix_datasets([range(40), range(100, 140)], PART) | window(4)";
  const std::string plain = mixed + " | flat_map(w -> w)";
  CHECK(refusal_of(*runtime, with(plain, "[0.5, 0.5]"), with(plain, "[0.2, 0.8]")).empty());
  const std::string shuffled = mixed + " | map(w -> w | shuffle(3, seed: 2)) | flat_map(w -> w)";
  CHECK(refusal_of(*runtime, with(shuffled, "[0.5, 0.5]"), with(shuffled, "[0.2, 0.8]")).find("weights") !=
        std::string::npos);
}

}  // namespace
}  // namespace weir
