// Dataset::settle_order: what `deterministic: none` stands for.

#include <map>

#include "core/text.h"
#include "dataset/dataset.h"

namespace weir {

namespace {

// Builds the nodes again that `deterministic` changes, and those above them.
class Reorder {
 public:
  Reorder(bool deterministic, const BuildSite& site) : deterministic_(deterministic), site_(site) {}

  Result<DatasetRef> operator()(const DatasetRef& node) {
    const auto known = done_.find(node->id());
    if (known != done_.end()) return known->second;
    WEIR_ASSIGN(DatasetRef out, again(node));
    done_.emplace(node->id(), out);
    return out;
  }

 private:
  Result<DatasetRef> again(const DatasetRef& node) {
    const OperatorDef& op = node->op();
    std::vector<DatasetRef> inputs = node->inputs();
    // What it stands for is built with it.
    if (op.typing.expand != nullptr && !node->dynamic()) inputs.pop_back();
    bool changed = false;
    for (DatasetRef& input : inputs) {
      WEIR_ASSIGN(DatasetRef other, (*this)(input));
      changed = changed || other != input;
      input = std::move(other);
    }
    std::unique_ptr<ParamsBase> params = node->params().clone();
    const bool open = op.ahead.set_order != nullptr && op.ahead.set_order(*params, deterministic_);
    if (!changed && !open) return node;
    return Dataset::build(op, std::move(params), std::move(inputs),
                          {.runtime = site_.runtime,
                           .depth = node->depth(),
                           .on_behalf_of = node->epoch_id(),
                           .digest = node->digest()});
  }

  const bool deterministic_;
  const BuildSite& site_;
  std::map<uint64_t, DatasetRef> done_;
};

}  // namespace

Result<std::optional<bool>> Dataset::settle_order(const OperatorDef& op, ParamsBase& params,
                                                  std::vector<DatasetRef>& inputs, const BuildSite& site) {
  std::optional<bool> order = op.ahead.order != nullptr ? op.ahead.order(params) : std::nullopt;
  const bool says_so = order.has_value();
  for (const DatasetRef& input : inputs) {
    if (order && input->order() && order != input->order()) {
      return invalid_argument(Mistake("the options of one pipeline set deterministic to true and to false",
                                      "set it once, at the end"));
    }
    if (input->order()) order = input->order();
  }
  if (says_so) {
    Reorder reorder(*order, site);
    for (DatasetRef& input : inputs) {
      WEIR_ASSIGN(input, reorder(input));
    }
  }
  if (order && op.ahead.set_order != nullptr) op.ahead.set_order(params, *order);
  return order;
}

}  // namespace weir
