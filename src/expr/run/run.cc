#include "expr/run/run.h"

#include <cstring>

#include "core/checked.h"
#include "core/seed.h"
#include "core/text.h"
#include "dataset/stage.h"

namespace weir {

Status Run::check_size(DType dtype, const Shape& shape, int rows) const {
  const int64_t count = checked_count(shape.dims());
  if (count < 0) {
    return invalid_argument(
        expected_found("a shape of non-negative dimensions whose product fits 63 bits", shape.to_string()));
  }
  const auto bytes = checked_multiply(checked_multiply(count, static_cast<int64_t>(dtype_size(dtype))),
                                      static_cast<int64_t>(rows));
  if (bytes && *bytes <= call_.tensor_bytes) return Status();
  return resource_exhausted(concat("a tensor of shape ", shape.to_string(),
                                   " exceeds the limit tensor_bytes of ", call_.tensor_bytes));
}

uint8_t* Run::make(int result, const Shape& row_shape) {
  Slot& slot = result_slot(result);
  if (Status status = check_size(slot.view.dtype, row_shape, rows_); !status.ok()) {
    for (int row = 0; row < rows_; ++row) fail(row, status);
    return nullptr;
  }
  return slot.make(first_, rows_, row_shape);
}

uint8_t* Run::make_row(int result, int row, const Shape& shape) {
  Slot& slot = result_slot(result);
  if (Status status = check_size(slot.view.dtype, shape, 1); !status.ok()) {
    fail(row, status);
    return nullptr;
  }
  return slot.make_row(first_ + row, shape);
}

void Run::share(int result, int arg, const Shape& row_shape, size_t offset) {
  Slot& slot = result_slot(result);
  const Arg& from = args_[static_cast<size_t>(arg)];
  const Slot& source = frame_.slots[static_cast<size_t>(instruction_.args[static_cast<size_t>(arg)])];
  if (source.form == Slot::Form::dense && (rows_ == all_rows_ || stands_for_all_)) {
    slot.share(source, row_shape, offset);
    return;
  }
  uint8_t* to = make(result, row_shape);
  if (to == nullptr) return;
  // The bytes of the result, whose entries may be smaller than the argument's.
  const size_t bytes = static_cast<size_t>(row_shape.count()) * dtype_size(slot.view.dtype);
  for (int row = 0; row < rows_ && bytes > 0; ++row) {
    std::memcpy(to + static_cast<size_t>(row) * bytes, from.data + row * from.stride + offset, bytes);
  }
}

void Run::read_from(int row, std::string_view name) noexcept {
  if (!call_.session->runtime.origins) return;
  const Origin origin = call_.session->source_names().read(name);
  if (!stands_for_all_) return frame_.read_from(first_ + row, all_rows_, origin);
  for (int each = 0; each < all_rows_; ++each) frame_.read_from(each, all_rows_, origin);
}

void Run::fail(int row, const Status& status) {
  if (failure_ != status.pointer()) {
    failure_ = status.pointer();
    located_ = located(instruction_.place.get(), args_, failure_);
  }
  if (!stands_for_all_) return frame_.fail(first_ + row, all_rows_, located_);
  for (int each = 0; each < all_rows_; ++each) frame_.fail(each, all_rows_, located_);
}

char* Run::bytes(size_t size) {
  result_slot(0).take(size);
  return reinterpret_cast<char*>(work_.bytes.allocate(size));
}

uint64_t random_key_of(const Instruction& instruction, const Call& call, std::span<const Arg> args) {
  SeedSite::Pair pair = instruction.seed ? call.session->seed(*instruction.seed) : SeedSite::Pair();
  const auto number = [&](size_t from_end) { return *args[args.size() - from_end].row<int64_t>(0); };
  if (instruction.seed_args == 1) pair = pair_of_op_seed(number(1));
  if (instruction.seed_args == 2) pair = {static_cast<uint64_t>(number(2)), static_cast<uint64_t>(number(1))};
  uint64_t key = derive_key(pair.first, pair.second);
  key = derive_key(key, instruction.site);
  return derive_key(key, call.key);
}

}  // namespace weir
