// string_length(s): the number of bytes of each string.
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/elementwise.h"

namespace weir {

namespace {

struct Length {
  int64_t operator()(Str s) const { return static_cast<int64_t>(s.size); }
};

Status string_length_infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  call.result(DType::int64, call.shape(0));
  call.body(entries_body<Length, int64_t, Str>);
  return Status();
}

}  // namespace

extern constinit const Kernel string_length_kernel{.name = "string_length",
                                                   .params = {{.name = "s"}},
                                                   .infer = string_length_infer,
                                                   .doc = "The number of bytes of each string.",
                                                   .result = "int64, of the same shape.",
                                                   .cost = "One store per string.",
                                                   .example = R"(from_tensors(string_length(["a", "bcd"])))",
                                                   .output = "[1, 3]",
                                                   .bench = "string_length(s)"};

}  // namespace weir
