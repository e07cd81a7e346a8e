// Compose: builds a node of another operator from inside an operator that stands for it.
// Ownership: as Dataset::build. Threads: any. Errors: as Dataset::build.
// Cost: that of building a node; nothing per row.
#pragma once

#include <string_view>
#include <vector>

#include "dataset/operator.h"

namespace weir {

class Compose {
 public:
  explicit Compose(const OperatorDef& op) : op_(op), params_(op.make_params()) {}

  // Sets a field by name. REQUIRES: the operator has it, of that type.
  template <class T>
  Compose& set(std::string_view name, const T& value) {
    Fields fields;
    params_->fields(fields);
    for (Field& field : fields.list) {
      if (name == field.name) **std::get_if<T*>(&field.slot) = value;
    }
    return *this;
  }
  Result<DatasetRef> build(std::vector<DatasetRef> inputs, Runtime& runtime) {
    return Dataset::build(op_, std::move(params_), std::move(inputs), &runtime);
  }

 private:
  const OperatorDef& op_;
  std::unique_ptr<ParamsBase> params_;
};

// What an operator with `expand` stands for: built with the node, or now if its parameters were not known then.
Result<DatasetRef> expansion(const Opening& opening, const ParamsBase& params);

}  // namespace weir
