// FairQueue: the jobs of a lane that wait for a thread, in turns that are fair to those who share the
// threads.
//
// The next job is the oldest one of the share that has the fewest jobs at work; among those, of the share
// whose jobs have taken the least time. So each share that wants threads has as many as the others that want
// them, a new one as soon as a job ends, and what one leaves the others have. A share that has been idle does
// not catch up what it left.
//
// Not thread-safe: its owner's lock guards it and all shares that have jobs in it. A push, a pop and an end
// cost some 10 ns, and a pop one more for each share that waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/ref.h"
#include "exec/executor.h"
#include "exec/line.h"

namespace weir {

// One iterator's share of a lane. It must outlive its jobs.
class JobShare {
 public:
  JobShare() = default;
  JobShare(const JobShare&) = delete;
  JobShare& operator=(const JobShare&) = delete;

 private:
  friend class FairQueue;
  Line<Job, &Job::next_> jobs_;
  int at_work_ = 0;
  // How long its jobs have run, from where the others stood when it began.
  int64_t served_ns_ = 0;
  // The shares that have jobs waiting.
  JobShare* next_ = nullptr;
};

// The shares that one iterator has of the lanes, or those of the iterator that it serves.
class LaneShares {
 public:
  LaneShares() = default;
  LaneShares(const LaneShares&) = delete;
  LaneShares& operator=(const LaneShares&) = delete;

  JobShare* of(Lane lane) { return &(joined_ ? *joined_ : *this).own_[static_cast<int>(lane)]; }
  bool joined() const { return joined_ != nullptr; }
  // Its jobs count to `other` from now on, which lies in `owner`.
  // REQUIRES: it has no jobs
  void join(LaneShares& other, RefPtr<const RefCounted> owner) {
    owner_ = other.joined_ ? other.owner_ : std::move(owner);
    joined_ = other.joined_ ? other.joined_ : &other;
  }

 private:
  JobShare own_[kLanes];
  LaneShares* joined_ = nullptr;
  RefPtr<const RefCounted> owner_;
};

// Jobs that were taken out of a queue, released with it.
class DroppedJobs {
 public:
  DroppedJobs() = default;
  DroppedJobs(const DroppedJobs&) = delete;
  DroppedJobs& operator=(const DroppedJobs&) = delete;
  ~DroppedJobs() { clear(); }
  void clear() noexcept;

 private:
  friend class FairQueue;
  Line<Job, &Job::next_> jobs_;
};

class FairQueue {
 public:
  FairQueue() = default;
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;
  ~FairQueue();

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // A job waits in one queue at a time.
  void push(RefPtr<Job> job) noexcept;
  // The next job, which is at work until ended() is called.
  // REQUIRES: !empty()
  RefPtr<Job> pop() noexcept;
  // A job that pop() gave has run for so long.
  void ended(const Job& job, int64_t took_ns) noexcept;
  // Takes one out that waits; false if it does not.
  bool remove(Job& job) noexcept;
  // Takes out all that wait.
  void drop(DroppedJobs& out) noexcept;

 private:
  JobShare& share_of(const Job& job) { return job.share_ ? *job.share_ : common_; }

  size_t size_ = 0;
  // Shares with jobs that wait, in the order in which they began to.
  Line<JobShare, &JobShare::next_> shares_;
  // Of jobs without a share.
  JobShare common_;
  // The most that a share had been served for when its turn came: where new ones begin.
  int64_t floor_ns_ = 0;
};

}  // namespace weir
