#include "graph/canonical.h"

#include "build.h"

namespace weir {
namespace {

TEST_CASE("One graph has one text", "[graph]") {
  struct Row {
    const char* text;
    const char* canonical;
  };
  for (const Row& row : {
           Row{"range( 5 )|batch(n:2)", "range(5) | batch(2)"},
           Row{"range(0, 5)", "range(5)"},
           Row{"range(stop: 5, start: 1)", "range(1, 5)"},
           Row{"range(5, step: 2)", "range(5, step: 2)"},
           Row{"range(0, 5, 2, int32)", "range(5, step: 2, dtype: int32)"},
           Row{"range(1, 5, 1, int64)", "range(1, 5)"},
           Row{"range(4) | repeat()", "range(4) | repeat()"},
           Row{"range(4) | repeat(count: -1)", "range(4) | repeat()"},
           Row{"range(4) | repeat(count: 2)", "range(4) | repeat(2)"},
           Row{"range(4) | batch(2, true)", "range(4) | batch(2, drop_remainder: true)"},
           Row{"range(4) | batch(2, false)", "range(4) | batch(2)"},
           Row{"zip((range(1), range(2)))", "zip(range(1), range(2))"},
           Row{"zip((range(1),))", "zip(range(1))"},
           Row{"zip((range(1), range(2)), range(3))", "zip((range(1), range(2)), range(3))"},
           Row{"zip(((range(1), range(2)),))", "zip(((range(1), range(2)),))"},
           Row{"zip({b: range(1), a: range(2)})", "zip({b: range(1), a: range(2)})"},
           Row{"range(3) | flat_map(x -> range(0, x) | take(n: 2))",
               "range(3) | flat_map(x -> range(x) | take(2))"},
           Row{"range(3) | map(x -> sum([x, 1], keepdims: false, axis: 0))",
               "range(3) | map(x -> sum([x, 1], axis: 0))"},
           Row{"range(3) | map(x -> sum([x, 1], none, true))",
               "range(3) | map(x -> sum([x, 1], keepdims: true))"},
           Row{"range(3) | map(x -> clip(high: 2, x: x, low: 1))", "range(3) | map(x -> clip(x, 1, 2))"},
           Row{"range(3) | map(x -> arange(0, x))", "range(3) | map(x -> arange(x))"},
           Row{"range(3) | map(x -> arange(0, x, 2))", "range(3) | map(x -> arange(x, step: 2))"},
           Row{"range(3) | map(x -> zeros([x], float32))", "range(3) | map(x -> zeros([x]))"},
           Row{"range(3) | map(x -> zeros([x], int8))", "range(3) | map(x -> zeros([x], dtype: int8))"},
           // Transformations and functions of one name are not mixed up.
           Row{"range(3) | batch(3, false) | unbatch() | enumerate(start: 0)",
               "range(3) | batch(3) | unbatch() | enumerate()"},
           Row{"param n: int64\nrange($n)", "param n: int64\nrange($n)"},
           Row{"let a = range(0, 3) zip(a, a)", "let a = range(3)\nzip(a, a)"},
           Row{"let a = range(3) let a = a | take(2) zip(a, a)",
               "let a = range(3)\nlet a1 = a | take(2)\nzip(a1, a1)"},
       }) {
    Graph graph;
    DocumentRef document = graph.build(row.text);
    CHECK(document->format() == row.canonical);
    DocumentRef again = graph.build(document->format());
    CHECK(again->format() == row.canonical);
    CHECK(equal(*document, *again));
  }
}

TEST_CASE("Datasets handed in are written out, shared ones under a name", "[graph]") {
  Graph graph;
  DocumentRef base = graph.build("range(9) | shuffle(3)");
  Handed handed = {{"1", base}};
  CHECK(graph.build("@1 | take(2)", handed)->format() == "range(9) | shuffle(3) | take(2)");
  CHECK(graph.build("zip(@1, @1)", handed)->format() == "let d1 = range(9) | shuffle(3)\nzip(d1, d1)");

  // Shared further down.
  Handed two = {{"1", graph.build("@1 | take(2)", handed)}, {"2", graph.build("@1 | skip(2)", handed)}};
  CHECK(graph.build("zip(@1, @2)", two)->format() ==
        "let d1 = range(9) | shuffle(3)\nzip(d1 | take(2), d1 | skip(2))");
}

TEST_CASE("A dataset handed to a lambda has a name if its openings differ", "[graph]") {
  Graph graph;
  const Handed handed = {{"plain", graph.build("range(4) | take(2)")},
                         {"shuffled", graph.build("range(4) | shuffle(4, seed: 1)")},
                         {"drawn", graph.build("range(4) | map(x -> random_bool(seed: 1))")}};
  CHECK(graph.build("range(3) | flat_map(x -> @plain)", handed)->format() ==
        "range(3) | flat_map(x -> range(4) | take(2))");
  CHECK(graph.build("range(3) | flat_map(x -> zip(@drawn, @shuffled | map(y -> x + y)))", handed)->format() ==
        "let d1 = range(4) | map(x -> random_bool(seed: 1))\n"
        "let d2 = range(4) | shuffle(4, seed: 1)\n"
        "range(3) | flat_map(x -> zip(d1, d2 | map(y -> x + y)))");
  CHECK(graph.build("zip(@drawn, @shuffled)", handed)->format() ==
        "zip(range(4) | map(x -> random_bool(seed: 1)), range(4) | shuffle(4, seed: 1))");
}

TEST_CASE("Names of texts that are put together do not mix", "[graph]") {
  Graph graph;
  Handed handed = {{"1", graph.build("let a = 3 range(a) | map(x -> x + a)")},
                   {"2", graph.build("let a = 4 range(a) | map(a -> a + 1) | map(x -> x + a)")}};
  DocumentRef document = graph.build("zip(@1, @2)", handed);
  CHECK(
      document->format() ==
      "let a = 3\nlet a1 = 4\nzip(range(a) | map(x -> x + a), range(a1) | map(a -> a + 1) | map(x -> x + a1))");
  CHECK(document->cardinality() == 3);
  CHECK(graph.build(document->format())->format() == document->format());

  Handed params = {{"1", graph.build("param n: int64 range($n)")},
                   {"2", graph.build("param n: int64 range($n + 1)")}};
  CHECK(graph.build("zip(@1, @2)", params)->format() == "param n: int64\nzip(range($n), range($n + 1))");
}

TEST_CASE("What an inner let or a pattern binds keeps its name when an outer one gets another", "[graph]") {
  Graph graph;
  const Handed handed = {
      {"1", graph.build("let a = 1 range(a)")},
      {"2",
       graph.build("let a = 2 range(a) | map(x -> let a = 100 in x + a) | map(x -> let a = a + 1 in x * a)")},
      {"3",
       graph.build("let a = 3 range(a) | map(x -> {a, b: x}) | map({a, b} -> a + b) | map((x) -> x + a)")}};
  CHECK(
      graph.build("zip(@1, @2)", handed)->format() ==
      "let a = 1\nlet a1 = 2\nzip(range(a), range(a1) | map(x -> let a = 100 in x + a) | map(x -> let a = a1 + 1 in x * a))");
  CHECK(
      graph.build("zip(@1, @3)", handed)->format() ==
      "let a = 1\nlet a1 = 3\nzip(range(a), range(a1) | map(x -> {a: a1, b: x}) | map({a, b} -> a + b) | map(x -> x + a1))");
}

TEST_CASE("Small tensors print as literals, large ones stay outside", "[graph]") {
  Graph graph;
  auto printed = [&](HandedValue value) {
    return graph.build("from_tensors(@v)", Handed{{"v", std::move(value)}})->format();
  };
  CHECK(printed(vector_of<int64_t>({1, -2})) == "from_tensors([1, -2])");
  CHECK(printed(vector_of<uint8_t>({1, 255})) == "from_tensors(uint8([1, 255]))");
  CHECK(printed(vector_of<float>({0.1F, -1e20F})) == "from_tensors([0.1, -1e+20])");
  CHECK(printed(vector_of<double>({0.1})) == "from_tensors(float64([0.1]))");
  CHECK(printed(vector_of<bool>({true})) == "from_tensors([true])");
  CHECK(printed(vector_of<int32_t>({})) == "from_tensors(zeros([0], dtype: int32))");
  CHECK(printed(vector_of<int64_t>(std::vector<int64_t>(1000, 1))).size() > 2000);
  CHECK(printed(vector_of<int64_t>(std::vector<int64_t>(1001, 1))) == "from_tensors(@v)");
  HandedValue text{Spec::tensor(DType::string), {Tensor::string("a\n")}};
  CHECK(printed(text) == "from_tensors(\"a\\n\")");

  Handed numbered = {{"7", vector_of<int64_t>(std::vector<int64_t>(2000, 1))}};
  CHECK(graph.build("from_tensors(@7)", numbered)->format() == "from_tensors(@1)");
}

TEST_CASE("Digests name the operator and parameter that differ", "[graph]") {
  struct Row {
    const char* here;
    const char* there;
    const char* text;
  };
  for (const Row& row : {
           Row{"range(5) | batch(2)", "range(0, 5) | batch(n: 2)", ""},
           Row{"range(1, stop: 5)", "range(1, 5)", ""},
           Row{"range(5) | batch(2)", "range(5) | batch(3)", "operator 2, batch: parameter n differs"},
           Row{"range(5) | batch(2)", "range(6) | batch(2)", "operator 1, range: parameter stop differs"},
           Row{"range(5) | take(2)", "range(5) | skip(2)", "operator 2 is take here and skip there"},
           Row{"range(5) | repeat(2)", "range(5) | repeat()",
               "operator 2, repeat: parameter count is given in one of the two only"},
           Row{"range(5) | take(2)", "range(5)", "operator 2, take, is here only"},
           Row{"range(5)", "range(5) | map(x -> x)", "operator 2, map, is there only"},
           Row{"range(5) | map(x -> x + 1)", "range(5) | map(x -> x + 2)",
               "operator 2, map: parameter f differs"},
           Row{"zip(range(1), range(2))", "zip(range(1), range(3))",
               "operator 2, range: parameter stop differs"},
       }) {
    Graph graph;
    GraphDigest here = graph.build(row.here)->digest();
    GraphDigest there = graph.build(row.there)->digest();
    if (!std::string_view(row.text).empty()) CHECK(difference(here, there) == row.text);
    CHECK((here == there) == (std::string(row.text).empty()));
    CHECK((graph.build(row.here)->fingerprint() == graph.build(row.there)->fingerprint()) == (here == there));
  }
}

TEST_CASE("A large tensor counts in the fingerprint by its ends", "[graph]") {
  Graph graph;
  auto fingerprint = [&](size_t changed) {
    std::vector<int64_t> entries(300000, 7);
    if (changed < entries.size()) entries[changed] = 8;
    return graph.build("from_tensor_slices(@v)", Handed{{"v", vector_of(entries)}})->fingerprint();
  };
  Fingerprint plain = fingerprint(SIZE_MAX);
  CHECK_FALSE(fingerprint(0) == plain);
  CHECK_FALSE(fingerprint(299999) == plain);
  CHECK(fingerprint(150000) == plain);
  CHECK(plain.to_string().size() == 32);
}

TEST_CASE("Digests are written and read back", "[graph]") {
  Graph graph;
  GraphDigest digest = graph.build("range(5) | batch(2)")->digest();
  Archive out;
  digest.state(out);
  std::string bytes = out.take();
  Archive in(bytes);
  GraphDigest read;
  read.state(in);
  in.finish();
  REQUIRE(in.status().ok());
  CHECK(read == digest);
  for (size_t size = 0; size < bytes.size(); ++size) {
    Archive cut(std::string_view(bytes).substr(0, size));
    GraphDigest ignored;
    ignored.state(cut);
    cut.finish();
    REQUIRE_FALSE(cut.status().ok());
  }
}

TEST_CASE("Graphs that differ in their lets only are told so", "[graph]") {
  Graph graph;
  DocumentRef here = graph.build("let a = range(3) a");
  DocumentRef there = graph.build("range(3)");
  REQUIRE_FALSE(here->fingerprint() == there->fingerprint());
  CHECK(contains(difference(here->digest(), there->digest()), "the names or lets are written differently"));
  DocumentRef used = graph.build("let f = x -> x + 2 let unused = 7 let n = 3 range(n) | map(f)");
  DocumentRef plain = graph.build("let m = 3 range(m) | map(y -> y + 2)");
  CHECK(used->positional_fingerprint() == plain->positional_fingerprint());
}

}  // namespace
}  // namespace weir
