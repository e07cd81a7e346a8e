// Part of weir/weir.hpp: the structure of elements, and memory that comes in.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/cpp/array.hpp"
#include "weir/cpp/error.hpp"

namespace weir {
inline namespace v0 {

// The structure of an element: a tensor, or a tuple or dict of structures. Immutable; copies share it. Any
// number of threads may use one.
class Spec {
 public:
  Spec() noexcept = default;
  // From a text such as "{image: uint8[28, 28], label: int64}".
  explicit Spec(std::string_view text) {
    weir_spec out{};
    detail::call(weir_spec_parse, text.data(), static_cast<uint64_t>(text.size()), &out);
    handle_ = Handle(out);
  }
  // Takes over a handle of weir.h.
  explicit Spec(weir_spec handle) noexcept : handle_(handle) {}

  weir_spec handle() const noexcept { return handle_.get(); }
  // The top: kind, dtype, rank, dims and counts. `dims` lives as long as the spec.
  weir_spec_info info() const {
    weir_spec_info out = WEIR_SPEC_INFO_INIT;
    detail::call(weir_spec_view, handle(), &out);
    return out;
  }
  // Member `i` of a tuple or dict, and its key, which is empty except in dicts.
  Spec child(uint32_t i) const { return child_and_key(i).first; }
  std::string key(uint32_t i) const { return child_and_key(i).second; }
  // The index of a component by its path: "image", "1", "pair.0".
  uint32_t component(std::string_view path) const {
    uint32_t out = 0;
    detail::call(weir_spec_component, handle(), path.data(), static_cast<uint64_t>(path.size()), &out);
    return out;
  }
  std::string text() const { return detail::bytes_of(weir_spec_format, handle()).str(); }

 private:
  using Handle = detail::Shared<weir_spec, weir_spec_ref, weir_spec_unref>;

  std::pair<Spec, std::string> child_and_key(uint32_t i) const {
    weir_spec out{};
    weir_string key{};
    detail::call(weir_spec_child, handle(), i, &out, &key);
    return {Spec(out), std::string(detail::view(key))};
  }

  Handle handle_;
};

namespace detail {

// A component as the spec declares it. `rank` is -1 where unknown.
struct Part {
  std::string path;
  int32_t dtype;
  int32_t rank;
  std::string text;
};

inline void add_parts(const Spec& spec, const std::string& path, std::vector<Part>& out) {
  const weir_spec_info info = spec.info();
  const std::string dot = path.empty() ? "" : path + ".";
  switch (info.kind) {
    case WEIR_SPEC_TUPLE:
    case WEIR_SPEC_DICT:
      for (uint32_t i = 0; i < info.child_count; ++i) {
        const std::string word = info.kind == WEIR_SPEC_DICT ? spec.key(i) : std::to_string(i);
        add_parts(spec.child(i), dot + word, out);
      }
      break;
    case WEIR_SPEC_SPARSE:
      out.push_back({dot + "indices", WEIR_DTYPE_INT64, 2, "int64[?, ?]"});
      out.push_back(
          {dot + "values", info.dtype, 1, std::string(name(static_cast<DType>(info.dtype))) + "[?]"});
      out.push_back({dot + "shape", WEIR_DTYPE_INT64, 1, "int64[?]"});
      break;
    case WEIR_SPEC_RAGGED:
      out.push_back({dot + "values", info.dtype, -1, name(static_cast<DType>(info.dtype))});
      out.push_back({dot + "row_splits", WEIR_DTYPE_INT64, 1, "int64[?]"});
      break;
    case WEIR_SPEC_OPTIONAL:
      out.push_back({dot + "has_value", WEIR_DTYPE_BOOL, 0, "bool"});
      add_parts(spec.child(0), path, out);
      break;
    case WEIR_SPEC_DATASET:
      out.push_back({path, WEIR_DTYPE_DATASET, 0, spec.text()});
      break;
    default:
      out.push_back({path, info.dtype, info.rank, spec.text()});
  }
}

// The flat list of components.
inline std::vector<Part> parts_of(const Spec& spec) {
  std::vector<Part> out;
  add_parts(spec, "", out);
  return out;
}

}  // namespace detail

// Memory that comes in. Immutable; copies share it. Any number of threads may use one.
//
//   Tensor::wrap(data, dims)         the caller's memory without a copy. It must not change until everything
//                                    that uses the tensor is gone; a release function says when.
//   Tensor::own(std::move(vector))   a vector (or anything with data() and size()) that moves in, no copy.
//   Tensor::copy(data, dims)         a copy; the memory may be reused at once.
//
// Without dims, a container is a vector of its size. Strings are containers of std::string_view for copy(),
// of weir_string for wrap().
class Tensor {
 public:
  Tensor() noexcept = default;
  // Takes over a handle of weir.h.
  explicit Tensor(weir_tensor handle) noexcept : handle_(handle) {}

  // `release` is called exactly once, on any thread, when nothing uses the tensor any more, or before wrap()
  // throws. It must not throw.
  template <class T>
  static Tensor wrap(const T* data, const std::vector<int64_t>& dims) {
    return make_wrapped(data, dims, nullptr, nullptr);
  }
  template <class T, class Release>
  static Tensor wrap(const T* data, const std::vector<int64_t>& dims, Release release) {
    auto owned = std::make_unique<Release>(std::move(release));
    // Taken over by the call, also if it fails.
    return make_wrapped(data, dims, &run_and_delete<Release>, owned.release());
  }
  // Without a copy, from a container that outlives everything that uses the tensor.
  template <class Container, class = decltype(std::data(std::declval<const Container&>()))>
  static Tensor wrap(const Container& container) {
    return wrap(std::data(container), {static_cast<int64_t>(std::size(container))});
  }
  template <class Container, class = std::enable_if_t<!std::is_lvalue_reference_v<Container>>>
  static Tensor wrap(const Container&& container) = delete;

  template <class Container>
  static Tensor own(Container container) {
    return own(std::move(container), {});
  }
  // No dims: one dimension, the size.
  template <class Container>
  static Tensor own(Container container, std::vector<int64_t> dims) {
    auto owned = std::make_unique<Container>(std::move(container));
    if (dims.empty()) dims = {static_cast<int64_t>(std::size(*owned))};
    check_count(std::size(*owned), dims);
    const auto* data = std::data(*owned);
    return make_wrapped(data, dims, &just_delete<Container>, owned.release());
  }

  template <class T>
  static Tensor copy(const T* data, const std::vector<int64_t>& dims) {
    const size_t count = detail::count_of(dims.data(), dims.size());
    if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) {
      std::vector<weir_string> strings;
      strings.reserve(count);
      for (size_t i = 0; i < count; ++i) strings.push_back({data[i].data(), data[i].size()});
      return make_copied(WEIR_DTYPE_STRING, dims, strings.data(), count * sizeof(weir_string));
    } else {
      return make_copied(dtype_of<T>(), dims, data, count * sizeof(T));
    }
  }
  template <class Container, class = decltype(std::data(std::declval<const Container&>()))>
  static Tensor copy(const Container& container) {
    return copy(std::data(container), {static_cast<int64_t>(std::size(container))});
  }
  template <class T>
  static Tensor copy(std::initializer_list<T> values) {
    return copy(values.begin(), {static_cast<int64_t>(values.size())});
  }
  // A tensor of rank 0.
  template <class T>
  static Tensor scalar(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view text(value);
      return copy(&text, {});
    } else {
      return copy(&value, {});
    }
  }
  // Takes the DLPack tensor over, also if it throws.
  static Tensor from_dlpack(DLManagedTensorVersioned* managed) {
    weir_tensor out{};
    detail::call(weir_tensor_from_dlpack, managed, &out);
    return Tensor(out);
  }

