// Credit: how many feeds of a group may be pulled at once; the others wait in line. CreditedFeed takes part
// in it.
//
// A feed returns its credit to the one that has waited longest. That feed keeps it until it has been pulled
// or destroyed, so no credit is lost with a destroyed Window.
//
// The number may be left to a CallPace, which counts each pull as a call. It starts at the number of cores,
// and rises to what waiting feeds can use once they are known, or seen, to wait.
//
// Feeds share their Credit, which is used on any thread. A pull takes its lock twice; with a tuner it reads
// the clock twice, too.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "core/ref.h"
#include "core/stage_stats.h"
#include "core/sync.h"
#include "exec/call_watch.h"
#include "exec/executor.h"
#include "exec/feed.h"
#include "exec/pace.h"
#include "exec/tuning.h"

namespace weir {

class CreditedFeed;
class Scheduler;

// Shares the lifetime of the runtime.
class Credit : public RefCounted {
 public:
  // `limit` feeds at once if it is positive. Else a tuner finds the number: `useful` at first where feeds
  // wait, at most twice as many.
  // REQUIRES: useful >= 1
  Credit(Session& session, int limit, int useful, const TunerStart& start);

  // How many may be pulled now.
  int limit() const { return static_cast<int>(limit_.load(std::memory_order_relaxed)); }
  // The feeds wait, on whatever thread. For a tuner.
  void expect_waiting(Scheduler& scheduler) noexcept;
  // The best lane for a new feed whose rows are made on `lane`: feeds that wait should not use the cores, and
  // the others need no separate thread.
  Lane lane_for(Lane lane) const noexcept {
    return lane == Lane::compute && seen_waiting_.load(std::memory_order_relaxed) ? Lane::blocking : lane;
  }
  // The consumer found no row.
  void starved() noexcept;
  // There was no further feed although one could have been pulled.
  void hungry() noexcept;
  // Adds how many are pulled now, and may be.
  void add_now(WindowNow& out) const noexcept;

 private:
  friend class CreditedFeed;
  // A pull in progress.
  struct Pull {
    int64_t begin_ns = 0;
    // The number of pulls that it counts for in the share of waiting; 0: it is not watched.
    int stands_for = 0;
    CallWatch watch;
  };

  bool tuned() const { return useful_ > 0; }
  // Returns false if `feed` has to wait: `waker` is woken when it is its turn.
  bool take(CreditedFeed& feed, Waker* waker, Pull& pull) noexcept;
  // Ends a pull that gave so many rows.
  void give(const Pull& pull, int64_t rows) noexcept;
  void hand_over() noexcept;
  void widen() noexcept;
  // Takes a feed that is going out of the line.
  void leave(CreditedFeed& feed) noexcept;

  const RefPtr<const Tuning> tuning_;
  const TunerStart start_;
  Executor& executor_;
  Clock& clock_;
  // 0 without a tuner.
  const int useful_;

  // A leaf. It guards the line, and the members of feeds that are in it.
  Mutex mutex_;
  CallPace tuner_;
  WaitProbe probe_;
  bool expects_waiting_ = false;
  std::atomic<bool> seen_waiting_{false};
  // Of the tuner's, for those who have no lock.
  Counter limit_;
  Counter taken_{0};
  CreditedFeed* first_ = nullptr;
  CreditedFeed* last_ = nullptr;
};

// Shows a Credit among the numbers of a stage for as long as it lives.
class ShownCredit final : public LiveWindow {
 public:
  ShownCredit(RefPtr<Credit> credit, StageStats& stats) : credit_(std::move(credit)), stats_(stats) {
    stats_.open(*this);
  }
  ~ShownCredit() override { stats_.close(*this); }
  void add_now(WindowNow& out) const noexcept override { credit_->add_now(out); }

 private:
  const RefPtr<Credit> credit_;
  StageStats& stats_;
};

class CreditedFeed final : public Feed {
 public:
  CreditedFeed(std::unique_ptr<Feed> feed, RefPtr<Credit> credit)
      : feed_(std::move(feed)), credit_(std::move(credit)) {}
  ~CreditedFeed() override { credit_->leave(*this); }
  PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) override;

 private:
  friend class Credit;
  enum class Place : uint8_t { outside, in_line, granted };

  const std::unique_ptr<Feed> feed_;
  const RefPtr<Credit> credit_;
  // It was pulled before.
  bool pulled_ = false;
  Place place_ = Place::outside;
  RefPtr<Waker> waker_;
  CreditedFeed* before_ = nullptr;
  CreditedFeed* after_ = nullptr;
};

}  // namespace weir
