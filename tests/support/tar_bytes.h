// The bytes of tar archives, member by member.
#pragma once

#include <cstdio>
#include <cstring>
#include <string>

namespace weir::test {

// A block before a member, as ustar and GNU write it.
inline std::string tar_header(const std::string& name, size_t size, char flag = '0') {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  char number[16];
  std::snprintf(number, sizeof number, "%011zo", size);
  std::memcpy(&block[124], number, 12);
  block[156] = flag;
  std::memcpy(&block[257], "ustar\00000", 8);
  block.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(number, sizeof number, "%06o", sum);
  std::memcpy(&block[148], number, 7);
  return block;
}

inline std::string in_blocks(std::string bytes) {
  bytes.resize((bytes.size() + 511) / 512 * 512);
  return bytes;
}

inline std::string tar_member(const std::string& name, const std::string& bytes, char flag = '0') {
  return tar_header(name, bytes.size(), flag) + in_blocks(bytes);
}

}  // namespace weir::test
