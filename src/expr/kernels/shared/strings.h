// What functions of strings share: walking entries, white space, text in messages, room for results.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "core/text.h"
#include "expr/kernels/shared/check.h"

namespace weir {

// Calls f(string) for each string of all rows, in order.
template <class F>
void each_string(const KernelRun& run, const Arg& arg, F f) {
  const int64_t count = arg.shape.count();
  for (int i = 0; i < run.rows(); ++i) {
    const Str* strings = arg.row<Str>(i);
    for (int64_t k = 0; k < count; ++k) f(strings[k]);
  }
}

// For functions that fail on some strings: calls f(string, result) for each string of all rows. If it returns
// false, the row fails with why(string).
template <class R, class F, class Why>
void convert_strings(KernelRun& run, F f, Why why) {
  const Arg& arg = run.arg(0);
  const int64_t count = arg.shape.count();
  R* out = run.make<R>(0, arg.shape);
  for (int i = 0; out != nullptr && i < run.rows(); ++i, out += count) {
    const Str* strings = arg.row<Str>(i);
    for (int64_t k = 0; k < count; ++k) {
      if (f(strings[k].view(), out[k])) continue;
      run.fail(i, why(strings[k].view()));
      break;
    }
  }
}

// For arguments that must be scalars, but whose rank may be known only at the element: checks what is known
// when the call is typed. If that is nothing, the body has to ask is_scalar().
inline Status check_scalar_if_known(const KernelCall& call, int param, std::string_view what) {
  return call.shape(param).rank_known() ? check_scalar(call, param, what) : Status();
}

// If the argument is no scalar, fails every row.
inline bool is_scalar(KernelRun& run, int arg, std::string_view what) {
  if (run.arg(arg).shape.rank() == 0) return true;
  const Status status = invalid_argument(
      expected_found(concat(what, " to be a scalar"), concat("the shape ", run.arg(arg).shape.to_string())));
  for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
  return false;
}

// The place of the argument's entry that entry `k` of the shape it broadcasts to takes. Costs a few
// divisions, or little if the shapes are equal or the argument is a scalar.
inline int64_t broadcast_index(const Shape& from, const Shape& to, int64_t k) {
  if (from.rank() == 0) return 0;
  if (from == to) return k;
  int64_t place = 0;
  int64_t step = 1;
  for (int d = to.rank() - 1, at = from.rank() - 1; at >= 0; --d, --at) {
    if (from[at] != 1) place += k % to[d] * step;
    step *= from[at];
    k /= to[d];
  }
  return place;
}

// Blank, tab, newline, carriage return, vertical tab, form feed; in no locale.
inline bool is_white_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

inline std::string_view without_white_space_around(std::string_view text) {
  while (!text.empty() && is_white_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white_space(text.back())) text.remove_suffix(1);
  return text;
}

// The string in quotes for a message; the beginning of a long one.
inline std::string quote_start(std::string_view text) {
  constexpr size_t kShown = 40;
  return text.size() <= kShown ? quote(text) : concat(quote(text.substr(0, kShown)), "...");
}

// Collects the bytes of strings whose sizes are not known beforehand, in few allocations.
class StringWriter {
 public:
  explicit StringWriter(KernelRun& run) : run_(run) {}

  Str add(std::string_view text) {
    if (text.empty()) return Str();
    if (at_ == nullptr || text.size() > left_) grow(text.size());
    std::memcpy(at_, text.data(), text.size());
    const Str out(at_, text.size());
    at_ += text.size();
    left_ -= text.size();
    return out;
  }

 private:
  static constexpr size_t kFirst = 64;
  static constexpr size_t kMost = 1 << 20;

  void grow(size_t size) {
    chunk_ = std::min(kMost, chunk_ == 0 ? kFirst : 4 * chunk_);
    left_ = std::max(size, chunk_);
    at_ = run_.bytes(left_);
  }

  KernelRun& run_;
  size_t chunk_ = 0;
  char* at_ = nullptr;
  size_t left_ = 0;
};

}  // namespace weir
