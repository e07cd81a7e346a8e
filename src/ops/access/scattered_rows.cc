#include "ops/access/scattered_rows.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "core/checked.h"

namespace weir {

namespace {

// The target of each row of a part, one after the other.
class Steps {
 public:
  explicit Steps(const ScatteredRows::Targets& targets)
      : at_(targets.first), left_(targets.left), targets_(targets) {}
  int next() {
    if (left_ == 0) {
      at_ += targets_.gap;
      left_ = targets_.run;
    }
    --left_;
    return at_++;
  }

 private:
  int at_;
  int left_;
  const ScatteredRows::Targets& targets_;
};

// Single rows of a small size at a fixed distance.
template <size_t Size>
void spread(uint8_t* to, const uint8_t* from, int rows, size_t distance) {
  for (int row = 0; row < rows; ++row, to += distance, from += Size) std::memcpy(to, from, Size);
}

void spread_rows(uint8_t* to, const uint8_t* from, int rows, size_t bytes, ScatteredRows::Targets targets) {
  const size_t distance = static_cast<size_t>(targets.run + targets.gap) * bytes;
  to += static_cast<size_t>(targets.first) * bytes;
  if (targets.run == 1 && targets.left == 1) {
    switch (bytes) {
      case 1:
        return spread<1>(to, from, rows, distance);
      case 2:
        return spread<2>(to, from, rows, distance);
      case 4:
        return spread<4>(to, from, rows, distance);
      case 8:
        return spread<8>(to, from, rows, distance);
      default:
        break;
    }
  }
  while (rows > 0) {
    const int run = std::min(rows, targets.left);
    const size_t size = static_cast<size_t>(run) * bytes;
    std::memcpy(to, from, size);
    to += size + static_cast<size_t>(targets.gap) * bytes;
    from += size;
    rows -= run;
    targets.left = targets.run;
  }
}

}  // namespace

ScatteredRows::ScatteredRows(const std::vector<Component>& components) {
  parts_.reserve(components.size());
  int64_t total = 0;
  for (const Component& component : components) {
    const bool known =
        !has_owners(component.dtype) && component.shape.is_static() && component.shape.rank() < kMaxRank;
    const int64_t count = known ? checked_count(component.shape.dims()) : -1;
    const auto bytes = checked_multiply(count, static_cast<int64_t>(dtype_size(component.dtype)));
    const auto sum = checked_add(bytes, total);
    fits_ = fits_ && count >= 0 && sum;
    if (!fits_) return;
    total = *sum;
    parts_.push_back({component.dtype, component.shape, static_cast<size_t>(*bytes), nullptr});
  }
  row_bytes_ = std::max<int64_t>(total, 1);
}

bool ScatteredRows::begin(Block& out, int rows, bool drop) noexcept try {
  out.reset(drop ? 0 : parts_.size());
  for (size_t i = 0; i < out.columns.size(); ++i) {
    parts_[i].to = out.columns[i].make_dense(parts_[i].dtype, parts_[i].shape, rows);
  }
  out_ = &out;
  room_ = rows;
  drop_ = drop;
  lost_ = misfit_ = false;
  origins_.clear();
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

// Returns false if the rows are of another size than the structure says.
bool ScatteredRows::copy(const Column& column, const Part& part, int all, Range rows,
                         Targets targets) const noexcept {
  if (part.bytes == 0) return true;
  if (column.dense()) {
    const Tensor& tensor = column.tensor();
    if (tensor.dtype != part.dtype || tensor.byte_size() != static_cast<size_t>(all) * part.bytes)
      return false;
    spread_rows(part.to, tensor.data + static_cast<size_t>(rows.begin) * part.bytes, rows.end - rows.begin,
                part.bytes, targets);
    return true;
  }
  Steps steps(targets);
  for (int row = rows.begin; row < rows.end; ++row) {
    const Tensor& tensor = column.list()[static_cast<size_t>(row)];
    uint8_t* to = part.to + static_cast<size_t>(steps.next()) * part.bytes;
    if (tensor.dtype == DType::invalid) continue;
    if (tensor.dtype != part.dtype || tensor.byte_size() != part.bytes) return false;
    std::memcpy(to, tensor.data, part.bytes);
  }
  return true;
}

void ScatteredRows::put(const Block& part, int begin, int count, Targets targets) noexcept {
  const Range rows{begin, begin + count};
  for (size_t i = 0; i < out_->columns.size() && i < part.columns.size() && part.value_rows() > 0; ++i) {
    if (!copy(part.columns[i], parts_[i], part.rows, rows, targets)) misfit_ = true;
  }
  if (!part.errors.empty()) [[unlikely]]
    note_errors(part, rows, targets);
  if (!part.origins.empty()) note_origins(part, rows, targets);
}

void ScatteredRows::note_errors(const Block& part, Range rows, const Targets& targets) noexcept try {
  Steps steps(targets);
  for (int row = rows.begin; row < rows.end; ++row) {
    const int target = steps.next();
    const ErrorPtr* error = part.error_of(row);
    if (error == nullptr) continue;
    for (size_t i = 0; i < out_->columns.size() && parts_[i].bytes > 0; ++i) {
      std::memset(parts_[i].to + static_cast<size_t>(target) * parts_[i].bytes, 0, parts_[i].bytes);
    }
    out_->fail_row(target, *error);
  }
} catch (...) {
  lost_ = true;
}

void ScatteredRows::note_origins(const Block& part, Range rows, const Targets& targets) noexcept try {
  origins_.resize(static_cast<size_t>(room_));
  Steps steps(targets);
  for (int row = rows.begin; row < rows.end; ++row)
    origins_[static_cast<size_t>(steps.next())] = part.origins.of(row);
} catch (...) {
  // Without memory there are none.
  origins_.clear();
}

void ScatteredRows::finish(int rows) {
  Block& out = *out_;
  out_ = nullptr;
  if (lost_) throw std::bad_alloc();
  if (misfit_) throw std::logic_error("an element has another size than its structure says");
  // A small rest does not hold the memory of the whole.
  const bool copies = rows <= room_ / 2;
  for (Column& column : out.columns) {
    if (rows == room_) break;
    Column rest = column.slice(0, rows);
    if (copies) rest.set_dense(deep_copy(rest.tensor()));
    column = std::move(rest);
  }
  out.rows = rows;
  for (int row = 0; row < rows && !origins_.empty(); ++row)
    out.origins.add_one(row, origins_[static_cast<size_t>(row)]);
}

}  // namespace weir
