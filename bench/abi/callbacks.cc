// Functions of the host in a pipeline: what a call costs by element and by block, with its views of input and
// output.
#include "opened.h"
#include "report.h"

namespace weir::bench {
namespace {

// x + 1 for each row.
int32_t add_one(void*, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = nullptr;
  if (weir_call_input(call, 0, &in, nullptr) != WEIR_OK) return -1;
  if (weir_call_output(call, 0, in.rank, in.dims, &out, nullptr) != WEIR_OK) return -1;
  const int64_t rows = in.rank == 0 ? 1 : in.dims[0];
  for (int64_t row = 0; row < rows; ++row)
    static_cast<int64_t*>(out)[row] = static_cast<const int64_t*>(in.data)[row] + 1;
  return WEIR_OK;
}

void call(benchmark::State& state, uint32_t flags, double target_ns) {
  constexpr int64_t kRows = 1000;
  weir_callback callback = WEIR_CALLBACK_INIT;
  callback.function = add_one;
  callback.flags = flags | WEIR_CALLBACK_PURE;
  callback.result_spec = "int64";
  callback.result_spec_size = WEIR_STRLEN;
  const weir_argument argument = WEIR_ARGUMENT_CALLBACK("f", &callback);
  Opened it("range(9223372036854775807) | map(@f) | batch(1000)", &argument);
  Rounds rounds;
  for (auto _ : state) {
    const Stopwatch watch;
    if (weir_iterator_next(it.iterator, it.element, nullptr) != WEIR_OK) state.SkipWithError("no element");
    rounds.add(watch.seconds(), kRows);
  }
  rounds.report(state, target_ns);
}

void callback_by_element(benchmark::State& state) { call(state, 0, 60); }
BENCHMARK(callback_by_element);

void callback_by_block(benchmark::State& state) { call(state, WEIR_CALLBACK_BLOCK, 5); }
BENCHMARK(callback_by_block);

}  // namespace
}  // namespace weir::bench
