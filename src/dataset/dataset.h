// Dataset: a node of a graph: operator, parameters, inputs, structure and cardinality.
//
// Immutable after build() and reference-counted. Nodes share their inputs; a dataset may be used by any
// number of iterators and outlives its makers.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/epochs.h"
#include "core/spec.h"
#include "dataset/operator_def.h"
#include "exec/executor.h"

namespace weir {

class Dataset : public RefCounted {
 public:
  // Types the node and checks its constants; invalid_argument if they are wrong.
  static Result<DatasetRef> build(const OperatorDef& op, std::unique_ptr<ParamsBase> params,
                                  std::vector<DatasetRef> inputs, const BuildSite& site = {});
  // What OperatorDef::cardinality may know of an input whose count is that of this opening. It has no
  // parameters and cannot be opened.
  static DatasetRef stand_in(const Dataset& node, int64_t cardinality);

  const OperatorDef& op() const { return *op_; }
  // What errors, explain and stats call it.
  const char* name() const { return called_ ? called_ : op_->name; }
  const ParamsBase& params() const { return *params_; }
  const std::vector<DatasetRef>& inputs() const { return inputs_; }
  const Spec& spec() const { return spec_; }
  // The flat list of spec(), computed once.
  const std::vector<Component>& components() const { return components_; }
  // A count, kInfinite or kUnknown.
  int64_t cardinality() const { return cardinality_; }
  // The number of this node, unique in the process.
  uint64_t id() const { return id_; }
  // True if some parameter is evaluated when a cursor opens.
  bool dynamic() const { return dynamic_; }
  // The number of lambdas around this node.
  int depth() const { return depth_; }
  // The node that counts openings of this one.
  uint64_t epoch_id() const { return epoch_id_; }

  // Nodes at or below this one, lambdas included, whose openings are counted, in a fixed order.
  const std::vector<EpochNode>& epoch_nodes() const { return epoch_nodes_; }
  // True if a dataset in a variable may be opened below.
  bool opens_variables() const { return opens_variables_; }
  // True if some opening below may be counted, also of a dataset in a variable, or there is something else
  // that Ports list with the openings: names that are found, errors that are left out.
  bool may_count_openings() const {
    return opens_variables_ || !epoch_nodes_.empty() || !sites_.names.empty();
  }
  // True also if Ports only list what folders had.
  bool may_list_openings() const { return may_count_openings() || sites_.finds_written; }
  // The sites at or below this node, lambdas included.
  const Sites& sites() const { return sites_; }
  // The lane that a pump over this node must run on.
  Lane lane() const { return lane_; }
  // The same if nothing below runs ahead.
  Lane deepest_lane() const { return deepest_lane_; }
  // The value of `deterministic: none` for this node and those built on it; empty if not set.
  std::optional<bool> order() const { return order_; }
  // The node as written; null if it replaces another, or was not made from text.
  const std::shared_ptr<const NodeDigest>& digest() const { return digest_; }
  // Empty, or why equal positions need not give equal rows: "map calls a callback that is not declared pure".
  const std::string& not_replayable() const { return not_replayable_; }

 private:
  Dataset() = default;
  // The value of `deterministic: none` for a node that is being built, in dataset_order.cc. A pipeline sets
  // it once, by options(), for the operators before and after it, but not inside their lambdas. Sets the
  // node's parameters accordingly; if this node sets it, its inputs are replaced by ones to which it applies.
  // invalid_argument if two nodes differ.
  static Result<std::optional<bool>> settle_order(const OperatorDef& op, ParamsBase& params,
                                                  std::vector<DatasetRef>& inputs, const BuildSite& site);
  Status expand(const ParamsBase& params, const BuildSite& site);
  void inherit();
  void inherit_parts();
  void inherit(const EpochNode& counted, bool shared);
  EpochNode counted_through(EpochNode counted, size_t index) const;
  void inherit(const FunctionTraits& traits, int64_t calls, bool opens);

  const OperatorDef* op_ = nullptr;
  std::unique_ptr<ParamsBase> params_;
  std::vector<DatasetRef> inputs_;
  Spec spec_;
  std::vector<Component> components_;
  int64_t cardinality_ = kUnknown;
  // This one and those below it, each as often as it is opened.
  int64_t operators_ = 1;
  uint64_t id_ = 0;
  bool dynamic_ = false;
  int depth_ = 0;
  uint64_t epoch_id_ = 0;
  bool opens_variables_ = false;
  std::vector<EpochNode> epoch_nodes_;
  Sites sites_;
  Lane lane_ = Lane::compute;
  Lane deepest_lane_ = Lane::compute;
  std::optional<bool> order_;
  std::string not_replayable_;
  std::shared_ptr<const NodeDigest> digest_;
  const char* called_ = nullptr;
};

}  // namespace weir
