// Patterns over file names, read without the host's locale. A pattern is matched part by part: parts without
// wildcards are taken literally, and only folders that a pattern can lead into are listed.
#include <algorithm>

#include "core/text.h"
#include "fs/file_system.h"

namespace weir {

namespace {

// The number of bytes of the character of UTF-8 at `at`; 1 where there is none.
size_t character_size(std::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const size_t size = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  if (size > text.size() - at) return 1;
  for (size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80) return 1;
  }
  return size;
}

// Takes the character at `at`, which an escape may precede. Bytes compare as the numbers of the characters
// do, and those of other encodings as themselves.
std::string_view take_character(std::string_view pattern, size_t& at) {
  if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
  const std::string_view character = pattern.substr(at, character_size(pattern, at));
  at += character.size();
  return character;
}

// Returns the position after the `]` of the class that begins after `[` at `begin`, or npos if it has none.
// `matched` says whether `character` is in the class.
size_t match_class(std::string_view pattern, size_t begin, std::string_view character, bool& matched) {
  size_t at = begin;
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  bool found = false;
  for (bool first = true; at < pattern.size() && (first || pattern[at] != ']'); first = false) {
    const std::string_view low = take_character(pattern, at);
    std::string_view high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      ++at;
      high = take_character(pattern, at);
    }
    found = found || (low <= character && character <= high);
  }
  matched = found != negated;
  return at < pattern.size() ? at + 1 : std::string_view::npos;
}

// Matches `character` with what stands at `at` in the pattern, anything but `*`; moves `at` past it.
bool match_one(std::string_view pattern, size_t& at, std::string_view character) {
  if (pattern[at] == '?') {
    ++at;
    return true;
  }
  if (pattern[at] == '[') {
    bool matched = false;
    const size_t behind = match_class(pattern, ++at, character, matched);
    if (behind == std::string_view::npos) return character == "[";
    at = behind;
    return matched;
  }
  return take_character(pattern, at) == character;
}

bool is_wildcard(char c) { return c == '*' || c == '?' || c == '['; }

// What a part begins with, up to its first wildcard.
std::string literal_start(std::string_view part) {
  std::string plain;
  for (size_t i = 0; i < part.size() && !is_wildcard(part[i]); ++i) {
    if (part[i] == '\\' && i + 1 < part.size()) ++i;
    plain.push_back(part[i]);
  }
  return plain;
}

bool is_literal(std::string_view part) { return part.find_first_of("*?[") == std::string_view::npos; }

// If the path is missing or not a folder, nothing matches.
bool is_no_match(const Status& status) { return status.code() == Code::not_found; }

// Appends to `out` each path of `bases` extended by what matches `part` there; `only_folders` if it goes on.
Status extend(FileSystem& files, const std::vector<std::string>& bases, std::string_view part,
              bool only_folders, std::vector<std::string>& out) {
  const std::string start = literal_start(part);
  for (const std::string& base : bases) {
    if (is_literal(part)) {
      out.push_back(base + start);
      continue;
    }
    Result<std::vector<std::string>> names =
        files.list_beginning(base.empty() ? "." : base, start, only_folders);
    if (!names.ok()) {
      if (is_no_match(names.status())) continue;
      return names.status();
    }
    for (const std::string& name : *names) {
      if (matches_pattern(part, name)) out.push_back(base + name);
    }
  }
  return {};
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view name) {
  // Only the latest `*` needs to be tried again: an earlier one could take nothing that it can't.
  size_t at = 0, i = 0;
  size_t retry_at = std::string_view::npos, retry_i = 0;
  while (i < name.size()) {
    const std::string_view character = name.substr(i, character_size(name, i));
    if (at < pattern.size() && pattern[at] == '*') {
      retry_at = ++at;
      retry_i = i;
    } else if (at < pattern.size() && match_one(pattern, at, character)) {
      i += character.size();
    } else if (retry_at != std::string_view::npos) {
      at = retry_at;
      i = retry_i += character_size(name, retry_i);
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

Result<std::vector<std::string>> FileSystem::glob(std::string_view pattern) {
  std::vector<std::string> paths;
  if (pattern.empty()) return paths;
  paths.push_back("");
  for (size_t begin = 0; begin < pattern.size();) {
    const size_t slash = std::min(pattern.find('/', begin), pattern.size());
    const size_t behind = std::min(pattern.find_first_not_of('/', slash), pattern.size());
    const std::string_view slashes = pattern.substr(slash, behind - slash);
    const std::string_view part = pattern.substr(begin, slash - begin);
    std::vector<std::string> longer;
    if (part.empty()) {
      longer = std::move(paths);
    } else {
      WEIR_TRY(extend(*this, paths, part, !slashes.empty(), longer));
    }
    for (std::string& path : longer) path.append(slashes);
    paths = std::move(longer);
    begin = behind;
  }
  if (is_literal(pattern.substr(pattern.rfind('/') + 1)) || pattern.back() == '/') {
    // The ends of these paths have not been checked yet.
    Status failure;
    std::erase_if(paths, [&](const std::string& path) {
      const Result<bool> there = exists(path);
      if (!there.ok()) failure = there.status();
      return !there.ok() || !*there;
    });
    if (!failure.ok()) return failure;
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace weir
