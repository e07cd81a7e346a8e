// Elements as text, one line each, as the notation prints them.
// Ownership: yields strings. Threads: pure functions, save that nested datasets are drained through the
// callback. Errors: those of a nested dataset that fails while it is drained; resource_exhausted above
// kMaxElementText. Cost: in proportion to the text.
#pragma once

#include <string>
#include <vector>

#include "core/spec.h"
#include "core/value.h"

namespace weir {

// Bytes of the text of one element. A tensor without entries may have 10¹² rows to write, which take no
// memory before they are text.
inline constexpr size_t kMaxElementText = size_t{1} << 30;

// Opens and drains a nested dataset: "dataset([e1, e2])" is put together from what it appends, one text an
// element.
class NestedPrinter {
 public:
  virtual ~NestedPrinter() = default;
  virtual Status drain(const NestedDataset& dataset, const Spec& element, std::vector<std::string>& out) = 0;
};

// One element. Without a printer a nested dataset prints as "dataset(...)".
// REQUIRES: `row` has the components of `spec`.
// `limit` is that of the text in bytes.
Result<std::string> format_element(const Spec& spec, const Components& row, NestedPrinter* nested = nullptr,
                                   size_t limit = kMaxElementText);

// True if the text of the tensor, nested lists with ", " between, is certain to be longer than `limit`.
bool text_exceeds(const Shape& shape, size_t limit);
Status text_too_long(size_t limit);

// Floats with the fewest digits that read back to the same value of their dtype, laid out as Python's repr.
std::string format_float(double value);
std::string format_float(float value);
std::string format_float(Float16 value);
std::string format_float(BFloat16 value);

}  // namespace weir
