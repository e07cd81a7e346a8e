#include "bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace weir::command {

namespace {

constexpr double kSeconds = 1;
constexpr int64_t kRepeats = 5;
// Of calls shorter than this, one in so many is timed by itself, so that reading the clock takes little; a
// prime, since blocks of rows have a power of two.
constexpr double kShortNs = 5000;
constexpr int64_t kShortCalls = 61;
// More latencies are not kept.
constexpr size_t kMostLatencies = size_t{1} << 20;

using Clock = std::chrono::steady_clock;

double ns_between(Clock::time_point begin, Clock::time_point end) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());
}

struct Repeat {
  int64_t elements = 0;
  int64_t failed = 0;
  // Time inside next and between two calls, without that of beginning anew.
  double ns = 0;
  bool stopped = false;
  // How often it was started, the first time included.
  int64_t passes = 0;
  double rate() const { return ns <= 0 ? 0 : static_cast<double>(elements + failed) * 1e9 / ns; }
};

// Reads elements for a while, from the beginning again where the dataset ends.
class Bench {
 public:
  Bench(const Arguments& arguments, Handles& handles) : arguments_(arguments), handles_(handles) {}

  // Returns a negative result, with the error in the handles, if it can't go on.
  int32_t run(bool counts, Repeat& out) {
    stats_elements_ = -1;
    const double most_ns = 1e9 * (arguments_.seconds > 0 ? arguments_.seconds : kSeconds);
    for (;;) {
      // Without the time that the last pass took to end.
      weir_iterator_destroy(handles_.iterator);
      handles_.iterator = {};
      if (const int32_t result = begin(arguments_, handles_, {}); result != WEIR_OK) return result;
      const int64_t before = out.elements + out.failed;
      ++out.passes;
      int32_t result = pass(most_ns, counts, out);
      const int64_t elements = out.elements + out.failed - before;
      if (result >= 0) result = std::min(result, keep_stats(elements));
      if (result < 0 || out.stopped) return result;
      // One that is empty would begin anew for ever.
      if (elements == 0) return WEIR_END;
    }
  }
  std::vector<double>& latencies() { return latencies_; }
  // What the stages did in the longest pass of the last repeat, as it was when that ended.
  const std::string& stats() const { return stats_; }

 private:
  int32_t keep_stats(int64_t elements) {
    if (elements <= stats_elements_) return WEIR_END;
    weir_bytes text = WEIR_BYTES_INIT;
    const uint32_t flags = arguments_.json ? 0 : WEIR_TEXT;
    const int32_t result = weir_iterator_stats(handles_.iterator, flags, &text, &handles_.error);
    if (result != WEIR_OK) return result;
    stats_.assign(text.data, text.size);
    stats_elements_ = elements;
    weir_bytes_release(&text);
    return WEIR_END;
  }

  bool done(double most_ns, const Repeat& out) const {
    if (arguments_.count >= 0) return out.elements + out.failed >= arguments_.count;
    return out.ns >= most_ns;
  }

  int32_t next(Repeat& out) {
    const int32_t result = weir_iterator_next(handles_.iterator, handles_.element, &handles_.error);
    if (result == WEIR_OK) ++out.elements;
    if (result == WEIR_ELEMENT_FAILED) ++out.failed;
    return result == WEIR_ELEMENT_FAILED ? WEIR_OK : result;
  }

  int32_t pass(double most_ns, bool counts, Repeat& out) {
    Clock::time_point last = Clock::now();
    while (!(out.stopped = done(most_ns, out))) {
      int32_t result = next(out);
      Clock::time_point now = Clock::now();
      const double took_ns = ns_between(last, now);
      out.ns += took_ns;
      if (result != WEIR_OK) return result;
      if (counts && latencies_.size() < kMostLatencies) latencies_.push_back(took_ns);
      last = now;
      if (took_ns >= kShortNs || arguments_.count >= 0) continue;
      for (int64_t i = 1; i < kShortCalls && result == WEIR_OK; ++i) result = next(out);
      now = Clock::now();
      out.ns += ns_between(last, now);
      if (result != WEIR_OK) return result;
      last = now;
    }
    return WEIR_OK;
  }

