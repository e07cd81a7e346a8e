// Kernel: a function of the notation: its parameters, how results are typed, and its vectorised body.
//
//   void square_body(KernelRun& run) { … }
//   Status square_infer(KernelCall& call) {
//     call.result(call.dtype(0), call.shape(0));
//     call.body(square_body);
//     return Status();
//   }
//   extern constinit const Kernel square_kernel{
//       .name = "square", .params = {{"x"}}, .infer = square_infer, .doc = "x * x."};
//
// Adding one touches three places: its file in kernels/, its test, one line in kernels/list.inc.
//
// A call is typed once (`infer`, which picks the body for the dtypes) and then run over *runs*: rows in which
// each argument has one shape. A body reads KernelRun::arg(i), makes its results and reports failures by row
// through KernelRun::fail(); it never sees a row that failed before, and must give a row the value that it
// would give it alone. A body may run on several threads at once, so it writes only to its run. infer returns
// KernelCall::error(), which shows the place in the text. What a call keeps (KernelState) belongs to the
// compiled program. A run costs two indirect calls.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/block.h"
#include "core/runtime.h"
#include "core/spec.h"
#include "core/tensor.h"
#include "expr/types/step_kind.h"

namespace weir {

namespace syntax {
struct Node;
class SignatureTable;
}  // namespace syntax

enum class ParamKind : uint8_t {
  tensor,    // computed for each row
  list,      // [a, b] or (a, b): tensors, one run-time argument each
  any,       // a value of any structure, one run-time argument a component
  sparse,    // a value of that kind, likewise; a group of dtypes takes the dtype of its values
  ragged,    // likewise
  optional,  // likewise
  constant,  // a tensor known when the dataset is built; no run-time argument
  dtype,     // the name of a dtype
  seed,      // none, n or (a, b); read with KernelRun::random_key()
  syntax,    // a spec, features or fields: infer reads the tree itself
  function,  // a lambda or a @callback over the rows of the first parameter; only rows(x, f) has one
};

struct KernelParam {
  const char* name = "";
  ParamKind kind = ParamKind::tensor;
  // The expected dtype, to which literals adapt. "": any. A dtype's name: that one. "dtype": the value of the
  // parameter of that name; "dtype?": the same for literals only, and within their class. A capital letter:
  // the same for all parameters that have it.
  const char* type = "";
  // The value if it is left out, as the notation writes it: "none", "false", "0", "float32". Null if it must
  // be given.
  const char* fallback = nullptr;
  // What it means, if the name does not say it.
  const char* doc = "";
  // It names files: a checkpoint fits wherever they are.
  bool names_files = false;
};

class KernelCall;
class KernelRun;
using KernelBody = void (*)(KernelRun& run);

struct Kernel {
  const char* name = "";
  std::initializer_list<KernelParam> params = {};
  // Types the call: sets results and body. Null where a parameter is a function, which the compiler types.
  Status (*infer)(KernelCall& call) = nullptr;
  // The step over tiles that gives the bits of its entry_body(), for the dtypes that tiles have steps for.
  StepKind step = StepKind::none;
  // For `weir help`, weir_schema and the docs. One paragraph: the value and the errors; lists show its first
  // sentence.
  const char* doc = "";
  // The dtype and shape of the result.
  const char* result = "";
  const char* cost = "";
  // A whole document, and the lines that it prints when run in the root of the source tree; a test compares
  // them.
  const char* example = "";
  const char* output = "";
  // What bench/each.cc measures: an expression over x: float32[784], n: int64[784], b: bool[784], s: string
  // of 784 bytes, and e: a serialized tf.Example.
  const char* bench = "";
  // Whether rows may fail. infer can decide otherwise for a particular call.
  bool can_fail = false;
  // Its errors are the user's own words: no place is added.
  bool quotes_user = false;
  // It waits (for files), so it runs on the blocking lane.
  bool blocks = false;
  // It draws random numbers: never merged, moved or folded.
  bool draws = false;
  // The parameter that a single positional argument sets, if not the first: `arange(stop)`.
  const char* single_argument = nullptr;

  // REQUIRES: i < params.size()
  const KernelParam& param(size_t i) const { return params.begin()[i]; }
};

// What infer works out for the body: axes, boundaries, tables.
class KernelState {
 public:
  virtual ~KernelState() = default;
};

// An entry of a vector of integers that is unknown when the dataset is built.
inline constexpr int64_t kUnknownEntry = INT64_MIN;

// A call while it is typed. An argument may have an unknown rank; a kernel that needs a known one reports an
// error, and is then asked again for each rank that the argument may have. Parameters are given by their
// index in Kernel::params.
class KernelCall {
 public:
  virtual ~KernelCall() = default;

  // False if the value is `none`.
  virtual bool given(int param) const = 0;
  virtual const Spec& spec(int param) const = 0;
  // REQUIRES: kind tensor or constant
  DType dtype(int param) const { return spec(param).dtype; }
  const Shape& shape(int param) const { return spec(param).shape; }
  // The number of members of a list.
  virtual int size(int param) const = 0;
  virtual const Component& member(int param, int index) const = 0;
  // The index of the parameter's (first) component for KernelRun::arg().
  virtual int argument(int param) const = 0;

