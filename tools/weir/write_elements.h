// Elements as JSON lines, NumPy's arrays and tar archives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "progress.h"
#include "weir/weir.hpp"

namespace weir::command {

struct Elements {
  const Runtime& runtime;
  const Dataset rows;
  // What an element that is no dict is called.
  std::string_view name;
  Progress& progress;
};

// Each writes a new file and returns the number of elements. Throws an Error of the first element that the
// format has no place for, and then no file is there.

// One JSON object a line.
uint64_t write_objects(const Elements& elements, const std::string& to);
// An array of all elements, which are tensors of one shape: .npy, or .npz with one of each member.
uint64_t write_arrays(const Elements& elements, const std::string& to, bool single);
// A member of each value: strings as they are, numbers as text, others as .npy.
uint64_t write_archive(const Elements& elements, const std::string& to);

}  // namespace weir::command
