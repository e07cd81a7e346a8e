#include "tuner/run.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace weir::bench {
namespace {

constexpr double kWarmUp = 0.25;
// Of the blocking lane.
constexpr int kBlockingThreads = 64;
// What the runtime's iterators may hold of the bytes that it is given: a quarter.
constexpr int64_t kAheadPart = 4;

std::string with_setting(std::string text, const Setting& setting) {
  for (const auto& [name, value] : setting) {
    const std::string knob = "$" + name;
    for (size_t at = 0; (at = text.find(knob)) != std::string::npos;) text.replace(at, knob.size(), value);
  }
  return text;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Those of the process, but for the consumer's and the one that asks.
int library_threads() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("Threads:", 0) == 0) return std::atoi(line.c_str() + 8) - 2;
  }
  return 0;
}

// The sum of a number that the windows of all stages have.
int64_t sum_of_windows(const std::string& json, const std::string& key) {
  int64_t sum = 0;
  for (size_t at = 0; (at = json.find("\"window\": {", at)) != std::string::npos; ++at) {
    const size_t end = json.find('}', at);
    const size_t found = json.find("\"" + key + "\": ", at);
    if (found < end) sum += std::strtoll(json.c_str() + found + key.size() + 4, nullptr, 10);
  }
  return sum;
}

class Run {
 public:
  Run(Shape& shape, const std::string& text) : shape_(shape) {
    std::vector<weir_callback> callbacks;
    for (Work& work : shape.works) callbacks.push_back(work.callback());
    std::vector<weir_argument> arguments;
    for (size_t i = 0; i < callbacks.size(); ++i) {
      weir_argument argument = WEIR_ARGUMENT_INIT;
      argument.name = shape.works[i].name.c_str();
      argument.name_size = shape.works[i].name.size();
      argument.callback = &callbacks[i];
      arguments.push_back(argument);
    }
    weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
    options.memory_bytes = shape.memory_bytes;
    must(weir_runtime_create(&options, &runtime_, &error_), error_);
    must(weir_dataset_parse(runtime_, text.c_str(), text.size(), arguments.data(), arguments.size(),
                            &dataset_, &error_),
         error_);
    must(weir_iterator_create(runtime_, dataset_, nullptr, &iterator_, &error_), error_);
    must(weir_element_create(&element_, &error_), error_);
  }
  Run(const Run&) = delete;
  ~Run() {
    weir_element_destroy(element_);
    weir_iterator_destroy(iterator_);
    weir_dataset_unref(dataset_);
    weir_runtime_destroy(runtime_);
    weir_error_clear(&error_);
  }
  void next() {
    const int32_t got = weir_iterator_next(iterator_, element_, &error_);
    must(got == WEIR_OK ? got : -1, error_);
  }
  std::string stats() {
    weir_error error = WEIR_ERROR_INIT;
    weir_bytes bytes{};
    must(weir_iterator_stats(iterator_, 0, &bytes, &error), error);
    std::string out(reinterpret_cast<const char*>(bytes.data), bytes.size);
    weir_bytes_release(&bytes);
    return out;
  }
  // May be called on another thread than next().
  void look(Usage& usage) {
    const std::string json = stats();
    usage.calls = std::max(usage.calls, calls_running());
    usage.threads = std::max(usage.threads, library_threads());
    usage.bytes = std::max(usage.bytes, sum_of_windows(json, "bytes"));
    int64_t allowed = sum_of_windows(json, "max_bytes");
    if (shape_.memory_bytes > 0) allowed = std::min(allowed, shape_.memory_bytes / kAheadPart);
    // Each window and each call may have one element beyond it.
    const int64_t elements = sum_of_windows(json, "windows") + calls_running() + 4;
    usage.most_bytes = std::max(usage.most_bytes, allowed + elements * shape_.element_bytes);
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    // Those that oneTBB has for the cores, and one that starts the others.
    usage.most_threads = kBlockingThreads + cores + 1;
  }

 private:
  Shape& shape_;
  weir_error error_ = WEIR_ERROR_INIT;
  weir_runtime runtime_{};
  weir_dataset dataset_{};
  weir_iterator iterator_{};
  weir_element element_{};
};

// Looks at what is used twenty times a second while it lives.
class Watch {
 public:
  Watch(Run& run, bool looks) : run_(run) {
    if (!looks) return;
    thread_ = std::thread([this] {
      while (!done_.load()) {
        run_.look(usage_);
        wait(50'000);
      }
    });
  }
  Watch(const Watch&) = delete;
  ~Watch() { end(); }
  Usage end() {
    done_.store(true);
    if (thread_.joinable()) thread_.join();
    return usage_;
  }

 private:
  Run& run_;
  Usage usage_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

std::string tuned_of(const std::string& json) {
  const std::string key = "\"tuned\": \"";
  const size_t begin = json.find(key);
  if (begin == std::string::npos) return "";
  return json.substr(begin + key.size(), json.find('"', begin + key.size()) - begin - key.size());
}

}  // namespace

void must(int32_t result, const weir_error& error) {
  if (result >= 0) return;
  std::fprintf(stderr, "weir_tuner: %.*s\n", static_cast<int>(error.line.size), error.line.data);
  std::exit(1);
}

void Usage::add(const Usage& other) {
  threads = std::max(threads, other.threads);
  calls = std::max(calls, other.calls);
  bytes = std::max(bytes, other.bytes);
  most_threads = std::max(most_threads, other.most_threads);
  most_bytes = std::max(most_bytes, other.most_bytes);
}

double Reading::rate(double from, double seconds) const {
  const auto first = static_cast<size_t>(from / kBucket + 0.5);
  const size_t last = std::min(counts.size(), first + static_cast<size_t>(seconds / kBucket + 0.5));
  double sum = 0;
  for (size_t i = first; i < last; ++i) sum += counts[i];
  return sum / (static_cast<double>(last - first) * kBucket);
}

Reading read(Shape& shape, const Setting& setting, const Plan& plan) {
  phase = plan.shift > 0 ? 0 : 1;
  Run run(shape, with_setting(shape.text, setting) + plan.end);
  Watch watch(run, plan.watches);
  Reading out;
  out.counts.assign(static_cast<size_t>(plan.seconds / kBucket + 0.5), 0.0);
  const double begin = now();
  double warm_cpu = -1;
  int64_t warm = 0;
  for (;;) {
    run.next();
    const double at = now() - begin;
    if (at >= plan.shift) phase = 1;
    const auto bucket = static_cast<size_t>(at / kBucket);
    if (bucket >= out.counts.size()) break;
    out.counts[bucket] += 1;
    if (warm_cpu < 0 && at >= kWarmUp) warm_cpu = processor_seconds();
    if (warm_cpu >= 0) ++warm;
    if (shape.consumer) shape.consumer();
  }
  out.cpu_ns = (processor_seconds() - warm_cpu) * 1e9 / static_cast<double>(std::max<int64_t>(1, warm));
  out.usage = watch.end();
  out.tuned = tuned_of(run.stats());
  return out;
}

}  // namespace weir::bench
