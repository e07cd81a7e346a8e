// Binder: turns the tree of a text into datasets: looks up operators, types and checks arguments, compiles
// lambdas.
//
// One Binder binds one text, on one thread. Pipelines inside lambdas come back through PipelineCompiler, with
// the lambda's scope. It borrows the runtime and the values passed by name. All independent mistakes are
// returned as one Status (both()), each at its place in the text; operators after one that did not build are
// still checked.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "expr/compile/compile.h"
#include "graph/arguments.h"
#include "graph/handed.h"
#include "graph/signatures.h"

namespace weir {

class Generator;  // expr/types/generator.h

// Longer chains of operators are refused: each operator takes stack when elements are pulled.
inline constexpr int kMaxChain = 1000;

class Binder final : public PipelineCompiler {
 public:
  Binder(Runtime& runtime, const Handed& handed, bool has_params,
         std::shared_ptr<const std::string> source = nullptr);

  // Binds the statements of a document, then its pipeline. `scope` knows the $params and the datasets passed
  // by name.
  Result<DatasetRef> bind_document(const syntax::Node& document, Scope& scope);

  Callee callee(syntax::CalleeKind kind, std::string_view name) const override;
  std::vector<std::string> names(syntax::CalleeKind kind) const override;
  std::string elsewhere(syntax::CalleeKind kind) const override { return names_elsewhere(kind); }
  Result<DatasetRef> compile_dataset(const syntax::Node& node, Scope& scope, std::string_view path) override;
  Result<Terminal> compile_terminal(const syntax::Node& node, Scope& scope, std::string_view path) override;
  Result<HandedIn> handed(const syntax::Node& callback) override;

  const CompileContext& context() const { return context_; }
  Runtime& runtime() const { return runtime_; }
  // Returns the callback behind @NAME; an error if it is something else.
  CallbackRef function(std::string_view name) const override;
  // The generator that may be called as a source of this name, or null.
  const Generator* source(std::string_view name) const;
  Result<CallbackRef> callback(const syntax::Node& node) override;
  // Binds a dataset: a pipeline, a call of a source, a name or any expression that gives one.
  Result<DatasetRef> bind_dataset(const syntax::Node& node, const Scope& scope, std::string_view path);
  bool is_dataset_here(const syntax::Node& node, const Scope& scope) const;
  // How long the chain of operators is from a source to this node.
  int height(const Dataset& dataset);
  // Whether some `let` of the document is computed once per iterator.
  bool has_computed() const { return has_computed_; }
  // Where nodes of that scope are built.
  BuildSite site(const Scope& scope) const { return {&runtime_, scope.env_depth()}; }

 private:
  Result<DatasetRef> bind_pipeline(const syntax::Node& node, const Scope& scope, std::string_view path,
                                   bool may_end_in_terminal);
  Result<DatasetRef> bind_name(const syntax::Node& node, const Scope& scope, std::string_view path);
  // What a call is piped into: a dataset, or one that did not build.
  struct Piped {
    bool given = false;
    DatasetRef dataset;
    int height = 0;
  };
  // `source`: what was written, if the call stands for that of a source of the program's.
  Result<DatasetRef> bind_call(const syntax::Node& call, Piped piped, const Scope& scope,
                               std::string_view path, const syntax::NodePtr& source = nullptr);
  void bind_let(const syntax::Node& statement, Scope& scope, Status& mistakes);
  Result<const OperatorDef*> operator_of(const syntax::Node& call, bool piped) const;
  // The text of a node's digest (written_digest.cc): the call as written, with its names replaced by their
  // values.
  std::shared_ptr<const NodeDigest> digest_of(const OperatorDef& def,
                                              const std::vector<syntax::NodePtr>& values,
                                              const syntax::NodePtr& source, const Scope& scope) const;
  // Where a dataset is built that an expression gives.
  BuildSite site_of(const syntax::Node& expression, const Scope& scope) const;
  uint64_t hash_of_part(const syntax::NodePtr& node, const Scope& scope) const;
  void hash_names(const syntax::Node& node, const Scope& scope, uint64_t& hash) const;

  Runtime& runtime_;
  const Handed& handed_;
  CompileContext context_;
  const bool has_params_;
  bool has_computed_ = false;
  // By Dataset::id().
  std::map<uint64_t, int> heights_;
  // The hashes of the values bound by `let` so far.
  std::map<std::string, uint64_t, std::less<>> lets_;
};

// What bind_arguments needs to know about the call.
struct CallSite {
  Binder& binder;
  const OperatorDef& def;
  // What errors call it.
  const char* name;
  const syntax::Node& call;
  const Scope& scope;
  // "3/map" below the path of the enclosing lambda.
  std::string path;
};

// Fills the parameters with their matched values; datasets among them are added to `inputs`. Finds all
// mistakes. `has_input` is false if the piped dataset did not build, so that functions of its elements cannot
// be typed.
Status bind_arguments(const CallSite& site, FieldList& fields, const std::vector<syntax::NodePtr>& values,
                      bool has_input, std::vector<DatasetRef>& inputs);

}  // namespace weir
