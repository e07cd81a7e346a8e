#include "iterator/iterator_stats.h"

#include <algorithm>
#include <map>

#include "core/text.h"
#include "dataset/tuner_start.h"
#include "iterator/stats_numbers.h"

namespace weir {

namespace {

int64_t elements_of(const IteratorStats& stats) {
  return stats.stages.empty() ? 0 : stats.stages[0].elements;
}

// The time of a stage with what serves it.
TimeSums shown_busy(const IteratorStats& stats, size_t shown) {
  TimeSums sum;
  for (size_t i = 0; i < stats.stages.size(); ++i) {
    if (shown_stage(stats.stages, i) != shown) continue;
    const TimeSums& busy = stats.stages[i].busy;
    sum.ns += busy.ns;
    sum.compared_ns += busy.compared_ns;
    sum.computing_ns += busy.computing_ns;
  }
  return sum;
}

bool has_window(const StageSnapshot& stage) { return stage.most_windows > 0; }
bool bounded(int64_t limit) { return limit > 0 && limit < WindowNow::kUnbounded; }

std::string json_part(double part) { return part < 0 ? "null" : decimal(part, 3); }

std::string json_window(const StageSnapshot& stage) {
  if (!has_window(stage)) return "null";
  const WindowNow& now = stage.window;
  return concat(R"({"windows": )", now.windows, R"(, "rows": )", now.rows, R"(, "max_rows": )", now.max_rows,
                R"(, "bytes": )", now.bytes, R"(, "max_bytes": )",
                bounded(now.max_bytes) ? concat(now.max_bytes) : "null", R"(, "waited_for_input_ns": )",
                stage.waited_for_input_ns, R"(, "waited_for_consumer_ns": )", stage.waited_for_consumer_ns,
                "}");
}

std::string json_calls(const StageSnapshot& stage) {
  if (stage.calls == 0 && stage.window.max_calls == 0) return "null";
  return concat(R"({"count": )", stage.calls, R"(, "busy_ns": )", stage.call_time.ns, R"(, "computing": )",
                json_part(stage.call_time.computing()), R"(, "now": )", stage.window.calls, R"(, "max": )",
                stage.window.max_calls, "}");
}

std::string json_copies(const StageSnapshot& stage) {
  if (stage.copies == 0) return "null";
  return concat(R"({"count": )", stage.copies, R"(, "bytes": )", stage.copied_bytes, R"(, "waited_ns": )",
                stage.waited_for_device_ns, "}");
}

std::string json_stage(const IteratorStats& stats, const std::vector<std::string>& paths, size_t i) {
  const StageSnapshot& stage = stats.stages[i];
  const TimeSums busy = shown_busy(stats, i);
  const std::string puller =
      stage.segment < 0 ? "null" : json_string(paths[static_cast<size_t>(stage.segment)]);
  return concat(R"({"path": )", json_string(paths[i]), R"(, "operator": )", json_string(stage.operator_name),
                R"(, "elements": )", stage.elements, R"(, "failed": )", stage.failed, R"(, "bytes": )",
                stage.bytes < 0 ? "null" : concat(stage.bytes), R"(, "openings": )", stage.openings,
                R"(, "open": )", stage.open_now, R"(, "busy_ns": )", busy.ns, R"(, "computing": )",
                json_part(busy.computing()), R"(, "pulled_by": )", puller, R"(, "window": )",
                json_window(stage), R"(, "calls": )", json_calls(stage), R"(, "copies": )",
                json_copies(stage), "}");
}

std::string json_verdict(const IteratorStats& stats, const std::vector<std::string>& paths) {
  constexpr const char* kBounds[] = {"none", "stage", "consumer", "processors"};
  const Verdict found = verdict(stats);
  return concat(R"({"bound": ")", kBounds[static_cast<int>(found.bound)], R"(", "stage": )",
                found.stage < 0 ? "null" : json_string(paths[static_cast<size_t>(found.stage)]),
                R"(, "busy": )", decimal(found.busy, 3), R"(, "gain": )", decimal(found.gain, 2),
                R"(, "text": )", json_string(verdict_text(stats, found)), "}");
}

// What options(tuned: …) takes: how many calls each stage had at once, and how many rows its window held at
// most.
std::string tuned_text(const IteratorStats& stats, const std::vector<std::string>& paths) {
  std::string out;
  const auto add = [&](size_t i, const char* what, int64_t number) {
    out += concat(out.empty() ? "" : ", ", tuned_key(paths[i], what), " ", number);
  };
  for (size_t i = 0; i < stats.stages.size(); ++i) {
    const StageSnapshot& stage = stats.stages[i];
    // Those that serve others have limits of their own.
    if (stage.internal) continue;
    const WindowNow& now = stage.window;
    // Of one that has closed, the numbers of the last are left.
    const int64_t open = std::max<int64_t>(1, stage.open_now);
    if (now.max_calls > 0) {
      add(i, "calls", std::max<int64_t>(1, now.max_calls / open));
    } else if (bounded(now.max_rows)) {
      add(i, "rows", std::max<int64_t>(1, now.max_rows / open));
    }
  }
  if (stats.alone) out += concat(out.empty() ? "" : ", ", kAlone, " 1");
  return out;
}

std::string json_reads(const ReadsNow& reads) {
  return concat(R"({"memory_bytes": )", reads.memory_bytes, R"(, "disk_bytes": )", reads.disk_bytes,
                R"(, "store_bytes": )", reads.store_bytes, R"(, "damaged_blocks": )", reads.damaged_blocks,
                "}");
}

// A line, if remote files were read.
std::string reads_text(const ReadsNow& reads) {
  if (reads.memory_bytes + reads.disk_bytes + reads.store_bytes == 0) return {};
  const auto size = [](uint64_t bytes) { return size_text(static_cast<int64_t>(bytes)); };
  std::string out =
      concat("remote files: ", size(reads.memory_bytes), " read through memory, ", size(reads.disk_bytes),
             " from the cache on disk, ", size(reads.store_bytes), " from their store");
  if (reads.damaged_blocks > 0) out += concat("; ", reads.damaged_blocks, " blocks on disk were damaged");
  return out + "\n";
}

// A line, if something was copied to devices.
std::string copies_text(const IteratorStats& stats) {
  StageSnapshot sum;
  for (const StageSnapshot& stage : stats.stages) {
    sum.copies += stage.copies;
    sum.copied_bytes += stage.copied_bytes;
    sum.waited_for_device_ns += stage.waited_for_device_ns;
  }
  if (sum.copies == 0) return {};
  return concat("copies to devices: ", sum.copies, " of ", size_text(sum.copied_bytes), " in all, ",
                decimal(static_cast<double>(sum.waited_for_device_ns) * 1e-9, 3),
                " s waited for earlier ones\n");
}

int64_t consumer_ns(const IteratorStats& stats) {
  int64_t left = stats.elapsed_ns - stats.waited_ns;
  for (const StageSnapshot& stage : stats.stages) {
    if (stage.segment < 0) left -= stage.busy.ns;
  }
  return std::max<int64_t>(0, left);
}

using Row = std::vector<std::string>;

// Right-aligned columns, but for the first.
std::string table(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      line += i == 0 ? row[i] + space : concat("  ", space, row[i]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

Row row_of(const IteratorStats& stats, size_t i, int indent) {
  const StageSnapshot& stage = stats.stages[i];
  const auto part = [&](int64_t ns) {
    return stats.elapsed_ns <= 0 ? std::string()
                                 : percent(static_cast<double>(ns) / static_cast<double>(stats.elapsed_ns));
  };
  const TimeSums busy = shown_busy(stats, i);
  const TimeSums& main = stage.call_time.ns > busy.ns ? stage.call_time : busy;
  Row row{concat(std::string(static_cast<size_t>(2 * indent), ' '), stage.operator_name,
                 stage.input < 0 ? "" : concat("[", stage.input, "]")),
          concat(stage.elements),
          concat(stage.failed),
          size_text(stage.bytes),
          part(busy.ns + stage.call_time.ns),
          main.computing() < 0 ? "-" : percent(main.computing())};
  if (!has_window(stage)) return row;
  row.push_back(part(stage.waited_for_input_ns));
  row.push_back(part(stage.waited_for_consumer_ns));
  row.push_back(concat(stage.window.rows, "/", stage.window.max_rows));
  row.push_back(stage.window.max_calls == 0 ? "" : concat(stage.window.calls, "/", stage.window.max_calls));
  return row;
}

// A label's value: backslashes, quotes and line feeds are escaped.
std::string label(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

class Exposition {
 public:
  explicit Exposition(const std::string& iterator) : iterator_(label(iterator)) {}
  void family(const char* name, const char* type, const char* help) {
    name_ = name;
    out_ += concat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
  }
  void sample(const std::string& value) { out_ += concat(name_, "{iterator=", iterator_, "} ", value, "\n"); }
  void sample(const std::string& stage, const std::string& value) {
    out_ += concat(name_, "{iterator=", iterator_, ",stage=", label(stage), "} ", value, "\n");
  }
  std::string take() { return std::move(out_); }

 private:
  const std::string iterator_;
  const char* name_ = "";
  std::string out_;
};

struct Family {
  const char* name;
  const char* type;
  const char* help;
  // Empty: the stage has none.
  std::string (*value)(const IteratorStats& stats, size_t stage);
};

struct ReadFamily {
  const char* name;
  const char* help;
  uint64_t ReadsNow::*value;
};

const ReadFamily kReadFamilies[] = {
    {"weir_read_memory_bytes_total", "Bytes of remote files that readers were given.",
     &ReadsNow::memory_bytes},
    {"weir_read_disk_bytes_total", "Bytes of them that came from the cache on disk.", &ReadsNow::disk_bytes},
    {"weir_read_store_bytes_total", "Bytes of them that came from their store.", &ReadsNow::store_bytes},
    {"weir_read_damaged_blocks_total", "Damaged blocks in the cache on disk.", &ReadsNow::damaged_blocks},
};

template <int64_t WindowNow::*member>
std::string of_window(const IteratorStats& stats, size_t i) {
  return has_window(stats.stages[i]) ? concat(stats.stages[i].window.*member) : "";
}

const Family kFamilies[] = {
    {"weir_elements_total", "counter", "Elements that a stage gave.",
     [](const IteratorStats& s, size_t i) { return concat(s.stages[i].elements); }},
    {"weir_failed_total", "counter", "Errors that a stage gave in place of elements.",
     [](const IteratorStats& s, size_t i) { return concat(s.stages[i].failed); }},
    {"weir_bytes_total", "counter", "Bytes of the elements, estimated from samples.",
     [](const IteratorStats& s, size_t i) {
       return s.stages[i].bytes < 0 ? std::string() : concat(s.stages[i].bytes);
     }},
    {"weir_busy_seconds_total", "counter", "A stage's own time, calls included, estimated from samples.",
     [](const IteratorStats& s, size_t i) {
       return seconds(shown_busy(s, i).ns + s.stages[i].call_time.ns);
     }},
    {"weir_waited_for_input_seconds_total", "counter", "How long a window was found empty.",
     [](const IteratorStats& s, size_t i) {
       return has_window(s.stages[i]) ? seconds(s.stages[i].waited_for_input_ns) : "";
     }},
    {"weir_waited_for_consumer_seconds_total", "counter", "How long a window was full.",
     [](const IteratorStats& s, size_t i) {
       return has_window(s.stages[i]) ? seconds(s.stages[i].waited_for_consumer_ns) : "";
     }},
    {"weir_copied_bytes_total", "counter", "Bytes copied to devices.",
     [](const IteratorStats& s, size_t i) {
       return s.stages[i].copies > 0 ? concat(s.stages[i].copied_bytes) : std::string();
     }},
    {"weir_window_rows", "gauge", "Rows that windows hold.", of_window<&WindowNow::rows>},
    {"weir_window_max_rows", "gauge", "Rows that windows may hold.", of_window<&WindowNow::max_rows>},
    {"weir_window_bytes", "gauge", "Bytes that windows hold.", of_window<&WindowNow::bytes>},
    {"weir_calls_in_flight", "gauge", "Calls that run now.",
     [](const IteratorStats& s, size_t i) {
       return s.stages[i].window.max_calls > 0 ? concat(s.stages[i].window.calls) : std::string();
     }},
    {"weir_calls_limit", "gauge", "Calls that may run at once.",
     [](const IteratorStats& s, size_t i) {
       return s.stages[i].window.max_calls > 0 ? concat(s.stages[i].window.max_calls) : std::string();
     }},
};

}  // namespace

std::vector<std::string> paths_of(const std::vector<StageSnapshot>& stages) {
  std::vector<std::string> paths;
  std::map<std::string, int> seen;
  for (const StageSnapshot& stage : stages) {
    std::string path = stage.parent < 0 ? "" : paths[static_cast<size_t>(stage.parent)];
    if (stage.parent >= 0 && stage.internal) {
      paths.push_back(std::move(path));
      continue;
    }
    if (stage.parent >= 0 && stage.input >= 0) path += concat("[", stage.input, "]");
    path += concat(path.empty() ? "" : "/", stage.operator_name);
    if (const int before = seen[path]++; before > 0) path += concat("#", before + 1);
    paths.push_back(std::move(path));
  }
  return paths;
}

IteratorStats difference(const IteratorStats& earlier, IteratorStats later) {
  // Stages keep their order, but new ones may have come between.
  const std::vector<std::string> before = paths_of(earlier.stages);
  const std::vector<std::string> after = paths_of(later.stages);
  const auto subtract = [](TimeSums& from, const TimeSums& less) {
    from.ns -= less.ns;
    from.compared_ns -= less.compared_ns;
    from.computing_ns -= less.computing_ns;
  };
  later.elapsed_ns -= earlier.elapsed_ns;
  later.waited_ns -= earlier.waited_ns;
  for (const ReadFamily& family : kReadFamilies) later.reads.*family.value -= earlier.reads.*family.value;
  for (size_t i = 0; i < later.stages.size(); ++i) {
    StageSnapshot& stage = later.stages[i];
    for (size_t j = 0; j < earlier.stages.size(); ++j) {
      const StageSnapshot& old = earlier.stages[j];
      if (before[j] != after[i] || old.internal != stage.internal ||
          std::string_view(old.operator_name) != stage.operator_name)
        continue;
      if (stage.bytes >= 0 && old.bytes >= 0) stage.bytes = std::max<int64_t>(0, stage.bytes - old.bytes);
      stage.elements -= old.elements;
      stage.failed -= old.failed;
      stage.openings -= old.openings;
      stage.waited_for_input_ns -= old.waited_for_input_ns;
      stage.waited_for_consumer_ns -= old.waited_for_consumer_ns;
      stage.calls -= old.calls;
      stage.copies -= old.copies;
      stage.copied_bytes -= old.copied_bytes;
      stage.waited_for_device_ns -= old.waited_for_device_ns;
      subtract(stage.busy, old.busy);
      subtract(stage.call_time, old.call_time);
      break;
    }
  }
  return later;
}

std::string stats_json(const IteratorStats& stats) {
  const std::vector<std::string> paths = paths_of(stats.stages);
  std::string out = concat(
      R"({"elapsed_ns": )", stats.elapsed_ns, R"(, "waited_ns": )", stats.waited_ns, R"(, "consumer_ns": )",
      consumer_ns(stats), R"(, "parallelism": )", stats.parallelism, R"(, "alone": )",
      stats.alone ? "true" : "false", R"(, "elements": )", elements_of(stats), R"(, "verdict": )",
      json_verdict(stats, paths), R"(, "tuned": )", json_string(tuned_text(stats, paths)), R"(, "reads": )",
      json_reads(stats.reads), R"(, "stages": [)");
  const char* separator = "";
  for (size_t i = 0; i < stats.stages.size(); ++i) {
    if (shown_stage(stats.stages, i) != i) continue;
    out += concat(separator, json_stage(stats, paths, i));
    separator = ", ";
  }
  return out + "]}";
}

std::string stats_table(const IteratorStats& stats) {
  std::vector<Row> rows{
      {"stage", "elements", "failed", "bytes", "busy", "cpu", "empty", "full", "window", "calls"}};
  std::vector<int> depths;
  for (size_t i = 0; i < stats.stages.size(); ++i) {
    const StageSnapshot& stage = stats.stages[i];
    const int above = stage.parent < 0 ? -1 : depths[static_cast<size_t>(stage.parent)];
    const bool shown = shown_stage(stats.stages, i) == i;
    depths.push_back(shown ? above + 1 : above);
    if (shown) rows.push_back(row_of(stats, i, above + 1));
  }
  const double elapsed = static_cast<double>(std::max<int64_t>(1, stats.elapsed_ns));
  const double rate = static_cast<double>(elements_of(stats)) * 1e9 / elapsed;
  return concat(table(rows), elements_of(stats), " elements in ", decimal(elapsed / 1e9, 3), " s, ",
                decimal(rate, rate < 100 ? 2 : 0), " per second; next waited ",
                percent(static_cast<double>(stats.waited_ns) / elapsed), ", the consumer took ",
                percent(static_cast<double>(consumer_ns(stats)) / elapsed),
                stats.alone ? "; no other thread makes elements, since that is faster\n" : "\n",
                reads_text(stats.reads), copies_text(stats), verdict_text(stats, verdict(stats)), "\n");
}

std::string stats_prometheus(const IteratorStats& stats, const std::string& iterator) {
  const std::vector<std::string> paths = paths_of(stats.stages);
  Exposition out(iterator);
  out.family("weir_elapsed_seconds", "gauge", "Time since the iterator began, until its end.");
  out.sample(seconds(stats.elapsed_ns));
  out.family("weir_next_waited_seconds_total", "counter", "How long consumers waited for elements.");
  out.sample(seconds(stats.waited_ns));
  for (const ReadFamily& family : kReadFamilies) {
    out.family(family.name, "counter", family.help);
    out.sample(concat(stats.reads.*family.value));
  }
  for (const Family& family : kFamilies) {
    out.family(family.name, family.type, family.help);
    for (size_t i = 0; i < stats.stages.size(); ++i) {
      if (shown_stage(stats.stages, i) != i) continue;
      const std::string value = family.value(stats, i);
      if (!value.empty()) out.sample(paths[i], value);
    }
  }
  return out.take();
}

}  // namespace weir
