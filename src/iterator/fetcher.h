// Fetcher: makes elements on a thread of the runtime, for calls that may return without one (hurried_poll.cc,
// element_at.cc).
#pragma once

#include <cstdint>
#include <utility>

#include "core/runtime.h"
#include "exec/pump.h"
#include "exec/scheduler.h"
#include "iterator/pull_work.h"

namespace weir {

// Whether a fetcher makes the next element: where functions run datasets, and elsewhere where elements turn
// out to be slow. Guarded by the right to drive.
struct FetchChoice {
  // From elements that took longer on to ones that took less, a fetcher makes them.
  static constexpr int64_t kSlowNs = 1'000'000;
  static constexpr int64_t kQuickNs = 100'000;
  // So many elements of remote files at once, while they are quick: they cost less than to wake a thread.
  static constexpr int kMostRows = 16;

  PullWork work;
  // A fetcher may make elements at all, or at least open what they come from.
  bool may_fetch = false;
  bool may_open = false;
  // The last element took long.
  bool slow = false;
  int rows = 1;
  // How often the fetcher was asked for some since it last ran, and when first.
  int asks = 0;
  int64_t asked_ns = 0;

  // How long elements take decides. Callbacks stay on the threads that ask, unless they stand beside what may
  // take any time.
  bool measures() const { return may_fetch && !work.runs_datasets && !work.calls_host; }
  // Counts the question. False if the fetcher has no thread.
  bool may_ask(Clock& clock) noexcept;
};

// `maker` has `void fetch() noexcept`, which is called with the right to drive.
template <class MakerRef>
class Fetcher final : public Pump {
 public:
  Fetcher(Session& session, Lane lane, MakerRef maker) : Pump(session, lane), maker_(std::move(maker)) {}

 protected:
  After run(bool) noexcept override {
    session().scheduler->drive_in_pump([&]() noexcept { maker_->fetch(); });
    return After::rest;
  }
  void release() noexcept override { maker_ = nullptr; }

 private:
  MakerRef maker_;
};

}  // namespace weir
