// Parameters of operators: declared once, as members with one `fields` visitor.
//
//   struct Params : ParamsOf<Params> {
//     IntParam count;
//     void fields(Fields& f) override { f("count", count, "how many elements; negative: all"); }
//   };
//
// Argument parsing with range checks, the text form, equality, the fingerprint and the schema behind help and
// docs follow from that list. Fields without a default (a fresh Params leaves them unset) are required.
//
// A dataset node owns its parameters; they are immutable once it is built. `fields` runs when graphs are
// built and when a dataset with run-time parameters opens.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/file_places.h"
#include "core/runtime.h"
#include "core/spec.h"
#include "core/value.h"
#include "dataset/traits.h"
#include "format/fields.h"

namespace weir {

// An expression over the variables of the enclosing lambdas and the $params, evaluated when a cursor opens.
class ParamExpression : public RefCounted {
 public:
  // `key` is that of the opening cursor; random draws derive their keys from it.
  virtual Result<Components> evaluate(Session& session, const Env* env, uint64_t key) const = 0;
  // Returns the value without copying or counting it, if it is a tensor that `env` holds. Else null.
  virtual const Tensor* lend(const Env* env) const {
    (void)env;
    return nullptr;
  }
  // The sites of its random calls and datasets, and the lane it needs.
  virtual const FunctionTraits& traits() const = 0;
};
using ParamExpressionRef = RefPtr<const ParamExpression>;

// A number, truth value or string.
template <class T>
struct Scalar {
  enum class State : uint8_t { unset, constant, automatic, none, expression };

  Scalar() = default;
  Scalar(T constant) : state(State::constant), value(std::move(constant)) {}
  static Scalar automatic() {
    Scalar out;
    out.state = State::automatic;
    return out;
  }
  static Scalar none() {
    Scalar out;
    out.state = State::none;
    return out;
  }

  bool is_auto() const { return state == State::automatic; }
  bool is_constant() const { return state == State::constant; }
  // REQUIRES: is_constant(), which holds for every bound parameter that is neither auto nor none.
  const T& operator*() const { return value; }
  T value_or(T fallback) const { return is_constant() ? value : fallback; }

  State state = State::unset;
  T value{};
  ParamExpressionRef expression;
};
template <class T>
inline constexpr bool is_scalar_param = false;
template <class T>
inline constexpr bool is_scalar_param<Scalar<T>> = true;

using IntParam = Scalar<int64_t>;
using FloatParam = Scalar<double>;
using BoolParam = Scalar<bool>;
using StringParam = Scalar<std::string>;

// none, n, or (a, b). `site` holds the pair: given, or drawn when the graph was built.
struct SeedParam {
  enum class State : uint8_t { none, op_seed, pair };
  State state = State::none;
  int64_t first = 0;
  int64_t second = 0;
  RefPtr<const SeedSite> site;
  // Of an int64 or a pair of them, if a $param or a variable gives it.
  ParamExpressionRef expression;
};

struct DTypeParam {
  DType dtype = DType::invalid;
  bool set() const { return dtype != DType::invalid; }
};

struct SpecParam {
  bool set = false;
  Spec spec;
};

// The columns of a table: the name of a dtype where every row must have a value, or the value of rows that
// have none; by their places, or as fields, by their names.
struct ColumnsParam {
  struct Column {
    DType dtype = DType::invalid;
    // A scalar of that dtype.
    std::optional<Tensor> fallback;
    std::string name{};
  };
  bool by_name = false;
  std::vector<Column> columns;
};

// What the rows of a file have.
struct FieldsParam {
  bool set = false;
  std::vector<FieldType> fields{};
};

// A nested value of tensors: constant, or an expression whose spec is known.
struct ValueParam {
  bool set = false;
  Spec spec{};
  Components values{};
  ParamExpressionRef expression{};
  // Takes a list, [a, b], whose members need not be tensors: as the tuple (a, b).
  bool list = false;
};

// A lambda or callback. `takes` and `gives` tell the binder what to type it against.
struct FunctionParam {
  enum class Takes : uint8_t {
    element,            // x
    state_and_element,  // (state, x), the state typed by the first ValueParam or the function that gives it
    key_and_window,     // (key, window), an int64 and a dataset of elements
    dataset,            // a dataset of elements
    key,      // an int64; where an integer is wanted, a number stands for the function that gives it
    state,    // what a function before it gives as the first state
    nothing,  // a generator of the host, which is no function
  };
  enum class Gives : uint8_t { anything, boolean, integer, dataset, state, elements };

