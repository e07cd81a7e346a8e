#include "dataset/held_rows.h"

#include <algorithm>
#include <cstring>

#include "core/checked.h"
#include "core/error_state.h"
#include "core/exception.h"
#include "core/text.h"
#include "core/values.h"
#include "dataset/counted.h"

namespace weir {

namespace {

// A key, a type and a size.
constexpr size_t kLeastStringBytes = 4;

std::string bytes_of(const Tensor& tensor) {
  if (tensor.dtype != DType::string) return {reinterpret_cast<const char*>(tensor.data), tensor.byte_size()};
  Archive strings;
  for (const Str& entry : tensor.entries<const Str>()) {
    std::string bytes(entry.view());
    strings("s", bytes);
  }
  return strings.take();
}

// Returns a tensor made from its bytes, or what is wrong with them.
Result<Tensor> tensor_of(DType dtype, const Shape& shape, std::string_view bytes) {
  int64_t count = checked_count(shape.dims());
  // Every string takes at least a few bytes, so a hostile count allocates nothing.
  size_t least = dtype == DType::string ? kLeastStringBytes : dtype_size(dtype);
  if (count < 0 || static_cast<uint64_t>(count) > bytes.size() / least ||
      (dtype != DType::string && static_cast<uint64_t>(count) * least != bytes.size())) {
    return data_loss("a row that was held has another size than its shape says");
  }
  if (dtype != DType::string) {
    Tensor tensor = Tensor::allocate(dtype, shape);
    if (!bytes.empty()) std::memcpy(tensor.data, bytes.data(), bytes.size());
    if (dtype == DType::boolean) {
      for (uint8_t& byte : tensor.entries<uint8_t>()) byte = byte != 0;
    }
    return tensor;
  }
  Archive strings(bytes);
  std::vector<std::string> values(static_cast<size_t>(count));
  for (std::string& value : values) strings("s", value);
  strings.finish();
  WEIR_TRY(strings.status());
  std::vector<std::string_view> views(values.begin(), values.end());
  return Tensor::strings(views, shape);
}

// The rows of a loaded block.
constexpr int kLoadedRows = 1024;

}  // namespace

int64_t HeldRows::values() const {
  if (empty()) return 0;
  int64_t values = counted_rows(front_);
  for (int row = 0; row < begin_; ++row) {
    const ErrorPtr* error = front_.error_of(row);
    if (!error || ran_out_of_memory(**error)) --values;
  }
  for (const Block& block : more_) values += counted_rows(block);
  return values;
}

// The front block is used up.
void HeldRows::next_block() noexcept {
  front_ = Block();
  begin_ = 0;
  if (more_.empty()) return;
  front_ = std::move(more_.front());
  more_.pop_front();
}

void HeldRows::hold(const Block& block, int begin) {
  Block rows = block.slice(begin, block.rows - begin);
  if (rows.rows == 0) return;
  if (begin_ < front_.rows) more_.push_front(front_.slice(begin_, front_.rows - begin_));
  rows_ += rows.rows;
  front_ = std::move(rows);
  begin_ = 0;
}

void HeldRows::hold(Block&& block) noexcept {
  front_ = std::move(block);
  begin_ = 0;
  rows_ = front_.rows;
}

void HeldRows::add(Block block) {
  if (block.rows == 0) return;
  if (empty()) return hold(std::move(block));
  const int rows = block.rows;
  more_.push_back(std::move(block));
  rows_ += rows;
}

void HeldRows::add(HeldRows rows) {
  if (rows.empty()) return;
  add(rows.front_.slice(rows.begin_, rows.front_.rows - rows.begin_));
  for (Block& block : rows.more_) add(std::move(block));
}

void HeldRows::drop(int64_t count) {
  while (count > 0) {
    const auto dropped = static_cast<int>(std::min<int64_t>(count, front_.rows - begin_));
    begin_ += dropped;
    rows_ -= dropped;
    count -= dropped;
    if (begin_ == front_.rows) next_block();
  }
}

void HeldRows::take(int limit, Block& out) noexcept {
  int count = std::min(limit, front_.rows - begin_);
  for (const RowError& error : front_.errors) {
    if (error.row < begin_) continue;
    count = error.row == begin_ ? 1 : std::min(count, error.row - begin_);
    break;
  }
  try {
    out = front_.slice(begin_, count);
  } catch (...) {
    out.set_error(error_of_exception(), front_.columns.size());
  }
  begin_ += out.rows;
  rows_ -= out.rows;
  if (begin_ == front_.rows) next_block();
}

void HeldRows::save_row(Archive& archive, const Block& block, int row) const {
  int64_t turn = block.origins.turn_of(row);
  if (turn != Origins::kNoTurn) archive("turn", turn);
  const ErrorPtr* failed = block.error_of(row);
  bool has_error = failed != nullptr;
  archive("failed", has_error);
  if (has_error) {
    Error error = **failed;
    return error_state(archive, error);
  }
  for (const Column& column : block.columns) {
    const Tensor tensor = column.row(row);
    std::vector<int64_t> dims(tensor.shape.dims().begin(), tensor.shape.dims().end());
    std::string bytes = bytes_of(tensor);
    archive("dims", dims);
    archive("bytes", bytes);
  }
}

void HeldRows::load_row(Archive& archive, const Spec& spec, std::span<const Component> components) {
  Block one;
  int64_t turn = Origins::kNoTurn;
  if (archive.next_is("turn")) archive("turn", turn, 0, INT64_MAX);
  bool has_error = false;
  archive("failed", has_error);
  if (has_error) {
    Error error;
    error_state(archive, error);
    if (!archive.status().ok()) return;
    one.set_error(std::make_shared<Error>(std::move(error)), components.size());
  } else {
    Components values;
    for (const Component& component : components) {
      std::vector<int64_t> dims;
      std::string bytes;
      archive("dims", dims);
      archive("bytes", bytes);
      if (!archive.status().ok()) return;
      if (dims.size() > static_cast<size_t>(kMaxRank) || !component.shape.compatible(Shape(dims)))
        return archive.fail("a row that was held does not fit the dataset");
      auto loaded = tensor_of(component.dtype, Shape(dims), bytes);
      if (!loaded.ok()) return archive.fail(loaded.status().error().message);
      values.push_back(*std::move(loaded));
    }
    if (!archive.status().ok()) return;
    if (Status fits = check_value(spec, values); !fits.ok()) {
      return archive.fail(concat("a row that was held is no element of the dataset: ", fits.error().message));
    }
    one.set_row(values);
  }
  if (turn != Origins::kNoTurn) one.origins.add_turns(0, turn, 1);
  Block& last = more_.empty() ? front_ : more_.back();
  if (last.rows > 0 && last.rows < kLoadedRows) {
    last.append(one, 0, 1);
    ++rows_;
  } else {
    add(std::move(one));
  }
}

void HeldRows::state(Archive& archive, const Spec& spec) {
  int64_t count = rows();
  // Each row takes some bytes, so a hostile count ends with them.
  archive("rows", count, 0, kMostCounted);
  if (count > 0 && spec.has_dataset()) archive.fail("rows with nested datasets cannot be held");
  if (!archive.loading()) {
    for (int row = begin_; row < front_.rows; ++row) save_row(archive, front_, row);
    for (const Block& block : more_) {
      for (int row = 0; row < block.rows; ++row) save_row(archive, block, row);
    }
    return;
  }
  *this = HeldRows();
  const std::vector<Component> components = spec.components();
  for (int64_t i = 0; i < count && archive.status().ok(); ++i) load_row(archive, spec, components);
}

}  // namespace weir
