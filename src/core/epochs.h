// EpochScope: counts how often each dataset node that reshuffles has been opened.
//
// The k-th opening of a shuffle takes the k-th pair of its seeds. A scope is an iterator's root or one call
// of a lambda. A node is counted in the scope of the lambda that it was written in, so a dataset that a
// lambda captures is still counted in the outer scope. Counts belong to a position: anchors, ring entries and
// checkpoints contain them.
//
// The table also has the values that a node keeps for its next opening, as a cache does. They are never
// saved: a cursor that does not find them makes them again.
//
// Tables are immutable and shared; an opening copies the table, rows cost nothing. Only one thread at a time
// may drive a scope.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ref.h"

namespace weir {

struct EpochTable;
using EpochTableRef = std::shared_ptr<const EpochTable>;

// The counts of one scope and of those that enclose it.
struct EpochTable {
  EpochTableRef outer;
  // How many lambdas enclose the nodes counted here; 0 in an iterator's root.
  int depth = 0;
  // Distinguishes the calls of a lambda; 0 in an iterator's root.
  uint64_t key = 0;
  // Counts the nodes of the enclosing scopes as well: in a function that drains a dataset.
  bool closed = false;
  // Sorted by node.
  std::vector<std::pair<uint64_t, uint64_t>> counts;
  // By node, in no order.
  std::vector<std::pair<uint64_t, RefPtr<const RefCounted>>> kept{};
};

// A node of a graph that counts its openings.
struct EpochNode {
  uint64_t id = 0;
  int depth = 0;
  // Several uses of the node take turns to open it.
  bool shared = false;
  // How often it is opened while the graph is gone through once, or -1 where that depends on the data; and
  // how often by opening the graph alone.
  int64_t openings = 1;
  int64_t openings_at_once = 1;
  // Tells which operators above run it ahead while it is opened again: below a Window, anchors list its
  // openings in another form.
  uint64_t windows = 0;

  bool operator==(const EpochNode& other) const { return id == other.id; }
};

// Numbers the counted nodes of a graph in the same way in every process that builds it.
class EpochIndex {
 public:
  // The number of nodes that the index does not know. They are left out of what is saved.
  static constexpr uint64_t kUnlisted = uint64_t{1} << 62;

  explicit EpochIndex(std::span<const EpochNode> nodes);

  uint64_t number_of(uint64_t node) const;
  bool shared(uint64_t node) const;
  // In the order of their numbers.
  std::span<const EpochNode> nodes() const { return nodes_; }

 private:
  struct Entry {
    uint64_t id;
    uint64_t number;
    bool shared;
  };
  const Entry* find(uint64_t node) const;
  std::vector<Entry> entries_;
  std::vector<EpochNode> nodes_;
};

// Openings of nodes: how many `node` had in the scope of that depth.
struct EpochCount {
  int depth;
  uint64_t node;
  uint64_t openings;
};
using EpochCounts = std::vector<EpochCount>;

class EpochScope {
 public:
  // The scope of an iterator's root.
  EpochScope() = default;
  explicit EpochScope(EpochTableRef table);
  // The scope of a call of a lambda. Nodes inside fewer lambdas count in `outer`, or here if it is closed.
  EpochScope(EpochTableRef outer, int depth, uint64_t key, bool closed = false);

  int depth() const { return depth_; }
  uint64_t key() const { return key_; }
  // The table, with those of the enclosing scopes. Null if this is a root in which nothing was counted.
  const EpochTableRef& table() const;

  // The scope that counts a node inside `depth` lambdas.
  struct Home {
    int depth;
    uint64_t key;
    // In a function that drains an outer dataset: no position outside counts it.
    bool borrowed;
  };
  Home home(int depth) const;
  uint64_t count(uint64_t node, int depth = 0) const;
  void set(uint64_t node, uint64_t count, int depth = 0);
  // Returns the number of this opening, from 0, and counts it.
  uint64_t open(uint64_t node, int depth = 0);

  // The openings counted since `before`, an earlier table of this scope.
  EpochCounts since(const EpochTableRef& before) const;
  // Counts these openings, that many times each.
  void add(const EpochCounts& counts, uint64_t times = 1);

  // Returns what is kept for the node, or null.
  RefPtr<const RefCounted> kept(uint64_t node, int depth = 0) const;
  void keep(uint64_t node, RefPtr<const RefCounted> what, int depth = 0);

  // Returns or replaces the table that counts nodes of that depth, for a scope inside this one.
  EpochTableRef at(int depth) const;
  void replace(int depth, const EpochTableRef& table);
  // What the scope of a call knows of the scopes that enclose it.
  EpochTableRef outer() const;
  void enter(const EpochTableRef& outer);

  // Counts only grow along a position. Takes over the larger counts of `other`, a table of this scope.
  void advance_to(const EpochTableRef& other);

  // Returns the counts of this scope and of those that enclose it, down to `depth` lambdas, as numbers to
  // save.
  std::vector<uint64_t> written(int depth = 0) const;
  // Sets the counts that written() gave. Returns false if the numbers are not valid.
  bool assign(std::span<const uint64_t> numbers);

 private:
  // Null until asked for; the other members say what it begins as.
  mutable EpochTableRef table_;
  EpochTableRef outer_;
  int depth_ = 0;
  uint64_t key_ = 0;
  bool closed_ = false;
};

}  // namespace weir
