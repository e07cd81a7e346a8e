// The real executor: compute is one oneTBB arena, blocking is plain threads added on demand.
//
// Creation starts threads but waits for none of them. The destructor drops jobs that have not begun and
// waits, without a limit, for running jobs and its plain threads, except when a job of its own destroys it.
// oneTBB's threads end by themselves after the last executor is gone, unless the host uses them.
#pragma once

#include <cstdint>
#include <memory>

#include "exec/executor.h"

namespace weir {

// More blocking jobs than this wait for one another.
inline constexpr int kMaxBlockingThreads = 64;
inline constexpr int kMaxComputeThreads = 1024;

struct ThreadsOptions {
  // Jobs of the compute lane at once, including one on a helping thread; 0 is the number of processors. For
  // more than the arena's threads can serve, plain threads take its place.
  int compute_threads = 0;
  // Of the processors that the process may run on, no more count than that; 0: all of them.
  int most_processors = 0;
  // 0 is kMaxBlockingThreads.
  int blocking_threads = 0;
  // What the windows of all iterators may hold; 0: no limit.
  int64_t ahead_bytes = 0;
  // Whether that many threads can exist at once; tests replace it. Null tries it out, once per process.
  bool (*probe)(int threads) = nullptr;
};

// REQUIRES: !process_ends()
std::unique_ptr<Executor> make_threads(const ThreadsOptions& options = {});

// True once exit() has come to the destructors of what was made before the first executor: libtbb's have run
// by then.
bool process_ends();

// How many forks lie between this process and the one that loaded the library.
uint64_t fork_generation();

}  // namespace weir
