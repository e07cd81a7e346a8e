#include "core/archive_fields.h"

#include <algorithm>

#include "core/archive.h"

namespace weir {

namespace {

// Keys are names in code. This also keeps most bytes that are no archive from passing for one.
bool is_of_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

}  // namespace

bool ArchiveFields::next(ArchiveField& out) {
  if (left_.empty() || failed_) return false;
  failed_ = !field(out);
  return !failed_;
}

bool ArchiveFields::field(ArchiveField& out) {
  uint8_t type = 0;
  uint64_t value = 0;
  if (!key(out.key) || !byte(type) || !number(value)) return false;
  switch (type) {
    case 'i':
      out.value = unzigzag(value);
      return true;
    case 'u':
      out.value = value;
      return true;
    case 's':
      return text(value, out.value.emplace<std::string_view>());
    case 'l':
      return list(value, out.value.emplace<ArchiveList>());
    default:
      return false;
  }
}

bool ArchiveFields::key(std::string_view& out) {
  uint8_t size = 0;
  return byte(size) && size > 0 && text(size, out) && std::all_of(out.begin(), out.end(), is_of_key);
}

bool ArchiveFields::byte(uint8_t& out) {
  if (left_.empty()) return false;
  out = static_cast<uint8_t>(left_[0]);
  left_.remove_prefix(1);
  return true;
}

bool ArchiveFields::number(uint64_t& out) {
  out = 0;
  uint8_t read = 0;
  for (int shift = 0; shift < 64 && byte(read); shift += 7) {
    out |= static_cast<uint64_t>(read & 0x7f) << shift;
    if (read < 0x80) return true;
  }
  return false;
}

bool ArchiveFields::text(uint64_t size, std::string_view& out) {
  if (size > left_.size()) return false;
  out = left_.substr(0, size);
  left_.remove_prefix(size);
  return true;
}

bool ArchiveFields::list(uint64_t size, ArchiveList& out) {
  out.size = size;
  for (uint64_t i = 0; i < size; ++i) {
    uint64_t entry = 0;
    if (!number(entry)) return false;
    if (i < ArchiveList::kShown) out.first.push_back(unzigzag(entry));
  }
  return true;
}

bool is_archive(std::string_view bytes) {
  ArchiveFields fields(bytes);
  ArchiveField field;
  while (fields.next(field)) continue;
  return fields.done();
}

}  // namespace weir
