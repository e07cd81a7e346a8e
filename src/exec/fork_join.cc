#include "exec/fork_join.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "core/ref.h"

namespace weir {

namespace {

class Parts final : public RefCounted {
 public:
  // `part` is called only for parts that are taken before all are done.
  Parts(int count, const std::function<void(int)>& part, RefPtr<Parker> caller)
      : count_(count), part_(&part), caller_(std::move(caller)) {}

  // Takes parts until none is left.
  void run() noexcept {
    for (int i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
      (*part_)(i);
      if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) caller_->unpark();
    }
  }
  // Until those that others took are done, too.
  void wait() noexcept {
    while (done_.load(std::memory_order_acquire) != count_) caller_->park();
  }

 private:
  const int count_;
  const std::function<void(int)>* const part_;
  const RefPtr<Parker> caller_;
  // Cannot overflow: each thread takes one too many at most.
  std::atomic<int> next_{0};
  std::atomic<int> done_{0};
};

// A thread that takes parts, too.
class Helper final : public Job {
 public:
  explicit Helper(RefPtr<Parts> parts) : parts_(std::move(parts)) {}
  void run() noexcept override { parts_->run(); }

 private:
  const RefPtr<Parts> parts_;
};

RefPtr<Parts> make_parts(Executor& executor, int count, const std::function<void(int)>& part) noexcept try {
  RefPtr<Parker> parker = executor.make_parker();
  return parker ? make_ref<Parts>(count, part, std::move(parker)) : nullptr;
} catch (...) {
  return nullptr;
}

}  // namespace

void run_parts(Executor& executor, int threads, int parts, const std::function<void(int)>& part) noexcept {
  const int helpers = std::min({threads, parts, executor.parallelism()}) - 1;
  const RefPtr<Parts> all = helpers > 0 && executor.alive() ? make_parts(executor, parts, part) : nullptr;
  if (!all) {
    for (int i = 0; i < parts; ++i) part(i);
    return;
  }
  for (int i = 0; i < helpers; ++i) {
    RefPtr<Job> helper(new (std::nothrow) Helper(all));
    if (!helper || !executor.submit(Lane::compute, std::move(helper))) break;
  }
  all->run();
  all->wait();
}

}  // namespace weir
