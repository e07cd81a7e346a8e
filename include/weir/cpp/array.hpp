// Part of weir/weir.hpp: dtypes, and how the entries of a component are read in place.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include "weir/cpp/error.hpp"

#if defined(__has_include)
#if __cplusplus >= 202002L && __has_include(<ranges>)
#include <ranges>
#endif
#endif

namespace weir {
inline namespace v0 {

enum class DType : int32_t {
  boolean = WEIR_DTYPE_BOOL,
  int8 = WEIR_DTYPE_INT8,
  int16 = WEIR_DTYPE_INT16,
  int32 = WEIR_DTYPE_INT32,
  int64 = WEIR_DTYPE_INT64,
  uint8 = WEIR_DTYPE_UINT8,
  uint16 = WEIR_DTYPE_UINT16,
  uint32 = WEIR_DTYPE_UINT32,
  uint64 = WEIR_DTYPE_UINT64,
  float16 = WEIR_DTYPE_FLOAT16,
  bfloat16 = WEIR_DTYPE_BFLOAT16,
  float32 = WEIR_DTYPE_FLOAT32,
  float64 = WEIR_DTYPE_FLOAT64,
  complex64 = WEIR_DTYPE_COMPLEX64,
  complex128 = WEIR_DTYPE_COMPLEX128,
  string = WEIR_DTYPE_STRING,
  dataset = WEIR_DTYPE_DATASET,
};

// The name that the notation has for it: "bool", "float32".
inline const char* name(DType dtype) noexcept {
  static const char* const kNames[] = {"unknown", "bool",    "int8",      "int16",      "int32",   "int64",
                                       "uint8",   "uint16",  "uint32",    "uint64",     "float16", "bfloat16",
                                       "float32", "float64", "complex64", "complex128", "string",  "dataset"};
  const auto number = static_cast<size_t>(dtype);
  return number < sizeof kNames / sizeof *kNames ? kNames[number] : kNames[0];
}

// The bits of a float16 or bfloat16, which C++17 has no type for.
struct Float16 {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

// A borrowed run of values in memory, as std::span is in C++20, to and from which it converts. Span<const T>
// reads, Span<T> writes.
template <class T>
class Span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using iterator = T*;

  constexpr Span() noexcept = default;
  constexpr Span(T* data, size_t size) noexcept : data_(data), size_(size) {}
  // From a vector, an array, a std::span, another Span.
  template <class Container, class = std::enable_if_t<!std::is_same_v<std::decay_t<Container>, Span>>,
            class = std::enable_if_t<std::is_convertible_v<
                std::remove_pointer_t<decltype(std::data(std::declval<Container&>()))> (*)[], T (*)[]>>>
  constexpr Span(Container&& container) noexcept : data_(std::data(container)), size_(std::size(container)) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  // REQUIRES: i < size().
  constexpr T& operator[](size_t i) const noexcept { return data_[i]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

namespace detail {

// How a dtype's entries lie in memory, and what C++ sees of one.
template <class T, DType D>
struct PlainEntry {
  static constexpr DType dtype = D;
  using Stored = T;
  using Iterator = const T*;
  static T get(const T& stored) noexcept { return stored; }
};

template <class T>
struct Entry {
  static constexpr DType dtype = DType{};
  static_assert(!std::is_same_v<T, T>,
                "weir: entries are bool, std::int8_t to std::uint64_t, float, double, weir::Float16, "
                "weir::BFloat16, std::complex<float>, std::complex<double> or std::string_view");
};
// clang-format off
template <> struct Entry<bool> : PlainEntry<bool, DType::boolean> {};
template <> struct Entry<int8_t> : PlainEntry<int8_t, DType::int8> {};
template <> struct Entry<int16_t> : PlainEntry<int16_t, DType::int16> {};
template <> struct Entry<int32_t> : PlainEntry<int32_t, DType::int32> {};
template <> struct Entry<int64_t> : PlainEntry<int64_t, DType::int64> {};
template <> struct Entry<uint8_t> : PlainEntry<uint8_t, DType::uint8> {};
template <> struct Entry<uint16_t> : PlainEntry<uint16_t, DType::uint16> {};
template <> struct Entry<uint32_t> : PlainEntry<uint32_t, DType::uint32> {};
template <> struct Entry<uint64_t> : PlainEntry<uint64_t, DType::uint64> {};
template <> struct Entry<Float16> : PlainEntry<Float16, DType::float16> {};
template <> struct Entry<BFloat16> : PlainEntry<BFloat16, DType::bfloat16> {};
template <> struct Entry<float> : PlainEntry<float, DType::float32> {};
template <> struct Entry<double> : PlainEntry<double, DType::float64> {};
template <> struct Entry<std::complex<float>> : PlainEntry<std::complex<float>, DType::complex64> {};
template <> struct Entry<std::complex<double>> : PlainEntry<std::complex<double>, DType::complex128> {};
// clang-format on

// Goes over strings and gives a std::string_view for each.
class StringIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::string_view;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::string_view;

  StringIterator() noexcept = default;
  explicit StringIterator(const weir_string* at) noexcept : at_(at) {}
  std::string_view operator*() const noexcept { return view(*at_); }
  StringIterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  StringIterator operator++(int) noexcept { return StringIterator(at_++); }
  friend bool operator==(StringIterator a, StringIterator b) noexcept { return a.at_ == b.at_; }
  friend bool operator!=(StringIterator a, StringIterator b) noexcept { return a.at_ != b.at_; }

 private:
  const weir_string* at_ = nullptr;
};

template <>
struct Entry<std::string_view> {
  static constexpr DType dtype = DType::string;
  using Stored = weir_string;
  using Iterator = StringIterator;
  static std::string_view get(const weir_string& stored) noexcept { return view(stored); }
};

inline size_t count_of(const int64_t* dims, size_t rank) noexcept {
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= static_cast<size_t>(dims[i]);
  return count;
}

// "[2, 3]".
inline std::string dims_text(const int64_t* dims, size_t rank) {
  std::string out = "[";
  for (size_t i = 0; i < rank; ++i) out += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  return out + "]";
}

}  // namespace detail

// A tensor read in place: entries in row-major order, and dimensions. T is std::string_view for strings. It
// borrows: an array that came from an element is valid until the element is filled again.
template <class T>
class Array {
 public:
  using Stored = typename detail::Entry<T>::Stored;
  using Iterator = typename detail::Entry<T>::Iterator;

  Array() noexcept = default;
  Array(const Stored* data, const int64_t* dims, size_t rank) noexcept
      : data_(data), dims_(dims), rank_(rank), size_(detail::count_of(dims, rank)) {}

  size_t rank() const noexcept { return rank_; }
  Span<const int64_t> dims() const noexcept { return {dims_, rank_}; }
  // REQUIRES: i < rank().
  int64_t dim(size_t i) const noexcept { return dims_[i]; }

  // All entries.
  size_t size() const noexcept { return size_; }
  const Stored* data() const noexcept { return data_; }
  Iterator begin() const noexcept { return Iterator(data_); }
  Iterator end() const noexcept { return Iterator(data_ + size_); }
  // REQUIRES: i < size().
  T operator[](size_t i) const noexcept { return detail::Entry<T>::get(data_[i]); }
  // An entry by its indices. REQUIRES: as many as rank(), each below its dimension.
  template <class... Index>
  T operator()(Index... indices) const noexcept {
    size_t at = 0;
    size_t axis = 0;
    ((at = at * static_cast<size_t>(dims_[axis++]) + static_cast<size_t>(indices)), ...);
    return (*this)[at];
  }
  // The part at position i of the first dimension. REQUIRES: rank() > 0, i < dim(0).
  Array row(size_t i) const noexcept {
    const size_t width = detail::count_of(dims_ + 1, rank_ - 1);
    return {data_ + i * width, dims_ + 1, rank_ - 1};
  }

 private:
  const Stored* data_ = nullptr;
  const int64_t* dims_ = nullptr;
  size_t rank_ = 0;
  size_t size_ = 0;
};

namespace detail {

// What a component may be read as: a value, all entries as a Span, an Array, or a weir_view of any dtype.
template <class T>
struct Component {
  using Stored = typename Entry<T>::Stored;
  static constexpr DType dtype = Entry<T>::dtype;
  static constexpr bool scalar = true;
  static T read(const weir_view& view) noexcept {
    return Entry<T>::get(*static_cast<const Stored*>(view.data));
  }
};

template <class T>
struct Component<Span<T>> {
  static_assert(std::is_const_v<T>, "weir: components are read-only; write Span<const T>");
  using Value = std::remove_const_t<T>;
  static_assert(!std::is_same_v<Value, std::string_view>, "weir: write Array<std::string_view> for strings");
  static constexpr DType dtype = Entry<Value>::dtype;
  static constexpr bool scalar = false;
  static Span<T> read(const weir_view& view) noexcept {
    return {static_cast<T*>(view.data), static_cast<size_t>(view.byte_size) / sizeof(T)};
  }
};

template <class T>
struct Component<Array<T>> {
  static constexpr DType dtype = Entry<T>::dtype;
  static constexpr bool scalar = false;
  static Array<T> read(const weir_view& view) noexcept {
    return {static_cast<const typename Entry<T>::Stored*>(view.data), view.dims,
            static_cast<size_t>(view.rank)};
  }
};

template <>
struct Component<weir_view> {
  static constexpr DType dtype = DType{};
  static constexpr bool scalar = false;
  static const weir_view& read(const weir_view& view) noexcept { return view; }
};

// "component image" or "the component".
inline std::string component_name(std::string_view path) {
  return path.empty() ? "the component" : "component " + std::string(path);
}

// Throws unless a component of this dtype, and rank if that is known, can be read as T.
template <class T>
void check_component(std::string_view path, int32_t dtype, int32_t rank, const std::string& found) {
  using C = Component<T>;
  if (C::dtype == DType{}) return;
  const std::string expected = component_name(path) + ": expected " + (C::scalar ? "a scalar " : "") +
                               name(C::dtype) + ", found " + found;
  if (static_cast<int32_t>(C::dtype) != dtype) {
    fail_invalid(expected + "; read it as " + name(static_cast<DType>(dtype)) +
                 ", or cast it in the pipeline");
  }
  if (C::scalar && rank > 0) fail_invalid(expected + "; read it as a Span or an Array");
}

// The same for a view, which is read if it fits.
template <class T>
T read_checked(const weir_view& view, std::string_view path) {
  if (view.device_type == WEIR_DEVICE_CUDA && !std::is_same_v<T, weir_view>) {
    fail_invalid("component " + std::string(path) +
                 ": expected memory of the CPU, found a device's; read it as a weir_view");
  }
  const bool fits =
      Component<T>::dtype == DType{} ||
      (static_cast<int32_t>(Component<T>::dtype) == view.dtype && (!Component<T>::scalar || view.rank == 0));
  if (!fits) {
    const auto rank = static_cast<size_t>(view.rank);
    const std::string dims = rank == 0 ? "" : dims_text(view.dims, rank);
    check_component<T>(path, view.dtype, view.rank, name(static_cast<DType>(view.dtype)) + dims);
  }
  return Component<T>::read(view);
}

}  // namespace detail

}  // namespace v0
}  // namespace weir

#if defined(__cpp_lib_ranges)
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<weir::Span<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_view<weir::Span<T>> = true;
#endif
