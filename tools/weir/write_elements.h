// Elements as JSON lines, NumPy's arrays, tar archives, Parquet and Arrow files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "progress.h"
#include "structure.h"
#include "weir/weir.hpp"

namespace weir::command {

struct Elements {
  const Runtime& runtime;
  const Dataset rows;
  // What an element that is no dict is called.
  std::string_view name;
  Progress& progress;
  const SourcePaths& source;
};

// Each writes a new file and returns the number of elements. Throws an Error of the first element that the
// format has no place for, and then no file is there.

// One JSON object a line.
uint64_t write_objects(const Elements& elements, const std::string& to);
// An array of all elements, which are tensors of one shape: .npy, or .npz with one of each member.
uint64_t write_arrays(const Elements& elements, const std::string& to, bool single);
// A member of each value: strings as they are, numbers as text, others as .npy.
uint64_t write_archive(const Elements& elements, const std::string& to);
// A column of each member of the elements: Parquet, or Arrow's file or stream, as the name says. Strings are
// text where all of a column are UTF-8, else bytes.
uint64_t write_columns(const Elements& elements, const std::string& to);

}  // namespace weir::command
