// guarded(): the one exception barrier; every entry point that can fail runs its body inside it. released()
// is for those that only release. Also what the entry points share: reading the options, strings and handles
// of a caller.
//
//   int32_t weir_thing_do(weir_thing thing, int64_t* out, weir_error* error) {
//     return guarded(error, out, [&]() -> Status { … *out = …; return Status(); });
//   }
//
// A Status becomes minus its code, an exception resource_exhausted or internal.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "capi/handle_table.h"
#include "core/host_call.h"
#include "core/status.h"
#include "core/text.h"
#include "weir/weir.h"

namespace weir::capi {

// What an entry point returns: a result, and the error that goes with it unless it is a success.
class Answer {
 public:
  Answer(int32_t result) : result_(result) {}
  Answer(const Status& status)
      : result_(status.ok() ? WEIR_OK : -static_cast<int32_t>(status.code())), error_(status.pointer()) {}
  // This element failed; the next call continues.
  static Answer element_failed(ErrorPtr error) {
    Answer answer(WEIR_ELEMENT_FAILED);
    answer.error_ = std::move(error);
    return answer;
  }
  int32_t result() const { return result_; }
  const ErrorPtr& error() const { return error_; }

 private:
  int32_t result_;
  ErrorPtr error_;
};

// Fills `out` unless it is null. Never throws, and allocates only to fill it.
void fill_error(weir_error* out, const Error& error) noexcept;
// The code that a host gave; unknown for a number that is none.
inline Code code_given(int32_t code) {
  return code > 0 && code <= WEIR_CODE_DATA_LOSS ? static_cast<Code>(code) : Code::unknown;
}
// Answers with the exception in flight and fills `error`.
int32_t answer_exception(weir_error* error) noexcept;
int32_t answer_error(weir_error* error, const Answer& answer) noexcept;
int32_t answer_null_out(weir_error* error) noexcept;

template <class Body>
int32_t guarded(weir_error* error, Body&& body) noexcept {
  try {
    Answer answer(body());
    if (answer.error()) [[unlikely]]
      return answer_error(error, answer);
    return answer.result();
  } catch (...) {
    return answer_exception(error);
  }
}

// For functions with an out parameter, which is zeroed first and again after a failure.
template <class Out, class Body>
int32_t guarded(weir_error* error, Out* out, Body&& body) noexcept {
  if (!out) return answer_null_out(error);
  *out = Out{};
  int32_t result = guarded(error, static_cast<Body&&>(body));
  if (result != WEIR_OK) *out = Out{};
  return result;
}

// For functions that cannot fail.
template <class Body>
void released(Body&& body) noexcept {
  body();
}

// "expected a runtime, found a handle that is zero, released or made up"
Status bad_handle(std::string_view what, uint64_t handle);
// "the element is in use on another thread"
Status busy_handle(std::string_view what);

template <class P>
[[gnu::cold, gnu::noinline]] Status pin_error(const P& pinned, std::string_view what, uint64_t handle) {
  return pinned.busy() ? busy_handle(what) : bad_handle(what, handle);
}

Status too_many_owners(std::string_view what);

// Implements the _ref functions.
Status share(HandleKind kind, std::string_view what, uint64_t handle);

// Reads a caller's string and resolves WEIR_STRLEN. invalid_argument for NULL with a length, or a size above
// `limit`.
Result<std::string_view> read_string(const char* data, uint64_t size, std::string_view what, uint64_t limit);

// Reads a caller's bytes, with the same errors.
Result<std::string_view> read_bytes(const void* data, uint64_t size, std::string_view what);

// Reads a caller's dimensions. invalid_argument for a rank outside 0..8, for NULL, or for a negative
// dimension.
Result<std::span<const int64_t>> read_dims(int32_t rank, const int64_t* dims);

inline constexpr uint64_t kMaxNameBytes = 4096;
inline constexpr uint32_t kMaxStructBytes = 4096;

// The size of a caller's struct: 0 means `first`, its size in the first version.
inline uint32_t bytes_of_struct(uint32_t struct_size, size_t first) {
  return struct_size == 0 ? static_cast<uint32_t>(first) : struct_size;
}

inline bool is_struct_size(uint32_t bytes, size_t first) {
  return bytes >= first && bytes <= kMaxStructBytes;
}

// Checks a struct of `struct_size` bytes of which the library knows `known`: the rest must be zero.
Status check_struct_size(std::string_view name, const void* given, uint32_t struct_size, size_t known,
                         size_t first);

// Refuses bits that are not in `known`, which `what` names.
Status check_flags(uint32_t flags, uint32_t known, std::string_view what);

// Checks a struct that the library fills.
Status check_out_struct(std::string_view name, uint32_t struct_size, size_t first);

// Reserved fields must be zero: they get a meaning later, which today's callers can't intend.
Status check_reserved(std::string_view name, int64_t reserved);

// Copies a versioned struct over `known`, which holds the defaults for fields that an older caller does not
// have. NULL leaves the defaults. If the size is valid, `known` is filled even on failure, since the
// callbacks in it must be destroyed. Size 0 means `zero`; for elements of arrays this is their distance, not
// the smallest accepted size.
template <class T>
Status read_struct(std::string_view name, const T* given, size_t first, size_t zero, T& known) {
  if (!given) return Status();
  const uint32_t bytes = bytes_of_struct(given->struct_size, zero);
  if (is_struct_size(bytes, first)) {
    std::memcpy(static_cast<void*>(&known), given, bytes < sizeof(T) ? bytes : sizeof(T));
  }
  WEIR_TRY(check_struct_size(name, given, bytes, sizeof(T), first));
  if constexpr (requires { known.reserved; }) return check_reserved(name, known.reserved);
  return Status();
}

template <class T>
Status read_struct(std::string_view name, const T* given, size_t first, T& known) {
  return read_struct(name, given, first, first, known);
}

// Hands bytes over to the caller, followed by a NUL and released by weir_bytes_release.
weir_bytes make_bytes(std::string bytes);

// The same, released here unless the caller gets them: for a function with several of them to give.
class OwnedBytes {
 public:
  explicit OwnedBytes(std::string bytes) : bytes_(make_bytes(std::move(bytes))) {}
  OwnedBytes(const OwnedBytes&) = delete;
  OwnedBytes& operator=(const OwnedBytes&) = delete;
  ~OwnedBytes() { weir_bytes_release(&bytes_); }
  weir_bytes release() noexcept { return std::exchange(bytes_, weir_bytes{}); }

 private:
  weir_bytes bytes_;
};

inline weir_string to_string_struct(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace weir::capi
