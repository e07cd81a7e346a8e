#include "exec/call_window.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "core/exception.h"
#include "core/sync.h"
#include "core/trace.h"
#include "exec/call_core.h"
#include "exec/call_limits.h"
#include "exec/call_watch.h"
#include "exec/scheduler.h"

namespace weir {

namespace {

// A pump with more to do lets others go first after this long.
constexpr int64_t kSliceNs = 1'000'000;
// Calls shorter than the first get more rows, calls longer than the second get fewer.
constexpr int64_t kShortCallNs = 50'000;
constexpr int64_t kLongCallNs = 200'000;
// Calls ahead per call in flight. Once the consumer has waited for a slow one: CallSpread, within bounds.
constexpr int kAheadFactor = 4;
constexpr int kHeldUpFactor = 16;
constexpr int kMostAheadFactor = 64;
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

}  // namespace

CallCore::CallCore(Session& session, std::unique_ptr<BlockCall> function, const CallWindowOptions& options)
    : tuning_(session.scheduler->tuning()),
      options_(checked(options)),
      executor_(*session.runtime.executor),
      function_(std::move(function)),
      clock_(*session.runtime.clock),
      lane_(first_lane(options_, executor_)),
      tuner_(limits_of_calls(options_.calls_in_flight, lane_, executor_, *tuning_, options_.start)),
      budget_(options_.max_bytes, tuning_->memory) {
  if (options_.calls_in_flight == 0) session.scheduler->may_be_alone();
  if (options_.calls_in_flight > 1) session.scheduler->wants_threads();
  calls_.push_back(std::make_unique<WindowCall>());
  spare_.push(calls_.back().get());
  if (goes_on()) {
    if (const auto found = options_.start.place->found(clock_.now_ns())) {
      tuner_ = found->tuner;
      if (found->waits) lane_ = Lane::blocking;
    }
  }
  max_calls_shown_.store(tuner_.limit(), std::memory_order_relaxed);
}

void CallCore::add_now(WindowNow& out) const noexcept {
  out.add(budget_.held_rows(), ahead_rows_shown_.load(std::memory_order_relaxed), budget_.held_bytes(),
          options_.max_bytes);
  out.calls += running_calls_.load(std::memory_order_relaxed);
  out.max_calls += max_calls_shown_.load(std::memory_order_relaxed);
}

const EpochScope& CallCore::epochs() const { return puller_->epochs(); }

void CallCore::make_tasks(Session& session, std::unique_ptr<Feed> feed, EpochTableRef start) {
  auto puller = make_ref<Puller>(*this, session, std::move(feed), std::move(start));
  runners_.reserve(1);
  runners_.push_back(make_ref<Runner>(*this, session, lane_));
  puller_ = std::move(puller);
  open_tasks_ = 2;
}

int64_t CallCore::ahead_rows() const {
  if (options_.ahead_rows > 0) return options_.ahead_rows;
  const int64_t in_flight = int64_t{tuner_.limit()} * leaf_rows_;
  double factor = kAheadFactor;
  if (held_up_ && tuning_->tunes)
    factor = std::clamp<double>(spread_.factor(), kHeldUpFactor, kMostAheadFactor);
  const auto rows = static_cast<int64_t>(factor * static_cast<double>(in_flight));
  if (leaf_rows_ == 1) return rows;
  return std::min(rows, std::max<int64_t>(tuner_.limit(), kFirstRows + 2 * budget_.taken_rows()));
}

// Where whoever waits makes the calls, it makes one when it needs one.
// REQUIRES: mutex_ is held, and !closed_
int64_t CallCore::most_held_rows() const { return alone() ? 1 : ahead_rows(); }

// REQUIRES: mutex_ is held, and !closed_
bool CallCore::alone() const { return puller_->session().scheduler->alone(); }

// Returns false if the puller has stopped.
// REQUIRES: mutex_ is held, and !closed_
bool CallCore::admit(Demand& demand) {
  if (pauses_ > 0 || prepared_.size() >= prepared_limit()) {
    budget_.stop();
    return false;
  }
  const int64_t most_held = most_held_rows();
  ahead_rows_shown_.store(most_held, std::memory_order_relaxed);
  max_calls_shown_.store(tuner_.limit(), std::memory_order_relaxed);
  if (!budget_.go_on(most_held)) {
    waits_.is_full(clock_);
    return false;
  }
  const int64_t free_rows = ahead_rows() - budget_.held_rows();
  const int64_t free_bytes =
      std::min(options_.max_bytes - budget_.held_bytes(), alone() ? kBytesHere : kMaxBlockBytes);
  const int64_t row_bytes = std::max<int64_t>(1, row_bytes_);
  const int64_t most_rows = std::clamp<int64_t>(free_rows, 1, options_.one_row_per_call ? 1 : leaf_rows_);
  const int64_t wanted = std::clamp<int64_t>(free_bytes / row_bytes, 1, most_rows) * row_bytes;
  // Until a call has ended, nobody knows how large results are.
  const bool guesses = budget_.limits_memory() && row_bytes_ == 0 && outstanding_ > 0;
  const int64_t bytes = guesses ? 0 : budget_.reserve(wanted, wanted, *puller_);
  if (bytes == 0) {
    budget_.stop();
    return false;
  }
  waits_.has_room(clock_);
  demand = Demand();
  demand.rows = static_cast<int>(std::max<int64_t>(1, std::min(bytes, wanted) / row_bytes));
  return true;
}

// Returns true once for each time the puller stopped; the caller must then wake it.
// REQUIRES: mutex_ is held.
bool CallCore::may_resume() {
  if (closed_ || prepared_.size() > prepared_limit() / 2) return false;
  return budget_.may_resume(most_held_rows());
}

void CallCore::pause() {
  MutexLock lock(mutex_);
  ++pauses_;
}

void CallCore::resume() {
  {
    MutexLock lock(mutex_);
    --pauses_;
  }
  // Wakes may have come meanwhile.
  start();
}

void CallCore::start() {
  MutexLock lock(mutex_);
  RefPtr<Puller> puller = puller_;
  lock.unlock();
  if (puller) puller->wake();
}

// Returns who waits for the puller to stop and the calls to be made, if they have: to be woken without the
// lock.
// REQUIRES: mutex_ is held.
RefPtr<Waker> CallCore::rest() noexcept {
  return pulling_ || outstanding_ > 0 ? nullptr : std::move(pauser_);
}

bool CallCore::at_rest(Waker* waker) {
  RefPtr<Waker> old;
  MutexLock lock(mutex_);
  if (!pulling_ && outstanding_ == 0) return true;
  old = std::exchange(pauser_, RefPtr<Waker>(waker));
  return false;
}

void CallCore::copy_rows(std::vector<Block>& out) {
  MutexLock lock(mutex_);
  for (const WindowCall* call = line_.front(); call; call = line_.after(*call)) call->out.copy_rest(out);
}

// The feed has no row now.
void CallCore::wait_for_feed() {
  MutexLock lock(mutex_);
  pulling_ = false;
  if (!prepared_.front()) tuner_.hungry();
  RefPtr<Waker> pauser = rest();
  lock.unlock();
  if (pauser) pauser->wake();
}

bool CallCore::makes_here() const { return puller_->session().scheduler->makes_here(); }

void CallCore::make_here(Block* spare) {
  {
    MutexLock lock(mutex_);
    if (line_.front() || outstanding_ > 0 || budget_.final_answer() != PullResult::rows) return;
    if (WindowCall* next = spare ? spare_.front() : nullptr) next->out.reuse(*spare);
  }
  Pump& puller = *puller_;
  puller.session().scheduler->run_here(puller);
}

// The puller has pulled for the consumer, which does so again when it needs more.
void CallCore::stop_here() noexcept {
  MutexLock lock(mutex_);
  budget_.stop();
  pulling_ = false;
  RefPtr<Waker> pauser = rest();
  lock.unlock();
  if (pauser) pauser->wake();
}

WindowCall* CallCore::take(Context& consumer, PullResult& answer, Mark& mark) {
  RefPtr<Waker> old;
  MutexLock lock(mutex_);
  const PullResult final_answer = budget_.final_answer();
  WindowCall* call = final_answer == PullResult::cancelled ? nullptr : line_.front();
  if (call && call->done) {
    line_.pop();
  } else {
    call = nullptr;
    const bool over =
        final_answer == PullResult::cancelled || (final_answer == PullResult::end && outstanding_ == 0);
    answer = budget_.wait(!over, consumer.waker, old);
    tuner_.starved();
    if (budget_.take_full() && options_.ordered) held_up_ = true;
    if (over) mark.epochs = budget_.final_epochs();
    if (!over) waits_.found_empty(clock_);
  }
  RefPtr<Puller> resumed;
  if (may_resume()) resumed = puller_;
  lock.unlock();
  if (resumed) resumed->wake();
  return call;
}

void CallCore::give_back(WindowCall* call) {
  call->out.recycle();
  call->done = false;
  MutexLock lock(mutex_);
  budget_.take_rows(call->rows);
  budget_.refund_bytes(call->charged_bytes);
  spare_.push(call);
  RefPtr<Puller> resumed;
  if (!alone() && may_resume()) resumed = puller_;
  lock.unlock();
  if (resumed) resumed->wake();
  budget_.wake_others();
}

// Finds a call to fill and how much to pull; returns false if the puller has to stop.
bool CallCore::prepare(Demand& demand, WindowCall*& call) noexcept {
  MutexLock lock(mutex_);
  const bool pulls = prepare_locked(demand, call);
  pulling_ = pulls;
  RefPtr<Waker> pauser = rest();
  lock.unlock();
  if (pauser) pauser->wake();
  return pulls;
}

// REQUIRES: mutex_ is held.
bool CallCore::prepare_locked(Demand& demand, WindowCall*& call) noexcept try {
  if (budget_.final_answer() != PullResult::rows || closed_ || !admit(demand)) return false;
  if (!call) call = spare_.pop();
  if (call) return true;
  budget_.stop();
  calls_.push_back(std::make_unique<WindowCall>());
  call = calls_.back().get();
  return budget_.go_on(most_held_rows());
} catch (...) {
  // All calls are in use; the next one that is given back resumes the puller.
  return false;
}

// Returns who is to be woken for it.
RefPtr<CallCore::Runner> CallCore::add(WindowCall* call, Session& session) {
  call->rows = call->in.block.rows;
  MutexLock lock(mutex_);
  call->charged_bytes = std::max(call->in.bytes, call->rows * row_bytes_);
  budget_.charge(call->rows, call->charged_bytes);
  ++outstanding_;
  if (options_.ordered) line_.push(call);
  prepared_.push(call);
  return idle_runner(session);
}

// Returns null if enough runners are active; those will find what is prepared.
// REQUIRES: mutex_ is held.
RefPtr<CallCore::Runner> CallCore::idle_runner(Session& session) noexcept try {
  if (closed_ || active_runners_ >= static_cast<size_t>(tuner_.limit())) return nullptr;
  Runner* found = nullptr;
  for (const RefPtr<Runner>& runner : runners_) {
    if (!runner->active && runner->lane() == lane_) found = runner.get();
  }
  if (!found) {
    runners_.push_back(make_ref<Runner>(*this, session, lane_));
    ++open_tasks_;
    found = runners_.back().get();
  }
  found->active = true;
  ++active_runners_;
  return RefPtr<Runner>(found);
} catch (...) {
  return nullptr;
}

void CallCore::finish(PullResult answer, EpochTableRef epochs, bool from_puller) {
  MutexLock lock(mutex_);
  RefPtr<Waker> waiter = budget_.finish(answer, std::move(epochs));
  budget_.return_reserved();
  if (outstanding_ == 0) waits_.has_rows(clock_);
  if (from_puller) pulling_ = false;
  RefPtr<Waker> pauser = rest();
  lock.unlock();
  if (waiter) waiter->wake();
  if (pauser) pauser->wake();
}

WindowCall* CallCore::next_call(Runner& runner) {
  MutexLock lock(mutex_);
  WindowCall* call = closed_ || dismisses(runner) ? nullptr : prepared_.pop();
  if (!call) {
    runner.active = false;
    --active_runners_;
  } else {
    call->sampled = looks_for_waiting() && detector_.samples();
    call->compares =
        waits_.stats && (begun_calls_++ % kComparedEach == 0 || last_took_ns_ > kComparedAlwaysNs);
  }
  // One that is dismissed leaves its call to another.
  RefPtr<Runner> successor;
  if (!call && prepared_.front()) successor = idle_runner(runner.session());
  RefPtr<Puller> resumed;
  if (may_resume()) resumed = puller_;
  lock.unlock();
  if (resumed) resumed->wake();
  if (successor) successor->wake();
  return call;
}

// More than enough runners are active, or they run on another lane by now.
// REQUIRES: mutex_ is held.
bool CallCore::dismisses(const Runner& runner) const {
  return active_runners_ > static_cast<size_t>(tuner_.limit()) || runner.lane() != lane_;
}

bool CallCore::stays_active(Runner& runner) {
  RefPtr<Runner> successor;
  MutexLock lock(mutex_);
  if (prepared_.front() && !dismisses(runner)) return true;
  runner.active = false;
  --active_runners_;
  if (prepared_.front()) successor = idle_runner(runner.session());
  lock.unlock();
  if (successor) successor->wake();
  return false;
}

// Throws only if there is no memory to say which rows failed.
void CallCore::call_function(Context& context, WindowCall& call) {
  Block& in = call.in.block;
  Block& out = call.out.block;
  ErrorPtr thrown;
  try {
    function_->run(context, call.in.mark.ordinal, in, out);
  } catch (...) {
    thrown = error_of_exception();
  }
  if (thrown) {
    const auto rows = static_cast<size_t>(in.rows);
    out.reset(options_.components);
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
  out.origins.swap(in.origins);
}

void CallCore::make_call(Runner& runner, WindowCall& call) noexcept {
  EpochScope epochs;
  Context context{runner.session(), &runner, &epochs};
  Clock& clock = *context.runtime().clock;
  const TraceSlice slice(context.runtime().trace, &clock, "call", waits_.name());
  running_calls_.fetch_add(1, std::memory_order_relaxed);
  CallWatch watch;
  if (call.sampled) watch.begin(clock);
  const int64_t begin_computing_ns = call.compares ? clock.computing_ns() : 0;
  const int64_t begin_ns = clock.now_ns();
  Block& out = call.out.block;
  try {
    call_function(context, call);
  } catch (...) {
    // There is no memory to say which rows failed.
    call.out.rows_lost = true;
    out.reset(0);
    out.rows = call.rows;
  }
  const int64_t took_ns = clock.now_ns() - begin_ns;
  if (waits_.stats) count(call, took_ns, call.compares ? clock.computing_ns() - begin_computing_ns : -1);
  const int64_t computed_ns = std::exchange(call.sampled, false) ? watch.computed_ns(clock, took_ns) : -1;
  call.out.bytes = out.byte_size();
  call.out.mark = std::move(call.in.mark);
  call.in.recycle(kInputBytes);
  done(runner, call, begin_ns + took_ns, took_ns, computed_ns);
}

// A function of the host that turns out to wait moves to other threads, and may have more calls in flight.
void CallCore::look_whether_it_waits(int64_t took_ns, int64_t computed_ns) {
  if (!looks_for_waiting() || !detector_.add(took_ns, computed_ns)) return;
  lane_ = Lane::blocking;
  // From now on as one that says so.
  const int first = limits_of_calls(0, lane_, executor_, *tuning_, TunerStart()).first;
  tuner_.widen(std::max(first, tuner_.limit()), most_waiting_calls(executor_, *tuning_));
}

void CallCore::count(const WindowCall& call, int64_t took_ns, int64_t computed_ns) noexcept {
  StageStats& stats = *waits_.stats;
  add_to(stats.calls, 1);
  add_to(stats.call_time.ns, took_ns);
  if (!call.compares) return;
  add_to(stats.call_time.compared_ns, took_ns);
  add_to(stats.call_time.computing_ns, std::min(took_ns, computed_ns));
}

void CallCore::done(Runner& runner, WindowCall& call, int64_t end_ns, int64_t took_ns, int64_t computed_ns) {
  running_calls_.fetch_sub(1, std::memory_order_relaxed);
  MutexLock lock(mutex_);
  look_whether_it_waits(took_ns, computed_ns);
  RefPtr<Runner> another;
  if (tuner_.done(call.rows, end_ns) && prepared_.front()) another = idle_runner(runner.session());
  call.done = true;
  last_took_ns_ = took_ns;
  if (options_.ordered) spread_.add(took_ns);
  --outstanding_;
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
  RefPtr<Waker> waiter;
  if (line_.front() && line_.front()->done) {
    waiter = budget_.take_waiter();
    waits_.has_rows(clock_);
  }
  RefPtr<Waker> pauser = rest();
  RefPtr<Puller> resumed;
  if ((another || budget_.limits_memory()) && may_resume()) resumed = puller_;
  lock.unlock();
  if (waiter) waiter->wake();
  if (pauser) pauser->wake();
  budget_.wake_others();
  if (another) another->wake();
  if (resumed) resumed->wake();
}

void CallCore::close() {
  if (waits_.stats) waits_.stats->close(*this);
  MutexLock lock(mutex_);
  closed_ = true;
  if (goes_on())
    options_.start.place->leave({tuner_, lane_ == Lane::blocking && options_.lane != lane_}, clock_.now_ns());
  // The last task to go empties the core, perhaps on another thread while this one still closes tasks.
  std::vector<RefPtr<Runner>> runners = std::move(runners_);
  RefPtr<Puller> puller = std::move(puller_);
  lock.unlock();
  budget_.leave(*puller);
  puller->close();
  for (const RefPtr<Runner>& runner : runners) runner->close();
}

void CallCore::task_gone() {
  std::unique_ptr<BlockCall> function;
  std::vector<std::unique_ptr<WindowCall>> calls;
  RefPtr<Waker> waiter;
  MutexLock lock(mutex_);
  if (--open_tasks_ > 0) return;
  function = std::move(function_);
  calls = std::move(calls_);
  waiter = budget_.take_waiter();
}

Pump::After CallCore::Puller::run(bool helping) noexcept {
  Context context{session(), this, &epochs_};
  Clock& clock = *context.runtime().clock;
  const TraceSlice slice(context.runtime().trace, &clock, "pull", core_->waits_.name());
  const int64_t deadline_ns = helping ? 0 : clock.now_ns() + kSliceNs;
  Demand demand;
  while (core_->prepare(demand, call_)) {
    PullResult answer = feed_threw_ ? PullResult::end : PullResult::cancelled;
    if (!feed_threw_ && !session().cancelled.load(std::memory_order_relaxed)) {
      answer = pull_sampled(context, sampler_, core_->waits_.stats,
                            [&] { return pull_guarded(*feed_, context, demand, call_->in, feed_threw_); });
    }
    if (answer == PullResult::pending) {
      core_->wait_for_feed();
      return After::rest;
    }
    if (answer != PullResult::rows) {
      core_->finish(answer, answer == PullResult::end ? call_->in.mark.epochs : nullptr, true);
      return After::rest;
    }
    RefPtr<Runner> runner = core_->add(std::exchange(call_, nullptr), session());
    if (here()) {
      if (runner) session().scheduler->run_here(*runner);
      core_->stop_here();
      return After::rest;
    }
    if (runner) runner->wake();
    if (helping || clock.now_ns() >= deadline_ns) return After::again;
  }
  return After::rest;
}

Pump::After CallCore::Runner::run(bool helping) noexcept {
  Clock& clock = *session().runtime.clock;
  const int64_t deadline_ns = helping ? 0 : clock.now_ns() + kSliceNs;
  while (WindowCall* call = core_->next_call(*this)) {
    if (session().cancelled.load(std::memory_order_relaxed)) {
      core_->finish(PullResult::cancelled, nullptr, false);
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
    : core_(make_ref<CallCore>(session, std::move(function), options)) {
  core_->make_tasks(session, std::move(feed), std::move(start));
}

CallWindow::~CallWindow() { core_->close(); }

std::function<void()> CallWindow::pause() {
  std::function<void()> resume = [core = core_] { core->resume(); };
  core_->pause();
  return resume;
}

void CallWindow::count_in(StageStats* stats) noexcept { core_->count_in(stats); }

void CallWindow::start() { core_->start(); }

const void* CallWindow::identity() const { return core_.get(); }

bool CallWindow::at_rest(Waker* waker) { return core_->at_rest(waker); }

void CallWindow::copy_rows(std::vector<Block>& out) {
  if (front_) front_->out.copy_rest(out);
  core_->copy_rows(out);
}

const EpochScope& CallWindow::epochs() const { return core_->epochs(); }

int64_t CallWindow::assured() const noexcept { return front_ ? front_->out.elements_left() : 0; }

PullResult CallWindow::next(Context& consumer, const Demand& demand, Block& out, Mark& mark) {
  if (consumer.session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
  if (!front_) {
    PullResult answer = PullResult::pending;
    if (core_->makes_here()) core_->make_here(gave_whole_ ? &out : nullptr);
    front_ = core_->take(consumer, answer, mark);
    if (!front_) return answer;
  }
  gave_whole_ = front_->out.whole(demand);
  front_->out.take_rows(demand, out, mark);
  if (front_->out.exhausted()) core_->give_back(std::exchange(front_, nullptr));
  return PullResult::rows;
}

}  // namespace weir
