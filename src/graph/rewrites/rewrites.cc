#include "graph/rewrites/rewrites.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "graph/rewrites/rule.h"
#include "graph/rewrites/unused_fields.h"

namespace weir {

namespace {

constexpr const char* kUnusedFields = "unused_fields";

bool stands_for_others(const Dataset& node) { return node.op().expand != nullptr; }

// Whether options say that the pipeline is to stay as written. `seen`: what was looked at, since inputs may be shared.
bool stays(const Dataset& node, std::set<uint64_t>& seen) {
  if (!seen.insert(node.id()).second) return false;
  if (std::string_view(node.op().name) == "options" && flag_in(node, "rewrites") == false) return true;
  return std::any_of(node.inputs().begin(), node.inputs().end(),
                     [&](const DatasetRef& input) { return stays(*input, seen); });
}

class Rewriter {
 public:
  explicit Rewriter(Rewrites& out) : out_(out) {}

  Result<DatasetRef> operator()(const DatasetRef& node) {
    const auto known = done_.find(node->id());
    if (known != done_.end()) return known->second;
    WEIR_ASSIGN(DatasetRef made, make(node));
    done_.emplace(node->id(), made);
    return made;
  }

 private:
  Result<DatasetRef> make(const DatasetRef& node) {
    if (node->inputs().empty() || stands_for_others(*node)) return node;
    OperatorRun run;
    grow(run, node);
    if (run.operators.size() > 1 || run.worthwhile) return replace(std::move(run));
    std::vector<DatasetRef> inputs = node->inputs();
    bool changed = false;
    for (DatasetRef& input : inputs) {
      WEIR_ASSIGN(DatasetRef other, (*this)(input));
      changed = changed || other != input;
      input = std::move(other);
    }
    if (!changed) return node;
    return with_inputs(*node, std::move(inputs));
  }

  // Takes operators from `node` down as long as a rule does.
  static void grow(OperatorRun& run, DatasetRef node) {
    while (!run.closed && !node->inputs().empty() && !stands_for_others(*node) && !node->dynamic() &&
           take(run, node))
      node = DatasetRef(node->inputs()[0]);
  }

  static bool take(OperatorRun& run, const DatasetRef& node) {
    for (const Rule* rule : rules()) {
      if (!rule->take(run, node)) continue;
      if (std::find(run.rules.begin(), run.rules.end(), rule) == run.rules.end()) run.rules.push_back(rule);
      return true;
    }
    return false;
  }

  Result<DatasetRef> replace(OperatorRun&& run) {
    Rewrites::Replaced& replaced = out_.replaced.emplace_back();
    for (const Rule* rule : run.rules) replaced.rules.push_back(rule->name);
    for (const ReplacedOperator& each : run.operators)
      replaced.operators.insert(replaced.operators.begin(), each.node);
    WEIR_ASSIGN(DatasetRef input, (*this)(run.operators.back().node->inputs()[0]));
    RunParams params;
    params.operators = std::move(run.operators);
    params.f.function = std::move(run.function);
    params.make = run.body ? run.body->make : make_passing;
    params.seeks = run.body == &shard_first_rule();
    return replaced_run(std::move(params), std::move(input));
  }

  Rewrites& out_;
  std::map<uint64_t, DatasetRef> done_;
};

}  // namespace

Result<Rewrites> rewrite(const DatasetRef& root) {
  Rewrites out;
  WEIR_ASSIGN(UsedFields used, without_unused_fields(root));
  for (DatasetRef& map : used.maps) out.replaced.push_back({{kUnusedFields}, {std::move(map)}});
  out.written = out.root = std::move(used.root);
  if (std::set<uint64_t> seen; stays(*root, seen)) return out;
  WEIR_ASSIGN(out.root, Rewriter(out)(out.written));
  return out;
}

}  // namespace weir
