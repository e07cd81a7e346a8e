#include "graph/variable.h"

#include "dataset/access.h"
#include "dataset/cardinality.h"
#include "dataset/operator.h"

namespace weir {

namespace {

struct VariableParams : ParamsOf<VariableParams> {
  ValueParam value;
  void fields(Fields& f) override { f("value", value, "The dataset."); }
};

DatasetRef node_of(const VariableParams& params) {
  return DatasetRef(static_cast<const Dataset*>(dataset_of(params.value.values[0]).node.get()));
}

Result<int64_t> variable_cardinality(Session& session, const Instance& instance, const ParamsBase& base) {
  const auto& params = static_cast<const VariableParams&>(base);
  return cardinality_at(
      session, {node_of(params), dataset_of(params.value.values[0]).env, instance.key, instance.path});
}

class Variable final : public RestartableCursor {
 public:
  Variable(Opening& opening, const VariableParams& params)
      : input_(opening.ctx,
               {node_of(params), dataset_of(params.value.values[0]).env, opening.key, opening.path},
               Port::Mode::pass) {}

  bool restart(Opening& opening, const ParamsBase& base) override {
    const auto& params = static_cast<const VariableParams&>(base);
    input_.restart(opening, node_of(params), dataset_of(params.value.values[0]).env, Port::Mode::pass);
    return true;
  }

  int64_t assured() const noexcept override { return input_.assured(); }
  Step next(Context& ctx, const Demand& demand, Block& out) override { return input_.pull(ctx, demand, out); }
  void state(Archive& archive) override { input_.state(archive); }

 private:
  Port input_;
};

Result<Spec> variable_spec(const VariableParams& params, std::span<const DatasetRef>) {
  return params.value.spec.children[0];
}

const OperatorDef& variable_operator() {
  static const OperatorDef def = define<VariableParams, Variable>({
      .name = "variable",
      .kind = OperatorKind::source,
      .page = {.doc = "The dataset that a variable holds."},
      .typing = {.spec = spec_of<VariableParams, variable_spec>, .cardinality_at = variable_cardinality},
      .position = {.opens_variables = true},
  });
  return def;
}

struct OuterParams : ParamsOf<OuterParams> {
  int levels = 0;
  void fields(Fields&) override {}
};

class Outer final : public RestartableCursor {
 public:
  Outer(Opening& opening, const OuterParams& params)
      : input_(opening.ctx,
               {opening.node->inputs()[0], EnvRef(opening.env->outward(params.levels)), opening.key,
                opening.path},
               Port::Mode::pass) {}

  bool restart(Opening& opening, const ParamsBase& base) override {
    const int levels = static_cast<const OuterParams&>(base).levels;
    input_.restart(opening, opening.node->inputs()[0], EnvRef(opening.env->outward(levels)),
                   Port::Mode::pass);
    return true;
  }

  int64_t assured() const noexcept override { return input_.assured(); }
  Step next(Context& ctx, const Demand& demand, Block& out) override { return input_.pull(ctx, demand, out); }
  void state(Archive& archive) override { input_.state(archive); }

 private:
  Port input_;
};

Result<std::unique_ptr<Access>> outer_access(Opening& opening, const ParamsBase& base) {
  const int levels = static_cast<const OuterParams&>(base).levels;
  return open_access(opening.ctx, {opening.node->inputs()[0], EnvRef(opening.env->outward(levels)),
                                   opening.key, opening.path});
}

Result<int64_t> outer_cardinality(Session& session, const Instance& instance, const ParamsBase& base) {
  const auto& params = static_cast<const OuterParams&>(base);
  return cardinality_at(session, {instance.node->inputs()[0], EnvRef(instance.env->outward(params.levels)),
                                  instance.key, instance.path});
}

const OperatorDef& outer_operator() {
  static const OperatorDef def = define<OuterParams, Outer>({
      .name = "let",
      .kind = OperatorKind::source,
      .page = {.doc = "A dataset bound outside the lambda."},
      .typing = {.cardinality = same_cardinality,
                 .cardinality_at = outer_cardinality,
                 .columns = Columns::passed},
      .access = {.open = outer_access},
  });
  return def;
}

}  // namespace

Result<DatasetRef> variable_dataset(ExpressionRef value, const BuildSite& site) {
  auto params = std::make_unique<VariableParams>();
  params->value.set = true;
  params->value.spec = value->spec();
  // Set even if it is constant, since the expression says what its dataset needs.
  params->value.expression = std::move(value);
  return Dataset::build(variable_operator(), std::move(params), {}, site);
}

Result<DatasetRef> outer_dataset(DatasetRef node, int levels, const BuildSite& site) {
  auto params = std::make_unique<OuterParams>();
  params->levels = levels;
  return Dataset::build(outer_operator(), std::move(params), {std::move(node)}, site);
}

}  // namespace weir
