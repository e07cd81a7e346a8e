// How a benchmark measures and reports. It includes nothing of weir, so that benchmarks of weir.hpp, whose
// names are those of the inside, can use it.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace weir::bench {

// What the time of a row depends on, measured in the same run: targets are scaled by what it takes here over
// what it takes on the machine that they are written for.
struct Reference {
  double found_ns;
  double expected_ns;
  double scale() const { return found_ns / expected_ns; }
};
// A turn of a loop of dependent multiplications, which stays in registers.
Reference arithmetic();
// A load that waits for the one before it, from 64 MiB in an order that the prefetcher cannot guess.
Reference pointer_chase();
// An atomic exchange that no other thread disturbs.
Reference atomic_exchange();

// Wall-clock time since it was made, for counters that must not depend on how a benchmark is timed.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The processor time of all threads since it was made, for pairs of which other processes must not disturb
// one.
class CpuWatch {
 public:
  double seconds() const { return now() - begin_; }

 private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  double begin_ = now();
};

// The rounds of a row, as nanoseconds per element.
class Rounds {
 public:
  void add(double seconds, int64_t elements);
  // Sets the counters of the row: the median with its quartiles (`from`, `to`), what it may be at most on
  // this machine, and the ratio of the two: met if 1 or below. If the quartiles enclose the target, the row's
  // label says so.
  void report(benchmark::State& state, double target_ns, Reference reference = arithmetic());

 private:
  std::vector<double> ns_;
};

// The same for a figure that was found otherwise, without its spread.
void report_ns(benchmark::State& state, double ns, double target_ns, Reference reference = arithmetic());
// The same for a rate beside a reference of the same run: the ratio is ours/reference, to be at least
// `least`.
void report_rate(benchmark::State& state, double ours, double reference, double least);
// The same for pairs that were measured in alternation: the median of their ratios, and the bounds between
// which the true median lies 95 times in 100. If these enclose the target, the row's label says so.
void report_ratios(benchmark::State& state, std::vector<double> ratios, double least);

// Calls both in turns and reports how many times as fast `ours` was, by processor time, as report_ratios
// does. Returns the least seconds that `ours` took.
template <class Ours, class Reference>
double alternate(benchmark::State& state, Ours ours, Reference reference, double least) {
  std::vector<double> ratios;
  double best = 1e9;
  for (auto _ : state) {
    const CpuWatch watch;
    ours();
    const double seconds = watch.seconds();
    const CpuWatch other;
    reference();
    ratios.push_back(other.seconds() / seconds);
    best = std::min(best, seconds);
  }
  report_ratios(state, ratios, least);
  return best;
}

}  // namespace weir::bench
