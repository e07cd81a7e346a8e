// Kernel: a function of the notation: its parameters, how results are typed, and its vectorised body.
//
//   void square_body(KernelRun& run) { … }
//   Status square_infer(KernelCall& call) {
//     call.result(call.dtype(0), call.shape(0));
//     call.body(square_body);
//     return Status();
//   }
//   const Kernel& square_kernel() {
//     static const Kernel def{.name = "square", .params = {{"x"}}, .infer = square_infer, .doc = "x * x."};
//     return def;
//   }
//
// Adding one touches three places: its file in kernels/, its test, one line in kernels/list.inc.
// A call is typed once (`infer`, which picks the body for the dtypes at hand) and then run over *runs*: rows
// in which each argument has one shape. A body reads KernelRun::arg(i), makes its results and reports
// failures by row; it never sees a row that failed before, and must give a row the value that it would give
// it alone. Ownership: definitions are static; what a call keeps (KernelState) belongs to the compiled
// program. Threads: a body may run on several threads at once, so it writes nothing but its run. Errors:
// infer returns KernelCall::error(), which shows the place in the text; bodies call KernelRun::fail(). Cost:
// two indirect calls a run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/block.h"
#include "core/runtime.h"
#include "core/spec.h"
#include "core/tensor.h"

namespace weir {

namespace syntax {
struct Node;
class SignatureTable;
}  // namespace syntax

enum class ParamKind : uint8_t {
  tensor,    // computed for each row
  list,      // [a, b] or (a, b): tensors, one run-time argument each
  any,       // a value of any structure, one run-time argument a component
  constant,  // a tensor known when the dataset is built; no run-time argument
  dtype,     // the name of a dtype
  seed,      // none, n or (a, b); read with KernelRun::random_key()
  syntax,    // a spec or features: infer reads the tree itself
};

struct KernelParam {
  const char* name = "";
  ParamKind kind = ParamKind::tensor;
  // Which dtype is due; literals adapt to it. "": any. A dtype's name: that one. "dtype": what the parameter
  // of that name says; "dtype?": only a literal, and within its class. A capital letter: the same for all
  // parameters that have it.
  const char* type = "";
  // What stands for it where it is left out, as the notation writes it: "none", "false", "0", "float32".
  // Null: it must be given.
  const char* fallback = nullptr;
  // What it means, where the name alone does not say it.
  const char* doc = "";
};

class KernelCall;
class KernelRun;
using KernelBody = void (*)(KernelRun& run);

struct Kernel {
  const char* name = "";
  std::vector<KernelParam> params = {};
  // Types the call: sets results and body.
  Status (*infer)(KernelCall& call) = nullptr;
  // For `weir help`, weir_schema and the docs. One paragraph: the value and the errors; its first sentence
  // stands for it in lists.
  const char* doc = "";
  // The dtype and shape of the result.
  const char* result = "";
  const char* cost = "";
  // A whole document, and the lines that it prints when run in the root of the source tree; a test compares.
  const char* example = "";
  const char* output = "";
  // What bench/each.cc measures: an expression over x: float32[784], n: int64[784], b: bool[784], s: string
  // of 784 bytes, and e: a serialized tf.Example.
  const char* bench = "";
  // Rows may fail; infer can say otherwise for the call at hand.
  bool can_fail = false;
  // It waits (files): runs on the blocking lane.
  bool blocks = false;
  // It draws random numbers: never merged, moved or folded.
  bool draws = false;
  // The parameter that a single positional argument sets where that is not the first: `arange(stop)`.
  const char* single_argument = nullptr;
};

// Whatever infer works out for the body: axes, boundaries, tables.
class KernelState {
 public:
  virtual ~KernelState() = default;
};

// An entry of a vector of integers that is not known when the dataset is built.
inline constexpr int64_t kUnknownEntry = INT64_MIN;

// A call while it is typed. Parameters are meant by their number in Kernel::params.
class KernelCall {
 public:
  virtual ~KernelCall() = default;

  // False where the value is `none`.
  virtual bool given(int param) const = 0;
  virtual const Spec& spec(int param) const = 0;
  // REQUIRES: kind tensor or constant
  DType dtype(int param) const { return spec(param).dtype; }
  const Shape& shape(int param) const { return spec(param).shape; }
  // Members of a list.
  virtual int size(int param) const = 0;
  virtual const Component& member(int param, int index) const = 0;
  // The number that KernelRun::arg() knows the parameter's (first) component by.
  virtual int argument(int param) const = 0;

