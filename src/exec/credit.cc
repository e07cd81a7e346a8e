#include "exec/credit.h"

#include <algorithm>

#include "core/runtime.h"
#include "exec/scheduler.h"
#include "exec/waking_lock.h"

namespace weir {

namespace {

CallRange limits_of_feeds(int limit, int useful, const Executor& executor, const Tuning& tuning) {
  if (limit > 0) return {limit, limit};
  const int first = std::min(tuning.limit_threads(executor.parallelism()), useful);
  return {first, first};
}

}  // namespace

Credit::Credit(Session& session, int limit, int useful, const TunerStart& start)
    : tuning_(session.scheduler->tuning()),
      start_(start),
      executor_(*session.runtime.executor),
      clock_(*session.runtime.clock),
      useful_(limit > 0 ? 0 : useful),
      tuner_(limits_of_feeds(limit, useful, executor_, *tuning_)),
      limit_(tuner_.limit()) {
  if (limit > 1) session.scheduler->wants_threads();
  if (limit <= 0) session.scheduler->may_be_alone();
}

void Credit::add_now(WindowNow& out) const noexcept {
  out.calls += taken_.load(std::memory_order_relaxed);
  out.max_calls += limit();
}

// REQUIRES: mutex_ is held.
void Credit::widen() noexcept {
  const int most = most_waiting_calls(executor_, *tuning_);
  const int64_t first = start_.number > 0 ? start_.number : useful_;
  const int begin = static_cast<int>(std::min<int64_t>(first, std::min(2 * useful_, most)));
  if (start_.tunes) {
    tuner_.widen(begin, std::min(2 * useful_, most));
  } else {
    tuner_ = CallPace({begin, begin});
  }
  limit_.store(tuner_.limit(), std::memory_order_relaxed);
}

void Credit::expect_waiting(Scheduler& scheduler) noexcept {
  if (!tuned()) return;
  {
    MutexLock lock(mutex_);
    if (std::exchange(expects_waiting_, true)) return;
    widen();
  }
  scheduler.expects_waiting();
  hand_over();
}

void Credit::starved() noexcept {
  if (!tuned()) return;
  MutexLock lock(mutex_);
  tuner_.starved();
}

void Credit::hungry() noexcept {
  if (!tuned()) return;
  MutexLock lock(mutex_);
  tuner_.hungry();
}

bool Credit::take(CreditedFeed& feed, Waker* waker, Pull& pull) noexcept {
  using Place = CreditedFeed::Place;
  WakingLock lock(mutex_);
  const bool granted = feed.place_ == Place::granted;
  if (granted || (feed.place_ == Place::outside && taken_.load(std::memory_order_relaxed) < limit())) {
    feed.place_ = Place::outside;
    if (!granted) add_alone(taken_, 1);
    if (!tuned()) return true;
    pull.stands_for = probe_.stands_for(!std::exchange(feed.pulled_, true));
    lock.unlock();
    if (pull.stands_for > 0) pull.watch.begin(clock_);
    pull.begin_ns = clock_.now_ns();
    return true;
  }
  lock.drop(std::exchange(feed.waker_, RefPtr<Waker>(waker)));
  if (feed.place_ == Place::in_line) return false;
  feed.place_ = Place::in_line;
  feed.before_ = last_;
  feed.after_ = nullptr;
  (last_ ? last_->after_ : first_) = &feed;
  last_ = &feed;
  return false;
}

void Credit::give(const Pull& pull, int64_t rows) noexcept {
  const int64_t end_ns = tuned() ? clock_.now_ns() : 0;
  const int64_t took_ns = end_ns - pull.begin_ns;
  const int64_t computed_ns = pull.stands_for > 0 ? pull.watch.computed_ns(clock_, took_ns) : 0;
  {
    MutexLock lock(mutex_);
    add_alone(taken_, -1);
    if (tuned()) {
      // One that found nothing measures nothing.
      if (rows > 0) tuner_.done(rows, end_ns);
      limit_.store(tuner_.limit(), std::memory_order_relaxed);
      if (pull.stands_for > 0) {
        probe_.add(pull.stands_for, took_ns, computed_ns);
        seen_waiting_.store(probe_.waits(), std::memory_order_relaxed);
        if (probe_.waits() && !std::exchange(expects_waiting_, true)) widen();
      }
    }
  }
  hand_over();
}

// Those who have waited longest come first.
void Credit::hand_over() noexcept {
  for (;;) {
    WakingLock lock(mutex_);
    if (!first_ || taken_.load(std::memory_order_relaxed) >= limit()) return;
    CreditedFeed& feed = *first_;
    first_ = feed.after_;
    (first_ ? first_->before_ : last_) = nullptr;
    feed.place_ = CreditedFeed::Place::granted;
    add_alone(taken_, 1);
    lock.wake(std::move(feed.waker_));
  }
}

void Credit::leave(CreditedFeed& feed) noexcept {
  {
    WakingLock lock(mutex_);
    if (feed.place_ == CreditedFeed::Place::granted) add_alone(taken_, -1);
    if (feed.place_ == CreditedFeed::Place::in_line) {
      (feed.before_ ? feed.before_->after_ : first_) = feed.after_;
      (feed.after_ ? feed.after_->before_ : last_) = feed.before_;
    }
    feed.place_ = CreditedFeed::Place::outside;
    lock.drop(std::move(feed.waker_));
  }
  hand_over();
}

PullResult CreditedFeed::next(Context& context, const Demand& demand, Block& out, Mark& mark) {
  Credit::Pull pull;
  if (!credit_->take(*this, context.waker, pull)) return PullResult::pending;
  const PullResult got = feed_->next(context, demand, out, mark);
  credit_->give(pull, got == PullResult::rows ? out.rows : 0);
  return got;
}

}  // namespace weir
