// random_bool(p: 0.5, seed: none): true with the probability p.
#include <string>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/draw.h"

namespace weir {

namespace {

bool is_probability(float p) { return p >= 0.0f && p <= 1.0f; }

Mistake wrong(float p) { return expected_found("a probability from 0 to 1", std::to_string(p)); }

void random_bool_body(KernelRun& run) {
  bool* out = run.make<bool>(0, Shape());
  if (out == nullptr) return;
  for (int i = 0; i < run.rows(); ++i) {
    const float p = *run.arg(0).row<float>(i);
    if (!is_probability(p)) {
      run.fail(i, invalid_argument(concat("random_bool: ", wrong(p).sentence())));
      continue;
    }
    out[i] = static_cast<double>(row_philox(run, i).block(0)[0]) < static_cast<double>(p) * 0x1p32;
  }
}

Status random_bool_infer(KernelCall& call) {
  WEIR_TRY(check_scalar(call, 0, "the probability"));
  const Tensor* p = call.constant(0);
  if (p != nullptr && !is_probability(*p->as<float>())) return call.error(0, wrong(*p->as<float>()));
  call.result(DType::boolean, Shape());
  call.body(random_bool_body);
  call.set_can_fail(p == nullptr);
  return Status();
}

}  // namespace

extern constinit const Kernel random_bool_kernel{
    .name = "random_bool",
    .params = {{.name = "p", .type = "float32", .fallback = "0.5", .doc = "The probability of true."},
               kSeedParam},
    .infer = random_bool_infer,
    .doc =
        "A random bool that is true with the probability `p`. It is never true for 0 and always for 1. A probability outside 0 to 1 is an error of the element.",
    .result = "A scalar bool.",
    .cost = "One hash.",
    .example = "range(4) | map(x -> random_bool(seed: 2))",
    .output = "true\ntrue\nfalse\ntrue",
    .bench = "random_bool(seed: 1)",
    .can_fail = true,
    .draws = true};

}  // namespace weir
