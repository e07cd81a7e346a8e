// Text helpers for messages: concat("expected ", 3, " rows") without streams or a format library.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace weir {

inline void append_text(std::string& out, std::string_view part) { out.append(part); }
inline void append_text(std::string& out, char part) { out.push_back(part); }
template <std::integral T>
requires(!std::same_as<T, char> && !std::same_as<T, bool>) void append_text(std::string& out, T part) {
  out.append(std::to_string(part));
}

template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (append_text(out, parts), ...);
  return out;
}

// The bytes in double quotes as the notation prints strings: \n \t \r \" \\ and \xhh for the rest.
std::string quote(std::string_view bytes);

// The text in double quotes as JSON writes it, \u00xx for control characters, U+FFFD for bytes that are not
// UTF-8.
std::string json_string(std::string_view text);

// Puts asterisks over the user, the password and the query of each http URL in the text.
std::string without_credentials(std::string_view text);

int edit_distance(std::string_view a, std::string_view b);
// True if somebody who meant `b` may have typed `a`: at most a third of the letters differ, or two have
// changed places.
bool is_near(std::string_view a, std::string_view b);

// The candidate nearest to `name` by edit distance, or "" if none is near; for "did you mean".
template <class Range>
std::string nearest(std::string_view name, const Range& candidates) {
  std::string_view found;
  for (const auto& candidate : candidates) {
    if (!is_near(name, candidate)) continue;
    if (found.empty() || edit_distance(name, candidate) < edit_distance(name, found)) found = candidate;
  }
  return std::string(found);
}

}  // namespace weir
