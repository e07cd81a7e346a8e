#include <algorithm>
#include <map>

#include "core/text.h"
#include "iterator/iterator_stats.h"
#include "iterator/stats_numbers.h"

namespace weir {

namespace {

// Less than this of the time says nothing.
constexpr double kLeastBusy = 0.2;
constexpr double kMostGain = 1000;
// From this part of the time on it is worth saying that two could run side by side.
constexpr double kWorthSplitting = 0.1;

// What is done one after the other, or by as many at once as `capacity` says.
struct Server {
  // Of the stages in it, by number; -1 is the consumer.
  std::map<int, double> parts;
  double capacity = 1;
  bool processors = false;

  double total() const {
    double sum = 0;
    for (const auto& [stage, ns] : parts) sum += ns;
    return sum / capacity;
  }
  double without(int stage) const {
    const auto found = parts.find(stage);
    return total() - (found == parts.end() ? 0 : found->second / capacity);
  }
};

double computing_part(const TimeSums& time) {
  const double part = time.computing();
  return static_cast<double>(time.ns) * (part < 0 ? 1 : part);
}

class Servers {
 public:
  explicit Servers(const IteratorStats& stats) : stats_(stats) {
    Server& processors = list_[kProcessors];
    processors.processors = true;
    processors.capacity = std::max(1, stats.parallelism);
    list_[kRoot];
    for (size_t i = 0; i < stats.stages.size(); ++i) add(i);
    const double left = static_cast<double>(stats.elapsed_ns - stats.waited_ns);
    Server& root = list_[kRoot];
    // Sums of samples may be more than there was.
    const double pulled = root.total();
    for (auto& [stage, ns] : root.parts) {
      if (pulled > left && pulled > 0) ns *= std::max(0.0, left) / pulled;
    }
    root.parts[kConsumer] = std::max(0.0, left - root.total());
  }

  static constexpr int kConsumer = -1;

  const Server& busiest() const {
    return std::max_element(list_.begin(), list_.end(),
                            [](const auto& a, const auto& b) { return a.second.total() < b.second.total(); })
        ->second;
  }
  // The largest of what is left if the stage takes no time.
  double without(int stage) const {
    double most = 0;
    for (const auto& [key, server] : list_) most = std::max(most, server.without(stage));
    return most;
  }
  // The same if the consumer no longer takes turns with the stages that it pulls itself.
  double split() const {
    const double consumer = consumer_ns();
    return std::max({consumer, without(kConsumer)});
  }
  double consumer_ns() const { return list_.at(kRoot).parts.at(kConsumer); }

 private:
  // Keys beside the numbers of stages: what pulls, and the calls of a stage.
  using Key = std::pair<int, bool>;
  static constexpr Key kRoot{-1, false};
  static constexpr Key kProcessors{-2, false};

  void add(size_t i) {
    const StageSnapshot& stage = stats_.stages[i];
    const int shown = static_cast<int>(shown_stage(stats_.stages, i));
    Server& segment = list_[{stage.segment, false}];
    if (stage.segment >= 0) {
      const auto& puller = stats_.stages[static_cast<size_t>(stage.segment)];
      segment.capacity = static_cast<double>(std::max<int64_t>(1, puller.most_windows));
    }
    segment.parts[shown] += static_cast<double>(stage.busy.ns);
    Server& processors = list_[kProcessors];
    processors.parts[shown] += computing_part(stage.busy) + computing_part(stage.call_time);
    if (stage.calls == 0) return;
    Server& calls = list_[{static_cast<int>(i), true}];
    const bool computes = stage.call_time.computing() > 0.5;
    const auto most = static_cast<double>(std::max<int64_t>(1, stage.window.max_calls));
    calls.capacity = computes ? std::min(most, static_cast<double>(std::max(1, stats_.parallelism))) : most;
    calls.parts[shown] += static_cast<double>(stage.call_time.ns);
  }

