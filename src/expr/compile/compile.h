// Compiles the tree of an expression to a Function or an Expression, typed once, with everything known
// folded; and declares what this floor needs from the one that knows operators.
//
//   CompileContext context{.runtime = &runtime, .pipelines = &binder};
//   Scope scope;
//   WEIR_ASSIGN(FunctionRef f, compile_lambda(context, scope, lambda_node, input->spec(), "2/map.f"));
//
// The results are immutable and keep nothing of the tree. Errors are invalid_argument at a place of the text.
// A scope may be used by one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/runtime.h"
#include "dataset/dataset.h"
#include "expr/compile/scope.h"
#include "expr/run/terminal_runner.h"
#include "expr/types/callback.h"
#include "expr/types/function.h"
#include "syntax/grammar.h"
#include "syntax/tree.h"

namespace weir {

// What the graph floor does for pipelines inside expressions. `scope` is a scope of its own, whose Env is
// made for each row: compile operator parameters with compile_expression() and inner lambdas with
// compile_lambda(), both against `scope` or scopes inside it. `path` leads to the place in the printed graph.
class PipelineCompiler {
 public:
  virtual ~PipelineCompiler() = default;

  enum class Callee : uint8_t { unknown, source, transformation, terminal };
  virtual Callee callee(syntax::CalleeKind kind, std::string_view name) const = 0;
  // Names of sources (CalleeKind::function) or of transformations and terminals, for suggestions.
  virtual std::vector<std::string> names(syntax::CalleeKind kind) const = 0;
  // What they are called elsewhere, as in syntax::hint_for().
  virtual std::string elsewhere(syntax::CalleeKind) const { return {}; }
  // Compiles a pipeline or the call of a source.
  virtual Result<DatasetRef> compile_dataset(const syntax::Node& node, Scope& scope,
                                             std::string_view path) = 0;
  struct Terminal {
    RefPtr<const TerminalRunner> runner;
    Spec spec;
  };
  // Compiles a pipeline that ends in a terminal.
  virtual Result<Terminal> compile_terminal(const syntax::Node& node, Scope& scope,
                                            std::string_view path) = 0;
  // What the caller handed in as @NAME: a value, or a dataset (compiled against no Env).
  struct HandedIn {
    Spec spec;
    Components values;
    DatasetRef dataset;
  };
  virtual Result<HandedIn> handed(const syntax::Node& callback) = 0;
  // The callback that is called as NAME(…); null if there is none.
  virtual CallbackRef function(std::string_view) const { return nullptr; }
  // The callback handed in as @NAME.
  virtual Result<CallbackRef> callback(const syntax::Node& callback) = 0;
};

struct CompileContext {
  // Where seeds that are `none` are drawn; if null, every one is (0, 0).
  Runtime* runtime = nullptr;
  // The text that the nodes come from, for the errors of elements: null if there is none, empty if the caller
  // didn't write it.
  std::shared_ptr<const std::string> source = nullptr;
  // If null, expressions with pipelines do not build.
  PipelineCompiler* pipelines = nullptr;
  // A `let` of a value is typed anew at each use, and so are the names in it: how deeply such values are
  // currently nested, and how many were typed in all.
  mutable int let_levels = 0;
  mutable int let_uses = 0;
  // How many lambdas enclose what is being compiled.
  mutable int lambdas = 0;
};

// Bounds of the two: `let b = a + a let c = b + b …` doubles at every step, and each level takes stack.
inline constexpr int kMaxLetLevels = 400;
inline constexpr int kMaxLetUses = 100'000;

// What is due: with `scalar`, a tensor of unknown rank is checked at each element, and the result's type is a
// scalar.
enum class ResultRank : uint8_t { any, scalar };

// Compiles a lambda over elements of structure `input`; with two arguments, `input` is the tuple of both.
// `path` is the call site as its path in the printed graph, which keys random calls.
Result<FunctionRef> compile_lambda(const CompileContext& context, const Scope& scope,
                                   const syntax::Node& lambda, const Spec& input, std::string_view path,
                                   ResultRank rank = ResultRank::any);

// Compiles an expression over the variables visible in `scope`, for use as a parameter. A literal adapts to
// `wanted` if given; any other dtype is then an error.
Result<ExpressionRef> compile_expression(const CompileContext& context, const Scope& scope,
                                         const syntax::Node& node, std::string_view path,
                                         DType wanted = DType::invalid, ResultRank rank = ResultRank::any);

// True if the node is a dataset where it stands: a pipeline without a terminal, a source's call, or a name
// bound to one. A variable that holds a nested dataset counts, too.
bool is_dataset(const CompileContext& context, const Scope& scope, const syntax::Node& node);

// Returns invalid_argument at the node.
inline Status error_at(const syntax::Node& node, const Mistake& mistake) {
  return syntax::error_at(node.span, mistake);
}

}  // namespace weir
