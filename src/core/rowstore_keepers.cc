// What holds the bytes that rows refer to, and how rows let go of them.
#include <algorithm>

#include "core/rowstore.h"

namespace weir {

namespace {

// How many keepers are searched for a row's buffer, besides the last one.
constexpr size_t kKeepersSearched = 8;

}  // namespace

uint32_t RowStore::keep(const BufferRef& buffer, const OwnersRef& owners) {
  // Rows come in the order of their buffers, so it is usually the last keeper.
  if (last_keeper_ < keepers_.size()) {
    Keeper& last = keepers_[last_keeper_];
    if (last.rows > 0 && last.buffer == buffer && last.owners == owners) {
      ++last.rows;
      return last_keeper_;
    }
  }
  for (uint32_t i = 0; i < std::min<size_t>(keepers_.size(), kKeepersSearched); ++i) {
    if (keepers_[i].rows > 0 && keepers_[i].buffer == buffer && keepers_[i].owners == owners) {
      ++keepers_[i].rows;
      return last_keeper_ = i;
    }
  }
  if (free_keepers_.empty()) {
    free_keepers_.push_back(static_cast<uint32_t>(keepers_.size()));
    keepers_.emplace_back();
  }
  last_keeper_ = free_keepers_.back();
  free_keepers_.pop_back();
  keepers_[last_keeper_] = {buffer, owners, 1};
  return last_keeper_;
}

void RowStore::reserve_keepers(size_t count) {
  const size_t needed = keepers_.size() + count;
  if (keepers_.capacity() < needed) keepers_.reserve(std::max(needed, 2 * keepers_.size()));
  if (free_keepers_.capacity() < needed) free_keepers_.reserve(std::max(needed, 2 * keepers_.size()));
}

void RowStore::unkeep(uint32_t keeper) {
  if (--keepers_[keeper].rows > 0) return;
  free_keepers_.push_back(keeper);
  keepers_[keeper] = Keeper();
}

void RowStore::clear() {
  arena_.forget_reusable();
  for (uint32_t id = 1; references_ && id < arena_.id_limit(); ++id) {
    if (arena_.live(id)) release(id);
  }
  arena_.clear();
  slots_.clear();
  keepers_.clear();
  free_keepers_.clear();
  tables_.clear();
  references_ = false;
}

int64_t RowStore::byte_size() const {
  return slots_.byte_size() + arena_.byte_size() + static_cast<int64_t>(in_.capacity() + out_.capacity()) +
         static_cast<int64_t>(numbers_.capacity() * sizeof(int64_t)) +
         static_cast<int64_t>(keepers_.capacity() * sizeof(Keeper) +
                              free_keepers_.capacity() * sizeof(uint32_t));
}

void RowStore::discard(int count) {
  if (inlined_) return;
  const uint8_t* entry = out_.data();
  const uint8_t* const end = entry + static_cast<size_t>(count) * entry_bytes_;
  while (entry < end) {
    const uint64_t first = word(entry);
    if (!in_table(first)) {
      let_go(entry);
      entry += entry_bytes_;
      continue;
    }
    // Most rows are of the table of the one before.
    int64_t rows = 0;
    for (; entry < end && in_table(word(entry)) && table_of(word(entry)) == table_of(first); ++rows)
      entry += entry_bytes_;
    leave_table(table_of(first), rows);
  }
}

void RowStore::leave_table(size_t index, int64_t rows) {
  Table& table = tables_[index];
  table.rows -= rows;
  // What nobody refers to is not held.
  if (table.rows == 0) table.buffers.clear();
}

void RowStore::let_go(const uint8_t* entry) {
  if (in_table(word(entry))) {
    leave_table(table_of(word(entry)), 1);
    return;
  }
  const uint32_t id = handle(entry);
  if (id == 0) return;
  if (references_) release(id);
  arena_.free(id);
}

}  // namespace weir
