#include "graph/document.h"

#include "build.h"

namespace weir {
namespace {

TEST_CASE("Structure and cardinality follow from the text", "[graph]") {
  struct Row {
    const char* text;
    const char* spec;
    int64_t cardinality;
  };
  for (const Row& row : {
           Row{"range(5)", "int64", 5},
           Row{"range(2, 9, 3)", "int64", 3},
           Row{"range(5, step: 2)", "int64", 3},
           Row{"range(3, dtype: float32)", "float32", 3},
           Row{"empty({a: int64, b: string[?]})", "{a: int64, b: string[?]}", 0},
           Row{"from_tensors((1, [1.0, 2.0]))", "(int64, float32[2])", 1},
           Row{"from_tensor_slices({x: [[1, 2], [3, 4]]})", "{x: int64[2]}", 2},
           Row{"range(10) | batch(3)", "int64[?]", 4},
           Row{"range(10) | batch(3, drop_remainder: true)", "int64[3]", 3},
           Row{"range(4) | repeat()", "int64", kInfinite},
           Row{"range(4) | repeat(2) | skip(3)", "int64", 5},
           Row{"range(4) | enumerate()", "(int64, int64)", 4},
           Row{"range(3) | concatenate(range(2))", "int64", 5},
           Row{"zip(range(3), range(2))", "(int64, int64)", 2},
           Row{"zip(range(3))", "(int64,)", 3},
           Row{"zip({x: range(3), y: (range(2), range(4))})", "{x: int64, y: (int64, int64)}", 2},
           Row{"range(3) | map(x -> (x, x))", "(int64, int64)", 3},
           Row{"range(3) | map(x -> {a: x, b: x > 1})", "{a: int64, b: bool}", 3},
           Row{"range(3) | filter(x -> x > 1)", "int64", kUnknown},
           Row{"range(3) | flat_map(x -> range(x))", "int64", kUnknown},
           Row{"range(3) | interleave(x -> range(x) | map(y -> (x, y)), cycle_length: 2)", "(int64, int64)",
               kUnknown},
           Row{"range(4) | reduce(0, (s, x) -> s + x)", "int64", 1},
           Row{"range(4) | reduce({a: 0, b: 1.0}, ({a, b}, x) -> {b: b, a: a + x})", "{a: int64, b: float32}",
               1},
           Row{"range(4) | reduce([0], (s, x) -> s)", "int64[1]", 1},
           Row{"range(3) | map(x -> range(x) | reduce(0, (s, y) -> s + y))", "int64", 3},
           Row{"range(3) | map(x -> range(x))", "dataset<int64>", 3},
           Row{"let a = range(3) zip(a, a)", "(int64, int64)", 3},
           Row{"let n = 4 range(n) | map(x -> x + n)", "int64", 4},
           Row{"param n: int64 range($n)", "int64", kUnknown},
           Row{"param v: float32[3] range(2) | map(x -> $v)", "float32[3]", 2},
           Row{"let a = range(3) range(2) | flat_map(x -> a | map(y -> x + y))", "int64", kUnknown},
           Row{"range(10) | shuffle(3, seed: (1, 2)) | prefetch(auto)", "int64", 10},
       }) {
    Graph graph;
    DocumentRef document = graph.build(row.text);
    INFO(row.text);
    CHECK(document->spec().to_string() == row.spec);
    CHECK(document->cardinality() == row.cardinality);
  }
}

TEST_CASE("What does not build says where and why", "[graph]") {
  struct Row {
    const char* text;
    const char* place;
    const char* reason;
  };
  for (const Row& row : {
           Row{"rnge(5)", "line 1, column 1", "did you mean range?"},
           Row{"range(5) | mpa(x -> x)", "line 1, column 12", "did you mean map?"},
           Row{"range(5)\n  | take()", "line 2, column 5", "take: needs the parameter"},
           Row{"range(5) | batch(2, drop_remaindr: true)", "line 1, column 21",
               "did you mean drop_remainder?"},
           Row{"range(5) | batch(2, n: 3)", "line 1, column 21", "n is given twice"},
           Row{"range(5) | batch(0)", "line 1, column 18", "batch: n: expected at least 1, found 0"},
           Row{"range(5) | batch(1.5)", "line 1, column 18", "batch: n: "},
           Row{"range(5) | batch([2])", "line 1, column 18", "batch: n: expected an integer, found int64[1]"},
           Row{"range(5) | batch(auto)", "line 1, column 18", "found auto"},
           Row{"range(5) | batch(2, 3)", "line 1, column 21", "drop_remainder"},
           Row{"range(1, 2, 3, int64, 5)", "line 1, column 23", "at most 4 arguments"},
           Row{"range(5) | ignore_errors(true, 1)", "line 1, column 32", "at most 1"},
           Row{"range(3) | filter(x -> x)", "line 1, column 24",
               "filter: f: expected a scalar bool, found int64"},
           Row{"range(3) | filter(x -> [x > 1, true])", "line 1, column 24", "found bool[2]"},
           Row{"range(3) | flat_map(x -> x)", "line 1, column 26", "expected a dataset, found int64"},
           Row{"range(3) | map(5)", "line 1, column 16", "expected a lambda or a @callback"},
           Row{"range(3) | reduce(0, (s, x) -> cast(s + x, float32))", "line 1",
               "expected int64, found float32"},
           Row{"range(3) | reduce(0, (s, x) -> (s, x))", "line 1", "keeps its structure"},
           Row{"range(3) | reduce(0, (s, x) -> s) | take(1)", "line 1, column 12", "nothing can follow it"},
           Row{"zip()", "line 1, column 1", "zip: needs the parameter"},
           Row{"zip(range(2), 5)", "line 1, column 15", "expected a dataset, found a number"},
           Row{"1 + 2", "line 1, column 1", "expected a dataset"},
           Row{"range(3) | range(3)", "line 1, column 12", "is a source"},
           Row{"take(3)", "line 1, column 1", "DATASET | take"},
           Row{"range(3) | sqrt()", "line 1, column 12", "is a function"},
           Row{"w | take(1)", "line 1, column 1", "nothing is called w"},
           Row{"let data = range(3) dta | take(1)", "line 1, column 21", "did you mean data?"},
           Row{"range(3) | map(@f)", "line 1, column 16", "nothing was passed as @f"},
           Row{"range(3) | shuffle(2, seed: \"a\")", "line 1, column 29", "shuffle: seed: "},
           Row{"range(3) | concatenate(from_tensors(1.0))", "line 1, column 12", "concatenate"},
           Row{"range(3) | flat_map(x -> range(x) | batch(0))", "line 1, column 43", "at least 1"},
           Row{"range(3) | map(x -> y)", "line 1, column 21", "y"},
           Row{"param n: int64 param n: int64 range($n)", "line 1, column 22", "a second param"},
           Row{"range(3) | map(x -> $m)", "line 1, column 21", "m"},
           Row{"range(0, 5, 0)", "line 1, column 1", "step"},
       }) {
    Graph graph;
    std::string message = graph.refused(row.text);
    INFO(row.text << "\n" << message);
    CHECK(contains(message, row.place));
    CHECK(contains(message, row.reason));
    CHECK(contains(message, "^"));
  }
}

TEST_CASE("Chains are bounded", "[graph]") {
  std::string text = "range(3)";
  for (int i = 0; i < 1000; ++i) text += " | take(1)";
  Graph graph;
  REQUIRE(contains(graph.refused(text), "1000 operators"));
}

TEST_CASE("Every way to give a seed makes the pair that it stands for", "[graph]") {
  struct Row {
    const char* seed;
    uint64_t first;
    uint64_t second;
  };
  for (const Row& row : {Row{"7", 87654321, 7}, Row{"0", 87654321, 0}, Row{"(3, 4)", 3, 4}, Row{"none", 1, 2},
                         Row{"(0, 0)", 1, 2}}) {
    Graph graph;
    DocumentRef document = graph.build(std::string("range(9) | shuffle(3, seed: ") + row.seed + ")");
    auto sites = document->root()->sites().seeds;
    INFO(row.seed);
    REQUIRE(sites.size() == 1);
    CHECK(sites[0]->drawn == SeedSite::Pair(row.first, row.second));
  }
  Graph graph;
  REQUIRE(graph.build("range(9) | shuffle(3)")->root()->sites().seeds[0]->drawn == SeedSite::Pair(1, 2));
}

TEST_CASE("A let names one node, however often it is used", "[graph]") {
  Graph graph;
  DocumentRef document = graph.build("let a = range(3) zip(a, a)");
  REQUIRE(document->root()->inputs()[0] == document->root()->inputs()[1]);
  document = graph.build("zip(range(3), range(3))");
  REQUIRE_FALSE(document->root()->inputs()[0] == document->root()->inputs()[1]);
}

TEST_CASE("Terminals at the end are datasets of one element", "[graph]") {
  Graph graph;
  REQUIRE(graph.build("range(4) | reduce(0, (s, x) -> s + x)")->ends_in_terminal());
  REQUIRE_FALSE(graph.build("range(4)")->ends_in_terminal());
}

TEST_CASE("Values, datasets and their parameters can be handed in", "[graph]") {
  Graph graph;
  Handed handed;
  handed["v"] = vector_of<int64_t>({1, 2, 3});
  handed["1"] = graph.build("param n: int64 range($n) | take(2)");
  DocumentRef document = graph.build("zip(@1, from_tensor_slices(@v), @1)", handed);
  REQUIRE(document->spec().to_string() == "(int64, int64, int64)");
  REQUIRE(document->params().size() == 1);
  REQUIRE(document->root()->inputs()[0] == document->root()->inputs()[2]);
  REQUIRE(contains(graph.refused("range(3) | map(@v)", handed),
                   "expected a lambda or a callback, found @v, which is neither"));

  Handed terminal = {{"1", graph.build("range(3) | reduce(0, (s, x) -> s)")}};
  REQUIRE(contains(graph.refused("@1 | take(1)", terminal), "expected a dataset"));

  Handed two = {{"1", graph.build("param n: int64 range($n)")},
                {"2", graph.build("param n: string tfrecord($n)")}};
  REQUIRE(contains(graph.refused("zip(@1, @2)", two), "disagree about $n"));
}

}  // namespace
}  // namespace weir
