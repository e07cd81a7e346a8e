// tf.Examples beside protobuf's own parser with an arena, packed values beside their bytes, and two threads
// beside two processes.
#include <google/protobuf/arena.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "example.pb.h"
#include "format/example.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr int64_t kBatch = 1024;

// Serialized examples as a tensor of strings.
template <class Fill>
Tensor examples(int64_t count, Fill fill) {
  std::vector<std::string> made;
  for (int64_t i = 0; i < count; ++i) {
    ExampleBuilder builder;
    fill(builder, i);
    if (!builder.serialize(made.emplace_back()).ok()) std::exit(1);
  }
  const std::vector<std::string_view> views(made.begin(), made.end());
  return Tensor::strings(views, Shape{count});
}

// Integers, floats and strings of eight bytes in turns, as tables have them.
Tensor scalar_examples(int features) {
  return examples(4 * kBatch, [&](ExampleBuilder& builder, int64_t seed) {
    for (int i = 0; i < features; ++i) {
      const std::string name = "feature_" + std::to_string(i);
      const int64_t integer = seed * 1000 + i;
      const auto real = static_cast<float>(integer);
      const std::string text = std::to_string(10'000'000 + integer % 10'000'000);
      const Str bytes(text);
      if (i % 3 == 0) builder.set_int64(name, std::span<const int64_t>(&integer, 1));
      if (i % 3 == 1) builder.set_float(name, std::span<const float>(&real, 1));
      if (i % 3 == 2) builder.set_bytes(name, std::span<const Str>(&bytes, 1));
    }
  });
}

std::string scalar_features(int features) {
  constexpr const char* kKinds[] = {": int64", ": float32", ": string"};
  std::string out;
  for (int i = 0; i < features; ++i)
    out += (i ? ", feature_" : "feature_") + std::to_string(i) + kKinds[i % 3];
  return out;
}

DocumentRef parsing(const Tensor& records, const std::string& features, int repeats,
                    const std::string& more = "") {
  Handed handed;
  handed["records"] = HandedValue{Spec::tensor(DType::string, records.shape), {records}};
  return parse("from_tensor_slices(@records) | repeat(" + std::to_string(repeats) +
                   ") | batch(1024) | map(r -> parse_example(r, {" + features + "})" + more + ")",
               handed);
}

void parse_by_protobuf(const Tensor& records) {
  // The first block stays, so that no example allocates.
  std::vector<char> block(256 << 10);
  google::protobuf::ArenaOptions options;
  options.initial_block = block.data();
  options.initial_block_size = block.size();
  google::protobuf::Arena arena(options);
  int64_t found = 0;
  for (const Str& record : records.entries<const Str>()) {
    auto* example = google::protobuf::Arena::CreateMessage<weir_test::Example>(&arena);
    found += example->ParseFromArray(record.data, static_cast<int>(record.size)) ? 1 : 0;
    found += static_cast<int64_t>(example->features().feature().size());
    arena.Reset();
  }
  benchmark::DoNotOptimize(found);
}

void scalars(benchmark::State& state, int features, double target_ns) {
  const Tensor records = scalar_examples(features);
  DocumentRef document = parsing(records, scalar_features(features), 1);
  const double seconds = alternate(
      state, [&] { Drain(document).run(1); }, [&] { parse_by_protobuf(records); }, 5);
  report_ns(state, seconds * 1e9 / static_cast<double>(records.count()), target_ns);
}
BENCHMARK_CAPTURE(scalars, 40, 40, 1000)
    ->Name("parse_example_40")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(15);
BENCHMARK_CAPTURE(scalars, 200, 200, 6000)
    ->Name("parse_example_200")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(9);

constexpr int64_t kPacked = 1000;

// A thousand integers of up to three bytes in each example.
void packed_integers(benchmark::State& state) {
  uint64_t random = 1;
  const Tensor records = examples(2 * kBatch, [&](ExampleBuilder& builder, int64_t) {
    std::vector<int64_t> values(kPacked);
    for (int64_t& value : values) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      value = static_cast<int64_t>(random >> 44);
    }
    builder.set_int64("v", values);
  });
  DocumentRef document = parsing(records, "v: int64[1000]", 1);
  const double seconds = alternate(
      state, [&] { Drain(document).run(1); }, [&] { parse_by_protobuf(records); }, 1);
  report_ns(state, seconds * 1e9 / static_cast<double>(records.count() * kPacked), 3);
}
BENCHMARK(packed_integers)->Name("parse_packed_int64")->Unit(benchmark::kMillisecond)->Iterations(15);

