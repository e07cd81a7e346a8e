#include "iterator/held_rows.h"

#include <algorithm>
#include <cstring>

#include "core/exception.h"
#include "core/text.h"
#include "graph/values.h"

namespace weir {

namespace {

void error_state(Archive& archive, Error& error) {
  // Names all members: a new one does not compile until it is saved as well.
  auto& [error_code, message, path, file, offset, record, position_lost, parts] = error;
  // Only texts that do not build have them; the message says it all.
  parts = MistakeParts();
  auto code = static_cast<int64_t>(error_code);
  archive("code", code, 1, static_cast<int64_t>(Code::data_loss));
  archive("message", message);
  archive("path", path);
  archive("file", file);
  archive("offset", offset);
  archive("record", record);
  archive("position_lost", position_lost);
  error_code = static_cast<Code>(code);
}

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

}  // namespace

void HeldRows::hold(const Block& block, int begin) {
  Block rows = block.slice(begin, block.rows - begin);
  if (!empty()) rows.append(block_, begin_, block_.rows - begin_);
  block_ = std::move(rows);
  begin_ = 0;
}

void HeldRows::hold(Block&& block) noexcept {
  block_ = std::move(block);
  begin_ = 0;
}

void HeldRows::take(int limit, Block& out) noexcept {
  int count = std::min(limit, block_.rows - begin_);
  for (const RowError& error : block_.errors) {
    if (error.row < begin_) continue;
    count = error.row == begin_ ? 1 : std::min(count, error.row - begin_);
    break;
  }
  try {
    out = block_.slice(begin_, count);
  } catch (...) {
    out.set_error(error_of_exception(), block_.columns.size());
  }
  begin_ += out.rows;
  if (!empty()) return;
  block_ = Block();
  begin_ = 0;
}

void HeldRows::row_state(Archive& archive, const Spec& spec, const std::vector<Component>& components,
                         int row) {
  Error error;
  const ErrorPtr* failed = archive.loading() ? nullptr : block_.error_of(row);
  bool has_error = failed != nullptr;
  archive("failed", has_error);
  if (has_error) {
    if (failed) error = **failed;
    error_state(archive, error);
    if (!archive.loading() || !archive.status().ok()) return;
    Block one;
    one.set_error(std::make_shared<Error>(std::move(error)), components.size());
    block_.append(one, 0, 1);
    return;
  }
  Components values;
  for (size_t i = 0; i < components.size(); ++i) {
    Tensor tensor;
    if (!archive.loading()) tensor = block_.columns[i].row(row);
    std::vector<int64_t> dims(tensor.shape.dims().begin(), tensor.shape.dims().end());
    std::string bytes = archive.loading() ? std::string() : bytes_of(tensor);
    archive("dims", dims);
    archive("bytes", bytes);
    if (!archive.loading()) continue;
    if (!archive.status().ok()) return;
    if (dims.size() > static_cast<size_t>(kMaxRank) || !components[i].shape.compatible(Shape(dims))) {
      return archive.fail("a row that was held does not fit the dataset");
    }
    auto loaded = tensor_of(components[i].dtype, Shape(dims), bytes);
    if (!loaded.ok()) return archive.fail(loaded.status().error().message);
    values.push_back(*std::move(loaded));
  }
  if (!archive.loading()) return;
  if (Status fits = check_value(spec, values); !fits.ok()) {
    return archive.fail(concat("a row that was held is no element of the dataset: ", fits.error().message));
  }
  Block one;
  one.set_row(values);
  block_.append(one, 0, 1);
}

void HeldRows::state(Archive& archive, const Spec& spec) {
  const std::vector<Component> components = spec.components();
  int64_t count = block_.rows - begin_;
  archive("rows", count, 0, kMaxHeldRows);
  if (archive.loading()) {
    block_ = Block();
    begin_ = 0;
  }
  if (count > 0 && spec.has_dataset()) archive.fail("rows with nested datasets cannot be held");
  for (int64_t i = 0; i < count && archive.status().ok(); ++i) {
    row_state(archive, spec, components, begin_ + static_cast<int>(i));
  }
}

}  // namespace weir
