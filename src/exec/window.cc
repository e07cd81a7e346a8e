#include "exec/window.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/sync.h"
#include "exec/handout.h"

namespace weir {
namespace {

// A pump with more to do lets others go first after this long.
constexpr int64_t kSliceNs = 1'000'000;

WindowOptions checked(WindowOptions options) {
  options.max_rows = std::max<int64_t>(1, options.max_rows);
  options.max_bytes = std::max<int64_t>(1, options.max_bytes);
  // At least four blocks fit, so that one can be taken while another is made.
  const int64_t fitting = std::max<int64_t>(1, options.max_rows / 4);
  options.block_rows =
      static_cast<int>(std::clamp<int64_t>(options.block_rows, 1, std::min<int64_t>(fitting, kMaxBlockRows)));
  return options;
}

}  // namespace

// The filling side and the queue.
class WindowPump final : public Pump {
 public:
  WindowPump(Session& session, std::unique_ptr<Feed> feed, const WindowOptions& options, EpochTableRef start)
      : Pump(session, options.lane),
        options_(checked(options)),
        epochs_(std::move(start)),
        feed_(std::move(feed)),
        slots_(1) {}

  // Swaps the oldest block into `into`, whose memory stays in its place. False if there is none: `answer`
  // says why, and after pending the consumer is woken.
  bool take(Context& consumer, const Want& want, Handout& into, Pull& answer);
  // The last row of a taken block was given.
  void give_back(int rows, int64_t bytes);
  // The consumer is gone: a run in progress pulls no more.
  void abandon();

 protected:
  After run(bool helping) noexcept override;
  void release() noexcept override;

 private:
  bool admit(Want& want) const;
  bool may_resume();
  bool grow() noexcept;
  bool push(Want& next);
  void finish(Pull answer, EpochTableRef epochs);

  const WindowOptions options_;
  // The running thread's alone.
  EpochScope epochs_;
  std::unique_ptr<Feed> feed_;
  Handout scratch_;
  int ramp_rows_ = 1;
  bool broken_ = false;

