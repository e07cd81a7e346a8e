// options(deterministic, …): the input, under settings that hold for the whole pipeline. `deterministic` is what
// `deterministic: none` of map and interleave stands for, before and after it (Dataset::order). Others than the defaults
// of the rest are refused, save `rewrites`, which graph/rewrites reads. Checkpoint: the input's position.
#include "core/text.h"
#include "dataset/compose.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  BoolParam deterministic = BoolParam::none();
  BoolParam autotune{true};
  IntParam threads = IntParam::automatic();
  IntParam memory = IntParam::automatic();
  BoolParam warm_start{false};
  BoolParam rewrites{true};
  void fields(Fields& f) override {
    f("deterministic", deterministic,
      "What `deterministic: none` of map and interleave stands for: false lets results come in any order.",
      {}, {.none = true});
    f("autotune", autotune, "Only true in this version.");
    f("threads", threads, "Only auto in this version.", at_least(1), {.automatic = true});
    f("memory", memory, "Only auto in this version.", at_least(1), {.automatic = true});
    f("warm_start", warm_start, "Only false in this version.");
    f("rewrites", rewrites,
      "false: the operators run as written, where true lets one do the work of several (docs/seeing.md).", {},
      {.any_position = true});
  }
};

struct Options {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params&) {
    return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, opening.node->inputs()[0]));
  }
};

Status only(const char* parameter, const char* value, bool given) {
  if (given) return Status();
  return invalid_argument(
      Mistake(concat(parameter, " has no effect in this version; expected ", value, ", its default"),
              "leave it out"));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  WEIR_TRY(only("autotune", "true", params.autotune.value_or(false)));
  WEIR_TRY(only("threads", "auto", params.threads.is_auto()));
  WEIR_TRY(only("memory", "auto", params.memory.is_auto()));
  WEIR_TRY(only("warm_start", "false", params.warm_start.is_constant() && !*params.warm_start));
  if (params.deterministic.state == BoolParam::State::expression)
    return invalid_argument(expected_found("true, false or none", "a variable"));
  if (!params.rewrites.is_constant()) return invalid_argument(expected_found("true or false", "a variable"));
  return inputs[0]->spec();
}

}  // namespace

const OperatorDef& options_operator() {
  static const OperatorDef def = define<Params, Options>({
      .name = "options",
      .doc =
          "The input, under settings for the whole pipeline, lambdas excepted. With `deterministic: false`, every map and interleave with parallel calls that does not say otherwise gives its results in any order.",
      .cost = "No copy.",
      .example = "range(3) | map(x -> x + 1, num_parallel_calls: 2) | options(deterministic: true)",
      .output = "1\n2\n3",
      .bench = "range(1000000) | options()",
      .spec = spec_of<Params, spec>,
      .cardinality = same_cardinality,
      .passes_positions = true,
      .order = [](const ParamsBase& base) -> std::optional<bool> {
        const auto& params = static_cast<const Params&>(base);
        return params.deterministic.is_constant() ? std::optional(*params.deterministic) : std::nullopt;
      },
  });
  return def;
}

}  // namespace weir
