#include "expr/types/literal.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "core/float_mode.h"
#include "core/text.h"
#include "expr/types/dispatch.h"
#include "format/json/json_number.h"

namespace weir {

namespace {

std::string text_of_number(const Literal::Number& number) {
  return concat(number.negative ? "-" : "", number.floating ? number.text : std::to_string(number.integer));
}

// A whole number written as a float where an integer is wanted.
std::string as_integer(const Literal::Number& number, DType dtype) {
  if (!number.floating || is_float(dtype)) return "";
  double value = 0;
  const char* end = number.text.data() + number.text.size();
  if (std::from_chars(number.text.data(), end, value).ec != std::errc()) return "";
  constexpr double kExact = 9007199254740992.0;
  if (value != std::floor(value) || value > kExact) return "";
  return concat("write ", number.negative ? "-" : "", static_cast<int64_t>(value));
}

Status does_not_fit(const Literal::Number& number, DType dtype) {
  return invalid_argument(
      {concat("the literal ", text_of_number(number), " does not fit ", dtype_name(dtype)),
       as_integer(number, dtype)});
}

template <class T>
bool to_integer(const Literal::Number& number, T* out) {
  if (number.floating) return false;
  const auto highest = static_cast<uint64_t>(std::numeric_limits<T>::max());
  const uint64_t limit = number.negative ? (std::is_signed_v<T> ? highest + 1 : 0) : highest;
  if (number.integer > limit) return false;
  *out = static_cast<T>(number.negative ? 0 - number.integer : number.integer);
  return true;
}

// Rounds to the nearest value; infinite only if that was written.
template <class T>
bool to_floating(const Literal::Number& number, T* out) {
  T value = 0;
  if (!number.floating) {
    value = static_cast<T>(number.integer);
  } else if (number.text == "inf") {
    value = std::numeric_limits<T>::infinity();
  } else if (number.text == "nan") {
    value = std::numeric_limits<T>::quiet_NaN();
  } else {
    const char* end = number.text.data() + number.text.size();
    auto [at, error] = std::from_chars(number.text.data(), end, value);
    if (error == std::errc::result_out_of_range) {
      // Too small rounds to zero, too large does not fit.
      double wide = 0;
      auto again = std::from_chars(number.text.data(), end, wide);
      if (again.ec == std::errc() ? std::fabs(wide) > 1 : number.text.find("e-") == std::string::npos)
        return false;
      value = static_cast<T>(wide);
    }
  }
  *out = number.negative ? -value : value;
  return true;
}

template <class T>
bool convert(const Literal::Number& number, T* out) {
  if constexpr (std::is_integral_v<T>) {
    return to_integer(number, out);
  } else if constexpr (is_half<T>) {
    if (read_number(number.floating ? number.text : std::to_string(number.integer), *out)) {
      if (number.negative) out->bits ^= 0x8000;
      return std::isfinite(to_float(*out));
    }
    double wide = 0;
    if (!to_floating(number, &wide)) return false;
    if constexpr (std::is_same_v<T, Float16>) {
      *out = to_float16(wide);
    } else {
      *out = to_bfloat16(static_cast<float>(wide));
    }
    return std::isinf(wide) || std::isnan(wide) || std::isfinite(to_float(*out));
  } else if constexpr (std::is_floating_point_v<T>) {
    return to_floating(number, out);
  } else {
    typename T::value_type real = 0;
    if (!to_floating(number, &real)) return false;
    *out = T(real);
    return true;
  }
}

}  // namespace

Result<Tensor> Literal::to(DType dtype) const {
  Tensor out = Tensor::allocate(dtype, shape);
  Status status;
  const auto convert_all = [&]<class T>() {
    T* entry = out.as<T>();
    for (const Number& number : numbers) {
      if (!convert(number, entry++)) {
        status = does_not_fit(number, dtype);
        return;
      }
    }
  };
  const bool known = in_float_mode([&] { return visit<Numbers>(dtype, convert_all); });
  if (!known && numbers.empty()) return out;
  if (!known)
    return invalid_argument(concat("the literal ", text_of_number(numbers[0]), " is no ", dtype_name(dtype)));
  if (!status.ok()) return status;
  return out;
}

std::optional<Literal> number_literal(const syntax::Node& node) {
  const bool negative = node.kind == syntax::Kind::unary && node.op == syntax::Op::negate;
  const syntax::Node& number = negative ? node.child(0) : node;
  if (number.kind != syntax::Kind::integer && number.kind != syntax::Kind::floating) return std::nullopt;
  Literal out;
  out.floating = number.kind == syntax::Kind::floating;
  out.numbers.push_back({out.floating, negative, number.integer, number.text});
  return out;
}

std::optional<Literal> list_literal(const std::vector<LiteralRef>& members) {
  Literal out;
  out.floating = members.empty();
  for (const LiteralRef& member : members) {
    if (!(member->shape == members[0]->shape) || member->shape.rank() == kMaxRank) return std::nullopt;
    out.floating = out.floating || member->floating;
    out.numbers.insert(out.numbers.end(), member->numbers.begin(), member->numbers.end());
  }
  const Shape inner = members.empty() ? Shape() : members[0]->shape;
  out.shape = inner.prepended(static_cast<int64_t>(members.size()));
  return out;
}

}  // namespace weir
