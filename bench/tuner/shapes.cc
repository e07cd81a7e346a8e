#include "tuner/shapes.h"

#include <sys/stat.h>

#include <atomic>
#include <utility>

#include "tuner/run.h"

namespace weir::bench {

namespace {

// Writes the strings that a pipeline gives as the records of a file, unless it is there.
void write_records(const std::string& file, const std::string& text) {
  struct stat found {};
  if (::stat(file.c_str(), &found) == 0) return;
  weir_error error = WEIR_ERROR_INIT;
  weir_runtime runtime{};
  weir_dataset dataset{};
  weir_iterator iterator{};
  weir_element element{};
  weir_record_writer writer{};
  must(weir_runtime_create(nullptr, &runtime, &error), error);
  must(weir_dataset_parse(runtime, text.c_str(), text.size(), nullptr, 0, &dataset, &error), error);
  must(weir_iterator_create(runtime, dataset, nullptr, &iterator, &error), error);
  must(weir_element_create(&element, &error), error);
  weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
  if (file.size() > 3 && file.substr(file.size() - 3) == ".gz") options.compression = WEIR_COMPRESSION_GZIP;
  must(weir_record_writer_create(runtime, file.c_str(), file.size(), &options, &writer, &error), error);
  int32_t got = WEIR_OK;
  while ((got = weir_iterator_next(iterator, element, &error)) == WEIR_OK) {
    weir_view view = WEIR_VIEW_INIT;
    must(weir_element_view(element, 0, &view, &error), error);
    const auto* record = static_cast<const weir_string*>(view.data);
    must(weir_record_writer_write(writer, record->data, record->size, &error), error);
  }
  must(got, error);
  must(weir_record_writer_close(writer, &error), error);
  weir_record_writer_destroy(writer);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
}

const std::vector<std::string> kComputing = {"1", "2", "3", "4", "8"};
const std::vector<std::string> kWaiting = {"1", "2", "4", "8", "16", "24", "32", "48"};
const std::vector<std::string> kSlots = {"1", "2", "4", "8", "10"};
const std::vector<std::string> kRows = {"1", "2", "8", "64"};
const std::vector<std::string> kFew = {"1", "2", "4", "16", "32"};

constexpr const char* kMap = "range(4611686018427387904) | map(@f, num_parallel_calls: $A)";

Work waits(std::string name, double us) {
  return {std::move(name), [us](int64_t) { wait(us); }, true};
}
Work computes(std::string name, double us) {
  return {std::move(name), [us](int64_t) { compute(us); }, false};
}

void add_functions(std::vector<Shape>& out) {
  const std::vector<Knob> computing = {{"A", kComputing}};
  const std::vector<Knob> waiting = {{"A", kWaiting}};
  out.push_back({"compute 200 us", "computing", kMap, computing, {computes("f", 200)}, {}, false});
  out.push_back({"compute 12 us", "computing", kMap, computing, {computes("f", 12)}, {}, false});
  out.push_back({"compute 1 ms, prefetched",
                 "computing",
                 std::string(kMap) + " | prefetch($B)",
                 {{"A", kComputing}, {"B", kRows}},
                 {computes("f", 1000)},
                 {},
                 false});
  out.push_back(
      {"two maps that compute",
       "computing",
       "range(4611686018427387904) | map(@f, num_parallel_calls: $A) | map(@g, num_parallel_calls: $B)",
       {{"A", {"1", "2", "4"}}, {"B", {"1", "2", "4"}}},
       {computes("f", 50), computes("g", 150)},
       {},
       false});
  out.push_back({"sleep 5 ms", "sleeping", kMap, waiting, {waits("f", 5000)}, {}, false});
  out.push_back({"sleep 1 ms", "sleeping", kMap, waiting, {waits("f", 1000)}, {}, false});
  Work unsaid = waits("f", 2000);
  unsaid.says_blocking = false;
  out.push_back({"sleep 2 ms, not said", "sleeping", kMap, waiting, {unsaid}, {}, false});
  out.push_back(
      {"sleep, then compute",
       "mixed",
       "range(4611686018427387904) | map(@f, num_parallel_calls: $A) | map(@g, num_parallel_calls: $B)",
       {{"A", kFew}, {"B", {"1", "2", "4"}}},
       {waits("f", 2000), computes("g", 200)},
       {},
       false});
  out.push_back({"sleep and compute in one",
                 "mixed",
                 kMap,
                 waiting,
                 {{"f",
                   [](int64_t) {
                     wait(1000);
                     compute(100);
                   },
                   true}},
                 {},
                 false});
  out.push_back({"log-normal sleeps, in order",
                 "skewed",
                 kMap,
                 waiting,
                 {{"f", [](int64_t row) { wait(1000 * log_normal(row)); }, true}},
                 {},
                 false});
  out.push_back({"log-normal computing",
                 "skewed",
                 kMap,
                 computing,
                 {{"f", [](int64_t row) { compute(200 * log_normal(row)); }, false}},
                 {},
                 false});
  out.push_back({"one of 16 sleeps 20 ms",
                 "skewed",
                 kMap,
                 waiting,
                 {{"f", [](int64_t row) { wait(row % 16 == 0 ? 20000 : 1000); }, true}},
                 {},
                 false});
}

constexpr const char* kRemote =
    "range(4611686018427387904) | interleave(x -> range($ROWS) | map(@f), cycle_length: 10, num_parallel_calls: $A)";

std::string remote(const std::string& rows) {
  std::string text = kRemote;
  return text.replace(text.find("$ROWS"), 5, rows);
}

void add_nested(std::vector<Shape>& out) {
  const auto file = [](int64_t row) { wait(row == 0 ? 100000 : 2000); };
  out.push_back({"flat_map of parallel maps",
                 "nested",
                 "range(4611686018427387904) | flat_map(x -> range(256) | map(@f, num_parallel_calls: $A))",
                 {{"A", kWaiting}},
                 {waits("f", 1000)},
                 {},
                 false});
  out.push_back(
      {"remote files of 100", "nested", remote("100"), {{"A", kSlots}}, {{"f", file, true}}, {}, false});
  out.push_back(
      {"remote files of 10", "nested", remote("10"), {{"A", kSlots}}, {{"f", file, true}}, {}, false});
  out.push_back({"files that wait, not said",
                 "nested",
                 remote("100"),
                 {{"A", kSlots}},
                 {{"f", file, false}},
                 {},
                 false});
  out.push_back({"flat_map of small parallel maps",
                 "nested",
                 "range(4611686018427387904) | flat_map(x -> range(64) | map(@f, num_parallel_calls: $A))",
                 {{"A", kWaiting}},
                 {waits("f", 1000)},
                 {},
                 false});
}

const Knob kA = {"A", {"1", "2", "4"}};
const Knob kB = {"B", {"0", "1", "8", "64"}};

// Where little is computed for each element: often nothing that runs ahead pays.
void add_cheap(std::vector<Shape>& out) {
  const auto add = [&](std::string name, std::string text, std::vector<Knob> knobs, int64_t bytes = 4096) {
    out.push_back({std::move(name), "cheap", std::move(text), std::move(knobs), {}, {}, false, bytes});
  };
  const std::string range = "range(4611686018427387904)";
  const std::string cheap = range + " | map(x -> x * 3 + 1, num_parallel_calls: $A)";
  add("cheap map, shuffled", cheap + " | shuffle(1000, seed: 1) | batch(64)", {kA});
  add("cheap map, prefetched", cheap + " | batch(64) | prefetch($B)", {kA, kB});
  add("batch before a map", range + " | batch(64) | map(x -> x * 3 + 1, num_parallel_calls: $A)", {kA});
  add("interleave of ranges",
      range +
          " | interleave(x -> range(100) | map(y -> x + y), cycle_length: 10, num_parallel_calls: $A) | batch(64)",
      {kA});
  add("64 KiB an element",
      range + " | map(x -> zeros([16384]) + float32(x), num_parallel_calls: $A) | prefetch($B)", {kA, kB},
      int64_t{64} << 10);
  add("padded batches",
      range + " | map(x -> full([x % 64 + 1], x), num_parallel_calls: $A) | padded_batch(32) | prefetch($B)",
      {kA, kB}, int64_t{32} * 64 * 8);
  add("resize small images",
      "from_tensors(cast(full([64, 64, 3], 7), uint8)) | repeat() | map(x -> resize(x, [224, 224]), num_parallel_calls: $A)",
      {kA}, int64_t{224} * 224 * 3 * 4);
  add("resize, batch small images",
      "from_tensors(cast(full([64, 64, 3], 7), uint8)) | repeat() | map(x -> resize(x, [224, 224]), num_parallel_calls: $A) | batch(16) | prefetch($B)",
      {kA, kB}, int64_t{16} * 224 * 224 * 3 * 4);
}

// Where the consumer does something, too, or only now and then.
void add_consumers(std::vector<Shape>& out) {
  const std::string prefetched = std::string(kMap) + " | prefetch($B)";
  const auto add = [&](std::string name, std::string text, std::vector<Knob> knobs, std::vector<Work> works,
                       std::function<void()> consumer) {
    out.push_back({std::move(name), "consumer", std::move(text), std::move(knobs), std::move(works),
                   std::move(consumer), false});
  };
  const auto burst = [] {
    static std::atomic<int> taken{0};
    if (++taken % 64 == 0) wait(20'000);
  };
  add("bursts, computing", prefetched, {kA, kB}, {computes("f", 200)}, burst);
  add("bursts, sleeping", prefetched, {{"A", kFew}, {"B", {"1", "8", "64"}}}, {waits("f", 2000)}, burst);
  add("both compute 100 us", prefetched, {kA, kB}, {computes("f", 100)}, [] { compute(100); });
  add("both compute 5 us", prefetched, {kA, kB}, {computes("f", 5)}, [] { compute(5); });
  add("a long step per batch", std::string(kMap) + " | batch(16) | prefetch($B)", {kA, kB},
      {computes("f", 100)}, [] { wait(2000); });
  add("filter before a costly map",
      "range(4611686018427387904) | filter(x -> x % 3 == 0) | map(@f, num_parallel_calls: $A)",
      {{"A", kComputing}}, {computes("f", 200)}, {});
  add("shuffle before waiting",
      "range(4611686018427387904) | shuffle(100, seed: 1) | map(@f, num_parallel_calls: $A) | batch(8)",
      {{"A", kWaiting}}, {waits("f", 3000)}, {});
}

void add_data(std::vector<Shape>& out, const std::string& folder) {
  for (int i = 0; i < 8 && !folder.empty(); ++i) {
    const std::string number = std::to_string(i);
    write_records(folder + "/records-" + number,
                  "range(20000) | map(x -> example({label: [x], values: zeros([64]) + float32(x)}))");
    write_records(folder + "/packed-" + number + ".gz",
                  "range(20000) | map(x -> example({label: [x], values: zeros([64]) + float32(x)}))");
  }
  if (!folder.empty()) {
    write_records(
        folder + "/images",
        "range(100) | map(x -> encode_jpeg(cast(random_uniform([188, 250, 3], max: 255.0), uint8)))");
  }
  const std::string parse = "parse_example(r, {label: int64, values: float32[64]})";
  out.push_back(
      {"parse small records",
       "reading",
       "tfrecord(\"" + folder +
           "/records-0\") | repeat() | map(r -> parse_example(r, {label: int64}), num_parallel_calls: $A) | batch(64)",
       {kA},
       {},
       {},
       false});
  out.push_back(
      {"memory: 1 MiB an element",
       "memory-heavy",
       "range(4611686018427387904) | map(x -> zeros([262144]) + float32(x), num_parallel_calls: $A) | prefetch($B)",
       {{"A", {"1", "2", "4"}}, {"B", {"1", "2", "8"}}},
       {},
       {},
       false,
       int64_t{1} << 20,
       int64_t{128} << 20});
  out.push_back(
      {"read and parse records",
       "reading",
       "list_files(\"" + folder +
           "/records-*\", shuffle: false) | repeat() | interleave(f -> tfrecord(f), cycle_length: 8, block_length: 16, num_parallel_calls: $A) | batch(128) | map(r -> " +
           parse + ", num_parallel_calls: $B) | prefetch($C)",
       {{"A", {"1", "2", "4", "8"}}, {"B", {"1", "2", "4"}}, {"C", {"1", "4"}}},
       {},
       {},
       false,
       int64_t{1} << 16});
  out.push_back(
      {"read packed records",
       "reading",
       "list_files(\"" + folder +
           "/packed-*\", shuffle: false) | repeat() | interleave(f -> tfrecord(f, compression: \"gzip\"), cycle_length: 8, block_length: 16, num_parallel_calls: $A) | batch(128) | map(r -> " +
           parse + ", num_parallel_calls: $B)",
       {{"A", {"1", "2", "4", "8"}}, {"B", {"1", "2", "4"}}},
       {},
       {},
       false,
       int64_t{1} << 16});
  out.push_back(
      {"decode images",
       "decoding",
       "tfrecord(\"" + folder +
           "/images\") | cache() | repeat() | map(r -> cast(resize(decode_jpeg(r, channels: 3), [112, 112]), float32) / 255.0, num_parallel_calls: $A) | batch(16) | prefetch($B)",
       {{"A", {"1", "2", "3", "4"}}, {"B", {"1", "2", "8"}}},
       {},
       {},
       false,
       int64_t{16} * 112 * 112 * 3 * 4});
}

void add_shifts(std::vector<Shape>& out) {
  out.push_back({"sleep 1 ms, then 8 ms",
                 "shift",
                 kMap,
                 {{"A", kWaiting}},
                 {{"f", [](int64_t) { wait(phase == 0 ? 1000 : 8000); }, true}},
                 {},
                 true});
  out.push_back({"compute 100 us, then sleep 4 ms",
                 "shift",
                 kMap,
                 {{"A", kWaiting}},
                 {{"f", [](int64_t) { phase == 0 ? compute(100) : wait(4000); }, false}},
                 {},
                 true});
  out.push_back({"the consumer becomes fast",
                 "shift",
                 kMap,
                 {{"A", kWaiting}},
                 {waits("f", 4000)},
                 [] {
                   if (phase == 0) wait(5000);
                 },
                 true});
  out.push_back({"remote files become slow",
                 "shift",
                 remote("100"),
                 {{"A", kSlots}},
                 {{"f", [](int64_t row) { wait(row == 0     ? 50000
                                               : phase == 0 ? 1000
                                                            : 10000); }, true}},
                 {},
                 true});
}

}  // namespace

std::vector<Shape> shapes(const std::string& folder) {
  std::vector<Shape> out;
  add_functions(out);
  add_nested(out);
  add_cheap(out);
  add_consumers(out);
  add_data(out, folder);
  out.push_back({"a slow consumer",
                 "mixed",
                 std::string(kMap) + " | prefetch($B)",
                 {{"A", kFew}, {"B", {"1", "4", "16"}}},
                 {waits("f", 2000)},
                 [] { compute(300); },
                 false});
  add_shifts(out);
  return out;
}

}  // namespace weir::bench
