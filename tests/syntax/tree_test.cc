#include "syntax/tree.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "syntax/notation.h"

namespace weir::syntax {
namespace {

// The pipeline of a document.
NodePtr pipeline_of(const std::string& text) {
  Result<Tree> tree = parse_document(text, notation());
  INFO(text);
  REQUIRE(tree.ok());
  return tree->root->items.back().value;
}

std::string source_of(const std::string& text, const Node& node) {
  return text.substr(node.span.offset, node.span.size);
}

TEST_CASE("tree: a document holds its statements and its pipeline") {
  Result<Tree> tree = parse_document("param n: int64[?, 3] let d = range($n) d | take(2)", notation());
  REQUIRE(tree.ok());
  const Node& root = *tree->root;
  REQUIRE(root.kind == Kind::document);
  REQUIRE(root.items.size() == 3);
  CHECK(root.child(0).kind == Kind::param);
  CHECK(root.child(0).text == "n");
  CHECK(root.child(0).child(0).dtype == DType::int64);
  CHECK(root.child(0).child(0).shape == Shape({kUnknownDim, 3}));
  CHECK(root.child(1).kind == Kind::let);
  CHECK(root.child(1).child(0).child(0).kind == Kind::parameter);
  CHECK(root.child(2).kind == Kind::pipeline);
  CHECK(root.child(2).child(1).text == "take");
}

TEST_CASE("tree: arguments keep their names and places") {
  const std::string text = "range(3) | map((a, _) -> a + 1, num_parallel_calls: auto)";
  NodePtr pipeline = pipeline_of(text);
  const Node& map = pipeline->child(1);
  REQUIRE(map.kind == Kind::call);
  REQUIRE(map.items.size() == 2);
  CHECK(map.items[0].name.empty());
  CHECK(map.child(0).kind == Kind::lambda);
  CHECK(map.child(0).child(0).kind == Kind::pattern_tuple);
  CHECK(map.child(0).child(0).child(1).kind == Kind::pattern_any);
  CHECK(map.items[1].name == "num_parallel_calls");
  CHECK(text.substr(map.items[1].name_span.offset, map.items[1].name_span.size) == "num_parallel_calls");
  CHECK(map.child(1).kind == Kind::automatic);
  CHECK(source_of(text, map.child(0).child(1)) == "a + 1");
}

TEST_CASE("tree: the grammar of an argument decides what it is") {
  CHECK(pipeline_of("cast(x, float32)")->child(1).kind == Kind::dtype);
  CHECK(pipeline_of("zeros([2], dtype: int32)")->child(1).dtype == DType::int32);
  CHECK(pipeline_of("range(5, int32)")->child(1).kind == Kind::dtype);
  CHECK(pipeline_of("range(5, n)")->child(1).kind == Kind::name);
  CHECK(pipeline_of("range(5, int32(7))")->child(1).kind == Kind::call);
  CHECK(pipeline_of("empty((int64, {a: string}))")->child(0).kind == Kind::spec_tuple);
  CHECK(pipeline_of("from_generator(@g, spec: int64)")->child(1).kind == Kind::spec_tensor);
  CHECK(pipeline_of("f(int64)")->child(0).kind == Kind::name);
  NodePtr columns = pipeline_of("csv(\"f\", [int64, -1, int32(0), \"\"])");
  CHECK(columns->child(1).child(0).kind == Kind::dtype);
  CHECK(columns->child(1).child(1).kind == Kind::unary);
  CHECK(columns->child(1).child(2).kind == Kind::call);
  NodePtr parse =
      pipeline_of("parse_example(r, {a: int64 = -1, \"b/c\": sequence(float32[2], allow_missing: true)})");
  const Node& features = parse->child(1);
  REQUIRE(features.kind == Kind::features);
  CHECK(features.items[0].name == "a");
  CHECK(features.child(0).items.size() == 2);
  CHECK(features.child(0).child(0).kind == Kind::spec_tensor);
  CHECK(features.items[1].name == "b/c");
  CHECK(features.child(1).child(0).kind == Kind::feature_kind);
  CHECK(features.child(1).child(0).items[1].name == "allow_missing");
}

TEST_CASE("tree: slices keep three parts") {
  NodePtr index = pipeline_of("x[1:, ::2, ..., newaxis, i]");
  REQUIRE(index->items.size() == 6);
  CHECK(index->child(1).kind == Kind::slice);
  CHECK(index->child(1).items[0].value != nullptr);
  CHECK(index->child(1).items[1].value == nullptr);
  CHECK(index->child(1).items[2].value == nullptr);
  CHECK(index->child(2).items[0].value == nullptr);
  CHECK(index->child(2).child(2).integer == 2);
  CHECK(index->child(3).kind == Kind::ellipsis);
  CHECK(index->child(4).kind == Kind::newaxis);
  CHECK(index->child(5).kind == Kind::name);
}

TEST_CASE("tree: spans cover what was written, outer parentheses apart") {
  const std::string text = "f((a + b), [1, 2], (a + b) * c)";
  NodePtr call = pipeline_of(text);
  CHECK(source_of(text, *call) == text);
  CHECK(source_of(text, call->child(0)) == "a + b");
  CHECK(source_of(text, call->child(1)) == "[1, 2]");
  CHECK(source_of(text, call->child(2)) == "(a + b) * c");
}

TEST_CASE("tree: errors of later floors show the node") {
  Result<Tree> tree = parse_document("f(1,\n  x + y)", notation());
  REQUIRE(tree.ok());
  Status status = render(error_at(tree->root->child(0).child(1).span, "expected one dtype"), tree->source);
  CHECK(status.code() == Code::invalid_argument);
  CHECK(status.error().message == "line 2, column 3: expected one dtype\n  x + y)\n  ^");
}

TEST_CASE("tree: equality looks at everything but places") {
  auto same = [](const char* a, const char* b) { return equal(*pipeline_of(a), *pipeline_of(b)); };
  CHECK(same("f( 1 , 0x10 )", "f(1, 16)"));
  CHECK(same("f(1.50)", "f(1.5)"));
  CHECK(same("f(\"\\x41\")", "f(\"A\")"));
  CHECK(same("f({\"a\": 1})", "f({a: 1})"));
  CHECK(same("empty(int64[])", "empty(int64)"));
  CHECK_FALSE(same("f(1)", "f(2)"));
  CHECK_FALSE(same("f(1)", "f(1.0)"));
  CHECK_FALSE(same("f(1)", "f(1, 1)"));
  CHECK_FALSE(same("f(a: 1)", "f(b: 1)"));
  CHECK_FALSE(same("f(a + b)", "f(a - b)"));
  CHECK_FALSE(same("f(x[1:])", "f(x[:1])"));
  CHECK_FALSE(same("empty(int64[2])", "empty(int64[?])"));
  CHECK_FALSE(same("empty(int64[...])", "empty(int64)"));
  CHECK_FALSE(same("cast(x, int8)", "cast(x, int16)"));
}

TEST_CASE("tree: literals are numbers, their negatives and lists of them") {
  auto literal = [](const char* text) { return is_literal(pipeline_of(text)->child(0)); };
  for (const char* text : {"f(1)", "f(-1)", "f(1.5)", "f(-inf)", "f([])", "f([1, [-2.0]])"}) {
    INFO(text);
    CHECK(literal(text));
  }
  for (const char* text :
       {"f(--1)", "f(1 + 2)", "f(x)", "f(\"a\")", "f(true)", "f([1, x])", "f((1, 2))", "f(-[1])"}) {
    INFO(text);
    CHECK_FALSE(literal(text));
  }
}

}  // namespace
}  // namespace weir::syntax
