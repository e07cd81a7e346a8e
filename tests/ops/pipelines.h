// The vocabulary of operator tests: a pipeline as text, its elements as text, errors as "error: CODE". Each
// call makes its own runtime; mistakes in the text fail the test.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/document.h"
#include "support/narrow.h"
#include "support/pipeline.h"
#include "support/probe.h"

namespace weir::test {

using Lines = std::vector<std::string>;

inline const std::string kConformanceData = std::string(WEIR_SOURCE_DIR) + "/tests/conformance/data/";

// All elements, read `rows` at a time. `probe` and `narrow` (support/) are available.
inline Lines run(const std::string& text, int rows = 3) {
  register_probe();
  register_narrow();
  ThreadsRuntime runtime;
  return all_lines(*runtime, text, rows);
}

// What follows after `count` elements, saved there and restored into another iterator.
inline Lines run_restored(const std::string& text, int64_t count) {
  register_probe();
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, text);
  take_lines(*iterator, count);
  std::string saved = require_value(iterator->save());
  auto restored = open_text(*runtime, text, &saved);
  return all_lines(*restored);
}

// The rows of each block, errors included, when blocks of 64 rows and at most `bytes` bytes are wanted.
inline std::vector<int> block_rows(const std::string& text, int64_t bytes) {
  register_probe();
  register_narrow();
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, text + " | narrow(bytes: " + std::to_string(bytes) + ")");
  std::vector<int> out;
  Block block;
  while (require_value(iterator->next(64, block)) == PullResult::rows) out.push_back(block.rows);
  return out;
}

// How many rows of the probe were made for the first `count` elements, read one at a time.
inline int64_t demand(const std::string& text, int64_t count) {
  register_probe();
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, text);
  probe_counters().pulled = 0;
  take_lines(*iterator, count);
  return probe_counters().pulled;
}

inline int64_t cardinality(const std::string& text) {
  register_probe();
  ThreadsRuntime runtime;
  return parse_text(*runtime, text)->cardinality();
}

inline std::string spec(const std::string& text) {
  ThreadsRuntime runtime;
  return parse_text(*runtime, text)->spec().to_string();
}

// Why the pipeline cannot be built; empty if it can.
inline std::string build_error(const std::string& text) {
  ThreadsRuntime runtime;
  try {
    parse_text(*runtime, text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace weir::test
