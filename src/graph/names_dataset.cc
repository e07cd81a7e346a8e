#include "graph/names_dataset.h"

#include <memory>
#include <utility>
#include <variant>

#include "graph/arguments.h"
#include "graph/written_call.h"
#include "ops/list.h"

namespace weir {

namespace {

// Makes a vector of one name.
class AsVector final : public ParamExpression {
 public:
  explicit AsVector(ExpressionRef scalar) : scalar_(std::move(scalar)) {}
  Result<Components> evaluate(Session& session, const Env* env, uint64_t key) const override {
    WEIR_ASSIGN(Components values, scalar_->evaluate(session, env, key));
    values[0] = values[0].reshaped({1});
    return values;
  }
  const FunctionTraits& traits() const override { return scalar_->traits(); }

 private:
  ExpressionRef scalar_;
};

}  // namespace

Result<DatasetRef> names_dataset(ExpressionRef names, BuildSite at) {
  const OperatorDef* def = find_operator("from_tensor_slices");
  if (!def) return internal_error("from_tensor_slices is not registered; please report this");
  FieldList slices(*def);
  ValueParam& value = *std::get<ValueParam*>(slices.list[0].slot);
  bool scalar = names->spec().shape.rank() == 0;
  value.set = true;
  value.spec = Spec::tensor(DType::string, scalar ? Shape{1} : names->spec().shape);
  if (names->constant()) {
    value.values = *names->constant();
    if (scalar) value.values[0] = value.values[0].reshaped({1});
  } else if (scalar) {
    value.expression = make_ref<AsVector>(std::move(names));
  } else {
    value.expression = std::move(names);
  }
  // The parameter's own digest has the names.
  auto digest = std::make_shared<WrittenCall>();
  digest->name = "names";
  at.digest = std::move(digest);
  return Dataset::build(*def, std::move(slices.params), {}, at);
}

}  // namespace weir
