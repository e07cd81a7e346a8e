// as_string(x): entries as text: integers in decimal, floats as printf writes %f, in no locale.
#include <array>
#include <charconv>

#include "expr/kernels/shared/strings.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

// A sign, the 309 digits of the largest double, a point and six decimals; two of them and "(,)" for complex
// numbers.
constexpr size_t kMostFloat = 320;
using Text = std::array<char, 2 * kMostFloat + 3>;

template <class T>
char* write(char* to, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    const std::string_view word = value ? "true" : "false";
    return std::copy(word.begin(), word.end(), to);
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_chars(to, to + kMostFloat, value).ptr;
  } else if constexpr (requires { value.real(); }) {
    *to++ = '(';
    to = write(to, value.real());
    *to++ = ',';
    to = write(to, value.imag());
    *to++ = ')';
    return to;
  } else {
    return std::to_chars(to, to + kMostFloat, static_cast<double>(value), std::chars_format::fixed, 6).ptr;
  }
}

template <class T>
void as_string_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  Str* out = run.make<Str>(0, x.shape);
  if (out == nullptr) return;
  const int64_t count = x.shape.count();
  StringWriter writer(run);
  Text text;
  for (int i = 0; i < run.rows(); ++i) {
    const T* entries = x.row<T>(i);
    for (int64_t k = 0; k < count; ++k) {
      const char* end = write(text.data(), load(entries[k]));
      *out++ = writer.add({text.data(), static_cast<size_t>(end - text.data())});
    }
  }
}

Status as_string_infer(KernelCall& call) {
  call.result(DType::string, call.shape(0));
  if (call.dtype(0) == DType::string) {
    call.alias(0, call.argument(0));
    return Status();
  }
  const bool known =
      visit<JoinT<Numbers, TypeList<bool>>>(call.dtype(0), [&]<class T>() { call.body(as_string_body<T>); });
  return known ? Status() : wrong_dtype(call, 0, "a tensor");
}

}  // namespace

extern constinit const Kernel as_string_kernel{
    .name = "as_string",
    .params = {{.name = "x"}},
    .infer = as_string_infer,
    .doc =
        "Converts each entry to text. Integers are decimal; floats have six decimals, as `%f` writes them; complex numbers are two floats in parentheses; bools are `true` and `false`. Strings stay as they are.",
    .result = "string, the shape of `x`.",
    .cost = "One pass over the entries, and one copy of the text.",
    .example = "from_tensors((as_string(42), as_string([1.5, 1e-7]), as_string(true)))",
    .output = R"(("42", ["1.500000", "0.000000"], "true"))",
    .bench = "as_string(n)"};

}  // namespace weir
