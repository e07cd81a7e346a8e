// BlockFile: the names of the files in a BlockFolder (fs/block_folder.h). All inline, for the command.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

inline std::string hexadecimal(uint64_t number) {
  char digits[16];
  return {digits, std::to_chars(digits, digits + sizeof digits, number, 16).ptr};
}

// A block: "5d41402abc4b2a76b9719d911017c592-10002c.block", its key and the size of its file.
struct BlockFile {
  static constexpr size_t kKeyDigits = 32;
  static constexpr std::string_view kEnd = ".block";
  static constexpr std::string_view kTemporaryEnd = ".tmp";
  // The sum of all sizes, and the lock around adding.
  static constexpr std::string_view kTotal = "total";
  static constexpr std::string_view kLock = "lock";

  std::string key;
  uint64_t size = 0;

  std::string name() const { return stem().append(kEnd); }
  // The name while it is written; `number` differs from all others.
  std::string temporary(std::string_view number) const {
    return stem().append(".").append(number).append(kTemporaryEnd);
  }

  // What a name stands for; none if it isn't a block's.
  static std::optional<BlockFile> of(std::string_view name) {
    auto out = beginning_of(name);
    if (out && out->name() != name) out.reset();
    return out;
  }
  // Whether something is written under this name.
  static bool is_temporary(std::string_view name) {
    if (!name.ends_with(kTemporaryEnd)) return false;
    return beginning_of(name) || name == std::string(kTotal).append(kTemporaryEnd);
  }

 private:
  std::string stem() const { return (key + "-").append(hexadecimal(size)); }
  static std::optional<BlockFile> beginning_of(std::string_view name) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (name.size() <= kKeyDigits || name[kKeyDigits] != '-') return std::nullopt;
    const std::string_view key = name.substr(0, kKeyDigits);
    const std::string_view size = name.substr(kKeyDigits + 1, name.find('.') - kKeyDigits - 1);
    if (key.find_first_not_of(kDigits) != std::string_view::npos || size.size() > 8) return std::nullopt;
    BlockFile out;
    const auto parsed = std::from_chars(size.data(), size.data() + size.size(), out.size, 16);
    if (parsed.ec != std::errc() || parsed.ptr != size.data() + size.size()) return std::nullopt;
    out.key = key;
    return out;
  }
};

}  // namespace weir
