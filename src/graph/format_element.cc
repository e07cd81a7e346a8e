#include "graph/format_element.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/checked.h"
#include "core/float_mode.h"
#include "core/text.h"
#include "graph/format_block.h"
#include "graph/visit_entry.h"

namespace weir {
namespace {

// From this decimal exponent on, and below the other, floats are written with an exponent.
constexpr int kFirstLargeExponent = 16;
constexpr int kLastPlainExponent = -4;

// value = 0.d₁d₂… × 10^(exponent + 1), trailing zeros dropped.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

// Reads "d.ddde±XX", as std::to_chars writes it.
Decimal read_scientific(std::string_view text) {
  Decimal out;
  size_t e = text.find('e');
  for (char c : text.substr(0, e)) {
    if (c >= '0' && c <= '9') out.digits += c;
  }
  while (out.digits.size() > 1 && out.digits.back() == '0') out.digits.pop_back();
  out.exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  return out;
}

template <class T>
Decimal shortest(T magnitude) {
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, magnitude, std::chars_format::scientific).ptr;
  return read_scientific({buffer, static_cast<size_t>(end - buffer)});
}

double read_decimal(int64_t digits, int exponent_of_last) {
  std::string text = concat(digits, "e", exponent_of_last);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// For the 16-bit floats, which std::to_chars does not support: the fewest digits whose value rounds back.
// Besides the nearest decimal its neighbours are tried, since above a power of two the values lie wider
// apart.
template <class RoundsBack>
Decimal shortest_by_search(double magnitude, RoundsBack rounds_back) {
  constexpr int kEnoughDigits = 9;
  for (int precision = 0; precision < kEnoughDigits; ++precision) {
    char buffer[64];
    auto end =
        std::to_chars(buffer, buffer + sizeof buffer, magnitude, std::chars_format::scientific, precision)
            .ptr;
    std::string_view text(buffer, static_cast<size_t>(end - buffer));
    int exponent = std::atoi(std::string(text.substr(text.find('e') + 1)).c_str());
    int64_t digits = 0;
    for (char c : text.substr(0, text.find('e'))) {
      if (c != '.') digits = digits * 10 + (c - '0');
    }
    for (int64_t candidate : {digits, digits + 1, digits - 1}) {
      if (candidate > 0 && rounds_back(read_decimal(candidate, exponent - precision))) {
        return shortest(read_decimal(candidate, exponent - precision));
      }
    }
  }
  return shortest(magnitude);
}

std::string lay_out(const Decimal& decimal) {
  const auto& [digits, exponent] = decimal;
  int count = static_cast<int>(digits.size());
  if (exponent < kLastPlainExponent || exponent >= kFirstLargeExponent) {
    std::string out(1, digits[0]);
    if (count > 1) append_text(out += '.', std::string_view(digits).substr(1));
    int size = std::abs(exponent);
    return out + (exponent < 0 ? "e-" : "e+") + (size < 10 ? "0" : "") + std::to_string(size);
  }
  if (exponent < 0) return "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1) {
    return digits + std::string(static_cast<size_t>(exponent + 1 - count), '0') + ".0";
  }
  return digits.substr(0, static_cast<size_t>(exponent) + 1) + "." +
         digits.substr(static_cast<size_t>(exponent) + 1);
}

// Calls `decimal_of` only with finite magnitudes above 0.
template <class T, class DecimalOf>
std::string format_signed(T value, DecimalOf decimal_of) {
  if (std::isnan(value)) return "nan";
  std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  if (value == 0) return sign + "0.0";
  return sign + lay_out(decimal_of(std::abs(value)));
}

template <class T>
std::string format_complex(std::complex<T> value) {
  std::string imaginary = format_float(value.imag());
  if (imaginary[0] != '-') imaginary.insert(imaginary.begin(), '+');
  return concat("(", format_float(value.real()), imaginary, "j)");
}

template <class T>
std::string text_of(const T& entry) {
  if constexpr (std::is_same_v<T, bool>) {
    return entry ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return concat(entry);
  } else if constexpr (std::is_same_v<T, Str>) {
    return quote(entry.view());
  } else {
    return format_float(entry);
  }
}
template <class T>
std::string text_of(const std::complex<T>& entry) {
  return format_complex(entry);
}

void append_entry(std::string& out, const Tensor& tensor, int64_t i) {
  if (!visit_entry(tensor, i, [&](const auto& entry) { out += text_of(entry); })) out += "?";
}

// Returns false once the text is longer than `limit`.
bool append_axis(std::string& out, const Tensor& tensor, int axis, int64_t& entry, size_t limit) {
  if (axis == tensor.shape.rank()) {
    append_entry(out, tensor, entry++);
    return out.size() <= limit;
  }
  out += "[";
  for (int64_t i = 0; i < tensor.shape.dim(axis); ++i) {
    if (i > 0) out += ", ";
    if (!append_axis(out, tensor, axis + 1, entry, limit)) return false;
  }
  out += "]";
  return out.size() <= limit;
}

// Brackets show every dimension up to the first that is 0.
bool brackets_lose_shape(const Shape& shape) {
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    if (shape.dim(axis) == 0) return true;
  }
  return false;
}

