// sort, argsort and top_k: entries in order along an axis. The order is stable, and nan comes last.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/shape_argument.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

struct SortState : KernelState {
  int64_t axis = -1;
  bool descending = false;
};

// An unsigned integer of the size of T that orders as T does; nan comes last in either direction.
template <class T>
auto order_key(T value, bool descending) {
  constexpr size_t kSize = sizeof(T);
  using Bits = std::conditional_t<
      kSize == 1, uint8_t,
      std::conditional_t<kSize == 2, uint16_t, std::conditional_t<kSize == 4, uint32_t, uint64_t>>>;
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * kSize - 1));
  auto bits = std::bit_cast<Bits>(value);
  if constexpr (!std::is_integral_v<T>) {
    const Compute<T> number = load(value);
    if (number != number) return static_cast<Bits>(~Bits{0});
    // -0.0 equals 0.0.
    if (number == 0) bits = 0;
    bits = static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    bits = static_cast<Bits>(bits ^ kSign);
  }
  return static_cast<Bits>(descending ? ~bits : bits);
}

// K is uint32_t if the keys and positions fit, else uint64_t.
template <class K>
struct Ranked {
  K key;
  K position;

  bool operator<(const Ranked& other) const {
    return key != other.key ? key < other.key : position < other.position;
  }
};

// Sorts by one byte of the key; equal ones keep their order. False, and nothing moved, if all are equal in
// it.
template <class K>
bool scatter_by_byte(const Ranked<K>* from, Ranked<K>* to, size_t count, unsigned shift) {
  std::array<size_t, 256> at = {};
  for (size_t k = 0; k < count; ++k) ++at[from[k].key >> shift & 255];
  if (at[from[0].key >> shift & 255] == count) return false;
  size_t sum = 0;
  for (size_t& next : at) sum += std::exchange(next, sum);
  for (size_t k = 0; k < count; ++k) to[at[from[k].key >> shift & 255]++] = from[k];
  return true;
}

template <class T>
bool any_above(std::span<const T> values, T bound) {
  const auto least = load(bound);
  if (least != least) return true;
  unsigned any = 0;
  for (T value : values) any |= static_cast<unsigned>(load(value) > least);
  return any != 0;
}

// Memory for sorting lines of one length.
template <class K>
class Sorter {
 public:
  // `key_bytes`: how many of a key's low bytes differ.
  Sorter(size_t count, unsigned key_bytes) : count_(count), key_bytes_(key_bytes) {}

  template <class T>
  const Ranked<K>* sort(const T* in, int64_t step, bool descending) {
    items_.resize(count_);
    for (size_t k = 0; k < count_; ++k) {
      items_[k] = {order_key(in[static_cast<int64_t>(k) * step], descending), static_cast<K>(k)};
    }
    sort_items();
    return items_.data();
  }

  // The first `wanted` in descending order. Of a few of many, most entries cost a comparison with the last
  // of those that were selected so far.
  // REQUIRES: wanted > 0
  template <class T>
  const Ranked<K>* top(const T* in, size_t wanted) {
    if (wanted >= count_ / 8) return sort(in, 1, true);
    constexpr size_t kChunk = 64;
    const size_t most = 2 * wanted + 256;
    const T* bound = nullptr;
    K limit = 0;
    items_.clear();
    for (size_t at = 0; at < count_; at += kChunk) {
      const std::span<const T> chunk(in + at, std::min(kChunk, count_ - at));
      if (bound != nullptr && !any_above(chunk, *bound)) continue;
      for (size_t k = 0; k < chunk.size(); ++k) {
        const K key = order_key(chunk[k], true);
        if (bound == nullptr || key < limit) items_.push_back({key, static_cast<K>(at + k)});
      }
      if (items_.size() < most) continue;
      select(wanted);
      limit = items_.back().key;
      bound = in + items_.back().position;
    }
    select(wanted);
    sort_items();
    return items_.data();
  }

 private:
  // Both are alike for all dtypes of one size.
  [[gnu::noinline]] void sort_items() {
    if (items_.size() < size_t{32} * key_bytes_) return std::sort(items_.begin(), items_.end());
    spare_.resize(items_.size());
    for (unsigned byte = 0; byte < key_bytes_; ++byte) {
      if (scatter_by_byte(items_.data(), spare_.data(), items_.size(), 8 * byte)) items_.swap(spare_);
    }
  }
  // Keeps the first `wanted`, the last of them at the end.
  [[gnu::noinline]] void select(size_t wanted) {
    std::nth_element(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(wanted) - 1, items_.end());
    items_.resize(wanted);
  }

