#include "exec/fair_queue.h"

#include <algorithm>
#include <utility>

namespace weir {

FairQueue::~FairQueue() {
  DroppedJobs dropped;
  drop(dropped);
}

void DroppedJobs::clear() noexcept {
  while (Job* job = jobs_.pop()) job->unref();
}

void FairQueue::push(RefPtr<Job> job) noexcept {
  JobShare& share = share_of(*job);
  ++size_;
  share.jobs_.push(job.release());
  if (share.jobs_.size() > 1) return;
  if (share.at_work_ == 0) share.served_ns_ = std::max(share.served_ns_, floor_ns_);
  shares_.push(&share);
}

RefPtr<Job> FairQueue::pop() noexcept {
  JobShare* chosen = shares_.front();
  for (JobShare* share = chosen; share; share = shares_.after(*share)) {
    if (std::pair(share->at_work_, share->served_ns_) < std::pair(chosen->at_work_, chosen->served_ns_))
      chosen = share;
  }
  Job* const job = chosen->jobs_.pop();
  // It goes behind those that are served as well.
  shares_.remove(chosen);
  if (chosen->jobs_.front()) shares_.push(chosen);
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
  if (!share.jobs_.remove(&job)) return false;
  if (!share.jobs_.front()) shares_.remove(&share);
  --size_;
  job.unref();
  return true;
}

void FairQueue::drop(DroppedJobs& out) noexcept {
  while (JobShare* share = shares_.pop()) {
    while (Job* job = share->jobs_.pop()) out.jobs_.push(job);
  }
  size_ = 0;
}

}  // namespace weir
