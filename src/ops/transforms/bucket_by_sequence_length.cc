// bucket_by_sequence_length(length, boundaries, batch_sizes, …): group_by_window by the bucket of each
// element's length, each group made into one batch, padded or not, as in tf.data. Checkpoint: that of
// group_by_window.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/text.h"
#include "dataset/compose.h"
#include "ops/batching/batch_cursor.h"
#include "ops/batching/endless.h"
#include "ops/batching/joined_batch.h"
#include "ops/batching/kept_dataset.h"
#include "ops/batching/padding.h"
#include "ops/functions/apply.h"
#include "ops/functions/native.h"
#include "ops/integer_list.h"
#include "ops/list.h"

namespace weir::bucket_by_sequence_length_op {
namespace {

struct Params : ParamsOf<Params> {
  FunctionParam length{FunctionParam::Takes::element, FunctionParam::Gives::integer};
  ValueParam boundaries;
  ValueParam batch_sizes;
  ValueParam shapes;
  ValueParam values;
  BoolParam pad_to_bucket_boundary{false};
  BoolParam no_padding{false};
  BoolParam drop_remainder{false};
  void fields(Fields& f) override {
    f("length", length, "Returns the length of an element, an int64.");
    f("boundaries", boundaries,
      "The bounds between buckets: a list of ascending integers. The first bucket has the lengths below the first bound, the last bucket those from the last bound on.");
    f("batch_sizes", batch_sizes,
      "The number of elements in a batch, for each bucket: one more than boundaries.");
    f("shapes", shapes,
      "The shape of each tensor, in the structure of the element. A dimension is a number, or none for the largest of the batch.",
      {}, {.none = true});
    f("values", values, "The padding: one value, or one for each tensor. none: 0, false or \"\".", {},
      {.none = true});
    f("pad_to_bucket_boundary", pad_to_bucket_boundary,
      "Pad unknown dimensions to one less than the upper bound of the bucket. A batch of the last bucket is then an error.");
    f("no_padding", no_padding,
      "Elements of a batch must have one shape; sparse tensors become one sparse tensor of the largest shape.");
    f("drop_remainder", drop_remainder, "Drop last batches that are smaller than their size.");
  }
};

Spec int64_scalar() { return Spec::tensor(DType::int64, Shape()); }

// The bucket of an element.
class BucketOf final : public Native {
 public:
  BucketOf(FunctionRef length, std::vector<int64_t> boundaries)
      : Native(length->input(), int64_scalar(), length), boundaries_(std::move(boundaries)) {}

  void call(const CallArgs& args, const Block& in, Block& out) const override {
    Block lengths;
    inner_->call(args, in, lengths);
    out.reset(args.drop ? 0 : 1);
    out.rows = lengths.rows;
    out.errors = lengths.errors;
    if (args.drop) return;
    auto* buckets = out.columns[0].make_dense<int64_t>(Shape(), out.rows);
    for (int row = 0; row < out.rows; ++row) {
      buckets[row] = 0;
      if (out.failed(row)) continue;
      const int64_t length = *lengths.columns[0].row(row).as<int64_t>();
      buckets[row] = std::upper_bound(boundaries_.begin(), boundaries_.end(), length) - boundaries_.begin();
    }
  }

 private:
  const std::vector<int64_t> boundaries_;
};

// The batch size of a bucket.
class SizeOf final : public Native {
 public:
  explicit SizeOf(std::vector<int64_t> sizes)
      : Native(int64_scalar(), int64_scalar()), sizes_(std::move(sizes)) {}

  void call(const CallArgs&, const Block& in, Block& out) const override {
    out.reset(1);
    out.rows = in.rows;
    out.errors = in.errors;
    auto* sizes = out.columns[0].make_dense<int64_t>(Shape(), in.rows);
    for (int row = 0; row < in.rows; ++row)
      sizes[row] = in.failed(row) ? 0 : sizes_[static_cast<size_t>(*in.columns[0].row(row).as<int64_t>())];
  }

 private:
  const std::vector<int64_t> sizes_;
};

// The dataset of one batch that the elements of a group make.
class BatchOf final : public Native {
 public:
  // `batches`: of each bucket, over the node of KeptDataset; null where a batch is an error.
  BatchOf(const Spec& element, const Spec& batch, std::vector<DatasetRef> batches, int64_t end)
      : Native(Spec::tuple({int64_scalar(), Spec::dataset(element)}), Spec::dataset(batch)),
        batches_(std::move(batches)),
        end_(end) {}

