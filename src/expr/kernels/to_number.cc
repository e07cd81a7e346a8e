// to_number(s, dtype: float32): the numbers that strings write, with white space around them allowed.
// fast_float reads floats.
#include <fast_float/fast_float.h>

#include <charconv>
#include <cmath>

#include "expr/kernels/shared/strings.h"
#include "expr/types/dispatch.h"
#include "format/json/json_number.h"
#include "format/parse_number.h"

namespace weir {

namespace {

template <class T>
bool read_integer(const char* begin, const char* end, T& out) {
  const auto [at, error] = std::from_chars(begin, end, out);
  return error == std::errc() && at == end;
}

template <class T>
bool read_float(const char* begin, const char* end, T& out) {
  const bool minus = begin != end && *begin == '-';
  double whole = 0;
  if (numbers::parse_hexadecimal({begin + minus, static_cast<size_t>(end - begin - minus)}, whole)) {
    out = static_cast<T>(minus ? -whole : whole);
    return true;
  }
  const auto [at, error] = fast_float::from_chars(begin, end, out);
  // A value beyond the dtype is infinite or 0. `nan(…)` is no number.
  if (at != end || (error != std::errc() && error != std::errc::result_out_of_range)) return false;
  return !std::isnan(out) || *(end - 1) != ')';
}

template <class T>
bool read(std::string_view text, T& out) {
  text = without_white_space_around(text);
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') {
    if (++begin != end && *begin == '-') return false;
  }
  if constexpr (std::is_integral_v<T>) {
    return read_integer(begin, end, out);
  } else if constexpr (is_half<T>) {
    if (read_number({begin, end}, out)) return true;
    // In hexadecimal, with a point on one side, or no finite number.
    double value;
    if (!read_float(begin, end, value)) return false;
    if constexpr (std::is_same_v<T, Float16>) {
      out = to_float16(value);
    } else {
      out = to_bfloat16(static_cast<float>(value));
    }
    return true;
  } else {
    Compute<T> value;
    if (!read_float(begin, end, value)) return false;
    out = store<T>(value);
    return true;
  }
}

template <class T>
void to_number_body(KernelRun& run) {
  convert_strings<T>(
      run, [](std::string_view text, T& out) { return read(text, out); },
      [](std::string_view text) {
        return invalid_argument(expected_found(
            concat("a number for to_number that fits ", dtype_name(dtype_of<T>)), quote_start(text)));
      });
}

Status to_number_infer(KernelCall& call) {
  const DType dtype = call.dtype_value(1);
  const bool known = visit<Reals>(dtype, [&]<class T>() { call.body(to_number_body<T>); });
  if (!known) return call.error(1, expected_found("an integer or float dtype", dtype_name(dtype)));
  call.result(dtype, call.shape(0));
  return Status();
}

}  // namespace

extern constinit const Kernel to_number_kernel{
    .name = "to_number",
    .params = {{.name = "s", .type = "string"},
               {.name = "dtype", .kind = ParamKind::dtype, .fallback = "float32"}},
    .infer = to_number_infer,
    .doc =
        "Parses strings as decimal numbers. White space around them is allowed. Floats may also be `inf`, `infinity`, `nan` and whole numbers in hexadecimal; they are rounded to nearest, and one beyond the dtype becomes infinite. A string that is not a number, and an integer that does not fit the dtype, are errors of the element.",
    .result = "The given dtype, the shape of `s`.",
    .cost = "One pass over the bytes.",
    .example = R"(from_tensor_slices([" 42", "4.5"]) | map(s -> to_number(s, int64)))",
    .output =
        "42\nerror: invalid_argument: map: expected a number for to_number that fits int64, found \"4.5\"; in to_number of string at line 1, column 47 (in map)",
    .bench = "to_number(as_string(x))",
    .can_fail = true};

}  // namespace weir
