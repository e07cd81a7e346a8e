// strip(s): strings without the white space around them, as views of the argument.
#include "expr/kernels/shared/elementwise.h"
#include "expr/kernels/shared/strings.h"

namespace weir {

namespace {

struct Strip {
  Str operator()(const Str& s) const { return Str(without_white_space_around(s.view())); }
};

Status strip_infer(KernelCall& call) {
  call.result(DType::string, call.shape(0));
  call.body(entries_body<Strip, Str, Str>);
  return Status();
}

}  // namespace

extern constinit const Kernel strip_kernel{
    .name = "strip",
    .params = {{.name = "s", .type = "string"}},
    .infer = strip_infer,
    .doc = "Removes white space from both ends of strings: blank, `\\t`, `\\n`, `\\r`, `\\x0b`, `\\x0c`.",
    .result = "string, of the same shape.",
    .cost = "One store per string; the results are views of `s`.",
    .example = R"(from_tensors(strip([" a b ", "x\n"])))",
    .output = R"(["a b", "x"])",
    .bench = "strip(s)"};

}  // namespace weir
