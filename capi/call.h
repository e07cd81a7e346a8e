// CallObject: what a weir_call stands for while a callback runs. It borrows the blocks of the call and keeps
// what the callback allocates until finish() passes it on. Only the callback uses it, on one thread at a
// time. A call costs one allocation.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "capi/barrier.h"
#include "core/block.h"
#include "core/runtime.h"

namespace weir::capi {

class CallObject final : public Object {
 public:
  static constexpr HandleKind kKind = HandleKind::call;

  // REQUIRES: the references outlive finish(); in a call by block all columns of `in` are dense.
  CallObject(Session& session, const Block& in, Block& out, std::span<const Component> results,
             bool by_block);

  int64_t rows() const { return in_.rows; }
  bool cancelled() const { return session_.cancelled.load(std::memory_order_relaxed); }
  Status input(uint32_t index, weir_view& view) const;
  Status output(uint32_t index, std::span<const int64_t> dims, void** data);
  void* allocate(uint64_t size);
  Status fail(int64_t row, int32_t code, std::string_view message);

  // Checks what the callback wrote and turns its result into the outcome of the call. Fails only if the whole
  // call does; errors of single rows are in `out`.
  Status finish(int32_t result);

 private:
  Status check_column(size_t index);
  void forget_failed_rows() const;
  OwnersRef owners_of_strings() const;

  Session& session_;
  const Block& in_;
  Block& out_;
  const std::span<const Component> results_;
  const bool by_block_;
  std::vector<bool> written_;
  std::vector<BufferRef> allocated_;
};

// A call that has a handle. Other threads may use the handle at any time, even while the callback returns, but
// what they look at lies on this thread's stack. So it first becomes stale and waits for other threads to leave.
class RunningCall {
 public:
  explicit RunningCall(std::unique_ptr<CallObject> call)
      : handle_{publish(HandleKind::call, std::move(call))} {
    pin(HandleKind::call, handle_.value, PinMode::shared, slot_);
  }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;
  ~RunningCall() {
    close();
    unpin(slot_, PinMode::shared);
  }

  weir_call handle() const { return handle_; }
  // Afterwards only this thread uses the call.
  CallObject& close() {
    drop_owner(HandleKind::call, handle_.value);
    await_last_pin(*slot_);
    return *static_cast<CallObject*>(slot_->object);
  }

 private:
  weir_call handle_;
  Slot* slot_ = nullptr;
};

// The error of a call whose thread ends inside it.
Status thread_ended();

}  // namespace weir::capi
