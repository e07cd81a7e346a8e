// WindowCall and its lines: the calls that CallWindow's puller, runners and consumer pass to one another. The
// window's lock guards both.
#pragma once

#include <cstdint>

#include "exec/partial_block.h"

namespace weir {

// A block in progress: pulled into `in`, turned into `out` and taken from there.
struct WindowCall {
  PartialBlock in;
  PartialBlock out;
  int rows = 0;
  // How much of the budget it uses.
  int64_t charged_bytes = 0;
  bool done = false;
  // Its processor time is taken.
  bool sampled = false;
  // The same for those who look on (core/stage_stats.h).
  bool compares = false;
  WindowCall* next = nullptr;
  WindowCall* next_prepared = nullptr;
};

// First in, first out, through one of the links of a WindowCall. Owns nothing.
template <WindowCall* WindowCall::*link>
class CallLine {
 public:
  WindowCall* front() const { return head_; }
  static WindowCall* after(const WindowCall& call) { return call.*link; }
  int size() const { return size_; }
  void push(WindowCall* call) {
    call->*link = nullptr;
    (tail_ ? tail_->*link : head_) = call;
    tail_ = call;
    ++size_;
  }
  WindowCall* pop() {
    WindowCall* call = head_;
    if (!call) return nullptr;
    head_ = call->*link;
    if (!head_) tail_ = nullptr;
    --size_;
    return call;
  }

 private:
  WindowCall* head_ = nullptr;
  WindowCall* tail_ = nullptr;
  int size_ = 0;
};

}  // namespace weir
