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

// Sorted by node, the process-wide number of a dataset node.
using EpochTable = std::vector<std::pair<uint64_t, uint64_t>>;
using EpochTableRef = std::shared_ptr<const EpochTable>;

uint64_t epoch_count(const EpochTable* table, uint64_t node);

class EpochScope {
 public:
  EpochScope() = default;
  explicit EpochScope(EpochTableRef table) : table_(std::move(table)) {}

  const EpochTableRef& table() const { return table_; }
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
