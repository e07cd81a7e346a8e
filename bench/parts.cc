// What a partition costs beside the same pipeline without one, and what its positions cost.
#include <string>
#include <vector>

#include "abi/opened.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr int64_t kElements = 1 << 19;

double seconds_of(Opened& it, int64_t rows) {
  const CpuWatch watch;
  int64_t got = 0;
  for (int64_t taken = 0; taken < kElements; taken += got) {
    must(weir_iterator_next_block(it.iterator, rows, it.element, &got, &it.error), it.error);
    if (got == 0) break;
  }
  return watch.seconds();
}

// What an element costs more through 1,024 parts of a range.
void parts_range(benchmark::State& state, int64_t rows, double target_ns) {
  Opened plain("range(1000000000000)");
  Opened parts("range(1000000000000) | partition(1024, p -> p)");
  seconds_of(parts, rows);
  Rounds rounds;
  for (auto _ : state) {
    const double without = seconds_of(plain, rows);
    rounds.add(std::max(0.0, seconds_of(parts, rows) - without), kElements);
  }
  rounds.report(state, target_ns);
}
BENCHMARK_CAPTURE(parts_range, blocks, 1024, 15)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(20);
BENCHMARK_CAPTURE(parts_range, single, 1, 60)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(20);

int64_t drain(const std::string& text) {
  Drain drain(parse(text));
  return drain.run(32);
}

// Shuffled batches of records, by processor time.
void parts_records(benchmark::State& state) {
  const std::string file = "tfrecord(\"" + record_file(1000) + "\")";
  const std::string work = " | shuffle(1000, seed: 1) | batch(32)";
  drain(file + " | partition(64, p -> p" + work + ", by: \"index\")");
  alternate(
      state, [&] { drain(file + " | partition(64, p -> p" + work + ", by: \"index\")"); },
      [&] { drain(file + work); }, 0.9);
}
BENCHMARK(parts_records)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

std::string many_parts() {
  return "tfrecord(\"" + record_file(1000) +
         "\") | partition(1024, p -> p | shuffle(1000, seed: 1), by: \"index\")";
}

void parts_save(benchmark::State& state) {
  Opened it(many_parts().c_str());
  for (int i = 0; i < 20000; ++i) must(weir_iterator_next(it.iterator, it.element, &it.error), it.error);
  Rounds rounds;
  uint64_t size = 0;
  for (auto _ : state) {
    weir_bytes bytes = WEIR_BYTES_INIT;
    const Stopwatch watch;
    must(weir_iterator_save(it.iterator, &bytes, &it.error), it.error);
    rounds.add(watch.seconds(), 1);
    size = bytes.size;
    weir_bytes_release(&bytes);
    must(weir_iterator_next(it.iterator, it.element, &it.error), it.error);
  }
  rounds.report(state, 2e6);
  state.counters["bytes"] = static_cast<double>(size);
}
BENCHMARK(parts_save)->Unit(benchmark::kMicrosecond)->Iterations(50);

// From a position to its first element.
void parts_restore(benchmark::State& state) {
  Opened it(many_parts().c_str());
  for (int i = 0; i < 20000; ++i) must(weir_iterator_next(it.iterator, it.element, &it.error), it.error);
  weir_bytes bytes = WEIR_BYTES_INIT;
  must(weir_iterator_save(it.iterator, &bytes, &it.error), it.error);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.checkpoint = bytes.data;
  options.checkpoint_size = bytes.size;
  Rounds rounds;
  for (auto _ : state) {
    weir_iterator restored{};
    const Stopwatch watch;
    must(weir_iterator_create(it.runtime, it.dataset, &options, &restored, &it.error), it.error);
    must(weir_iterator_next(restored, it.element, &it.error), it.error);
    rounds.add(watch.seconds(), 1);
    weir_iterator_destroy(restored);
  }
  rounds.report(state, 300e6);
  weir_bytes_release(&bytes);
}
BENCHMARK(parts_restore)->Unit(benchmark::kMillisecond)->Iterations(20);

// The positions of all ranks after so many elements of each.
std::vector<weir_bytes> positions_of(const Opened& of, uint32_t ranks, int elements) {
  std::vector<weir_bytes> positions(ranks, weir_bytes(WEIR_BYTES_INIT));
  weir_error error = WEIR_ERROR_INIT;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
    options.rank = rank;
    options.world_size = ranks;
    weir_iterator iterator{};
    must(weir_iterator_create(of.runtime, of.dataset, &options, &iterator, &error), error);
    for (int i = 0; i < elements; ++i) must(weir_iterator_next(iterator, of.element, &error), error);
    must(weir_iterator_save(iterator, &positions[rank], &error), error);
    weir_iterator_destroy(iterator);
  }
  return positions;
}

// Four ranks, from these positions to the first element of each.
void restore_four(const Opened& of, const std::vector<weir_bytes>& positions) {
  std::vector<weir_string> all;
  all.reserve(positions.size());
  for (const weir_bytes& position : positions) all.push_back({position.data, position.size});
  weir_error error = WEIR_ERROR_INIT;
  for (uint32_t rank = 0; rank < 4; ++rank) {
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
    options.rank = rank;
    options.world_size = 4;
    if (all.size() == 4) {
      options.checkpoint = all[rank].data;
      options.checkpoint_size = all[rank].size;
    } else {
      options.rank_checkpoints = all.data();
      options.rank_checkpoint_count = all.size();
    }
    weir_iterator iterator{};
    must(weir_iterator_create(of.runtime, of.dataset, &options, &iterator, &error), error);
    must(weir_iterator_next(iterator, of.element, &error), error);
    weir_iterator_destroy(iterator);
  }
}

// From positions of eight ranks to four, beside four ranks that take up their own: at most 1.5 times as long.
void parts_resize(benchmark::State& state) {
  const Opened of(many_parts().c_str());
  std::vector<weir_bytes> eight = positions_of(of, 8, 2500);
  std::vector<weir_bytes> four = positions_of(of, 4, 5000);
  alternate(
      state, [&] { restore_four(of, eight); }, [&] { restore_four(of, four); }, 1 / 1.5);
  for (weir_bytes& position : eight) weir_bytes_release(&position);
  for (weir_bytes& position : four) weir_bytes_release(&position);
}
BENCHMARK(parts_resize)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(40);

}  // namespace
}  // namespace weir::bench
