// ExampleFeatures: the features of a record, or of a vector of records, as a dict of results. What
// parse_example is made of, and the context of parse_sequence_example.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "expr/features/feature_columns.h"
#include "expr/features/feature_syntax.h"
#include "expr/types/kernel.h"
#include "format/example.h"

namespace weir {

// Rows that failed. Takes no memory as long as there are none.
class FailedRows {
 public:
  bool has(int row) const { return !rows_.empty() && rows_[static_cast<size_t>(row)]; }
  void add(int row, int rows) {
    if (rows_.empty()) rows_.resize(static_cast<size_t>(rows));
    rows_[static_cast<size_t>(row)] = true;
  }

 private:
  std::vector<bool> rows_;
};

// The result's shape for records of that shape: [], [n] or unknown.
Shape joined(const Shape& records, const Shape& feature);

class ExampleFeatures {
 public:
  // Reads the features of a `syntax` parameter; `message` is what errors call a record.
  static Result<ExampleFeatures> read(KernelCall& call, int param, std::string_view message = "tf.Example");

  // The same without the features none of whose components are used: they are not looked for, and may be
  // missing or of another kind. The numbers of results stay.
  Result<ExampleFeatures> only(const std::vector<bool>& used) const;

  // A dict in the order written.
  const Spec& spec() const { return spec_; }

  // Parses argument 0 into the results from 0 on, and adds the rows that fail to `failed`.
  // REQUIRES: the records are a string or a vector.
  void parse(KernelRun& run, FailedRows& failed) const;

 private:
  struct Output {
    FeatureSyntax feature;
    // The first component.
    int result = 0;
    // Of a fixed feature its number in the plan; else the column of its values among those of FeatureView,
    // and that of its indices if it is sparse.
    size_t column = 0;
    size_t index_column = 0;
  };
  struct Columns;

  Status add(KernelCall& call, int param, FeatureSyntax feature, std::vector<FeatureConfig>& configs);
  // Adds what the plan reads for an output.
  static void plan(Output& output, std::vector<FeatureConfig>& configs);
  Status compile(std::vector<FeatureConfig> configs);
  void number_varying(const std::vector<FeatureConfig>& configs);
  void parse_rows(KernelRun& run, int first, int rows, Columns& columns, FailedRows& failed) const;
  void put(KernelRun& run, int row, const Output& output, const Columns& columns,
           IndexedColumns& indexed) const;

  std::shared_ptr<const ExamplePlan> plan_;
  std::vector<Output> outputs_;
  // Which features of the plan have any number of values.
  std::vector<size_t> varying_;
  Spec spec_;
  std::string message_;
};

}  // namespace weir
