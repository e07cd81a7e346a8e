// SimWorld: one seed is one interleaving. Clients, pumps and jobs are fibers on one thread; every lock,
// submit, park and wake is a switch point, and the seed decides which runs next. Whatever clients capture
// must outlive run(). Other threads that take a lock meanwhile pass through. Not for use under tsan. run()
// reports a deadlock, or what a client threw, as text. A switch costs some 50 ns.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/runtime.h"
#include "core/sync.h"
#include "exec/executor.h"
#include "support/sim_fiber.h"

namespace weir::sim {

struct SimOptions {
  enum class Lanes {
    working,
    refusing,  // as after a failed thread start
    stalled,   // jobs are taken but no thread ever comes for them
  };
  Lanes lanes = Lanes::working;
  int compute_threads = 2;
  int blocking_threads = 4;
  // What the windows of all iterators may hold; 0: no limit.
  int64_t ahead_bytes = 0;
  // No function uses processor time, so that all of them seem to wait.
  bool waiting = false;
  // The clock stands still while anything can run: time passes only in sleep() and compute(), for all fibers
  // at once.
  bool exact_time = false;
  // After this many steps a run counts as endless.
  int64_t max_steps = 5'000'000;
};

class SimWorld final : public SyncHooks {
 public:
  explicit SimWorld(uint64_t seed, SimOptions options = {});
  ~SimWorld() override;
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;

  Runtime& runtime() { return runtime_; }
  // A number in [0, bound) that depends on the seed.
  uint64_t draw(uint64_t bound);
  // Adds a thread of the host. May be called from inside another one.
  void client(std::string name, std::function<void()> body);
  // With exact_time, on a fiber: waits, or uses one of compute_threads processors, which all fibers share in
  // turns of a tenth of a millisecond.
  void sleep(int64_t ns);
  void compute(int64_t ns);
  // Runs until the clients have returned and no job is left; returns "", or what went wrong.
  std::string run();
  // A digest of the decisions so far: equal for equal seeds.
  uint64_t digest() const { return digest_; }
  int64_t steps() const { return steps_; }

  void switch_point() override;
  void wait_turn() override;
  void*& local_slot() override;

 private:
  class Lanes;
  class FiberParker;
  class VirtualClock;
  class SeededRandom;

  bool mine() const;
  int64_t shown_ns() const;
  // Lets the seed choose what runs next.
  // REQUIRES: on a fiber
  void yield();
  void park_current();
  void park_until(int64_t until_ns);
  bool pass_time();
  void unpark(SimFiber& fiber);
  SimFiber& start(std::string name, std::function<void()> body);
  void retire(SimFiber& fiber);
  bool step();
  std::string report(const std::string& reason) const;

  const SimOptions options_;
  const std::thread::id thread_;
  uint64_t state_;
  // At how many of 32 switch points the same fiber simply goes on.
  uint64_t stickiness_;
  uint64_t digest_ = 0;
  int64_t steps_ = 0;
  int64_t waits_in_a_row_ = 0;
  std::string failure_;

  SimFiber scheduler_;
  SimFiber* current_ = nullptr;
  std::vector<std::unique_ptr<SimFiber>> fibers_;
  std::vector<SimFiber*> runnable_;
  int clients_ = 0;
  // With exact_time: who waits for what time, and for a processor.
  std::multimap<int64_t, SimFiber*> sleepers_;
  std::deque<SimFiber*> queue_;
  int computing_ = 0;

  std::unique_ptr<Lanes> lanes_;
  std::unique_ptr<VirtualClock> clock_;
  std::unique_ptr<SeededRandom> random_;
  std::unique_ptr<BufferPool> pool_;
  Runtime runtime_;
};

// How many seeds a test runs: `usual`, a quarter of it under a sanitizer, or WEIR_SIM_SEEDS if the
// environment sets it.
uint64_t seed_count(uint64_t usual);
// True if the descriptor is readable now.
bool readable(int descriptor);

}  // namespace weir::sim
