// shape(x), size(x) and rank(x): int64, known when the dataset is built as far as x's shape is.
#include "expr/kernels/shared/shape_argument.h"

namespace weir {

namespace {

void shape_body(KernelRun& run) {
  const Shape& shape = run.arg(0).shape;
  int64_t* out = run.make<int64_t>(0, Shape{shape.rank()});
  if (out == nullptr) return;
  for (int i = 0; i < run.rows(); ++i) {
    for (int64_t dim : shape.dims()) *out++ = dim;
  }
}

void size_body(KernelRun& run) {
  int64_t* out = run.make<int64_t>(0, Shape());
  for (int i = 0; out != nullptr && i < run.rows(); ++i) out[i] = run.arg(0).shape.count();
}

void rank_body(KernelRun& run) {
  int64_t* out = run.make<int64_t>(0, Shape());
  for (int i = 0; out != nullptr && i < run.rows(); ++i) out[i] = run.arg(0).shape.rank();
}

Status shape_infer(KernelCall& call) {
  const Shape& shape = call.shape(0);
  if (!shape.rank_known()) {
    call.result(DType::int64, Shape{kUnknownDim});
    call.body(shape_body);
    return Status();
  }
  const Shape vector{shape.rank()};
  call.result(DType::int64, vector);
  if (!shape.is_static()) {
    std::vector<int64_t> entries;
    for (int64_t dim : shape.dims()) entries.push_back(dim < 0 ? kUnknownEntry : dim);
    call.known_integers(std::move(entries));
    call.body(shape_body);
    return Status();
  }
  Tensor value = Tensor::allocate(DType::int64, vector);
  for (int d = 0; d < shape.rank(); ++d) value.as<int64_t>()[d] = shape[d];
  call.known(std::move(value));
  return Status();
}

Status size_infer(KernelCall& call) {
  call.result(DType::int64, Shape());
  call.body(size_body);
  const int64_t count = known_count(call.shape(0));
  if (count < 0) return Status();
  call.known(Tensor::scalar(count));
  call.body(nullptr);
  return Status();
}

Status rank_infer(KernelCall& call) {
  call.result(DType::int64, Shape());
  call.body(rank_body);
  if (!call.shape(0).rank_known()) return Status();
  call.known(Tensor::scalar(int64_t{call.shape(0).rank()}));
  call.body(nullptr);
  return Status();
}

}  // namespace

extern constinit const Kernel rank_kernel{.name = "rank",
                                          .params = {{.name = "x"}},
                                          .infer = rank_infer,
                                          .doc = "The number of dimensions.",
                                          .result = "An int64 scalar.",
                                          .cost = "Usually known when the dataset is built.",
                                          .example = "from_tensors(rank([[1, 2], [3, 4]]))",
                                          .output = "2",
                                          .bench = "rank(x)"};

extern constinit const Kernel shape_kernel{.name = "shape",
                                           .params = {{.name = "x"}},
                                           .infer = shape_infer,
                                           .doc = "The shape of a tensor, as a vector.",
                                           .result = "An int64 vector.",
                                           .cost = "Known dimensions are constants.",
                                           .example = "range(5) | batch(2) | map(x -> shape(x))",
                                           .output = "[2]\n[2]\n[1]",
                                           .bench = "shape(x)"};

extern constinit const Kernel size_kernel{.name = "size",
                                          .params = {{.name = "x"}},
                                          .infer = size_infer,
                                          .doc = "The number of entries.",
                                          .result = "An int64 scalar.",
                                          .cost = "Usually known when the dataset is built.",
                                          .example = "from_tensors(size([[1, 2], [3, 4]]))",
                                          .output = "4",
                                          .bench = "size(x)"};

}  // namespace weir
