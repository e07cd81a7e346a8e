// Rows that stay where they are, in lasting memory: a store has their numbers, and copies each once, into the
// block that it gives.
#include <algorithm>

#include "core/rowstore.h"

namespace weir {

namespace {

// A store refers to as many tables at a time; rows of others become images.
constexpr size_t kMaxTables = 8;
constexpr size_t kTableLine = 64;
// While a row of so many bytes or more is copied, the next ones are being loaded into the second level of
// cache, up to so much of each: the processor looks ahead by itself over shorter rows, and within longer
// ones.
constexpr size_t kLoadedFrom = 256;
constexpr size_t kEntriesLoadedAhead = 4096;
constexpr size_t kTableRowsAhead = 2;

// Always inlined: gcc drops calls that do nothing else.
[[gnu::always_inline]] inline void load_ahead(const uint8_t* row, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kTableLine) __builtin_prefetch(row + at, 0, 2);
}

// Copies the numbered rows of a table side by side; -1 leaves zeros.
void gather_wide(uint8_t* to, const uint8_t* table, size_t bytes, std::span<const int64_t> rows) {
  const size_t loaded = std::min(bytes, kEntriesLoadedAhead);
  for (size_t i = 0; i < rows.size(); ++i, to += bytes) {
    const size_t ahead = i + kTableRowsAhead;
    if (ahead < rows.size() && rows[ahead] >= 0)
      load_ahead(table + static_cast<size_t>(rows[ahead]) * bytes, loaded);
    if (rows[i] < 0) {
      std::memset(to, 0, bytes);
    } else {
      std::memcpy(to, table + static_cast<size_t>(rows[i]) * bytes, bytes);
    }
  }
}

// The same where `Size`, if it is not 0, is the size of a row, so that it becomes moves.
template <size_t Size>
void gather(uint8_t* to, const uint8_t* table, size_t bytes, std::span<const int64_t> rows) {
  if constexpr (Size > 0) bytes = Size;
  for (const int64_t row : rows) {
    if (row < 0) {
      std::memset(to, 0, bytes);
    } else {
      std::memcpy(to, table + static_cast<size_t>(row) * bytes, bytes);
    }
    to += bytes;
  }
}

void gather_rows(uint8_t* to, const uint8_t* table, size_t bytes, std::span<const int64_t> rows) {
  switch (bytes) {
    case 0:
      return;
    case 4:
      return gather<4>(to, table, bytes, rows);
    case 8:
      return gather<8>(to, table, bytes, rows);
    case 16:
      return gather<16>(to, table, bytes, rows);
    case 32:
      return gather<32>(to, table, bytes, rows);
    case 64:
      return gather<64>(to, table, bytes, rows);
    default:
      return bytes < kLoadedFrom ? gather<0>(to, table, bytes, rows) : gather_wide(to, table, bytes, rows);
  }
}

}  // namespace

void RowStore::choose_layout(const Block& block) {
  // A number takes as much as the smallest rows do.
  constexpr size_t kNumberBytes = 2 * sizeof(int64_t);
  if (!inlined_ || entry_bytes_ <= kNumberBytes || slots_.capacity() > 0 || !may_be_table(block)) return;
  for (size_t c = 0; c < plans_.size(); ++c) {
    // Memory that was lent for this block alone is not a table.
    const Tensor& tensor = block.columns[c].tensor();
    if (tensor.dtype != plans_[c].dtype || tensor.buffer->size() <= tensor.byte_size()) return;
  }
  inlined_ = false;
  entry_bytes_ = kNumberBytes;
  slots_.set_entry_bytes(entry_bytes_);
}

// Whether all columns are lasting tensors.
bool RowStore::may_be_table(const Block& block) const {
  if (row_bytes_.empty() || block.columns.size() != plans_.size()) return false;
  return std::all_of(block.columns.begin(), block.columns.end(), [](const Column& column) {
    return column.dense() && column.tensor().buffer && column.tensor().buffer->lasting() &&
           !column.tensor().owners;
  });
}

bool RowStore::lies_in(const Table& table, const Block& block, int64_t& first) const {
  first = -1;
  for (size_t c = 0; c < row_bytes_.size(); ++c) {
    const Tensor& tensor = block.columns[c].tensor();
    if (table.buffers[c] != tensor.buffer) return false;
    if (row_bytes_[c] == 0) continue;
    const auto bytes = static_cast<int64_t>(row_bytes_[c]);
    const int64_t offset = tensor.data - table.first[c];
    if (offset < 0 || offset % bytes != 0 || (first >= 0 && offset / bytes != first)) return false;
    first = offset / bytes;
  }
  return first >= 0 && first < (int64_t{1} << kTableShift) - kMaxBlockRows;
}

// Row 0 lies as far before the block's first row as all its columns allow.
void RowStore::begin_table(Table& table, const Block& block) const {
  int64_t before = INT64_MAX;
  for (size_t c = 0; c < row_bytes_.size(); ++c) {
    const Tensor& tensor = block.columns[c].tensor();
    if (row_bytes_[c] == 0) continue;
    before = std::min(before, (tensor.data - tensor.buffer->data()) / static_cast<int64_t>(row_bytes_[c]));
  }
  if (before == INT64_MAX) before = 0;
  table.first.clear();
  table.buffers.clear();
  for (size_t c = 0; c < row_bytes_.size(); ++c) {
    const Tensor& tensor = block.columns[c].tensor();
    table.first.push_back(tensor.data - before * static_cast<int64_t>(row_bytes_[c]));
    table.buffers.push_back(tensor.buffer);
  }
}

RowStore::Table* RowStore::find_table(const Block& block, int64_t& first) {
  if (!may_be_table(block)) return nullptr;
  Table* unused = nullptr;
  for (Table& table : tables_) {
    if (table.rows > 0 && lies_in(table, block, first)) return &table;
    if (table.rows == 0) unused = &table;
  }
  if (!unused) {
    if (tables_.size() == kMaxTables) return nullptr;
    unused = &tables_.emplace_back();
  }
  begin_table(*unused, block);
  return lies_in(*unused, block, first) ? unused : nullptr;
}

void RowStore::stage_table(Table& table, int64_t first, std::span<const int32_t> rows) {
  const uint64_t in = kTableBit | static_cast<uint64_t>(&table - tables_.data()) << kTableShift;
  uint8_t* entry = in_.data();
  for (int32_t row : rows) {
    const uint64_t word = in | static_cast<uint64_t>(first + row);
    std::memset(entry, 0, sizeof(int64_t));
    std::memcpy(entry + sizeof(int64_t), &word, sizeof(word));
    entry += entry_bytes_;
  }
  table.rows += static_cast<int64_t>(rows.size());
}

bool RowStore::write_table(int count, Block& out) {
  numbers_.resize(static_cast<size_t>(count));
  const Table* table = nullptr;
  for (size_t i = 0; i < numbers_.size(); ++i) {
    const uint64_t in = word(out_.data() + i * entry_bytes_);
    numbers_[i] = -1;
    if (in == 0) continue;
    if (!in_table(in) || (table && table != &tables_[table_of(in)])) return false;
    table = &tables_[table_of(in)];
    numbers_[i] = static_cast<int64_t>(table_row(in));
  }
  if (!table) return false;
  for (size_t c = 0; c < plans_.size(); ++c) {
    uint8_t* to = out.columns[c].make_dense(plans_[c].dtype, plans_[c].shape, count);
    gather_rows(to, table->first[c], row_bytes_[c], numbers_);
  }
  return true;
}

}  // namespace weir
