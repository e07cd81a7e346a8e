#include "build.h"

namespace weir {
namespace {

struct Applied : Graph {
  Result<DocumentRef> apply(const char* name, std::vector<DocumentRef> inputs,
                            std::vector<TextArgument> arguments, const Handed& handed = {}) {
    return apply_operator(runtime, name, inputs, arguments, handed);
  }
};

TEST_CASE("Operators can be applied one by one", "[graph]") {
  Applied graph;
  auto range = graph.apply("range", {}, {{"", "9"}});
  REQUIRE(range.ok());
  auto shuffled = graph.apply("shuffle", {*range}, {{"", "3"}, {"seed", "(1, 2) # a comment"}});
  REQUIRE(shuffled.ok());
  auto mapped = graph.apply("map", {*shuffled}, {{"f", "x -> x + 1"}});
  REQUIRE(mapped.ok());
  CHECK((*mapped)->format() == "range(9) | shuffle(3, seed: (1, 2)) | map(x -> x + 1)");
  CHECK(equal(**mapped, *graph.build((*mapped)->format())));

  auto both = graph.apply("zip", {*mapped, *shuffled}, {});
  REQUIRE(both.ok());
  CHECK((*both)->spec().to_string() == "(int64, int64)");
  CHECK((*both)->root()->inputs()[0]->inputs()[0] == (*both)->root()->inputs()[1]);
  auto joined = graph.apply("concatenate", {*range, *shuffled}, {});
  REQUIRE(joined.ok());
  CHECK((*joined)->cardinality() == 18);
}

TEST_CASE("Arguments can name what was handed in, whatever number it has", "[graph]") {
  Applied graph;
  Handed handed = {{"1", vector_of<int64_t>({4, 5})}};
  auto slices = graph.apply("from_tensor_slices", {}, {{"", "@1"}}, handed);
  REQUIRE(slices.ok());
  auto mapped = graph.apply("map", {*slices}, {{"", "x -> @1 + x"}}, handed);
  REQUIRE(mapped.ok());
  CHECK((*mapped)->format() == "from_tensor_slices([4, 5]) | map(x -> [4, 5] + x)");
}

TEST_CASE("What cannot be applied is refused", "[graph]") {
  Applied graph;
  DocumentRef range = graph.build("range(9)");
  struct Row {
    const char* name;
    bool piped;
    TextArgument argument;
    const char* reason;
  };
  for (const Row& row :
       {Row{"tke", true, {"", "1"}, "did you mean take?"}, Row{"take", false, {"", "1"}, "no input"},
        Row{"take", true, {"", "1) | skip(1"}, "no 1 values"}, Row{"take", true, {"m", "1"}, "m"},
        Row{"take", true, {"", "\"x\""}, "take"}, Row{"take", true, {"", ""}, "take"},
        Row{"range", true, {"", "1"}, "range"}}) {
    auto result =
        graph.apply(row.name, row.piped ? std::vector{range} : std::vector<DocumentRef>{}, {row.argument});
    INFO(row.name << " " << row.argument.text);
    REQUIRE_FALSE(result.ok());
    CHECK(result.status().code() == Code::invalid_argument);
    CHECK(contains(result.status().error().message, row.reason));
  }
}

TEST_CASE("Long chains of applied operators build and print", "[graph]") {
  Applied graph;
  DocumentRef chain = graph.build("range(9)");
  for (int i = 0; i < 200; ++i) {
    auto next = graph.apply("take", {chain}, {{"", "5"}});
    REQUIRE(next.ok());
    chain = *next;
  }
  CHECK(chain->cardinality() == 5);
  CHECK(equal(*chain, *graph.build(chain->format())));
}

}  // namespace
}  // namespace weir
