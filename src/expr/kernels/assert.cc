// assert(c, "message", x): x, or an error of the element if c is false. No bytes move.
#include "expr/kernels/shared/check.h"

namespace weir {

namespace {

struct AssertMessage : KernelState {
  Status status;
};

void assert_body(KernelRun& run) {
  const Arg& condition = run.arg(0);
  for (int i = 0; i < run.rows(); ++i) {
    if (!*condition.row<bool>(i)) run.fail(i, run.state<AssertMessage>().status);
  }
}

Status assert_infer(KernelCall& call) {
  WEIR_TRY(check_scalar(call, 0, "the condition"));
  WEIR_ASSIGN(std::string message, call.text(1));
  auto state = std::make_shared<AssertMessage>();
  state->status = invalid_argument(std::move(message));
  call.result(call.spec(2));
  const int components = call.spec(2).component_count();
  for (int i = 0; i < components; ++i) call.alias(i, call.argument(2) + i);
  call.body(assert_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel assert_kernel{
    .name = "assert",
    .params = {{.name = "c", .type = "bool", .doc = "The condition, a scalar."},
               {.name = "message",
                .kind = ParamKind::constant,
                .type = "string",
                .doc = "The message of the error."},
               {.name = "x", .kind = ParamKind::any, .doc = "A value of any structure."}},
    .infer = assert_infer,
    .doc = "`x` if the condition is true, else an error of the element (invalid_argument) with the message.",
    .result = "The structure of `x`.",
    .cost = "Moves no bytes.",
    .example = R"(range(3) | map(x -> assert(x != 1, "found a one", x)))",
    .output = "0\nerror: invalid_argument: map: found a one (in map)\n2",
    .bench = R"(assert(b[0], "never", x))",
    .can_fail = true,
    .quotes_user = true};

}  // namespace weir
