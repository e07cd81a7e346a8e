#include "expr/features/example_features.h"

#include <algorithm>

#include "core/text.h"

namespace weir {

namespace {

using Form = FeatureSyntax::Form;

void set_default(const Tensor& value, FeatureConfig& config) {
  config.has_default = true;
  if (config.type == FeatureType::int64) {
    for (int64_t entry : value.entries<const int64_t>()) config.int64_default.push_back(entry);
  } else if (config.type == FeatureType::float32) {
    for (float entry : value.entries<const float>()) config.float_default.push_back(entry);
  } else {
    for (const Str& entry : value.entries<const Str>()) config.string_default.emplace_back(entry.view());
  }
}

// What the plan reads for a feature that is not fixed. A name may occur again, in a sparse feature.
size_t add_varying(std::vector<FeatureConfig>& configs, const std::string& name, FeatureType type,
                   bool may_lack) {
  for (size_t i = 0; i < configs.size(); ++i) {
    FeatureConfig& config = configs[i];
    if (config.name != name || config.type != type || config.kind != FeatureKind::varying) continue;
    config.has_default = config.has_default && may_lack;
    return i;
  }
  FeatureConfig config;
  config.name = name;
  config.type = type;
  config.kind = FeatureKind::varying;
  config.has_default = may_lack;
  configs.push_back(std::move(config));
  return configs.size() - 1;
}

Spec spec_of(const FeatureSyntax& feature, const Shape& records) {
  switch (feature.form) {
    case Form::fixed:
      return Spec::tensor(feature.dtype, joined(records, feature.shape));
    case Form::sequence:
      return Spec::tensor(feature.dtype, joined(records, feature.shape.prepended(kUnknownDim)));
    case Form::varlen:
      return Spec::sparse(feature.dtype, joined(records, Shape{kUnknownDim}));
    case Form::sparse:
      return Spec::sparse(feature.dtype, joined(records, Shape{feature.size}));
    case Form::ragged:
      break;
  }
  if (records.rank() == 0) return Spec::tensor(feature.dtype, Shape{kUnknownDim});
  return Spec::ragged(feature.dtype, joined(records, Shape{kUnknownDim}));
}

}  // namespace

Shape joined(const Shape& records, const Shape& feature) {
  if (!records.rank_known()) return records;
  return records.rank() == 0 ? feature : feature.prepended(records[0]);
}

// Where the plan puts its rows: results of the run, or `values` until all counts are known.
struct ExampleFeatures::Columns {
  std::vector<void*> at;
  // Those of features that are not fixed, one column after the other.
  std::vector<FeatureView> values;
  std::vector<ExampleError> errors;
};

Result<ExampleFeatures> ExampleFeatures::read(KernelCall& call, int param, std::string_view message) {
  WEIR_ASSIGN(std::vector<FeatureSyntax> features, read_features(call, param));
  ExampleFeatures out;
  out.spec_ = Spec::dict({}, {});
  out.message_ = message;
  std::vector<FeatureConfig> configs;
  for (FeatureSyntax& feature : features) WEIR_TRY(out.add(call, param, std::move(feature), configs));
  const Status compiled = out.compile(std::move(configs));
  if (!compiled.ok()) return call.error(param, compiled.error().what());
  return out;
}

Status ExampleFeatures::compile(std::vector<FeatureConfig> configs) {
  number_varying(configs);
  WEIR_ASSIGN(plan_, ExamplePlan::compile(std::move(configs), message_));
  return Status();
}

Result<ExampleFeatures> ExampleFeatures::only(const std::vector<bool>& used) const {
  ExampleFeatures out;
  out.spec_ = spec_;
  out.message_ = message_;
  std::vector<FeatureConfig> configs;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const auto first = used.begin() + outputs_[i].result;
    const auto end = first + spec_.children[i].component_count();
    if (std::find(first, end, true) == end) continue;
    Output output = outputs_[i];
    plan(output, configs);
    out.outputs_.push_back(std::move(output));
  }
  WEIR_TRY(out.compile(std::move(configs)));
  return out;
}

// From features of the plan to columns of FeatureView.
void ExampleFeatures::number_varying(const std::vector<FeatureConfig>& configs) {
  std::vector<size_t> numbers(configs.size());
  for (size_t c = 0; c < configs.size(); ++c) {
    numbers[c] = varying_.size();
    if (configs[c].kind == FeatureKind::varying) varying_.push_back(c);
  }
  for (Output& output : outputs_) {
    if (output.feature.form == Form::fixed) continue;
    output.column = numbers[output.column];
    output.index_column = numbers[output.index_column];
  }
}

Status ExampleFeatures::add(KernelCall& call, int param, FeatureSyntax feature,
                            std::vector<FeatureConfig>& configs) {
  const Shape& records = call.shape(0);
  if (feature.form == Form::ragged && !records.rank_known()) {
    return refuse_feature(call, param, feature.name, "is ragged, and the records have an unknown rank",
                          "use ensure_shape() to say whether they are one string or a vector");
  }
  // Its bytes must outlive the call.
  if (feature.form == Form::sequence && feature.fallback) feature.fallback = deep_copy(*feature.fallback);
  Output output;
  output.result = spec_.component_count();
  spec_.keys.push_back(feature.name);
  spec_.children.push_back(spec_of(feature, records));
  output.feature = std::move(feature);
  plan(output, configs);
  outputs_.push_back(std::move(output));
  return Status();
}

