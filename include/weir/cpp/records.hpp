// Part of weir/weir.hpp: writing TFRecord files and tf.Examples.
#pragma once

#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/cpp/array.hpp"
#include "weir/cpp/dataset.hpp"
#include "weir/cpp/error.hpp"

namespace weir {
inline namespace v0 {

struct RecordWriterOptions {
  int32_t compression = WEIR_COMPRESSION_NONE;
  int32_t level = 0;                       // as in weir_record_writer_options; 0: the compressor's default
  std::string_view compression_name = {};  // "zstd" …, in place of `compression`
  uint32_t flags = 0;                      // WEIR_RECORD_WRITER_...
};

// Writes a TFRecord file, replacing any of that name. One thread at a time may use a writer.
class RecordWriter {
 public:
  RecordWriter(const Runtime& runtime, std::string_view file, const RecordWriterOptions& options = {}) {
    weir_record_writer_options given = WEIR_RECORD_WRITER_OPTIONS_INIT;
    given.compression = options.compression;
    given.level = options.level;
    given.flags = options.flags;
    given.compression_name = options.compression_name.data();
    given.compression_name_size = options.compression_name.size();
    weir_record_writer out{};
    detail::call(weir_record_writer_create, runtime.handle(), file.data(), static_cast<uint64_t>(file.size()),
                 &given, &out);
    handle_.reset(out);
  }

  weir_record_writer handle() const noexcept { return handle_.get(); }
  // After an error the file is damaged, and every further call throws the same error.
  void write(std::string_view record) {
    detail::call(weir_record_writer_write, handle(), static_cast<const void*>(record.data()),
                 static_cast<uint64_t>(record.size()));
  }
  // Only a file that was closed is complete; the destructor doesn't close it, since closing can fail.
  void close() { detail::call(weir_record_writer_close, handle()); }

 private:
  detail::Unique<weir_record_writer, weir_record_writer_destroy> handle_;
};

namespace detail {

template <class T>
inline constexpr bool is_text_value = std::is_convertible_v<const T&, std::string_view>;
template <class T>
inline constexpr bool is_feature_value = std::is_arithmetic_v<T> || std::is_enum_v<T> || is_text_value<T>;

// What a tf.Example keeps a T as.
template <class T, class = void>
struct Feature {
  static_assert(!std::is_floating_point_v<T>,
                "weir: a tf.Example keeps floats of 32 bits: write 0.5F, or cast to float");
  static_assert(std::is_floating_point_v<T>,
                "weir: a feature is made of integers, floats or texts, or is a container of them");
  using Kept = int64_t;
};
template <class T>
struct Feature<T, std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>> {
  static_assert(
      std::is_enum_v<T> || std::is_signed_v<T> || sizeof(T) < sizeof(int64_t),
      "weir: a tf.Example keeps integers as int64, which has no room for all of uint64: cast to int64_t");
  using Kept = int64_t;
};
template <>
struct Feature<float> {
  using Kept = float;
};
template <class T>
struct Feature<T, std::enable_if_t<is_text_value<T>>> {
  using Kept = std::string_view;
};

}  // namespace detail

// Makes a tf.Example. Setting a feature again replaces its values, so one serves for many records. One thread
// at a time may use it.
class ExampleBuilder {
 public:
  ExampleBuilder() {
    weir_example out{};
    detail::call(weir_example_create, &out);
    handle_.reset(out);
  }

  weir_example handle() const noexcept { return handle_.get(); }
  // Sets a feature to one value, or to several: a list in braces, a container or a Span. They are copied.
  // Integers are kept as int64, floats as float32, texts as bytes:
  //
  //   example.set("label", 7).set("weights", {0.5F, 2.0F}).set("words", {"a", "b"});
  template <class T>
  ExampleBuilder& set(std::string_view name, const T& value) {
    if constexpr (detail::is_feature_value<T>) {
      return set_each<T>(name, &value, 1);
    } else if constexpr (std::is_convertible_v<const T&, Span<const int64_t>>) {
      return set(name, Span<const int64_t>(value));
    } else if constexpr (std::is_convertible_v<const T&, Span<const float>>) {
      return set(name, Span<const float>(value));
    } else {
      using Member = std::decay_t<decltype(*std::begin(value))>;
      static_assert(
          sizeof(Member) > 1 || std::is_same_v<Member, bool>,
          "weir: write bytes as a std::string_view, and small integers as a container of a larger type");
      const auto count = std::distance(std::begin(value), std::end(value));
      return set_each<Member>(name, std::begin(value), static_cast<size_t>(count));
    }
  }
  template <class T>
  ExampleBuilder& set(std::string_view name, std::initializer_list<T> values) {
    return set_each<T>(name, values.begin(), values.size());
  }
  ExampleBuilder& set(std::string_view name, Span<const int64_t> values) {
    return set(name, DType::int64, values.data(), values.size());
  }
  ExampleBuilder& set(std::string_view name, Span<const float> values) {
    return set(name, DType::float32, values.data(), values.size());
  }
  ExampleBuilder& set(std::string_view name, Span<const std::string_view> values) {
    std::vector<weir_string> strings;
    strings.reserve(values.size());
    for (const std::string_view value : values) strings.push_back({value.data(), value.size()});
    return set(name, DType::string, strings.data(), strings.size());
  }
  // Equal features give equal bytes.
  Bytes serialize() const { return detail::bytes_of(weir_example_serialize, handle()); }

 private:
  ExampleBuilder& set(std::string_view name, DType dtype, const void* values, size_t count) {
    detail::call(weir_example_set, handle(), name.data(), static_cast<uint64_t>(name.size()),
                 static_cast<int32_t>(dtype), values, static_cast<uint64_t>(count));
    return *this;
  }
  template <class T, class Position>
  ExampleBuilder& set_each(std::string_view name, Position begin, size_t count) {
    using Kept = typename detail::Feature<T>::Kept;
    std::vector<Kept> kept;
    kept.reserve(count);
    for (size_t i = 0; i < count; ++i, ++begin) kept.push_back(static_cast<Kept>(*begin));
    return set(name, Span<const Kept>(kept));
  }

  detail::Unique<weir_example, weir_example_destroy> handle_;
};

}  // namespace v0
}  // namespace weir
