#include "ops/batching/batch_rows.h"

#include <algorithm>

#include "core/checked.h"
#include "core/text.h"

namespace weir {

namespace {

// Rows at hand at once.
constexpr int64_t kPageRows = int64_t{1} << 20;

const Tensor* tensor_of_row(const Column& column, int row) {
  return &column.list()[static_cast<size_t>(row)];
}

// The first dimension of one row, or -1 for a scalar.
int64_t length_of(const Column& column, int row) {
  const Shape& shape = column.dense() ? column.tensor().shape : tensor_of_row(column, row)->shape;
  const int at = column.dense() ? 1 : 0;
  return shape.rank() > at ? shape[at] : -1;
}

}  // namespace

BatchRows::BatchRows(Opening& opening) : input_(opening, 0, Port::Mode::keep) {
  // Building has accepted it.
  components_ = row_of_value(input_.node().spec(), fixed_length_)->components();
  dense_ = dense_only(input_.node().spec());
  joined_.resize(components_.size());
  parts_.resize(input_.node().components().size());
  origins_.resize(kMaxBlockRows);
  page_.columns.resize(components_.size());
}

Step BatchRows::fill(Context& ctx, int64_t rows, For use) {
  while (buffered() == 0) {
    if (page_end_ < length_ * count_) {
      if (use == For::counting) {
        count_page(rows);
      } else if (ErrorPtr error = open_page()) {
        return error;
      }
      continue;
    }
    if (input_.buffered() == 0) {
      Demand demand;
      if (fixed_length_ > 0) {
        demand.rows = static_cast<int>(std::clamp<int64_t>((rows - 1) / fixed_length_ + 1, 1, kMaxBlockRows));
      }
      PullResult got = input_.fill(ctx, demand);
      if (got != PullResult::rows) return got;
    }
    const Block& block = input_.block();
    const int row = input_.begin();
    if (const ErrorPtr* error = block.error_of(row)) {
      failed_origin_ = block.origins.of(row);
      length_ = 0;
      input_.take(1);
      return *error;
    }
    if (ErrorPtr error = dense_ ? open(block, row) : open_value(block, row)) return error;
    if (length_ == 0 && yield_timer_.should_yield(ctx, 1)) return PullResult::pending;
  }
  yield_timer_.reset();
  return PullResult::rows;
}

// The rows of an element, or -1 if its tensors differ.
int64_t BatchRows::lengths_of(const Block& block, int row) const {
  if (block.columns.empty()) return 0;
  const int64_t length = length_of(block.columns[0], row);
  for (const Column& column : block.columns) {
    if (length_of(column, row) != length) return -1;
  }
  return length;
}

ErrorPtr BatchRows::different_lengths(const Block& block, int row) const {
  const int64_t first = length_of(block.columns[0], row);
  size_t other = 0;
  while (other + 1 < block.columns.size() && first >= 0 && length_of(block.columns[other], row) == first)
    ++other;
  const int64_t found = length_of(block.columns[other], row);
  const std::string expected = first < 0 ? std::string("tensors with a first dimension, the rows")
                                         : concat(first, " rows like in component 0");
  return invalid_argument(expected_found(expected, concat(found < 0 ? std::string("a scalar") : concat(found),
                                                          " in component ", other)))
      .pointer();
}

// Opens the element at `row`, and those after it that can be joined.
ErrorPtr BatchRows::open(const Block& block, int row) {
  length_ = 0;
  first_ordinal_ = input_.position();
  const int64_t length = lengths_of(block, row);
  const bool joins =
      std::all_of(block.columns.begin(), block.columns.end(), [](const Column& c) { return c.dense(); });
  int end = row + 1;
  if (joins && length >= 0) {
    end = block.rows;
    for (const RowError& error : block.errors) {
      if (error.row > row) end = std::min(end, error.row);
    }
    // Rows without entries may be as many as a dimension can say.
    if (!checked_multiply<int64_t>(length, end - row)) end = row + 1;
  }
  const int64_t skip = std::exchange(skip_, 0);
  input_.take(end - row);
  if (length < 0) {
    failed_origin_ = block.origins.of(row);
    return different_lengths(block, row);
  }
  if (skip > 0 && skip >= length) return shorter_than_saved();
  count_ = end - row;
  for (size_t i = 0; i < joined_.size(); ++i) {
    const Column& column = block.columns[i];
    joined_[i] = column.dense() ? column.tensor().rows(row, count_) : *tensor_of_row(column, row);
    if (column.dense()) {
      const Shape rows = joined_[i].shape.tail();
      joined_[i].shape = rows.with_dim(0, length * count_);
    }
  }
  has_origins_ = !block.origins.empty();
  for (int i = row; has_origins_ && i < end; ++i)
    origins_[static_cast<size_t>(i - row)] = block.origins.of(i);
  length_ = length;
  page_.rows = begin_ = 0;
  page_end_ = skip;
  return nullptr;
}

// Takes the element; its rows are split when they are needed.
ErrorPtr BatchRows::open_value(const Block& block, int row) {
  length_ = 0;
  first_ordinal_ = input_.position();
  const int64_t skip = std::exchange(skip_, 0);
  failed_origin_ = block.origins.of(row);
  has_origins_ = !block.origins.empty();
  if (has_origins_) origins_[0] = failed_origin_;
  for (size_t i = 0; i < parts_.size(); ++i) parts_[i] = block.columns[i].row(row);
  input_.take(1);
  split_ = false;
  const int64_t length = ValueRows::count_of(input_.node().spec(), parts_);
  if (length <= 0) return split_value();
  if (skip > 0 && skip >= length) return shorter_than_saved();
  count_ = 1;
  length_ = length;
  page_.rows = begin_ = 0;
  page_end_ = skip;
  return nullptr;
}

// Makes the rows of the open element, or returns what is wrong with it, and closes it.
ErrorPtr BatchRows::split_value() {
  Result<ValueRows> value = ValueRows::make(input_.node().spec(), parts_);
  if (!value.ok()) {
    length_ = 0;
    return value.status().pointer();
  }
  value_ = *std::move(value);
  split_ = true;
  return nullptr;
}

ErrorPtr BatchRows::open_page() {
  if (!dense_) {
    if (!split_) {
      if (ErrorPtr error = split_value()) return error;
    }
    const int64_t rows = std::min<int64_t>(length_ - page_end_, kMaxBlockRows);
    value_.read(page_end_, static_cast<int>(rows), page_);
    page_end_ += rows;
    begin_ = 0;
    return nullptr;
  }
  const int64_t rows = std::min(length_ * count_ - page_end_, kPageRows);
  for (size_t i = 0; i < joined_.size(); ++i) page_.columns[i].set_dense(joined_[i].rows(page_end_, rows));
  page_.rows = static_cast<int>(rows);
  page_end_ += rows;
  begin_ = 0;
  return nullptr;
}

// Like open_page(), without values.
void BatchRows::count_page(int64_t rows) noexcept {
  rows = std::min({rows, length_ * count_ - page_end_, kPageRows});
  page_.rows = static_cast<int>(rows);
  page_end_ += rows;
  begin_ = 0;
}

int BatchRows::lose(int rows) noexcept {
  if (buffered() == 0 && page_end_ < length_ * count_) count_page(rows);
  const int lost = std::min(rows, buffered());
  take(lost);
  return lost;
}

void BatchRows::consume() {
  if (!is_open() || taken() == length_ * count_) {
    input_.consume_to(is_open() ? first_ordinal_ + count_ : input_.position());
    offset_ = skip_;
    return;
  }
  input_.consume_to(first_ordinal_ + taken() / length_);
  offset_ = taken() % length_;
}

void BatchRows::add_origins(int count, Origins& out) const {
  if (!has_origins_) return;
  for (int i = 0; i < count; ++i) {
    const Origin element = origins_[static_cast<size_t>((taken() + i) / length_)];
    if (element.known()) out.add_one(i, element.of_part((taken() + i) % length_ == 0));
  }
}

Origin BatchRows::origin() const {
  if (buffered() == 0) return failed_origin_;
  if (!has_origins_) return {};
  return origins_[static_cast<size_t>(taken() / length_)].of_part(taken() % length_ == 0);
}

void BatchRows::state(Archive& archive) {
  input_.state(archive);
  archive("offset", offset_, 0, kMostCounted);
  if (!archive.loading()) return;
  length_ = count_ = page_end_ = 0;
  page_.rows = begin_ = 0;
  skip_ = offset_;
}

Step BatchRows::resume(Context& ctx) {
  if (skip_ == 0) return PullResult::rows;
  return fill(ctx, 1);
}

}  // namespace weir
