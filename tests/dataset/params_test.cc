#include "dataset/params.h"

#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <stdexcept>

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  IntParam count;
  FloatParam rate = 0.5;
  StringParam name = std::string("x");
  BoolParam flag = false;
  ValueParam value;
  void fields(Fields& f) override {
    f("count", count, "", {.low = 1, .high = 9});
    f("rate", rate, "", at_least(0));
    f("name", name, "");
    f("flag", flag, "");
    f("value", value, "");
  }
};

class Constant : public ParamExpression {
 public:
  explicit Constant(Result<Components> answer) : answer_(std::move(answer)) {}
  Result<Components> evaluate(Session&, const Env*, uint64_t key) const override {
    last_key = key;
    return answer_;
  }
  const FunctionTraits& traits() const override { throw std::logic_error("only datasets ask for it"); }

  mutable std::optional<uint64_t> last_key;

 private:
  Result<Components> answer_;
};

// Something already in the env.
class Variable : public Constant {
 public:
  explicit Variable(Tensor value)
      : Constant(internal_error("evaluated although lent")), value_(std::move(value)) {}
  const Tensor* lend(const Env*) const override { return &value_; }

 private:
  Tensor value_;
};

template <class T>
void evaluate_as(Scalar<T>& slot, Tensor value) {
  slot.state = Scalar<T>::State::expression;
  slot.expression = make_ref<Constant>(Components{std::move(value)});
}

Status bound_status(const Params& params, int64_t* count = nullptr) {
  Runtime runtime;
  auto session = make_ref<Session>(runtime, nullptr, nullptr);
  auto bound = bind_params(params, *session, nullptr, 7);
  if (bound.ok() && count) *count = *static_cast<Params&>(**bound).count;
  return bound.status();
}

TEST_CASE("Constants are checked against their bounds", "[params]") {
  struct Row {
    int64_t count;
    const char* message;
  };
  for (const Row& row : {Row{1, ""}, Row{9, ""}, Row{0, "expected a number from 1 to 9, found 0"},
                         Row{10, "expected a number from 1 to 9, found 10"}}) {
    Params params;
    params.count = row.count;
    Fields fields;
    params.fields(fields);
    Status status = check_bounds(fields.list[0]);
    REQUIRE((status.ok() ? "" : status.error().message) == std::string(row.message));
  }
}

TEST_CASE("Floats are bounded too, and NaN is in no bounds", "[params]") {
  Params params;
  Fields fields;
  params.fields(fields);
  REQUIRE(check_bounds(fields.list[1]).ok());
  params.rate = -0.5;
  REQUIRE(check_bounds(fields.list[1]).error().message == "expected at least 0, found -0.500000");
  params.rate = std::numeric_limits<double>::quiet_NaN();
  REQUIRE_FALSE(check_bounds(fields.list[1]).ok());
}

TEST_CASE("Neither auto nor none is out of bounds", "[params]") {
  Params params;
  Fields fields;
  params.fields(fields);
  params.count = IntParam::automatic();
  REQUIRE(check_bounds(fields.list[0]).ok());
}

TEST_CASE("Binding replaces expressions by their values and leaves the node as it is", "[params]") {
  Params params;
  evaluate_as(params.count, Tensor::scalar<int64_t>(7));
  REQUIRE(has_expressions(params));
  int64_t count = 0;
  REQUIRE(bound_status(params, &count).ok());
  REQUIRE(count == 7);
  REQUIRE(params.count.state == IntParam::State::expression);
}

TEST_CASE("A value out of range at run time is an error of the opening", "[params]") {
  Params params;
  evaluate_as(params.count, Tensor::scalar<int64_t>(0));
  Status status = bound_status(params);
  REQUIRE(status.code() == Code::invalid_argument);
}

TEST_CASE("Every kind of scalar is read from its tensor", "[params]") {
  Params params;
  params.count = 1;
  REQUIRE_FALSE(has_expressions(params));
  evaluate_as(params.rate, Tensor::scalar<float>(0.25F));
  evaluate_as(params.name, Tensor::string("abc"));
  evaluate_as(params.flag, Tensor::scalar<bool>(true));
  params.value.expression = make_ref<Constant>(Components{Tensor::scalar<int64_t>(3)});
  Runtime runtime;
  auto session = make_ref<Session>(runtime, nullptr, nullptr);
  auto bound = bind_params(params, *session, nullptr, 7);
  REQUIRE(bound.ok());
  auto& got = static_cast<Params&>(**bound);
  REQUIRE(*got.rate == 0.25);
  REQUIRE(*got.name == "abc");
  REQUIRE(*got.flag);
  REQUIRE(*got.value.values[0].as<int64_t>() == 3);
  REQUIRE_FALSE(has_expressions(got));
}

TEST_CASE("An expression that fails, and one of a wrong type, are errors", "[params]") {
  Params params;
  params.count.state = IntParam::State::expression;
  params.count.expression = make_ref<Constant>(data_loss("gone"));
  REQUIRE(bound_status(params).code() == Code::data_loss);
  evaluate_as(params.count, Tensor::scalar<float>(1));
  REQUIRE(bound_status(params).code() == Code::internal);
  evaluate_as(params.count, Tensor::allocate(DType::int64, {2}));
  REQUIRE(bound_status(params).code() == Code::internal);
}

TEST_CASE("A variable is lent, anything else evaluated with the key of the cursor that opens", "[params]") {
  Params params;
  params.count.state = IntParam::State::expression;
  params.count.expression = make_ref<Variable>(Tensor::scalar<int64_t>(4));
  auto rate = make_ref<Constant>(Components{Tensor::scalar<float>(2)});
  params.rate.state = FloatParam::State::expression;
  params.rate.expression = rate;
  int64_t count = 0;
  REQUIRE(bound_status(params, &count).ok());
  REQUIRE(count == 4);
  REQUIRE(rate->last_key == 7);
  params.count.expression = make_ref<Variable>(Tensor::scalar<int64_t>(10));
  REQUIRE(bound_status(params).error().message == "expected a number from 1 to 9, found 10");
}

TEST_CASE("An operator with too many parameters is told so", "[params]") {
  IntParam slot;
  Fields fields;
  for (size_t i = 0; i < FieldSequence::kMost; ++i) fields("n", slot, "");
  REQUIRE_THROWS_AS(fields("n", slot, ""), std::length_error);
  REQUIRE(FieldSequence(fields.list).size() == FieldSequence::kMost);
}

}  // namespace
}  // namespace weir
