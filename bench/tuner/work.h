// Work: a function that computes and waits for given times, as a callback for pipelines that are measured.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "weir/weir.h"

namespace weir::bench {

// Keeps a core busy as long as `us` microseconds take on an idle one.
void compute(double us);
void wait(double us);
// How many functions run now.
int calls_running();
// Log-normal with median 1 and sigma 1; the same for the same row.
double log_normal(int64_t row);

// What may change in mid-run: 0 at first.
inline std::atomic<int> phase{0};

struct Work {
  std::string name;
  // `row` is the element, an integer, which is the result as well.
  std::function<void(int64_t row)> body;
  // Says so to weir.
  bool says_blocking = false;

  weir_callback callback();
};

}  // namespace weir::bench
