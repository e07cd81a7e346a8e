// Iterator: polls for calls that may return without an element (try_next, next_within).
//
// A poll cannot be interrupted while it computes. So a pump, on a thread of the runtime, makes elements that may take any
// time: it polls the root in place of the caller and holds the row until a call asks for it. Such elements are those of
// functions that run datasets and, if the caller has a deadline or a descriptor, those that turn out to be slow. A row that
// was begun is finished even if no call waits for it any more; cancel() ends it.
#include "core/exception.h"
#include "dataset/openings.h"
#include "iterator/iterator.h"
#include "iterator/root_key.h"

namespace weir {

namespace {

// From elements that took longer on to ones that took less, a pump makes them.
constexpr int64_t kSlowNs = 1'000'000;
constexpr int64_t kQuickNs = 100'000;
// A pump that was asked this often and has not run this long after the first time has no thread. The number alone says
// little: a caller that polls without a pause reaches it before a thread has started.
constexpr int kMostAsks = 64;
constexpr int64_t kMostStartNs = 1'000'000'000;

}  // namespace

// Makes rows of one position, on a thread of the runtime.
class Iterator::Fetcher final : public Pump {
 public:
  explicit Fetcher(std::shared_ptr<Position> position)
      : Pump(*position->session, position->document->root()->lane()), position_(std::move(position)) {}

 protected:
  After run(bool) noexcept override {
    session().scheduler->drive_in_pump([&]() noexcept { return position_->fetch(); });
    return After::rest;
  }
  void release() noexcept override { position_ = nullptr; }

 private:
  std::shared_ptr<Position> position_;
};

Iterator::~Iterator() {
  cancel();
  if (fetcher_) fetcher_->close();
}

// Returns the old one.
// REQUIRES: this thread drives
std::shared_ptr<Iterator::Position> Iterator::replace_position(std::shared_ptr<Position> position) noexcept {
  if (fetcher_) std::exchange(fetcher_, nullptr)->close();
  return std::exchange(position_, std::move(position));
}

// Null without memory.
RefPtr<Pump> Iterator::fetcher() noexcept try {
  if (!fetcher_) fetcher_ = make_ref<Fetcher>(position_);
  return fetcher_;
} catch (...) {
  return nullptr;
}

PullResult Iterator::poll_hurried(Hurried& hurried) noexcept {
  Position* const position = position_.get();
  if (!position) return poll(hurried.polled);
  const bool any_time = position->work.runs_datasets;
  // Nor does this thread run the pumps of windows, then.
  if (any_time) scheduler_->wants_threads();
  if (!position->may_fetch) return poll(hurried.polled);
  // Callbacks stay on the threads that ask, unless they stand beside what may take any time.
  const bool measures = !any_time && hurried.waits && !position->work.calls_host;
  // A callback that asks may have the only thread.
  const bool apart =
      SchedulerFrame::innermost()->outer() == nullptr && (any_time || (measures && position->slow));
  Clock& clock = *runtime_.clock;
  if (apart && position->held.empty() && !position->session->cancelled.load(std::memory_order_relaxed) &&
      position->may_ask(clock)) {
    position->fetched_rows = hurried.polled.rows;
    hurried.asked = fetcher();
    if (hurried.asked) return PullResult::pending;
  }
  if (!measures) return poll(hurried.polled);
  const int64_t begin_ns = clock.now_ns();
  const PullResult answer = poll(hurried.polled);
  if (answer == PullResult::rows && clock.now_ns() - begin_ns > kSlowNs) position->slow = true;
  return answer;
}

void Iterator::Hurried::after_pending() noexcept {
  if (asked) std::exchange(asked, nullptr)->wake();
}

void Iterator::Position::open(bool counted) {
  Context context{*session, session->scheduler, &epochs};
  ErrorPtr opening_error;
  context.opening_error = &opening_error;
  QuietContext quiet(context);
  auto opened = Stage::open(counted ? *quiet : context, {root, env, root_key(opening)});
  // Other errors are elements.
  if (opening_error && is_out_of_memory(*opening_error)) throw std::bad_alloc();
  stage = std::move(opened);
}

// Counts the question. False if the pump has no thread.
bool Iterator::Position::may_ask(Clock& clock) noexcept {
  if (asks == 0) asked_ns = clock.now_ns();
  if (asks >= kMostAsks) return clock.now_ns() - asked_ns < kMostStartNs;
  ++asks;
  return true;
}

// REQUIRES: this thread drives
PullResult Iterator::Position::fetch() noexcept try {
  asks = 0;
  if (!held.empty() || session->cancelled.load(std::memory_order_relaxed)) return PullResult::pending;
  if (!stage) open(false);
  Context context{*session, session->scheduler, &epochs};
  Clock& clock = *session->runtime.clock;
  Block out;
  const int64_t begin_ns = clock.now_ns();
  Demand demand;
  demand.rows = fetched_rows;
  const PullResult got =
      pull_sampled(context, sampler, nullptr, [&] { return stage->next(context, demand, out); });
  if (got == PullResult::rows) {
    held.hold(std::move(out));
    slow = clock.now_ns() - begin_ns > kQuickNs;
  }
  // The next poll says so itself.
  if (got == PullResult::end) may_fetch = false;
  return got;
} catch (...) {
  may_fetch = false;
  return PullResult::end;
}

}  // namespace weir
