// Part of weir/weir.hpp: writing TFRecord files and tf.Examples.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/cpp/array.hpp"
#include "weir/cpp/dataset.hpp"
#include "weir/cpp/error.hpp"

namespace weir {
inline namespace v0 {

struct RecordWriterOptions {
  int32_t compression = WEIR_COMPRESSION_NONE;
  int32_t level = 0;  // 1 to 9; 0: the compressor's default
};

// Writes a TFRecord file, replacing any of that name. One thread at a time may use a writer.
class RecordWriter {
 public:
  RecordWriter(const Runtime& runtime, std::string_view file, const RecordWriterOptions& options = {}) {
    weir_record_writer_options given = WEIR_RECORD_WRITER_OPTIONS_INIT;
    given.compression = options.compression;
    given.level = options.level;
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
  // One value, or several; they are copied.
  ExampleBuilder& set(std::string_view name, int64_t value) {
    return set(name, Span<const int64_t>(&value, 1));
  }
  ExampleBuilder& set(std::string_view name, int value) { return set(name, int64_t{value}); }
  ExampleBuilder& set(std::string_view name, float value) { return set(name, Span<const float>(&value, 1)); }
  ExampleBuilder& set(std::string_view name, std::string_view value) {
    return set(name, Span<const std::string_view>(&value, 1));
  }
  ExampleBuilder& set(std::string_view name, const char* value) { return set(name, std::string_view(value)); }
  ExampleBuilder& set(std::string_view name, Span<const int64_t> values) {
    detail::call(weir_example_set_int64, handle(), name.data(), static_cast<uint64_t>(name.size()),
                 values.data(), static_cast<uint64_t>(values.size()));
    return *this;
  }
  ExampleBuilder& set(std::string_view name, Span<const float> values) {
    detail::call(weir_example_set_float, handle(), name.data(), static_cast<uint64_t>(name.size()),
                 values.data(), static_cast<uint64_t>(values.size()));
    return *this;
  }
  ExampleBuilder& set(std::string_view name, Span<const std::string_view> values) {
    std::vector<weir_string> strings;
    strings.reserve(values.size());
    for (const std::string_view value : values) strings.push_back({value.data(), value.size()});
    detail::call(weir_example_set_bytes, handle(), name.data(), static_cast<uint64_t>(name.size()),
                 static_cast<const weir_string*>(strings.data()), static_cast<uint64_t>(strings.size()));
    return *this;
  }
  // Equal features give equal bytes.
  Bytes serialize() const { return detail::bytes_of(weir_example_serialize, handle()); }

 private:
  detail::Unique<weir_example, weir_example_destroy> handle_;
};

}  // namespace v0
}  // namespace weir
