// A `let` of a document is one value, whoever uses it.
#include <catch2/catch_test_macros.hpp>

#include "support/pipeline.h"

namespace weir {
namespace {

TEST_CASE("contract: a let that draws or drains has one value, however often it is used") {
  ThreadsRuntime runtime;
  auto lines = [&](const char* text) { return all_lines(*runtime, text); };
  constexpr const char* kTexts[] = {
      "let n = random_uniform([], 0, 1000000, int64) range(3) | map(x -> n)",
      "let n = random_uniform([], 0, 1000000, int64, seed: 1) range(3) | flat_map(x -> from_tensors(n))",
      "let n = random_uniform([], 0, 1000000, int64) let m = n + 1 from_tensors(n) | concatenate(from_tensors(m - 1))",
      "let n = range(9) | shuffle(9) | reduce(0, (s, x) -> s * 10 + x) range(3) | map(x -> n)",
      "let n = range(9) | shuffle(9) | reduce(0, (s, x) -> s * 10 + x) range(2) | map(x -> range(2) | map(y -> n) | reduce(0, (s, y) -> s + y))",
  };
  for (const char* text : kTexts) {
    INFO(text);
    const std::vector<std::string> all = lines(text);
    REQUIRE(all.size() >= 2);
    for (const std::string& line : all) CHECK(line == all[0]);
  }
  CHECK(lines("let p = (range(4) | reduce(0, (s, x) -> s + x), \"a\") range(p.0) | map(x -> p) | take(1)") ==
        std::vector<std::string>{"(6, \"a\")"});
  // An error is that of each use.
  CHECK(lines("let n = range(3) | reduce(0, (s, x) -> assert(x < 2, \"two\", s)) range(2) | map(x -> n)") ==
        std::vector<std::string>{"error: invalid_argument", "error: invalid_argument"});
}

TEST_CASE("contract: a let that draws comes back with the checkpoint, and sees the $params") {
  ThreadsRuntime runtime;
  const char* text = "let n = random_uniform([], 0, 1000000, int64) range(9) | map(x -> x * n)";
  auto iterator = open_text(*runtime, text);
  take_lines(*iterator, 2);
  const std::string saved = require_value(iterator->save());
  CHECK(take_lines(*open_text(*runtime, text, &saved), 3) == take_lines(*iterator, 3));
  Iterator with(*runtime, nullptr, Spec::tensor(DType::int64));
  DocumentRef document = parse_text(
      *runtime, "param k: int64 let n = range($k) | reduce(0, (s, x) -> s + x) range(1) | map(x -> n)");
  for (const char* k : {"4", "5"}) {
    require_ok(with.initialize(document, {{{"k", std::string(k)}}, nullptr}));
    CHECK(take_lines(with, 1) == std::vector<std::string>{k[0] == '4' ? "6" : "10"});
  }
}

}  // namespace
}  // namespace weir