  const size_t count_;
  const unsigned key_bytes_;
  std::vector<Ranked<K>> items_;
  std::vector<Ranked<K>> spare_;
};

// Calls f<K>() with the narrowest K.
template <class T, class F>
void visit_key(int64_t extent, F&& f) {
  if constexpr (sizeof(T) <= sizeof(uint32_t)) {
    if (extent <= UINT32_MAX) return f.template operator()<uint32_t>();
  }
  f.template operator()<uint64_t>();
}

// R: T for the entries, int64_t with `Positions` for where they were.
template <class T, class R, bool Positions>
void sort_body(KernelRun& run) {
  const auto& state = run.state<SortState>();
  const Arg& x = run.arg(0);
  Result<int> axis = resolve_axis(state.axis, x.shape.rank());
  if (!axis.ok()) return fail_all(run, Positions ? "argsort" : "sort", axis.status());
  R* out = run.make<R>(0, x.shape);
  const int64_t count = x.shape.count();
  if (out == nullptr || count == 0) return;
  const int64_t extent = x.shape[*axis];
  const int64_t inner = extent_of(x.shape, *axis + 1, x.shape.rank());
  visit_key<T>(extent, [&]<class K>() {
    Sorter<K> sorter(static_cast<size_t>(extent), sizeof(T));
    for (int i = 0; i < run.rows(); ++i) {
      const T* row = x.row<T>(i);
      for (int64_t line = 0; line < count / extent; ++line) {
        const int64_t first = line / inner * extent * inner + line % inner;
        const Ranked<K>* items = sorter.sort(row + first, inner, state.descending);
        R* to = out + i * count + first;
        for (int64_t k = 0; k < extent; ++k) {
          const auto position = static_cast<int64_t>(items[k].position);
          if constexpr (Positions) {
            to[k * inner] = position;
          } else {
            to[k * inner] = row[first + position * inner];
          }
        }
      }
    }
  });
}

template <bool Positions>
Status sort_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  auto state = std::make_shared<SortState>();
  WEIR_ASSIGN(state->axis, read_axis(call, 1, from));
  WEIR_ASSIGN(state->descending, call.flag(2));
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() {
    call.body(sort_body<T, std::conditional_t<Positions, int64_t, T>, Positions>, state);
  });
  if (!known) return wrong_dtype(call, 0, "an integer or float dtype");
  call.result(Positions ? DType::int64 : call.dtype(0), from);
  call.set_can_fail(!from.rank_known());
  return Status();
}

// ---- top_k

Status wrong_k(int64_t k, int64_t extent) {
  return invalid_argument(
      expected_found(concat("k from 0 to ", extent, ", the length of the last axis"), concat(k)));
}

// Rows [first, first + rows), for which k is the same.
template <class T, class K>
void top_rows(const KernelRun& run, int first, int rows, int64_t k, Sorter<K>& sorter, T* values,
              int64_t* positions) {
  const Arg& x = run.arg(0);
  const int64_t extent = x.shape[x.shape.rank() - 1];
  const int64_t lines = extent_of(x.shape, 0, x.shape.rank() - 1);
  if (k == 0) return;
  for (int i = first; i < first + rows; ++i) {
    const T* line = x.row<T>(i);
    for (int64_t l = 0; l < lines; ++l, line += extent, values += k, positions += k) {
      const Ranked<K>* items = sorter.top(line, static_cast<size_t>(k));
      for (int64_t j = 0; j < k; ++j) {
        positions[j] = static_cast<int64_t>(items[j].position);
        values[j] = line[positions[j]];
      }
    }
  }
}

