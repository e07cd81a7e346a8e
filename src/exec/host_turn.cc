#include "exec/host_turn.h"

#include "exec/wait_graph.h"

namespace weir {

HostTurn::Hold::Hold(HostTurn& turn, Scheduler* scheduler)
    : turn_(turn), frame_(SchedulerFrame::innermost()) {
  if (!turn.mutex_.try_lock()) {
    if (scheduler && !add_wait(scheduler, &turn)) {
      status_ = failed_precondition(
          "this function takes one call at a time, and the call in progress waits for an iterator that makes this call: neither could ever return. Declare the function concurrent, or give that iterator another one");
      return;
    }
    turn.mutex_.lock();
    if (scheduler) remove_wait(scheduler, &turn);
  }
  if (frame_) before_ = frame_->swap_turn(&turn);
}

HostTurn::Hold::~Hold() {
  if (!status_.ok()) return;
  if (frame_) frame_->swap_turn(before_);
  turn_.mutex_.unlock();
}

bool HostTurn::mine() const {
  for (const SchedulerFrame* frame = SchedulerFrame::innermost(); frame; frame = frame->outer()) {
    if (frame->turn() == this) return true;
  }
  return false;
}

}  // namespace weir
