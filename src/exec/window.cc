#include "exec/window.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/sync.h"
#include "core/trace.h"
#include "exec/budget.h"
#include "exec/buffer_tuner.h"
#include "exec/feed_cost.h"
#include "exec/partial_block.h"
#include "exec/scheduler.h"
#include "exec/window_waits.h"

namespace weir {
namespace {

// A pump with more to do lets others go first after this long.
constexpr int64_t kPullSliceNs = 1'000'000;
// So many rows are asked for at once by a consumer that pulls by itself; then no other thread waits for the
// first of them.
constexpr int64_t kRowsHere = 64;
// So much of its size is free before a pump that was full is woken.
constexpr int64_t kRoomPart = 4;
// Where windows share memory, a pull may bring so many bytes more than twice those of the one before.
constexpr int64_t kLeastBytes = 65536;

WindowOptions checked(WindowOptions options, const Tuning& tuning) {
  options.start.tunes = options.start.tunes && tuning.tunes;
  options.max_rows = std::max<int64_t>(1, options.max_rows);
  if (options.first_rows <= 0) options.first_rows = options.max_rows;
  options.first_rows = std::min(options.first_rows, options.max_rows);
  const bool automatic = options.first_rows < options.max_rows;
  if (automatic && !options.start.tunes)
    options.max_rows =
        options.start.number > 0 ? std::min(options.start.number, options.max_rows) : options.max_rows;
  if (automatic && !options.start.tunes) options.first_rows = options.max_rows;
  options.max_bytes = std::max<int64_t>(1, options.max_bytes);
  // At least four blocks fit, so that one can be taken while another is made.
  const int64_t fitting = std::max<int64_t>(1, options.max_rows / 4);
  options.block_rows = static_cast<int>(std::clamp<int64_t>(options.block_rows, 1, fitting));
  return options;
}

}  // namespace

// The filling side and the queue.
class WindowPump final : public Pump, public LiveWindow {
 public:
  WindowPump(Session& session, std::unique_ptr<Feed> feed, const WindowOptions& options, EpochTableRef start)
      : Pump(session, options.lane),
        options_(checked(options, *session.scheduler->tuning())),
        may_pull_here_(options_.lane == Lane::compute && options_.start.tunes &&
                       options_.first_rows == options_.max_rows),
        epochs_(std::move(start)),
        feed_(std::move(feed)),
        slots_(1),
        buffer_(options_.first_rows, options_.max_rows, options_.start.number),
        budget_(options_.max_bytes, session.scheduler->tuning()->memory) {
    if (options.first_rows > 0 && options.first_rows < options.max_rows) session.scheduler->may_be_alone();
  }

  // Swaps the oldest block into `into`, whose memory stays in its place. Returns false if there is none:
  // `answer` says why, and after pending the consumer is woken.
  bool take(Context& consumer, const Demand& demand, PartialBlock& into, PullResult& answer);
  // Pulls on the consumer's thread if there is no row: a block to `into`, past the queue, and returns whether
  // one came; if that is null, as many as fit, where that is cheaper than to wait for one.
  bool pull_here(PartialBlock* into);
  bool makes_here() const { return session().scheduler->makes_here(); }
  // Rows of a taken block were given; after the last of them the block's bytes are free.
  void rows_given(int rows, int64_t bytes);
  // The consumer is gone: a run in progress stops pulling.
  void abandon();
  void pause();
  void resume();
  bool at_rest(Waker* waker);
  void copy_rows(std::vector<Block>& out);
  const EpochScope& epochs() const { return epochs_; }
  void count_in(StageStats* stats) noexcept {
    waits_.stats = stats;
    if (stats) stats->open(*this);
  }
  void add_now(WindowNow& out) const noexcept override {
    out.add(budget_.held_rows(), max_rows(), budget_.held_bytes(), options_.max_bytes);
  }

 protected:
  After run(bool helping) noexcept override;
  void release() noexcept override;

 private:
  bool alone() const { return session().scheduler->alone(); }
  // Where whoever waits makes the rows, it makes a block when it needs one: in a full window they would only
  // leave its cache.
  int64_t max_rows() const { return alone() ? 1 : buffer_.rows(); }
  // Where the number of rows is the window's own choice, the pump waits for room for some, so that it isn't
  // woken for each.
  int64_t resume_below() const {
    const int64_t rows = max_rows();
    return buffer_.fixed() ? rows : rows - rows / kRoomPart;
  }
  bool tunes() const { return !buffer_.fixed() && !alone(); }
  bool pulls_here() const { return may_pull_here_ && cost_.cheap(options_.max_rows); }
  // The consumer pulls by itself when it finds nothing.
  bool needs_no_wake() const { return alone() || pulls_here(); }
  int64_t now_ns() const { return session().runtime.clock->now_ns(); }
  bool admit(Demand& demand) noexcept;
  void has_room() noexcept;
  RefPtr<Waker> rest() noexcept;
  bool grow() noexcept;
  bool push(Demand& next);
  void count_pulled(const PartialBlock& pulled);
  void finish(PullResult answer, EpochTableRef epochs);
  void wait_for_feed();
  void stop_here(const PartialBlock* given = nullptr) noexcept;

