#include "tuner/work.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

namespace weir::bench {

namespace {

double turns(int64_t count) {
  double value = 1.0000001;
  for (int64_t i = 0; i < count; ++i) value = value * 1.0000001 + 1e-9;
  return value;
}

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The best of several tries, since other processes may run.
double turns_per_us() {
  static const double found = [] {
    double best = 0;
    volatile double sink = 0;
    for (int i = 0; i < 20; ++i) {
      const double begin = cpu_seconds();
      sink = turns(200'000);
      best = std::max(best, 200'000 / ((cpu_seconds() - begin) * 1e6));
    }
    static_cast<void>(sink);
    return best;
  }();
  return found;
}

std::atomic<int> running{0};

int32_t run_work(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = nullptr;
  if (weir_call_input(call, 0, &in, nullptr) != WEIR_OK) return -1;
  if (weir_call_output(call, 0, 0, nullptr, &out, nullptr) != WEIR_OK) return -1;
  const int64_t row = *static_cast<const int64_t*>(in.data);
  running.fetch_add(1, std::memory_order_relaxed);
  static_cast<Work*>(user_data)->body(row);
  running.fetch_sub(1, std::memory_order_relaxed);
  *static_cast<int64_t*>(out) = row;
  return WEIR_OK;
}

}  // namespace

void compute(double us) {
  volatile double sink = turns(static_cast<int64_t>(us * turns_per_us()));
  static_cast<void>(sink);
}

int calls_running() { return running.load(std::memory_order_relaxed); }

void wait(double us) { std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int64_t>(us))); }

double log_normal(int64_t row) {
  static const std::vector<double> drawn = [] {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> distribution(0.0, 1.0);
    std::vector<double> out(4096);
    for (double& value : out) value = distribution(random);
    return out;
  }();
  return drawn[static_cast<size_t>(row) % drawn.size()];
}

weir_callback Work::callback() {
  weir_callback out = WEIR_CALLBACK_INIT;
  out.function = run_work;
  out.user_data = this;
  out.flags = WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_PURE | (says_blocking ? WEIR_CALLBACK_BLOCKING : 0);
  out.result_spec = "int64";
  out.result_spec_size = WEIR_STRLEN;
  return out;
}

}  // namespace weir::bench
