// Native: a function that an operator made of others gives them, written in C++.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "expr/types/function.h"

namespace weir {

// Calls no other function but `inner`, if there is one.
class Native : public Function {
 public:
  Native(Spec input, Spec result, FunctionRef inner = nullptr)
      : Function(std::move(input), std::move(result)), inner_(std::move(inner)) {
    if (!inner_) return;
    draws_random_ = inner_->draws_random();
    concurrent_ = inner_->concurrent();
    takes_blocks_ = inner_->takes_blocks();
    is_host_ = inner_->is_host();
  }

  Lane lane() const override { return inner_ ? inner_->lane() : Lane::compute; }
  std::string not_replayable() const override { return inner_ ? inner_->not_replayable() : ""; }
  void add_sites(Sites& out) const override {
    if (inner_) inner_->add_sites(out);
  }
  void epoch_nodes(std::vector<EpochNode>& out) const override {
    if (inner_) inner_->epoch_nodes(out);
  }
  bool opens_variables() const override { return inner_ && inner_->opens_variables(); }

  // The function that it calls, or null.
  const FunctionRef& inner() const { return inner_; }

 protected:
  const FunctionRef inner_;
};

}  // namespace weir
