// Status and Result: how every fallible call inside weir reports.
// Ownership: an Error is immutable and shared; copying a Status copies a pointer.
// Threads: values; distinct objects may be used at once.
// Errors: this is them. Cost: success is a null pointer, failure allocates once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace weir {

// Numbered as in gRPC and TensorFlow, so that codes mean the same on both sides.
enum class Code : int32_t {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
};

// The word that the command prints: "invalid_argument".
std::string_view code_name(Code code);

// What went wrong and where. Empty strings and -1 mean "not known".
// `path` is the operator's path and is added by the Stage, never by an operator.
struct Error {
  Code code = Code::unknown;
  std::string message;
  std::string path;
  std::string file;
  int64_t offset = -1;
  int64_t record = -1;
  // It ends a restored sequence, whose position cannot be taken up.
  bool position_lost = false;

  // One line: the message, then file, offset, record and path where known; newlines as "\n".
  std::string describe() const;
};

using ErrorPtr = std::shared_ptr<const Error>;

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  explicit Status(Error error);
  explicit Status(ErrorPtr error) : error_(std::move(error)) {}

  bool ok() const { return error_ == nullptr; }
  Code code() const { return error_ ? error_->code : Code::ok; }
  // REQUIRES: !ok()
  const Error& error() const { return *error_; }
  const ErrorPtr& pointer() const { return error_; }

 private:
  ErrorPtr error_;
};

inline Status invalid_argument(std::string message) { return {Code::invalid_argument, std::move(message)}; }
inline Status failed_precondition(std::string message) {
  return {Code::failed_precondition, std::move(message)};
}
inline Status data_loss(std::string message) { return {Code::data_loss, std::move(message)}; }
inline Status not_found(std::string message) { return {Code::not_found, std::move(message)}; }
inline Status internal_error(std::string message) { return {Code::internal, std::move(message)}; }
inline Status resource_exhausted(std::string message) {
  return {Code::resource_exhausted, std::move(message)};
}
inline Status unimplemented(std::string message) { return {Code::unimplemented, std::move(message)}; }

// A value or the error that stood in its way.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::in_place_index<0>, std::move(value)) {}
  // REQUIRES: !status.ok()
  Result(Status status) : value_(std::in_place_index<1>, std::move(status)) {}

  bool ok() const { return value_.index() == 0; }
  Status status() const { return ok() ? Status() : std::get<1>(value_); }
  // REQUIRES: ok()
  T& operator*() & { return *std::get_if<0>(&value_); }
  const T& operator*() const& { return *std::get_if<0>(&value_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&value_)); }
  T* operator->() { return std::get_if<0>(&value_); }
  const T* operator->() const { return std::get_if<0>(&value_); }

 private:
  std::variant<T, Status> value_;
};

}  // namespace weir

// Returns from the enclosing function if the expression is a failed Status.
#define WEIR_TRY(expr)                                                                 \
  do {                                                                                 \
    if (::weir::Status weir_status_ = (expr); !weir_status_.ok()) return weir_status_; \
  } while (0)

#define WEIR_CONCAT_INNER(a, b) a##b
#define WEIR_CONCAT(a, b) WEIR_CONCAT_INNER(a, b)

// WEIR_ASSIGN(auto x, f()): declares x from a Result, or returns its Status.
#define WEIR_ASSIGN(decl, expr) WEIR_ASSIGN_INNER(WEIR_CONCAT(weir_result_, __COUNTER__), decl, expr)
#define WEIR_ASSIGN_INNER(tmp, decl, expr) \
  auto tmp = (expr);                       \
  if (!tmp.ok()) return tmp.status();      \
  decl = *std::move(tmp)
