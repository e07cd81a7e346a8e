#include "core/text.h"

#include <algorithm>
#include <vector>

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

std::string without_credentials(std::string_view text) {
  std::string out(text);
  constexpr std::string_view kAround = " \n\t\"'`<>)";
  for (size_t at = 0; (at = out.find("://", at)) != std::string::npos;) {
    const std::string_view before(out.data(), at);
    at += 3;
    if (!before.ends_with("http") && !before.ends_with("https")) continue;
    const size_t end = std::min(out.find_first_of(kAround, at), out.size());
    const std::string_view url(out.data() + at, end - at);
    const auto cover = [&](size_t from, size_t to) {
      std::fill(out.begin() + static_cast<ptrdiff_t>(at + from),
                out.begin() + static_cast<ptrdiff_t>(at + to), '*');
    };
    const size_t host_end = std::min(url.find_first_of("/?#"), url.size());
    const size_t user_end = url.substr(0, host_end).rfind('@');
    const size_t query = url.find('?');
    // A comma or the like behind it belongs to the sentence.
    const size_t query_end = url.find_last_not_of(",;:.") + 1;
    if (user_end != std::string_view::npos) cover(0, user_end);
    if (query < query_end) cover(query + 1, query_end);
    at = end;
  }
  return out;
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