  void call(const CallArgs&, const Block& in, Block& out) const override {
    out.reset(1);
    out.rows = in.rows;
    std::vector<Tensor>& datasets = out.columns[0].make_list();
    datasets.resize(static_cast<size_t>(in.rows));
    for (int row = 0; row < in.rows; ++row) {
      if (const ErrorPtr* error = in.error_of(row)) {
        out.fail_row(row, *error);
        continue;
      }
      const auto bucket = static_cast<size_t>(*in.columns[0].row(row).as<int64_t>());
      const Tensor group = in.columns[1].row(row);
      const DatasetRef& batch = batches_[bucket];
      if (batch) {
        datasets[static_cast<size_t>(row)] =
            dataset_tensor(make_ref<NestedDataset>(batch, dataset_of(group).env));
      } else {
        out.fail_row(row, too_long().pointer());
      }
    }
  }

 private:
  Status too_long() const {
    return invalid_argument(expected_found(concat("elements of a length below ", end_), "longer ones",
                                           "with pad_to_bucket_boundary, the last bucket has no boundary"));
  }

  const std::vector<DatasetRef> batches_;
  // Where the last bucket begins.
  const int64_t end_;
};

Status check(const Params& params, std::vector<int64_t>& boundaries, std::vector<int64_t>& sizes) {
  WEIR_TRY(integer_list(params.boundaries, "boundaries", boundaries));
  WEIR_TRY(integer_list(params.batch_sizes, "batch_sizes", sizes));
  const auto fall = std::adjacent_find(boundaries.begin(), boundaries.end(), std::greater<>());
  if (fall != boundaries.end()) {
    return with_parameter(
        invalid_argument(expected_found("ascending boundaries", concat(fall[1], " after ", fall[0]))),
        "boundaries");
  }
  const auto least = std::min_element(sizes.begin(), sizes.end());
  if (least != sizes.end() && *least < 1) {
    return with_parameter(invalid_argument(expected_found("sizes of at least 1", concat(*least))),
                          "batch_sizes");
  }
  const bool known = !params.boundaries.expression && !params.batch_sizes.expression;
  if (known && sizes.size() != boundaries.size() + 1) {
    return with_parameter(
        invalid_argument(expected_found(concat(boundaries.size() + 1, " sizes, one more than boundaries"),
                                        concat(sizes.size()))),
        "batch_sizes");
  }
  if (*params.pad_to_bucket_boundary && known && boundaries.empty()) {
    return with_parameter(invalid_argument(expected_found("a boundary to pad to", "none")),
                          "pad_to_bucket_boundary");
  }
  return Status();
}

// `shapes` of padded_batch that say what `padding` says, with `filler` for dimensions that it leaves open.
ValueParam shapes_of(const Spec& element, const std::vector<Padding>& padding, int64_t filler) {
  ValueParam out;
  out.set = true;
  for (const Padding& one : padding) {
    const int rank = one.shape.rank();
    Tensor dims = Tensor::allocate(DType::int64, Shape{rank});
    for (int d = 0; d < rank; ++d)
      dims.as<int64_t>()[d] = one.shape[d] == kUnknownDim ? filler : one.shape[d];
    out.values.push_back(std::move(dims));
  }
  size_t next = 0;
  out.spec = element;
  const auto replace = [&](const auto& self, Spec& spec) -> void {
    if (spec.is_tensor()) spec = Spec::tensor(DType::int64, out.values[next++].shape);
    for (Spec& child : spec.children) self(self, child);
  };
  replace(replace, out.spec);
  return out;
}

// A bucket's batches of `size` elements, padded up to `filler` where nothing else says how far.
Result<DatasetRef> batches_of(const Params& params, const KeptDataset& groups, const BuildSite& site,
                              int64_t size, int64_t filler) {
  if (*params.no_padding) {
    BatchParams batch;
    batch.n = size;
    batch.drop_remainder = params.drop_remainder;
    return compose(std::move(batch), {groups.node()}, site);
  }
  PaddedBatchParams batch;
  batch.n = size;
  batch.drop_remainder = params.drop_remainder;
  batch.shapes = params.shapes;
  batch.values = params.values;
  if (*params.pad_to_bucket_boundary) {
    const Spec& element = groups.node()->spec();
    WEIR_ASSIGN(std::vector<Padding> padding, padding_of(element, params.shapes, params.values));
    for (const Padding& one : padding) {
      if (!one.shape.rank_known())
        return invalid_argument(expected_found("shapes of a known rank", one.shape.to_string()));
    }
    batch.shapes = shapes_of(element, padding, filler);
  }
  return compose(std::move(batch), {groups.node()}, site);
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  std::vector<int64_t> boundaries;
  std::vector<int64_t> sizes;
  WEIR_TRY(check(params, boundaries, sizes));
  const Spec& element = inputs[0]->spec();
  const bool known = params.no_padding.is_constant();
  if (known && *params.no_padding) {
    WEIR_ASSIGN(JoinedPlan plan, plan_batch(element, kUnknownDim));
    return std::move(plan.batch);
  }
  WEIR_ASSIGN(std::vector<Padding> padding, padding_of(element, params.shapes, params.values));
  WEIR_ASSIGN(Spec padded, batched(padded_spec(element, padding), kUnknownDim));
  if (known) return padded;
  WEIR_ASSIGN(Spec plain, batched(element, kUnknownDim));
  return Spec::relax(padded, plain);
}

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef> inputs, const BuildSite& site) {
  const auto& params = static_cast<const Params&>(base);
  std::vector<int64_t> boundaries;
  std::vector<int64_t> sizes;
  WEIR_TRY(check(params, boundaries, sizes));
  const Spec& element = inputs[0]->spec();
  WEIR_ASSIGN(KeptDataset groups, KeptDataset::make(element));
  BuildSite inner = site;
  inner.depth = site.depth + 1;
  std::vector<DatasetRef> batches(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool last = i == boundaries.size();
    if (last && *params.pad_to_bucket_boundary) break;
    WEIR_ASSIGN(batches[i],
                batches_of(params, groups, inner, sizes[i], last ? kUnknownDim : boundaries[i] - 1));
  }
  GroupByWindowParams group;
  group.key.function = make_ref<BucketOf>(FunctionRef(&function_of(params.length)), boundaries);
  WEIR_ASSIGN(const Spec batch, spec(params, inputs));
  group.reduce.function =
      make_ref<BatchOf>(element, batch, std::move(batches), boundaries.empty() ? 0 : boundaries.back());
  group.window_size.function = make_ref<SizeOf>(std::move(sizes));
  return compose(std::move(group), {inputs[0]}, site);
}

struct BucketBySequenceLength {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef node, expansion(opening, params));
    return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, std::move(node)));
  }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, BucketBySequenceLength>({
      .name = "bucket_by_sequence_length",
      .page =
          {.doc =
               "Batches elements of similar length together, so that they need little padding. Each element goes into the bucket for its length. When a bucket has its batch size, its elements follow as one batch, padded as by `padded_batch`. After the last element the smaller batches follow, the shortest bucket first. An element whose length cannot be computed is an error at once; a batch that cannot be made is an error in its place.",
           .cost =
               "Keeps the elements of each bucket, each copied once, and copies them once more into their batch. A restored iterator reads again from the oldest element that was in a bucket.",
           .tf_names =
               "element_length_func=length bucket_boundaries=boundaries bucket_batch_sizes=batch_sizes padded_shapes=shapes padding_values=values",
           .example =
               "range(1, 7) | map(n -> full([n], n)) | bucket_by_sequence_length(x -> shape(x)[0], [3], [2, 2])",
           .output =
               "[[1, 0], [2, 2]]\n[[3, 3, 3, 0], [4, 4, 4, 4]]\n[[5, 5, 5, 5, 5, 0], [6, 6, 6, 6, 6, 6]]",
           .bench =
               "range(100000) | map(x -> full([x % 100], x)) | bucket_by_sequence_length(x -> shape(x)[0], [20, 50], [128, 64, 32])"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = infinite_or_unknown, .expand = expand},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{kUnknown, kUnknown};
                       }},
  });
  return def;
}

}  // namespace weir::bucket_by_sequence_length_op
