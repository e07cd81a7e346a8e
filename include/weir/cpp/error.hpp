// Part of weir/weir.hpp: errors, the bytes that the library gives, and the owners of handles.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "weir/weir.h"

namespace weir {
inline namespace v0 {

namespace detail {

inline std::string_view view(const weir_string& text) noexcept {
  return {text.data ? text.data : "", static_cast<size_t>(text.size)};
}

}  // namespace detail

// What went wrong and where. Copying does not throw.
class Error : public std::runtime_error {
 public:
  // For callbacks that choose the code of a failed element. `code` is a WEIR_CODE_...
  Error(int32_t code, const std::string& message)
      : std::runtime_error(message), details_(std::make_shared<const Details>(code, message)) {}
  // From what a function of weir.h filled; `result` is what it returned.
  Error(const weir_error& error, int32_t result)
      : std::runtime_error(std::string(detail::view(error.line))),
        details_(std::make_shared<const Details>(error, result)) {}

  // One of WEIR_CODE_..., and its name, such as "not_found".
  int32_t code() const noexcept { return details_->code; }
  const char* code_name() const noexcept { return weir_code_name(details_->code); }
  // What was expected, what was found, what to do. It may have several lines.
  const std::string& message() const noexcept { return details_->message; }
  // The operator, from the root: "batch/map". Empty where unknown.
  const std::string& path() const noexcept { return details_->path; }
  // Empty where unknown.
  const std::string& file() const noexcept { return details_->file; }
  // In the file, in decompressed bytes; -1 where unknown.
  int64_t offset() const noexcept { return details_->offset; }
  // In the file, from 0; -1 where unknown.
  int64_t record() const noexcept { return details_->record; }
  // All of this except the code in one line, for logs. what() is the same.
  std::string_view line() const noexcept { return what(); }
  // One element failed, and the next call continues after it. If false, the call itself failed and repeating
  // it will not help.
  bool element_failed() const noexcept { return details_->element_failed; }

 private:
  struct Details {
    Details(int32_t error_code, const std::string& text) : code(error_code), message(text) {}
    Details(const weir_error& error, int32_t result)
        : code(error.code),
          element_failed(result == WEIR_ELEMENT_FAILED),
          message(detail::view(error.message)),
          path(detail::view(error.path)),
          file(detail::view(error.file)),
          offset(error.offset),
          record(error.record) {}
    int32_t code;
    bool element_failed = false;
    std::string message;
    std::string path;
    std::string file;
    int64_t offset = -1;
    int64_t record = -1;
  };
  std::shared_ptr<const Details> details_;
};

namespace detail {

[[noreturn]] inline void fail_invalid(const std::string& message) {
  throw Error(WEIR_CODE_INVALID_ARGUMENT, message);
}

// A weir_error that clears itself, and throws what it was filled with.
class ErrorSlot {
 public:
  ErrorSlot() noexcept = default;
  ErrorSlot(ErrorSlot&& other) noexcept { std::swap(value_, other.value_); }
  ErrorSlot& operator=(ErrorSlot&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~ErrorSlot() {
    if (value_.code != 0) weir_error_clear(&value_);
  }
  weir_error* get() noexcept { return &value_; }
  // Returns `result` unless it is an error.
  int32_t check(int32_t result) const {
    if (result < 0 || result == WEIR_ELEMENT_FAILED) throw_filled(result);
    return result;
  }

 private:
  [[noreturn]] void throw_filled(int32_t result) const { throw Error(value_, result); }

  weir_error value_ = WEIR_ERROR_INIT;
};

// Calls a function of weir.h, whose last argument is the error. Throws if it fails, else returns its result.
template <class Function, class... Arguments>
int32_t call(Function function, Arguments... arguments) {
  ErrorSlot error;
  return error.check(function(arguments..., error.get()));
}

// The only owner of a handle.
template <class Handle, void (*Destroy)(Handle)>
class Unique {
 public:
  Unique() noexcept = default;
  explicit Unique(Handle handle) noexcept : handle_(handle) {}
  Unique(Unique&& other) noexcept : handle_(other.release()) {}
  Unique& operator=(Unique&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Unique() { reset(); }
  Handle get() const noexcept { return handle_; }
  Handle release() noexcept { return std::exchange(handle_, Handle{0}); }
  void reset(Handle handle = Handle{0}) noexcept {
    if (handle_.value != 0) Destroy(handle_);
    handle_ = handle;
  }

 private:
  Handle handle_{0};
};

// One of the owners of a handle; a copy is another one.
template <class Handle, int32_t (*Ref)(Handle, weir_error*), void (*Unref)(Handle)>
class Shared {
 public:
  Shared() noexcept = default;
  explicit Shared(Handle handle) noexcept : handle_(handle) {}
  Shared(const Shared& other) : handle_(other.handle_) {
    if (handle_.value == 0) return;
    ErrorSlot error;
    error.check(Ref(handle_, error.get()));
  }
  Shared(Shared&& other) noexcept : handle_(std::exchange(other.handle_, Handle{0})) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Shared() {
    if (handle_.value != 0) Unref(handle_);
  }
  Handle get() const noexcept { return handle_; }

 private:
  Handle handle_{0};
};

}  // namespace detail

// Bytes that the library made: a checkpoint, a text, a serialized graph. Owned by this object.
class Bytes {
 public:
  Bytes() noexcept = default;
  // Takes bytes of weir.h over.
  explicit Bytes(weir_bytes bytes) noexcept : bytes_(bytes) {}
  Bytes(Bytes&& other) noexcept { std::swap(bytes_, other.bytes_); }
  Bytes& operator=(Bytes&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Bytes() { weir_bytes_release(&bytes_); }

  const char* data() const noexcept { return bytes_.data; }
  size_t size() const noexcept { return static_cast<size_t>(bytes_.size); }
  bool empty() const noexcept { return bytes_.size == 0; }
  std::string_view view() const noexcept { return {bytes_.data ? bytes_.data : "", size()}; }
  std::string str() const { return std::string(view()); }
  operator std::string_view() const noexcept { return view(); }

 private:
  weir_bytes bytes_ = WEIR_BYTES_INIT;
};

namespace detail {

// Calls a function of weir.h whose last arguments are a weir_bytes to fill and the error.
template <class Function, class... Arguments>
Bytes bytes_of(Function function, Arguments... arguments) {
  weir_bytes out = WEIR_BYTES_INIT;
  call(function, arguments..., &out);
  return Bytes(out);
}

}  // namespace detail

// "MAJOR.MINOR.PATCH" of the library that is running.
inline std::string_view version() noexcept { return weir_version(); }

// What documents can call, as JSON, or as text with WEIR_TEXT. No name: everything.
inline Bytes schema(std::string_view name = {}, uint32_t flags = 0) {
  return detail::bytes_of(weir_schema, name.empty() ? nullptr : name.data(),
                          static_cast<uint64_t>(name.size()), flags);
}

}  // namespace v0
}  // namespace weir
