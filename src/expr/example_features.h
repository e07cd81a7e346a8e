// ExampleFeatures: the features of a record, or of a vector of records, as a dict of results. What parse_example
// is made of, and the context of parse_sequence_example.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "expr/feature_columns.h"
#include "expr/feature_syntax.h"
#include "expr/kernel.h"
#include "format/example.h"

namespace weir {

// Rows that failed.
using FailedRows = std::vector<bool>;

// The result's shape for records of that shape: [], [n] or unknown.
Shape joined(const Shape& records, const Shape& feature);

class ExampleFeatures {
 public:
  // Reads the features of a `syntax` parameter; `message` is what errors call a record.
  static Result<ExampleFeatures> read(KernelCall& call, int param, std::string_view message = "tf.Example");

  // A dict in the order written.
  const Spec& spec() const { return spec_; }

  // Parses argument 0 into the results from 0 on, and adds the rows that fail to `failed`, which has an entry a
  // row; of rows that it has already, only fixed features are written.
  // REQUIRES: the records are a string or a vector.
  void parse(KernelRun& run, FailedRows& failed) const;

 private:
  struct Output {
    FeatureSyntax feature;
    // The first component.
    int result = 0;
    // The feature of the plan: the values; of a sparse one, its indices too.
    size_t column = 0;
    size_t index_column = 0;
  };
  struct Columns;

  Status add(KernelCall& call, int param, FeatureSyntax feature, std::vector<FeatureConfig>& configs);
  void parse_rows(KernelRun& run, int first, int rows, Columns& columns, FailedRows& failed) const;
  void put(KernelRun& run, int row, const Output& output, const Columns& columns,
           IndexedColumns& indexed) const;

  std::shared_ptr<const ExamplePlan> plan_;
  std::vector<Output> outputs_;
  Spec spec_;
};

}  // namespace weir
