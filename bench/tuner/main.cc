// weir_tuner: runs each pipeline of the corpus with settings by hand and with `auto`, and prints one line of
// JSON for it.
//
//   weir_tuner FOLDER [--overhead] [NAME]...    FOLDER: for the files that pipelines read; NAME: of a
//   pipeline,
//                                               or the beginning of one
//   weir_tuner FOLDER --auto [NAME]...          only `auto`, once: elements per second in the first half
//   second,
//                                               or after the load has changed, and in the last second
//   weir_tuner --list                           the names
//
// All settings are screened once, the best five measured again in turns with `auto`. `auto` is measured from
// two seconds after its beginning, or after the load has changed; settings by hand after a quarter of a
// second, under the changed load all the time. One pipeline takes up to 80 seconds. With --overhead, `auto`
// is measured in turns with the numbers that it found, frozen. bench/tuner/table.py makes the tables of
// docs/tuning.md from the lines.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tuner/run.h"
#include "tuner/shapes.h"

namespace weir::bench {
namespace {

constexpr int kRounds = 3;
constexpr int kOverheadRounds = 9;
constexpr size_t kFinalists = 5;
constexpr double kSettling = 2.0;
constexpr double kWarmUp = 0.3;

std::string label_of(const Setting& setting) {
  std::string out;
  for (const auto& [name, value] : setting) out += (out.empty() ? "" : ", ") + name + " " + value;
  return out;
}

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}
double median(const std::vector<double>& values) { return quantile(values, 0.5); }

// After how long the next half second, after `from`, is as fast as the end, or nearly.
double settled_after(const Reading& reading, double from, double steady) {
  const double last = static_cast<double>(reading.counts.size()) * kBucket - 0.5;
  for (double at = from; at < last; at += kBucket) {
    if (reading.rate(at, 0.5) >= 0.93 * steady) return at - from;
  }
  return last - from;
}

std::vector<Setting> settings_of(const Shape& shape) {
  std::vector<Setting> out(1);
  for (const Knob& knob : shape.knobs) {
    std::vector<Setting> more;
    for (const Setting& setting : out) {
      for (const std::string& value : knob.settings) {
        more.push_back(setting);
        more.back()[knob.name] = value;
      }
    }
    out = std::move(more);
  }
  return out;
}

Setting automatic(const Shape& shape) {
  Setting out;
  for (const Knob& knob : shape.knobs) out[knob.name] = "auto";
  return out;
}

std::vector<Setting> finalists(Shape& shape) {
  std::vector<std::pair<double, Setting>> screened;
  for (Setting& setting : settings_of(shape)) {
    const double found = read(shape, setting, {.seconds = 0.7}).rate(kWarmUp, 0.4);
    screened.emplace_back(found, std::move(setting));
  }
  std::stable_sort(screened.begin(), screened.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Setting> out;
  for (size_t i = 0; i < std::min(kFinalists, screened.size()); ++i) out.push_back(screened[i].second);
  return out;
}

void score(Shape& shape) {
  const std::vector<Setting> best = finalists(shape);
  const double shift = shape.shifts ? 2.0 : 0.0;
  std::vector<std::vector<double>> by_hand(best.size());
  std::vector<double> ours;
  std::vector<double> settled;
  Usage usage;
  std::string tuned;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < best.size(); ++i)
      by_hand[i].push_back(
          read(shape, best[i], {.seconds = kWarmUp + 1.2, .watches = true}).rate(kWarmUp, 1.2));
    const Reading reading =
        read(shape, automatic(shape), {.seconds = shift + kSettling + 1.2, .shift = shift, .watches = true});
    ours.push_back(reading.rate(shift + kSettling, 1.2));
    settled.push_back(settled_after(reading, shift, ours.back()));
    usage.add(reading.usage);
    tuned = reading.tuned;
  }
  size_t winner = 0;
  for (size_t i = 1; i < best.size(); ++i) {
    if (median(by_hand[i]) > median(by_hand[winner])) winner = i;
  }
  const double most = median(by_hand[winner]);
  std::string finals;
  for (size_t i = 0; i < best.size(); ++i) {
    finals += (finals.empty() ? "\"" : ", \"") + label_of(best[i]) +
              "\": " + std::to_string(std::lround(median(by_hand[i])));
  }
  std::printf(
      "{\"name\": \"%s\", \"kind\": \"%s\", \"settings\": %zu, \"best\": \"%s\", \"best_rate\": %.1f, \"auto_rate\": %.1f, "
      "\"ratio\": %.3f, \"least\": %.3f, \"settled_s\": %.1f, \"found\": \"%s\", \"threads\": %d, \"calls\": %d, "
      "\"most_threads\": %d, \"bytes\": %lld, \"most_bytes\": %lld, \"exceeded\": %s, \"finals\": {%s}}\n",
      shape.name.c_str(), shape.kind.c_str(), settings_of(shape).size(), label_of(best[winner]).c_str(), most,
      median(ours), median(ours) / most, quantile(ours, 0) / most, median(settled), tuned.c_str(),
      usage.threads, usage.calls, usage.most_threads, static_cast<long long>(usage.bytes),
      static_cast<long long>(usage.most_bytes), usage.exceeds() ? "true" : "false", finals.c_str());
  std::fflush(stdout);
}

