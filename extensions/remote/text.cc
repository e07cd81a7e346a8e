#include "remote/text.h"

#include <curl/curl.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

namespace weir_remote {
namespace {

bool unreserved(unsigned char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

void append_encoded(std::string& out, unsigned char c) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  out += '%';
  out += kDigits[c >> 4];
  out += kDigits[c & 15];
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

int64_t parse_iso_date(const std::string& text) {
  std::tm parts{};
  int read = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                  &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &read) != 6) {
    return 0;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  int64_t nanoseconds = 0;
  size_t at = static_cast<size_t>(read);
  if (at < text.size() && text[at] == '.') {
    int64_t unit = 100'000'000;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, unit /= 10) {
      nanoseconds += (text[at] - '0') * unit;
    }
  }
  return static_cast<int64_t>(timegm(&parts)) * 1'000'000'000 + nanoseconds;
}

}  // namespace

std::string percent_encode(std::string_view text, bool keep_slash) {
  std::string out;
  out.reserve(text.size() + 16);
  for (unsigned char c : text) {
    if (unreserved(c) || (keep_slash && c == '/')) {
      out += static_cast<char>(c);
    } else {
      append_encoded(out, c);
    }
  }
  return out;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string mend_url(std::string_view url) {
  std::string out;
  out.reserve(url.size());
  for (unsigned char c : url) {
    if (c <= ' ' || c >= 127 || c == '"' || c == '<' || c == '>' || c == '\\' || c == '^' || c == '`' ||
        c == '{' || c == '|' || c == '}') {
      append_encoded(out, c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator, begin)) {
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

bool begins_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

std::optional<uint64_t> parse_number(std::string_view text) {
  if (text.empty() || text.size() > 19) return std::nullopt;
  uint64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

Url parse_url(std::string_view text) {
  Url url;
  size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0) return url;
  url.scheme = lower(text.substr(0, colon));
  text.remove_prefix(colon + 3);
  text = text.substr(0, text.find('#'));
  size_t end = text.find_first_of("/?");
  std::string_view authority = text.substr(0, end);
  size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    url.user = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  url.authority = lower(authority);
  std::string_view rest = end == std::string_view::npos ? std::string_view() : text.substr(end);
  size_t question = rest.find('?');
  url.path = rest.substr(0, question);
  if (url.path.empty()) url.path = "/";
  if (question != std::string_view::npos) url.query = rest.substr(question + 1);
  return url;
}

std::string shown_url(std::string_view text) {
  Url url = parse_url(text);
  return url.scheme.empty() ? shown_text(text.substr(0, text.find_first_of("?#")), 1000)
                            : shown_text(url.origin() + url.path, 1000);
}

bool has_secrets(std::string_view name) {
  size_t begin = name.find("://");
  if (begin == std::string_view::npos) return false;
  name.remove_prefix(begin + 3);
  return name.substr(0, name.find('/')).find_first_of(":@?") != std::string_view::npos;
}

std::string shown_name(std::string_view name) {
  std::string scheme = lower(name.substr(0, name.find("://")));
  if (scheme == "http" || scheme == "https") return shown_url(name);
  return has_secrets(name) ? shown_text(name.substr(0, name.find("://") + 3), 1000) + "..."
                           : shown_text(name, 1000);
}

std::string resolve_location(const std::string& base, std::string_view location) {
  std::string target = mend_url(location.substr(0, location.find('#')));
  size_t colon = target.find_first_of(":/?");
  if (colon != std::string::npos && target[colon] == ':') return target;
  std::unique_ptr<CURLU, void (*)(CURLU*)> url(curl_url(), curl_url_cleanup);
  char* found = nullptr;
  if (curl_url_set(url.get(), CURLUPART_URL, base.c_str(), 0) == CURLUE_OK &&
      curl_url_set(url.get(), CURLUPART_URL, target.c_str(), 0) == CURLUE_OK)
    curl_url_get(url.get(), CURLUPART_URL, &found, 0);
  std::string out = found == nullptr ? "" : found;
  curl_free(found);
  return out;
}

std::map<std::string, std::string> parse_query(std::string_view query) {
  std::map<std::string, std::string> values;
  for (const std::string& part : split(query, '&')) {
    if (part.empty()) continue;
    size_t equals = part.find('=');
    values[percent_decode(part.substr(0, equals))] =
        equals == std::string::npos ? "" : percent_decode(part.substr(equals + 1));
  }
  return values;
}

std::string make_query(const std::map<std::string, std::string>& values) {
  std::string out;
  for (const auto& [name, value] : values) {
    out += (out.empty() ? "" : "&") + percent_encode(name, false) + "=" + percent_encode(value, false);
  }
  return out;
}

int64_t parse_date(std::string_view text) {
  std::string copy(text);
  if (copy.size() > 10 && copy[4] == '-') return parse_iso_date(copy);
  time_t seconds = curl_getdate(copy.c_str(), nullptr);
  return seconds < 0 ? 0 : static_cast<int64_t>(seconds) * 1'000'000'000;
}

std::string shown_text(std::string_view text, size_t most) {
  std::string out;
  for (char c : text) {
    if (out.size() >= most) return out + "...";
    bool control = static_cast<unsigned char>(c) < ' ' || c == 127;
    if (!control) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

std::string environment(const char* name) {
  const char* value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<std::string> read_local_file(const std::string& name) {
  std::FILE* file = std::fopen(name.c_str(), "rbe");
  if (file == nullptr) return std::nullopt;
  std::string contents(1 << 20, '\0');
  contents.resize(std::fread(contents.data(), 1, contents.size(), file));
  bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) return std::nullopt;
  return contents;
}

}  // namespace weir_remote
