#include "dataset/cardinality.h"

#include <map>

namespace weir {

namespace {

// Of the nodes that share an instance's variables and key.
class Count {
 public:
  Count(Session& session, const Instance& instance) : session_(session), instance_(instance) {}

  Result<int64_t> operator()(const DatasetRef& node) {
    const OperatorDef& op = node->op();
    const bool open = op.typing.cardinality_at != nullptr || op.typing.slice != nullptr ||
                      op.typing.cardinality != unknown_cardinality;
    if (node->cardinality() != kUnknown || !open) return node->cardinality();
    const auto known = done_.find(node->id());
    if (known != done_.end()) return known->second;
    WEIR_ASSIGN(int64_t count, again(*node));
    done_.emplace(node->id(), count);
    return count;
  }

 private:
  Result<int64_t> again(const Dataset& node) {
    const OperatorDef& op = node.op();
    std::unique_ptr<ParamsBase> bound;
    if (node.dynamic()) {
      WEIR_ASSIGN(bound, bind_params(node.params(), session_, instance_.env.get(), instance_.key));
    }
    const ParamsBase& params = bound ? *bound : node.params();
    if (op.typing.cardinality_at != nullptr) {
      const Instance self(DatasetRef(&node), instance_.env, instance_.key, instance_.path);
      return op.typing.cardinality_at(session_, self, params);
    }
    std::vector<DatasetRef> inputs;
    for (const DatasetRef& input : node.inputs()) {
      WEIR_ASSIGN(const int64_t count, (*this)(input));
      inputs.push_back(count == input->cardinality() ? input : Dataset::stand_in(*input, count));
    }
    return count_elements(op, params, inputs);
  }

  Session& session_;
  const Instance& instance_;
  std::map<uint64_t, int64_t> done_;
};

}  // namespace

Result<int64_t> cardinality_at(Session& session, const Instance& instance) {
  return Count(session, instance)(instance.node);
}

}  // namespace weir
