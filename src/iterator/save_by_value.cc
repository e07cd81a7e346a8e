// Iterator: saves a position with rows that cannot be made again.
#include "core/exception.h"
#include "core/failed_reads.h"
#include "dataset/holding.h"
#include "iterator/iterator.h"

namespace weir {

namespace {

// Wakes all threads that wait for an iterator: what one that saves waits for is nothing to others.
class AllWaiting final : public Waker {
 public:
  explicit AllWaiting(RefPtr<Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}
  void wake() override { scheduler_->wake_all(); }

 private:
  const RefPtr<Scheduler> scheduler_;
};

}  // namespace

// Stops the Windows whose rows cannot be made again, and writes them down.
Result<Checkpoint> Iterator::save_by_value() {
  Result<Checkpoint> checkpoint = Checkpoint();
  const auto waker = make_ref<AllWaiting>(scheduler_);
  Holding holding;
  holding.waker = waker.get();
  // As often as it answers pending.
  const auto write = [&]() noexcept -> PullResult {
    holding.answer = PullResult::rows;
    try {
      if (position_) {
        Session& session = *position_->session;
        if (session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
        if (!position_->stage) position_->open(false);
        holding.failed_reads = &session.failed_reads();
      }
      checkpoint = write_down(&holding);
    } catch (...) {
      checkpoint = Status(error_of_exception());
    }
    return holding.answer;
  };
  WEIR_ASSIGN(const PullResult answer, scheduler_->drive_saving(write));
  if (holding.error) return Status(holding.error);
  if (answer != PullResult::rows) {
    return Status(
        Code::cancelled,
        "elements that cannot be made again are saved while their iterator runs, and this one was cancelled; save before cancelling");
  }
  return checkpoint;
}

}  // namespace weir