  Mutex mutex_;
  // A ring of blocks; free places keep memory for the next block.
  std::vector<Handout> slots_;
  size_t first_ = 0;
  size_t count_ = 0;
  // Rows and bytes in the ring and in the block that the consumer holds.
  int64_t held_rows_ = 0;
  int64_t held_bytes_ = 0;
  // The pump stopped for want of credit (or has not begun); who frees some wakes it.
  bool starved_ = true;
  bool closed_ = false;
  // Pull::rows while the feed goes on, else end or cancelled.
  Pull final_ = Pull::rows;
  EpochTableRef final_epochs_;
  RefPtr<Waker> waiter_;
};

bool WindowPump::take(Context& consumer, const Want& want, Handout& into, Pull& answer) {
  into.recycle();
  RefPtr<Waker> old;
  MutexLock lock(mutex_);
  const bool found = count_ > 0;
  if (found) {
    std::swap(into, slots_[first_]);
    first_ = (first_ + 1) % slots_.size();
    --count_;
    if (into.whole(want)) {
      held_rows_ -= into.block.rows;
      held_bytes_ -= into.bytes;
    }
  } else if (final_ != Pull::rows) {
    answer = final_;
    into.mark.epochs = final_epochs_;
  } else {
    answer = Pull::pending;
    if (waiter_.get() != consumer.waker) {
      old = std::move(waiter_);
      waiter_ = RefPtr<Waker>(consumer.waker);
    }
  }
  const bool resumes = may_resume();
  lock.unlock();
  if (resumes) wake();
  return found;
}

void WindowPump::give_back(int rows, int64_t bytes) {
  MutexLock lock(mutex_);
  held_rows_ -= rows;
  held_bytes_ -= bytes;
  const bool resumes = may_resume();
  lock.unlock();
  if (resumes) wake();
}

void WindowPump::abandon() {
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  close();
}

// REQUIRES: mutex_ is held. True once for each time the pump stopped; the caller then wakes it.
bool WindowPump::may_resume() {
  if (!starved_ || held_rows_ > options_.max_rows / 2 || held_bytes_ > options_.max_bytes / 2) return false;
  starved_ = false;
  return true;
}

// REQUIRES: mutex_ is held. What may be pulled now; false for nothing.
bool WindowPump::admit(Want& want) const {
  const int64_t free_rows = options_.max_rows - held_rows_;
  const int64_t free_bytes = options_.max_bytes - held_bytes_;
  if (held_rows_ > 0 && (free_rows <= 0 || free_bytes <= 0)) return false;
  want.rows = static_cast<int>(std::clamp<int64_t>(free_rows, 1, ramp_rows_));
  want.bytes = std::clamp<int64_t>(free_bytes, 1, kMaxBlockBytes);
  return true;
}

// REQUIRES: mutex_ is held. A place for one more block, if there is memory for it.
bool WindowPump::grow() noexcept try {
  if (count_ < slots_.size()) return true;
  std::vector<Handout> larger(slots_.size() * 2);
  for (size_t i = 0; i < count_; ++i) larger[i] = std::move(slots_[(first_ + i) % slots_.size()]);
  slots_.swap(larger);
  first_ = 0;
  return true;
} catch (...) {
  return false;
}

// Adds what was pulled. False if the pump has to stop there.
bool WindowPump::push(Want& next) {
  MutexLock lock(mutex_);
  std::swap(scratch_, slots_[(first_ + count_) % slots_.size()]);
  const Handout& added = slots_[(first_ + count_) % slots_.size()];
  ++count_;
  held_rows_ += added.block.rows;
  held_bytes_ += added.bytes;
  ramp_rows_ = std::min(ramp_rows_ * 2, options_.block_rows);
  const bool more = !closed_ && grow() && admit(next);
  starved_ = !more;
  RefPtr<Waker> waiter = std::move(waiter_);
  lock.unlock();
  if (waiter) waiter->wake();
  return more;
}

void WindowPump::finish(Pull answer, EpochTableRef epochs) {
  MutexLock lock(mutex_);
  final_ = answer;
  final_epochs_ = std::move(epochs);
  starved_ = false;
  RefPtr<Waker> waiter = std::move(waiter_);
  lock.unlock();
  if (waiter) waiter->wake();
}

Pump::After WindowPump::run(bool helping) noexcept {
  Context context{session(), this, &epochs_};
  const int64_t deadline_ns = helping ? 0 : context.runtime().clock->now_ns() + kSliceNs;
  Want want;
  {
    MutexLock lock(mutex_);
    if (closed_ || final_ != Pull::rows) return After::rest;
    starved_ = !(grow() && admit(want));
    if (starved_) return After::rest;
  }
  for (;;) {
    Pull answer = broken_ ? Pull::end : Pull::cancelled;
    if (!broken_ && !session().cancelled.load(std::memory_order_relaxed)) {
      answer = pull_guarded(*feed_, context, want, scratch_, broken_);
    }
    if (answer == Pull::pending) return After::rest;
    if (answer != Pull::rows) {
      finish(answer, answer == Pull::end ? scratch_.mark.epochs : nullptr);
      return After::rest;
    }
    if (!push(want)) return After::rest;
    if (helping || context.runtime().clock->now_ns() >= deadline_ns) return After::again;
  }
}

void WindowPump::release() noexcept {
  feed_ = nullptr;
  scratch_ = Handout();
  std::vector<Handout> slots;
  RefPtr<Waker> waiter;
  MutexLock lock(mutex_);
  slots.swap(slots_);
  count_ = 0;
  waiter = std::move(waiter_);
}

Window::Window(Session& session, std::unique_ptr<Feed> feed, const WindowOptions& options,
               EpochTableRef start)
    : pump_(make_ref<WindowPump>(session, std::move(feed), options, std::move(start))),
      front_(std::make_unique<Handout>()) {}

Window::~Window() { pump_->abandon(); }

Pull Window::next(Context& consumer, const Want& want, Block& out, Mark& mark) {
  if (consumer.session.cancelled.load(std::memory_order_relaxed)) return Pull::cancelled;
  bool in_budget = true;
  if (front_->exhausted()) {
    Pull answer = Pull::pending;
    if (!pump_->take(consumer, want, *front_, answer)) {
      mark.epochs = front_->mark.epochs;
      return answer;
    }
    in_budget = !front_->whole(want);
  }
  const int rows = front_->block.rows;
  front_->give(want, out, mark);
  if (in_budget && front_->exhausted()) pump_->give_back(rows, front_->bytes);
  return Pull::rows;
}

}  // namespace weir
