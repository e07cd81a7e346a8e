// Texts that are combined keep their meaning: names that collide are changed, and only those.
#include <catch2/catch_test_macros.hpp>

#include "support/pipeline.h"

namespace weir {
namespace {

// The elements of a document, as printed.
std::vector<std::string> lines_of(Runtime& runtime, const DocumentRef& document) {
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {{}, nullptr}));
  return all_lines(*iterator, 3);
}

TEST_CASE("contract: a name that gets another one is told from what hides it", "[contract]") {
  ThreadsRuntime runtime;
  // All of these names are taken, so that the second text's own names get new ones.
  const DocumentRef first = require_value(parse_document(
      *runtime,
      "let a = 1000 let b = 2000 let d = range(a) let x = 3000 let a1 = 4000 let sum = 5000 d | take(b + x + a1 + sum) | repeat()"));
  for (const char* text : {
           "let a = 2 range(5) | map(x -> let a = 100 in x + a)",
           "let a = 2 range(5) | map(x -> (let a = 100 in x + a) + a)",
           "let a = 2 range(5) | map(x -> let a = a + 1 in x + a)",
           "let a = 2 range(5) | map(x -> let b = a in let a = b * 10 in a + b + x)",
           "let a = 2 let b = a + 3 range(b) | map(x -> let a = b in let b = a + 1 in a * 10 + b + x)",
           "let a = 2 range(5) | map(a -> a + 1)",
           "let a = 2 range(5) | map(x -> x + a) | map(a -> a + 1) | map(x -> x * a)",
           "let a = 2 range(5) | map(x -> (x, x + a)) | map((a, b) -> a * 100 + b)",
           "let a = 2 range(5) | map(x -> {a: x, b: a}) | map({a, b} -> a * 10 + b)",
           "let a = 2 range(5) | map(x -> {a, b: x}) | map({a: b, b: a} -> a * 10 + b)",
           "let a = 2 range(5) | map(x -> {q: {a: x}, r: (a, x)}) | map({q: {a}, r: (b, _)} -> a * 10 + b)",
           "let a = 2 range(5) | map(x -> ({a: x + 1}, a)) | map(x -> x.0.a + x.1 + a)",
           "let a = 2 range(a) | flat_map(x -> range(a) | map(a -> a + x) | map(y -> y + a))",
           "let a = 2 range(a + 1) | flat_map(a -> range(a) | map(x -> x + a))",
           "let a = 2 range(5) | map(x -> range(x + 1) | map(a -> a * 2) | reduce(a, (x, a) -> x + a))",
           "let a = 2 range(5) | reduce(a, (a, x) -> a + x)",
           "let a = 2 range(5) | map(x -> if x > a then let a = x in a * 2 else a)",
           // A new name must not be one that something inside the text has.
           "let a = 2 range(5) | map(a1 -> a1 * 10 + a)",
           "let a = 2 range(5) | map(a2 -> a2 * 10 + a)",
           "let a = 2 range(5) | map(x -> let a1 = 7 in let a2 = 8 in a1 + a2 * 10 + a * 100 + x)",
           "let a = 2 range(5) | map(a1 -> (a1, a)) | map((a2, a3) -> a2 * 10 + a3 + a)",
           // Names of functions, of arguments and of keys are no names of values.
           "let sum = 3 range(4) | map(x -> sum([x, sum], axis: 0))",
           "let n = 2 range(8) | batch(n: n) | map(x -> sum(x))",
           "let a = 2 let a = a + 5 let a = a * 2 range(a) | map(x -> x + a)",
           "let d = range(3) let d = d | map(d -> d + 1) zip(d, d | map(d -> d * 2)) | map((d, x) -> d + x)",
           "let x = 2 range(5) | filter(y -> y != x) | map(y -> let y = y + x in y)",
       }) {
    INFO(text);
    const DocumentRef second = require_value(parse_document(*runtime, text));
    const std::vector<std::string> expected = lines_of(*runtime, second);
    REQUIRE(expected.size() > 0);
    const DocumentRef again = require_value(parse_document(*runtime, second->format()));
    CHECK(again->format() == second->format());
    CHECK(lines_of(*runtime, again) == expected);
    if (second->ends_in_terminal()) continue;
    const Handed handed = {{"1", first}, {"2", second}};
    const DocumentRef both =
        require_value(parse_document(*runtime, "zip(@1, @2) | map((p, q) -> q)", handed));
    INFO(both->format());
    CHECK(lines_of(*runtime, both) == expected);
    const DocumentRef printed = require_value(parse_document(*runtime, both->format()));
    CHECK(printed->format() == both->format());
    CHECK(equal(*printed, *both));
    CHECK(lines_of(*runtime, printed) == expected);
  }
}

}  // namespace
}  // namespace weir
