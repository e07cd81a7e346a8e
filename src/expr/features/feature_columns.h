// Writes varying numbers of values, one FeatureView a record or step, as one row of a kernel's results.
//
// Each function makes the row of its result, or results, and fails the row where it can't.
#pragma once

#include <span>
#include <vector>

#include "expr/types/kernel.h"
#include "format/feature.h"

namespace weir {

// Where a feature's values come from and where they go.
struct FeatureTarget {
  KernelRun& run;
  // The first component of the feature.
  int result;
  int row;
  FeatureType type;
  // One each record; of a single record, results lack the first dimension.
  std::span<const FeatureView> records;
  bool single;
};

// A vector, of a single record.
void put_vector(const FeatureTarget& to);
// Sparse: indices, values and the shape [records, longest], or [values] of a single record.
void put_sparse(const FeatureTarget& to);
// Ragged: values and row splits.
void put_ragged(const FeatureTarget& to);
// Dense: [records, longest] + step, filled up with `fill`, which is one entry, or zeros if it is null.
// REQUIRES: each count is a multiple of step_count, the entries of a step; 0 if that is 0.
void put_padded(const FeatureTarget& to, const Shape& step, const void* fill);
// Dense: all values one after the other, [records] + step.
// REQUIRES: each count is the number of entries of a step.
void put_steps(const FeatureTarget& to, const Shape& step);

// Sparse features whose indices are values themselves: those of a record in rising order.
class IndexedColumns {
 public:
  // `to.records` has the values, `indices` as many int64. The shape is [records, size]. A number of values
  // other than that of indices and an index outside of [0, size) fail the row.
  void put(const FeatureTarget& to, std::span<const FeatureView> indices, int64_t size,
           const std::string& name);

 private:
  struct Place {
    int64_t index;
    size_t at;
  };
  // Reads and checks the indices of one record; true if they are in order.
  bool read_places(const FeatureView& indices);

  std::vector<int64_t> indices_;
  std::vector<Place> places_;
  std::vector<uint64_t> values_;
};

// "record 3 of 8: " before the message, unless there is one record only.
Status in_record(const Status& status, size_t record, size_t records, bool single);

}  // namespace weir
