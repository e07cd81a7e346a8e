#include "core/epochs.h"

#include <algorithm>

namespace weir {

namespace {

template <class Counts>
auto find(Counts& counts, uint64_t node) {
  return std::lower_bound(counts.begin(), counts.end(), node,
                          [](const auto& entry, uint64_t wanted) { return entry.first < wanted; });
}

uint64_t count_in(const EpochTable& table, uint64_t node) {
  auto at = find(table.counts, node);
  return at != table.counts.end() && at->first == node ? at->second : 0;
}

void put(EpochTable& table, uint64_t node, uint64_t count) {
  auto at = find(table.counts, node);
  if (at != table.counts.end() && at->first == node) {
    at->second = count;
  } else {
    table.counts.insert(at, {node, count});
  }
}

template <class Table>
auto find_kept(Table& table, uint64_t node) {
  return std::find_if(table.kept.begin(), table.kept.end(),
                      [node](const auto& entry) { return entry.first == node; });
}

void put(EpochTable& table, uint64_t node, RefPtr<const RefCounted> what) {
  const auto at = find_kept(table, node);
  if (at != table.kept.end()) {
    at->second = std::move(what);
  } else {
    table.kept.emplace_back(node, std::move(what));
  }
}

// Nodes with `depth` lambdas around them are counted in this table, not in an outer one.
bool counts_here(const EpochTable& table, int depth) { return depth >= table.depth || table.closed; }

// Returns `table` with `inner`, a later version of the enclosing table that counts nodes of that depth.
EpochTableRef with_home(const EpochTableRef& table, int depth, const EpochTableRef& home) {
  if (!table || counts_here(*table, depth)) return home;
  auto copy = std::make_shared<EpochTable>(*table);
  copy->outer = with_home(table->outer, depth, home);
  return copy;
}

// The larger of each count, and what is kept with it.
EpochTableRef merged(const EpochTableRef& ours, const EpochTableRef& theirs) {
  if (!theirs || ours == theirs) return ours;
  if (!ours) return theirs;
  std::shared_ptr<EpochTable> copy;
  auto change = [&]() -> EpochTable& {
    if (!copy) copy = std::make_shared<EpochTable>(*ours);
    return *copy;
  };
  EpochTableRef outer = merged(ours->outer, theirs->outer);
  if (outer != ours->outer) change().outer = std::move(outer);
  for (const auto& [node, count] : theirs->counts) {
    if (count_in(*ours, node) < count) put(change(), node, count);
  }
  for (const auto& [node, what] : theirs->kept) {
    const bool newer = count_in(*ours, node) < count_in(*theirs, node);
    if (newer || find_kept(*ours, node) == ours->kept.end()) put(change(), node, what);
  }
  return copy ? EpochTableRef(std::move(copy)) : ours;
}

}  // namespace

EpochIndex::EpochIndex(std::span<const EpochNode> nodes) : nodes_(nodes.begin(), nodes.end()) {
  entries_.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) entries_.push_back({nodes[i].id, i, nodes[i].shared});
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
}

const EpochIndex::Entry* EpochIndex::find(uint64_t node) const {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), node,
                             [](const Entry& entry, uint64_t wanted) { return entry.id < wanted; });
  return at != entries_.end() && at->id == node ? &*at : nullptr;
}

uint64_t EpochIndex::number_of(uint64_t node) const {
  const Entry* entry = find(node);
  return entry ? entry->number : kUnlisted + node;
}

bool EpochIndex::shared(uint64_t node) const {
  const Entry* entry = find(node);
  return entry && entry->shared;
}

EpochScope::EpochScope(EpochTableRef table) : table_(std::move(table)) {
  if (!table_) return;
  depth_ = table_->depth;
  key_ = table_->key;
  closed_ = table_->closed;
}

EpochScope::EpochScope(EpochTableRef outer, int depth, uint64_t key, bool closed)
    : outer_(std::move(outer)), depth_(depth), key_(key), closed_(closed) {}

const EpochTableRef& EpochScope::table() const {
  if (!table_ && (depth_ > 0 || key_ != 0)) {
    table_ = std::make_shared<EpochTable>(EpochTable{outer_, depth_, key_, closed_, {}});
  }
  return table_;
}

