// Expressions over numbers beside loops over the same memory, and how long a document takes to compile.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support.h"

namespace weir::bench {
namespace {

constexpr int kRows = 128;
constexpr int64_t kVector = 784;
// More bytes than the caches hold.
constexpr int64_t kVectors = int64_t{160} * kRows;
constexpr int64_t kEntries = kVectors * kVector;

Handed vectors() {
  static const Tensor tensor = [] {
    Tensor out = Tensor::allocate(DType::float32, Shape{kVectors, kVector});
    uint32_t state = 1;
    for (float& value : out.entries<float>()) {
      state = state * 1664525u + 1013904223u;
      value = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
    }
    return out;
  }();
  Handed handed;
  handed["x"] = HandedValue{Spec::tensor(DType::float32, tensor.shape), {tensor}};
  return handed;
}

// Runs `text` over all vectors beside a copy of each block to memory that stays. Returns the least seconds.
double beside_copy(benchmark::State& state, const std::string& text, double least) {
  const Handed handed = vectors();
  DocumentRef document = parse("from_tensor_slices(@x) | map(x -> " + text + ")", handed);
  constexpr size_t kBlockBytes = kRows * kVector * sizeof(float);
  std::vector<uint8_t> target(kBlockBytes);
  const uint8_t* source = std::get<HandedValue>(handed.at("x")).values[0].data;
  return alternate(
      state, [&] { Drain(document).run(kRows); },
      [&] {
        for (size_t at = 0; at < kEntries * sizeof(float); at += kBlockBytes) {
          std::memcpy(target.data(), source + at, kBlockBytes);
          benchmark::ClobberMemory();
        }
      },
      least);
}

// As many bytes as all vectors have, copied from memory to memory: what reading and writing them takes at
// least.
double memory_copy_seconds() {
  static std::vector<uint8_t> target(static_cast<size_t>(kEntries) * sizeof(float), 1);
  const Handed handed = vectors();
  const CpuWatch watch;
  std::memcpy(target.data(), std::get<HandedValue>(handed.at("x")).values[0].data, target.size());
  benchmark::ClobberMemory();
  return watch.seconds();
}

// Five cheap operations on every entry, which is read once and written once if the chain is one pass. `ratio`
// compares it with the memory's bandwidth, `of_cached_copy` with a copy of each block to a target that stays
// in the caches, where the results of a pipeline go, too.
void chain_of_five(benchmark::State& state, const std::string& text, double least) {
  const Handed handed = vectors();
  DocumentRef document = parse("from_tensor_slices(@x) | map(x -> " + text + ")", handed);
  constexpr size_t kBlockBytes = kRows * kVector * sizeof(float);
  std::vector<uint8_t> target(kBlockBytes);
  const uint8_t* source = std::get<HandedValue>(handed.at("x")).values[0].data;
  double ours = 1e9;
  double cached = 1e9;
  std::vector<double> ratios;
  memory_copy_seconds();
  for (auto _ : state) {
    const CpuWatch watch;
    Drain(document).run(kRows);
    const double seconds = watch.seconds();
    ours = std::min(ours, seconds);
    ratios.push_back(memory_copy_seconds() / seconds);
    const CpuWatch copying;
    for (size_t at = 0; at < kEntries * sizeof(float); at += kBlockBytes) {
      std::memcpy(target.data(), source + at, kBlockBytes);
      benchmark::ClobberMemory();
    }
    cached = std::min(cached, copying.seconds());
  }
  report_ratios(state, std::move(ratios), least);
  state.counters["GB/s"] = 2.0 * sizeof(float) * static_cast<double>(kEntries) / ours / 1e9;
  state.counters["of_cached_copy"] = cached / ours;
}

void element_chain(benchmark::State& state) {
  chain_of_five(state, "maximum(abs(x * 2.0 + 1.0) - 0.5, 0.0)", 0.7);
}
BENCHMARK(element_chain)->Unit(benchmark::kMillisecond)->Iterations(15);

// A chain with functions that tiles have no steps for runs in pieces.
void chain_functions(benchmark::State& state) {
  chain_of_five(state, "tanh(x * 0.5) * 0.5 + 0.5 - exp(x)", 0);
}
BENCHMARK(chain_functions)->Unit(benchmark::kMillisecond)->Iterations(15);

void entry_ns(benchmark::State& state, const std::string& text) {
  const double seconds = beside_copy(state, text, 0);
  report_ns(state, seconds * 1e9 / static_cast<double>(kEntries), 0.7);
}

void where_broadcast(benchmark::State& state) { entry_ns(state, "where(x > 0.0, x, 0.0)"); }
BENCHMARK(where_broadcast)->Unit(benchmark::kMillisecond)->Iterations(15);

void where_row(benchmark::State& state) {
  entry_ns(state, "where((reshape(x, [28, 28]) > 0.0), reshape(x, [28, 28]), x[0:28])");
}
BENCHMARK(where_row)->Unit(benchmark::kMillisecond)->Iterations(15);

void argmax_vector(benchmark::State& state) { entry_ns(state, "argmax(x)"); }
BENCHMARK(argmax_vector)->Unit(benchmark::kMillisecond)->Iterations(15);

void argmax_columns(benchmark::State& state) { entry_ns(state, "argmax(reshape(x, [28, 28]))"); }
BENCHMARK(argmax_columns)->Unit(benchmark::kMillisecond)->Iterations(15);

// Images of 784 bytes to floats from 0 to 1, beside a loop that does the same without a library.
void decode_raw_images(benchmark::State& state) {
  constexpr int64_t kImages = 20'000;
  constexpr double kRate = 2.0;
  std::string bytes(kImages * kVector, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  std::vector<std::string_view> views;
  for (size_t i = 0; i < kImages; ++i) views.push_back(std::string_view(bytes).substr(i * kVector, kVector));
  const Tensor images = Tensor::strings(views, Shape{kImages});
  Handed handed;
  handed["images"] = HandedValue{Spec::tensor(DType::string, images.shape), {images}};
  DocumentRef document =
      parse("from_tensor_slices(@images) | map(s -> cast(decode_raw(s, uint8), float32) / 255.0)", handed);
  std::vector<float> out(kRows * kVector);
  const double seconds = alternate(
      state, [&] { Drain(document).run(kRows); },
      [&] {
        size_t to = 0;
        for (const std::string_view view : views) {
          for (int64_t k = 0; k < kVector; ++k) {
            out[to + static_cast<size_t>(k)] =
                static_cast<float>(static_cast<uint8_t>(view[static_cast<size_t>(k)])) / 255.0f;
          }
          to = (to + kVector) % out.size();
        }
        benchmark::ClobberMemory();
      },
      0);
  report_rate(state, sizeof(float) * static_cast<double>(kImages * kVector) / seconds / 1e9, kRate, 1);
}
BENCHMARK(decode_raw_images)->Unit(benchmark::kMillisecond)->Iterations(15);

// A source and 49 maps of twelve nodes each: parsing, types, shapes and instructions.
void compile_document(benchmark::State& state) {
  constexpr int kOperators = 50;
  std::string text = "range(1000)";
  for (int i = 1; i < kOperators; ++i) {
    const std::string number = std::to_string(i);
    text.append(" | map(x -> (x * ")
        .append(number)
        .append(" + abs(x - 3)) // 2 - ")
        .append(number)
        .append(")");
  }
  double best = 1e9;
  for (auto _ : state) {
    const CpuWatch watch;
    DocumentRef document = parse(text);
    benchmark::DoNotOptimize(document->root());
    best = std::min(best, watch.seconds());
  }
  report_ns(state, best * 1e9, 5e6);
}
BENCHMARK(compile_document)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::bench
