#include "remote/http.h"

#include <weir/weir.h>

#include "remote/text.h"

namespace weir_remote {
namespace {

std::string_view phrase_of(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 407:
      return "Proxy Authentication Required";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 416:
      return "Range Not Satisfiable";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

}  // namespace

std::string_view Answer::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string Answer::encoding() const {
  std::string said = lower(header("content-encoding"));
  return said == "identity" ? "" : said;
}

ContentRange parse_content_range(std::string_view text) {
  ContentRange range;
  text = trim(text);
  if (lower(text.substr(0, 6)) != "bytes ") return range;
  text.remove_prefix(6);
  size_t dash = text.find('-');
  size_t slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || dash > slash) return range;
  auto first = parse_number(text.substr(0, dash));
  auto last = parse_number(text.substr(dash + 1, slash - dash - 1));
  if (!first || !last || *last < *first) return range;
  std::string_view total = text.substr(slash + 1);
  if (total != "*") {
    auto number = parse_number(total);
    if (!number || *number <= *last) return range;
    range.total = *number;
  }
  range.first = *first;
  range.last = *last;
  range.valid = true;
  return range;
}

std::string Service::version(const Answer& answer) const {
  std::string_view tag = answer.header("etag");
  return std::string(tag.empty() ? answer.header("last-modified") : tag);
}

bool Service::learn_from(Request& request, const Answer& answer) {
  std::lock_guard<std::mutex> lock(learning_);
  if (lessons_ == answer.lessons) {
    if (!learn(request, answer)) return false;
    ++lessons_;
  }
  return true;
}

std::string Service::request_id(const Answer& answer) const {
  for (std::string_view name :
       {"x-amz-request-id", "x-ms-request-id", "x-guploader-uploadid", "x-request-id"}) {
    if (!answer.header(name).empty()) return std::string(answer.header(name));
  }
  return "";
}

std::string Service::without_secrets(std::string text, const Request& request) const {
  for (const std::string& secret : secrets(request)) {
    // A shorter one would hide words.
    if (secret.size() < 3) continue;
    for (size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at + 3))
      text.replace(at, secret.size(), "***");
  }
  return text;
}

Failure Service::failure(const std::string& name, const Request& request, const Answer& answer) const {
  std::string shown = shown_url(answer.url.empty() ? request.url : answer.url);
  std::string text = shown_name(name) == shown ? shown : shown_name(name) + " (" + shown + ")";
  text += ": the server answered " + std::to_string(answer.status);
  if (!phrase_of(answer.status).empty()) text += " " + std::string(phrase_of(answer.status));
  std::string said = shown_text(without_secrets(detail(answer), request), 300);
  if (!said.empty()) text += " (" + said + ")";
  std::string id = shown_text(without_secrets(request_id(answer), request), 100);
  if (!id.empty()) text += ", request " + id;
  if (answer.status == 401 || answer.status == 403) {
    std::string hint = credentials_hint();
    if (!hint.empty()) text += "; " + hint;
  } else if (answer.status == 407) {
    text +=
        "; the proxy asks for credentials: https_proxy and http_proxy name a user and a password before the "
        "proxy's host";
  } else if (answer.status == 429 || answer.status == 503) {
    text += "; it asks for fewer requests: read with less parallelism, or later";
  }
  return Failure(code_of_status(status_of(request, answer)), text);
}

int32_t code_of_status(int status) {
  switch (status) {
    case 401:
    case 403:
    case 407:
      return WEIR_CODE_PERMISSION_DENIED;
    case 404:
    case 410:
      return WEIR_CODE_NOT_FOUND;
    case 409:
      return WEIR_CODE_ABORTED;
    case 412:
      return WEIR_CODE_FAILED_PRECONDITION;
    case 416:
      return WEIR_CODE_OUT_OF_RANGE;
    case 408:
    case 429:
      return WEIR_CODE_UNAVAILABLE;
    case 501:
      return WEIR_CODE_UNIMPLEMENTED;
    default:
      return status >= 500 ? WEIR_CODE_UNAVAILABLE : WEIR_CODE_INVALID_ARGUMENT;
  }
}

}  // namespace weir_remote