Status append_tensor(std::string& out, const Tensor& tensor, size_t limit) {
  if (brackets_lose_shape(tensor.shape)) {
    out += "zeros(" + tensor.shape.to_string() + ")";
    return {};
  }
  int64_t entry = 0;
  if (text_exceeds(tensor.shape, limit) || !append_axis(out, tensor, 0, entry, limit))
    return text_too_long(limit);
  return {};
}

// The splits of a ragged value may come from a callback.
Status check_splits(const Tensor& values, const Tensor& splits) {
  const int64_t rows = values.shape.rank() > 0 ? values.shape[0] : -1;
  const std::span<const int64_t> all = splits.entries<const int64_t>();
  const bool good = rows >= 0 && !all.empty() && all.front() == 0 && all.back() == rows &&
                    std::is_sorted(all.begin(), all.end());
  if (good) return {};
  return invalid_argument(
      concat("expected row splits that ascend from 0 to the number of values, ", rows, "; found others"));
}

class Printer {
 public:
  Printer(const Components& row, NestedPrinter* nested, size_t limit, int rows = kOneElement)
      : row_(row), nested_(nested), limit_(limit), rows_(rows) {}

  static constexpr int kOneElement = -1;

  Status append(const Spec& spec, std::string& out) {
    if (rows_ != kOneElement && prints_row_by_row(spec)) return append_rows(spec, out);
    switch (spec.kind) {
      case Spec::Kind::tensor:
        return append_tensor(out, row_[next_++], limit_);
      case Spec::Kind::tuple:
        return append_members(spec, "(", spec.children.size() == 1 ? ",)" : ")", out);
      case Spec::Kind::dict:
        return append_members(spec, "{", "}", out);
      case Spec::Kind::sparse:
        return append_sparse(out);
      case Spec::Kind::ragged:
        return append_ragged(out);
      case Spec::Kind::optional:
        return append_optional(spec, out);
      case Spec::Kind::dataset:
        return append_dataset(spec, row_[next_++], out);
    }
    return {};
  }

 private:
  // In a block.
  Status append_rows(const Spec& spec, std::string& out) {
    out += "[";
    for (int row = 0; row < rows_; ++row) {
      if (row > 0) out += ", ";
      const Components parts = row_of_part(spec, row_, next_, row);
      WEIR_TRY(Printer(parts, nested_, limit_).append(spec, out));
      if (out.size() > limit_) return text_too_long(limit_);
    }
    out += "]";
    next_ += static_cast<size_t>(spec.component_count());
    return {};
  }

  Status append_members(const Spec& spec, const char* open, const char* close, std::string& out) {
    out += open;
    for (size_t i = 0; i < spec.children.size(); ++i) {
      if (i > 0) out += ", ";
      if (spec.kind == Spec::Kind::dict) {
        out += (is_identifier(spec.keys[i]) ? spec.keys[i] : quote(spec.keys[i])) + ": ";
      }
      WEIR_TRY(append(spec.children[i], out));
    }
    out += close;
    return {};
  }

  Status append_sparse(std::string& out) {
    out += "sparse(indices: ";
    WEIR_TRY(append_tensor(out, row_[next_], limit_));
    out += ", values: ";
    WEIR_TRY(append_tensor(out, row_[next_ + 1], limit_));
    out += ", shape: ";
    WEIR_TRY(append_tensor(out, row_[next_ + 2], limit_));
    out += ")";
    next_ += 3;
    return {};
  }

