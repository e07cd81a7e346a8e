// Iterator: polls for calls that may return without an element (try_next, next_within).
//
// A poll cannot be interrupted while it computes. So a pump, on a thread of the runtime, makes elements that
// may take any time: it polls the root in place of the caller and holds the row until a call asks for it.
// Such elements are those of functions that run datasets, those that read files on this thread unless these
// are local and turn out to be quick and, if the caller has a deadline or a descriptor, those that turn out
// to be slow. A row that was begun is finished even if no call waits for it any more; cancel() ends it.
#include <algorithm>

#include "core/exception.h"
#include "core/failed_reads.h"
#include "dataset/openings.h"
#include "iterator/iterator.h"
#include "iterator/root_key.h"

namespace weir {

namespace {

// A pump that was asked this often and has not run this long after the first time has no thread. The number
// alone says little: a caller that polls without a pause reaches it before a thread has started.
constexpr int kMostAsks = 64;
constexpr int64_t kMostStartNs = 1'000'000'000;

}  // namespace

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
  if (!fetcher_) {
    fetcher_ = make_ref<Fetcher<std::shared_ptr<Position>>>(*position_->session,
                                                            position_->document->root()->lane(), position_);
  }
  return fetcher_;
} catch (...) {
  return nullptr;
}

PullResult Iterator::poll_hurried(Hurried& hurried) noexcept {
  Position* const position = position_.get();
  if (!position || !position->root) return poll(hurried.polled);
  FetchChoice& choice = position->choice;
  const bool any_time = choice.work.runs_datasets;
  // Nor does this thread run the pumps of windows.
  scheduler_->wants_threads();
  const bool opens = !position->stage && choice.may_open;
  if (!choice.may_fetch && !opens) return poll(hurried.polled);
  const bool reads = position->root->lane() == Lane::blocking;
  const bool measures = (hurried.waits || reads) && choice.measures();
  // A callback that asks may have the only thread.
  const bool apart = SchedulerFrame::innermost()->outer() == nullptr &&
                     (any_time || (measures && (choice.slow || position->reads_remote())));
  Clock& clock = *runtime_.clock;
  if (apart && position->held.empty() && !position->session->cancelled.load(std::memory_order_relaxed) &&
      choice.may_ask(clock)) {
    position->fetched_rows = hurried.polled.rows;
    hurried.asked = fetcher();
    if (hurried.asked) return PullResult::pending;
  }
  if (!measures) return poll(hurried.polled);
  const int64_t begin_ns = clock.now_ns();
  const PullResult answer = poll(hurried.polled);
  if (answer == PullResult::rows && clock.now_ns() - begin_ns > FetchChoice::kSlowNs) choice.slow = true;
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
  stage = std::move(opened);
  // Other errors are elements.
  if (opening_error && is_out_of_memory(*opening_error)) throw std::bad_alloc();
}

void Iterator::Position::take_back_opening() {
  EpochScope counted(epochs.table());
  Context context{*session, session->scheduler, &counted};
  ErrorPtr opening_error;
  context.opening_error = &opening_error;
  Stage::open(context, {root, env, root_key(opening)});
  for (const auto& [depth, node, openings] : counted.since(epochs.table())) {
    const uint64_t count = epochs.count(node, depth);
    epochs.set(node, count - std::min(count, openings), depth);
  }
}

bool FetchChoice::may_ask(Clock& clock) noexcept {
  if (asks == 0) asked_ns = clock.now_ns();
  if (asks >= kMostAsks) return clock.now_ns() - asked_ns < kMostStartNs;
  ++asks;
  return true;
}

// REQUIRES: this thread drives
void Iterator::Position::fetch() noexcept try {
  choice.asks = 0;
  if (!held.empty() || session->cancelled.load(std::memory_order_relaxed)) return;
  if (!stage && root) open(false);
  if (!stage || !choice.may_fetch) return;
  Context context{*session, session->scheduler, &epochs};
  Clock& clock = *session->runtime.clock;
  Block out;
  const int64_t begin_ns = clock.now_ns();
  Demand demand;
  demand.rows = std::max(fetched_rows, choice.rows);
  const PullResult got =
      pull_sampled(context, sampler, nullptr, [&] { return stage->next(context, demand, out); });
  if (got == PullResult::rows) {
    session->failed_reads().add(out);
    pass(out);
    held.hold(std::move(out));
    choice.slow = clock.now_ns() - begin_ns > FetchChoice::kQuickNs;
    const bool more = !choice.slow && choice.measures() && reads_remote();
    choice.rows = more ? std::min(2 * choice.rows, FetchChoice::kMostRows) : 1;
  }
  // The next poll says so itself.
  if (got == PullResult::end) choice.may_fetch = false;
} catch (...) {
  choice.may_fetch = choice.may_open = false;
}

}  // namespace weir
