// Part of weir/weir.hpp: documents written as chained calls.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/cpp/dataset.hpp"
#include "weir/cpp/tensor.hpp"

namespace weir {
inline namespace v0 {

// A text of the notation where a value is due: Expression("$n * 2"), Expression("[1, 2, 3]").
struct Expression {
  explicit Expression(std::string expression) : text(std::move(expression)) {}
  std::string text;
};

// The words `auto` and `none` of the notation.
struct Auto {};
inline constexpr Auto automatic{};
struct None {};
inline constexpr None none{};

namespace detail {

template <class Self>
class Document;

// The kind of a text of the notation, and of several arguments in a row.
inline constexpr uint32_t kText = 0;
inline constexpr uint32_t kSpread = ~uint32_t{0};

// The argument of an operator. One that was not given stands for the default.
class Written {
 public:
  Written() = default;
  Written(const Expression& expression) : Written(kText, expression.text) {}
  bool given() const noexcept { return argument_.has_value(); }
  Argument argument() const { return argument_.value_or(Argument(kText, std::string())); }

 protected:
  Written(uint32_t kind, Argument::Value value, Arguments members = {})
      : argument_(Argument(kind, std::move(value), std::move(members))) {}
  explicit Written(Argument argument) : argument_(std::move(argument)) {}

  // Values as members of a list or tuple, or pairs of a key and a value as those of a dict.
  template <class Values>
  static Arguments members(const Values& values) {
    Arguments out;
    for (const auto& value : values) {
      if constexpr (std::is_base_of_v<Written, std::decay_t<decltype(value)>>) {
        out.emplace_back("", value);
      } else {
        out.emplace_back(std::string(value.first), value.second);
      }
    }
    return out;
  }

 private:
  std::optional<Argument> argument_;
};

template <class T>
using IfInteger = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>;
template <class T>
using IfText = std::enable_if_t<std::is_convertible_v<const T&, std::string_view>>;

}  // namespace detail

// ---- What operators take. A program seldom names these types: values convert to them, and to each of them
// an Expression. An argument made of {} stands for the default.

// A whole number, or automatic where the operator has that.
class Int : public detail::Written {
 public:
  Int() = default;
  using Written::Written;
  template <class T, class = detail::IfInteger<T>>
  Int(T value) : Written(detail::kText, std::to_string(value)) {}
  Int(Auto) : Written(detail::kText, "auto") {}
};

// A bool, or none where the operator has that.
class Bool : public detail::Written {
 public:
  Bool() = default;
  using Written::Written;
  template <class T, class = std::enable_if_t<std::is_same_v<T, bool>>>
  Bool(T value) : Written(detail::kText, value ? "true" : "false") {}
  Bool(None) : Written(detail::kText, "none") {}
};

// A string, byte for byte.
class String : public detail::Written {
 public:
  String() = default;
  using Written::Written;
  template <class T, class = detail::IfText<T>>
  String(const T& value) : Written(WEIR_VALUE_STRING, std::string(std::string_view(value))) {}
};

// A seed, as in tf.data, or the pair that its kernels see, or none.
class Seed : public detail::Written {
 public:
  Seed() = default;
  using Written::Written;
  template <class T, class = detail::IfInteger<T>>
  Seed(T value) : Written(detail::kText, std::to_string(value)) {}
  Seed(int64_t a, int64_t b)
      : Written(WEIR_VALUE_TUPLE, "", {{"", std::to_string(a)}, {"", std::to_string(b)}}) {}
  Seed(None) : Written(detail::kText, "none") {}
};

class DTypeName : public detail::Written {
 public:
  DTypeName() = default;
  using Written::Written;
  DTypeName(DType dtype) : Written(detail::kText, std::string(name(dtype))) {}
};

// A Spec, or its text.
class SpecText : public detail::Written {
 public:
  SpecText() = default;
  using Written::Written;
  template <class T, class = detail::IfText<T>>
  SpecText(const T& text) : Written(detail::kText, std::string(std::string_view(text))) {}
  SpecText(const Spec& spec) : Written(detail::kText, spec.text()) {}
};

// A value: a number or bool, written as a literal, which adapts to the dtype that it meets; a string; a
// Tensor. Structures are Value::dict() and Value::tuple().
class Value : public detail::Written {
 public:
  Value() = default;
  using Written::Written;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>, class = void>
  Value(T value) : Written(literal(value)) {}
  template <class T, class = detail::IfText<T>>
  Value(const T& value) : Written(WEIR_VALUE_STRING, std::string(std::string_view(value))) {}
  Value(const Tensor& tensor) : Written(detail::kText, tensor) {}

  static Value dict(const std::vector<std::pair<std::string_view, Value>>& values) {
    return Value(Argument(WEIR_VALUE_DICT, "", members(values)));
  }
  static Value tuple(const std::vector<Value>& values) {
    return Value(Argument(WEIR_VALUE_TUPLE, "", members(values)));
  }

 private:
  explicit Value(Argument argument) : Written(std::move(argument)) {}
  template <class T>
  static Argument literal(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      return {detail::kText, value ? "true" : "false"};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {sizeof(T) == sizeof(float) ? WEIR_VALUE_FLOAT32 : WEIR_VALUE_FLOAT64,
              static_cast<double>(value)};
    } else {
      return {detail::kText, std::to_string(value)};
    }
  }
};

// A lambda of the notation ("x -> x * 2"), a Callback, or a function of the program that becomes one.
class Function : public detail::Written {
 public:
  Function() = default;
  using Written::Written;
  template <class T, class = detail::IfText<T>>
  Function(const T& text) : Written(detail::kText, std::string(std::string_view(text))) {}
  Function(Callback callback) : Written(detail::kText, std::move(callback)) {}
  template <class F, class = std::enable_if_t<detail::is_function<F>>, class = void>
  Function(F function) : Function(Callback(std::move(function))) {}
};

// A Pipeline or a Dataset.
class Operand : public detail::Written {
 public:
  Operand() = default;
  using Written::Written;
  template <class Pipeline>
  Operand(const detail::Document<Pipeline>& pipeline) : Written(pipeline.call()) {}
  Operand(const Dataset& dataset) : Written(detail::kText, dataset) {}
};

// Several datasets: {a, b}, whose elements are tuples, or {{"x", a}, {"y", b}}, whose elements are dicts.
class Datasets : public detail::Written {
 public:
  Datasets() = default;
  using Written::Written;
  Datasets(std::initializer_list<Operand> datasets) : Written(detail::kSpread, "", members(datasets)) {}
  Datasets(std::initializer_list<std::pair<std::string_view, Operand>> datasets)
      : Written(WEIR_VALUE_DICT, "", members(datasets)) {}
};

// Several datasets in a list, {a, b}, that are told apart by their numbers.
class DatasetList : public detail::Written {
 public:
  DatasetList() = default;
  using Written::Written;
  DatasetList(std::initializer_list<Operand> datasets) : Written(WEIR_VALUE_LIST, "", members(datasets)) {}
};

// Several values in a list, {1, 2}.
class Values : public detail::Written {
 public:
  Values() = default;
  using Written::Written;
  Values(std::initializer_list<Value> values) : Written(WEIR_VALUE_LIST, "", members(values)) {}
};

// A Value, or a Pipeline or Dataset that gives one for each element.
class ValueOrDataset : public detail::Written {
 public:
  ValueOrDataset() = default;
  using Written::Written;
  ValueOrDataset(const Value& value) : Written(value.argument()) {}
  ValueOrDataset(const Tensor& tensor) : Written(detail::kText, tensor) {}
  template <class Pipeline>
  ValueOrDataset(const detail::Document<Pipeline>& pipeline) : Written(pipeline.call()) {}
  ValueOrDataset(const Dataset& dataset) : Written(detail::kText, dataset) {}
};

// A file's name, several, or a dataset of names.
class Files : public detail::Written {
 public:
  Files() = default;
  using Written::Written;
  template <class T, class = detail::IfText<T>>
  Files(const T& file) : Written(WEIR_VALUE_STRING, std::string(std::string_view(file))) {}
  Files(const std::vector<std::string>& files)
      : Written(WEIR_VALUE_LIST, "", members(std::vector<String>(files.begin(), files.end()))) {}
  template <class Pipeline>
  Files(const detail::Document<Pipeline>& names) : Written(names.call()) {}
  Files(const Dataset& names) : Written(detail::kText, names) {}
};

namespace detail {

// A call of an operator: "batch(4, drop_remainder: true)".
class OperatorCall {
 public:
  explicit OperatorCall(std::string_view name) : name_(name) {}
  OperatorCall(const Argument& input, OperatorCall call) : name_(std::move(call.name_)), arguments_{input} {
    arguments_.insert(arguments_.end(), call.arguments_.begin(), call.arguments_.end());
  }
  OperatorCall& positional(const Written& value) { return named("", value); }
  // Nothing if it was not given.
  OperatorCall& named(std::string_view name, const Written& value) {
    if (!value.given()) return *this;
    const Argument argument(std::string(name), value);
    if (argument.kind() != kSpread) return add(argument);
    for (const Argument& member : argument.members()) add(member);
    return *this;
  }
  OperatorCall& add(Argument argument) {
    arguments_.push_back(std::move(argument));
    return *this;
  }
  operator Argument() const { return {WEIR_VALUE_CALL, name_, arguments_}; }

 private:
  std::string name_;
  Arguments arguments_;
};

// What a Pipeline is beside its operators; see weir_operators.hpp.
template <class Self>
class Document {
 public:
  // Declares a parameter that gets its value when an iterator begins. Expressions and lambdas call it $NAME.
  Self param(const std::string& name, const std::string& spec) const {
    return then(OperatorCall("").add({"$" + name, spec}));
  }
  // Passes what expressions and lambdas call @NAME.
  template <class T>
  Self with(const std::string& name, T&& value) const {
    return then(OperatorCall("").add({"@" + name, std::forward<T>(value)}));
  }

  // Makes the dataset. Throws invalid_argument, which shows the document that the calls are, with a caret
  // below the place.
  Dataset build(const Runtime& runtime) const { return apply(runtime, "", {}, {call_}); }
  const Argument& call() const noexcept { return call_; }

 protected:
  explicit Document(Argument call) : call_(std::move(call)) {}
  // This document with a call after it.
  Self then(const OperatorCall& call) const { return Self(OperatorCall(call_, call)); }

 private:
  Argument call_;
};

}  // namespace detail

}  // namespace v0
}  // namespace weir
