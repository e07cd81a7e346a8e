#include "exec/credit.h"

namespace weir {

bool Credit::take(CreditedFeed& feed, Waker* waker) noexcept {
  using Place = CreditedFeed::Place;
  RefPtr<Waker> old;
  MutexLock lock(mutex_);
  if (feed.place_ == Place::granted) {
    feed.place_ = Place::outside;
    return true;
  }
  if (feed.place_ == Place::outside && free_ > 0) {
    --free_;
    return true;
  }
  old = std::exchange(feed.waker_, RefPtr<Waker>(waker));
  if (feed.place_ == Place::in_line) return false;
  feed.place_ = Place::in_line;
  feed.before_ = last_;
  feed.after_ = nullptr;
  (last_ ? last_->after_ : first_) = &feed;
  last_ = &feed;
  return false;
}

void Credit::give() noexcept {
  RefPtr<Waker> next;
  MutexLock lock(mutex_);
  if (!first_) {
    ++free_;
    return;
  }
  CreditedFeed& feed = *first_;
  first_ = feed.after_;
  (first_ ? first_->before_ : last_) = nullptr;
  feed.place_ = CreditedFeed::Place::granted;
  next = std::move(feed.waker_);
  lock.unlock();
  next->wake();
}

void Credit::leave(CreditedFeed& feed) noexcept {
  RefPtr<Waker> old;
  bool granted = false;
  {
    MutexLock lock(mutex_);
    granted = feed.place_ == CreditedFeed::Place::granted;
    if (feed.place_ == CreditedFeed::Place::in_line) {
      (feed.before_ ? feed.before_->after_ : first_) = feed.after_;
      (feed.after_ ? feed.after_->before_ : last_) = feed.before_;
    }
    feed.place_ = CreditedFeed::Place::outside;
    old = std::move(feed.waker_);
  }
  if (granted) give();
}

PullResult CreditedFeed::next(Context& context, const Demand& demand, Block& out, Mark& mark) {
  if (!credit_->take(*this, context.waker)) return PullResult::pending;
  const PullResult got = feed_->next(context, demand, out, mark);
  credit_->give();
  return got;
}

}  // namespace weir