EpochScope::Home EpochScope::home(int depth) const {
  if (depth >= depth_ || closed_) return {depth_, key_, depth < depth_};
  const EpochTable* table = (table_ ? table_->outer : outer_).get();
  while (table && !counts_here(*table, depth)) table = table->outer.get();
  if (!table) return {0, 0, false};
  return {table->depth, table->key, depth < table->depth};
}

uint64_t EpochScope::count(uint64_t node, int depth) const {
  EpochTableRef table = at(depth);
  return table ? count_in(*table, node) : 0;
}

void EpochScope::set(uint64_t node, uint64_t count, int depth) {
  EpochTableRef home = at(depth);
  auto copy = home ? std::make_shared<EpochTable>(*home) : std::make_shared<EpochTable>();
  put(*copy, node, count);
  replace(depth, std::move(copy));
}

RefPtr<const RefCounted> EpochScope::kept(uint64_t node, int depth) const {
  const EpochTableRef home = at(depth);
  if (!home) return nullptr;
  const auto found = find_kept(*home, node);
  return found != home->kept.end() ? found->second : nullptr;
}

void EpochScope::keep(uint64_t node, RefPtr<const RefCounted> what, int depth) {
  EpochTableRef home = at(depth);
  auto copy = home ? std::make_shared<EpochTable>(*home) : std::make_shared<EpochTable>();
  put(*copy, node, std::move(what));
  replace(depth, std::move(copy));
}

uint64_t EpochScope::open(uint64_t node, int depth) {
  const uint64_t number = count(node, depth);
  set(node, number + 1, depth);
  return number;
}

EpochCounts EpochScope::since(const EpochTableRef& before) const {
  EpochCounts out;
  const EpochTable* old = before.get();
  for (const EpochTable* table = this->table().get(); table; table = table->outer.get()) {
    while (old && old->depth > table->depth) old = old->outer.get();
    const bool same = old && old->depth == table->depth;
    for (const auto& [node, count] : table->counts) {
      const uint64_t openings = count - (same ? count_in(*old, node) : 0);
      if (openings != 0) out.push_back({table->depth, node, openings});
    }
  }
  return out;
}

void EpochScope::add(const EpochCounts& counts, uint64_t times) {
  if (times == 0) return;
  for (const auto& [depth, node, openings] : counts) set(node, count(node, depth) + openings * times, depth);
}

EpochTableRef EpochScope::at(int depth) const {
  EpochTableRef at = table();
  while (at && !counts_here(*at, depth)) at = at->outer;
  return at;
}

void EpochScope::replace(int depth, const EpochTableRef& table) {
  table_ = with_home(this->table(), depth, table);
}

EpochTableRef EpochScope::outer() const { return table_ ? table_->outer : outer_; }

void EpochScope::enter(const EpochTableRef& outer) {
  if (!table_) {
    outer_ = outer;
  } else if (table_->outer != outer) {
    auto copy = std::make_shared<EpochTable>(*table_);
    copy->outer = outer;
    table_ = std::move(copy);
  }
}

void EpochScope::advance_to(const EpochTableRef& other) {
  if (other && other != table_) table_ = merged(table(), other);
}

std::vector<uint64_t> EpochScope::written(int depth) const {
  std::vector<uint64_t> out;
  for (const EpochTable* table = this->table().get(); table && table->depth >= depth;
       table = table->outer.get()) {
    for (const auto& [node, count] : table->counts) {
      if (node >= EpochIndex::kUnlisted || count == 0) continue;
      out.insert(out.end(), {static_cast<uint64_t>(table->depth), node, count});
    }
  }
  return out;
}

bool EpochScope::assign(std::span<const uint64_t> numbers) {
  if (numbers.size() % 3 != 0) return false;
  for (size_t i = 0; i < numbers.size();) {
    const uint64_t depth = numbers[i];
    if (depth > static_cast<uint64_t>(depth_) || (i > 0 && depth >= numbers[i - 3])) return false;
    EpochTableRef home = at(static_cast<int>(depth));
    auto copy = home ? std::make_shared<EpochTable>(*home) : std::make_shared<EpochTable>();
    for (const size_t first = i; i < numbers.size() && numbers[i] == depth; i += 3) {
      if (i > first && numbers[i + 1] <= numbers[i - 2]) return false;
      put(*copy, numbers[i + 1], numbers[i + 2]);
    }
    replace(static_cast<int>(depth), std::move(copy));
  }
  return true;
}

}  // namespace weir
