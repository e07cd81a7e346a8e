// How a benchmark measures and reports. It includes nothing of weir, so that benchmarks of weir.hpp, whose names
// are those of the inside, can use it.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace weir::bench {

// Nanoseconds of processor time per turn of a loop of dependent multiplications, by which absolute figures are scaled: on a
// machine where it takes kCalibratedNs the figures of the table hold as they stand.
double calibration_ns();
inline constexpr double kCalibratedNs = 1.0;

// Wall-clock time since it was made, for counters that must not depend on how a benchmark is timed.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The processor time of all threads since it was made, for pairs of which other processes must not disturb one.
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

// Sets the counters of one row of the table: ns an element, what it may be at most on this machine, and the
// ratio of the two: met if 1 or below.
void report_ns(benchmark::State& state, int64_t elements, const Stopwatch& watch, double target_ns);
// The same for a figure that was found otherwise.
void report_ns(benchmark::State& state, double ns, double target_ns);
// The same for a rate beside a reference of the same run: the ratio is ours/reference, to be at least
// `least`.
void report_rate(benchmark::State& state, double ours, double reference, double least);
// The same for pairs that were measured in alternation: the median of their ratios, and the bounds between which the true
// median lies 95 times in 100.
void report_ratios(benchmark::State& state, std::vector<double> ratios, double least);

// Calls both in turns and reports how many times as fast `ours` was, by processor time, as report_ratios does. Returns
// the least seconds that `ours` took.
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
