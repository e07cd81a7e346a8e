// Shapes given as arguments: what is known of them when a call is typed, and what they are for a row.
#pragma once

#include "expr/types/kernel.h"

namespace weir {

// The shape that a parameter's integers give: unknown entries become unknown dimensions, an unknown number of
// them an unknown rank. invalid_argument for negative or too many entries.
Result<Shape> shape_from(const KernelCall& call, int param);

// The number of entries, or -1 if the dimensions do not tell. A dimension of 0 does, whatever the others are.
int64_t known_count(const Shape& shape);

// A scalar or vector of int64 of one row. Entries are not checked.
struct Entries {
  const int64_t* data;
  int64_t count;

  int64_t operator[](int64_t i) const { return data[i]; }
};
inline Entries entries_of(const Arg& arg, int row) { return {arg.row<int64_t>(row), arg.shape.count()}; }

// The shape that they give; invalid_argument for negative or too many entries.
Result<Shape> shape_from(const Entries& entries);

// True if all rows of the run have equal bytes in that argument.
bool same_in_all_rows(const KernelRun& run, const Arg& arg);

// For kernels whose result has a shape given by an argument: makes the result and calls fill(first row, rows,
// entries of a row, data), once for all rows if they agree.
template <class F>
void make_shaped(KernelRun& run, const Arg& arg, F fill) {
  if (same_in_all_rows(run, arg)) {
    Result<Shape> shape = shape_from(entries_of(arg, 0));
    if (shape.ok()) {
      if (uint8_t* out = run.make(0, *shape)) fill(0, run.rows(), shape->count(), out);
      return;
    }
  }
  for (int i = 0; i < run.rows(); ++i) {
    Result<Shape> shape = shape_from(entries_of(arg, i));
    if (!shape.ok()) {
      run.fail(i, shape.status());
    } else if (uint8_t* out = run.make_row(0, i, *shape)) {
      fill(i, 1, shape->count(), out);
    }
  }
}

}  // namespace weir