// Both begin with the numbers that were found, so that only what finds and checks them differs.
void measure_overhead(Shape& shape) {
  const Setting setting = automatic(shape);
  const std::string tuned = read(shape, setting, {.seconds = 2.0}).tuned;
  const std::string begin = " | options(tuned: \"" + tuned + "\"";
  std::vector<double> processor;
  std::vector<double> rates;
  std::vector<double> cpu_ns;
  for (int round = 0; round < kOverheadRounds; ++round) {
    const Reading frozen =
        read(shape, setting, {.seconds = kWarmUp + 0.9, .end = begin + ", autotune: false)"});
    const Reading tuning = read(shape, setting, {.seconds = kWarmUp + 0.9, .end = begin + ")"});
    processor.push_back(tuning.cpu_ns / frozen.cpu_ns);
    rates.push_back(tuning.rate(kWarmUp, 0.9) / frozen.rate(kWarmUp, 0.9));
    cpu_ns.push_back(frozen.cpu_ns);
  }
  std::printf(
      "{\"overhead\": \"%s\", \"tuned\": \"%s\", \"cpu_ns\": %.0f, \"cpu\": %.4f, \"cpu_low\": %.4f, \"cpu_high\": %.4f, "
      "\"rate\": %.4f, \"rate_low\": %.4f, \"rate_high\": %.4f}\n",
      shape.name.c_str(), tuned.c_str(), median(cpu_ns), median(processor), quantile(processor, 0.25),
      quantile(processor, 0.75), median(rates), quantile(rates, 0.25), quantile(rates, 0.75));
  std::fflush(stdout);
}

void run_auto(Shape& shape) {
  const double shift = shape.shifts ? 1.0 : 0.0;
  const Reading reading = read(shape, automatic(shape), {.seconds = shift + 2.2, .shift = shift});
  std::printf("%s\t%.1f\t%.1f\n", shape.name.c_str(), reading.rate(shift, 0.5),
              reading.rate(shift + 1.2, 1.0));
  std::fflush(stdout);
}

int main_with(const std::string& folder, void (*measure)(Shape&), const std::vector<std::string>& names) {
  for (Shape& shape : shapes(folder)) {
    const bool wanted =
        names.empty() || std::any_of(names.begin(), names.end(),
                                     [&](const std::string& name) { return shape.name.rfind(name, 0) == 0; });
    if (wanted) measure(shape);
  }
  return 0;
}

int list() {
  for (const Shape& shape : shapes("")) std::printf("%s\t%s\n", shape.kind.c_str(), shape.name.c_str());
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) return weir::bench::list();
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: weir_tuner FOLDER [--overhead | --auto] [NAME]...\n       weir_tuner --list\n");
    return 2;
  }
  void (*measure)(weir::bench::Shape&) = weir::bench::score;
  if (argc > 2 && std::strcmp(argv[2], "--overhead") == 0) measure = weir::bench::measure_overhead;
  if (argc > 2 && std::strcmp(argv[2], "--auto") == 0) measure = weir::bench::run_auto;
  return weir::bench::main_with(argv[1], measure,
                                {argv + (measure == weir::bench::score ? 2 : 3), argv + argc});
}