  // The value if it is known when the dataset is built, else null.
  virtual const Tensor* constant(int param) const = 0;
  // A vector of int64 (a scalar counts as one entry), with kUnknownEntry for unknown entries. Nothing if even
  // its length is unknown.
  virtual std::optional<std::vector<int64_t>> integers(int param) const = 0;
  // The name given to a parameter of kind dtype.
  virtual DType dtype_value(int param) const = 0;
  virtual const syntax::Node& node(int param) const = 0;
  // A constant of that dtype from a part of a `syntax` parameter; literals adapt. DType::invalid: any dtype.
  virtual Result<Tensor> constant_of(const syntax::Node& node, DType dtype) = 0;

  // Constants as a single value; errors say what was expected.
  // REQUIRES: kind constant
  Result<int64_t> integer(int param) const;
  Result<bool> flag(int param) const;
  Result<std::string> text(int param) const;
  // An axis counted from 0, and a list of distinct axes in rising order; `none` means all.
  Result<int> axis(int param, int rank, const char* of = "tensor") const;
  Result<std::vector<int>> axes(int param, int rank) const;

  // Returns invalid_argument at the argument, or at the call for -1.
  virtual Status error(int param, const Mistake& mistake) const = 0;
  Status error(const Mistake& mistake) const { return error(-1, mistake); }

  // Sets one result, or a structure of results.
  void result(DType dtype, const Shape& shape) { result(Spec::tensor(dtype, shape)); }
  virtual void result(Spec spec) = 0;
  // Component `component` of the result is the argument itself; the body does not write it.
  virtual void alias(int component, int argument) = 0;
  // The result is known without running anything.
  virtual void known(Tensor value) = 0;
  // The result is a vector (or scalar) of integers, some of which are known.
  virtual void known_integers(std::vector<int64_t> entries) = 0;
  virtual void body(KernelBody body, std::shared_ptr<const KernelState> state = nullptr) = 0;
  // A body that makes each entry of its one result from the entries that broadcasting brings to its place,
  // and fails only where shapes don't broadcast. Several in a row may be run piece by piece, also of a row.
  virtual void entry_body(KernelBody body) = 0;
  virtual void set_can_fail(bool can_fail) = 0;
};

// One argument of a run.
struct Arg {
  DType dtype = DType::invalid;
  // The shape of one row.
  Shape shape;
  const uint8_t* data = nullptr;
  // Bytes from one row to the next: 0 if all rows share one value, else at least the size of a row.
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

  // Makes uninitialised room for a result of all rows of the run, one after the other. Returns null if the
  // shape is too large, after failing all rows. Every row that did not fail must be filled.
  virtual uint8_t* make(int result, const Shape& row_shape) = 0;
  template <class T>
  T* make(int result, const Shape& row_shape) {
    return reinterpret_cast<T*>(make(result, row_shape));
  }
  // Makes room for one row if rows differ in shape; call it in rising order of rows. Returns null if the
  // shape is too large, after failing the row.
  virtual uint8_t* make_row(int result, int row, const Shape& shape) = 0;
  template <class T>
  T* make_row(int result, int row, const Shape& shape) {
    return reinterpret_cast<T*>(make_row(result, row, shape));
  }
  // Makes the result share the argument's rows from `offset` bytes on; no bytes move.
  // REQUIRES: offset + the bytes of `row_shape` <= the argument's row bytes.
  virtual void share(int result, int arg, const Shape& row_shape, size_t offset = 0) = 0;

  // The row has no value; the first error of a row wins.
  virtual void fail(int row, const Status& status) = 0;
  // Allocates bytes that string results may point into; they live as long as the results.
  virtual char* bytes(size_t size) = 0;
  // Lets string results point into what this object owns. (They may always point into arguments.)
  virtual void keep(RefPtr<RefCounted> owner) = 0;

  // What numbers are drawn from: random_key() is a hash of seed, call site and the cursor's key; the ordinal
  // is the row's number in the cursor's input. Equal pairs must give equal draws.
  virtual uint64_t random_key() const = 0;
  virtual int64_t ordinal(int row) const = 0;
  // Runs another body with its own state over the same rows.
  void run_as(KernelBody body, const KernelState* state) {
    const KernelState* const before = std::exchange(state_, state);
    body(*this);
    state_ = before;
  }
  // REQUIRES: the kernel blocks or draws; others also run while building, without a session.
  virtual Session& session() const = 0;
  // The row's value comes from the file of that name, which its later errors name, and its origin.
  virtual void read_from(int row, std::string_view name) noexcept {
    static_cast<void>(row);
    static_cast<void>(name);
  }

 protected:
  ~KernelRun() = default;

  int rows_ = 0;
  std::span<const Arg> args_;
  const KernelState* state_ = nullptr;
};

// All kernels, by name.
std::span<const Kernel* const> kernels();
// Returns null if there is none.
const Kernel* find_kernel(std::string_view name);
// Tells the parser which grammar each argument of each function has.
void add_kernel_signatures(syntax::SignatureTable& table);

}  // namespace weir
