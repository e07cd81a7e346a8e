// The operators: every source, transformation and terminal that documents can name.
#pragma once

#include <span>
#include <string_view>

#include "dataset/operator.h"

namespace weir {

// Each has a namespace of its own, with all that its file gives besides.
#define WEIR_OPERATOR(name)          \
  namespace name##_op {              \
    const OperatorDef& definition(); \
  }
#include "ops/list.inc"
#undef WEIR_OPERATOR

// Parameters of the operators that others are composed of (dataset/compose.h). The operator's file has their
// fields and describes them.
struct BatchParams : ParamsOf<BatchParams> {
  IntParam n;
  BoolParam drop_remainder{false};
  IntParam num_parallel_calls{1};
  void fields(Fields& f) override;
  static const OperatorDef& op() { return batch_op::definition(); }
};

struct FilterParams : ParamsOf<FilterParams> {
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::boolean};
  void fields(Fields& fields) override;
  static const OperatorDef& op() { return filter_op::definition(); }
};

struct FromTensorsParams : ParamsOf<FromTensorsParams> {
  ValueParam value;
  void fields(Fields& f) override;
  static const OperatorDef& op() { return from_tensors_op::definition(); }
};

struct FromTensorSlicesParams : ParamsOf<FromTensorSlicesParams> {
  ValueParam value;
  void fields(Fields& f) override;
  static const OperatorDef& op() { return from_tensor_slices_op::definition(); }
};

struct GroupByWindowParams : ParamsOf<GroupByWindowParams> {
  FunctionParam key{FunctionParam::Takes::element, FunctionParam::Gives::integer};
  FunctionParam reduce{FunctionParam::Takes::key_and_window, FunctionParam::Gives::dataset};
  FunctionParam window_size{FunctionParam::Takes::key, FunctionParam::Gives::integer};
  void fields(Fields& f) override;
  static const OperatorDef& op() { return group_by_window_op::definition(); }
};

struct IgnoreErrorsParams : ParamsOf<IgnoreErrorsParams> {
  BoolParam log{false};
  void fields(Fields& f) override;
  static const OperatorDef& op() { return ignore_errors_op::definition(); }
};

struct InterleaveParams : ParamsOf<InterleaveParams> {
  static constexpr int64_t kAutoCycle = 8;
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::dataset};
  IntParam cycle_length = IntParam::automatic();
  IntParam block_length{1};
  IntParam num_parallel_calls{1};
  BoolParam deterministic = BoolParam::none();
  void fields(Fields& fields) override;
  static const OperatorDef& op() { return interleave_op::definition(); }
};

struct MapParams : ParamsOf<MapParams> {
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::anything};
  IntParam num_parallel_calls{1};
  BoolParam deterministic = BoolParam::none();
  void fields(Fields& fields) override;
  static const OperatorDef& op() { return map_op::definition(); }
};

struct PaddedBatchParams : ParamsOf<PaddedBatchParams> {
  IntParam n;
  ValueParam shapes;
  ValueParam values;
  BoolParam drop_remainder{false};
  void fields(Fields& f) override;
  static const OperatorDef& op() { return padded_batch_op::definition(); }
};

struct RepeatParams : ParamsOf<RepeatParams> {
  IntParam count{-1};
  // Opens the input once more after the last epoch, which counts for shuffles.
  bool opens_once_more = true;
  void fields(Fields& f) override;
  static const OperatorDef& op() { return repeat_op::definition(); }
};

struct SampleFromDatasetsParams : ParamsOf<SampleFromDatasetsParams> {
  InputsParam datasets{.list = true};
  ValueOrInputParam weights;
  SeedParam seed;
  BoolParam stop_on_empty{false};
  BoolParam rerandomize_each_iteration{false};
  void fields(Fields& f) override;
  static const OperatorDef& op() { return sample_from_datasets_op::definition(); }
};

struct ScanParams : ParamsOf<ScanParams> {
  ValueParam state;
  FunctionParam f{FunctionParam::Takes::state_and_element, FunctionParam::Gives::anything};
  void fields(Fields& fields) override;
  static const OperatorDef& op() { return scan_op::definition(); }
};

struct ShuffleParams : ParamsOf<ShuffleParams> {
  IntParam buffer_size;
  SeedParam seed;
  BoolParam reshuffle_each_iteration{true};
  void fields(Fields& f) override;
  static const OperatorDef& op() { return shuffle_op::definition(); }
};

struct UnbatchParams : ParamsOf<UnbatchParams> {
  void fields(Fields&) override {}
  static const OperatorDef& op() { return unbatch_op::definition(); }
};

struct ZipParams : ParamsOf<ZipParams> {
  InputsParam datasets;
  void fields(Fields& f) override;
  static const OperatorDef& op() { return zip_op::definition(); }
};

// All operators, sorted by name.
std::span<const OperatorDef* const> operators();
// Adds an operator that is not in list.inc, such as those of tests that misbehave on purpose.
// REQUIRES: before any document is parsed; the definition lives for ever; no other has its name.
void add_operator(const OperatorDef& def);
// Returns null if there is none of that name.
const OperatorDef* find_operator(std::string_view name);

}  // namespace weir
