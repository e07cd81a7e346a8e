// Compose: builds a node of another operator from inside an operator that stands for it; PassCursor gives its
// rows. Ownership: as Dataset::build. Threads: any. Errors: as Dataset::build. Cost: that of building a node;
// nothing per row.
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
  Result<DatasetRef> build(std::vector<DatasetRef> inputs, const BuildSite& site) {
    return Dataset::build(op_, std::move(params_), std::move(inputs), site);
  }

 private:
  const OperatorDef& op_;
  std::unique_ptr<ParamsBase> params_;
};

// What an operator with `expand` stands for: built with the node, or now if its parameters were not known
// then.
Result<DatasetRef> expansion(const Opening& opening, const ParamsBase& params);

// The cursor of an operator that adds nothing to the rows of another node.
class PassCursor final : public Cursor {
 public:
  PassCursor(Opening& opening, DatasetRef node)
      : rows_(opening.ctx, std::move(node), opening.env, opening.key, opening.path, -1, Port::Mode::pass) {}
  Step next(Context& ctx, const Demand& demand, Block& out) override { return rows_.pull(ctx, demand, out); }
  void state(Archive& archive) override { rows_.state(archive); }

 private:
  Port rows_;
};

}  // namespace weir
