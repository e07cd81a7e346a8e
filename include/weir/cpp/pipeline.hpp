// Part of weir/weir.hpp: documents written as chained calls.
#pragma once

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <memory>
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

// Text as a string of the notation.
inline std::string quoted(std::string_view text) {
  static const char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + "\"";
}

inline bool is_identifier(std::string_view word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (word.empty() || !is_letter(word[0])) return false;
  for (const char c : word) {
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

// A float as a literal that gives the same bits again.
template <class T>
std::string float_text(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, sizeof(T) == 4 ? "%.9g" : "%.17g", static_cast<double>(value));
  // The host's locale may write another point.
  std::string out;
  for (const char* c = buffer; *c; ++c)
    out += (*c >= '0' && *c <= '9') || *c == '-' || *c == 'e' ? *c : *c == '+' ? '+' : '.';
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

// Part of a document: text, with things handed in between, which get their names when it is complete; the
// `param` statements and named arguments that it needs.
class Fragment {
 public:
  Fragment() = default;
  explicit Fragment(std::string text) { *this += text; }
  static Fragment handed(Argument::Value value) {
    Fragment out;
    out.pieces_.push_back({"", std::make_shared<const Argument::Value>(std::move(value))});
    return out;
  }

  bool empty() const noexcept { return pieces_.empty(); }
  Fragment& operator+=(std::string_view text) {
    if (pieces_.empty() || pieces_.back().value) pieces_.emplace_back();
    pieces_.back().text += text;
    return *this;
  }
  Fragment& operator+=(const Fragment& other) {
    for (const Piece& piece : other.pieces_) {
      if (piece.value) {
        pieces_.push_back(piece);
      } else {
        *this += piece.text;
      }
    }
    for (const auto& [name, spec] : other.params_) add_param(name, spec);
    named_.insert(named_.end(), other.named_.begin(), other.named_.end());
    return *this;
  }
  // The same parameter may come from several parts.
  void add_param(const std::string& name, const std::string& spec) {
    for (const auto& param : params_) {
      if (param.first == name && param.second == spec) return;
    }
    params_.emplace_back(name, spec);
  }
  void add_named(Argument argument) { named_.push_back(std::move(argument)); }

  // The whole document. `arguments` gets what it names; NULL is allowed.
  std::string document(Arguments* arguments) const {
    static const char* const kNames[] = {"text", "tensor", "dataset", "callback"};
    std::string out;
    for (const auto& [name, spec] : params_) out += "param " + name + ": " + spec + "\n";
    if (arguments) *arguments = named_;
    size_t count = 0;
    for (const Piece& piece : pieces_) {
      if (!piece.value) {
        out += piece.text;
        continue;
      }
      const std::string name = kNames[piece.value->index()] + std::to_string(++count);
      out += "@" + name;
      if (arguments) arguments->emplace_back(name, *piece.value);
    }
    return out;
  }
  // What is handed in, if there is nothing else.
  const Argument::Value* only_value() const noexcept {
    return pieces_.size() == 1 ? pieces_[0].value.get() : nullptr;
  }

 private:
  struct Piece {
    std::string text;
    std::shared_ptr<const Argument::Value> value;  // none: text
  };
  std::vector<Piece> pieces_;
  std::vector<std::pair<std::string, std::string>> params_;
  Arguments named_;
};

// The argument of an operator. One that was not given stands for the default.
class Written {
 public:
  Written() = default;
  Written(const Expression& expression) : fragment_(expression.text) {}
  bool given() const noexcept { return !fragment_.empty(); }
  const Fragment& fragment() const noexcept { return fragment_; }

 protected:
  explicit Written(Fragment fragment) : fragment_(std::move(fragment)) {}
  Fragment fragment_;
};

template <class T>
using IfInteger = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>;
template <class T>
using IfText = std::enable_if_t<std::is_convertible_v<const T&, std::string_view>>;

}  // namespace detail

// ---- What operators take. A program seldom names these types: values convert to them, and to each of them an
// Expression. An argument made of {} stands for the default.

// A whole number, or automatic where the operator has that.
class Int : public detail::Written {
 public:
  Int() = default;
  using Written::Written;
  template <class T, class = detail::IfInteger<T>>
  Int(T value) : Written(detail::Fragment(std::to_string(value))) {}
  Int(Auto) : Written(detail::Fragment("auto")) {}
};

// A bool, or none where the operator has that.
class Bool : public detail::Written {
 public:
  Bool() = default;
  using Written::Written;
  template <class T, class = std::enable_if_t<std::is_same_v<T, bool>>>
  Bool(T value) : Written(detail::Fragment(value ? "true" : "false")) {}
  Bool(None) : Written(detail::Fragment("none")) {}
};

// A string, byte for byte.
class String : public detail::Written {
 public:
  String() = default;
  using Written::Written;
  template <class T, class = detail::IfText<T>>
  String(const T& value) : Written(detail::Fragment(detail::quoted(value))) {}
};

// A seed, as in tf.data, or the pair that its kernels see, or none.
class Seed : public detail::Written {
 public:
  Seed() = default;
  using Written::Written;
  template <class T, class = detail::IfInteger<T>>
  Seed(T value) : Written(detail::Fragment(std::to_string(value))) {}
  Seed(int64_t a, int64_t b)
      : Written(detail::Fragment("(" + std::to_string(a) + ", " + std::to_string(b) + ")")) {}
  Seed(None) : Written(detail::Fragment("none")) {}
};

class DTypeName : public detail::Written {
 public:
  DTypeName() = default;
  using Written::Written;
  DTypeName(DType dtype) : Written(detail::Fragment(name(dtype))) {}
};

// A Spec, or its text.
class SpecText : public detail::Written {
 public:
  SpecText() = default;
  using Written::Written;
  template <class T, class = detail::IfText<T>>
  SpecText(const T& text) : Written(detail::Fragment(std::string(std::string_view(text)))) {}
  SpecText(const Spec& spec) : Written(detail::Fragment(spec.text())) {}
};

// A value: a number or bool, written as a literal, which adapts to the dtype that it meets; a string; a Tensor.
// Structures are Value::dict() and Value::tuple().
class Value : public detail::Written {
 public:
  Value() = default;
  using Written::Written;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>, class = void>
  Value(T value) : Written(detail::Fragment(literal(value))) {}
  template <class T, class = detail::IfText<T>>
  Value(const T& value) : Written(detail::Fragment(detail::quoted(value))) {}
  Value(const Tensor& tensor) : Written(detail::Fragment::handed(tensor)) {}

  static Value dict(const std::vector<std::pair<std::string_view, Value>>& members) {
    Value out;
    out.fragment_ += "{";
    const char* separator = "";
    for (const auto& [key, value] : members) {
      out.fragment_ +=
          separator + (detail::is_identifier(key) ? std::string(key) : detail::quoted(key)) + ": ";
      out.fragment_ += value.fragment_;
      separator = ", ";
    }
    out.fragment_ += "}";
    return out;
  }
  static Value tuple(const std::vector<Value>& members) {
    Value out;
    out.fragment_ += "(";
    for (const Value& value : members) {
      out.fragment_ += value.fragment_;
      out.fragment_ += ", ";
    }
    out.fragment_ += ")";
    return out;
  }

  // For the values of parameters.
  const Tensor* tensor() const noexcept {
    const Argument::Value* value = fragment_.only_value();
    return value ? std::get_if<Tensor>(value) : nullptr;
  }
  std::string text() const { return fragment_.document(nullptr); }

 private:
  template <class T>
  static std::string literal(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_floating_point_v<T>) {
      return detail::float_text(value);
    } else {
      return std::to_string(value);
    }
  }
};

