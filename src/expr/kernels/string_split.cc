// string_split(s, sep: ""): the parts of a string as a vector of views of it; those of a vector as a matrix.
#include <algorithm>
#include <array>

#include "core/text.h"
#include "expr/kernels/shared/stacked.h"
#include "expr/kernels/shared/strings.h"

namespace weir {

namespace {

// Calls f(part) for what stands between runs of white space.
template <class F>
void each_word(const Str& s, F f) {
  const char* at = s.data;
  const char* end = s.data + s.size;
  while (true) {
    while (at < end && is_white_space(*at)) ++at;
    if (at == end) return;
    const char* begin = at;
    while (at < end && !is_white_space(*at)) ++at;
    f(Str(begin, static_cast<uint64_t>(at - begin)));
  }
}

// Calls f(part) for what stands between separators.
template <class F>
void each_part(const Str& s, std::string_view sep, F f) {
  const std::string_view text = s.view();
  size_t begin = 0;
  while (true) {
    const size_t end = sep.size() == 1 ? text.find(sep[0], begin) : text.find(sep, begin);
    if (end == std::string_view::npos) break;
    f(Str(text.substr(begin, end - begin)));
    begin = end + sep.size();
  }
  f(Str(text.substr(begin)));
}

template <class F>
void split(const Str& s, std::string_view sep, F f) {
  return sep.empty() ? each_word(s, f) : each_part(s, sep, f);
}

void split_row(KernelRun& run, int row) {
  const Str& s = *run.arg(0).row<Str>(row);
  const std::string_view sep = run.arg(1).row<Str>(row)->view();
  // Few parts are found once; many are counted first.
  std::array<Str, 32> few;
  size_t count = 0;
  split(s, sep, [&](const Str& part) {
    if (count < few.size()) few[count] = part;
    ++count;
  });
  Str* out = run.make_row<Str>(0, row, Shape{static_cast<int64_t>(count)});
  if (out == nullptr) return;
  if (count <= few.size()) {
    std::copy_n(few.begin(), count, out);
  } else {
    split(s, sep, [&](const Str& part) { *out++ = part; });
  }
}

// A vector of strings: all have as many parts.
void split_vector(KernelRun& run, int row) {
  const Arg& strings = run.arg(0);
  const Str* const first = strings.row<Str>(row);
  const std::string_view sep = run.arg(1).row<Str>(row)->view();
  const int64_t rows = strings.shape[0];
  int64_t parts = 0;
  for (int64_t k = 0; k < rows; ++k) {
    int64_t count = 0;
    split(first[k], sep, [&](const Str&) { ++count; });
    if (k == 0) parts = count;
    if (count == parts) continue;
    return run.fail(
        row, invalid_argument(expected_found(
                 "strings of as many parts", concat(parts, " in the first one and ", count, " in string ", k),
                 "rows(s, …) takes each string apart, and padding gives all one length")));
  }
  Str* out = run.make_row<Str>(0, row, Shape{rows, parts});
  for (int64_t k = 0; k < rows && out != nullptr; ++k)
    split(first[k], sep, [&](const Str& part) { *out++ = part; });
}

constexpr std::string_view kSplitSeparator = "the separator of string_split";

Mistake not_strings(const Shape& shape) {
  return expected_found("a string or a vector of strings for string_split",
                        concat("the shape ", shape.to_string()));
}

void string_split_body(KernelRun& run) {
  if (!is_scalar(run, 1, kSplitSeparator)) return;
  const int rank = run.arg(0).shape.rank();
  for (int i = 0; i < run.rows(); ++i) {
    if (rank == 0) {
      split_row(run, i);
    } else if (rank == 1) {
      split_vector(run, i);
    } else {
      run.fail(i, invalid_argument(not_strings(run.arg(0).shape)));
    }
  }
}

Status string_split_infer(KernelCall& call) {
  const Shape& strings = call.shape(0);
  if (strings.rank_known() && strings.rank() > 1) return call.error(0, not_strings(strings));
  WEIR_TRY(check_scalar_if_known(call, 1, kSplitSeparator));
  call.result(DType::string, shape_of_stacked(strings, {kUnknownDim}));
  call.body(string_split_body);
  call.set_can_fail(!(strings == Shape()) || !call.shape(1).rank_known());
  return Status();
}

}  // namespace

extern constinit const Kernel string_split_kernel{
    .name = "string_split",
    .params = {{.name = "s", .type = "string", .doc = "A scalar, or a vector."},
               {.name = "sep",
                .type = "string",
                .fallback = "\"\"",
                .doc = "The separator, which may have several bytes; \"\" means runs of white space."}},
    .infer = string_split_infer,
    .doc =
        "Splits a string at each separator. Between two adjacent separators, and before one at the start or after one at the end, is an empty part; with runs of white space there are none. An empty string has no words, but one part. Of a vector, all strings must have as many parts.",
    .result = "string[?]; of a vector, string[n, ?].",
    .cost = "One pass over the bytes; the parts are views of `s`.",
    .example =
        R"(from_tensor_slices(["a b  c", "x"]) | map(s -> (string_split(s), string_split(s, sep: " "))))",
    .output = "([\"a\", \"b\", \"c\"], [\"a\", \"b\", \"\", \"c\"])\n([\"x\"], [\"x\"])",
    .bench = "string_split(s)",
    .can_fail = true};

}  // namespace weir
