// Compiler: walks the tree of an expression and fills a Builder. Lives for one lambda or expression; errors
// are invalid_argument at a place of the text. Private to src/expr.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expr/compile/builder.h"
#include "expr/compile/compile.h"
#include "expr/compile/index_plan.h"
#include "expr/run/compiled.h"

namespace weir {

class Compiler {
 public:
  Compiler(const CompileContext& context, std::string_view path) : context_(context), path_(path) {}

  Result<Typed> expression(const syntax::Node& node, const Scope& scope);
  // Binds the names of a pattern to the parts of a value.
  Status bind(const syntax::Node& pattern, const Typed& value, Scope& scope);
  // Turns literals into constants of their natural dtype.
  Status resolve_literals(Typed& value, const syntax::Node& node);
  // Turns a literal into a constant of that dtype; anything else must have it. `beside` names what has the
  // dtype and may be cast if the literal does not fit.
  Status resolve_as(Leaf& leaf, DType dtype, const syntax::Node& node, std::string_view beside = "");
  bool is_dataset(const syntax::Node& node, const Scope& scope);
  // Lets a tensor of unknown rank stand where a scalar is due: each element is checked.
  void check_scalar(Typed& value, const Scope& scope);

  Status error(const syntax::Node& node, const Mistake& mistake) const { return error_at(node, mistake); }
  ProgramTraits& traits() { return traits_; }
  // Why the constants of `node` have no value: points at the failed call, if there is only one.
  Status failure(const syntax::Node& node, const Status& status) const {
    return error(failed_calls_.size() == 1 ? *failed_calls_[0].node : node, status.error().what());
  }
  // The builder that computes a scope's values.
  static Builder& builder(const Scope& scope) { return *scope.builder_; }

 private:
  friend class BoundCall;
  using Nodes = std::vector<const syntax::Node*>;

  // compile_names.cc
  Result<Typed> name(const syntax::Node& node, const Scope& scope);
  Result<Typed> let_value(const syntax::Node& node, const syntax::Node& value, const Scope::Bound& bound,
                          const Scope& scope);
  Result<Typed> unknown_name(const syntax::Node& node, const Scope& scope);
  Result<Typed> parameter(const syntax::Node& node, const Scope& scope);
  Result<Typed> handed(const syntax::Node& node);
  Result<Typed> invocation(const syntax::Node& node, const Scope& scope);
  Result<Typed> user_call(const CallbackRef& callback, const syntax::Node& node, const Scope& scope);
  Result<Typed> user_argument(const syntax::Node& node, const Spec& wanted, const Scope& scope);
  Result<Typed> call_host(const CallbackRef& callback, const std::vector<Typed>& arguments, const Spec& input,
                          const syntax::Node& node, const Scope& scope);
  Result<Typed> field(const syntax::Node& node, const Scope& scope);
  Result<Typed> position(const syntax::Node& node, const Scope& scope);
  Result<Typed> let_in(const syntax::Node& node, const Scope& scope);
  Status bind_tuple(const syntax::Node& pattern, const Typed& value, Scope& scope);
  Status bind_dict(const syntax::Node& pattern, const Typed& value, Scope& scope);

  // compiler.cc
  Result<Typed> tuple(const syntax::Node& node, const Scope& scope);
  Result<Typed> list(const syntax::Node& node, const Scope& scope);
  Result<Typed> operation(const syntax::Node& node, const Scope& scope);
  Result<Typed> pipeline(const syntax::Node& node, const Scope& scope);
  Result<Typed> nested(const syntax::Node& node, const Scope& scope, bool terminal);
  // The value of a terminal over the variables in `captured`.
  Typed terminal(RefPtr<const TerminalRunner> runner, const Spec& spec, const Builder& captured,
                 const Scope& scope);
  // Adds those of a dataset that the function returns.
  void add_traits(const Dataset& dataset);
  void add_traits(Lane lane, std::string why);
  void add_traits(const ProgramTraits& traits);
  // Where the call of `name` stands; null without a text.
  std::unique_ptr<const CallPlace> place_of(const syntax::Node& node, std::string_view name) const;
  std::string next_path() { return path_ + "/" + std::to_string(places_++); }

  // compile_branch.cc
  Result<Typed> conditional(const syntax::Node& node, const Scope& scope);
  Status join(Typed& yes, Typed& no, const syntax::Node& node);
  Status join_leaf(Leaf& yes, Leaf& no, const syntax::Node& node);

  // compile_call.cc
  Result<Typed> call(const syntax::Node& node, const Scope& scope);
  Result<Typed> unknown_function(const syntax::Node& node);
  Result<Nodes> arguments(const Kernel& kernel, const syntax::Node& node);
  Result<Typed> apply(std::string_view kernel, Nodes arguments, const syntax::Node& node, const Scope& scope);
  Result<Typed> apply(const Kernel& kernel, Nodes arguments, const syntax::Node& node, const Scope& scope);
  // A pair that is known or drawn, or one or two numbers that are computed.
  struct Seed {
    RefPtr<const SeedSite> site;
    std::vector<Leaf> numbers;
  };
  Result<Seed> seed(const syntax::Node& node, const Scope& scope);
  Result<Leaf> seed_number(const syntax::Node& node, const Scope& scope);
  uint64_t next_site();

  // compile_rows.cc
  Result<Typed> rows(const Nodes& arguments, const Scope& scope);
  Result<Typed> body_of_rows(const syntax::Node& function, const Typed& row, Scope& scope);

  // compile_index.cc
  Result<Typed> index(const syntax::Node& node, const Scope& scope);
  Status index_position(const syntax::Node& node, const Scope& scope, IndexPosition& position,
                        std::vector<Leaf>& arguments);
  Status bound(const syntax::Node& node, const Scope& scope, IndexBound& bound, std::vector<Leaf>& arguments);
  Result<Typed> emit_index(const syntax::Node& node, const Leaf& from, const Component& type, IndexPlan plan,
                           std::vector<Leaf> arguments, Builder& builder);

  const CompileContext& context_;
  const std::string path_;
  ProgramTraits traits_;
  int places_ = 0;
  // Calls that failed although all their arguments are known.
  struct FailedCall {
    const syntax::Node* node;
    Status status;
  };
  std::vector<FailedCall> failed_calls_;
};

// Sets the component types of a structure to those of its leaves, from leaf `at` on.
void retype(Spec& spec, const std::vector<Leaf>& leaves, size_t& at);
// Emits the instruction that computes the components of a structure.
Typed emit_values(Instruction instruction, const Spec& spec, Builder& builder);
// True if only constants go in, whichever branches are taken, so that it has one value.
bool is_constant(const Program& program);
// Computes its results; resource_exhausted if they are large.
// REQUIRES: is_constant(program)
Result<std::vector<Tensor>> run_constant(const Program& program);
// Computes the results of a body over constants.
Result<std::vector<Tensor>> fold(KernelBody body, std::shared_ptr<const KernelState> state,
                                 const std::vector<Leaf>& args, const std::vector<Component>& results);

}  // namespace weir