  // The value where it is known when the dataset is built, else null.
  virtual const Tensor* constant(int param) const = 0;
  // A vector of int64 (a scalar counts as one of one entry), entries unknown so far being kUnknownEntry.
  // Nothing if not even its length is known.
  virtual std::optional<std::vector<int64_t>> integers(int param) const = 0;
  // The name given to a parameter of kind dtype.
  virtual DType dtype_value(int param) const = 0;
  virtual const syntax::Node& node(int param) const = 0;
  // A constant of that dtype from a piece of a `syntax` parameter; literals adapt.
  virtual Result<Tensor> constant_of(const syntax::Node& node, DType dtype) = 0;

  // Constants read as one value; REQUIRES: kind constant. Errors say what was expected.
  Result<int64_t> integer(int param) const;
  Result<bool> flag(int param) const;
  Result<std::string> text(int param) const;
  // An axis counted from 0, and a list of distinct ones in rising order, `none` being all.
  Result<int> axis(int param, int rank) const;
  Result<std::vector<int>> axes(int param, int rank) const;

  // invalid_argument at the argument, or at the call for -1.
  virtual Status error(int param, const Mistake& mistake) const = 0;
  Status error(const Mistake& mistake) const { return error(-1, mistake); }

  // One result, or a structure of them.
  void result(DType dtype, const Shape& shape) { result(Spec::tensor(dtype, shape)); }
  virtual void result(Spec spec) = 0;
  // Component `component` of the result is the argument itself; no body writes it.
  virtual void alias(int component, int argument) = 0;
  // The result is known without running anything.
  virtual void known(Tensor value) = 0;
  // The result is a vector (or scalar) of integers some of whose entries are known.
  virtual void known_integers(std::vector<int64_t> entries) = 0;
  virtual void body(KernelBody body, std::shared_ptr<const KernelState> state = nullptr) = 0;
  virtual void set_can_fail(bool can_fail) = 0;
};

// One argument of a run.
struct Arg {
  DType dtype = DType::invalid;
  // Of one row.
  Shape shape;
  const uint8_t* data = nullptr;
  // Bytes from one row to the next: 0 if all rows share one value, else at least the row's size.
  int64_t stride = 0;

  template <class T>
  const T* row(int i) const {
    return reinterpret_cast<const T*>(data + i * stride);
  }
  size_t row_bytes() const { return static_cast<size_t>(shape.count()) * dtype_size(dtype); }
};

// Rows in which each argument has one shape.
class KernelRun {
 public:
  int rows() const { return rows_; }
  int arg_count() const { return static_cast<int>(args_.size()); }
  const Arg& arg(int i) const { return args_[static_cast<size_t>(i)]; }
  template <class S>
  const S& state() const {
    return *static_cast<const S*>(state_);
  }

  // Room for a result of all rows of the run, one behind the other, uninitialised; null after it failed all
  // rows because the shape is too large. Every row that is not failed must be filled.
  virtual uint8_t* make(int result, const Shape& row_shape) = 0;
  template <class T>
  T* make(int result, const Shape& row_shape) {
    return reinterpret_cast<T*>(make(result, row_shape));
  }
  // Room for one row where rows differ in shape; call it in rising order of rows. Null after it failed the
  // row because the shape is too large.
  virtual uint8_t* make_row(int result, int row, const Shape& shape) = 0;
  template <class T>
  T* make_row(int result, int row, const Shape& shape) {
    return reinterpret_cast<T*>(make_row(result, row, shape));
  }
  // The result is what lies in the argument's rows from `offset` bytes on: no bytes move.
  // REQUIRES: offset + the bytes of `row_shape` <= the argument's row bytes.
  virtual void share(int result, int arg, const Shape& row_shape, size_t offset = 0) = 0;

  // The row has no value; the first error of a row wins.
  virtual void fail(int row, const Status& status) = 0;
  // Bytes that string results may point into; they live as long as the results do.
  virtual char* bytes(size_t size) = 0;
  // String results may also point into what this object owns. (They may point into arguments anyway.)
  virtual void keep(RefPtr<RefCounted> owner) = 0;

  // Where numbers are drawn from: random_key() is a hash of seed, call site and the cursor's key; the ordinal
  // is the row's number in the cursor's input. Equal pairs must give equal draws.
  virtual uint64_t random_key() const = 0;
  virtual int64_t ordinal(int row) const = 0;
  // REQUIRES: the kernel blocks or draws; others are also run while building, where there is none.
  virtual Session& session() const = 0;

 protected:
  ~KernelRun() = default;

  int rows_ = 0;
  std::span<const Arg> args_;
  const KernelState* state_ = nullptr;
};

// All kernels, by name.
std::span<const Kernel* const> kernels();
// Null if there is none.
const Kernel* find_kernel(std::string_view name);
// Tells the parser which grammar each argument of each function has.
void add_kernel_signatures(syntax::SignatureTable& table);

}  // namespace weir
