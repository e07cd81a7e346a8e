#include "exec/fair_queue.h"

#include <algorithm>
#include <utility>

namespace weir {

FairQueue::~FairQueue() {
  DroppedJobs dropped;
  drop(dropped);
}

void DroppedJobs::clear() noexcept {
  while (first_) {
    const RefPtr<Job> job = RefPtr<Job>::adopt(first_);
    first_ = std::exchange(job->next_, nullptr);
  }
}

void FairQueue::push(RefPtr<Job> job) noexcept {
  JobShare& share = share_of(*job);
  Job* const added = job.release();
  ++size_;
  added->next_ = nullptr;
  if (share.first_) {
    share.last_->next_ = added;
    share.last_ = added;
    return;
  }
  share.first_ = share.last_ = added;
  if (share.at_work_ == 0) share.served_ns_ = std::max(share.served_ns_, floor_ns_);
  share.next_ = nullptr;
  (last_ ? last_->next_ : first_) = &share;
  last_ = &share;
}

RefPtr<Job> FairQueue::pop() noexcept {
  JobShare* chosen = first_;
  for (JobShare* share = first_->next_; share; share = share->next_) {
    if (std::pair(share->at_work_, share->served_ns_) < std::pair(chosen->at_work_, chosen->served_ns_))
      chosen = share;
  }
  Job* const job = chosen->first_;
  chosen->first_ = std::exchange(job->next_, nullptr);
  // It goes behind those that are served as well.
  unlist(*chosen);
  if (chosen->first_) {
    (last_ ? last_->next_ : first_) = chosen;
    last_ = chosen;
  }
  ++chosen->at_work_;
  floor_ns_ = std::max(floor_ns_, chosen->served_ns_);
  --size_;
  return RefPtr<Job>::adopt(job);
}

void FairQueue::ended(const Job& job, int64_t took_ns) noexcept {
  JobShare& share = share_of(job);
  --share.at_work_;
  share.served_ns_ += took_ns;
}

bool FairQueue::remove(Job& job) noexcept {
  JobShare& share = share_of(job);
  Job* before = nullptr;
  for (Job* one = share.first_; one; before = one, one = one->next_) {
    if (one != &job) continue;
    (before ? before->next_ : share.first_) = std::exchange(job.next_, nullptr);
    if (share.last_ == &job) share.last_ = before;
    if (!share.first_) unlist(share);
    --size_;
    static_cast<void>(RefPtr<Job>::adopt(&job));
    return true;
  }
  return false;
}

void FairQueue::drop(DroppedJobs& out) noexcept {
  for (JobShare* share = first_; share; share = std::exchange(share->next_, nullptr)) {
    share->last_->next_ = out.first_;
    out.first_ = std::exchange(share->first_, nullptr);
  }
  first_ = last_ = nullptr;
  size_ = 0;
}

// REQUIRES: it is listed
void FairQueue::unlist(JobShare& share) noexcept {
  JobShare* before = nullptr;
  for (JobShare* one = first_; one != &share; one = one->next_) before = one;
  (before ? before->next_ : first_) = share.next_;
  if (last_ == &share) last_ = before;
  share.next_ = nullptr;
}

}  // namespace weir
