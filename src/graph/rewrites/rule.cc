#include "graph/rewrites/rule.h"

#include <memory>
#include <string_view>

#include "dataset/field_in.h"
#include "ops/apply.h"

namespace weir {

namespace {

// Elements and errors as they come.
class Passing final : public RunBody {
 public:
  Step next(Context& ctx, const Demand& demand, Port& input, Block& out) override {
    return input.pull(ctx, demand, out);
  }
};

}  // namespace

std::span<const Rule* const> rules() {
  static const Rule* const list[] = {
#define WEIR_RULE(name) &name##_rule(),
#include "graph/rewrites/list.inc"
#undef WEIR_RULE
  };
  return list;
}

std::unique_ptr<RunBody> make_passing(const Opening&, const RunParams&) {
  return std::make_unique<Passing>();
}

std::optional<int64_t> number_in(const Dataset& node, std::string_view field) {
  const auto* number = field_in<IntParam>(node.params(), field);
  return number && number->is_constant() ? std::optional(**number) : std::nullopt;
}

std::optional<bool> flag_in(const Dataset& node, std::string_view field) {
  const auto* flag = field_in<BoolParam>(node.params(), field);
  return flag && flag->is_constant() ? std::optional(**flag) : std::nullopt;
}

const Function* function_in(const Dataset& node) {
  const auto* param = field_in<FunctionParam>(node.params(), "f");
  return param && param->function ? &function_of(*param) : nullptr;
}

bool is_sequential_map(const Dataset& node) {
  return std::string_view(node.op().name) == "map" && number_in(node, "num_parallel_calls") == 1 &&
         function_in(node) != nullptr;
}

}  // namespace weir
