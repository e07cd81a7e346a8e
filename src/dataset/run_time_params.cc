#include "dataset/run_time_params.h"

#include <type_traits>
#include <utility>

#include "core/float_mode.h"
#include "core/seed.h"
#include "core/text.h"

namespace weir {
namespace {

Status wrong_type(const char* name, const Tensor& found) {
  return internal_error(concat("parameter ", name, " was evaluated as ", dtype_name(found.dtype),
                               found.shape.to_string(), "; please report this"));
}

Status take(const char* name, const Tensor& found, int64_t& out) {
  if (found.dtype != DType::int64) return wrong_type(name, found);
  out = *found.as<int64_t>();
  return {};
}

Status take(const char* name, const Tensor& found, double& out) {
  switch (found.dtype) {
    case DType::float32:
      in_float_mode([&] { out = *found.as<float>(); });
      return {};
    case DType::float64:
      out = *found.as<double>();
      return {};
    case DType::int64:
      in_float_mode([&] { out = static_cast<double>(*found.as<int64_t>()); });
      return {};
    default:
      return wrong_type(name, found);
  }
}

Status take(const char* name, const Tensor& found, bool& out) {
  if (found.dtype != DType::boolean) return wrong_type(name, found);
  out = *found.as<uint8_t>() != 0;
  return {};
}

Status take(const char* name, const Tensor& found, std::string& out) {
  if (found.dtype != DType::string) return wrong_type(name, found);
  out.assign(found.as<Str>()->data, found.as<Str>()->size);
  return {};
}

// What expressions are evaluated with.
struct Binding {
  Session& session;
  const Env* env;
  uint64_t key;
};

// The expression of a field, or null.
ParamExpressionRef expression_in(const Field& field) {
  return std::visit(
      [](const auto* slot) {
        if constexpr (requires { slot->expression; }) return slot->expression;
        return ParamExpressionRef();
      },
      field.slot);
}

// Makes the field one of that expression again.
void set_expression(const Field& field, const ParamExpressionRef& expression) {
  std::visit(
      [&](auto* slot) {
        using T = std::remove_cvref_t<decltype(*slot)>;
        if constexpr (requires { slot->expression; }) slot->expression = expression;
        if constexpr (is_scalar_param<T>) slot->state = T::State::expression;
      },
      field.slot);
}

template <class T>
Status bind_field(const Field& field, Scalar<T>& slot, const Binding& with) {
  if (slot.state != Scalar<T>::State::expression) return {};
  Components values;
  const Tensor* value = slot.expression->lend(with.env);
  if (value == nullptr) {
    WEIR_ASSIGN(values, slot.expression->evaluate(with.session, with.env, with.key));
    if (values.size() == 1) value = &values[0];
  }
  if (value == nullptr || value->shape.rank() != 0) {
    return internal_error(
        concat("parameter ", field.name, " was evaluated as no scalar; please report this"));
  }
  WEIR_TRY(take(field.name, *value, slot.value));
  slot.state = Scalar<T>::State::constant;
  slot.expression = nullptr;
  return check_bounds(field);
}

Status bind_field(const Field&, ValueParam& slot, const Binding& with) {
  if (!slot.expression) return {};
  if (const Tensor* value = slot.expression->lend(with.env)) {
    slot.values.assign(1, *value);
  } else {
    WEIR_ASSIGN(slot.values, slot.expression->evaluate(with.session, with.env, with.key));
  }
  slot.expression = nullptr;
  return {};
}

Status bind_field(const Field& field, ValueOrInputParam& slot, const Binding& with) {
  return bind_field(field, static_cast<ValueParam&>(slot), with);
}

Status bind_field(const Field& field, SeedParam& slot, const Binding& with) {
  if (!slot.expression) return {};
  WEIR_ASSIGN(Components values, slot.expression->evaluate(with.session, with.env, with.key));
  const int64_t first = *values.at(0).as<int64_t>();
  SeedSite::Pair pair = pair_of_op_seed(first);
  if (values.size() == 2)
    pair = {static_cast<uint64_t>(first), static_cast<uint64_t>(*values[1].as<int64_t>())};
  if (pair == SeedSite::Pair()) {
    return with_parameter(invalid_argument(expected_found("another seed than (0, 0)", "(0, 0)",
                                                          "none in the text draws a seed at random")),
                          field.name);
  }
  slot.site = make_ref<SeedSite>(pair);
  slot.expression = nullptr;
  return {};
}

template <class T>
Status bind_field(const Field&, T&, const Binding&) {
  return {};
}

}  // namespace

Result<std::unique_ptr<ParamsBase>> bind_params(const ParamsBase& params, Session& session, const Env* env,
                                                uint64_t key) {
  std::unique_ptr<ParamsBase> bound = params.clone();
  Fields fields;
  bound->fields(fields);
  const Binding with{session, env, key};
  for (Field& field : fields.list) {
    WEIR_TRY(std::visit([&](auto* slot) { return bind_field(field, *slot, with); }, field.slot));
  }
  return bound;
}

RunTimeParams::RunTimeParams(const ParamsBase& params) : params_(params.clone()) {
  Fields fields;
  params_->fields(fields);
  for (const Field& field : fields.list) {
    if (ParamExpressionRef value = expression_in(field)) expressions_.push_back({field, std::move(value)});
  }
}

Status RunTimeParams::bind(Session& session, const Env* env, uint64_t key) {
  const Binding with{session, env, key};
  for (const Expression& expression : expressions_) {
    const Field& field = expression.field;
    set_expression(field, expression.value);
    WEIR_TRY(std::visit([&](auto* slot) { return bind_field(field, *slot, with); }, field.slot));
  }
  return Status();
}

}  // namespace weir
