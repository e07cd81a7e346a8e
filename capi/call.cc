#include "capi/call.h"

#include <algorithm>
#include <cstring>

#include "capi/view.h"
#include "core/owners.h"

namespace weir::capi {

namespace {

constexpr uint64_t kMaxMessageBytes = 1 << 16;
constexpr uint64_t kMaxAllocation = uint64_t{1} << 40;
// Memory that a callback asks for in small pieces comes in pieces of up to this size.
constexpr size_t kMostBytesAtOnce = size_t{1} << 20;
// Up to this size, there is room for all rows once the first has a shape, which others may yet differ from.
constexpr size_t kMostBytesAhead = size_t{16} << 20;

Status out_of_range(Mistake mistake) { return {Code::out_of_range, std::move(mistake)}; }

Status bad_index(std::string_view what, uint32_t index, size_t count) {
  return out_of_range(expected_found(concat("the number of ", what, " below ", count), concat(index)));
}

Status not_of_rows() {
  return invalid_argument(expected_found("the call of a function or a source", "one of a file system"));
}

std::string shown(const Shape& shape) {
  return shape.rank_known() && shape.rank() == 0 ? "a scalar" : concat("shape ", shape.to_string());
}

}  // namespace

Status AnyCall::input(uint32_t, weir_view&) const { return not_of_rows(); }

CallObject::CallObject(Session& session, const Block& in, Block& out, std::span<const Component> results,
                       Form form)
    : session_(session),
      in_(in),
      out_(out),
      results_(results),
      by_block_(form != Form::by_row),
      made_(form == Form::source_block ? -1 : in.rows),
      outputs_(results.size()) {
  out_.reset(results_.size());
  out_.rows = in_.rows;
}

Status CallObject::input(uint32_t index, weir_view& view) const {
  if (index >= in_.columns.size()) return bad_index("an input component", index, in_.columns.size());
  const Column& column = in_.columns[index];
  if (column.dtype() == DType::dataset) return unimplemented("expected a tensor, found a nested dataset");
  if (by_block_) {
    fill_view(view, column.tensor(), 0, 0);
  } else if (column.dense()) {
    fill_view(view, column.tensor(), 1, row_);
  } else {
    fill_view(view, column.list()[static_cast<size_t>(row_)], 0, 0);
  }
  return Status();
}

Status CallObject::check_shape(uint32_t index, std::span<const int64_t> dims, const Shape& shape) const {
  const int64_t count = checked_count(dims);
  const int64_t most = session_.runtime.limits.tensor_bytes / 16;
  if (count < 0 || count > most) {
    return resource_exhausted(expected_found(
        concat("a result of at most ", most, " entries (the limit tensor_bytes, at 16 bytes each)"),
        concat("dimensions ", Shape(dims).to_string())));
  }
  if (results_[index].shape.compatible(shape)) return Status();
  return invalid_argument(expected_found(
      concat(shown(results_[index].shape), " for ",
             results_.size() > 1 ? concat("component ", index, " of ") : "", "the result, as its spec says"),
      shown(shape)));
}

namespace {

// By itself, so that a call that fits saves no registers for it.
[[gnu::noinline]] Status wrong_dtype(uint32_t index, DType expected, int32_t found) {
  const bool known = static_cast<size_t>(found) < std::size(kDTypes);
  return invalid_argument(expected_found(
      concat(dtype_name(expected), " for component ", index, " of the result, as its spec says"),
      known ? concat(dtype_name(static_cast<DType>(found))) : concat("dtype ", found)));
}

}  // namespace

Status CallObject::output(uint32_t index, int32_t dtype, std::span<const int64_t> dims, void** data) {
  if (index >= results_.size()) return bad_index("a result component", index, results_.size());
  if (dtype != 0 && dtype != static_cast<int32_t>(results_[index].dtype)) [[unlikely]]
    return wrong_dtype(index, results_[index].dtype, dtype);
  Output& output = outputs_[index];
  if (!by_block_ && output.data != nullptr && std::ranges::equal(dims, output.shape.dims())) [[likely]] {
    *data = output.data + static_cast<size_t>(row_) * output.row_bytes;
    output.written = row_;
    return Status();
  }
  std::span<const int64_t> row_dims = dims;
  if (by_block_) {
    const bool fits = !dims.empty() && (made_ < 0 ? dims[0] > 0 && dims[0] <= in_.rows : dims[0] == made_);
    if (!fits) {
      return invalid_argument(
          expected_found(made_ < 0 ? concat("1 to ", in_.rows, " rows as the first dimension")
                                   : concat("the ", made_, " rows of the block as the first dimension"),
                         concat(dims.empty() ? "a scalar" : std::to_string(dims[0]))));
    }
    row_dims = dims.subspan(1);
  }
  const Shape shape(row_dims);
  WEIR_TRY(check_shape(index, dims, shape));
  if (made_ < 0) out_.rows = made_ = static_cast<int>(dims[0]);
  *data = by_block_ ? block_output(index, shape) : row_output(index, shape);
  output.written = row_;
  return Status();
}

void* CallObject::block_output(uint32_t index, const Shape& row_shape) {
  return out_.columns[index].make_dense(results_[index].dtype, row_shape, made_);
}

// The rows of a component lie one after the other for as long as they have one shape.
void* CallObject::row_output(uint32_t index, const Shape& shape) {
  Output& output = outputs_[index];
  Column& column = out_.columns[index];
  const DType dtype = results_[index].dtype;
  const size_t bytes = static_cast<size_t>(shape.count()) * dtype_size(dtype);
  const auto rows = static_cast<size_t>(in_.rows);
  if (!output.begun() && shape.rank() < kMaxRank && (rows == 1 || bytes <= kMostBytesAhead / rows)) {
    output.data = column.make_dense(dtype, shape, in_.rows);
    output.shape = shape;
    output.row_bytes = bytes;
    std::memset(output.data, 0, static_cast<size_t>(row_) * bytes);
    return output.data + static_cast<size_t>(row_) * bytes;
  }
  list_rows(index);
  Tensor tensor = Tensor::allocate(dtype, shape);
  if (has_owners(dtype)) std::memset(tensor.data, 0, tensor.byte_size());
  return (output.list[static_cast<size_t>(row_)] = std::move(tensor)).data;
}

void* AnyCall::allocate(uint64_t size) {
  if (size > kMaxAllocation) throw std::bad_alloc();
  const size_t taken = (static_cast<size_t>(size) + kAlignment - 1) / kAlignment * kAlignment;
  if (allocated_.empty() || allocated_.back()->size() - used_ < taken) {
    const size_t last = allocated_.empty() ? 0 : allocated_.back()->size();
    allocated_.push_back(Buffer::allocate(std::max(taken, std::min(2 * last, kMostBytesAtOnce))));
    used_ = 0;
  }
  return allocated_.back()->data() + std::exchange(used_, used_ + taken);
}

Status CallObject::fail(int64_t row, int32_t code, std::string_view message) {
  if (row < 0 || row >= rows()) {
    return out_of_range(expected_found(concat("a row below ", rows()), concat(row)));
  }
  Status status(code_given(code), std::string(message));
  out_.fail_row(by_block_ ? static_cast<int>(row) : row_, status.pointer());
  return Status();
}

// Strings may point into memory that the callback allocated or into its inputs.
OwnersRef CallObject::owners_of_strings() const {
  auto owners = make_ref<Owners>();
  for (const BufferRef& buffer : allocated_) owners->list.push_back(buffer);
  for (const Column& column : in_.columns) {
    if (column.dtype() != DType::string) continue;
    add_owners(owners->list, column.dense() ? std::span(&column.tensor(), 1) : std::span(column.list()));
  }
  return owners;
}

// The entries of a failed row may be anything, so nothing must follow their pointers.
void CallObject::forget_failed_rows() const {
  for (size_t i = 0; i < results_.size(); ++i) {
    if (outputs_[i].written < 0 || results_[i].dtype != DType::string) continue;
    const std::span<Str> entries = out_.columns[i].tensor().entries<Str>();
    const size_t per_row = entries.size() / static_cast<size_t>(made_);
    for (const RowError& error : out_.errors) {
      std::ranges::fill(entries.subspan(static_cast<size_t>(error.row) * per_row, per_row), Str{});
    }
  }
}

namespace {

// Checks the entries that a callback wrote.
Status check_entries(DType dtype, size_t index, uint8_t* data, size_t count) {
  if (dtype == DType::boolean) {
    // To a compiler, only the bytes 0 and 1 are bools.
    for (uint8_t& byte : std::span(data, count)) byte = byte != 0;
  } else if (dtype == DType::string) {
    for (const Str& text : std::span(reinterpret_cast<const Str*>(data), count)) {
      if (!text.data && text.size != 0) {
        return invalid_argument(expected_found(concat("strings with bytes in component ", index),
                                               concat("NULL with size ", text.size)));
      }
    }
  }
  return Status();
}

Status returned(int32_t result) {
  return Status(Code::unknown, concat("the callback returned ", result, " without an error of its own"));
}

Status not_filled(size_t index, size_t count) {
  return failed_precondition(
      expected_found(concat("the callback to fill result component ", index, " of ", count),
                     "that it did not ask for its memory"));
}

}  // namespace

// The word of a slot that nobody else can pin any more gets the next generation, as if it had been published
// anew.
void RunningCall::reopen() {
  const uint64_t word = slot_->word.load(std::memory_order_relaxed);
  const uint64_t kind = (word >> 32) & slots::kKindMask;
  // In the child of a fork, the parent's calls have no kind and stay closed.
  if (kind == 0) return;
  const uint64_t generation = (word >> (32 + slots::kKindBits)) + 1;
  const uint64_t tag = ((generation << slots::kKindBits) | kind) & UINT32_MAX;
  slot_->word.store(tag << 32 | slots::kOwner | slots::kPin, std::memory_order_release);
  handle_.value = tag << 32 | slot_->index;
}

Status CallObject::finish(int32_t result) {
  if (result != WEIR_OK) return out_.errors.empty() ? returned(result) : Status(out_.errors[0].error);
  if (made_ < 0 && results_.empty()) out_.rows = made_ = 1;
  if (made_ < 0 && !out_.errors.empty()) return Status(out_.errors[0].error);
  if (made_ < 0) return not_filled(0, results_.size());
  if (!out_.errors.empty() && out_.errors.back().row >= made_) {
    return Status(Code::out_of_range,
                  expected_found(concat("failed rows below ", made_, ", as many as were made"),
                                 concat(out_.errors.back().row)));
  }
  if (!out_.errors.empty()) forget_failed_rows();
  const bool all_failed = out_.value_rows() == 0;
  for (size_t i = 0; i < results_.size(); ++i) {
    if (outputs_[i].written < 0) {
      if (!all_failed) return not_filled(i, results_.size());
      // It has what the memory had before.
      out_.columns[i].make_placeholder();
      continue;
    }
    const Tensor& made = out_.columns[i].tensor();
    WEIR_TRY(check_entries(made.dtype, i, made.data, static_cast<size_t>(made.shape.count())));
    if (made.dtype == DType::string) out_.columns[i].set_owners(owners_of_strings());
  }
  return Status();
}

// From here on, the rows of the component have tensors of their own.
void CallObject::list_rows(uint32_t index) {
  Output& output = outputs_[index];
  if (!output.list.empty()) return;
  output.list.reserve(static_cast<size_t>(in_.rows));
  for (int row = 0; row < row_ && output.data != nullptr; ++row)
    output.list.push_back(deep_copy(out_.columns[index].row(row)));
  output.list.resize(static_cast<size_t>(in_.rows));
  output.data = nullptr;
}

void CallObject::clear_row(int row) {
  for (Output& output : outputs_) {
    if (output.data != nullptr) {
      std::memset(output.data + static_cast<size_t>(row) * output.row_bytes, 0, output.row_bytes);
    } else if (!output.list.empty()) {
      output.list[static_cast<size_t>(row)] = Tensor();
    }
  }
}

void CallObject::fail_row(int row, const Status& status) {
  out_.fail_row(row, status.pointer());
  clear_row(row);
}

void CallObject::end_row(int32_t result) {
  if (result != WEIR_OK) return fail_row(row_, returned(result));
  if (row_failed()) return clear_row(row_);
  for (size_t i = 0; i < results_.size(); ++i) {
    Output& output = outputs_[i];
    if (output.written != row_) return fail_row(row_, not_filled(i, results_.size()));
    const DType dtype = results_[i].dtype;
    if (dtype != DType::boolean && dtype != DType::string) continue;
    const bool dense = output.data != nullptr;
    const Tensor* own = dense ? nullptr : &output.list[static_cast<size_t>(row_)];
    uint8_t* data = dense ? output.data + static_cast<size_t>(row_) * output.row_bytes : own->data;
    const size_t bytes = dense ? output.row_bytes : own->byte_size();
    if (Status status = check_entries(dtype, i, data, bytes / dtype_size(dtype)); !status.ok())
      return fail_row(row_, status);
  }
}

void CallObject::finish_rows() {
  for (size_t i = 0; i < results_.size(); ++i) {
    Column& column = out_.columns[i];
    Output& output = outputs_[i];
    const OwnersRef owners = results_[i].dtype == DType::string ? owners_of_strings() : OwnersRef();
    if (output.data != nullptr) {
      if (owners) column.set_owners(owners);
      continue;
    }
    output.list.resize(static_cast<size_t>(in_.rows));
    if (owners) {
      for (Tensor& tensor : output.list) tensor.owners = owners;
    }
    column.make_list() = std::move(output.list);
    if (out_.errors.empty()) column.densify();
  }
}

// The innermost on this thread.
static constinit thread_local UnnamedCall* unnamed_call = nullptr;

Status HostFailure::fail(int64_t row, int32_t code, std::string_view message) {
  if (row != 0)
    return {Code::out_of_range, expected_found("row 0 of a call that makes no rows", concat(row))};
  if (why.ok()) why = Status(code_given(code), std::string(message));
  return {};
}

UnnamedCall::UnnamedCall() noexcept : outer_(std::exchange(unnamed_call, this)) {}
UnnamedCall::~UnnamedCall() { unnamed_call = outer_; }

Status UnnamedCall::fail(int64_t row, int32_t code, std::string_view message) {
  if (!unnamed_call) {
    return failed_precondition(expected_found(
        "a function of the program that gets no call, such as save, to be running on this thread", "none"));
  }
  return unnamed_call->failure_.fail(row, code, message);
}

Status UnnamedCall::outcome(std::string_view which, int32_t result) const {
  if (!failure_.why.ok() || result == WEIR_OK) return failure_.why;
  return {Code::unknown, expected_found(concat("WEIR_OK from ", which), concat(result))};
}

namespace {

template <class Body>
int32_t inside_call(weir_call call, weir_error* error, Body&& body) {
  return guarded(error, [&]() -> Status {
    ExclusivePin<AnyCall> pinned(call.value);
    if (!pinned) return pin_error(pinned, "the call of a callback that is running", call.value);
    return body(*pinned);
  });
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int64_t weir_call_rows(weir_call call) {
  ExclusivePin<AnyCall> pinned(call.value);
  const CallObject* const known = pinned ? pinned->of_rows() : nullptr;
  return known ? known->rows() : 0;
}

int32_t weir_call_cancelled(weir_call call) {
  ExclusivePin<AnyCall> pinned(call.value);
  return pinned && !pinned->cancelled() ? 0 : 1;
}

int32_t weir_call_input(weir_call call, uint32_t index, weir_view* out, weir_error* error) {
  return inside_call(call, error, [&](AnyCall& object) -> Status {
    WEIR_TRY(check_view(out));
    return object.input(index, *out);
  });
}

int32_t weir_call_output(weir_call call, uint32_t index, int32_t rank, const int64_t* dims, void** out,
                         weir_error* error) {
  if (!out) return answer_null_out(error);
  *out = nullptr;
  return inside_call(call, error, [&](AnyCall& object) -> Status {
    const int32_t dtype = rank < WEIR_CALL_DTYPE(1) ? 0 : rank / WEIR_CALL_DTYPE(1);
    WEIR_ASSIGN(auto checked, read_dims(dtype == 0 ? rank : rank % WEIR_CALL_DTYPE(1), dims));
    CallObject* const rows = object.of_rows();
    return rows ? rows->output(index, dtype, checked, out) : not_of_rows();
  });
}

int32_t weir_call_allocate(weir_call call, uint64_t size, void** out, weir_error* error) {
  if (!out) return answer_null_out(error);
  *out = nullptr;
  return inside_call(call, error, [&](AnyCall& object) -> Status {
    *out = object.allocate(size);
    return Status();
  });
}

int32_t weir_call_fail(weir_call call, int64_t row, int32_t code, const char* message, uint64_t message_size,
                       weir_error* error) {
  const auto fail = [&](AnyCall* object) -> Status {
    WEIR_ASSIGN(std::string_view text, read_string(message, message_size, "a message", kMaxMessageBytes));
    return object ? object->fail(row, code, text) : UnnamedCall::fail(row, code, text);
  };
  if (call.value == 0) return guarded(error, [&] { return fail(nullptr); });
  return inside_call(call, error, [&](AnyCall& object) { return fail(&object); });
}