  const Arguments& arguments_;
  Handles& handles_;
  std::vector<double> latencies_;
  std::string stats_;
  int64_t stats_elements_ = -1;
};

double at(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0;
  const auto place = static_cast<size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5);
  return sorted[std::min(place, sorted.size() - 1)];
}

// "12.3 us".
std::string time_text(double ns) {
  constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  int unit = 0;
  for (; ns >= 1000 && unit < 3; ++unit) ns /= 1000;
  char text[64];
  std::snprintf(text, sizeof text, ns >= 100 ? "%.0f %s" : "%.3g %s", ns, kUnits[unit]);
  return text;
}

constexpr struct {
  const char* name;
  double part;
} kPercentiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1}};

void print_json(const std::vector<Repeat>& repeats, const std::vector<double>& rates,
                const std::vector<double>& latencies, std::string_view stats) {
  std::printf("{\"repeats\": [");
  for (size_t i = 0; i < repeats.size(); ++i) {
    std::printf("%s{\"elements\": %lld, \"failed\": %lld, \"seconds\": %.9f, \"passes\": %lld}",
                i == 0 ? "" : ", ", static_cast<long long>(repeats[i].elements),
                static_cast<long long>(repeats[i].failed), repeats[i].ns / 1e9,
                static_cast<long long>(repeats[i].passes));
  }
  std::printf("], \"elements_per_second\": {\"median\": %.6g, \"min\": %.6g, \"max\": %.6g}, \"next_ns\": {",
              at(rates, 0.5), at(rates, 0), at(rates, 1));
  const char* separator = "";
  for (const auto& percentile : kPercentiles) {
    std::printf("%s\"%s\": %.0f", separator, percentile.name, at(latencies, percentile.part));
    separator = ", ";
  }
  std::printf("}, \"stats\": ");
  print(stdout, stats);
  std::printf("}\n");
}

void print_text(const std::vector<Repeat>& repeats, const std::vector<double>& rates,
                const std::vector<double>& latencies, std::string_view stats) {
  int64_t failed = 0;
  for (const Repeat& repeat : repeats) failed += repeat.failed;
  if (repeats.back().elements + repeats.back().failed == 0)
    return print(stdout, "the dataset has no elements, so there is nothing to measure\n");
  const double median = at(rates, 0.5);
  const double spread = median <= 0 ? 0 : 100 * (at(rates, 1) - at(rates, 0)) / median;
  std::printf("%.6g elements per second, median of %zu repeats (%.6g to %.6g, spread %.1f %%)\n", median,
              repeats.size(), at(rates, 0), at(rates, 1), spread);
  std::printf("%s per element", median <= 0 ? "-" : time_text(1e9 / median).c_str());
  if (failed > 0) std::printf("; %lld failed", static_cast<long long>(failed));
  std::printf("\nnext:");
  for (const auto& percentile : kPercentiles)
    std::printf("  %s %s", percentile.name, time_text(at(latencies, percentile.part)).c_str());
  const auto passes = static_cast<long long>(repeats.back().passes);
  if (passes == 1) {
    std::printf("\n\nthe last repeat:\n");
  } else {
    std::printf("\n\nthe longest pass of the last repeat, which began %lld times:\n", passes);
  }
  print(stdout, stats);
}

}  // namespace

int bench(const Arguments& arguments, Handles& handles) {
  if (weir_element_create(&handles.element, &handles.error) != WEIR_OK) return report(handles);
  Bench bench(arguments, handles);
  std::vector<Repeat> repeats;
  std::vector<double> rates;
  const int64_t count = arguments.repeats > 0 ? arguments.repeats : kRepeats;
  // The first warms up: caches, threads, and files that the system has yet to read.
  for (int64_t i = 0; i <= count; ++i) {
    Repeat repeat;
    if (bench.run(i > 0, repeat) < 0) return report(handles);
    if (i == 0) continue;
    repeats.push_back(repeat);
    rates.push_back(repeat.rate());
  }
  std::sort(rates.begin(), rates.end());
  std::vector<double>& latencies = bench.latencies();
  std::sort(latencies.begin(), latencies.end());
  const std::string& stats = bench.stats();
  arguments.json ? print_json(repeats, rates, latencies, stats)
                 : print_text(repeats, rates, latencies, stats);
  return 0;
}

}  // namespace weir::command
