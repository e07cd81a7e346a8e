// EpochTable: how often the cursors of a scope have opened each node that counts its openings (shuffle).
// A scope is an iterator's root or one call of a lambda; counts belong to a position, so anchors and ring
// entries carry the table, a shared pointer that changes only at an opening.
// Ownership: tables are immutable and shared. Threads: an EpochScope has one driver.
// Cost: nothing per row; an opening copies the table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace weir {

struct EpochTable {
  // That of the scope.
  uint64_t key = 0;
  // Sorted by node, the process-wide number of a dataset node.
  std::vector<std::pair<uint64_t, uint64_t>> counts;
};
using EpochTableRef = std::shared_ptr<const EpochTable>;

uint64_t epoch_count(const EpochTable* table, uint64_t node);

class EpochScope {
 public:
  EpochScope() = default;
  explicit EpochScope(EpochTableRef table) : table_(std::move(table)) {}
  // Of a call of a lambda that opens what draws seeds of its own (shuffle without a seed).
  explicit EpochScope(uint64_t key);

  const EpochTableRef& table() const { return table_; }
  // 0 in an iterator's root. Tells the calls of a lambda apart.
  uint64_t key() const { return table_ ? table_->key : 0; }
  // The number of this opening, from 0, and counts it.
  uint64_t open(uint64_t node);
  void set(uint64_t node, uint64_t count);
  // Counts only grow along a position: takes over what is further on in `other`.
  void advance_to(const EpochTableRef& other);

  // The counts of the given nodes, and back: how a table is written down.
  std::vector<uint64_t> counts(std::span<const uint64_t> nodes) const;
  void assign(std::span<const uint64_t> nodes, std::span<const uint64_t> counts);

 private:
  EpochTableRef table_;
};

}  // namespace weir