  const WindowOptions options_;
  const bool may_pull_here_;
  FeedCost cost_;
  // Used only by the running thread.
  EpochScope epochs_;
  std::unique_ptr<Feed> feed_;
  PartialBlock scratch_;
  // Where a run on the consumer's thread puts its block; the consumer's.
  PartialBlock* into_ = nullptr;
  int ramp_rows_ = 1;
  bool feed_threw_ = false;
  Sampler sampler_;

  Mutex mutex_;
  WindowWaits waits_;
  // A ring of blocks; free places keep memory for the next block.
  std::vector<PartialBlock> slots_;
  size_t first_ = 0;
  size_t count_ = 0;
  BufferTuner buffer_;
  // Since when the pump stands still, where the tuner asks, and for how long it did since the consumer found
  // nothing.
  int64_t full_since_ns_ = 0;
  int64_t full_ns_ = 0;
  // Counts what is in the ring and in the block that the consumer holds.
  Budget budget_;
  int64_t last_bytes_ = 0;
  bool closed_ = false;
  // A run is in progress, or has more to do.
  bool pulling_ = false;
  // How many saves want it to stop, and one of them that waits for it.
  int pauses_ = 0;
  RefPtr<Waker> pauser_;
};

bool WindowPump::take(Context& consumer, const Demand& demand, PartialBlock& into, PullResult& answer) {
  into.recycle();
  RefPtr<Waker> old;
  MutexLock lock(mutex_);
  const bool found = count_ > 0;
  if (found) {
    std::swap(into, slots_[first_]);
    first_ = (first_ + 1) % slots_.size();
    --count_;
    if (into.whole(demand)) {
      budget_.take_rows(into.block.rows);
      budget_.refund_bytes(into.bytes);
    }
    const int64_t taken = budget_.taken_rows();
    if (!alone() && buffer_.took(taken, budget_.held_rows())) [[unlikely]]
      buffer_.check(taken, now_ns());
  } else {
    const bool more = budget_.final_answer() == PullResult::rows;
    answer = budget_.wait(more, consumer.waker, old);
    if (!more) into.mark.epochs = budget_.final_epochs();
    const bool was_full = budget_.take_full();
    if (more) waits_.found_empty(*session().runtime.clock);
    if (more && tunes())
      buffer_.found_empty(budget_.taken_rows(), was_full, std::exchange(full_ns_, 0), now_ns());
  }
  // While some are left, a consumer that will pull by itself wakes nobody.
  const bool resumes = !(found && needs_no_wake()) && budget_.may_resume(resume_below());
  if (resumes) has_room();
  lock.unlock();
  if (resumes) wake();
  budget_.wake_others();
  return found;
}

bool WindowPump::pull_here(PartialBlock* into) {
  if (!into && !pulls_here()) return false;
  {
    MutexLock lock(mutex_);
    if (count_ > 0 || budget_.final_answer() != PullResult::rows) return false;
  }
  into_ = into;
  session().scheduler->run_here(*this);
  into_ = nullptr;
  return into && !into->exhausted();
}

void WindowPump::rows_given(int rows, int64_t bytes) {
  const bool stopped = budget_.take_rows(rows);
  // A consumer that pulls by itself wakes nobody; once it doesn't, its next call does.
  if (bytes == 0 && (!stopped || needs_no_wake())) return;
  MutexLock lock(mutex_);
  budget_.refund_bytes(bytes);
  const bool resumes = !needs_no_wake() && budget_.may_resume(resume_below());
  if (resumes) has_room();
  lock.unlock();
  if (resumes) wake();
  budget_.wake_others();
}

void WindowPump::abandon() {
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  if (waits_.stats) waits_.stats->close(*this);
  budget_.leave(*this);
  close();
}

// The pump need not stand still any longer.
// REQUIRES: mutex_ is held.
void WindowPump::has_room() noexcept {
  if (full_since_ns_ == 0) return;
  full_ns_ += now_ns() - std::exchange(full_since_ns_, 0);
}

// Sets what may be pulled now. Returns false if nothing, and the pump has stopped.
// REQUIRES: mutex_ is held.
bool WindowPump::admit(Demand& demand) noexcept {
  if (closed_ || pauses_ > 0 || !grow()) {
    budget_.stop();
    return false;
  }
  if (!budget_.go_on(max_rows())) {
    waits_.is_full(*session().runtime.clock);
    if (tunes() && full_since_ns_ == 0) full_since_ns_ = now_ns();
    return false;
  }
  waits_.has_room(*session().runtime.clock);
  has_room();
  const int64_t free_rows = alone() ? options_.block_rows : buffer_.rows() - budget_.held_rows();
  const int64_t free_bytes = options_.max_bytes - budget_.held_bytes();
  const int64_t most_rows = here() ? std::max<int64_t>(kRowsHere, ramp_rows_) : ramp_rows_;
  demand.rows = static_cast<int>(std::clamp<int64_t>(free_rows, 1, most_rows));
  const int64_t most_bytes = std::clamp<int64_t>(free_bytes, 1, alone() ? kBytesHere : kMaxBlockBytes);
  demand.bytes = budget_.reserve(most_bytes, std::min(most_bytes, 2 * last_bytes_ + kLeastBytes), *this);
  if (demand.bytes > 0) return true;
  budget_.stop();
  return false;
}

void WindowPump::pause() {
  MutexLock lock(mutex_);
  ++pauses_;
}

void WindowPump::resume() {
  {
    MutexLock lock(mutex_);
    --pauses_;
  }
  // Wakes may have come meanwhile.
  wake();
}

bool WindowPump::at_rest(Waker* waker) {
  RefPtr<Waker> old;
  MutexLock lock(mutex_);
  if (!pulling_) return true;
  old = std::exchange(pauser_, RefPtr<Waker>(waker));
  return false;
}

void WindowPump::copy_rows(std::vector<Block>& out) {
  MutexLock lock(mutex_);
  for (size_t i = 0; i < count_; ++i) slots_[(first_ + i) % slots_.size()].copy_rest(out);
}

// The run has pulled for the last time. Returns who waits for that, to be woken without the lock.
// REQUIRES: mutex_ is held.
RefPtr<Waker> WindowPump::rest() noexcept {
  pulling_ = false;
  return std::move(pauser_);
}

// Adds a place for one more block, if there is memory for it.
// REQUIRES: mutex_ is held.
bool WindowPump::grow() noexcept try {
  if (count_ < slots_.size()) return true;
  std::vector<PartialBlock> larger(slots_.size() * 2);
  for (size_t i = 0; i < count_; ++i) larger[i] = std::move(slots_[(first_ + i) % slots_.size()]);
  slots_.swap(larger);
  first_ = 0;
  return true;
} catch (...) {
  return false;
}

// REQUIRES: mutex_ is held.
void WindowPump::count_pulled(const PartialBlock& pulled) {
  budget_.charge(pulled.block.rows, pulled.bytes);
  last_bytes_ = pulled.bytes;
  ramp_rows_ = std::min(ramp_rows_ * 2, options_.block_rows);
}

// Adds what was pulled. Returns false if the pump has to stop there.
bool WindowPump::push(Demand& next) {
  MutexLock lock(mutex_);
  std::swap(scratch_, slots_[(first_ + count_) % slots_.size()]);
  const PartialBlock& added = slots_[(first_ + count_) % slots_.size()];
  ++count_;
  count_pulled(added);
  if (!buffer_.fixed() && budget_.is_waited_for()) buffer_.has_rows(now_ns());
  const bool more = admit(next);
  RefPtr<Waker> pauser = more ? nullptr : rest();
  RefPtr<Waker> waiter = budget_.take_waiter();
  if (waiter) waits_.has_rows(*session().runtime.clock);
  lock.unlock();
  if (waiter) waiter->wake();
  if (pauser) pauser->wake();
  budget_.wake_others();
  return more;
}

void WindowPump::finish(PullResult answer, EpochTableRef epochs) {
  MutexLock lock(mutex_);
  RefPtr<Waker> waiter = budget_.finish(answer, std::move(epochs));
  budget_.return_reserved();
  RefPtr<Waker> pauser = rest();
  waits_.has_rows(*session().runtime.clock);
  lock.unlock();
  if (waiter) waiter->wake();
  if (pauser) pauser->wake();
  budget_.wake_others();
}

// The feed has no row now.
void WindowPump::wait_for_feed() {
  MutexLock lock(mutex_);
  RefPtr<Waker> pauser = rest();
  lock.unlock();
  if (pauser) pauser->wake();
}

// There is room, which the consumer makes use of when it finds nothing, or wakes the pump for. `given`: what
// it has been given.
void WindowPump::stop_here(const PartialBlock* given) noexcept {
  MutexLock lock(mutex_);
  if (given) count_pulled(*given);
  budget_.stop();
  budget_.return_reserved();
  RefPtr<Waker> pauser = rest();
  lock.unlock();
  if (pauser) pauser->wake();
}

Pump::After WindowPump::run(bool helping) noexcept {
  Context context{session(), this, &epochs_};
  const TraceSlice slice(context.runtime().trace, context.runtime().clock, "pull", waits_.name());
  int64_t begin_ns = now_ns();
  const int64_t deadline_ns = begin_ns + (here() ? FeedCost::kPullingNs : kPullSliceNs);
  PartialBlock* const given = here() ? into_ : nullptr;
  PartialBlock& into = given ? *given : scratch_;
  Demand demand;
  {
    MutexLock lock(mutex_);
    const bool pulls = budget_.final_answer() == PullResult::rows && admit(demand);
    pulling_ = true;
    RefPtr<Waker> pauser = pulls ? nullptr : rest();
    lock.unlock();
    if (pauser) pauser->wake();
    if (!pulls) return After::rest;
  }
  for (;;) {
    PullResult answer = feed_threw_ ? PullResult::end : PullResult::cancelled;
    if (!feed_threw_ && !session().cancelled.load(std::memory_order_relaxed)) {
      answer = pull_sampled(context, sampler_, waits_.stats,
                            [&] { return pull_guarded(*feed_, context, demand, into, feed_threw_); });
    }
    if (answer == PullResult::pending) {
      wait_for_feed();
      return After::rest;
    }
    if (answer != PullResult::rows) {
      finish(answer, answer == PullResult::end ? into.mark.epochs : nullptr);
      return After::rest;
    }
    if (given) {
      stop_here(given);
      return After::rest;
    }
    const int rows = scratch_.block.rows;
    const bool more = push(demand);
    const int64_t end_ns = now_ns();
    if (may_pull_here_)
      cost_.pulled(end_ns - std::exchange(begin_ns, end_ns), rows, std::max(1, rows / options_.block_rows));
    if (!more) return After::rest;
    if (end_ns < deadline_ns && (here() || !helping)) continue;
    if (!here()) return After::again;
    stop_here();
    return After::rest;
  }
}

void WindowPump::release() noexcept {
  feed_ = nullptr;
  scratch_ = PartialBlock();
  std::vector<PartialBlock> slots;
  RefPtr<Waker> waiter;
  MutexLock lock(mutex_);
  slots.swap(slots_);
  count_ = 0;
  budget_.drop();
  waiter = budget_.take_waiter();
  lock.unlock();
  slots.clear();
  budget_.leave(*this);
  budget_.wake_others();
}

Window::Window(Session& session, std::unique_ptr<Feed> feed, const WindowOptions& options,
               EpochTableRef start)
    : pump_(make_ref<WindowPump>(session, std::move(feed), options, std::move(start))),
      front_(std::make_unique<PartialBlock>()) {}

void Window::count_in(StageStats* stats) noexcept { pump_->count_in(stats); }

void Window::start() { pump_->wake(); }

Window::~Window() { pump_->abandon(); }

std::function<void()> Window::pause() {
  std::function<void()> resume = [pump = pump_] { pump->resume(); };
  pump_->pause();
  return resume;
}

const void* Window::identity() const { return pump_.get(); }

bool Window::at_rest(Waker* waker) { return pump_->at_rest(waker); }

void Window::copy_rows(std::vector<Block>& out) {
  front_->copy_rest(out);
  pump_->copy_rows(out);
}

const EpochScope& Window::epochs() const { return pump_->epochs(); }

int64_t Window::assured() const noexcept { return front_->elements_left(); }

PullResult Window::next(Context& consumer, const Demand& demand, Block& out, Mark& mark) {
  if (consumer.session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
  bool whole = false;
  const bool needs_rows = front_->exhausted();
  const bool makes_here = needs_rows && pump_->makes_here();
  // What was given as a whole left the memory of the consumer's last one.
  if (makes_here && gave_whole_)
    front_->reuse(out);
  else if (makes_here)
    front_->recycle();
  if (needs_rows && !pump_->pull_here(makes_here ? front_.get() : nullptr)) {
    PullResult answer = PullResult::pending;
    if (!pump_->take(consumer, demand, *front_, answer)) {
      mark.epochs = front_->mark.epochs;
      return answer;
    }
    // Then it has left the budget.
    whole = front_->whole(demand);
  }
  gave_whole_ = front_->whole(demand);
  front_->take_rows(demand, out, mark);
  if (!whole) pump_->rows_given(out.rows, front_->exhausted() ? front_->bytes : 0);
  return PullResult::rows;
}

}  // namespace weir
