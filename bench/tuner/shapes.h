// The pipelines whose tuning is scored.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tuner/work.h"

namespace weir::bench {

// A parameter of the text, written as $NAME, and the settings that are tried by hand.
struct Knob {
  std::string name;
  std::vector<std::string> settings;
};

struct Shape {
  std::string name;
  // What it is, for the table.
  std::string kind;
  std::string text;
  std::vector<Knob> knobs;
  std::vector<Work> works;
  // What the consumer does for each element; may be empty.
  std::function<void()> consumer;
  // The load changes in mid-run.
  bool shifts = false;
  // What an element takes at most.
  int64_t element_bytes = 4096;
  // weir_runtime_options::memory_bytes.
  int64_t memory_bytes = 0;
};

// `folder` is for the files that some of them read; those that exist are used again. Without one there are
// none.
std::vector<Shape> shapes(const std::string& folder);

}  // namespace weir::bench