void ExampleFeatures::plan(Output& output, std::vector<FeatureConfig>& configs) {
  const FeatureSyntax& feature = output.feature;
  const bool may_lack = feature.allow_missing.value_or(true);
  if (feature.form == Form::fixed) {
    FeatureConfig config;
    config.name = feature.name;
    config.type = feature.type;
    config.count = feature.count();
    if (feature.fallback) set_default(*feature.fallback, config);
    output.column = configs.size();
    configs.push_back(std::move(config));
  } else if (feature.form == Form::sparse) {
    output.index_column = add_varying(configs, feature.index_key, FeatureType::int64, may_lack);
    output.column = add_varying(configs, feature.value_key, feature.type, may_lack);
  } else {
    output.column = add_varying(configs, feature.name, feature.type, may_lack);
  }
}

// Parses rows whose records lie one after the other.
void ExampleFeatures::parse_rows(KernelRun& run, int first, int rows, Columns& columns,
                                 FailedRows& failed) const {
  const Arg& records = run.arg(0);
  const auto per_row = static_cast<size_t>(records.shape.count());
  columns.errors.clear();
  plan_->parse({records.row<Str>(first), static_cast<size_t>(rows) * per_row}, columns.at.data(),
               columns.errors);
  for (const ExampleError& error : columns.errors) {
    const int row = first + static_cast<int>(error.row / per_row);
    run.fail(row, in_record(error.status, error.row % per_row, per_row, records.shape.rank() == 0));
    failed.add(row, run.rows());
  }
}

void ExampleFeatures::parse(KernelRun& run, FailedRows& failed) const {
  const Arg& records = run.arg(0);
  const auto per_row = static_cast<size_t>(records.shape.count());
  const size_t all = static_cast<size_t>(run.rows()) * per_row;
  Columns columns;
  columns.at.resize(plan_->features().size());
  columns.values.resize(varying_.size() * all);
  for (size_t i = 0; i < varying_.size(); ++i) columns.at[varying_[i]] = columns.values.data() + i * all;
  for (const Output& output : outputs_) {
    if (output.feature.form != Form::fixed) continue;
    void*& at = columns.at[output.column];
    at = run.make(output.result, joined(records.shape, output.feature.shape));
    if (at == nullptr) return;
  }
  if (plan_->default_bytes()) run.keep(plan_->default_bytes());
  if (run.rows() == 1 || records.stride == static_cast<int64_t>(records.row_bytes())) {
    parse_rows(run, 0, run.rows(), columns, failed);
  } else {
    for (int row = 0; row < run.rows(); ++row) {
      parse_rows(run, row, 1, columns, failed);
      for (size_t c = 0; c < columns.at.size(); ++c) {
        columns.at[c] = static_cast<uint8_t*>(columns.at[c]) + per_row * plan_->row_bytes(c);
      }
    }
  }
  if (varying_.empty()) return;
  IndexedColumns indexed;
  for (const Output& output : outputs_) {
    if (output.feature.form == Form::fixed) continue;
    if (output.feature.fallback) run.keep(output.feature.fallback->buffer);
    for (int row = 0; row < run.rows(); ++row) {
      if (!failed.has(row)) put(run, row, output, columns, indexed);
    }
  }
}

void ExampleFeatures::put(KernelRun& run, int row, const Output& output, const Columns& columns,
                          IndexedColumns& indexed) const {
  const Shape& shape = run.arg(0).shape;
  const auto per_row = static_cast<size_t>(shape.count());
  const auto values_of = [&](size_t column) {
    const auto all = static_cast<size_t>(run.rows()) * per_row;
    return std::span(columns.values.data() + column * all + static_cast<size_t>(row) * per_row, per_row);
  };
  const FeatureSyntax& feature = output.feature;
  const FeatureTarget to{run, output.result, row, feature.type, values_of(output.column), shape.rank() == 0};
  if (feature.form == Form::varlen) return put_sparse(to);
  if (feature.form == Form::ragged) return to.single ? put_vector(to) : put_ragged(to);
  if (feature.form == Form::sparse) {
    return indexed.put(to, values_of(output.index_column), feature.size, feature.name);
  }
  for (size_t record = 0; record < per_row; ++record) {
    const size_t found = to.records[record].count;
    if (feature.count() == 0 ? found == 0 : found % feature.count() == 0) continue;
    const Status status =
        invalid_argument(concat("the feature ", quote(feature.name), " has ", found,
                                " values in this record; expected a multiple of ", feature.count(),
                                ", the values of a step of shape ", feature.shape.to_string()));
    return run.fail(row, in_record(status, record, per_row, to.single));
  }
  put_padded(to, feature.shape, feature.fallback ? feature.fallback->data : nullptr);
}

}  // namespace weir
