#include "graph/rewrites/rewrites.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "dataset/compose.h"
#include "expr/compile/composed_function.h"
#include "graph/rewrites/unused_columns.h"
#include "graph/rewrites/unused_fields.h"
#include "ops/functions/fused_maps.h"

namespace weir {

namespace {

// Whether the pipeline is to stay as written. `seen`: what was looked at, since inputs may be shared.
bool stays(const Dataset& node, std::set<uint64_t>& seen) {
  if (!seen.insert(node.id()).second) return false;
  if (node.op().ahead.stays_as_written && node.op().ahead.stays_as_written(node.params())) return true;
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
    if (node->inputs().empty() || node->op().typing.expand) return node;
    std::vector<DatasetRef> maps;
    if (FunctionRef f = fuse(node, maps); maps.size() > 1) {
      out_.replaced.push_back({"fuse_maps", {maps.rbegin(), maps.rend()}});
      WEIR_ASSIGN(DatasetRef input, (*this)(maps.back()->inputs()[0]));
      return fused_maps(std::move(maps), std::move(f), std::move(input));
    }
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

  // Lists the maps from `node` down that can be one, and returns what they do together. All but the first
  // cannot fail, so that the errors are those of the first, at its path.
  static FunctionRef fuse(DatasetRef node, std::vector<DatasetRef>& maps) {
    FunctionRef all;
    while (!node->dynamic()) {
      const Function* const function = applied_function(*node);
      if (!function || !only_computes(*function) || (all && function->can_fail())) break;
      FunctionRef both = all ? composed(*function, *all) : FunctionRef(function);
      if (!both) break;
      all = std::move(both);
      maps.push_back(node);
      node = DatasetRef(node->inputs()[0]);
    }
    return all;
  }

  Rewrites& out_;
  std::map<uint64_t, DatasetRef> done_;
};

}  // namespace

Result<Rewrites> rewrite(const DatasetRef& root) {
  Rewrites out;
  WEIR_ASSIGN(UsedFields used, without_unused_fields(without_unused_columns(root)));
  for (DatasetRef& map : used.maps) out.replaced.push_back({"unused_fields", {std::move(map)}});
  out.written = out.root = std::move(used.root);
  if (std::set<uint64_t> seen; stays(*root, seen)) return out;
  WEIR_ASSIGN(out.root, Rewriter(out)(out.written));
  return out;
}

}  // namespace weir
