// drop_no_ops: operators that give every row of their input, unchanged.
#include <string_view>

#include "expr/composed_function.h"
#include "graph/rewrites/rule.h"

namespace weir {
namespace {

// Whether its elements may be found by their places in a file.
bool may_seek(const Dataset& node) {
  if (!node.op().seeks) return false;
  return node.op().kind == OperatorKind::source || may_seek(*node.inputs()[0]);
}

// Nothing if the operator does something.
std::optional<ReplacedOperator> no_op(const DatasetRef& node) {
  const std::string_view name = node->op().name;
  const DatasetRef& input = node->inputs()[0];
  ReplacedOperator out{.node = node};
  if (name == "take" && number_in(*node, "n").value_or(0) < 0) {
    out.key = "left";
    out.number = out.high = INT64_MAX;
    // What it counts down from the largest number never runs out.
    out.low = 1;
    return out;
  }
  // Over records with an index it finds each by its place, also behind a damaged one.
  if (name == "skip" && number_in(*node, "n") == 0 && !may_seek(*input)) {
    out.key = "left";
    return out;
  }
  // Over something that counts its openings, the one after the last epoch is seen.
  if (name == "repeat" && number_in(*node, "count") == 1 && !input->may_count_openings()) {
    out.key = "epoch";
    out.derives_key = true;
    return out;
  }
  if (name == "concatenate" && std::string_view(node->inputs()[1]->op().name) == "empty" &&
      node->spec().to_string() == input->spec().to_string()) {
    out.text_key = "second";
    return out;
  }
  const bool passes = (name == "prefetch" && number_in(*node, "n") == 0) || name == "options" ||
                      (is_sequential_map(*node) && is_identity(*function_in(*node))) ||
                      (name == "filter" && is_always_true(*function_in(*node)));
  return passes ? std::optional(out) : std::nullopt;
}

bool take(OperatorRun& run, const DatasetRef& node) {
  std::optional<ReplacedOperator> found = no_op(node);
  if (!found) return false;
  run.keyed = run.keyed || found->derives_key;
  const std::string_view name = node->op().name;
  // The others do no more by themselves than pass rows on.
  run.worthwhile = run.worthwhile || name == "skip" || name == "map" || name == "filter";
  run.operators.push_back(*std::move(found));
  return true;
}

}  // namespace

const Rule& drop_no_ops_rule() {
  static const Rule rule{
      .name = "drop_no_ops",
      .take = take,
  };
  return rule;
}

}  // namespace weir
