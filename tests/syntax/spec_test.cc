#include "syntax/spec.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "syntax/parser.h"

namespace weir::syntax {
namespace {

TEST_CASE("spec: what is written is what is meant") {
  for (const char* text :
       {"int64", "string[?]", "uint8[...]", "float32[28, 28]", "()", "{}", "(int64,)", "(float32[8], int64)",
        "{image: string, \"a b\": {c: bool}}", "sparse<int64>[?, 10]", "ragged<int64>[2, ?]",
        "optional<(int64, string)>", "dataset<{a: int8[2]}>"}) {
    INFO(text);
    Result<Tree> tree = parse_spec(text);
    REQUIRE(tree.ok());
    CHECK(to_spec(*tree->root).to_string() == text);
  }
}

TEST_CASE("spec: kinds, dtypes, shapes and keys") {
  Result<Tree> tree = parse_spec("{a: sparse<int8>[?, 2], b: dataset<string>}");
  REQUIRE(tree.ok());
  Spec spec = to_spec(*tree->root);
  REQUIRE(spec.kind == Spec::Kind::dict);
  REQUIRE(spec.keys == std::vector<std::string>{"a", "b"});
  CHECK(spec.children[0].kind == Spec::Kind::sparse);
  CHECK(spec.children[0].dtype == DType::int8);
  CHECK(spec.children[0].shape == Shape({kUnknownDim, 2}));
  CHECK(spec.children[1].kind == Spec::Kind::dataset);
  CHECK(spec.children[1].children[0].is_scalar(DType::string));
}

}  // namespace
}  // namespace weir::syntax
