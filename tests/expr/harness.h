// Compiles expressions over given elements and evaluates them in blocks of several widths, which must agree.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "expr/compile/compile.h"
#include "expr/types/kernel.h"
#include "support/test_runtime.h"
#include "support/vector_state.h"
#include "syntax/parser.h"

namespace weir::test {

// A text in the notation, and the node of interest in it.
struct Parsed {
  syntax::Tree tree;
  const syntax::Node* node = nullptr;
};

// "x -> x + 1" as the argument of a transformation.
inline Parsed parse_lambda(const std::string& text) {
  syntax::SignatureTable table;
  add_kernel_signatures(table);
  Result<syntax::Tree> tree = syntax::parse_document("source() | map(" + text + ")", table);
  if (!tree.ok()) FAIL(tree.status().error().message);
  Parsed out{*std::move(tree), nullptr};
  out.node = &out.tree.root->items.back().value->child(1).child(0);
  return out;
}

class Lab {
 public:
  TestRuntime world;
  Scope scope;

  Result<FunctionRef> compile(const std::string& lambda, const Spec& input,
                              PipelineCompiler* pipelines = nullptr) {
    Parsed parsed = parse_lambda(lambda);
    const CompileContext context{.runtime = &world.runtime, .pipelines = pipelines};
    return compile_lambda(context, scope, *parsed.node, input, "test");
  }

  // The value of a constant expression, and its structure.
  Components value(const std::string& text, Spec* spec) {
    Parsed parsed = parse_lambda("_ -> " + text);
    const CompileContext context{.runtime = &world.runtime};
    Result<ExpressionRef> made = compile_expression(context, scope, parsed.node->child(1), "test");
    if (!made.ok()) FAIL(made.status().error().message);
    *spec = (*made)->spec();
    Result<Components> out = (*made)->evaluate(*world.session, nullptr, 0);
    if (!out.ok()) FAIL(out.status().error().message);
    return *out;
  }

  // Rows of one structure as a block; shapes that differ relax the structure.
  Block block(const std::vector<std::string>& rows, Spec* spec) {
    Block out;
    for (const std::string& row : rows) {
      Spec one;
      Block single;
      single.set_row(value(row, &one));
      *spec = out.rows == 0 ? one : Spec::relax(*spec, one);
      out.append(single, 0, 1);
    }
    return out;
  }

  // Calls f over blocks of `width` rows and joins the results.
  Block run(const Function& f, const Block& in, int width) {
    Block out;
    Block made;
    for (int first = 0; first < in.rows; first += width) {
      const int count = std::min(width, in.rows - first);
      const Block part = in.slice(first, count);
      clear_upper_halves();
      f.call({.session = *world.session, .key = 7, .base_ordinal = first}, part, made);
      REQUIRE(!upper_halves_in_use());
      REQUIRE(made.rows == count);
      out.append(made, 0, count);
      made = Block();
    }
    return out;
  }

  // The lambda must give the expected values, "error" where a row fails, in blocks of any width.
  void check(const std::string& lambda, const std::vector<std::string>& rows,
             const std::vector<std::string>& expected, const std::string& result_spec = "") {
    INFO(lambda);
    Spec input;
    const Block in = block(rows, &input);
    Result<FunctionRef> f = compile(lambda, input);
    if (!f.ok()) FAIL(f.status().error().message);
    if (!result_spec.empty()) CHECK((*f)->result().to_string() == result_spec);
    for (int width : {1, 2, 7, 128}) {
      const Block out = run(**f, in, width);
      for (int row = 0; row < in.rows; ++row) {
        INFO("width " << width << ", row " << row);
        const std::string& text = expected[static_cast<size_t>(row)];
        if (text == "error") {
          CHECK(out.failed(row));
          continue;
        }
        if (const ErrorPtr* error = out.error_of(row)) FAIL((*error)->message);
        check_row(out.row(row), text);
      }
    }
  }

  void check_row(const Components& have, const std::string& text) {
    Spec spec;
    const Components want = value(text, &spec);
    REQUIRE(have.size() == want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      INFO("component " << i);
      CHECK(have[i].shape.to_string() == want[i].shape.to_string());
      CHECK(bit_equal(have[i], want[i]));
    }
  }

  // Must not compile; the message contains `part`.
  void refuse(const std::string& lambda, const std::string& row, const std::string& part) {
    INFO(lambda);
    Spec input;
    value(row, &input);
    Result<FunctionRef> f = compile(lambda, input);
    REQUIRE_FALSE(f.ok());
    CHECK(f.status().code() == Code::invalid_argument);
    INFO(f.status().error().message);
    CHECK(f.status().error().message.find(part) != std::string::npos);
  }
};

}  // namespace weir::test
