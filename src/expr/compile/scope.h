// Scope: what names mean while a text is bound: $params, `let`s, and the variables of enclosing lambdas.
//
// Env levels: a document's root Env holds its $params. For a pipeline inside a lambda, each row that makes a
// dataset has its own Env, with the variables that the pipeline uses; its parent is the Env of the lambda
// itself. Names are resolved to (levels up, slot) when the text is bound.
//
// A scope refers to the one around it, which must outlive it; scopes live only while binding. A look-up walks
// outwards.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/dataset.h"
#include "expr/run/terminal_runner.h"
#include "expr/types/typed.h"
#include "syntax/tree.h"

namespace weir {

class Builder;  // expr/compile/builder.h

class Scope {
 public:
  // The scope of a document.
  Scope();
  // A scope inside `outer`, for the names of a `let` or a pattern.
  Scope(const Scope& outer, Builder& builder);
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope();

  // $NAME; its components take the next slots of the root Env.
  // REQUIRES: the scope of a document.
  void declare_param(std::string name, const Spec& spec);
  // let NAME = a dataset, one node that all uses share. A later binding of a name hides an earlier one.
  void bind_dataset(std::string name, DatasetRef dataset);
  // let NAME = an expression: a constant, a literal (which adapts at each use), or one over $params.
  void bind_expression(std::string name, syntax::NodePtr value);
  // let NAME = a value that is computed once per iterator, however often it is used.
  // REQUIRES: the scope of a document.
  void bind_computed(std::string name, RefPtr<const TerminalRunner> value, const Spec& spec);
  // A `let` that did not build; using it is no further mistake.
  void bind_mistake(std::string name);
  // A variable whose value is known.
  void bind_value(std::string name, Typed value);

  struct Found {
    enum class Kind : uint8_t { nothing, dataset, value, mistake };
    Kind kind = Kind::nothing;
    // For a dataset: the node, and how many Envs above this scope's its own variables lie.
    DatasetRef dataset;
    int env_levels = 0;
  };
  // The value of NAME if it is a `let` of an expression, and its place; else a null value.
  struct Let {
    syntax::NodePtr value;
    const Scope* scope = nullptr;
    size_t index = 0;
  };
  Let find_let(std::string_view name) const;
  // The scope in which the value of a `let` that was found in `inner` is read there.
  Scope(const Scope& inner, const Let& let);

  // What NAME means here.
  Found find(std::string_view name) const;
  // What is known when the dataset is built of a value that a pattern or `let … in` binds: bytes that differ
  // where it does, and the datasets in it.
  struct Known {
    std::string bytes;
    std::vector<DatasetRef> datasets;
  };
  Known known_value(std::string_view name) const;
  // How many Envs lie between this scope's Env and the document's root Env.
  int env_depth() const;

  // All visible names, for suggestions.
  std::vector<std::string> names() const;

 private:
  friend class Compiler;
  // Exactly one of dataset, expression, computed, mistake and value is set (value then has leaves or
  // an empty structure).
  struct Binding {
    std::string name;
    DatasetRef dataset;
    syntax::NodePtr expression;
    Typed value;
    // Has the structure of `value`.
    RefPtr<const TerminalRunner> computed = {};
    bool mistake = false;
  };
  struct Param {
    std::string name;
    Typed value;
  };

  struct Bound {
    const Scope* scope = nullptr;
    size_t index = 0;
  };
  // Where a name is bound; a null scope if nowhere.
  Bound look_up(std::string_view name) const;
  // The enclosing scope of a document.
  const Scope& root() const;

  const Scope* outer_ = nullptr;
  // How many bindings of `outer_` are visible: those that a `let` itself could see.
  size_t outer_limit_ = SIZE_MAX;
  Builder* builder_ = nullptr;
  std::unique_ptr<Builder> root_builder_;
  std::vector<Binding> bindings_;
  std::vector<Param> params_;
};

}  // namespace weir
