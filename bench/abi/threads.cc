// Iterators shared by threads, and destroyed while they work.
#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "opened.h"
#include "report.h"

namespace weir::bench {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// A callback that computes for `ns` nanoseconds, whatever happens, and notes when it last ended.
class Busy {
 public:
  explicit Busy(int64_t ns) : ns_(ns) {
    callback_.function = [](void* self, weir_call call) { return static_cast<Busy*>(self)->run(call); };
    callback_.user_data = this;
    callback_.result_spec = "int64";
    callback_.result_spec_size = WEIR_STRLEN;
    argument_.name = "f";
    argument_.name_size = 1;
    argument_.callback = &callback_;
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  const weir_argument* argument() const { return &argument_; }
  bool begun() const { return begun_.load(); }
  Clock::time_point ended() const { return Clock::time_point(Clock::duration(ended_.load())); }

 private:
  int32_t run(weir_call call) {
    void* out = nullptr;
    if (weir_call_output(call, 0, 0, nullptr, &out, nullptr) != WEIR_OK) return -1;
    begun_ = true;
    const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(ns_);
    while (Clock::now() < end) {
      if (ns_ > 1'000'000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    *static_cast<int64_t*>(out) = 0;
    ended_ = Clock::now().time_since_epoch().count();
    return WEIR_OK;
  }

  const int64_t ns_;
  weir_callback callback_ = WEIR_CALLBACK_INIT;
  weir_argument argument_ = WEIR_ARGUMENT_INIT;
  std::atomic<bool> begun_{false};
  std::atomic<int64_t> ended_{0};
};

// Elements per second that `threads` threads take from one iterator, `rows` per call.
double shared_rate(const char* text, const weir_argument* argument, int threads, int64_t rows,
                   int64_t elements) {
  Opened it(text, argument);
  std::atomic<int64_t> taken{0};
  std::vector<std::thread> takers;
  Stopwatch watch;
  for (int t = 0; t < threads; ++t) {
    takers.emplace_back([&] {
      weir_element element{};
      weir_error error = WEIR_ERROR_INIT;
      must(weir_element_create(&element, &error), error);
      int64_t got = 1;
      while (taken.load() < elements) {
        must(rows == 1 ? weir_iterator_next(it.iterator, element, &error)
                       : weir_iterator_next_block(it.iterator, rows, element, &got, &error),
             error);
        taken += got;
      }
      weir_element_destroy(element);
    });
  }
  for (std::thread& taker : takers) taker.join();
  return static_cast<double>(taken.load()) / watch.seconds();
}

// Eight threads over one, in alternating pairs, the best of each.
void compare_threads(benchmark::State& state, const char* text, const weir_argument* argument, int64_t rows,
                     int64_t elements) {
  double one = 0;
  double eight = 0;
  for (auto _ : state) {
    one = std::max(one, shared_rate(text, argument, 1, rows, elements));
    eight = std::max(eight, shared_rate(text, argument, 8, rows, elements));
  }
  report_rate(state, eight, one, 0.90);
}

void shared_next(benchmark::State& state) {
  Busy busy(12'000);
  compare_threads(state, "range(9223372036854775807) | map(@f)", busy.argument(), 1, 20'000);
}
BENCHMARK(shared_next)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

void shared_next_block(benchmark::State& state) {
  compare_threads(state, "range(9223372036854775807) | map(x -> x + 1)", nullptr, 64, 20'000'000);
}
BENCHMARK(shared_next_block)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

// The worst of all rounds, beside what it may be.
void report_worst(benchmark::State& state, double worst_ms, double most_ms) {
  state.counters["ms"] = worst_ms;
  state.counters["ms_at_most"] = most_ms;
  state.counters["of_target"] = worst_ms / most_ms;
}

// Destroys an iterator that another thread waits for, after a random time; says how long that took.
double destroy_at_random(Opened& it, std::mt19937_64& random, int64_t most_us, Clock::time_point& begun) {
  weir_element element{};
  must(weir_element_create(&element, &it.error), it.error);
  std::thread taker([&] {
    while (weir_iterator_next(it.iterator, element, nullptr) >= 0) {
    }
  });
  std::uniform_int_distribution<int64_t> microseconds(0, most_us);
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
  begun = Clock::now();
  weir_iterator_destroy(it.iterator);
  const double ms = milliseconds_since(begun);
  taker.join();
  weir_element_destroy(element);
  it.iterator = {};
  return ms;
}

// Kernels take far less than a millisecond here, so all of it counts.
void destroy_computing(benchmark::State& state) {
  std::mt19937_64 random(1);
  double worst = 0;
  for (auto _ : state) {
    Opened it(
        "range(9223372036854775807) | map(x -> x + 1, num_parallel_calls: 4) | shuffle(1000, seed: 1) | batch(64) | prefetch(auto)");
    Clock::time_point begun;
    worst = std::max(worst, destroy_at_random(it, random, 20'000, begun));
  }
  report_worst(state, worst, 10);
}
BENCHMARK(destroy_computing)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(100);

// Callbacks that ignore for a second that they are cancelled: what destroy takes beyond the last one's end.
void destroy_in_callbacks(benchmark::State& state) {
  std::mt19937_64 random(2);
  double worst = 0;
  for (auto _ : state) {
    Busy busy(1'000'000'000);
    Opened it("range(9223372036854775807) | map(@f) | prefetch(2)", busy.argument());
    Clock::time_point begun;
    const double ms = destroy_at_random(it, random, 1'500'000, begun);
    const double callback_ms =
        busy.begun() ? std::chrono::duration<double, std::milli>(busy.ended() - begun).count() : 0;
    worst = std::max(worst, ms - std::max(callback_ms, 0.0));
  }
  report_worst(state, worst, 50);
}
BENCHMARK(destroy_in_callbacks)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

}  // namespace
}  // namespace weir::bench
