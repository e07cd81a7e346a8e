#include "core/epochs.h"

#include <algorithm>

namespace weir {

namespace {

template <class Counts>
auto find(Counts& counts, uint64_t node) {
  return std::lower_bound(counts.begin(), counts.end(), node,
                          [](const auto& entry, uint64_t wanted) { return entry.first < wanted; });
}

void put(EpochTable& table, uint64_t node, uint64_t count) {
  auto at = find(table.counts, node);
  if (at != table.counts.end() && at->first == node) {
    at->second = count;
  } else {
    table.counts.insert(at, {node, count});
  }
}

}  // namespace

uint64_t epoch_count(const EpochTable* table, uint64_t node) {
  if (table == nullptr) return 0;
  auto at = find(table->counts, node);
  return at != table->counts.end() && at->first == node ? at->second : 0;
}

EpochScope::EpochScope(uint64_t key) {
  auto fresh = std::make_shared<EpochTable>();
  fresh->key = key;
  table_ = std::move(fresh);
}

uint64_t EpochScope::open(uint64_t node) {
  uint64_t count = epoch_count(table_.get(), node);
  set(node, count + 1);
  return count;
}

void EpochScope::set(uint64_t node, uint64_t count) {
  auto fresh = table_ ? std::make_shared<EpochTable>(*table_) : std::make_shared<EpochTable>();
  put(*fresh, node, count);
  table_ = std::move(fresh);
}

void EpochScope::advance_to(const EpochTableRef& other) {
  if (other == table_ || other == nullptr) return;
  for (const auto& [node, count] : other->counts) {
    if (epoch_count(table_.get(), node) < count) set(node, count);
  }
}

std::vector<uint64_t> EpochScope::counts(std::span<const uint64_t> nodes) const {
  std::vector<uint64_t> out;
  out.reserve(nodes.size());
  for (uint64_t node : nodes) out.push_back(epoch_count(table_.get(), node));
  return out;
}

void EpochScope::assign(std::span<const uint64_t> nodes, std::span<const uint64_t> counts) {
  for (size_t i = 0; i < nodes.size() && i < counts.size(); ++i) {
    if (epoch_count(table_.get(), nodes[i]) != counts[i]) set(nodes[i], counts[i]);
  }
}

}  // namespace weir
