#include "core/text.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/credentials.h"
#include "core/utf8.h"

namespace weir {

namespace {
constexpr std::string_view kHex = "0123456789abcdef";
}  // namespace

std::string quote(std::string_view bytes) {
  std::string out = "\"";
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if (byte >= 0x20 && byte < 0x7f) {
          out += c;
        } else {
          out += "\\x";
          out += kHex[byte >> 4];
          out += kHex[byte & 15];
        }
    }
  }
  return out += '"';
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t size = utf8_size(text);
    const char c = text[0];
    const auto byte = static_cast<unsigned char>(c);
    if (size == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out += '"';
}

namespace {

void cover(std::string& out, size_t from, size_t to) {
  if (from < to) std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(from), to - from, '*');
}

// Whether "http" or "https" ends at `at`, and where it begins.
std::optional<size_t> begin_of_http(std::string_view text, size_t at) {
  for (const std::string_view scheme : {std::string_view("http"), std::string_view("https")}) {
    const size_t begin = at - std::min(at, scheme.size());
    const bool same = std::ranges::equal(text.substr(begin, at - begin), scheme,
                                         [](char a, char b) { return (a | 0x20) == b; });
    if (same) return begin;
  }
  return std::nullopt;
}

// Covers user, password and query of the URL whose host is in [begin, end). A password that has what ends a
// host may go on to `line_end`.
void cover_url(std::string& out, size_t begin, size_t end, size_t line_end) {
  const std::string_view url = std::string_view(out).substr(begin, line_end - begin);
  const std::string_view host = url.substr(0, std::min(url.find_first_of("/?#"), end - begin));
  const size_t colon = host.rfind(':');
  const bool has_port = colon == std::string_view::npos || host.ends_with(']') ||
                        host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  size_t user = host.rfind('@');
  if (user == std::string_view::npos && !has_port) user = url.rfind('@');
  if (user == std::string_view::npos) user = 0;
  const size_t query = url.substr(0, end - begin).find('?', user);
  cover(out, begin, begin + user);
  if (query != std::string_view::npos) cover(out, begin + query + 1, end);
}

// The end of the word at `at`, without what belongs to the sentence around it.
size_t end_of_word(std::string_view text, size_t at) {
  const size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
  return std::max(at, text.substr(0, end).find_last_not_of(",;:.)>'\"`") + 1);
}

// In the rest of a line behind a URL: what may be more of its query.
void cover_more(std::string& out, size_t begin, size_t end, bool in_query) {
  for (size_t at = begin; (at = out.find_first_not_of(" \t\r", at)) < end;) {
    const size_t word_end = std::min(end_of_word(out, at), end);
    const std::string_view word = std::string_view(out).substr(at, word_end - at);
    const size_t query = word.find('?');
    if (query != std::string_view::npos && word.find('=', query) != std::string_view::npos) {
      cover(out, at + query + 1, word_end);
      in_query = true;
    } else if (in_query && word.find_first_of("=&") != std::string_view::npos) {
      cover(out, at, word_end);
    }
    at = std::max(word_end, at + 1);
  }
}

// The end of what is quoted from `at` on; npos if it has none.
size_t end_of_quoted(std::string_view text, size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at < text.size() ? at : std::string_view::npos;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

std::string without_credentials(std::string_view text) {
  std::string out(text);
  for (size_t at = 0; (at = out.find("://", at)) != std::string::npos;) {
    const std::optional<size_t> scheme = begin_of_http(out, at);
    at += 3;
    if (!scheme) continue;
    const bool quoted = *scheme > 0 && out[*scheme - 1] == '"';
    const size_t quote_end = quoted ? end_of_quoted(out, at) : std::string::npos;
    if (quote_end != std::string::npos) {
      cover_url(out, at, quote_end, quote_end);
      at = quote_end;
      continue;
    }
    const size_t line_end = std::min({out.size(), out.find('\n', at), out.find("://", at)});
    const size_t end = std::min(end_of_word(out, at), line_end);
    cover_url(out, at, end, line_end);
    cover_more(out, end, line_end, out.find('?', at) < end);
    at = end;
  }
  return out;
}

std::string without_credentials(std::string_view text, std::string_view file) {
  const size_t scheme_end = file.find("://");
  std::string out(text);
  if (scheme_end != std::string_view::npos && begin_of_http(file, scheme_end) == 0) {
    std::string covered(file);
    cover_url(covered, scheme_end + 3, file.size(), file.size());
    if (text == file) return covered;
    replace_all(out, quote(file), quote(covered));
    replace_all(out, json_string(file), json_string(covered));
    replace_all(out, file, covered);
  }
  return without_credentials(out);
}

int edit_distance(std::string_view a, std::string_view b) {
  // Names come from input: nobody mistypes a longer one, and the table stays small.
  constexpr size_t kMaxCompared = 64;
  if (a.size() > kMaxCompared || b.size() > kMaxCompared) {
    if (a == b) return 0;
    return static_cast<int>(std::min<size_t>(std::max(a.size(), b.size()), 1 << 30));
  }
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i) + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      int replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

bool is_near(std::string_view a, std::string_view b) {
  const int distance = edit_distance(a, b);
  if (distance <= static_cast<int>(a.size() / 3)) return true;
  // Two swapped letters are one slip.
  return distance == 2 && a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin());
}

}  // namespace weir
