// Elements as text, one line each, as the notation prints them.
// Ownership: yields strings. Threads: pure functions, save that nested datasets are drained through the
// callback. Errors: those of a nested dataset that fails while it is drained. Cost: in proportion to the
// text.
#pragma once

#include <string>
#include <vector>

#include "core/spec.h"
#include "core/value.h"

namespace weir {

// Opens and drains a nested dataset: "dataset([e1, e2])" is put together from what it appends, one text an
// element.
class NestedPrinter {
 public:
  virtual ~NestedPrinter() = default;
  virtual Status drain(const NestedDataset& dataset, const Spec& element, std::vector<std::string>& out) = 0;
};

// One element. Without a printer a nested dataset prints as "dataset(...)".
// REQUIRES: `row` has the components of `spec`.
Result<std::string> format_element(const Spec& spec, const Components& row, NestedPrinter* nested = nullptr);

// Floats with the fewest digits that read back to the same value of their dtype, laid out as Python's repr.
std::string format_float(double value);
std::string format_float(float value);
std::string format_float(Float16 value);
std::string format_float(BFloat16 value);

}  // namespace weir
