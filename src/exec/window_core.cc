#include "exec/window_core.h"

#include <algorithm>
#include <utility>

#include "core/trace.h"
#include "exec/pace.h"

namespace weir {

WindowCore::WindowCore(Session& session, Lane lane, int64_t max_bytes, Leave leave)
    : Pump(session, lane), budget_(max_bytes, session.scheduler->tuning()->memory), leave_(leave) {}

void WindowCore::count_in(StageStats* stats) noexcept {
  waits_.stats = stats;
  if (stats) stats->open(*this);
}

PullResult WindowCore::next(Context& consumer, const Demand& demand, Block& out, Mark& mark) {
  if (consumer.session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
  const bool fetches = !front_ || front_->out.exhausted();
  if (fetches) {
    const PullResult answer = take(consumer, demand, mark);
    if (answer != PullResult::rows) return answer;
  }
  const bool whole = front_->out.whole(demand);
  front_->out.take_rows(demand, out, mark);
  // A block that is given as a whole has left the budget when it was taken.
  if (!(fetches && whole)) gave(out.rows);
  return PullResult::rows;
}

// Makes the next block the front one.
PullResult WindowCore::take(Context& consumer, const Demand& demand, Mark& mark) {
  if (front_) front_->out.recycle();
  WakingLock lock = locked();
  if (front_) spare_.push_front(std::exchange(front_, nullptr));
  PullResult answer = PullResult::rows;
  if (end_.answer != PullResult::cancelled) front_ = ready();
  if (front_) {
    line_.pop();
    if (front_->out.whole(demand)) {
      budget_.take_rows(front_->rows);
      budget_.refund_bytes(front_->charged_bytes);
    }
  } else {
    const bool over =
        end_.answer == PullResult::cancelled || (end_.answer == PullResult::end && making_ == 0);
    answer = over ? end_.answer : PullResult::pending;
    if (over) {
      mark.epochs = end_.epochs;
    } else {
      if (consumer_.get() != consumer.waker)
        lock.drop(std::exchange(consumer_, RefPtr<Waker>(consumer.waker)));
      waits_.found_empty(clock());
      if (drain_.wanted && !line_.front() && making_ == 0 && consumer.asked()) {
        drain_.wanted = false;
        drain_.empty = true;
        lock.wake(RefPtr<Waker>(this));
      }
    }
    found_empty(!over);
  }
  if (!(front_ && drains()) && may_resume()) lock.wake(RefPtr<Waker>(this));
  return answer;
}

// Rows of the front block were given; after the last of them the block's bytes are free.
void WindowCore::gave(int rows) {
  const bool last = front_->out.exhausted();
  if (leave_ == Leave::by_block) {
    if (!last) return;
    rows = front_->rows;
  }
  const int64_t bytes = last ? front_->charged_bytes : 0;
  const bool stopped = budget_.take_rows(rows);
  if (bytes == 0 && (!stopped || drains())) return;
  WakingLock lock = locked();
  budget_.refund_bytes(bytes);
  if (!drains() && may_resume()) lock.wake(RefPtr<Waker>(this));
}

void WindowCore::abandon() {
  if (waits_.stats) waits_.stats->close(*this);
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  // The rows go now, even if the pump still runs.
  if (front_) front_->out = PartialBlock();
  budget_.leave(*this);
  close();
}

void WindowCore::pause() {
  MutexLock lock(mutex_);
  ++pauses_;
}

void WindowCore::resume() {
  bool woken = false;
  {
    MutexLock lock(mutex_);
    --pauses_;
    woken = std::exchange(woken_in_pause_, false);
  }
  if (woken) wake();
}

bool WindowCore::at_rest(Waker* waker) {
  WakingLock lock = locked();
  if (rests()) return true;
  lock.drop(std::exchange(saver_, RefPtr<Waker>(waker)));
  return false;
}

void WindowCore::copy_rows(std::vector<Block>& out) {
  if (front_) front_->out.copy_rest(out);
  MutexLock lock(mutex_);
  for (const WindowBlock* block = line_.front(); block; block = line_.after(*block))
    block->out.copy_rest(out);
}

std::optional<GuardedFeed> WindowCore::take_feed() noexcept {
  if (front_ && !front_->out.exhausted()) return std::nullopt;
  MutexLock lock(mutex_);
  // One that was pending may have been promised what others wait for (exec/credit.h), to this pump.
  if (!rests() || drain_.pending || line_.front() || pauses_ > 0 || end_.answer != PullResult::rows)
    return std::nullopt;
  closed_ = true;
  return std::move(feed_);
}

void WindowCore::tell(WakingLock& lock) noexcept {
  if (ready()) {
    waits_.has_rows(clock());
    lock.wake(std::move(consumer_));
  }
  if (rests()) lock.wake(std::move(saver_));
}

void WindowCore::finish(PullResult answer, EpochTableRef epochs, WakingLock& lock) noexcept {
  end_.set(answer, std::move(epochs));
  budget_.end();
  if (making_ == 0) waits_.has_rows(clock());
  lock.wake(std::move(consumer_));
  tell(lock);
}

// Finds a block to fill, and sets how much may be pulled. Returns false if the pump has to stop.
// REQUIRES: the lock is held
bool WindowCore::prepare(Demand& demand) noexcept {
  if (closed_ || end_.answer != PullResult::rows) return false;
  if (pauses_ > 0 || !find_block()) {
    woken_in_pause_ = woken_in_pause_ || pauses_ > 0;
    budget_.stop();
    return false;
  }
  if (!admit(demand)) return false;
  drain_.now = {std::exchange(drain_.empty, false), false};
  return true;
}

// False if there is no memory for one more: the next one that is given back resumes the pump.
// REQUIRES: the lock is held
bool WindowCore::find_block() noexcept try {
  if (!filling_) filling_ = spare_.pop();
  if (filling_) return true;
  blocks_.push_back(make_block());
  filling_ = blocks_.back().get();
  return true;
} catch (...) {
  return false;
}

bool WindowCore::begin(Demand& demand) noexcept {
  WakingLock lock = locked();
  pulling_ = prepare(demand);
  tell(lock);
  return pulling_;
}

// Adds what was pulled. Returns false if the pump has to stop there.
bool WindowCore::push(Demand& next) noexcept {
  WakingLock lock = locked();
  WindowBlock& block = *std::exchange(filling_, nullptr);
  block.rows = input(block).block.rows;
  RefPtr<Pump> maker = add(block);
  drain_.pending = false;
  pulling_ = prepare(next);
  const bool more = pulling_;
  tell(lock);
  lock.wake(std::move(maker));
  return more;
}

// The run has pulled for the last time. After pending, the feed wakes the pump; else the consumer does, or
// pulls again by itself.
void WindowCore::rest(PullResult answer) noexcept {
  WakingLock lock = locked();
  pulling_ = false;
  drain_.pending = answer == PullResult::pending;
  if (drain_.pending) {
    feed_waits();
    if (std::exchange(drain_.now.wanted, false)) {
      drain_.wanted = true;
      lock.wake(std::move(consumer_));
    }
  } else {
    budget_.stop();
    // The consumer came while this ran.
    if (consumer_ && !ready() && may_resume()) lock.wake(RefPtr<Waker>(this));
  }
  tell(lock);
}

Pump::After WindowCore::run(bool helping) noexcept {
  const TraceSlice slice(session().runtime.trace, &clock(), "pull", waits_.name());
  int64_t begin_ns = clock().now_ns();
  const int64_t deadline_ns = begin_ns + kSliceNs;
  Demand demand;
  if (!begin(demand)) return After::rest;
  for (;;) {
    PartialBlock& into = input(*filling_);
    const PullResult answer =
        feed_.pull(session(), this, waits_.stats, drain_.now, demand, into.block, into.mark);
    if (answer == PullResult::pending) {
      rest(answer);
      return After::rest;
    }
    if (answer != PullResult::rows) {
      WakingLock lock = locked();
      pulling_ = false;
      finish(answer, answer == PullResult::end ? into.mark.epochs : nullptr, lock);
      return After::rest;
    }
    const int rows = into.block.rows;
    into.bytes = into.block.byte_size();
    const bool more = push(demand);
    const int64_t end_ns = clock().now_ns();
    pulled(end_ns - std::exchange(begin_ns, end_ns), rows);
    if (!more) return After::rest;
    if (end_ns < deadline_ns && !helping) continue;
    if (!drains()) return After::again;
    rest(answer);
    return After::rest;
  }
}

void WindowCore::release() noexcept {
  feed_.drop();
  pump_gone();
}

void WindowCore::pump_gone() noexcept {
  std::vector<std::unique_ptr<WindowBlock>> blocks;
  {
    WakingLock lock = locked();
    if (--open_pumps_ > 0) return;
    blocks.swap(blocks_);
    lock.drop(std::move(consumer_));
    budget_.drop();
  }
  drop_makers();
  // A pull may have asked for memory after the consumer left.
  budget_.leave(*this);
}

}  // namespace weir
