// hash_bucket(s, n): FarmHash's Fingerprint64 of each string modulo n, as TensorFlow's
// string_to_hash_bucket_fast.
#include "expr/kernels/shared/elementwise.h"
#include "expr/kernels/shared/strings.h"

#ifdef WEIR_HAVE_FARMHASH
#include <farmhash.h>
#endif

namespace weir {

namespace {

#ifdef WEIR_HAVE_FARMHASH

constexpr std::string_view kCount = "the number of buckets of hash_bucket";

Status check_count(int64_t n) {
  if (n > 0) return Status();
  return invalid_argument(expected_found("at least one bucket for hash_bucket", concat(n)));
}

void hash(const Str* s, int64_t count, int64_t n, int64_t* out) {
  for (int64_t k = 0; k < count; ++k) {
    const uint64_t print = util::Fingerprint64(s[k].data, static_cast<size_t>(s[k].size));
    out[k] = static_cast<int64_t>(print % static_cast<uint64_t>(n));
  }
}

void hash_bucket_body(KernelRun& run) {
  const Arg& strings = run.arg(0);
  const Arg& buckets = run.arg(1);
  if (!is_scalar(run, 1, kCount)) return;
  auto* out = run.make<int64_t>(0, strings.shape);
  if (out == nullptr) return;
  const int64_t count = strings.shape.count();
  if (buckets.stride == 0 && *buckets.row<int64_t>(0) > 0 && is_flat(run, strings)) {
    return hash(strings.row<Str>(0), count * run.rows(), *buckets.row<int64_t>(0), out);
  }
  for (int i = 0; i < run.rows(); ++i, out += count) {
    const int64_t n = *buckets.row<int64_t>(i);
    if (Status status = check_count(n); !status.ok()) {
      run.fail(i, status);
    } else {
      hash(strings.row<Str>(i), count, n, out);
    }
  }
}

Status hash_bucket_infer(KernelCall& call) {
  WEIR_TRY(check_scalar_if_known(call, 1, kCount));
  const Tensor* n = call.constant(1);
  if (n != nullptr) {
    if (Status status = check_count(*n->as<int64_t>()); !status.ok())
      return call.error(1, status.error().what());
  }
  call.result(DType::int64, call.shape(0));
  call.body(hash_bucket_body);
  call.set_can_fail(n == nullptr);
  return Status();
}

#else

Status hash_bucket_infer(KernelCall& call) {
  return call.error("hash_bucket is not in this build of weir; build it with -DWEIR_FARMHASH=ON");
}

#endif

}  // namespace

extern constinit const Kernel hash_bucket_kernel{
    .name = "hash_bucket",
    .params = {{.name = "s", .type = "string"},
               {.name = "n", .type = "int64", .doc = "The number of buckets, a scalar of at least 1."}},
    .infer = hash_bucket_infer,
    .doc =
        "Hashes each string to a bucket from 0 to `n - 1`, as tf.strings.to_hash_bucket_fast. The bucket is the FarmHash Fingerprint64 modulo `n`, the same on every machine.",
    .result = "int64, the shape of `s`.",
    .cost = "One hash per string.",
    .example = R"(from_tensors(hash_bucket(["a", "hello"], 10)))",
    .output = "[9, 6]",
    .bench = "hash_bucket(s, 1000)",
    .can_fail = true};

}  // namespace weir
