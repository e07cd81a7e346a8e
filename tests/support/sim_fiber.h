// SimFiber: a stack of its own and the switch into and out of it; SimWorld is made of them. The body must
// have returned before the fiber is destroyed, else its objects leak. All fibers of a world run on one
// thread. A switch costs some 10 ns.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace weir::sim {

class SimFiber {
 public:
  // A null body stands for the thread's own stack, which needs no memory.
  SimFiber(std::string name, std::function<void()> body);
  ~SimFiber();
  SimFiber(const SimFiber&) = delete;
  SimFiber& operator=(const SimFiber&) = delete;

  // Runs `to` until it switches back here.
  // REQUIRES: this is the thread's own stack, and called on it
  void resume(SimFiber& to);
  // Switches back to the fiber that resumed this one.
  void suspend();

  bool finished() const { return finished_; }
  // What the body threw, or empty.
  const std::string& failure() const { return failure_; }

  const std::string name;
  // Replaces a thread-local pointer.
  void* local = nullptr;
  bool parked = false;
  // Processor time, where the world counts it.
  int64_t computed_ns = 0;

 private:
  void main();
  static void switch_to(SimFiber& from, SimFiber& to);
  void arrived();

  std::function<void()> body_;
  void* memory_ = nullptr;
  void* bottom_ = nullptr;
  size_t size_ = 0;
  void* context_ = nullptr;
  void* fake_stack_ = nullptr;
  // The exceptions in flight on this stack: the compiler keeps them by thread.
  void* exceptions_[2] = {};
  SimFiber* resumer_ = nullptr;
  SimFiber* resumed_ = nullptr;
  bool finished_ = false;
  std::string failure_;
};

}  // namespace weir::sim
