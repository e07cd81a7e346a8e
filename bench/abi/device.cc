// Elements on a device, with the driver of tests/fake_cuda: what weir itself takes for handing one over.
#include <thread>

#include "fake_cuda/fake_cuda.h"
#include "opened.h"
#include "report.h"

namespace weir::bench {
namespace {

// An element that is ready: letting a stream wait for its copy, and releasing the one before. All copies have
// been begun by another thread, so that nothing else is measured.
void device_next_on(benchmark::State& state) {
  constexpr int kElements = 512;
  fake_cuda_schedule(FAKE_CUDA_NOW, 1);
  void* const stream = fake_cuda_stream(0, 0);
  const auto number = static_cast<int64_t>(reinterpret_cast<intptr_t>(stream));
  Rounds rounds;
  for (auto _ : state) {
    fake_cuda_forget();
    Opened it("range(32768) | batch(64) | to_device(\"cuda:0\", depth: 1024)");
    const auto next = [&] {
      if (weir_iterator_next_on(it.iterator, number, it.element, nullptr) != WEIR_OK)
        state.SkipWithError("no element");
    };
    next();
    while (fake_cuda_calls("cuMemcpyHtoDAsync") < kElements) std::this_thread::yield();
    const Stopwatch watch;
    for (int i = 1; i < kElements; ++i) next();
    rounds.add(watch.seconds(), kElements - 1);
  }
  rounds.report(state, 3000);
}
BENCHMARK(device_next_on);

}  // namespace
}  // namespace weir::bench
