#include "support/sim_world.h"

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <utility>

#include "core/buffer.h"
#include "exec/fair_queue.h"
#include "exec/memory_ledger.h"
#include "support/sanitized.h"

namespace weir::sim {
namespace {

// This many failed attempts in a row to take a lock mean that its holder will never run.
constexpr int64_t kMaxWaitsInARow = 100'000;

uint64_t mix(uint64_t& state) {
  state += 0x9E3779B97F4A7C15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

class SimWorld::FiberParker final : public Parker {
 public:
  explicit FiberParker(SimWorld& world) : world_(world) {}

  void park() override {
    world_.yield();
    while (!permit_) {
      sleeper_ = world_.current_;
      world_.park_current();
    }
    permit_ = false;
    sleeper_ = nullptr;
  }
  bool park_for(int64_t ns) override {
    const int64_t until = world_.runtime_.clock->now_ns() + ns;
    if (world_.options_.exact_time) {
      sleeper_ = permit_ ? nullptr : world_.current_;
      if (sleeper_) world_.park_until(until);
      sleeper_ = nullptr;
      return std::exchange(permit_, false);
    }
    // Time passes with every look at the clock, so that this is no deadlock.
    while (!permit_ && world_.runtime_.clock->now_ns() < until) world_.current_->suspend();
    return std::exchange(permit_, false);
  }
  void unpark() override {
    world_.yield();
    permit_ = true;
    if (SimFiber* sleeper = std::exchange(sleeper_, nullptr)) world_.unpark(*sleeper);
  }

 private:
  SimWorld& world_;
  SimFiber* sleeper_ = nullptr;
  bool permit_ = false;
};

// Jobs wait here until the seed picks one for a fiber of its own, at most as many at once as the lane has
// threads.
class SimWorld::Lanes final : public Executor {
 public:
  explicit Lanes(SimWorld& world) : world_(world) {
    if (world.options_.ahead_bytes > 0) memory_ = make_ref<MemoryLedger>(world.options_.ahead_bytes);
  }

  bool submit(Lane lane, RefPtr<Job> job) noexcept override {
    world_.yield();
    if (world_.options_.lanes == SimOptions::Lanes::refusing) return false;
    queue(lane).jobs.push(std::move(job));
    return true;
  }
  int parallelism() const noexcept override { return world_.options_.compute_threads; }
  int blocking_parallelism() const noexcept override { return world_.options_.blocking_threads; }
  MemoryLedger* memory() const noexcept override { return memory_.get(); }
  RefPtr<Parker> make_parker() noexcept override { return make_ref<FiberParker>(world_); }

  bool startable(int lane) const {
    const Queue& queue = queues_[lane];
    return world_.options_.lanes == SimOptions::Lanes::working && !queue.jobs.empty() &&
           queue.busy < (lane == 0 ? world_.options_.compute_threads : world_.options_.blocking_threads);
  }
  void start(int lane) {
    Queue& queue = queues_[lane];
    RefPtr<Job> job = queue.jobs.pop();
    ++queue.busy;
    world_.start(lane == 0 ? "a compute thread" : "a blocking thread", [this, lane, job]() mutable {
      const int64_t begin_ns = world_.shown_ns();
      job->run();
      queues_[lane].jobs.ended(*job, world_.shown_ns() - begin_ns);
      job = nullptr;
      --queues_[lane].busy;
    });
  }
  void drop() {
    for (Queue& queue : queues_) {
      DroppedJobs dropped;
      queue.jobs.drop(dropped);
    }
  }

 private:
  struct Queue {
    FairQueue jobs;
    int busy = 0;
  };
  Queue& queue(Lane lane) { return queues_[lane == Lane::compute ? 0 : 1]; }

  SimWorld& world_;
  RefPtr<MemoryLedger> memory_;
  Queue queues_[2];
};

// Every reading takes some time, now and then much.
class SimWorld::VirtualClock final : public Clock {
 public:
  explicit VirtualClock(SimWorld& world) : world_(world) {}
  int64_t now_ns() override {
    if (world_.options_.exact_time) return now_ns_;
    now_ns_ += static_cast<int64_t>(world_.draw(8) == 0 ? world_.draw(2'000'000) : world_.draw(20'000));
    return now_ns_;
  }
  int64_t computing_ns() override {
    if (world_.options_.exact_time) return world_.current_ ? world_.current_->computed_ns : 0;
    return world_.options_.waiting ? 0 : now_ns();
  }
  void set(int64_t ns) { now_ns_ = ns; }
  // Without the time that a reading takes.
  int64_t shown_ns() const { return now_ns_; }

 private:
  SimWorld& world_;
  // A clock that shows 0 may mean that nothing was noted.
  int64_t now_ns_ = 1'000'000'000;
};

class SimWorld::SeededRandom final : public RandomSource {
 public:
  explicit SeededRandom(SimWorld& world) : world_(world) {}
  uint64_t draw() override { return mix(world_.state_); }

 private:
  SimWorld& world_;
};

SimWorld::SimWorld(uint64_t seed, SimOptions options)
    : options_(options),
      thread_(std::this_thread::get_id()),
      state_(seed),
      scheduler_("the scheduler", nullptr) {
  constexpr uint64_t kStickiness[] = {0, 16, 28, 31};
  stickiness_ = kStickiness[mix(state_) % 4];
  lanes_ = std::make_unique<Lanes>(*this);
  clock_ = std::make_unique<VirtualClock>(*this);
  random_ = std::make_unique<SeededRandom>(*this);
  pool_ = std::make_unique<BufferPool>(size_t{1} << 20);
  runtime_.executor = lanes_.get();
  runtime_.clock = clock_.get();
  runtime_.random = random_.get();
  runtime_.pool = pool_.get();
  set_sync_hooks(this);
}

SimWorld::~SimWorld() {
  lanes_->drop();
  set_sync_hooks(nullptr);
}

int64_t SimWorld::shown_ns() const { return clock_->shown_ns(); }

uint64_t SimWorld::draw(uint64_t bound) { return mix(state_) % bound; }

void SimWorld::client(std::string name, std::function<void()> body) {
  ++clients_;
  start(std::move(name), [this, body = std::move(body)] {
    body();
    --clients_;
  });
}

SimFiber& SimWorld::start(std::string name, std::function<void()> body) {
  fibers_.push_back(std::make_unique<SimFiber>(std::move(name), std::move(body)));
  runnable_.push_back(fibers_.back().get());
  return *fibers_.back();
}

bool SimWorld::mine() const { return current_ != nullptr && std::this_thread::get_id() == thread_; }

void SimWorld::yield() {
  if (!mine() || draw(32) < stickiness_) return;
  current_->suspend();
}

void SimWorld::switch_point() {
  if (mine()) waits_in_a_row_ = 0;
  yield();
}

void SimWorld::wait_turn() {
  if (!mine()) {
    std::this_thread::yield();
    return;
  }
  if (++waits_in_a_row_ > kMaxWaitsInARow && failure_.empty())
    failure_ = report("a lock that is never released");
  current_->suspend();
}

void*& SimWorld::local_slot() {
  thread_local void* outside = nullptr;
  return mine() ? current_->local : outside;
}

void SimWorld::park_current() {
  SimFiber* self = current_;
  self->parked = true;
  runnable_.erase(std::find(runnable_.begin(), runnable_.end(), self));
  self->suspend();
}

void SimWorld::park_until(int64_t until_ns) {
  sleepers_.emplace(until_ns, current_);
  park_current();
}

void SimWorld::sleep(int64_t ns) { park_until(clock_->now_ns() + ns); }

void SimWorld::compute(int64_t ns) {
  constexpr int64_t kTurnNs = 100'000;
  SimFiber& self = *current_;
  for (; ns > 0; ns -= kTurnNs) {
    while (computing_ >= options_.compute_threads) {
      queue_.push_back(&self);
      park_current();
    }
    ++computing_;
    const int64_t turn_ns = std::min(ns, kTurnNs);
    sleep(turn_ns);
    self.computed_ns += turn_ns;
    --computing_;
    if (queue_.empty()) continue;
    SimFiber* next = queue_.front();
    queue_.pop_front();
    unpark(*next);
    // Who waited goes first.
    if (ns > kTurnNs) {
      queue_.push_back(&self);
      park_current();
    }
  }
}

// Nothing can run: goes to the next moment at which somebody can. Returns false if there is none.
bool SimWorld::pass_time() {
  if (sleepers_.empty()) return false;
  const int64_t now_ns = sleepers_.begin()->first;
  clock_->set(std::max(now_ns, clock_->now_ns()));
  while (!sleepers_.empty() && sleepers_.begin()->first <= now_ns) unpark(*sleepers_.begin()->second);
  return true;
}

void SimWorld::unpark(SimFiber& fiber) {
  fiber.parked = false;
  std::erase_if(sleepers_, [&](const auto& sleeper) { return sleeper.second == &fiber; });
  runnable_.push_back(&fiber);
}

void SimWorld::retire(SimFiber& fiber) {
  if (!fiber.failure().empty() && failure_.empty()) failure_ = fiber.name + " threw: " + fiber.failure();
  runnable_.erase(std::find(runnable_.begin(), runnable_.end(), &fiber));
  auto owned = std::find_if(fibers_.begin(), fibers_.end(), [&](const auto& f) { return f.get() == &fiber; });
  std::swap(*owned, fibers_.back());
  fibers_.pop_back();
}

// Runs one fiber up to its next switch point; returns false if there is nothing to run.
bool SimWorld::step() {
  int startable[2];
  size_t lanes = 0;
  for (int lane = 0; lane < 2; ++lane) {
    if (lanes_->startable(lane)) startable[lanes++] = lane;
  }
  const size_t choices = runnable_.size() + lanes;
  if (choices == 0) return pass_time();
  const size_t chosen = draw(choices);
  digest_ = (digest_ ^ chosen ^ (choices << 8)) * 0x100000001B3u;
  ++steps_;
  if (chosen >= runnable_.size()) {
    lanes_->start(startable[chosen - runnable_.size()]);
    return true;
  }
  current_ = runnable_[chosen];
  scheduler_.resume(*current_);
  SimFiber& ran = *std::exchange(current_, nullptr);
  if (ran.finished()) retire(ran);
  return true;
}

std::string SimWorld::run() {
  while (failure_.empty() && step()) {
    if (steps_ > options_.max_steps) failure_ = report("no end in sight");
  }
  if (failure_.empty() && clients_ > 0) failure_ = report("a deadlock");
  return failure_;
}

std::string SimWorld::report(const std::string& reason) const {
  std::string text = reason + " after " + std::to_string(steps_) + " steps:";
  for (const auto& fiber : fibers_) {
    text += "\n  " + fiber->name + (fiber->parked ? " is parked" : " could run");
    if (fiber->local) text += ", inside an iterator";
  }
  return text;
}

uint64_t seed_count(uint64_t usual) {
  const char* wanted = std::getenv("WEIR_SIM_SEEDS");
  return wanted ? std::strtoull(wanted, nullptr, 10) : usual / (kSanitized ? 4 : 1);
}

bool readable(int descriptor) {
  pollfd query{descriptor, POLLIN, 0};
  return ::poll(&query, 1, 0) == 1;
}

}  // namespace weir::sim
