// The real executor: compute is one oneTBB arena, blocking is plain threads grown on demand.
// Ownership: jobs that have not begun when it goes are dropped; it waits, without a limit, for those that run
// and for its plain threads to end, except when a job of its own destroys it. oneTBB's threads end by
// themselves after the last executor has gone, if nobody else uses them.
// Threads: any. Errors: none; where threads cannot be started, submit says no.
// Cost: creation starts threads and waits for none of them, well below a millisecond.
#pragma once

#include <cstdint>
#include <memory>

#include "exec/executor.h"

namespace weir {

// More blocking jobs than this wait for one another.
inline constexpr int kMaxBlockingThreads = 64;
inline constexpr int kMaxComputeThreads = 1024;

struct ThreadsOptions {
  // Jobs of the compute lane at once, that of a helping thread included; 0 is the number of processors.
  // For more than the arena's threads can serve plain threads take its place.
  int compute_threads = 0;
  // 0 is kMaxBlockingThreads.
  int blocking_threads = 0;
  // Whether so many threads can exist at once; tests replace it. Null tries it out, once a process.
  bool (*probe)(int threads) = nullptr;
};

std::unique_ptr<Executor> make_threads(const ThreadsOptions& options = {});

// How many forks lie between the process that loaded the library and this one.
uint64_t fork_generation();

}  // namespace weir
