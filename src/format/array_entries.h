// ArrayType: how the entries of an array lie in bytes, and what makes tensors' entries of them, in place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/shape.h"
#include "core/status.h"

namespace weir {

struct ArrayType {
  DType dtype = DType::invalid;
  // Of an entry. Strings all have so many, the short ones filled up with zeros.
  size_t entry_bytes = 0;
  // Strings of code points of four bytes each.
  bool utf32 = false;
  // The most significant byte first.
  bool big_endian = false;
};

// Rows of an array, one every `stride` bytes.
struct ArrayLayout {
  ArrayType type;
  Shape row;
  // Where the first row begins.
  uint64_t begin = 0;
  uint64_t stride = 0;
  uint64_t row_bytes = 0;
  int64_t rows = 0;
};

// Turns the bytes of numbers and truth values into entries.
void make_numbers(const ArrayType& type, uint8_t* bytes, size_t count);
// Turns the bytes of strings into entries, which are views of them: without the zeros at the end, code points
// as UTF-8. data_loss for a number that is no code point, invalid_argument for a surrogate.
Status make_strings(const ArrayType& type, uint8_t* bytes, size_t count, Str* out);

}  // namespace weir
