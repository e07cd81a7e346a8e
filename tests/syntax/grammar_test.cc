#include "syntax/grammar.h"

#include <catch2/catch_test_macros.hpp>

namespace weir::syntax {
namespace {

TEST_CASE("grammar: the name of a parameter tells") {
  CHECK(grammar_of_parameter("dtype") == Grammar::dtype);
  CHECK(grammar_of_parameter("spec") == Grammar::spec);
  CHECK(grammar_of_parameter("features") == Grammar::features);
  CHECK(grammar_of_parameter("context") == Grammar::features);
  CHECK(grammar_of_parameter("lists") == Grammar::features);
  CHECK(grammar_of_parameter("columns") == Grammar::columns);
  CHECK(grammar_of_parameter("f") == Grammar::value);
  CHECK(grammar_of_parameter("") == Grammar::value);
}

TEST_CASE("grammar: positions by callee and place, what is unknown takes values") {
  SignatureTable table;
  table.add_names(CalleeKind::function, "cast", {"x", "dtype"});
  table.add(CalleeKind::function, "nothing", {Grammar::spec});
  CHECK(table.of_position(CalleeKind::function, "cast", 0) == Grammar::value);
  CHECK(table.of_position(CalleeKind::function, "cast", 1) == Grammar::dtype);
  CHECK(table.of_position(CalleeKind::function, "cast", 2) == Grammar::value);
  CHECK(table.of_position(CalleeKind::transformation, "cast", 1) == Grammar::value);
  CHECK(table.of_position(CalleeKind::function, "nothing", 0) == Grammar::spec);
  CHECK(table.of_position(CalleeKind::function, "unheard", 0) == Grammar::value);
  CHECK(table.of_name(CalleeKind::function, "unheard", "dtype") == Grammar::dtype);
}

TEST_CASE("grammar: where signatures differ, either may stand") {
  SignatureTable table;
  table.add_names(CalleeKind::function, "range", {"stop", "dtype"});
  table.add_names(CalleeKind::function, "range", {"start", "stop", "step", "dtype"});
  CHECK(table.of_position(CalleeKind::function, "range", 0) == Grammar::value);
  CHECK(table.of_position(CalleeKind::function, "range", 1) == Grammar::value_or_dtype);
  CHECK(table.of_position(CalleeKind::function, "range", 2) == Grammar::value);
  CHECK(table.of_position(CalleeKind::function, "range", 3) == Grammar::dtype);
}

}  // namespace
}  // namespace weir::syntax
