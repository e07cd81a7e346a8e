// Status and Result: how every fallible call inside weir reports.
//
// An Error is immutable and shared; copying a Status copies a pointer. Success is a null pointer,
// failure allocates once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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

// Bytes [offset, offset + size) of a text.
struct Span {
  uint32_t offset = 0;
  uint32_t size = 0;
};

// What is wrong, before its place is known: a sentence, or what was expected and what was found; then
// what to do about it.
struct Mistake {
  // Out of line, since many are made in code that seldom runs.
  Mistake(std::string sentence);
  Mistake(std::string_view sentence);
  Mistake(const char* sentence);
  Mistake(std::string sentence, std::string what_to_do);
  Mistake(const Mistake&);
  Mistake(Mistake&&) noexcept;
  Mistake& operator=(const Mistake&);
  Mistake& operator=(Mistake&&) noexcept;
  ~Mistake();

  // "MESSAGE; HINT", or "expected EXPECTED, found FOUND; HINT".
  std::string sentence() const;

  std::string message;
  std::string expected = {};
  std::string found = {};
  std::string hint = {};
};
Mistake expected_found(std::string_view expected, std::string_view found, std::string_view hint = "");

struct Error;
using ErrorPtr = std::shared_ptr<const Error>;

// The place of a mistake in a text, and its parts. The edge computes line and column.
struct MistakeParts {
  std::string op = {};
  std::string parameter = {};
  // What the message was made of; empty if it was written as one sentence.
  Mistake mistake = {""};
  std::optional<Span> span = {};
  // It only follows from another mistake: say, the name of something that did not build.
  bool consequence = false;
  // Independent mistakes in the same text, or failed reads that took the same row (core/failed_reads.h).
  std::vector<ErrorPtr> others = {};
  // The message has been rendered (syntax::render).
  bool rendered = false;
};

// What went wrong and where. Empty strings and -1 mean "not known".
// `path` is the operator's path and is added by the Stage, never by an operator.
struct Error {
  Code code = Code::unknown;
  // One sentence. After rendering a text that did not build: all its mistakes, with line, column and caret.
  std::string message;
  std::string path = {};
  std::string file = {};
  int64_t offset = -1;
  int64_t record = -1;
  // The error ends a restored sequence whose position cannot be resumed.
  bool position_lost = false;
  // A file could not be opened or read. It may be possible the next time.
  bool read_failed = false;
  // Tells that read from all others of its iterator (core/failed_reads.h); 0 if nothing does.
  uint64_t read = 0;
  // There was no memory for the element: none at all, or none within a budget.
  bool lacks_memory = false;
  MistakeParts parts = {};

  // The sentence in its parts, for use in another message.
  Mistake what() const;
  // "OPERATOR: PARAMETER: " where known, the sentence.
  std::string lead_and_message() const;
  // One line: the operator, the message, then file, offset, record and path where known; newlines as "\n".
  std::string describe() const;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, Mistake mistake);
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

Status invalid_argument(Mistake mistake);
Status failed_precondition(Mistake mistake);
Status data_loss(Mistake mistake);
Status not_found(Mistake mistake);
Status internal_error(Mistake mistake);
Status resource_exhausted(Mistake mistake);
Status unimplemented(Mistake mistake);

// Adds parts that the error does not have yet.
// REQUIRES: !status.ok()
Status with_operator(const Status& status, std::string_view op, std::string_view parameter = "");
Status with_parameter(const Status& status, std::string_view parameter);
Status with_span(const Status& status, Span span);
Status as_consequence(const Status& status);
// Joins two mistakes of one text; either may be ok.
Status both(const Status& a, const Status& b);

// A value, or the error that prevented it.
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
