// BoundCall: a kernel's call while it is typed: first its arguments, then its results. Lives for one call;
// errors have a caret under the argument. Private to src/expr.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "expr/compile/compiler.h"
#include "expr/types/kernel.h"
#include "syntax/parser.h"

namespace weir {

class BoundCall final : public KernelCall {
 public:
  BoundCall(Compiler& compiler, const Kernel& kernel, const syntax::Node& node, const Scope& scope)
      : compiler_(compiler), kernel_(kernel), node_(node), scope_(scope), can_fail_(kernel.can_fail) {}

  // Types the arguments (null if left out), lets literals adapt, and calls the kernel's infer.
  Status bind(const std::vector<const syntax::Node*>& arguments);
  // Emits or folds the call.
  Result<Typed> finish(Builder& builder, uint64_t site);

  bool given(int param) const override { return at(param).given; }
  const Spec& spec(int param) const override { return at(param).values[0].spec; }
  int size(int param) const override { return static_cast<int>(at(param).values.size()); }
  const Component& member(int param, int index) const override {
    return at(param).values[static_cast<size_t>(index)].leaves[0].type;
  }
  int argument(int param) const override { return at(param).first_argument; }
  const Tensor* constant(int param) const override;
  std::optional<std::vector<int64_t>> integers(int param) const override;
  DType dtype_value(int param) const override { return at(param).dtype; }
  const syntax::Node& node(int param) const override { return *at(param).node; }
  Result<Tensor> constant_of(const syntax::Node& node, DType dtype) override;
  Status error(int param, const Mistake& mistake) const override;

  using KernelCall::result;
  void result(Spec spec) override { result_ = typed_of(spec); }
  void alias(int component, int argument) override { aliases_[component] = argument; }
  void known(Tensor value) override { result_ = typed_constant(std::move(value)); }
  void known_integers(std::vector<int64_t> entries) override { integers_ = std::move(entries); }
  void body(KernelBody body, std::shared_ptr<const KernelState> state) override {
    body_ = body;
    state_ = std::move(state);
    by_entries_ = false;
  }
  void entry_body(KernelBody body) override {
    this->body(body, nullptr);
    by_entries_ = true;
  }
  void set_can_fail(bool can_fail) override { can_fail_ = can_fail; }

 private:
  struct Value {
    const syntax::Node* node = nullptr;
    bool given = false;
    // A single value, or the members of a list.
    std::vector<Typed> values;
    DType dtype = DType::invalid;
    int first_argument = -1;
  };
  const Value& at(int param) const { return values_[static_cast<size_t>(param)]; }
  const syntax::Node& node_of(const Value& value, size_t member) const;

  const char* default_of(const KernelParam& param) const;
  Status bind_param(const KernelParam& param, const syntax::Node* node, Value& value);
  Status bind_list(const KernelParam& param, Value& value);
  Status bind_dtype(const KernelParam& param, Value& value);
  std::string_view others() const;
  Status resolve_types();

  // bind_ranks.cc
  // The tensors of a parameter that have an unknown rank, and their run-time arguments.
  struct UnknownRanks {
    std::vector<Typed*> values;
    std::vector<int> arguments;
  };
  Status infer();
  // Asks the kernel. Its mistake is internal: what it says of its results must fit its body.
  Status ask_kernel();
  std::vector<UnknownRanks> unknown_ranks();
  Status infer_with(const std::vector<UnknownRanks>& unknown, const std::vector<int>& ranks);
  Status infer_by_rank(const Status& first);

  // Equal for calls that compute the same; empty if that can't be told.
  std::string key(Builder& builder) const;
  // The results that are computed, from the instruction that does it; one for calls with equal keys.
  std::vector<Leaf> emit(Builder& builder, uint64_t site, const std::vector<Component>& types);

  DType dtype_param() const;
  DType adapted_dtype(const Leaf& leaf) const;
  Result<DType> group_dtype(std::string_view type);
  void number_arguments();

  Compiler& compiler_;
  const Kernel& kernel_;
  const syntax::Node& node_;
  const Scope& scope_;
  std::vector<Value> values_;
  // The trees of defaults.
  std::vector<syntax::Tree> defaults_;
  std::vector<Leaf> arguments_;
  Compiler::Seed seed_;

  Typed result_;
  // What infer found in syntax.
  std::vector<Tensor> found_constants_;
  std::map<int, int> aliases_;
  std::optional<std::vector<int64_t>> integers_;
  KernelBody body_ = nullptr;
  std::shared_ptr<const KernelState> state_;
  bool by_entries_ = false;
  bool can_fail_;
};

}  // namespace weir
