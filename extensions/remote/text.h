// Small functions over strings: percent-encoding, dates, and URLs without their secrets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir_remote {

// Encodes every byte that isn't unreserved (RFC 3986), and the slash too unless `keep_slash`.
std::string percent_encode(std::string_view text, bool keep_slash);
std::string percent_decode(std::string_view text);
// Encodes what may not be part of a URL (spaces, controls, bytes above 126) and leaves the rest, for names
// that are URLs.
std::string mend_url(std::string_view url);

std::string lower(std::string_view text);
std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
bool begins_with(std::string_view text, std::string_view start);

// An unsigned decimal number, and nothing after it.
std::optional<uint64_t> parse_number(std::string_view text);

// The parts of a URL: "https", "user:password", "host:8080", "/path", "a=b".
struct Url {
  std::string scheme;
  std::string user;
  std::string authority;  // lower case
  std::string path;       // begins with a slash
  std::string query;      // without its question mark

  std::string origin() const { return scheme + "://" + authority; }
  std::string text() const { return origin() + path + (query.empty() ? "" : "?" + query); }
};

// REQUIRES: nothing; what isn't a URL has an empty scheme.
Url parse_url(std::string_view text);

// The URL as errors show it: without user, password, query and fragment, where secrets are.
std::string shown_url(std::string_view url);

// Whether a name that isn't a URL has a user, a password or a query where its bucket is. No bucket has ':',
// '@' or '?', while a key may have all of them.
bool has_secrets(std::string_view name);

// A file's name as errors show it, without secrets.
std::string shown_name(std::string_view name);

// `location` relative to `base`; a fragment is dropped.
std::string resolve_location(const std::string& base, std::string_view location);

// A query "a=1&b=2" by name, decoded.
std::map<std::string, std::string> parse_query(std::string_view query);
std::string make_query(const std::map<std::string, std::string>& values);

// Nanoseconds since 1970 of "2024-01-31T12:00:00.000Z" or "Wed, 31 Jan 2024 12:00:00 GMT"; 0 if it is
// neither.
int64_t parse_date(std::string_view text);

// Text from a server, as far as errors show it: one line of printable characters, at most `most` bytes.
std::string shown_text(std::string_view text, size_t most);

// The variable of the environment, or an empty string. A privileged process sees none.
std::string environment(const char* name);

// The contents of a local file of at most 1 MiB, or nothing.
std::optional<std::string> read_local_file(const std::string& name);

}  // namespace weir_remote
