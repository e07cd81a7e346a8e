// Traits: what functions tell the datasets that use them. Immutable.
#pragma once

#include <string>
#include <vector>

#include "core/epochs.h"
#include "core/runtime.h"
#include "dataset/found_names.h"
#include "dataset/host_state.h"
#include "exec/executor.h"

namespace weir {

// What the rows of a graph depend on besides its text; checkpoints record it. The lists have a fixed order.
struct Sites {
  // Seeds that may have been drawn.
  std::vector<RefPtr<const SeedSite>> seeds{};
  // How many calls of functions draw by the number of their element, with seeds of any kind.
  int64_t draws = 0;
  // File names that patterns matched.
  std::vector<RefPtr<const FoundNames>> names{};
  // Folders may have elements that a pass wrote.
  bool finds_written = false;
  // The rank of the process and the number of ranks.
  bool by_rank = false;
  // Of how many parts the elements come in turn, each with its turn (core/origins.h); 0: of none, -1: of as
  // many as a variable says.
  int64_t parts = 0;
  // Empty, or why the position behind the parts is one of its rank only: "take counts the elements of its
  // rank".
  std::string counts_rank{};
  // Functions of the host that remember something and save it.
  std::vector<RefPtr<const HostState>> states{};
  // Empty, or what the rows depend on that no position has: "map calls a callback that is not declared pure".
  std::string unsaved{};
  // Of a function: empty, or why a second call with the same row may give something else. Of a dataset:
  // empty.
  std::string calls{};
  // Empty, or why an open dataset cannot be opened again as it was: "flat_map calls a callback that is not
  // declared pure for what it opens". Rows saved by value don't help, since the dataset continues after them.
  std::string reopens{};

  // Adds those that are not listed yet.
  void add(const Sites& more);
};

// What a FunctionParam's function says about itself (expr::Function derives from it).
class FunctionTraits : public RefCounted {
 public:
  // compute, blocking or caller.
  virtual Lane lane() const = 0;
  // Empty, or why two calls with the same arguments may differ.
  virtual std::string not_replayable() const = 0;
  // Adds the sites of its random calls and of the datasets it makes.
  virtual void add_sites(Sites& out) const = 0;
  // Adds the nodes that it opens for its caller and that count their openings, but not those it drains
  // itself.
  virtual void epoch_nodes(std::vector<EpochNode>& out) const = 0;
  // False if no dataset that it gives is one of an element or a variable, or opens such a one.
  virtual bool opens_variables() const { return true; }
};

}  // namespace weir
