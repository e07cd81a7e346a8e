// substr(s, pos, len): the bytes of each string from a position on, as a view of the argument.
#include "expr/kernels/shared/broadcast.h"
#include "expr/kernels/shared/strings.h"

namespace weir {

namespace {

// False if the position lies outside.
bool cut(const Str& s, int64_t pos, int64_t len, Str& out) {
  const auto size = static_cast<int64_t>(s.size);
  if (pos < -size || pos > size) return false;
  if (pos < 0) pos += size;
  const int64_t most = size - pos;
  out = Str(s.data + pos, static_cast<uint64_t>(len < 0 || len > most ? most : len));
  return true;
}

Status outside(const Str& s, int64_t pos) {
  const auto size = static_cast<int64_t>(s.size);
  return invalid_argument(
      expected_found(concat("a position from ", -size, " to ", size, " for substr"), concat(pos)));
}

void substr_body(KernelRun& run) {
  const std::optional<Shape> shape = broadcast_run(run);
  if (!shape) return;
  Str* out = run.make<Str>(0, *shape);
  if (out == nullptr) return;
  const Shape& strings = run.arg(0).shape;
  const Shape& positions = run.arg(1).shape;
  const Shape& lengths = run.arg(2).shape;
  const int64_t count = shape->count();
  for (int i = 0; i < run.rows(); ++i, out += count) {
    const Str* s = run.arg(0).row<Str>(i);
    const int64_t* pos = run.arg(1).row<int64_t>(i);
    const int64_t* len = run.arg(2).row<int64_t>(i);
    for (int64_t k = 0; k < count; ++k) {
      const Str& from = s[broadcast_index(strings, *shape, k)];
      const int64_t at = pos[broadcast_index(positions, *shape, k)];
      if (cut(from, at, len[broadcast_index(lengths, *shape, k)], out[k])) continue;
      run.fail(i, outside(from, at));
      break;
    }
  }
}

Status substr_infer(KernelCall& call) {
  constexpr int kAll[] = {0, 1, 2};
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kAll));
  call.result(DType::string, shape);
  call.body(substr_body);
  return Status();
}

}  // namespace

extern constinit const Kernel substr_kernel{
    .name = "substr",
    .params = {{.name = "s", .type = "string"},
               {.name = "pos",
                .type = "int64",
                .doc = "The position of the first byte; negative counts from the end."},
               {.name = "len", .type = "int64", .doc = "The number of bytes; negative means all."}},
    .infer = substr_infer,
    .doc =
        "Takes `len` bytes of each string from `pos` on, or as many as there are. The arguments broadcast. A position outside the string is an error of the element; its end is allowed.",
    .result = "string, the broadcast shape.",
    .cost = "One store per string; the results are views of `s`.",
    .example = R"(from_tensor_slices(["2024-01-31", "x"]) | map(s -> substr(s, 5, 2)))",
    .output =
        "\"01\"\nerror: invalid_argument: map: expected a position from -1 to 1 for substr, found 5; in substr of string, int64 and int64 at line 1, column 52 (in map)",
    .bench = "substr(s, 10, 100)",
    .can_fail = true};

}  // namespace weir
