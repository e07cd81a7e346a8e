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
void each_pair(KernelRun& run, const Shape& shape, F f) {
  const Strides sa = broadcast_strides(run.arg(0).shape, shape);
  const Strides sb = broadcast_strides(run.arg(1).shape, shape);
  const int64_t count = shape.count();
  for (int i = 0; i < run.rows(); ++i) {
    const Str* a = run.arg(0).row<Str>(i);
    const Str* b = run.arg(1).row<Str>(i);
    for (int64_t k = 0; k < count; ++k) {
      int64_t rest = k;
      for (int d = shape.rank() - 1, from_a = 0, from_b = 0; d >= -1; --d) {
        if (d < 0) {
          f(a[from_a], b[from_b]);
          break;
        }
        const int64_t at = rest % shape[d];
        rest /= shape[d];
        from_a += static_cast<int>(at * sa.step[d]);
        from_b += static_cast<int>(at * sb.step[d]);
      }
    }
  }
}

void join_body(KernelRun& run) {
  const std::optional<Shape> shape = broadcast_run(run);
  if (!shape) return;
  Str* out = run.make<Str>(0, *shape);
  if (out == nullptr) return;
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

const Kernel& add_kernel() {
  static const Kernel def{
      .name = "+",
      .params = {{.name = "a", .type = "T"}, {.name = "b", .type = "T"}},
      .infer = add_infer,
      .doc = "The sum of two numbers, or two strings joined. Both sides have one dtype. Integers wrap.",
      .result = "The operands' dtype and broadcast shape.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors([1, 2] + [[10], [20]])",
      .output = "[[11, 12], [21, 22]]",
      .bench = "x + 1.0"};
  return def;
}

const Kernel& subtract_kernel() {
  static const Kernel def{
      .name = "-",
      .params = {{.name = "a", .type = "T"}, {.name = "b", .type = "T"}},
      .infer = [](KernelCall& call) { return infer_binary<Numbers, Subtract>(call, "numbers"); },
      .doc = "The difference of two numbers of one dtype. Integers wrap.",
      .result = "The operands' dtype and broadcast shape.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors([5, 7] - 2)",
      .output = "[3, 5]",
      .bench = "x - 1.0"};
  return def;
}

const Kernel& multiply_kernel() {
  static const Kernel def{
      .name = "*",
      .params = {{.name = "a", .type = "T"}, {.name = "b", .type = "T"}},
      .infer = [](KernelCall& call) { return infer_binary<Numbers, Multiply>(call, "numbers"); },
      .doc = "The product of two numbers of one dtype. Integers wrap.",
      .result = "The operands' dtype and broadcast shape.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors([1, 2, 3] * 2)",
      .output = "[2, 4, 6]",
      .bench = "x * 2.0"};
  return def;
}

}  // namespace weir
