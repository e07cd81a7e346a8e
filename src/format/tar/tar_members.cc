#include "format/tar/tar_members.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace weir {

namespace {

using Kind = TarHeader::Kind;
using Next = TarMembers::Next;

constexpr uint64_t kMostText = uint64_t{1} << 20;

// Records are written "LENGTH KEY=VALUE\n", where LENGTH counts all of it.
template <class Records>
bool parse_records(std::string_view text, Records& out) {
  while (!text.empty() && text.front() != '\0') {
    size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<size_t>(end - text.data());
    if (error != std::errc() || digits + 3 > length || length > text.size()) return false;
    if (*end != ' ' || text[length - 1] != '\n') return false;
    const std::string_view record = text.substr(digits + 1, length - digits - 2);
    const size_t equals = record.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key == "path") out.path = std::string(value);
    if (key == "size") {
      uint64_t size = 0;
      const auto number = std::from_chars(value.data(), value.data() + value.size(), size);
      if (number.ec != std::errc() || number.ptr != value.data() + value.size() || size >> 62 != 0)
        return false;
      out.size = size;
    }
    out.sparse = out.sparse || key.starts_with("GNU.sparse.");
    text.remove_prefix(length);
  }
  return true;
}

bool is_meta(std::string_view part) {
  return part.size() >= 4 && part.starts_with("__") && part.ends_with("__");
}

}  // namespace

Next TarMembers::fail(const char* damage) {
  damage_ = damage;
  return Next::damaged;
}

Next TarMembers::read_text(uint64_t size, std::string& out) {
  if (size > kMostText) return fail("the name or the records of a member are longer than 1 MiB");
  const auto wanted = static_cast<size_t>(tar_blocks(size));
  const std::span<const uint8_t> bytes = bytes_.peek(wanted);
  if (bytes.size() < wanted) return Next::cut;
  out.assign(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(size));
  bytes_.advance(wanted);
  return Next::member;
}

Next TarMembers::read_records(uint64_t size, Records& out) {
  std::string text;
  const Next read = read_text(size, text);
  if (read != Next::member || parse_records(text, out)) return read;
  return fail("the pax records of a member are malformed");
}

// The blocks of a sparse member's map that its header has no room for.
Next TarMembers::skip_map() {
  for (bool more = true; more;) {
    const std::span<const uint8_t> block = bytes_.peek(kTarBlock);
    if (block.size() < kTarBlock) return Next::cut;
    more = block[504] != 0;
    bytes_.advance(kTarBlock);
  }
  return Next::member;
}

Next TarMembers::next(TarMember& out) {
  Records records;
  // Where the headers of this member begin.
  uint64_t first = 0;
  bool begun = false;
  TarHeader header;
  for (;;) {
    const std::span<const uint8_t> bytes = bytes_.peek(kTarBlock);
    if (bytes.empty() && !begun) return Next::end;
    if (bytes.size() < kTarBlock) return Next::cut;
    const std::span<const uint8_t, kTarBlock> block = bytes.first<kTarBlock>();
    if (bytes[0] == 0 && is_zero_block(block)) return begun ? fail("a name has no member") : Next::end;
    if (const char* wrong = read_tar_header(block, header)) return fail(wrong);
    if (!begun) first = bytes_.offset();
    const bool inside = std::exchange(begun, true);
    bytes_.advance(kTarBlock);
    Next read = Next::member;
    switch (header.kind) {
      case Kind::long_name: {
        std::string name;
        read = read_text(header.size, name);
        records.path = name.substr(0, name.find('\0'));
        break;
      }
      case Kind::pax:
        read = read_records(header.size, records);
        break;
      case Kind::pax_global: {
        Records for_all;
        read = read_records(header.size, for_all);
        begun = inside;
        break;
      }
      case Kind::long_link: {
        std::string target;
        read = read_text(header.size, target);
        break;
      }
      default: {
        out.size = records.size.value_or(header.size);
        if (header.kind == Kind::file && !records.sparse) {
          out.name = records.path ? std::move(*records.path) : std::move(header.name);
          out.offset = first;
          return Next::member;
        }
        if (header.extended) read = skip_map();
        if (read == Next::member && header.kind != Kind::other && !bytes_.skip(tar_blocks(out.size)))
          read = Next::cut;
        records = {};
        begun = false;
      }
    }
    if (read != Next::member) return read;
  }
}

bool split_member_path(std::string_view path, std::string_view& key, std::string& extension) {
  size_t last = path.rfind('/');
  last = last == std::string_view::npos ? 0 : last + 1;
  const size_t dot = path.find('.', last);
  if (dot == std::string_view::npos || dot == last) return false;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    if (is_meta(path.substr(at, end - at))) return false;
    at = end + 1;
  }
  key = path.substr(0, dot);
  extension.assign(path.substr(dot + 1));
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return true;
}

}  // namespace weir
