// @NAME(…): a callback of the host inside an expression, called for each row.
#include "core/text.h"
#include "expr/compiler.h"
#include "expr/function.h"

namespace weir {

using syntax::Node;

namespace {

// Its arguments are the values captured for the row; its value is drained from the callback as from a terminal.
class CallbackRunner final : public TerminalRunner {
 public:
  explicit CallbackRunner(FunctionRef function) : function_(std::move(function)) {}

  Lane lane() const override { return function_->lane(); }
  std::string not_replayable() const override { return function_->not_replayable(); }
  void add_sites(Sites& out) const override { function_->add_sites(out); }

  Status run(Session& session, const EnvRef& env, uint64_t key, Components& out) const override {
    Block in;
    in.set_row(env->values);
    Block result;
    function_->call({.session = session, .env = nullptr, .key = key}, in, result);
    if (!result.errors.empty()) return Status(result.errors[0].error);
    out = result.row(0);
    return {};
  }

 private:
  const FunctionRef function_;
};

}  // namespace

// A single argument is the callback's element; several form a tuple.
Result<Typed> Compiler::invocation(const Node& node, const Scope& scope) {
  const Node& name = node.child(0);
  if (context_.pipelines == nullptr) return error(name, concat("nothing was handed in as @", name.text));
  WEIR_ASSIGN(CallbackRef callback, context_.pipelines->callback(name));
  if (node.items.size() < 2) return error(node, expected_found(concat("arguments for @", name.text), "none"));
  Spec input = Spec::tuple({});
  std::vector<int> registers;
  Status mistakes;
  for (size_t i = 1; i < node.items.size(); ++i) {
    Result<Typed> argument = expression(node.child(i), scope);
    if (argument.ok()) mistakes = both(mistakes, settle(*argument, node.child(i)));
    mistakes = both(mistakes, argument.status());
    if (!mistakes.ok()) continue;
    Typed value = *std::move(argument);
    if (value.spec.has_dataset()) {
      mistakes = error(node.child(i), expected_found("tensors for a callback", value.spec.to_string()));
      continue;
    }
    size_t at = 0;
    retype(value.spec, value.leaves, at);
    for (const Leaf& leaf : value.leaves) registers.push_back(builder(scope).register_of(leaf));
    input.children.push_back(std::move(value.spec));
  }
  WEIR_TRY(std::move(mistakes));
  if (input.children.size() == 1) {
    Spec only = std::move(input.children[0]);
    input = std::move(only);
  }
  auto function = make_callback_function(std::move(callback), input);
  if (!function.ok()) return error(node, function.status().error().what());
  const Spec result = (*function)->result();
  return terminal(make_ref<const CallbackRunner>(*std::move(function)), result, std::move(registers), scope);
}

}  // namespace weir