  FunctionParam(Takes t, Gives g) : takes(t), gives(g) {}
  Takes takes;
  Gives gives;
  // An expr::Function, a type this layer does not know.
  RefPtr<const RefCounted> function;
  // The constant that is used in place of a function of the key, if there is one.
  IntParam number;
};

// A dataset given as an argument; `index` is its place among the node's inputs (the piped one is first).
struct InputParam {
  int index = -1;
};
// Like InputParam, but a string or a list of strings becomes the dataset of these names.
struct FilesParam {
  int index = -1;
};
// A tuple or dict of datasets, nested: `structure` has a dataset leaf for each, `indices` their inputs in
// order.
struct InputsParam {
  bool set = false;
  Spec structure{};
  std::vector<int> indices{};
  // Takes a list, [a, b], instead: `structure` is then the tuple (a, b).
  bool list = false;
};
// A value, or a dataset, which then is input `index`.
struct ValueOrInputParam : ValueParam {
  int index = -1;
};

struct Bounds {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  // A number outside them that is allowed, too.
  std::optional<int64_t> also = std::nullopt;
};
inline constexpr Bounds at_least(int64_t low) { return {low, std::numeric_limits<int64_t>::max()}; }
inline constexpr Bounds at_least_or(int64_t low, int64_t also) {
  return {low, std::numeric_limits<int64_t>::max(), also};
}

struct Allows {
  bool automatic = false;
  bool none = false;
  // Says how the elements are made, not which: a checkpoint fits whatever the value.
  bool any_position = false;
  // But the empty string fits only itself, and a list of strings only lists of as many.
  bool but_empty = false;
  // The shares of a mixture, whose floats have all the digits that are written. A checkpoint fits others if
  // the same ones are 0; files of elements fit only the same.
  bool weights = false;
  // What its strings name, if it is no FilesParam: a checkpoint fits wherever the files are.
  Naming names = Naming::nothing;
};

struct Field {
  using Slot = std::variant<IntParam*, FloatParam*, BoolParam*, StringParam*, SeedParam*, DTypeParam*,
                            SpecParam*, ColumnsParam*, FieldsParam*, ValueParam*, FunctionParam*, InputParam*,
                            FilesParam*, InputsParam*, ValueOrInputParam*>;
  const char* name;
  Slot slot;
  const char* doc;
  Bounds bounds;
  Allows allows;
};

// The fields of one operator, stored in place, since every opening of a dataset with run-time parameters
// lists them.
class FieldSequence {
 public:
  static constexpr size_t kMost = 24;

  FieldSequence() {}
  FieldSequence(const FieldSequence& other) { *this = other; }
  FieldSequence& operator=(const FieldSequence& other);
  // Throws std::length_error beyond kMost.
  void push_back(const Field& field);
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Field* begin() { return fields_; }
  Field* end() { return fields_ + size_; }
  const Field* begin() const { return fields_; }
  const Field* end() const { return fields_ + size_; }
  Field& operator[](size_t i) { return fields_[i]; }
  const Field& operator[](size_t i) const { return fields_[i]; }

 private:
  static_assert(std::is_trivially_copyable_v<Field> && std::is_trivially_destructible_v<Field>);
  size_t size_ = 0;
  union {
    Field fields_[kMost];
  };
};

// Passed to `fields`; collects the declarations in order.
class Fields {
 public:
  template <class T>
  void operator()(const char* name, T& slot, const char* doc, Bounds bounds = {}, Allows allows = {}) {
    list.push_back(Field{name, &slot, doc, bounds, allows});
  }
  FieldSequence list;
};

class ParamsBase {
 public:
  virtual ~ParamsBase() = default;
  virtual void fields(Fields& fields) = 0;
  virtual std::unique_ptr<ParamsBase> clone() const = 0;
};

template <class P>
class ParamsOf : public ParamsBase {
 public:
  std::unique_ptr<ParamsBase> clone() const override {
    return std::make_unique<P>(static_cast<const P&>(*this));
  }
};

// True if some parameter is an expression, to be evaluated when a cursor opens.
bool has_expressions(ParamsBase& params);
// Returns a copy in which every expression is replaced by its value under `env`, with ranges checked. `key`
// is that of the opening cursor.
Result<std::unique_ptr<ParamsBase>> bind_params(const ParamsBase& params, Session& session, const Env* env,
                                                uint64_t key);
// invalid_argument if a constant is out of its field's bounds; says what was expected.
Status check_bounds(const Field& field);

}  // namespace weir
