// Typed: a part of an expression while it is compiled: its structure, and for each component where its value
// comes from. Leaves point to the Builder that computes them, which must outlive them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/spec.h"
#include "dataset/dataset.h"
#include "expr/types/literal.h"

namespace weir {

class Builder;

// One component. Exactly one of literal, constant, dataset and owner says where it comes from.
struct Leaf {
  Component type = {};
  // A literal: adapts until its dtype is resolved.
  LiteralRef literal = {};
  // Known when the dataset is built.
  std::shared_ptr<const Tensor> constant = {};
  // A dataset of a scope `env_depth` Envs below the root.
  DatasetRef dataset = {};
  int env_depth = 0;
  // Computed by `owner`: in a register of a program, or at (level, slot) of a scope's Env.
  Builder* owner = nullptr;
  int index = -1;
  int level = 0;
  // A vector (or scalar) of int64, some of whose entries are known; kUnknownEntry for the others.
  std::optional<std::vector<int64_t>> integers = {};

  bool known() const { return literal != nullptr || constant != nullptr; }
};

struct Typed {
  Spec spec = {};
  std::vector<Leaf> leaves = {};

  bool is_tensor() const { return spec.is_tensor(); }
  bool is_literal() const { return is_tensor() && leaves[0].literal != nullptr; }
  // Child i of a tuple or dict.
  Typed child(int i) const {
    const auto at = static_cast<size_t>(i);
    const auto first = leaves.begin() + spec.child_offset(i);
    return {spec.children[at], {first, first + spec.children[at].component_count()}};
  }
  // The dict of the children that are not marked.
  Typed others(const std::vector<bool>& marked) const {
    Typed out;
    out.spec.kind = Spec::Kind::dict;
    for (size_t i = 0; i < marked.size(); ++i) {
      if (marked[i]) continue;
      const Typed member = child(static_cast<int>(i));
      out.spec.keys.push_back(spec.keys[i]);
      out.spec.children.push_back(member.spec);
      out.leaves.insert(out.leaves.end(), member.leaves.begin(), member.leaves.end());
    }
    return out;
  }
};

Typed typed_constant(Tensor value);
Typed typed_literal(Literal literal);
// Leaves of that structure that nothing computes yet.
Typed typed_of(const Spec& spec);

}  // namespace weir
