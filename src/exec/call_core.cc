#include "exec/call_core.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "core/exception.h"
#include "core/trace.h"
#include "exec/call_watch.h"

namespace weir {

namespace {

// Calls shorter than the first get more rows, calls longer than the second get fewer.
constexpr int64_t kShortCallNs = 50'000;
constexpr int64_t kLongCallNs = 200'000;
// Calls ahead per call in flight; and once the consumer has waited for a slow one, during which the others
// are to go on.
constexpr int64_t kAheadFactor = 4;
constexpr int64_t kHeldUpFactor = 32;
// For short calls, the largest number of rows beyond twice those taken: more may never be needed.
constexpr int64_t kFirstRows = 64;
constexpr int kMaxCallsInFlight = 4096;
// Every so many calls, and for all long ones, it is measured how much of a call is computing.
constexpr uint64_t kComparedEach = 8;
constexpr int64_t kComparedAlwaysNs = 100'000;
// A finished call keeps no more of its input's memory.
constexpr int64_t kInputBytes = 256;

CallWindowOptions checked(CallWindowOptions options) {
  if (options.lane == Lane::caller) options.calls_in_flight = 1;
  options.calls_in_flight = std::min(options.calls_in_flight, kMaxCallsInFlight);
  options.max_bytes = std::max<int64_t>(1, options.max_bytes);
  return options;
}

// A function that waited in an earlier run begins where it went then.
Lane first_lane(const CallWindowOptions& options, const Executor& executor) {
  const bool waited = options.may_wait && options.calls_in_flight == 0 && options.lane == Lane::compute &&
                      options.start.number > executor.parallelism();
  return waited ? Lane::blocking : options.lane;
}

// Throws only if there is no memory to say which rows failed.
void call_rows(BlockCall& function, Context& context, int64_t ordinal, Block& in, Block& out,
               size_t components) {
  ErrorPtr thrown;
  try {
    function.run(context, ordinal, in, out);
  } catch (...) {
    thrown = error_of_exception();
  }
  if (thrown) {
    const auto rows = static_cast<size_t>(in.rows);
    out.reset(components);
    out.rows = in.rows;
    for (Column& column : out.columns) column.make_list().resize(rows);
    out.errors.swap(in.errors);
    out.errors.reserve(rows);
    for (int row = 0; row < in.rows; ++row) out.fail_row(row, thrown);
  } else if (out.errors.empty()) {
    out.errors.swap(in.errors);
  } else {
    for (RowError& failed : in.errors) out.fail_row(failed.row, std::move(failed.error));
  }
  // What it calls passes them on, unless it has failed.
  if (thrown || out.origins.empty()) out.origins.swap(in.origins);
}

}  // namespace

CallCore::CallCore(Session& session, std::shared_ptr<BlockCall> function, const CallWindowOptions& options)
    : WindowCore(session, options.feed_lane, options.max_bytes, Leave::by_block),
      tuning_(session.scheduler->tuning()),
      options_(options),
      function_(std::move(function)),
      lane_(first_lane(options_, executor())),
      tuner_(limits_of_calls(options_.calls_in_flight, lane_, executor(), *tuning_, options_.start)) {
  add_spare();
  if (goes_on()) {
    if (const auto found = options_.start.place->found(clock().now_ns())) {
      tuner_ = found->tuner;
      if (found->waits) lane_ = Lane::blocking;
    }
  }
  max_calls_shown_.store(tuner_.limit(), std::memory_order_relaxed);
}

void CallCore::add_runner() {
  runners_.reserve(1);
  runners_.push_back(make_ref<Runner>(*this, session(), lane_));
  ++open_pumps_;
}

void CallCore::add_now(WindowNow& out) const noexcept {
  out.add(budget_.held_rows(), ahead_rows_shown_.load(std::memory_order_relaxed), budget_.held_bytes(),
          options_.max_bytes);
  out.calls += running_calls_.load(std::memory_order_relaxed);
  out.max_calls += max_calls_shown_.load(std::memory_order_relaxed);
}

int64_t CallCore::ahead_rows() const {
  if (options_.ahead_rows > 0) return options_.ahead_rows;
  const int64_t in_flight = int64_t{tuner_.limit()} * leaf_rows_;
  const int64_t rows = (held_up_ && tuning_->tunes ? kHeldUpFactor : kAheadFactor) * in_flight;
  if (leaf_rows_ == 1) return rows;
  return std::min(rows, std::max<int64_t>(tuner_.limit(), kFirstRows + 2 * budget_.taken_rows()));
}

bool CallCore::admit(Demand& demand) noexcept {
  if (prepared_.size() >= prepared_limit()) {
    budget_.stop();
    return false;
  }
  const int64_t most = ahead_rows();
  ahead_rows_shown_.store(most, std::memory_order_relaxed);
  max_calls_shown_.store(tuner_.limit(), std::memory_order_relaxed);
  if (!budget_.go_on(most)) {
    waits_.is_full(clock());
    return false;
  }
  const int64_t free_rows = most - budget_.held_rows();
  const int64_t free_bytes = std::min(options_.max_bytes - budget_.held_bytes(), kMaxBlockBytes);
  const int64_t row_bytes = std::max<int64_t>(1, row_bytes_);
  const int64_t most_rows = std::clamp<int64_t>(free_rows, 1, options_.one_row_per_call ? 1 : leaf_rows_);
  const int64_t wanted = std::clamp<int64_t>(free_bytes / row_bytes, 1, most_rows) * row_bytes;
  // Until a call has ended, nobody knows how large results are.
  const bool guesses = budget_.limits_memory() && row_bytes_ == 0 && making_ > 0;
  const int64_t bytes = guesses ? 0 : budget_.reserve(wanted, wanted, *this);
  if (bytes == 0) {
    budget_.stop();
    return false;
  }
  waits_.has_room(clock());
  demand = Demand();
  demand.rows = static_cast<int>(std::max<int64_t>(1, std::min(bytes, wanted) / row_bytes));
  return true;
}

bool CallCore::may_resume() noexcept {
  return !closed_ && prepared_.size() <= prepared_limit() / 2 && budget_.may_resume(ahead_rows());
}

void CallCore::found_empty(bool) noexcept {
  tuner_.starved();
  if (budget_.take_full() && options_.ordered) held_up_ = true;
}

void CallCore::feed_waits() noexcept {
  if (!prepared_.front()) tuner_.hungry();
}

RefPtr<Pump> CallCore::add(WindowBlock& block) noexcept {
  auto& call = static_cast<WindowCall&>(block);
  call.done = false;
  call.charged_bytes = std::max(call.in.bytes, call.rows * row_bytes_);
  budget_.charge(call.rows, call.charged_bytes);
  ++making_;
  if (options_.ordered) line_.push(&call);
  prepared_.push(&call);
  return idle_runner();
}

// Returns null if enough runners are active; those will find what is prepared.
// REQUIRES: the lock is held
RefPtr<Pump> CallCore::idle_runner() noexcept try {
  if (closed_ || active_runners_ >= static_cast<size_t>(tuner_.limit())) return nullptr;
  Runner* found = nullptr;
  for (const RefPtr<Runner>& runner : runners_) {
    if (!runner->active && runner->lane() == lane_) found = runner.get();
  }
  if (!found) {
    runners_.push_back(make_ref<Runner>(*this, session(), lane_));
    ++open_pumps_;
    found = runners_.back().get();
  }
  found->active = true;
  ++active_runners_;
  return RefPtr<Pump>(found);
} catch (...) {
  return nullptr;
}

// It has no call, or leaves what is prepared to another.
// REQUIRES: the lock is held
void CallCore::leave(Runner& runner, WakingLock& lock) noexcept {
  runner.active = false;
  --active_runners_;
  if (prepared_.front()) lock.wake(idle_runner());
}

WindowCall* CallCore::next_call(Runner& runner) {
  WakingLock lock = locked();
  WindowCall* call = closed_ || dismisses(runner) ? nullptr : prepared_.pop();
  if (!call) {
    leave(runner, lock);
  } else {
    call->sampled = looks_for_waiting() && probe_.stands_for() > 0;
    call->compares =
        waits_.stats && (begun_calls_++ % kComparedEach == 0 || last_took_ns_ > kComparedAlwaysNs);
  }
  if (may_resume()) lock.wake(RefPtr<Waker>(this));
  return call;
}

// More than enough runners are active, or they run on another lane by now.
// REQUIRES: mutex_ is held.
bool CallCore::dismisses(const Runner& runner) const {
  return active_runners_ > static_cast<size_t>(tuner_.limit()) || runner.lane() != lane_;
}

bool CallCore::stays_active(Runner& runner) {
  WakingLock lock = locked();
  if (prepared_.front() && !dismisses(runner)) return true;
  leave(runner, lock);
  return false;
}

void CallCore::call_function(Runner& runner, WindowCall& call) noexcept {
  EpochScope epochs;
  Context context{runner.session(), &runner, &epochs};
  PartialBlock& out = call.out;
  try {
    call_rows(*function_, context, call.in.mark.ordinal, call.in.block, out.block, options_.components);
  } catch (...) {
    out.lose_rows(call.rows);
  }
}

void CallCore::make_call(Runner& runner, WindowCall& call) noexcept {
  Clock& clock = this->clock();
  const TraceSlice slice(session().runtime.trace, &clock, "call", waits_.name());
  running_calls_.fetch_add(1, std::memory_order_relaxed);
  CallWatch watch;
  if (call.sampled) watch.begin(clock);
  const int64_t begin_computing_ns = call.compares ? clock.computing_ns() : 0;
  const int64_t begin_ns = clock.now_ns();
  Block& out = call.out.block;
  call_function(runner, call);
  const int64_t took_ns = clock.now_ns() - begin_ns;
  if (waits_.stats) count(call, took_ns, call.compares ? clock.computing_ns() - begin_computing_ns : -1);
  const int64_t computed_ns = std::exchange(call.sampled, false) ? watch.computed_ns(clock, took_ns) : -1;
  call.out.bytes = out.byte_size();
  call.out.mark = std::move(call.in.mark);
  call.in.recycle(kInputBytes);
  done(call, begin_ns + took_ns, took_ns, computed_ns);
}

// A function of the host that turns out to wait moves to other threads, and may have more calls in flight.
void CallCore::look_whether_it_waits(int64_t took_ns, int64_t computed_ns) {
  if (computed_ns < 0 || !looks_for_waiting()) return;
  probe_.add(1, took_ns, computed_ns);
  if (!probe_.waits()) return;
  lane_ = Lane::blocking;
  // From now on as one that says so.
  const int first = limits_of_calls(0, lane_, executor(), *tuning_, TunerStart()).first;
  tuner_.widen(std::max(first, tuner_.limit()), most_waiting_calls(executor(), *tuning_));
}

void CallCore::count(const WindowCall& call, int64_t took_ns, int64_t computed_ns) noexcept {
  StageStats& stats = *waits_.stats;
  add_to(stats.calls, 1);
  add_to(stats.call_time.ns, took_ns);
  if (!call.compares) return;
  add_to(stats.call_time.compared_ns, took_ns);
  add_to(stats.call_time.computing_ns, std::min(took_ns, computed_ns));
}

void CallCore::done(WindowCall& call, int64_t end_ns, int64_t took_ns, int64_t computed_ns) {
  running_calls_.fetch_sub(1, std::memory_order_relaxed);
  WakingLock lock = locked();
  look_whether_it_waits(took_ns, computed_ns);
  RefPtr<Pump> another;
  if (tuner_.done(call.rows, end_ns) && prepared_.front()) another = idle_runner();
  call.done = true;
  last_took_ns_ = took_ns;
  --making_;
  // Where windows share memory, it is better estimated too high.
  const int64_t row_bytes = (call.out.bytes + call.rows - 1) / std::max(1, call.rows);
  row_bytes_ = budget_.limits_memory() ? std::max(row_bytes, row_bytes_ - row_bytes_ / 16) : row_bytes;
  budget_.refund_bytes(call.charged_bytes - call.out.bytes);
  call.charged_bytes = call.out.bytes;
  // Several calls of one size may end at about the same time; only the first of them changes it.
  if (call.rows == leaf_rows_ && !options_.one_row_per_call) {
    if (took_ns < kShortCallNs) leaf_rows_ = std::min(leaf_rows_ * 2, kMaxBlockRows);
    if (took_ns > kLongCallNs) leaf_rows_ = std::max(leaf_rows_ / 2, 1);
  }
  if (!options_.ordered) line_.push(&call);
  tell(lock);
  if ((another || budget_.limits_memory()) && may_resume()) lock.wake(RefPtr<Waker>(this));
  lock.wake(std::move(another));
}

void CallCore::abandon() {
  // Before any runner closes, so that none is added.
  WindowCore::abandon();
  MutexLock lock(mutex_);
  if (goes_on())
    options_.start.place->leave({tuner_, lane_ == Lane::blocking && options_.lane != lane_},
                                clock().now_ns());
  std::vector<RefPtr<Runner>> runners = std::move(runners_);
  lock.unlock();
  for (const RefPtr<Runner>& runner : runners) runner->close();
}

Pump::After CallCore::Runner::run(bool helping) noexcept {
  Clock& clock = *session().runtime.clock;
  const int64_t deadline_ns = helping ? 0 : clock.now_ns() + kSliceNs;
  while (WindowCall* call = core_->next_call(*this)) {
    if (session().cancelled.load(std::memory_order_relaxed)) {
      WakingLock lock = core_->locked();
      core_->finish(PullResult::cancelled, nullptr, lock);
      return After::rest;
    }
    core_->make_call(*this, *call);
    if (helping || clock.now_ns() >= deadline_ns)
      return core_->stays_active(*this) ? After::again : After::rest;
  }
  return After::rest;
}

CallWindow::CallWindow(Session& session, std::unique_ptr<Feed> feed, std::unique_ptr<BlockCall> function,
                       const CallWindowOptions& options, EpochTableRef start)
    : Window(session, std::move(feed), std::move(start), options.one_row_per_call ? 1 : kMaxBlockRows),
      options_(checked(options)),
      function_(std::move(function)) {
  Scheduler& scheduler = *session.scheduler;
  if (options_.calls_in_flight == 0) scheduler.may_be_alone();
  if (first_lane(options_, *session.runtime.executor) == Lane::blocking) scheduler.expects_waiting();
  if (options_.calls_in_flight > 1) scheduler.wants_threads();
}

RefPtr<WindowCore> CallWindow::make_core() {
  auto core = make_ref<CallCore>(session_, function_, options_);
  core->add_runner();
  return core;
}

PullResult CallWindow::make_rows(Context& consumer, const Demand& demand, Block& out, Mark& mark) {
  const PullResult answer = Window::make_rows(consumer, demand, in_, mark);
  if (answer != PullResult::rows) return answer;
  const int rows = in_.rows;
  try {
    call_rows(*function_, consumer, mark.ordinal, in_, out, options_.components);
  } catch (...) {
    lose_rows(rows, mark);
    return PullResult::pending;
  }
  in_.rows = 0;
  return answer;
}

}  // namespace weir
