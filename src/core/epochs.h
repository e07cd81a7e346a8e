// EpochScope: counts how often each dataset node that reshuffles has been opened.
//
// The k-th opening of a shuffle takes the k-th pair of its seeds. A scope is an iterator's root or one call
// of a lambda. A node is counted in the scope of the lambda that it was written in, so a dataset that a
// lambda captures goes on counting in the scope outside. Counts belong to a position: anchors, ring entries
// and checkpoints carry them. Ownership: tables are immutable and shared; a scope replaces its table at an
// opening. Threads: a scope has one driver. Cost: nothing per row; an opening copies the table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace weir {

struct EpochTable;
using EpochTableRef = std::shared_ptr<const EpochTable>;

// The counts of one scope and of those around it.
struct EpochTable {
  EpochTableRef outer;
  // Lambdas around the nodes that are counted here; 0 in an iterator's root.
  int depth = 0;
  // Tells the calls of a lambda apart; 0 in an iterator's root.
  uint64_t key = 0;
  // Counts the nodes of the scopes around it as well: in a function that drains a dataset.
  bool closed = false;
  // Sorted by node.
  std::vector<std::pair<uint64_t, uint64_t>> counts;
};

// A node of a graph that counts its openings.
struct EpochNode {
  uint64_t id = 0;
  int depth = 0;
  // Several uses of the node open it in turns.
  bool shared = false;
  // How often it is opened while the graph is gone through once, or -1 where that depends on the data.
  int64_t openings = 1;

  bool operator==(const EpochNode& other) const { return id == other.id; }
};

// Numbers the counted nodes of a graph in the same way in every process that builds it.
class EpochIndex {
 public:
  // Of nodes that the index does not know. They are left out of what is written down.
  static constexpr uint64_t kUnlisted = uint64_t{1} << 62;

  explicit EpochIndex(std::span<const EpochNode> nodes);

  uint64_t number_of(uint64_t node) const;
  bool shared(uint64_t node) const;

 private:
  struct Entry {
    uint64_t id;
    uint64_t number;
    bool shared;
  };
  const Entry* find(uint64_t node) const;
  std::vector<Entry> entries_;
};

class EpochScope {
 public:
  // Of an iterator's root.
  EpochScope() = default;
  explicit EpochScope(EpochTableRef table);
  // Of a call of a lambda. Nodes with fewer lambdas around them count in `outer`, or here if it is closed.
  EpochScope(EpochTableRef outer, int depth, uint64_t key, bool closed = false);

  int depth() const { return depth_; }
  uint64_t key() const { return key_; }
  // With those of the scopes around it. Null if this is a root in which nothing was counted.
  const EpochTableRef& table() const;

  // Where a node with `depth` lambdas around it is counted.
  struct Home {
    int depth;
    uint64_t key;
    // In a function that drains a dataset from outside: no position outside counts it.
    bool borrowed;
  };
  Home home(int depth) const;
  uint64_t count(uint64_t node, int depth = 0) const;
  void set(uint64_t node, uint64_t count, int depth = 0);
  // Returns the number of this opening, from 0, and counts it.
  uint64_t open(uint64_t node, int depth = 0);

  // The table in which nodes of that depth are counted, for a scope inside this one, and what it has become.
  EpochTableRef at(int depth) const;
  void replace(int depth, const EpochTableRef& table);
  // What this scope, a call's, knows of those around it.
  EpochTableRef outer() const;
  void enter(const EpochTableRef& outer);

  // Counts only grow along a position: takes over what is further on in `other`, a table of this scope.
  void advance_to(const EpochTableRef& other);

  // The counts of this scope and of those around it that have at least `depth` lambdas around them, as
  // numbers to write down; and back, which sets those counts.
  std::vector<uint64_t> written(int depth = 0) const;
  // False if the numbers are not what written() gives.
  bool assign(std::span<const uint64_t> numbers);

 private:
  // Null until it is asked for; the other members say what it begins as.
  mutable EpochTableRef table_;
  EpochTableRef outer_;
  int depth_ = 0;
  uint64_t key_ = 0;
  bool closed_ = false;
};

}  // namespace weir
