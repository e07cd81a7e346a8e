// TarHeader: the block of 512 bytes that stands before a member of a tar archive: of V7, ustar, and GNU. What
// long names and pax records say of it comes from members before it (tar_members.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace weir {

inline constexpr uint64_t kTarBlock = 512;

struct TarHeader {
  enum class Kind : uint8_t {
    file,        // a regular one
    other,       // a folder, link or device: it has no bytes
    unknown,     // something with bytes that is no regular file
    sparse,      // of GNU, with holes; more headers may follow
    long_name,   // the name of the next member, by GNU
    long_link,   // what the next member links to
    pax,         // records for the next member
    pax_global,  // and for all that follow
  };

  // With the prefix of ustar.
  std::string name;
  uint64_t size = 0;
  Kind kind = Kind::file;
  // Of a sparse one: a block with more of its map follows.
  bool extended = false;
};

// Whether a block is all zeros, which ends an archive.
bool is_zero_block(std::span<const uint8_t, kTarBlock> block);
// What is wrong with the block, or null: its checksum, or a number.
const char* read_tar_header(std::span<const uint8_t, kTarBlock> block, TarHeader& out);

// How many bytes the blocks of a member of that size have; its size itself if that is no member's.
uint64_t tar_blocks(uint64_t size);

}  // namespace weir