template <class T>
void top_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const Arg& ks = run.arg(1);
  if (x.shape.rank() == 0)
    return fail_all(run, "top_k", invalid_argument("expected at least one dimension, found a scalar"));
  const int last = x.shape.rank() - 1;
  const int64_t extent = x.shape[last];
  visit_key<T>(extent, [&]<class K>() {
    // A long axis may have nothing beside it.
    Sorter<K> sorter(static_cast<size_t>(x.shape.count() == 0 ? 0 : extent), sizeof(T));
    if (same_in_all_rows(run, ks)) {
      const int64_t k = *ks.row<int64_t>(0);
      if (k < 0 || k > extent) return fail_all(run, "top_k", wrong_k(k, extent));
      T* values = run.make<T>(0, x.shape.with_dim(last, k));
      int64_t* positions = values != nullptr ? run.make<int64_t>(1, x.shape.with_dim(last, k)) : nullptr;
      if (positions != nullptr) top_rows(run, 0, run.rows(), k, sorter, values, positions);
      return;
    }
    for (int i = 0; i < run.rows(); ++i) {
      const int64_t k = *ks.row<int64_t>(i);
      if (k < 0 || k > extent) {
        fail_row(run, i, "top_k", wrong_k(k, extent));
        continue;
      }
      T* values = run.make_row<T>(0, i, x.shape.with_dim(last, k));
      int64_t* positions =
          values != nullptr ? run.make_row<int64_t>(1, i, x.shape.with_dim(last, k)) : nullptr;
      if (positions != nullptr) top_rows(run, i, 1, k, sorter, values, positions);
    }
  });
}

Status top_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  WEIR_TRY(check_scalar(call, 1, "k"));
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() { call.body(top_body<T>); });
  if (!known) return wrong_dtype(call, 0, "an integer or float dtype");
  if (from.rank_known() && from.rank() == 0) {
    return call.error(0, expected_found("at least one dimension", "a scalar"));
  }
  const Tensor* k = call.constant(1);
  const int64_t wanted = k != nullptr ? *k->as<int64_t>() : kUnknownDim;
  if (k != nullptr && wanted < 0) return call.error(1, expected_found("k of 0 and more", concat(wanted)));
  Shape shape = from;
  bool can_fail = true;
  if (from.rank_known()) {
    const int last = from.rank() - 1;
    if (from[last] >= 0 && wanted > from[last])
      return call.error(1, wrong_k(wanted, from[last]).error().what());
    can_fail = k == nullptr || from[last] < 0;
    shape.set_dim(last, wanted);
  }
  call.result(Spec::tuple({Spec::tensor(call.dtype(0), shape), Spec::tensor(DType::int64, shape)}));
  call.set_can_fail(can_fail);
  return Status();
}

constexpr std::initializer_list<KernelParam> kSortParams = {{.name = "x"},
                                                            axis_param("-1"),
                                                            {.name = "descending",
                                                             .kind = ParamKind::constant,
                                                             .type = "bool",
                                                             .fallback = "false",
                                                             .doc = "The greatest entry first."}};

}  // namespace

extern constinit const Kernel sort_kernel{
    .name = "sort",
    .params = kSortParams,
    .infer = sort_infer<false>,
    .doc =
        "Sorts the entries along an axis, in ascending or descending order. nan comes last in both. Integers and floats only.",
    .result = "The dtype and shape of `x`.",
    .cost = "Linear in the entries of a long axis, by their bytes; else n log n.",
    .example = "from_tensors(sort([3, 1, 2]))",
    .output = "[1, 2, 3]",
    .bench = "sort(x)",
    .can_fail = true};

extern constinit const Kernel argsort_kernel{
    .name = "argsort",
    .params = kSortParams,
    .infer = sort_infer<true>,
    .doc =
        "The indices that sort the entries along an axis, in ascending or descending order. Equal entries keep their order; nan comes last. Integers and floats only.",
    .result = "int64; the shape of `x`.",
    .cost = "Linear in the entries of a long axis, by their bytes; else n log n.",
    .example = "from_tensors(argsort([30, 10, 20]))",
    .output = "[1, 2, 0]",
    .bench = "argsort(x)",
    .can_fail = true};

extern constinit const Kernel top_k_kernel{
    .name = "top_k",
    .params = {{.name = "x"},
               {.name = "k",
                .type = "int64",
                .doc = "The number of entries; at most the length of the last axis."}},
    .infer = top_infer,
    .doc =
        "The `k` greatest entries along the last axis, and their indices. The greatest comes first; of equal entries the one with the lower index; nan comes last. A `k` beyond the length of the axis is an error. Integers and floats only.",
    .result = "(values, indices): the dtype of `x` and int64, with `k` as the last dimension.",
    .cost = "One pass over the entries if `k` is small, else the cost of sort.",
    .example = "from_tensors(top_k([3, 9, 1, 7], 2))",
    .output = "([9, 7], [1, 3])",
    .bench = "top_k(x, 5)",
    .can_fail = true};

}  // namespace weir
