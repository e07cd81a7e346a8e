// The header of NumPy's files of one array (.npy): parse_npy reads it from bytes, read_npy from a stream.
//
//   "\x93NUMPY", version (2 bytes), size of the text (2 bytes, 4 from version 2 on), then a Python dict,
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }, and the entries.
//
// Nothing in it is trusted: the text is at most 1 MiB long, is no expression to evaluate, and its numbers are
// bounded. data_loss for what is no such header, invalid_argument for arrays that weir has no tensors for:
// Fortran order, objects, dates, structures, more than 8 dimensions.
#pragma once

#include <string_view>

#include "format/array_entries.h"
#include "format/inflate.h"

namespace weir {

struct NpyHeader {
  ArrayType type;
  Shape shape;
  // Where the entries begin.
  uint64_t begin = 0;
};

// `bytes`: the file from its beginning, as much as there is.
Result<NpyHeader> parse_npy(std::string_view bytes);

// The same of a stream from where it is on; errors name the file. Reads about as much as the header.
Result<NpyHeader> read_npy(ByteStream& stream);

// The rows of an array that lies in `size` bytes after its header's beginning; data_loss if they are too few,
// invalid_argument if it has no dimension. `what` calls it in the errors.
Result<ArrayLayout> npy_rows(const NpyHeader& header, uint64_t size);

// The same error with the file's name.
Status in_file(const Status& status, const std::string& file);

}  // namespace weir
