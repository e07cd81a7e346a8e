// CallCore: the inside of a CallWindow.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/sync.h"
#include "exec/budget.h"
#include "exec/call_window.h"
#include "exec/pace.h"
#include "exec/window_core.h"
#include "exec/window_waits.h"

namespace weir {

// The feed's rows, pulled into `in` and turned into `out`.
struct WindowCall final : WindowBlock {
  PartialBlock in;
  // Its processor time is taken.
  bool sampled = false;
  // The same for those who look on (core/stage_stats.h).
  bool compares = false;
  WindowCall* next_prepared = nullptr;
};

// A block that was pulled is prepared: it waits for a runner. If ordered, it is in line from then on, else
// once its rows are made.
class CallCore final : public WindowCore {
 public:
  CallCore(Session& session, std::shared_ptr<BlockCall> function, const CallWindowOptions& options);
  // Makes the first runner, so that there is always one. Runners are owners of the core, so it must have one
  // before.
  void add_runner();

  void add_now(WindowNow& out) const noexcept override;
  void abandon() override;

 protected:
  std::unique_ptr<WindowBlock> make_block() const override { return std::make_unique<WindowCall>(); }
  PartialBlock& input(WindowBlock& block) const override { return static_cast<WindowCall&>(block).in; }
  bool admit(Demand& demand) noexcept override;
  RefPtr<Pump> add(WindowBlock& block) noexcept override;
  bool may_resume() noexcept override;
  void found_empty(bool more) noexcept override;
  void feed_waits() noexcept override;
  void drop_makers() noexcept override { function_ = nullptr; }

 private:
  class Runner;

  Executor& executor() const { return *session().runtime.executor; }
  int64_t ahead_rows() const;
  int prepared_limit() const { return std::max(2, tuner_.limit()); }
  RefPtr<Pump> idle_runner() noexcept;
  void leave(Runner& runner, WakingLock& lock) noexcept;
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
  void call_function(Runner& runner, WindowCall& call) noexcept;
  void done(WindowCall& call, int64_t end_ns, int64_t took_ns, int64_t computed_ns);
  void count(const WindowCall& call, int64_t took_ns, int64_t computed_ns) noexcept;

  const RefPtr<const Tuning> tuning_;
  const CallWindowOptions options_;
  std::shared_ptr<BlockCall> function_;
  // Where calls run from now on: a function that turns out to wait leaves the threads that compute.
  Lane lane_;
  CallPace tuner_;
  WaitProbe probe_;
  // The consumer had to wait for a call while others could not continue.
  bool held_up_ = false;
  std::vector<RefPtr<Runner>> runners_;
  size_t active_runners_ = 0;
  Line<WindowCall, &WindowCall::next_prepared> prepared_;
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

// Makes the prepared calls one after the other.
class CallCore::Runner final : public Pump {
 public:
  Runner(CallCore& core, Session& session, Lane lane) : Pump(session, lane), core_(&core) {}
  // Guarded by the core's lock: woken, or about to look for another call.
  bool active = false;

 protected:
  After run(bool helping) noexcept override;
  void release() noexcept override {
    core_->pump_gone();
    core_ = nullptr;
  }

 private:
  RefPtr<CallCore> core_;
};

}  // namespace weir
