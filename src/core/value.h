// Components, Env and NestedDataset: values of elements and of lambda variables outside a block. All are
// immutable once shared.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ref.h"
#include "core/tensor.h"

namespace weir {

// The flat list of an element's tensors; a dataset component is a scalar tensor of DType::dataset.
using Components = std::vector<Tensor>;

// The variables of one enclosing lambda's row (or, at the root, the document's $params).
class Env : public RefCounted {
 public:
  Env(RefPtr<const Env> up, Components components) : parent(std::move(up)), values(std::move(components)) {}

  // The scope `levels` further out.
  // REQUIRES: there is one.
  const Env& up(int levels) const { return *outward(levels); }
  // Like up(), but null where the outermost scope has no variables.
  const Env* outward(int levels) const {
    const Env* env = this;
    while (levels-- > 0) env = env->parent.get();
    return env;
  }

  const RefPtr<const Env> parent;
  const Components values;
};

using EnvRef = RefPtr<const Env>;

// A dataset as a value of an element: a compiled node and the variables it was made with.
class NestedDataset : public RefCounted {
 public:
  NestedDataset(RefPtr<const RefCounted> compiled, EnvRef variables)
      : node(std::move(compiled)), env(std::move(variables)) {}

  // A Dataset (dataset/dataset.h), a type this layer does not know.
  const RefPtr<const RefCounted> node;
  const EnvRef env;
};

// A scalar tensor of DType::dataset that owns `dataset`.
Tensor dataset_tensor(RefPtr<NestedDataset> dataset);
// The dataset of a scalar tensor of DType::dataset.
inline const NestedDataset& dataset_of(const Tensor& tensor) { return **tensor.as<const NestedDataset*>(); }

}  // namespace weir
