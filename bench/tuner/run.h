// Run: an iterator over a shape's text under one setting, read for some time, and what it used meanwhile.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/shapes.h"

namespace weir::bench {

using Setting = std::map<std::string, std::string>;

// Ends the program with the error.
void must(int32_t result, const weir_error& error);

constexpr double kBucket = 0.1;

// The most that was in use at any moment that was looked at, of twenty a second, and what is allowed.
struct Usage {
  int threads = 0;
  int calls = 0;
  int64_t bytes = 0;
  int most_threads = 0;
  int64_t most_bytes = 0;

  bool exceeds() const { return threads > most_threads || calls > most_threads + 1 || bytes > most_bytes; }
  void add(const Usage& other);
};

struct Reading {
  // How many elements came in each bucket of a tenth of a second; the last ones as well.
  std::vector<double> counts;
  Usage usage;
  // Processor time of the whole process for each element, from a quarter of a second on.
  double cpu_ns = 0;
  // What the iterator's tuners had found at the end, for options(tuned: …).
  std::string tuned;

  // Elements per second between two times.
  double rate(double from, double seconds) const;
};

struct Plan {
  double seconds = 1;
  // When the load changes; 0: it has changed all the time.
  double shift = 0;
  // Looks at what is used.
  bool watches = false;
  // Written after the shape's text.
  std::string end{};
};

Reading read(Shape& shape, const Setting& setting, const Plan& plan);

}  // namespace weir::bench