  Status append_ragged(std::string& out) {
    const Tensor& values = row_[next_++];
    const Tensor& splits = row_[next_++];
    WEIR_TRY(check_splits(values, splits));
    out += "ragged([";
    for (int64_t i = 0; i + 1 < splits.count(); ++i) {
      if (i > 0) out += ", ";
      int64_t begin = splits.as<int64_t>()[i];
      WEIR_TRY(append_tensor(out, values.rows(begin, splits.as<int64_t>()[i + 1] - begin), limit_));
    }
    out += "])";
    return {};
  }

  Status append_optional(const Spec& spec, std::string& out) {
    if (*row_[next_++].as<uint8_t>() == 0) {
      next_ += static_cast<size_t>(spec.children[0].component_count());
      out += "none";
      return {};
    }
    out += "some(";
    WEIR_TRY(append(spec.children[0], out));
    out += ")";
    return {};
  }

  Status append_dataset(const Spec& spec, const Tensor& component, std::string& out) {
    if (component.shape.rank() > 0) {
      out += "[";
      for (int64_t i = 0; i < component.shape[0]; ++i) {
        if (i > 0) out += ", ";
        WEIR_TRY(append_dataset(spec, component.row(i), out));
      }
      out += "]";
      return {};
    }
    if (!nested_) {
      out += "dataset(...)";
      return {};
    }
    std::vector<std::string> elements;
    WEIR_TRY(nested_->drain(dataset_of(component), spec.children[0], elements));
    out += "dataset([";
    for (size_t i = 0; i < elements.size(); ++i) {
      out += (i > 0 ? ", " : "") + elements[i];
      if (out.size() > limit_) return text_too_long(limit_);
    }
    out += "])";
    return {};
  }

  const Components& row_;
  NestedPrinter* const nested_;
  const size_t limit_;
  // Of a block.
  const int rows_;
  size_t next_ = 0;
};

}  // namespace

std::string format_float(double value) {
  return in_float_mode([&] { return format_signed(value, shortest<double>); });
}
std::string format_float(float value) {
  return in_float_mode([&] { return format_signed(value, shortest<float>); });
}

std::string format_float(Float16 value) {
  const auto decimal_of = [](float magnitude) {
    uint16_t bits = to_float16(magnitude).bits;
    return shortest_by_search(magnitude, [&](double read) { return to_float16(read).bits == bits; });
  };
  return in_float_mode([&] { return format_signed(to_float(value), decimal_of); });
}

std::string format_float(BFloat16 value) {
  const auto decimal_of = [](float magnitude) {
    uint16_t bits = to_bfloat16(magnitude).bits;
    return shortest_by_search(
        magnitude, [&](double read) { return to_bfloat16(static_cast<float>(read)).bits == bits; });
  };
  return in_float_mode([&] { return format_signed(to_float(value), decimal_of); });
}

bool text_exceeds(const Shape& shape, size_t limit) {
  // A character and ", " for each entry, or for each empty list.
  const size_t places = limit / 3 + 1;
  std::optional<size_t> count = 1;
  for (int axis = 0; axis < shape.rank() && shape.dim(axis) != 0; ++axis)
    count = checked_multiply(count, static_cast<size_t>(shape.dim(axis)));
  return !count || *count > places;
}

Status text_too_long(size_t limit) {
  return resource_exhausted(expected_found(concat("an element whose text has at most ", limit, " bytes"),
                                           "a longer one", "print a part of it, or its shape"));
}

Result<std::string> format_element(const Spec& spec, const Components& row, NestedPrinter* nested,
                                   size_t limit) {
  std::string out;
  WEIR_TRY(Printer(row, nested, limit).append(spec, out));
  return out;
}

Result<std::string> format_block(const Spec& spec, const Components& block, int rows) {
  std::string out;
  WEIR_TRY(Printer(block, nullptr, kMaxElementText, rows).append(spec, out));
  return out;
}

bool prints_row_by_row(const Spec& spec) {
  return spec.kind == Spec::Kind::sparse || spec.kind == Spec::Kind::ragged ||
         spec.kind == Spec::Kind::optional;
}

Components row_of_part(const Spec& part, const Components& block, size_t first, int row) {
  Components out;
  for (size_t i = 0; i < static_cast<size_t>(part.component_count()); ++i)
    out.push_back(block[first + i].row(row));
  return out;
}

}  // namespace weir
