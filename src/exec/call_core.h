// CallCore: the inside of a CallWindow, shared by its puller, its runners and its consumer. Used only by
// call_window.cc.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/sync.h"
#include "exec/block_call.h"
#include "exec/budget.h"
#include "exec/call_line.h"
#include "exec/call_spread.h"
#include "exec/call_tuner.h"
#include "exec/window_waits.h"

namespace weir {

// What the puller, the runners and the consumer share. It owns every call, and each is in one place: spare,
// the puller's, prepared, a runner's, done, or the consumer's.
class CallCore final : public RefCounted, public LiveWindow {
 public:
  CallCore(Session& session, std::unique_ptr<BlockCall> function, const CallWindowOptions& options);
  // Makes the puller and the first runner, once. They are owners, so it must have one before; if this throws,
  // it has no more than that.
  void make_tasks(Session& session, std::unique_ptr<Feed> feed, EpochTableRef start);

  // Returns a finished call, to be given back later. If there is none, returns null and sets `answer`; after
  // pending the consumer is woken.
  WindowCall* take(Context& consumer, PullResult& answer, Mark& mark);
  bool makes_here() const;
  // Where the consumer makes all calls: makes one on its thread, if none is on its way. `spare`: if not null,
  // memory for the result.
  void make_here(Block* spare);
  void give_back(WindowCall* call);
  // No call begins after this.
  void close();
  void count_in(StageStats* stats) noexcept {
    waits_.stats = stats;
    if (stats) stats->open(*this);
  }
  void add_now(WindowNow& out) const noexcept override;
  void pause();
  void resume();
  void start();
  bool at_rest(Waker* waker);
  void copy_rows(std::vector<Block>& out);
  const EpochScope& epochs() const;

 private:
  class Puller;
  class Runner;

  int64_t ahead_rows() const;
  int64_t most_held_rows() const;
  bool alone() const;
  int prepared_limit() const { return std::max(2, tuner_.limit()); }
  bool admit(Demand& demand);
  bool may_resume();
  bool prepare(Demand& demand, WindowCall*& call) noexcept;
  bool prepare_locked(Demand& demand, WindowCall*& call) noexcept;
  void wait_for_feed();
  void stop_here() noexcept;
  RefPtr<Waker> rest() noexcept;
  RefPtr<Runner> add(WindowCall* call, Session& session);
  RefPtr<Runner> idle_runner(Session& session) noexcept;
  void finish(PullResult answer, EpochTableRef epochs, bool from_puller);
  WindowCall* next_call(Runner& runner);
  bool dismisses(const Runner& runner) const;
  bool looks_for_waiting() const {
    return options_.may_wait && options_.calls_in_flight == 0 && options_.start.tunes &&
           lane_ == Lane::compute;
  }
  bool goes_on() const { return options_.calls_in_flight == 0 && options_.start.place; }
  void look_whether_it_waits(int64_t took_ns, int64_t computed_ns);
  bool stays_active(Runner& runner);
  void make_call(Runner& runner, WindowCall& call) noexcept;
  void call_function(Context& context, WindowCall& call);
  void done(Runner& runner, WindowCall& call, int64_t end_ns, int64_t took_ns, int64_t computed_ns);
  void count(const WindowCall& call, int64_t took_ns, int64_t computed_ns) noexcept;
  void task_gone();

  const RefPtr<const Tuning> tuning_;
  const CallWindowOptions options_;
  Executor& executor_;
  std::unique_ptr<BlockCall> function_;

  Clock& clock_;

  Mutex mutex_;
  WindowWaits waits_;
  // Where calls run from now on: a function that turns out to wait leaves the threads that compute.
  Lane lane_;
  CallTuner tuner_;
  WaitDetector detector_;
  CallSpread spread_;
  // The consumer had to wait for a call while others could not continue.
  bool held_up_ = false;
  RefPtr<Puller> puller_;
  std::vector<RefPtr<Runner>> runners_;
  size_t active_runners_ = 0;
  // The puller and runners that have not been released.
  int open_tasks_ = 0;
  bool closed_ = false;
  std::vector<std::unique_ptr<WindowCall>> calls_;
  CallLine<&WindowCall::next> spare_;
  CallLine<&WindowCall::next_prepared> prepared_;
  // Ordered: all calls from their pull until they are taken. Unordered: the finished ones.
  CallLine<&WindowCall::next> line_;
  // Calls pulled and not done.
  int outstanding_ = 0;
  // A run of the puller is in progress, or has more to do.
  bool pulling_ = false;
  // How many saves want it to stop, and one of them that waits for it.
  int pauses_ = 0;
  RefPtr<Waker> pauser_;
  // Counts what was pulled and not given back.
  Budget budget_;
  // The bytes of a row of the last finished call, as an estimate for unfinished ones.
  int64_t row_bytes_ = 0;
  int leaf_rows_ = 1;
  // For readers without the lock.
  Counter running_calls_{0};
  Counter ahead_rows_shown_{0};
  Counter max_calls_shown_{0};
  uint64_t begun_calls_ = 0;
  int64_t last_took_ns_ = 0;
};

// Pulls from the feed, one block per call.
class CallCore::Puller final : public Pump {
 public:
  Puller(CallCore& core, Session& session, std::unique_ptr<Feed> feed, EpochTableRef start)
      : Pump(session, core.options_.feed_lane),
        core_(&core),
        epochs_(std::move(start)),
        feed_(std::move(feed)) {}
  const EpochScope& epochs() const { return epochs_; }

 protected:
  After run(bool helping) noexcept override;
  void release() noexcept override {
    feed_ = nullptr;
    core_->task_gone();
    core_ = nullptr;
  }

 private:
  RefPtr<CallCore> core_;
  EpochScope epochs_;
  std::unique_ptr<Feed> feed_;
  // What the next pull fills; kept after a pending answer.
  WindowCall* call_ = nullptr;
  bool feed_threw_ = false;
  Sampler sampler_;
};

// Makes the prepared calls one after the other.
class CallCore::Runner final : public Pump {
 public:
  Runner(CallCore& core, Session& session, Lane lane) : Pump(session, lane), core_(&core) {}
  // Guarded by the core's lock: woken, or about to look for another call.
  bool active = false;

 protected:
  After run(bool helping) noexcept override;
  void release() noexcept override {
    core_->task_gone();
    core_ = nullptr;
  }

 private:
  RefPtr<CallCore> core_;
};

}  // namespace weir
