#include "build.h"

namespace weir {
namespace {

Result<EnvRef> bind_text(const Document& document, std::vector<std::pair<std::string, std::string>> given) {
  std::vector<ParamValue> values;
  for (auto& [name, text] : given) values.push_back({name, text});
  return bind_params_env(document, values);
}

TEST_CASE("Parameters are read from literals of their spec", "[graph]") {
  struct Row {
    const char* spec;
    const char* text;
    bool fits;
  };
  for (const Row& row : {
           Row{"int64", "5", true},
           Row{"int64", "-5", true},
           Row{"int64", "1.5", false},
           Row{"int64", "[1]", false},
           Row{"uint8", "255", true},
           Row{"uint8", "256", false},
           Row{"float32", "1", true},
           Row{"float64", "0.1", true},
           Row{"bool", "true", true},
           Row{"bool", "1", false},
           Row{"string", "\"a b\"", true},
           Row{"string", "word", true},
           Row{"string", "a/b-*.tfrecord", true},
           Row{"string", "it's so", true},
           Row{"string", "", true},
           Row{"string", "true", true},
           Row{"string", "nan", true},
           Row{"string", "5", false},
           Row{"string", "-1.5", false},
           Row{"string", "[a]", false},
           Row{"string", "\"a", false},
           Row{"string", " \"a\" b", false},
           Row{"string[1]", "[a]", true},
           Row{"float32", "nan", true},
           Row{"float32", "-inf", true},
           Row{"int64", "1 + 2", false},
           Row{"int64", "-(3)", true},
           Row{"int64[2]", "[1, 2]", true},
           Row{"int64[2]", "[1, 2, 3]", false},
           Row{"int64[?]", "[1, 2, 3]", true},
           Row{"(int64, string)", "(1, \"a\")", true},
           Row{"(int64, string)", "(1,)", false},
           Row{"{a: int64, b: float32[2]}", "{b: [1, 2], a: 3}", true},
           Row{"{a: int64}", "{c: 3}", false},
           Row{"int64", "", false},
           Row{"int64", "(", false},
       }) {
    Graph graph;
    DocumentRef document = graph.build(std::string("param v: ") + row.spec + "\nrange(3)");
    auto env = bind_text(*document, {{"v", row.text}});
    INFO(row.spec << " " << row.text);
    REQUIRE(env.ok() == row.fits);
    if (row.fits) {
      CHECK((*env)->values.size() == static_cast<size_t>(document->params()[0].spec.component_count()));
    } else {
      CHECK(contains(env.status().error().message, "$v"));
    }
  }
}

TEST_CASE("The text of a string parameter stands for itself where it has no quotes", "[graph]") {
  Graph graph;
  DocumentRef document = graph.build("param s: string from_tensors($s)");
  for (auto [text, value] : {std::pair{"word", "word"},
                             {"a/b.txt", "a/b.txt"},
                             {"\"a/b\\n\"", "a/b\n"},
                             {" two words ", " two words "},
                             {"true", "true"},
                             {"x + 1", "x + 1"}}) {
    auto env = bind_text(*document, {{"s", text}});
    REQUIRE(env.ok());
    CHECK((*env)->values[0].as<const Str>()->view() == value);
  }
}

TEST_CASE("The Env has the parameters in their declared order, dict keys in that of the spec", "[graph]") {
  Graph graph;
  DocumentRef document = graph.build("param n: int64 param d: {a: int64, b: int64} range($n)");
  auto env = bind_text(*document, {{"d", "{b: 2, a: 1}"}, {"n", "7"}});
  REQUIRE(env.ok());
  std::vector<int64_t> found;
  for (const Tensor& tensor : (*env)->values) found.push_back(*tensor.as<int64_t>());
  CHECK(found == std::vector<int64_t>{7, 1, 2});
}

TEST_CASE("Parameters that are missing, unknown or given twice are named", "[graph]") {
  Graph graph;
  DocumentRef document = graph.build("param count: int64 range($count)");
  CHECK(contains(bind_text(*document, {}).status().error().message,
                 "expected a value for the parameter $count of int64, found none"));
  CHECK(contains(bind_text(*document, {{"cuont", "1"}}).status().error().message, "did you mean $count?"));
  CHECK(contains(bind_text(*document, {{"count", "1"}, {"count", "1"}}).status().error().message,
                 "given twice"));
  DocumentRef two = graph.build("param n: int64 param m: string range($n) | map(x -> $m)");
  CHECK(contains(bind_text(*two, {}).status().error().message,
                 "the parameter $n of int64, for $m of string, found none; give params={"));
  CHECK(contains(bind_text(*two, {{"width", "1"}}).status().error().message,
                 "there is no parameter $width; the dataset declares $n, $m"));
  DocumentRef without = graph.build("range(3)");
  CHECK(contains(bind_text(*without, {{"n", "1"}}).status().error().message, "declares none"));
  auto none = bind_text(*without, {});
  REQUIRE(none.ok());
  CHECK_FALSE(*none);
}

TEST_CASE("Parameters can be given as tensors of their structure", "[graph]") {
  Graph graph;
  DocumentRef document = graph.build("param v: int64[?] range(3) | map(x -> $v)");
  auto bind = [&](HandedValue value) { return bind_params_env(*document, {{"v", std::move(value)}}); };
  CHECK(bind(vector_of<int64_t>({1, 2})).ok());
  CHECK_FALSE(bind(vector_of<int32_t>({1, 2})).ok());
  CHECK_FALSE(bind({Spec::tensor(DType::int64), {Tensor::scalar<int64_t>(1)}}).ok());
  // A spec that does not match the tensors.
  CHECK_FALSE(bind({Spec::tensor(DType::int64, {2}), {Tensor::scalar<int64_t>(1)}}).ok());
}

}  // namespace
}  // namespace weir
