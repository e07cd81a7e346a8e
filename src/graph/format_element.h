// Elements as text, one line each, as the notation prints them.
#pragma once

#include <string>
#include <vector>

#include "core/spec.h"
#include "core/value.h"

namespace weir {

// The most bytes in the text of one element. A tensor without entries may have 10¹² rows to write, which take
// no memory until they are text.
inline constexpr size_t kMaxElementText = size_t{1} << 30;

// Drains a nested dataset and appends the text of each element; "dataset([e1, e2])" is made of them.
class NestedPrinter {
 public:
  virtual ~NestedPrinter() = default;
  virtual Status drain(const NestedDataset& dataset, const Spec& element, std::vector<std::string>& out) = 0;
};

// Formats one element in at most `limit` bytes, else resource_exhausted. Without a printer a nested dataset
// prints as "dataset(...)"; with one, the errors of draining it are returned.
// REQUIRES: `row` has the components of `spec`.
Result<std::string> format_element(const Spec& spec, const Components& row, NestedPrinter* nested = nullptr,
                                   size_t limit = kMaxElementText);

// True if the tensor's text, nested lists with ", " between, is certain to be longer than `limit`.
bool text_exceeds(const Shape& shape, size_t limit);
Status text_too_long(size_t limit);

// Floats with the fewest digits that read back as the same value of their dtype, laid out like Python's repr.
std::string format_float(double value);
std::string format_float(float value);
std::string format_float(Float16 value);
std::string format_float(BFloat16 value);

}  // namespace weir
