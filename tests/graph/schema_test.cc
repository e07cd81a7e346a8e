#include "graph/schema.h"

#include <catch2/catch_test_macros.hpp>

#include "core/text.h"
#include "expr/types/kernel.h"
#include "graph/build.h"
#include "ops/list.h"

namespace weir {
namespace {

// Names the part of a definition that is missing.
void check_documented(const char* name, std::initializer_list<const char*> parts) {
  INFO(name);
  for (const char* part : parts) CHECK_FALSE(std::string_view(part).empty());
}

TEST_CASE("Every operator and function is documented, and has a benchmark", "[graph]") {
  for (const OperatorDef* def : operators()) {
    check_documented(def->name, {def->page.doc, def->page.cost});
    // What an extension reads has its examples in docs/parquet.md.
    if (def->typing.columns_source) continue;
    check_documented(def->name, {def->page.example});
    // What takes something from a program cannot be run from its text alone.
    if (std::string_view(def->page.example).find("(@") != std::string_view::npos) continue;
    check_documented(def->name, {def->page.output, def->page.bench});
  }
  for (const Kernel* kernel : kernels()) {
    check_documented(kernel->name, {kernel->doc, kernel->result, kernel->cost, kernel->example,
                                    kernel->output, kernel->bench});
  }
  for (const SchemaEntry& entry : schema()) {
    INFO(entry.name);
    CHECK(entry.doc.back() == '.');
    CHECK(entry.cost.back() == '.');
    if (entry.kind == "function" || entry.kind == "operator") continue;
    for (const SchemaParameter& parameter : entry.parameters) {
      INFO(parameter.name);
      CHECK_FALSE(parameter.doc.empty());
    }
  }
}

// The one entry of that name.
SchemaEntry entry_of(std::string_view name) {
  auto found = schema(name);
  REQUIRE(found.ok());
  REQUIRE(found->size() == 1);
  return (*found)[0];
}

TEST_CASE("The schema has parameters with types, defaults and bounds", "[graph]") {
  const SchemaEntry batch = entry_of("batch");
  CHECK(batch.kind == "transformation");
  CHECK(batch.signatures ==
        std::vector<std::string>{"batch(n, drop_remainder: false, num_parallel_calls: 1)"});
  REQUIRE(batch.parameters.size() == 3);
  CHECK(batch.parameters[0].type == "int");
  CHECK_FALSE(batch.parameters[0].fallback);
  CHECK(batch.parameters[0].minimum == 1);
  CHECK(batch.parameters[1].fallback == "false");
  CHECK(batch.parameters[2].automatic);
  CHECK(batch.parameters[0].aliases == std::vector<std::string>{"batch_size"});
  CHECK(batch.parameters[1].aliases.empty());
  const SchemaEntry map = entry_of("map");
  CHECK(map.parameters[0].takes == "element");
  CHECK(map.parameters[0].gives == "any value");
  CHECK(map.parameters[2].none);
  CHECK(entry_of("interleave").parameters[1].fallback == "auto");
  CHECK(entry_of("interleave").parameters[1].maximum.has_value());
}

TEST_CASE("Signatures are written as documents write calls", "[graph]") {
  CHECK(entry_of("range").signatures ==
        std::vector<std::string>{"range(stop)", "range(start, stop, step: 1, dtype: int64)"});
  CHECK(entry_of("arange").signatures ==
        std::vector<std::string>{"arange(stop)", "arange(start, stop, step: 1)"});
  CHECK(entry_of("+").signatures == std::vector<std::string>{"a + b"});
  CHECK(entry_of("not").signatures == std::vector<std::string>{"not a"});
  CHECK(entry_of("[]").signatures == std::vector<std::string>{"[a, b]"});
  CHECK(entry_of("sum").signatures == std::vector<std::string>{"sum(x, axis: none, keepdims: false)"});
  CHECK(entry_of("sum").kind == "function");
  CHECK(entry_of("and").kind == "operator");
  CHECK(entry_of("float32").name == "cast");
}

TEST_CASE("The schema names what is near, or written otherwise", "[graph]") {
  const auto message = [](std::string_view name) {
    auto found = schema(name);
    REQUIRE_FALSE(found.ok());
    CHECK(found.status().code() == Code::not_found);
    return found.status().error().message;
  };
  CHECK(message("batc") ==
        "expected the name of an operator or function, found \"batc\"; did you mean batch?");
  CHECK(contains(message("None"), "write none"));
  CHECK(message("") == "expected the name of an operator or function, found \"\"");
}

TEST_CASE("JSON strings are escaped", "[graph]") {
  CHECK(json_string("a \"b\" \\ \n \x01 é") == "\"a \\\"b\\\" \\\\ \\n \\u0001 é\"");
}

}  // namespace
}  // namespace weir
