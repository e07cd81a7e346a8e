#include "support/sim_fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstring>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace weir::sim {
namespace {

namespace context = boost::context::detail;

// The frames of a build with sanitizers take several times the room.
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t kStackBytes = 2 << 20;
#else
constexpr size_t kStackBytes = 512 << 10;
#endif
constexpr size_t kGuardBytes = 64 << 10;

// Stacks of finished fibers, for reuse: mapping one costs more than most fibers run.
std::vector<void*>& free_stacks() {
  static std::vector<void*> stacks;
  return stacks;
}

void* take_stack() {
  if (!free_stacks().empty()) {
    void* memory = free_stacks().back();
    free_stacks().pop_back();
    return memory;
  }
  void* memory = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::mprotect(memory, kGuardBytes, PROT_NONE);
  return memory;
}

}  // namespace

SimFiber::SimFiber(std::string fiber_name, std::function<void()> body)
    : name(std::move(fiber_name)), body_(std::move(body)) {
  if (!body_) return;
  memory_ = take_stack();
  bottom_ = static_cast<char*>(memory_) + kGuardBytes;
  size_ = kStackBytes - kGuardBytes;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(bottom_, size_);
#endif
  context_ =
      context::make_fcontext(static_cast<char*>(bottom_) + size_, size_, [](context::transfer_t transfer) {
        auto* self = static_cast<SimFiber*>(transfer.data);
        self->resumer_->context_ = transfer.fctx;
        self->main();
      });
}

SimFiber::~SimFiber() {
  // The stack of a fiber that never ended still holds live objects, so it is left alone.
  if (memory_ && finished_) free_stacks().push_back(memory_);
}

void SimFiber::main() {
  arrived();
  try {
    body_();
  } catch (const std::exception& error) {
    failure_ = error.what();
  } catch (...) {
    failure_ = "an exception";
  }
  body_ = nullptr;
  finished_ = true;
  switch_to(*this, *resumer_);
}

void SimFiber::switch_to(SimFiber& from, SimFiber& to) {
  std::memcpy(from.exceptions_, abi::__cxa_get_globals(), sizeof from.exceptions_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(from.finished_ ? nullptr : &from.fake_stack_, to.bottom_, to.size_);
#endif
  context::transfer_t back = context::jump_fcontext(to.context_, &to);
  // Back on `from`; the one that came here stopped where its context says.
  SimFiber& source = from.memory_ ? *from.resumer_ : *from.resumed_;
  source.context_ = back.fctx;
  from.arrived();
}

// REQUIRES: runs on this fiber's stack, right after a switch.
void SimFiber::arrived() {
#if defined(__SANITIZE_ADDRESS__)
  SimFiber& source = memory_ ? *resumer_ : *resumed_;
  const void* bottom = nullptr;
  size_t size = 0;
  __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &size);
  if (!source.memory_) {
    source.bottom_ = const_cast<void*>(bottom);
    source.size_ = size;
  }
#endif
  std::memcpy(abi::__cxa_get_globals(), exceptions_, sizeof exceptions_);
}

void SimFiber::resume(SimFiber& to) {
  resumed_ = &to;
  to.resumer_ = this;
  switch_to(*this, to);
}

void SimFiber::suspend() { switch_to(*this, *resumer_); }

}  // namespace weir::sim
