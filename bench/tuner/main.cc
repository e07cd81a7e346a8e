// weir_tuner: runs each pipeline of the corpus with settings by hand and with `auto`, and prints one line of JSON for it.
//
//   weir_tuner FOLDER [NAME]...      FOLDER: for the files that pipelines read; NAMEs begin those of the pipelines
//
// All settings are screened once, the best five measured again in turns with `auto`. `auto` is measured from two seconds
// after its beginning, or after the load has changed; settings by hand after a quarter of a second, under the changed load
// all the time. bench/tuner/table.py makes the table of docs/tuning.md from the lines.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "tuner/shapes.h"

namespace weir::bench {
namespace {

constexpr int kRounds = 3;
constexpr size_t kFinalists = 5;
constexpr double kBucket = 0.1;
constexpr double kSettling = 2.0;
constexpr double kWarmUp = 0.25;

using Setting = std::map<std::string, std::string>;

std::string label_of(const Setting& setting) {
  std::string out;
  for (const auto& [name, value] : setting) out += (out.empty() ? "" : ", ") + name + " " + value;
  return out;
}

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

// Ends the program with the error.
void must(int32_t result, const weir_error& error) {
  if (result >= 0) return;
  std::fprintf(stderr, "weir_tuner: %.*s\n", static_cast<int>(error.line.size), error.line.data);
  std::exit(1);
}

// An iterator over a text with callbacks.
class Run {
 public:
  Run(Shape& shape, const Setting& setting) {
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
    const std::string text = with_setting(shape.text, setting);
    must(weir_runtime_create(nullptr, &runtime_, &error_), error_);
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

 private:
  weir_error error_ = WEIR_ERROR_INIT;
  weir_runtime runtime_{};
  weir_dataset dataset_{};
  weir_iterator iterator_{};
  weir_element element_{};
};

// When elements came, as fractions of buckets of a tenth of a second. The load changes after `shift` seconds.
std::vector<double> read(Shape& shape, const Setting& setting, double seconds, double shift) {
  phase = shift > 0 ? 0 : 1;
  Run run(shape, setting);
  std::vector<double> counts(static_cast<size_t>(seconds / kBucket + 0.5), 0.0);
  const double begin = now();
  for (;;) {
    run.next();
    const double at = now() - begin;
    if (at >= shift) phase = 1;
    const auto bucket = static_cast<size_t>(at / kBucket);
    if (bucket >= counts.size()) return counts;
    counts[bucket] += 1;
    if (shape.consumer) shape.consumer();
  }
}

double rate(const std::vector<double>& counts, double from, double seconds) {
  const auto first = static_cast<size_t>(from / kBucket + 0.5);
  const size_t last = std::min(counts.size(), first + static_cast<size_t>(seconds / kBucket + 0.5));
  double sum = 0;
  for (size_t i = first; i < last; ++i) sum += counts[i];
  return sum / (static_cast<double>(last - first) * kBucket);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// After how long the next half second, after `from`, is as fast as the end, or nearly.
double settled_after(const std::vector<double>& counts, double from, double steady) {
  const double last = static_cast<double>(counts.size()) * kBucket - 0.5;
  for (double at = from; at < last; at += kBucket) {
    if (rate(counts, at, 0.5) >= 0.93 * steady) return at - from;
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

std::vector<Setting> finalists(Shape& shape) {
  std::vector<std::pair<double, Setting>> screened;
  for (Setting& setting : settings_of(shape)) {
    const double found = rate(read(shape, setting, 0.6, 0), kWarmUp, 0.35);
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
  Setting automatic;
  for (const Knob& knob : shape.knobs) automatic[knob.name] = "auto";
  const double shift = shape.shifts ? 2.0 : 0.0;
  std::vector<std::vector<double>> by_hand(best.size());
  std::vector<double> ours;
  std::vector<double> settled;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < best.size(); ++i)
      by_hand[i].push_back(rate(read(shape, best[i], 1.3, 0), kWarmUp, 1.0));
    const std::vector<double> counts = read(shape, automatic, shift + kSettling + 1.2, shift);
    ours.push_back(rate(counts, shift + kSettling, 1.2));
    settled.push_back(settled_after(counts, shift, ours.back()));
  }
  size_t winner = 0;
  for (size_t i = 1; i < best.size(); ++i) {
    if (median(by_hand[i]) > median(by_hand[winner])) winner = i;
  }
  std::printf(
      "{\"name\": \"%s\", \"kind\": \"%s\", \"settings\": %zu, \"best\": \"%s\", \"best_rate\": %.1f, \"auto_rate\": %.1f, "
      "\"ratio\": %.3f, \"settled_s\": %.1f}\n",
      shape.name.c_str(), shape.kind.c_str(), settings_of(shape).size(), label_of(best[winner]).c_str(),
      median(by_hand[winner]), median(ours), median(ours) / median(by_hand[winner]), median(settled));
  std::fflush(stdout);
}

int main_with(const std::string& folder, const std::vector<std::string>& names) {
  for (Shape& shape : shapes(folder)) {
    const bool wanted =
        names.empty() || std::any_of(names.begin(), names.end(),
                                     [&](const std::string& name) { return shape.name.rfind(name, 0) == 0; });
    if (wanted) score(shape);
  }
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: weir_tuner FOLDER [NAME]...\n");
    return 2;
  }
  return weir::bench::main_with(argv[1], {argv + 2, argv + argc});
}
