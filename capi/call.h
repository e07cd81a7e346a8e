// CallObject: the object behind a weir_call while a callback runs. It borrows the blocks of the call and
// keeps the callback's allocations until finish() passes them on. Only the callback uses it, on one thread at
// a time.
//
// A callback by element runs for each row of a block, with one object and one allocation for all of them:
//
//   for (int row = 0; row < in.rows; ++row) {
//     call.begin_row(row);
//     call.end_row(function(…));
//   }
//   call.finish_rows();
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "capi/barrier.h"
#include "core/block.h"
#include "core/runtime.h"

namespace weir::capi {

// What every weir_call can do.
class AnyCall : public Object {
 public:
  static constexpr HandleKind kKind = HandleKind::call;

  virtual bool cancelled() const = 0;
  virtual Status fail(int64_t row, int32_t code, std::string_view message) = 0;
  // Null unless it makes rows.
  virtual class CallObject* of_rows() { return nullptr; }
  virtual Status input(uint32_t index, weir_view& view) const;
  void* allocate(uint64_t size);

 protected:
  std::vector<BufferRef> allocated_;

 private:
  // Of the last of them, which allocate() hands out from front to back: many strings have few owners.
  size_t used_ = 0;
};

class CallObject final : public AnyCall {
 public:
  // Of a source in blocks the rows of `in` are the most that it may give.
  enum class Form : uint8_t { by_row, by_block, source_block };

  // REQUIRES: the references outlive finish(); in a call by block all columns of `in` are dense.
  CallObject(Session& session, const Block& in, Block& out, std::span<const Component> results, Form form);

  int64_t rows() const { return by_block_ ? in_.rows : 1; }
  CallObject* of_rows() override { return this; }
  bool cancelled() const override { return session_.cancelled.load(std::memory_order_relaxed); }
  Status input(uint32_t index, weir_view& view) const override;
  // `dtype`: what the caller takes the result for, or 0.
  Status output(uint32_t index, int32_t dtype, std::span<const int64_t> dims, void** data);
  Status fail(int64_t row, int32_t code, std::string_view message) override;

  // Checks what a call by block wrote and turns its result into the outcome of the call. Fails only if the
  // whole call does; errors of single rows are in `out`.
  Status finish(int32_t result);

  // By element, rows in rising order. Errors are in `out`.
  void begin_row(int row) { row_ = row; }
  void end_row(int32_t result);
  void fail_row(int row, const Status& status);
  void finish_rows();

 private:
  // A component of the result.
  struct Output {
    // The last row that asked for its memory; of a call by block 0.
    int written = -1;
    // By element: where the rows lie if they lie one after the other, with their shape; else null.
    uint8_t* data = nullptr;
    Shape shape;
    size_t row_bytes = 0;
    // Else a tensor for each row, once there is one.
    std::vector<Tensor> list;
    bool begun() const { return data != nullptr || !list.empty(); }
  };

  Status check_shape(uint32_t index, std::span<const int64_t> dims, const Shape& shape) const;
  void* block_output(uint32_t index, const Shape& row_shape);
  void* row_output(uint32_t index, const Shape& shape);
  void list_rows(uint32_t index);
  bool row_failed() const { return !out_.errors.empty() && out_.errors.back().row == row_; }
  void clear_row(int row);
  void forget_failed_rows() const;
  OwnersRef owners_of_strings() const;

  Session& session_;
  const Block& in_;
  Block& out_;
  const std::span<const Component> results_;
  const bool by_block_;
  // How many rows there are; -1: the first output will say.
  int made_;
  int row_ = 0;
  std::vector<Output> outputs_;
};

// Why a function of the host failed that makes no rows: the first error.
struct HostFailure {
  Status why;
  Status fail(int64_t row, int32_t code, std::string_view message);
};

// While it lives, weir_call_fail with a zero handle, on this thread, says why the host's function failed that
// gets no call, such as `save`.
class UnnamedCall {
 public:
  UnnamedCall() noexcept;
  UnnamedCall(const UnnamedCall&) = delete;
  UnnamedCall& operator=(const UnnamedCall&) = delete;
  ~UnnamedCall();

  static Status fail(int64_t row, int32_t code, std::string_view message);
  // What became of the function `which`, which returned `result`.
  Status outcome(std::string_view which, int32_t result) const;

 private:
  UnnamedCall* const outer_;
  HostFailure failure_;
};

// A call that has a handle. Other threads may use the handle at any time, even while the callback returns,
// but what they look at lies on this thread's stack. So it first becomes stale and waits for other threads to
// leave.
template <class Call>
class OpenCall {
 public:
  explicit OpenCall(std::unique_ptr<Call> call) : handle_{publish(HandleKind::call, std::move(call))} {
    pin(HandleKind::call, handle_.value, PinMode::shared, slot_);
  }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;
  ~OpenCall() {
    close();
    unpin(slot_, PinMode::shared);
  }

  weir_call handle() const { return handle_; }
  Call& object() const { return *static_cast<Call*>(slot_->object); }
  // Afterwards only this thread uses the call.
  Call& close() {
    drop_owner(HandleKind::call, handle_.value);
    await_last_pin(*slot_);
    return object();
  }

 protected:
  weir_call handle_;
  Slot* slot_ = nullptr;
};

class RunningCall final : public OpenCall<CallObject> {
 public:
  using OpenCall::OpenCall;
  // Uses a closed call for another row, under a new handle.
  // REQUIRES: it is closed
  void reopen();
};

}  // namespace weir::capi
