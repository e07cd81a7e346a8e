// A lambda that is compiled once and called for each input, or compiled for one input: cheaper than a
// pipeline.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "core/values.h"
#include "expr/compile/compile.h"
#include "expr/types/kernel.h"
#include "support/test_runtime.h"
#include "syntax/parser.h"

namespace weir::fuzz {

// Goes on where a result stands, and ends the process where there is none.
template <class T>
T require(Result<T> result) {
  if (!result.ok()) std::abort();
  return *std::move(result);
}

class CompiledLambda {
 public:
  // "s -> length(s)" over one element of this structure; an error if it does not build. A text that does not
  // parse ends the process.
  static Result<CompiledLambda> compile(const std::string& lambda, const Spec& input) {
    const syntax::Tree tree = require(syntax::parse_document("source() | map(" + lambda + ")", signatures()));
    Scope scope;
    const syntax::Node& node = tree.root->items.back().value->child(1).child(0);
    CompiledLambda out;
    WEIR_ASSIGN(out.function_, compile_lambda({.runtime = &world().runtime}, scope, node, input, "fuzz"));
    return out;
  }

  // The value of the row, which must be one of the structure that was promised; nothing if the row fails.
  std::optional<Components> call(Components input) const {
    Block in, out;
    in.set_row(std::move(input));
    function_->call({.session = *world().session, .key = 1}, in, out);
    if (out.failed(0)) return std::nullopt;
    Components values = out.row(0);
    if (!check_value(function_->result(), values).ok()) std::abort();
    return values;
  }

 private:
  static const syntax::SignatureTable& signatures() {
    static const auto& table = *[] {
      auto* made = new syntax::SignatureTable();
      add_kernel_signatures(*made);
      return made;
    }();
    return table;
  }
  static test::TestRuntime& world() {
    static auto& world = *new test::TestRuntime();
    return world;
  }

  FunctionRef function_;
};

}  // namespace weir::fuzz
