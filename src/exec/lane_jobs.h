// LaneJobs: the jobs that a scheduler has asked for, by lane, and how many there may be at once. Guarded by
// the scheduler's lock.
#pragma once

#include <climits>

#include "exec/executor.h"

namespace weir {

class LaneJobs {
 public:
  // So many at once in all; 0: no limit.
  void limit(int most) { most_ = most > 0 ? most : INT_MAX; }
  // Only threads that wait run pumps.
  void forbid() { most_ = 0; }
  bool limited() const { return most_ != INT_MAX; }
  // Counts a job that is worth submitting for `ready` pumps, if there may be another one. As many jobs as
  // ready pumps will do: those that helping threads made needless serve later pumps.
  bool admit(Lane lane, int ready) {
    int& waiting = waiting_[static_cast<int>(lane)];
    if (lane == Lane::caller || waiting >= ready || open_ >= most_) return false;
    ++waiting;
    ++open_;
    return true;
  }
  void begun(Lane lane) { --waiting_[static_cast<int>(lane)]; }
  void ended() { --open_; }
  // One was refused: only threads inside next and try_next run pumps.
  void refused(Lane lane) {
    begun(lane);
    ended();
    helpless_ = true;
  }
  bool helpless() const { return helpless_; }
  // Those that have not begun.
  int waiting(Lane lane) const { return waiting_[static_cast<int>(lane)]; }

 private:
  int waiting_[kLanes] = {};
  // Those that have not ended.
  int open_ = 0;
  int most_ = INT_MAX;
  bool helpless_ = false;
};

}  // namespace weir