// A lambda of the notation ("x -> x * 2"), a Callback, or a function of the program that becomes one.
class Function : public detail::Written {
 public:
  Function() = default;
  using Written::Written;
  template <class T, class = detail::IfText<T>>
  Function(const T& text) : Written(detail::Fragment(std::string(std::string_view(text)))) {}
  Function(Callback callback) : Written(detail::Fragment::handed(std::move(callback))) {}
  template <class F, class = std::enable_if_t<detail::is_function<F>>, class = void>
  Function(F function) : Function(Callback(std::move(function))) {}
};

// A Pipeline or a Dataset.
class Operand : public detail::Written {
 public:
  Operand() = default;
  using Written::Written;
  template <class Pipeline>
  Operand(const detail::Document<Pipeline>& pipeline) : Written(pipeline.fragment()) {}
  Operand(const Dataset& dataset) : Written(detail::Fragment::handed(dataset)) {}
};

// Several datasets: {a, b}, whose elements are tuples, or {{"x", a}, {"y", b}}, whose elements are dicts.
class Datasets : public detail::Written {
 public:
  Datasets() = default;
  using Written::Written;
  Datasets(std::initializer_list<Operand> members) {
    const char* separator = "";
    for (const Operand& member : members) {
      fragment_ += separator;
      fragment_ += member.fragment();
      separator = ", ";
    }
  }
  Datasets(std::initializer_list<std::pair<std::string_view, Operand>> members) {
    const char* separator = "{";
    for (const auto& [key, member] : members) {
      fragment_ += separator + (detail::is_identifier(key) ? std::string(key) : detail::quoted(key)) + ": ";
      fragment_ += member.fragment();
      separator = ", ";
    }
    fragment_ += "}";
  }
};

