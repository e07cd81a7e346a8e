// string_join([a, b], separator: ""): strings joined, entry by entry with broadcasting.
#include <optional>

#include "expr/kernels/shared/broadcast.h"
#include "expr/kernels/shared/strings.h"

namespace weir {

namespace {

// Calls f(part) for each part and separator of one row's results, and done() after each result.
template <class F, class Done>
void each_part(const KernelRun& run, int row, const Shape& shape, F f, Done done) {
  const int members = run.arg_count() - 1;
  const Str& separator = *run.arg(members).row<Str>(row);
  const int64_t count = shape.count();
  for (int64_t k = 0; k < count; ++k) {
    for (int a = 0; a < members; ++a) {
      if (a > 0) f(separator);
      f(run.arg(a).row<Str>(row)[broadcast_index(run.arg(a).shape, shape, k)]);
    }
    done();
  }
}

constexpr std::string_view kJoinSeparator = "the separator of string_join";

void string_join_body(KernelRun& run) {
  // A scalar fits every shape.
  if (!is_scalar(run, run.arg_count() - 1, kJoinSeparator)) return;
  const std::optional<Shape> shape = broadcast_run(run);
  if (!shape) return;
  Str* out = run.make<Str>(0, *shape);
  if (out == nullptr) return;
  size_t size = 0;
  for (int i = 0; i < run.rows(); ++i) {
    each_part(
        run, i, *shape, [&](const Str& part) { size += part.size; }, [] {});
  }
  char* at = run.bytes(size);
  const char* begin = at;
  const auto copy = [&](const Str& part) {
    if (part.size > 0) std::memcpy(at, part.data, part.size);
    at += part.size;
  };
  const auto done = [&] {
    *out++ = Str(begin, static_cast<uint64_t>(at - begin));
    begin = at;
  };
  for (int i = 0; i < run.rows(); ++i) each_part(run, i, *shape, copy, done);
}

Status string_join_infer(KernelCall& call) {
  WEIR_TRY(check_scalar_if_known(call, 1, kJoinSeparator));
  if (call.size(0) == 0) return call.error(0, "expected at least one member");
  Shape shape;
  bool can_fail = !call.shape(1).rank_known();
  for (int m = 0; m < call.size(0); ++m) {
    const Shape& next = call.member(0, m).shape;
    const std::optional<Shape> both = broadcast(shape, next);
    if (!both) {
      return call.error(0, concat("shapes do not broadcast: ", shape.to_string(), " and ", next.to_string(),
                                  " (member ", m, ")"));
    }
    shape = *both;
    can_fail = can_fail || !next.is_static();
  }
  call.result(DType::string, shape);
  call.body(string_join_body);
  call.set_can_fail(can_fail);
  return Status();
}

}  // namespace

extern constinit const Kernel string_join_kernel{
    .name = "string_join",
    .params = {{.name = "values",
                .kind = ParamKind::list,
                .type = "string",
                .doc = "A list or tuple of tensors, which broadcast."},
               {.name = "separator",
                .type = "string",
                .fallback = "\"\"",
                .doc = "The string between two members."}},
    .infer = string_join_infer,
    .doc = "Joins strings entry by entry, with a separator, which is a scalar, between them.",
    .result = "string, the broadcast shape.",
    .cost = "Two passes over the strings, and one copy of their bytes.",
    .example = R"(from_tensors(string_join([["a", "b"], "x"], separator: "-")))",
    .output = R"(["a-x", "b-x"])",
    .bench = "string_join([s, s], separator: \"-\")",
    .can_fail = true};

}  // namespace weir
