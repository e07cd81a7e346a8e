#include "core/status.h"

#include <array>

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

std::string Error::describe() const {
  std::string where;
  auto add = [&where](std::string_view label, std::string_view value) {
    append_text(where, where.empty() ? " (" : ", ");
    append_text(where, label);
    append_text(where, value);
  };
  if (!file.empty()) add("file ", file);
  if (offset >= 0) add("offset ", std::to_string(offset));
  if (record >= 0) add("record ", std::to_string(record));
  if (!path.empty()) add("in ", path);
  if (!where.empty()) where += ')';
  return on_one_line(message + where);
}

Status::Status(Code code, std::string message)
    : Status(Error{.code = code, .message = std::move(message), .path = {}, .file = {}}) {}

Status::Status(Error error) : error_(std::make_shared<const Error>(std::move(error))) {}

}  // namespace weir