  const IteratorStats& stats_;
  std::map<Key, Server> list_;
};

double gain(const IteratorStats& stats, double left_ns) {
  if (left_ns <= 0) return kMostGain;
  return std::clamp(static_cast<double>(stats.elapsed_ns) / left_ns, 1.0, kMostGain);
}

std::string times(double gain) {
  if (gain >= kMostGain) return concat("more than ", static_cast<int>(kMostGain), " times");
  return concat(decimal(gain, gain < 10 ? 2 : 0), " times");
}

}  // namespace

size_t shown_stage(const std::vector<StageSnapshot>& stages, size_t stage) {
  while (stages[stage].internal && stages[stage].parent >= 0)
    stage = static_cast<size_t>(stages[stage].parent);
  return stage;
}

Verdict verdict(const IteratorStats& stats) {
  Verdict out;
  if (stats.elapsed_ns <= 0 || stats.stages.empty()) return out;
  const Servers servers(stats);
  const Server& busiest = servers.busiest();
  out.busy = std::min(1.0, busiest.total() / static_cast<double>(stats.elapsed_ns));
  if (out.busy < kLeastBusy) return out;
  const auto largest = std::max_element(busiest.parts.begin(), busiest.parts.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  out.gain = gain(stats, servers.without(largest->first));
  if (largest->first == Servers::kConsumer) {
    out.bound = Verdict::Bound::consumer;
    out.busy = largest->second / static_cast<double>(stats.elapsed_ns);
    return out;
  }
  out.bound = busiest.processors ? Verdict::Bound::processors : Verdict::Bound::stage;
  out.stage = largest->first;
  if (!busiest.processors)
    out.busy = std::min(1.0, largest->second / busiest.capacity / static_cast<double>(stats.elapsed_ns));
  TimeSums time = stats.stages[static_cast<size_t>(out.stage)].busy;
  for (size_t i = 0; i < stats.stages.size(); ++i) {
    const StageSnapshot& stage = stats.stages[i];
    if (static_cast<int>(shown_stage(stats.stages, i)) != out.stage) continue;
    const TimeSums& more = stage.call_time.ns > stage.busy.ns ? stage.call_time : stage.busy;
    if (more.ns > time.ns) time = more;
  }
  out.waits = time.computing() >= 0 && time.computing() < 0.5;
  return out;
}

std::string verdict_text(const IteratorStats& stats, const Verdict& verdict) {
  const std::string busy = percent(verdict.busy);
  const auto name = [&] { return paths_of(stats.stages)[static_cast<size_t>(verdict.stage)]; };
  std::string text;
  switch (verdict.bound) {
    case Verdict::Bound::none:
      return "Too little was measured to say what bounds the throughput.";
    case Verdict::Bound::consumer:
      text = concat("The consumer is the bound: ", busy,
                    " of the time passes between two calls of next. Without it, elements would come ",
                    times(verdict.gain), " as fast at most.");
      break;
    case Verdict::Bound::processors:
      text = concat("The processors are the bound: all ", stats.parallelism, " are busy ", busy,
                    " of the time, most of it in ", name(), ". If that took no time, elements would come ",
                    times(verdict.gain), " as fast at most.");
      break;
    case Verdict::Bound::stage:
      text = concat(name(), " is the bound: it is busy ", busy, " of the time, ",
                    verdict.waits ? "mostly waiting" : "mostly computing",
                    ". If it took no time, elements would come ", times(verdict.gain), " as fast at most.");
      break;
  }
  const Servers servers(stats);
  const double elapsed = static_cast<double>(stats.elapsed_ns);
  const double consumer = servers.consumer_ns() / elapsed;
  const double split = gain(stats, servers.split());
  if (consumer > kWorthSplitting && split > 1 + kWorthSplitting) {
    text += concat(" The consumer takes turns with it: a prefetch at the end would give ", times(split),
                   " at most.");
  }
  return text;
}

}  // namespace weir
