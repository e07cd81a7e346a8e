// assert(c, "message", x): x, or an error of the element where c does not hold. No bytes move.
#include "expr/check.h"

namespace weir {

namespace {

struct Message : KernelState {
  Status status;
};

void body(KernelRun& run) {
  const Arg& condition = run.arg(0);
  for (int i = 0; i < run.rows(); ++i) {
    if (!*condition.row<bool>(i)) run.fail(i, run.state<Message>().status);
  }
}

Status infer(KernelCall& call) {
  WEIR_TRY(check_scalar(call, 0, "the condition"));
  WEIR_ASSIGN(std::string message, call.text(1));
  auto state = std::make_shared<Message>();
  state->status = invalid_argument(std::move(message));
  call.result(call.spec(2));
  const int components = call.spec(2).component_count();
  for (int i = 0; i < components; ++i) call.alias(i, call.argument(2) + i);
  call.body(body, std::move(state));
  return Status();
}

}  // namespace

const Kernel& assert_kernel() {
  static const Kernel def{.name = "assert",
                          .params = {{.name = "c", .type = "bool"},
                                     {.name = "message", .kind = ParamKind::constant, .type = "string"},
                                     {.name = "x", .kind = ParamKind::any}},
                          .infer = infer,
                          .doc =
                              "x, of any structure; where the condition does not hold, invalid_argument with "
                              "the message instead. Moves no "
                              "bytes.",
                          .can_fail = true};
  return def;
}

}  // namespace weir
