// unique(x): the distinct entries of a vector in order of their first appearance, and which of them each
// entry is.
#include <algorithm>
#include <bit>
#include <vector>

#include "core/digest.h"
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/check.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

using Comparable = JoinT<Reals, TypeList<bool, Str>>;

// What entries are compared and hashed by: equal entries have equal keys, floats save nan.
template <class T>
auto key_of(const T& entry) {
  if constexpr (std::is_same_v<T, Str>) {
    return entry.view();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(entry);
  } else {
    // -0.0 equals 0.0.
    return std::bit_cast<uint64_t>(static_cast<double>(load(entry)) + 0.0);
  }
}

size_t hash(std::string_view key) { return hash_of(key); }
size_t hash(uint64_t key) {
  key *= 0x9e3779b97f4a7c15;
  return key ^ key >> 32;
}

template <class T>
bool is_nan(const T& entry) {
  if constexpr (std::is_same_v<T, Str> || std::is_integral_v<T>) {
    return false;
  } else {
    return load(entry) != load(entry);
  }
}

// A hash table of the distinct entries of one row; open, at most half full.
template <class T>
class Distinct {
 public:
  explicit Distinct(size_t count) : slots_(std::bit_ceil(2 * count + 1)) { first_.reserve(count); }

  void clear() {
    std::fill(slots_.begin(), slots_.end(), 0);
    first_.clear();
  }
  // The number of the entry among the distinct ones.
  int64_t add(const T* entries, int64_t at) {
    // As in TensorFlow, nan equals nothing.
    if (is_nan(entries[at])) return append(at);
    const auto key = key_of(entries[at]);
    size_t slot = hash(key) & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const int64_t number = slots_[slot] - 1;
      if (key_of(entries[first_[static_cast<size_t>(number)]]) == key) return number;
    }
    const int64_t number = append(at);
    slots_[slot] = number + 1;
    return number;
  }
  // Where each distinct entry stands first.
  const std::vector<int64_t>& first() const { return first_; }

 private:
  int64_t append(int64_t at) {
    first_.push_back(at);
    return static_cast<int64_t>(first_.size()) - 1;
  }

  // 1 + the number of an entry, or 0.
  std::vector<int64_t> slots_;
  std::vector<int64_t> first_;
};

Status not_a_vector(const Shape& found) {
  return invalid_argument(
      expected_found("a vector", concat("the shape ", shape_text(found)), "reshape(x, [-1]) makes a vector"));
}

template <class T>
void unique_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  if (x.shape.rank() != 1) return fail_all(run, "unique", not_a_vector(x.shape));
  int64_t* numbers = run.make<int64_t>(1, x.shape);
  if (numbers == nullptr) return;
  const int64_t count = x.shape[0];
  Distinct<T> distinct(static_cast<size_t>(count));
  for (int i = 0; i < run.rows(); ++i) {
    const T* entries = x.row<T>(i);
    distinct.clear();
    for (int64_t k = 0; k < count; ++k) *numbers++ = distinct.add(entries, k);
    T* values = run.make_row<T>(0, i, Shape{static_cast<int64_t>(distinct.first().size())});
    if (values == nullptr) continue;
    for (int64_t at : distinct.first()) *values++ = entries[at];
  }
}

Status unique_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  if (from.rank_known() && from.rank() != 1) return call.error(0, not_a_vector(from).error().what());
  const bool known = visit<Comparable>(call.dtype(0), [&]<class T>() { call.body(unique_body<T>); });
  if (!known) return wrong_dtype(call, 0, "integers, floats, bool or strings");
  const Shape shape = from.rank_known() ? from : Shape{kUnknownDim};
  call.result(
      Spec::tuple({Spec::tensor(call.dtype(0), Shape{kUnknownDim}), Spec::tensor(DType::int64, shape)}));
  call.set_can_fail(!from.rank_known());
  return Status();
}

}  // namespace

extern constinit const Kernel unique_kernel{
    .name = "unique",
    .params = {{.name = "x", .doc = "A vector."}},
    .infer = unique_infer,
    .doc =
        "The distinct entries of a vector, and for each entry its index among them. They come in order of first appearance; `gather` of the two gives `x` again. nan equals nothing, as in tf.unique.",
    .result = "(values, indices): the dtype of `x` and int64.",
    .cost = "One look-up in a hash table per entry.",
    .example = "from_tensors(unique([3, 1, 3, 2]))",
    .output = "([3, 1, 2], [0, 1, 0, 2])",
    .bench = "unique(n)",
    .can_fail = true};

}  // namespace weir
