// a + b, a - b, a * b: numbers of one dtype, broadcast; integers wrap. `+` joins strings.
#include <cstring>

#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/wrap.h"

namespace weir {

namespace {

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return wrap::add(a, b);
  }
};

struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return wrap::subtract(a, b);
  }
};

struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    return wrap::multiply(a, b);
  }
};

// Visits the pairs of strings that broadcasting brings together, in the order of the result.
template <class F>
void each_pair(const KernelRun& run, const Shape& shape, F f) {
  const auto visit = [&](int64_t, int64_t width, unsigned mask, const uint8_t* const* in) {
    const auto* const a = reinterpret_cast<const Str*>(in[0]);
    const auto* const b = reinterpret_cast<const Str*>(in[1]);
    for (int64_t k = 0; k < width; ++k) f(a[(mask & 1) != 0 ? k : 0], b[(mask & 2) != 0 ? k : 0]);
  };
  elementwise::EntryRuns(run, 2, shape).each(visit);
}

void join_body(KernelRun& run) {
  const std::optional<Shape> shape = broadcast_run(run);
  if (!shape) return;
  Str* out = run.make<Str>(0, *shape);
  if (out == nullptr || shape->count() == 0) return;
  size_t size = 0;
  each_pair(run, *shape, [&](const Str& a, const Str& b) { size += a.size + b.size; });
  char* bytes = run.bytes(size);
  each_pair(run, *shape, [&](const Str& a, const Str& b) {
    if (a.size > 0) std::memcpy(bytes, a.data, a.size);
    if (b.size > 0) std::memcpy(bytes + a.size, b.data, b.size);
    *out++ = Str(bytes, a.size + b.size);
    bytes += a.size + b.size;
  });
}

Status add_infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return infer_binary<Numbers, Add>(call, "numbers or strings");
  constexpr int kBoth[] = {0, 1};
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kBoth));
  call.result(DType::string, shape);
  call.body(join_body);
  call.set_can_fail(may_not_broadcast(call));
  return Status();
}

}  // namespace

extern constinit const Kernel add_kernel = of_both(
    {.name = "+",
     .infer = add_infer,
     .step = StepKind::add,
     .doc =
         "The sum of two integers, floats or complex numbers, or two strings joined. Both sides have one dtype. Integers wrap.",
     .example = "from_tensors([1, 2] + [[10], [20]])",
     .output = "[[11, 12], [21, 22]]",
     .bench = "x + 1.0"});

extern constinit const Kernel subtract_kernel =
    of_both({.name = "-",
             .infer = [](KernelCall& call) { return infer_binary<Numbers, Subtract>(call, "numbers"); },
             .step = StepKind::subtract,
             .doc = "The difference of two integers, floats or complex numbers of one dtype. Integers wrap.",
             .example = "from_tensors([5, 7] - 2)",
             .output = "[3, 5]",
             .bench = "x - 1.0"});

extern constinit const Kernel multiply_kernel =
    of_both({.name = "*",
             .infer = [](KernelCall& call) { return infer_binary<Numbers, Multiply>(call, "numbers"); },
             .step = StepKind::multiply,
             .doc = "The product of two integers, floats or complex numbers of one dtype. Integers wrap.",
             .example = "from_tensors([1, 2, 3] * 2)",
             .output = "[2, 4, 6]",
             .bench = "x * 2.0"});

}  // namespace weir
