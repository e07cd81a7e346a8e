// Literal: a number or nested list of numbers as written, whose dtype is not yet known. Floats keep their
// exact decimal text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "syntax/tree.h"

namespace weir {

// The most numbers in one literal. No text has room for more, but lists of names of lists do.
inline constexpr size_t kMaxLiteralNumbers = size_t{1} << 20;

struct Literal {
  struct Number {
    bool floating = false;
    bool negative = false;
    uint64_t integer = 0;
    // For a float: its digits, "inf" or "nan", without the sign.
    std::string text;
  };

  Shape shape;
  bool floating = false;  // some member is a float, or there are none
  std::vector<Number> numbers;

  // int64 or float32.
  DType natural() const { return floating ? DType::float32 : DType::int64; }
  bool empty() const { return numbers.empty(); }
  // Converts exactly the written values. Integers fit every number dtype that holds them, floats only float
  // dtypes; else invalid_argument, to which the caller adds the place.
  Result<Tensor> to(DType dtype) const;
};

using LiteralRef = std::shared_ptr<const Literal>;

// A number with at most one minus sign; nothing for any other node.
std::optional<Literal> number_literal(const syntax::Node& node);
// A list of those literals; nothing if their shapes differ or the rank is too high.
std::optional<Literal> list_literal(const std::vector<LiteralRef>& members);

}  // namespace weir
