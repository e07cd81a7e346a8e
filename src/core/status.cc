#include "core/status.h"

#include <array>

#include "core/controls.h"
#include "core/text.h"

namespace weir {

std::string_view code_name(Code code) {
  static constexpr std::array<std::string_view, 16> kNames = {
      "ok",        "cancelled",      "unknown",           "invalid_argument",   "deadline_exceeded",
      "not_found", "already_exists", "permission_denied", "resource_exhausted", "failed_precondition",
      "aborted",   "out_of_range",   "unimplemented",     "internal",           "unavailable",
      "data_loss",
  };
  auto index = static_cast<size_t>(code);
  return index < kNames.size() ? kNames[index] : "unknown";
}

namespace {

std::string on_one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Mistake::Mistake(std::string sentence) : message(std::move(sentence)) {}
Mistake::Mistake(std::string_view sentence) : message(sentence) {}
Mistake::Mistake(const char* sentence) : message(sentence) {}
Mistake::Mistake(std::string sentence, std::string what_to_do)
    : message(std::move(sentence)), hint(std::move(what_to_do)) {}
Mistake::Mistake(const Mistake&) = default;
Mistake::Mistake(Mistake&&) noexcept = default;
Mistake& Mistake::operator=(const Mistake&) = default;
Mistake& Mistake::operator=(Mistake&&) noexcept = default;
Mistake::~Mistake() = default;

Mistake expected_found(std::string_view expected, std::string_view found, std::string_view hint) {
  Mistake out("", std::string(hint));
  out.expected = expected;
  out.found = found;
  return out;
}

std::string Mistake::sentence() const {
  std::string out = expected.empty() ? message : concat("expected ", expected);
  if (!expected.empty() && !found.empty()) out += concat(", found ", found);
  if (!hint.empty()) out += concat("; ", hint);
  return out;
}

namespace {

// The operator that the path ends in: "map" for "batch/zip[1]/map".
std::string_view last_operator(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return last.substr(0, last.find('['));
}

}  // namespace

std::string Error::lead_and_message() const {
  std::string out;
  const std::string_view op = parts.op.empty() ? last_operator(path) : std::string_view(parts.op);
  for (const std::string_view lead : {op, std::string_view(parts.parameter)}) {
    if (!lead.empty()) out += concat(lead, ": ");
  }
  out += parts.rendered ? parts.mistake.sentence() : message;
  return without_controls(out);
}

Mistake Error::what() const {
  const bool has_parts = !parts.mistake.message.empty() || !parts.mistake.expected.empty();
  return has_parts ? parts.mistake : Mistake(message);
}

std::string Error::describe() const {
  std::string where;
  auto add = [&where](std::string_view label, std::string_view value) {
    append_text(where, where.empty() ? " (" : ", ");
    append_text(where, label);
    append_text(where, value);
  };
  if (!file.empty()) add("", file);
  if (offset >= 0) add("offset ", std::to_string(offset));
  if (record >= 0) add("record ", std::to_string(record));
  if (!path.empty()) add("in ", path);
  if (!where.empty()) where += ')';
  return without_controls(on_one_line((parts.rendered ? message : lead_and_message()) + where));
}

Status::Status(Code code, Mistake mistake) {
  Error error;
  error.code = code;
  error.message = mistake.sentence();
  error.parts.mistake = std::move(mistake);
  error_ = std::make_shared<const Error>(std::move(error));
}

Status::Status(Error error) : error_(std::make_shared<const Error>(std::move(error))) {}

Status invalid_argument(Mistake mistake) { return {Code::invalid_argument, std::move(mistake)}; }
Status failed_precondition(Mistake mistake) { return {Code::failed_precondition, std::move(mistake)}; }
Status data_loss(Mistake mistake) { return {Code::data_loss, std::move(mistake)}; }
Status not_found(Mistake mistake) { return {Code::not_found, std::move(mistake)}; }
Status internal_error(Mistake mistake) { return {Code::internal, std::move(mistake)}; }
Status resource_exhausted(Mistake mistake) { return {Code::resource_exhausted, std::move(mistake)}; }
Status unimplemented(Mistake mistake) { return {Code::unimplemented, std::move(mistake)}; }

Status with_operator(const Status& status, std::string_view op, std::string_view parameter) {
  Error error = status.error();
  if (error.parts.op.empty()) {
    error.parts.op = op;
    if (error.parts.parameter.empty()) error.parts.parameter = parameter;
  }
  for (ErrorPtr& other : error.parts.others) other = with_operator(Status(other), op, parameter).pointer();
  return Status(std::move(error));
}

Status with_parameter(const Status& status, std::string_view parameter) {
  Error error = status.error();
  error.parts.parameter = parameter;
  return Status(std::move(error));
}

Status with_span(const Status& status, Span span) {
  if (status.error().parts.span) return status;
  Error error = status.error();
  error.parts.span = span;
  return Status(std::move(error));
}

Status as_consequence(const Status& status) {
  Error error = status.error();
  error.parts.consequence = true;
  return Status(std::move(error));
}

Status both(const Status& a, const Status& b) {
  if (a.ok() || b.ok()) return a.ok() ? b : a;
  // More would not be shown.
  constexpr size_t kMostMistakes = 100;
  Error out = a.error();
  std::vector<ErrorPtr>& others = out.parts.others;
  if (others.size() >= kMostMistakes) return a;
  Error second = b.error();
  std::vector<ErrorPtr> more = std::move(second.parts.others);
  second.parts.others.clear();
  others.push_back(std::make_shared<const Error>(std::move(second)));
  others.insert(others.end(), more.begin(), more.end());
  return Status(std::move(out));
}

}  // namespace weir
