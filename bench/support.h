// What the benchmarks share: a runtime, drained pipelines, and the machine's own limits measured in the same
// run.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

#include "dataset/stage.h"
#include "graph/document.h"
#include "iterator/iterator.h"
#include "weir/weir.h"

namespace weir::bench {

Runtime& runtime();

DocumentRef parse(const std::string& text, const Handed& handed = {});

// A root Stage driven from here, for what must be consumed inside the library.
class Drain {
 public:
  explicit Drain(DocumentRef document);
  // Rows of the next block of at most `rows`; 0 at the end.
  int next(int rows);
  // Until the end or at least `limit` rows; yields how many.
  int64_t run(int rows, int64_t limit = INT64_MAX);
  const Block& block() const { return block_; }

 private:
  DocumentRef document_;
  RefPtr<Session> session_;
  EpochScope epochs_;
  std::unique_ptr<Stage> stage_;
  Block block_;
  PullResult got_ = PullResult::rows;
  int rows_ = 1;
};

// Bytes a second that memcpy moves into buffers that are used again, with rows of that size.
double memcpy_rate(size_t row_bytes);

// Nanoseconds per turn of a loop of dependent multiplications, by which absolute figures are scaled: a
// machine on which it takes kCalibratedNs runs the figures of the table as they stand.
double calibration_ns();
inline constexpr double kCalibratedNs = 1.0;

// Wall-clock time since it was made, for counters that must not depend on how a benchmark is timed.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Sets the counters of one row of the table: ns an element, what it may be at most on this machine, and the
// ratio of the two: met if 1 or below.
void report_ns(benchmark::State& state, int64_t elements, const Stopwatch& watch, double target_ns);
// The same for a rate beside a reference of the same run: the ratio is ours/reference, to be at least
// `least`.
void report_rate(benchmark::State& state, double ours, double reference, double least);

// A folder for files that benchmarks read; removed at exit.
const std::string& folder();
// A file there of records of one size, 192 MiB in all, written once a run.
std::string record_file(size_t record_bytes);

}  // namespace weir::bench
