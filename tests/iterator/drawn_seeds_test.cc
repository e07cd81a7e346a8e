// Seeds that the text leaves open: what was drawn when the dataset was built is part of it.
#include <catch2/catch_test_macros.hpp>

#include "core/text.h"
#include "support/pipeline.h"
#include "support/test_data.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

OpenIterator open_drawn(Runtime& runtime, const DocumentRef& document,
                        const std::string* checkpoint = nullptr) {
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {{}, checkpoint}));
  return iterator;
}

const std::string kDrawing[] = {
    "range(20) | shuffle(20) | repeat(2)",
    "range(20) | global_shuffle()",
    "range(9) | map(x -> (x, random_uniform([]), random_uniform([], seed: (0, 0))))",
    "sample_from_datasets([range(9), range(10, 19)]) | shuffle_and_repeat(4, 2)",
    "range(9) | flat_map(x -> range(9) | shuffle(9))",
    "range(99) | rejection_resample(x -> x % 2, [0.9, 0.1])",
    std::string("zip(random() | take(9), list_files(\"") + test_data("records/*") + "\") | repeat())",
    "let d = range(9) | shuffle(9) zip(d, d)"};

TEST_CASE("drawn seeds: a graph that is read again has the order of the one that was written") {
  ThreadsRuntime runtime;
  for (const std::string& text : kDrawing) {
    INFO(text);
    const DocumentRef document = parse_text(*runtime, text);
    const DocumentRef read =
        require_value(deserialize_document(*runtime, require_value(document->serialize())));
    const Lines lines = all_lines(*open_drawn(*runtime, document));
    CHECK(all_lines(*open_drawn(*runtime, read)) == lines);
    CHECK(all_lines(*open_drawn(*runtime, parse_text(*runtime, text))) != lines);
  }
}

TEST_CASE("drawn seeds: positions fit the graph that is read again, and any other of that text") {
  ThreadsRuntime runtime;
  for (const std::string& text : kDrawing) {
    INFO(text);
    const DocumentRef document = parse_text(*runtime, text);
    const DocumentRef read =
        require_value(deserialize_document(*runtime, require_value(document->serialize())));
    OpenIterator iterator = open_drawn(*runtime, document);
    take_lines(*iterator, 4);
    const std::string saved = require_value(iterator->save());
    const Lines rest = all_lines(*iterator);
    CHECK(all_lines(*open_drawn(*runtime, read, &saved)) == rest);
    CHECK(all_lines(*open_drawn(*runtime, parse_text(*runtime, text), &saved)) == rest);
  }
}

// `R` draws with a seed of its own.
const std::string kCachedInFunctions[] = {
    "range(6) | map(i -> range(2) | map(x -> R) | cache() | reduce(0, (s, y) -> s + y))",
    "range(6) | map(i -> range(2) | map(x -> R) | cache() | reduce(0, (s, y) -> s + y), num_parallel_calls: 2)",
    "range(9) | window(2) | map(w -> w | concatenate(range(2) | map(x -> R) | cache()) | reduce(0, (s, y) -> s + y))",
    "range(6) | map(i -> range(3) | map(x -> i + R) | cache() | repeat(2) | batch(6) | get_single_element())",
    "range(6) | map(i -> range(3) | map(x -> R) | cache())",
    "range(6) | flat_map(i -> range(2) | map(x -> R) | cache())"};

TEST_CASE("a cache in a function keeps the same draws in every build of a text") {
  ThreadsRuntime runtime;
  for (const std::string& cached : kCachedInFunctions) {
    for (const bool seeded : {true, false}) {
      std::string text = cached;
      text.replace(text.find("R)"), 1,
                   concat("random_uniform([], max: 1000, dtype: int64", seeded ? ", seed: 48)" : ")"));
      INFO(text);
      const DocumentRef document = parse_text(*runtime, text);
      const DocumentRef read =
          require_value(deserialize_document(*runtime, require_value(document->serialize())));
      const Lines lines = all_lines(*open_drawn(*runtime, document));
      CHECK(all_lines(*open_drawn(*runtime, read)) == lines);
      const DocumentRef other = parse_text(*runtime, text);
      if (seeded) CHECK(all_lines(*open_drawn(*runtime, other)) == lines);
      OpenIterator iterator = open_drawn(*runtime, document);
      take_lines(*iterator, 2);
      const std::string saved = require_value(iterator->save());
      const Lines rest(lines.begin() + 2, lines.end());
      CHECK(all_lines(*iterator) == rest);
      CHECK(all_lines(*open_drawn(*runtime, read, &saved)) == rest);
      CHECK(all_lines(*open_drawn(*runtime, other, &saved)) == rest);
    }
  }
}

TEST_CASE("drawn seeds: an iterator at a position keeps what that says, when it begins again, too") {
  ThreadsRuntime runtime;
  for (const std::string& text : kDrawing) {
    INFO(text);
    OpenIterator first = open_drawn(*runtime, parse_text(*runtime, text));
    take_lines(*first, 4);
    const std::string saved = require_value(first->save());
    OpenIterator second = open_drawn(*runtime, parse_text(*runtime, text), &saved);
    require_ok(first->initialize(nullptr, {{}}));
    require_ok(second->initialize(nullptr, {{}}));
    CHECK(all_lines(*second) == all_lines(*first));
  }
}

}  // namespace
}  // namespace weir
