// arange(stop), arange(start, stop, step: 1): the vector start, start + step, … up to but excluding stop.
#include <cmath>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

using StepTypes = JoinT<Integers, TypeList<float, double>>;

// The number of entries; an error if there is no end.
template <class T>
Result<int64_t> length(T start, T stop, T step) {
  if (step == T{0}) return invalid_argument("expected a step other than 0");
  // TensorFlow's range gives no empty vector for it either.
  if (start != stop && (stop > start) != (step > T{0}))
    return invalid_argument("expected a step towards stop, found one that leads away from it");
  if constexpr (std::is_integral_v<T>) {
    __extension__ using Wide = __int128;
    const Wide distance = static_cast<Wide>(stop) - start;
    if (distance == 0) return int64_t{0};
    const Wide count = (distance + step + (step > T{0} ? -1 : 1)) / step;
    if (count > INT64_MAX) return invalid_argument("expected at most 2^63 - 1 entries");
    return static_cast<int64_t>(count);
  } else {
    const double count = std::ceil((static_cast<double>(stop) - start) / static_cast<double>(step));
    if (!(count < 0x1p62)) return invalid_argument("expected finite bounds and a step that reaches the end");
    return static_cast<int64_t>(count);
  }
}

template <class T>
Result<int64_t> length_of_row(const KernelRun& run, int i) {
  return length<T>(*run.arg(0).row<T>(i), *run.arg(1).row<T>(i), *run.arg(2).row<T>(i));
}

template <class T>
void fill(const KernelRun& run, int i, int64_t count, T* out) {
  const T start = *run.arg(0).row<T>(i);
  const T step = *run.arg(2).row<T>(i);
  if constexpr (std::is_integral_v<T>) {
    for (int64_t k = 0; k < count; ++k) {
      out[k] = static_cast<T>(static_cast<uint64_t>(start) +
                              static_cast<uint64_t>(k) * static_cast<uint64_t>(step));
    }
  } else {
    // Adding the step again and again would add up what each sum rounds off, and may pass `stop`.
    for (int64_t k = 0; k < count; ++k) out[k] = start + static_cast<T>(k) * step;
  }
}

template <class T>
void arange_body(KernelRun& run) {
  for (int i = 0; i < run.rows(); ++i) {
    Result<int64_t> count = length_of_row<T>(run, i);
    if (!count.ok()) {
      run.fail(i, count.status());
    } else if (T* out = run.make_row<T>(0, i, Shape{*count})) {
      fill(run, i, *count, out);
    }
  }
}

Status arange_infer(KernelCall& call) {
  constexpr const char* kNames[] = {"start", "stop", "step"};
  for (int p = 0; p < 3; ++p) WEIR_TRY(check_scalar(call, p, kNames[p]));
  Shape shape{kUnknownDim};
  Status status;
  const bool known = visit<StepTypes>(call.dtype(1), [&]<class T>() {
    call.body(arange_body<T>);
    if (!call.constant(0) || !call.constant(1) || !call.constant(2)) return;
    Result<int64_t> count =
        length<T>(*call.constant(0)->as<T>(), *call.constant(1)->as<T>(), *call.constant(2)->as<T>());
    if (!count.ok()) {
      status = call.error(count.status().error().what());
    } else {
      shape = Shape{*count};
    }
  });
  if (!known) return wrong_dtype(call, 1, "an integer dtype, float32 or float64");
  WEIR_TRY(status);
  call.result(call.dtype(1), shape);
  return Status();
}

}  // namespace

extern constinit const Kernel arange_kernel{
    .name = "arange",
    .params = {{.name = "start", .type = "T", .fallback = "0", .doc = "The first number."},
               {.name = "stop", .type = "T", .doc = "The vector ends before it."},
               {.name = "step",
                .type = "T",
                .fallback = "1",
                .doc = "The distance between numbers; a negative one counts down."}},
    .infer = arange_infer,
    .doc =
        "A vector of evenly spaced numbers, from `start` up to but not including `stop`. Entry i is `start + i * step`. A single positional argument is `stop`. A step of 0, or one that leads away from `stop`, is an error. Integers, float32 and float64 only.",
    .result = "A vector of the arguments' dtype.",
    .cost = "One store per number.",
    .example = "range(3) | map(n -> arange(n + 1))",
    .output = "[0]\n[0, 1]\n[0, 1, 2]",
    .bench = "arange(784)",
    .can_fail = true,
    .single_argument = "stop"};

}  // namespace weir
