#include "report.h"

#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>

namespace weir::bench {

namespace {

constexpr int kRounds = 5;

// The least nanoseconds per turn of a loop of so many turns.
template <class Loop>
double least_ns(int turns, Loop loop) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const CpuWatch watch;
    loop(turns);
    best = std::min(best, watch.seconds() * 1e9 / turns);
  }
  return best;
}

double multiply_ns() {
  return least_ns(20'000'000, [](int turns) {
    uint64_t x = 1;
    for (int i = 0; i < turns; ++i) {
      x = x * 6364136223846793005u + 1;
      benchmark::DoNotOptimize(x);
    }
  });
}

// One cycle through all cache lines of 64 MiB, in random order.
double chase_ns() {
  struct alignas(64) Line {
    uint32_t next;
  };
  constexpr uint32_t kLines = 1 << 20;
  std::vector<uint32_t> order(kLines);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  const std::unique_ptr<Line[]> lines(new Line[kLines]);
  for (uint32_t i = 0; i < kLines; ++i) lines[order[i]].next = order[(i + 1) % kLines];
  uint32_t at = 0;
  return least_ns(kLines, [&](int turns) {
    for (int i = 0; i < turns; ++i) at = lines[at].next;
    benchmark::DoNotOptimize(at);
  });
}

double exchange_ns() {
  std::atomic<uint64_t> value{0};
  return least_ns(10'000'000, [&](int turns) {
    for (int i = 0; i < turns; ++i) benchmark::DoNotOptimize(value.exchange(1));
  });
}

// At `share` of the sorted values, between two of them where it must be.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// A row that can't tell whether it meets its target doesn't pretend to.
void say_if_undecided(benchmark::State& state, double from, double to, double target) {
  if (from < target && target < to)
    state.SetLabel("undecided: its spread is larger than its distance from the target");
}

}  // namespace

// What they take where the targets hold as they stand: two cores of an AMD EPYC with AVX-512, at 3.7 GHz.
Reference arithmetic() {
  static const double ns = multiply_ns();
  return {ns, 1.0};
}

Reference pointer_chase() {
  static const double ns = chase_ns();
  return {ns, 145.0};
}

Reference atomic_exchange() {
  static const double ns = exchange_ns();
  return {ns, 1.9};
}

void Rounds::add(double seconds, int64_t elements) {
  if (elements > 0) ns_.push_back(seconds * 1e9 / static_cast<double>(elements));
}

void Rounds::report(benchmark::State& state, double target_ns, Reference reference) {
  if (ns_.empty()) return;
  std::sort(ns_.begin(), ns_.end());
  report_ns(state, quantile(ns_, 0.5), target_ns, reference);
  const double from = quantile(ns_, 0.25);
  const double to = quantile(ns_, 0.75);
  state.counters["from"] = from;
  state.counters["to"] = to;
  say_if_undecided(state, from, to, target_ns * reference.scale());
}

void report_ns(benchmark::State& state, double ns, double target_ns, Reference reference) {
  const double at_most = target_ns * reference.scale();
  state.counters["ns"] = ns;
  state.counters["at_most"] = at_most;
  state.counters["of_target"] = ns / at_most;
}

void report_rate(benchmark::State& state, double ours, double reference, double least) {
  state.counters["ours"] = ours;
  state.counters["reference"] = reference;
  state.counters["ratio"] = ours / reference;
  state.counters["at_least"] = least;
}

void report_ratios(benchmark::State& state, std::vector<double> ratios, double least) {
  std::sort(ratios.begin(), ratios.end());
  const auto count = static_cast<double>(ratios.size());
  // How many lie below the true median is binomial; 1.96 standard deviations from the middle.
  const auto low = static_cast<size_t>(std::max(0.0, count / 2 - 0.98 * std::sqrt(count)));
  const double from = ratios[low];
  const double to = ratios[ratios.size() - 1 - low];
  state.counters["ratio"] = quantile(ratios, 0.5);
  state.counters["from"] = from;
  state.counters["to"] = to;
  state.counters["at_least"] = least;
  say_if_undecided(state, from, to, least);
}

}  // namespace weir::bench

BENCHMARK_MAIN();