// Several datasets in a list, {a, b}, that are told apart by their numbers.
class DatasetList : public detail::Written {
 public:
  DatasetList() = default;
  using Written::Written;
  DatasetList(std::initializer_list<Operand> members) {
    const char* separator = "[";
    for (const Operand& member : members) {
      fragment_ += separator;
      fragment_ += member.fragment();
      separator = ", ";
    }
    fragment_ += members.size() > 0 ? "]" : "[]";
  }
};

// Several values in a list, {1, 2}.
class Values : public detail::Written {
 public:
  Values() = default;
  using Written::Written;
  Values(std::initializer_list<Value> members) {
    const char* separator = "[";
    for (const Value& member : members) {
      fragment_ += separator;
      fragment_ += member.fragment();
      separator = ", ";
    }
    fragment_ += members.size() > 0 ? "]" : "[]";
  }
};

// A Value, or a Pipeline or Dataset that gives one for each element.
class ValueOrDataset : public detail::Written {
 public:
  ValueOrDataset() = default;
  using Written::Written;
  ValueOrDataset(const Value& value) : Written(value.fragment()) {}
  ValueOrDataset(const Tensor& tensor) : Written(detail::Fragment::handed(tensor)) {}
  template <class Pipeline>
  ValueOrDataset(const detail::Document<Pipeline>& pipeline) : Written(pipeline.fragment()) {}
  ValueOrDataset(const Dataset& dataset) : Written(detail::Fragment::handed(dataset)) {}
};

// A file's name, several, or a dataset of names.
class Files : public detail::Written {
 public:
  Files() = default;
  using Written::Written;
  template <class T, class = detail::IfText<T>>
  Files(const T& file) : Written(detail::Fragment(detail::quoted(file))) {}
  Files(const std::vector<std::string>& files) : Written(detail::Fragment("[")) {
    const char* separator = "";
    for (const std::string& file : files) {
      fragment_ += separator + detail::quoted(file);
      separator = ", ";
    }
    fragment_ += "]";
  }
  template <class Pipeline>
  Files(const detail::Document<Pipeline>& names) : Written(names.fragment()) {}
  Files(const Dataset& names) : Written(detail::Fragment::handed(names)) {}
};

namespace detail {

// A call of an operator: "batch(4, drop_remainder: true)".
class CallText {
 public:
  explicit CallText(std::string_view name) {
    fragment_ += name;
    fragment_ += "(";
  }
  CallText& positional(const Written& value) {
    fragment_ += separator_;
    fragment_ += value.fragment();
    separator_ = ", ";
    return *this;
  }
  // Nothing if it was not given.
  CallText& named(std::string_view name, const Written& value) {
    if (!value.given()) return *this;
    fragment_ += separator_;
    fragment_ += name;
    fragment_ += ": ";
    fragment_ += value.fragment();
    separator_ = ", ";
    return *this;
  }
  Fragment end() {
    fragment_ += ")";
    return std::move(fragment_);
  }

 private:
  Fragment fragment_;
  const char* separator_ = "";
};

// What a Pipeline is beside its operators; see weir_operators.hpp.
template <class Self>
class Document {
 public:
  // Declares a parameter that gets its value when an iterator begins. Expressions and lambdas call it $NAME.
  Self param(const std::string& name, const std::string& spec) const {
    Self out = self();
    out.fragment_.add_param(name, spec);
    return out;
  }
  // Hands in what expressions and lambdas call @NAME.
  template <class T>
  Self with(std::string name, T&& value) const {
    Self out = self();
    out.fragment_.add_named(Argument(std::move(name), std::forward<T>(value)));
    return out;
  }

  // The document.
  std::string text() const { return fragment_.document(nullptr); }
  // Parses it. Throws invalid_argument, with line, column and a caret below the place in text().
  Dataset build(const Runtime& runtime) const {
    Arguments arguments;
    const std::string document = fragment_.document(&arguments);
    return parse(runtime, document, arguments);
  }
  const Fragment& fragment() const noexcept { return fragment_; }

 protected:
  explicit Document(Fragment fragment) : fragment_(std::move(fragment)) {}
  // This document with a call after it.
  Self then(const Fragment& call) const {
    Self out = self();
    out.fragment_ += " | ";
    out.fragment_ += call;
    return out;
  }

 private:
  const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  Fragment fragment_;
};

}  // namespace detail

}  // namespace v0
}  // namespace weir
