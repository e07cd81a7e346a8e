#include "build.h"

namespace weir {
namespace {

struct Applied : Graph {
  Result<DocumentRef> apply(const char* name, std::vector<DocumentRef> inputs,
                            std::vector<Argument> arguments, const Handed& handed = {}) {
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

Argument call(const char* name, std::vector<Argument> members) {
  return {"", name, Argument::Kind::call, 0, std::move(members)};
}

TEST_CASE("A pipeline is one call, and nothing in it is quoted", "[graph]") {
  using Kind = Argument::Kind;
  Applied graph;
  const Argument value = {
      "",
      "",
      Kind::dict,
      0,
      {{"a b", "q\"\xff\n", Kind::string},
       {"f", "", Kind::tuple, 0, {{"", "", Kind::float32, 0.1F}, {"", "", Kind::float64, 1e30}}},
       {"one", "", Kind::tuple, 0, {{"", "true"}}},
       {"list", "", Kind::list, 0, {{"", "1"}, {"", "-2 # less"}}}}};
  auto values = graph.apply("from_tensors", {}, {value});
  REQUIRE(values.ok());
  CHECK((*values)->format() ==
        "from_tensors({\"a b\": \"q\\\"\\xff\\n\", f: (0.1, 1e+30), one: (true,), list: [1, -2]})");
  const Argument numbers = call(
      "range", {{"", "$n"}, {"$n", " int64 "}, {"@five", "", Kind::handed, 0, {}, vector_of<int64_t>({5})}});
  const Argument mapped = call("map", {numbers, {"f", "x -> x + @five[0] + $n"}, {"$n", " int64 "}});
  const Argument zipped = {"",
                           "",
                           Kind::dict,
                           0,
                           {{"x", mapped.text, Kind::call, 0, mapped.members},
                            {"y", numbers.text, Kind::call, 0, numbers.members}}};
  auto chain = graph.apply("batch", {}, {call("zip", {zipped}), {"", "4"}, {"drop_remainder", "true"}});
  REQUIRE(chain.ok());
  CHECK(
      (*chain)->format() ==
      "param n: int64\nzip({x: range($n) | map(x -> x + [5][0] + $n), y: range($n)}) | batch(4, drop_remainder: true)");
  auto same = graph.apply("", {*chain}, {});
  REQUIRE(same.ok());
  CHECK(equal(**same, **chain));
}

// A dataset as its first argument makes it the operator, a value the function.
TEST_CASE("A function with the name of an operator takes calls of functions", "[graph]") {
  using Kind = Argument::Kind;
  Applied graph;
  const Argument distinct = call("unique", {call("abs", {{"", "x"}})});
  const Argument function = {"f", "", Kind::joined, 0, {{"", "x -> "}, distinct}};
  auto mapped = graph.apply("map", {}, {call("from_tensors", {{"", "[3, -3]"}}), function});
  REQUIRE(mapped.ok());
  CHECK((*mapped)->format() == "from_tensors([3, -3]) | map(x -> unique(abs(x)))");
  auto applied = graph.apply("unique", {}, {call("unique", {call("range", {{"", "3"}})})});
  REQUIRE(applied.ok());
  CHECK((*applied)->format() == "range(3) | unique() | unique()");
}

TEST_CASE("Calls in calls are refused with what is wrong", "[graph]") {
  using Kind = Argument::Kind;
  Applied graph;
  const Argument nine = call("range", {{"", "9"}});
  struct Row {
    Argument argument;
    const char* reason;
  };
  for (const Row& row : {
           Row{call("tke", {nine, {"", "1"}}), "did you mean take?"},
           Row{call("take", {{"", "1"}}), "no input"},
           Row{call("", {{"", "1"}}), "expected an operator or an input, found neither"},
           Row{call("", {nine, {"", "1"}}), "expected an operator, found none"},
           Row{call("take", {nine, {"", "1) | skip(1"}}), "take: expected one value, found"},
           Row{call("range", {{"", "1, 2"}}), "range: expected one value, found \"1, 2\""},
           Row{call("range", {{"", "1 # no more"}, {"", " "}}), "range: expected one value"},
           Row{call("range", {{"1, b", "1"}}), "range has no parameter \"1, b\""},
           Row{call("range", {{"$n", "int64 let x = 5"}, {"", "1"}}), "one value each"},
           Row{call("range", {{"$n", "1"}, {"", "1"}}), "line 1"},
           Row{call("range", {{"@a b", "1"}, {"", "1"}}), "expected a name, found \"a b\""},
           Row{call("range", {{"@a", "", Kind::list}, {"", "1"}}), "as @a"},
           Row{call("concatenate", {call("", {nine, {"@a", "1"}}), call("", {nine, {"@a", "2"}})}),
               "found two"},
           Row{call("concatenate", {call("", {nine, {"$a", "bool"}}), call("", {nine, {"$a", "int8"}})}),
               "a second param 'a'"},
           Row{call("map", {{"", "", Kind::handed, 0, {}, graph.build("range(2)")}, {"", "x -> @1"}}),
               "by its number"},
           Row{call("batch", {nine, {"", "4.5"}}), "range(9) | batch(4.5)"},
       }) {
    auto result = graph.apply("prefetch", {}, {row.argument, {"", "1"}});
    INFO(row.argument.text << " " << row.reason);
    REQUIRE_FALSE(result.ok());
    CHECK(result.status().code() == Code::invalid_argument);
    CHECK_THAT(result.status().error().message, Catch::Contains(row.reason));
  }
}

TEST_CASE("A float is infinite only if it was given so", "[graph]") {
  using Kind = Argument::Kind;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Applied graph;
  auto infinite = graph.apply("from_tensors", {}, {{"", "", Kind::float32, -kInfinite}});
  REQUIRE(infinite.ok());
  CHECK((*infinite)->format() == "from_tensors(-inf)");
  for (const auto& [number, text] : {std::pair{3.5e38, "3.5e+38"}, std::pair{-1e300, "-1e+300"}}) {
    auto result = graph.apply("from_tensors", {}, {{"", "", Kind::float32, number}});
    REQUIRE_FALSE(result.ok());
    CHECK(contains(result.status().error().message,
                   std::string("value: the literal ") + text + " does not fit float32"));
    CHECK(result.status().error().message ==
          graph.apply("from_tensors", {}, {{"", text}}).status().error().message);
  }
}

TEST_CASE("What cannot be applied is refused", "[graph]") {
  Applied graph;
  DocumentRef range = graph.build("range(9)");
  struct Row {
    const char* name;
    bool piped;
    Argument argument;
    const char* reason;
  };
  for (const Row& row :
       {Row{"tke", true, {"", "1"}, "did you mean take?"}, Row{"take", false, {"", "1"}, "no input"},
        Row{"take", true, {"", "1) | skip(1"}, "take: expected one value, found \"1) | skip(1\""},
        Row{"take", true, {"m", "1"}, "m"}, Row{"take", true, {"", "\"x\""}, "take"},
        Row{"take", true, {"", ""}, "take"}, Row{"range", true, {"", "1"}, "range"}}) {
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