// A thousand floats in each example, beside a copy of the records.
void packed_floats(benchmark::State& state) {
  constexpr double kRate = 12;
  const Tensor records = examples(kBatch, [&](ExampleBuilder& builder, int64_t seed) {
    builder.set_float("v", std::vector<float>(kPacked, static_cast<float>(seed)));
  });
  constexpr int kRepeats = 8;
  DocumentRef document = parsing(records, "v: float32[1000]", kRepeats);
  std::vector<char> out(static_cast<size_t>(kBatch * kPacked) * sizeof(float) + 4096);
  const double seconds = alternate(
      state, [&] { Drain(document).run(1); },
      [&] {
        for (int i = 0; i < kRepeats; ++i) {
          char* to = out.data();
          for (const Str& record : records.entries<const Str>()) {
            std::memcpy(to, record.data, kPacked * sizeof(float));
            to += kPacked * sizeof(float);
          }
          benchmark::ClobberMemory();
        }
      },
      0);
  report_rate(state, kRepeats * static_cast<double>(kBatch * kPacked) * sizeof(float) / seconds / 1e9, kRate,
              1);
}
BENCHMARK(packed_floats)->Name("parse_packed_float")->Unit(benchmark::kMillisecond)->Iterations(15);

struct Speed {
  // Examples per second of elapsed time, and of processor time.
  double elapsed = 0;
  double processor = 0;
};

// So many that it doesn't matter that the last call of two runs alone, or that two processes don't begin as
// one.
constexpr int kBatches = 300;

Speed parsing_speed(int threads) {
  static const Tensor records = scalar_examples(40);
  DocumentRef document =
      parsing(records, scalar_features(40), kBatches, ", num_parallel_calls: " + std::to_string(threads));
  Drain drain(document);
  drain.run(1, 4);
  const Stopwatch watch;
  const CpuWatch processor;
  const auto count = static_cast<double>(drain.run(1) * kBatch);
  return {.elapsed = count / watch.seconds(), .processor = count / processor.seconds()};
}

// What a process of its own does; parse_example_threads starts two of it.
void parse_example_process(benchmark::State& state) {
  for (auto _ : state) state.counters["per_second"] = parsing_speed(1).elapsed;
}
BENCHMARK(parse_example_process)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

std::FILE* start_process() {
  char program[4096];
  const ssize_t size = readlink("/proc/self/exe", program, sizeof program);
  if (size <= 0) return nullptr;
  const std::string command = "'" + std::string(program, static_cast<size_t>(size)) +
                              "' --benchmark_filter='^parse_example_process' --benchmark_format=json 2>&1";
  return popen(command.c_str(), "r");
}

double rate_of(std::FILE* process) {
  std::string out;
  char bytes[4096];
  while (process != nullptr && std::fgets(bytes, sizeof bytes, process) != nullptr) out += bytes;
  if (process != nullptr) pclose(process);
  const std::string key = "\"per_second\": ";
  const size_t at = out.find(key);
  return at == std::string::npos ? 0 : std::strtod(out.c_str() + at + key.size(), nullptr);
}

// Two threads of one pipeline over two processes with a thread each.
void parse_example_threads(benchmark::State& state) {
  std::vector<double> ratios;
  double best = 0;
  double shared = 0;
  double alone = 0;
  for (auto _ : state) {
    const Speed threads = parsing_speed(2);
    shared = std::max(shared, threads.processor);
    alone = std::max(alone, parsing_speed(1).processor);
    std::FILE* const first = start_process();
    std::FILE* const second = start_process();
    const double processes = rate_of(first) + rate_of(second);
    ratios.push_back(threads.elapsed / processes);
    best = std::max(best, threads.elapsed);
  }
  report_ratios(state, ratios, 0.92);
  state.counters["per_second"] = best;
  // What threads cost each other in processor time, which other processes do not disturb.
  state.counters["processor_ratio"] = shared / alone;
}
BENCHMARK(parse_example_threads)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(9);

}  // namespace
}  // namespace weir::bench
