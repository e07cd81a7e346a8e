#include "capi/call.h"

#include <algorithm>

#include "capi/view.h"

namespace weir::capi {

namespace {

constexpr uint64_t kMaxMessageBytes = 1 << 16;
constexpr uint64_t kMaxAllocation = uint64_t{1} << 40;

Status out_of_range(Mistake mistake) { return {Code::out_of_range, std::move(mistake)}; }

Status bad_index(std::string_view what, uint32_t index, size_t count) {
  return out_of_range(expected_found(concat("the number of ", what, " below ", count), concat(index)));
}

}  // namespace

CallObject::CallObject(Session& session, const Block& in, Block& out, std::span<const Component> results,
                       bool by_block)
    : session_(session),
      in_(in),
      out_(out),
      results_(results),
      by_block_(by_block),
      written_(results.size()) {
  out_.reset(results_.size());
  out_.rows = in_.rows;
}

Status CallObject::input(uint32_t index, weir_view& view) const {
  if (index >= in_.columns.size()) return bad_index("an input component", index, in_.columns.size());
  const Column& column = in_.columns[index];
  if (column.dtype() == DType::dataset) return unimplemented("expected a tensor, found a nested dataset");
  fill_view(view, column, by_block_);
  return Status();
}

Status CallObject::output(uint32_t index, std::span<const int64_t> dims, void** data) {
  if (index >= results_.size()) return bad_index("a result component", index, results_.size());
  const Component& component = results_[index];
  std::span<const int64_t> row_dims = dims;
  if (by_block_) {
    if (dims.empty() || dims[0] != in_.rows) {
      return invalid_argument(
          expected_found(concat("the ", in_.rows, " rows of the block as the first dimension"),
                         concat(dims.empty() ? "a scalar" : std::to_string(dims[0]))));
    }
    row_dims = dims.subspan(1);
  }
  Shape shape(row_dims);
  int64_t count = checked_count(dims);
  if (count < 0 || count > session_.runtime.limits.tensor_bytes / 16) {
    return resource_exhausted(expected_found("a result within the limit tensor_bytes",
                                             concat("dimensions ", Shape(dims).to_string())));
  }
  if (!component.shape.compatible(shape)) {
    return invalid_argument(expected_found(concat("component ", index, " to have shape ",
                                                  component.shape.to_string(), ", as its result_spec says"),
                                           shape.to_string()));
  }
  Column& column = out_.columns[index];
  if (shape.rank() < kMaxRank) {
    *data = column.make_dense(component.dtype, shape, in_.rows);
  } else {
    // No room for a leading dimension; only a single element can have this many.
    Tensor tensor = Tensor::allocate(component.dtype, shape);
    if (has_owners(tensor.dtype)) std::memset(tensor.data, 0, tensor.byte_size());
    *data = tensor.data;
    column.make_list().push_back(std::move(tensor));
  }
  written_[index] = true;
  return Status();
}

void* CallObject::allocate(uint64_t size) {
  if (size > kMaxAllocation) throw std::bad_alloc();
  allocated_.push_back(Buffer::allocate(static_cast<size_t>(size)));
  return allocated_.back()->data();
}

Status CallObject::fail(int64_t row, int32_t code, std::string_view message) {
  if (row < 0 || row >= in_.rows) {
    return out_of_range(expected_found(concat("a row below ", in_.rows), concat(row)));
  }
  bool known = code > 0 && code <= WEIR_CODE_DATA_LOSS;
  Status status(known ? static_cast<Code>(code) : Code::unknown, std::string(message));
  out_.fail_row(static_cast<int>(row), status.pointer());
  return Status();
}

// Strings may point into memory that the callback allocated or into its inputs.
OwnersRef CallObject::owners_of_strings() const {
  auto owners = make_ref<Owners>();
  for (const BufferRef& buffer : allocated_) owners->list.push_back(buffer);
  for (const Column& column : in_.columns) {
    if (column.dtype() != DType::string) continue;
    auto add = [&](const Tensor& tensor) {
      if (tensor.buffer) owners->list.push_back(tensor.buffer);
      if (tensor.owners)
        owners->list.insert(owners->list.end(), tensor.owners->list.begin(), tensor.owners->list.end());
    };
    if (column.dense()) {
      add(column.tensor());
    } else {
      for (const Tensor& tensor : column.list()) add(tensor);
    }
  }
  return owners;
}

// The entries of a failed row may be anything, so nothing must follow their pointers.
void CallObject::forget_failed_rows() const {
  for (size_t i = 0; i < results_.size(); ++i) {
    if (!written_[i] || results_[i].dtype != DType::string) continue;
    const Column& column = out_.columns[i];
    const std::span<Str> entries = (column.dense() ? column.tensor() : column.list()[0]).entries<Str>();
    const size_t per_row = entries.size() / static_cast<size_t>(in_.rows);
    for (const RowError& error : out_.errors) {
      std::ranges::fill(entries.subspan(static_cast<size_t>(error.row) * per_row, per_row), Str{});
    }
  }
}

Status CallObject::check_column(size_t index) {
  Column& column = out_.columns[index];
  const Tensor tensor = column.dense() ? column.tensor() : column.list()[0];
  if (tensor.dtype == DType::boolean) {
    // To a compiler, only the bytes 0 and 1 are bools.
    for (uint8_t& byte : tensor.entries<uint8_t>()) byte = byte != 0;
  } else if (tensor.dtype == DType::string) {
    for (const Str& text : tensor.entries<Str>()) {
      if (!text.data && text.size != 0) {
        return invalid_argument(expected_found(concat("strings with bytes in component ", index),
                                               concat("NULL with size ", text.size)));
      }
    }
    if (column.dense()) {
      column.set_owners(owners_of_strings());
    } else {
      Tensor owned = tensor;
      owned.owners = owners_of_strings();
      column.make_list().push_back(std::move(owned));
    }
  }
  return Status();
}

Status thread_ended() {
  return Status(Code::cancelled, "the thread that made this element ended in a callback");
}

Status CallObject::finish(int32_t result) {
  if (result != WEIR_OK) {
    if (!by_block_ && !out_.errors.empty()) return Status(out_.errors[0].error);
    return Status(Code::unknown, concat("the callback returned ", result, " without an error of its own"));
  }
  if (!out_.errors.empty()) forget_failed_rows();
  if (out_.value_rows() == 0) return Status();
  for (size_t i = 0; i < results_.size(); ++i) {
    if (!written_[i]) {
      return failed_precondition(
          expected_found(concat("the callback to fill result component ", i, " of ", results_.size()),
                         "that it did not ask for its memory"));
    }
    WEIR_TRY(check_column(i));
  }
  return Status();
}

namespace {

template <class Body>
int32_t inside_call(weir_call call, weir_error* error, Body&& body) {
  return guarded(error, [&]() -> Status {
    ExclusivePin<CallObject> pinned(call.value);
    if (!pinned) return pin_error(pinned, "the call of a callback that is running", call.value);
    return body(*pinned);
  });
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int64_t weir_call_rows(weir_call call) {
  ExclusivePin<CallObject> pinned(call.value);
  return pinned ? pinned->rows() : 0;
}

int32_t weir_call_cancelled(weir_call call) {
  ExclusivePin<CallObject> pinned(call.value);
  return pinned && !pinned->cancelled() ? 0 : 1;
}

int32_t weir_call_input(weir_call call, uint32_t index, weir_view* out, weir_error* error) {
  return inside_call(call, error, [&](CallObject& object) -> Status {
    WEIR_TRY(check_view(out));
    return object.input(index, *out);
  });
}

int32_t weir_call_output(weir_call call, uint32_t index, int32_t rank, const int64_t* dims, void** out,
                         weir_error* error) {
  if (!out) return answer_null_out(error);
  *out = nullptr;
  return inside_call(call, error, [&](CallObject& object) -> Status {
    WEIR_ASSIGN(auto checked, read_dims(rank, dims));
    return object.output(index, checked, out);
  });
}

int32_t weir_call_allocate(weir_call call, uint64_t size, void** out, weir_error* error) {
  if (!out) return answer_null_out(error);
  *out = nullptr;
  return inside_call(call, error, [&](CallObject& object) -> Status {
    *out = object.allocate(size);
    return Status();
  });
}

int32_t weir_call_fail(weir_call call, int64_t row, int32_t code, const char* message, uint64_t message_size,
                       weir_error* error) {
  return inside_call(call, error, [&](CallObject& object) -> Status {
    WEIR_ASSIGN(std::string_view text, read_string(message, message_size, "a message", kMaxMessageBytes));
    return object.fail(row, code, text);
  });
}