  weir_tensor handle() const noexcept { return handle_.get(); }
  // Valid as long as the tensor.
  weir_view view() const {
    weir_view out = WEIR_VIEW_INIT;
    detail::call(weir_tensor_view, handle(), &out);
    return out;
  }
  // As a component of an element is read: read<Array<float>>(), read<int64_t>().
  template <class T>
  T read() const {
    return detail::read_checked<T>(view(), "");
  }

 private:
  using Handle = detail::Shared<weir_tensor, weir_tensor_ref, weir_tensor_unref>;

  template <class T>
  static constexpr int32_t dtype_of() {
    if constexpr (std::is_same_v<T, weir_string>) {
      return WEIR_DTYPE_STRING;
    } else {
      return static_cast<int32_t>(detail::Entry<T>::dtype);
    }
  }
  template <class Release>
  static void run_and_delete(void* release) {
    const std::unique_ptr<Release> owned(static_cast<Release*>(release));
    (*owned)();
  }
  template <class Container>
  static void just_delete(void* container) {
    delete static_cast<Container*>(container);
  }
  static void check_count(size_t size, const std::vector<int64_t>& dims) {
    if (detail::count_of(dims.data(), dims.size()) == size) return;
    detail::fail_invalid("Tensor::own: expected as many values as " +
                         detail::dims_text(dims.data(), dims.size()) + " has, found " + std::to_string(size));
  }

  template <class T>
  static Tensor make_wrapped(const T* data, const std::vector<int64_t>& dims, void (*release)(void*),
                             void* user_data) {
    weir_tensor out{};
    detail::call(weir_tensor_wrap, dtype_of<T>(), static_cast<int32_t>(dims.size()), dims.data(),
                 static_cast<const void*>(data),
                 static_cast<uint64_t>(detail::count_of(dims.data(), dims.size()) * sizeof(T)), release,
                 user_data, &out);
    return Tensor(out);
  }
  static Tensor make_copied(int32_t dtype, const std::vector<int64_t>& dims, const void* data, size_t size) {
    weir_tensor out{};
    detail::call(weir_tensor_copy, dtype, static_cast<int32_t>(dims.size()), dims.data(), data,
                 static_cast<uint64_t>(size), &out);
    return Tensor(out);
  }

  Handle handle_;
};

}  // namespace v0
}  // namespace weir
