#include "exec/poll_waiters.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace weir {

int SleeperList::size() const {
  int count = 0;
  for (const Sleeper* sleeper = head_; sleeper; sleeper = sleeper->next) ++count;
  return count;
}

RefPtr<Parker> SleeperList::take(Sleeper** place) {
  if (!*place) return nullptr;
  RefPtr<Parker> parker = (*place)->parker;
  *place = (*place)->next;
  return parker;
}

RefPtr<Parker> SleeperList::pop_reader() {
  Sleeper** place = &head_;
  while (*place && (*place)->saves) place = &(*place)->next;
  return take(*place ? place : &head_);
}

bool SleeperList::remove(Sleeper& sleeper) {
  for (Sleeper** place = &head_; *place; place = &(*place)->next) {
    if (*place != &sleeper) continue;
    *place = sleeper.next;
    return true;
  }
  return false;
}

PollWaiters::~PollWaiters() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

RefPtr<Parker> PollWaiters::wake() {
  wakes_.fetch_add(1);
  signal();
  if (sleepers_.empty()) return nullptr;
  count_.fetch_sub(1);
  return sleepers_.pop_reader();
}

RefPtr<Parker> PollWaiters::pop() {
  if (sleepers_.empty()) return nullptr;
  count_.fetch_sub(1);
  return sleepers_.pop();
}

void PollWaiters::join(Sleeper& sleeper) {
  sleepers_.push(sleeper);
  count_.fetch_add(1);
}

void PollWaiters::withdraw(Sleeper& sleeper) {
  if (sleepers_.remove(sleeper)) count_.fetch_sub(1);
}

Result<int> PollWaiters::descriptor() {
  if (descriptor_ < 0) {
    descriptor_ = ::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    if (descriptor_ < 0) return resource_exhausted("expected a free file descriptor for eventfd, found none");
    readable_ = true;
  }
  return descriptor_;
}

void PollWaiters::arm() {
  if (descriptor_ < 0) return;
  uint64_t count = 0;
  if (readable_) readable_ = ::read(descriptor_, &count, sizeof count) < 0;
  if (!std::exchange(armed_, true)) count_.fetch_add(1);
}

void PollWaiters::signal() {
  if (!std::exchange(armed_, false)) return;
  count_.fetch_sub(1);
  const uint64_t one = 1;
  readable_ = ::write(descriptor_, &one, sizeof one) == sizeof one;
}

}  // namespace weir
