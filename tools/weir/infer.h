// What the objects of JSON lines and the elements of tar archives have, as fields of the notation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "structure.h"
#include "weir/weir.hpp"

namespace weir::command {

// All whole numbers up to here are float64.
inline constexpr int64_t kExactWhole = int64_t{1} << 53;

// How many parts an element may have: tensors, dicts, tuples and optionals.
inline constexpr size_t kMostParts = 4096;

// Whether a float64, `number`, has the decimal number of the text: as an infinity or 0 it must be written,
// and from 2^53 on all its digits are there.
bool is_held(std::string_view text, double number);

// Looks at objects line by line; lines that are none are passed over.
class FieldsOfObjects {
 public:
  FieldsOfObjects();
  ~FieldsOfObjects();
  void add(std::string_view line);
  // The narrowest types that fit all values. A field that some object lacks is optional; one whose values are
  // of several kinds, of numbers that no dtype has all of, or of a list without one type, is json.
  std::string text() const;
  SourcePaths source_paths() const;

  struct Type;

 private:
  std::unique_ptr<Type> root_;
};

// A string for each extension that an element has, optional where some element lacks it; empty if there are
// more than an element has parts. Damage ends it; an archive that was cut has `rest` bytes after its last
// whole block.
std::string fields_of_archive(const Runtime& runtime, const std::string& file, uint64_t rest);

}  // namespace weir::command
