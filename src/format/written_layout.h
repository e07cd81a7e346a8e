// The fixed parts of the files of written elements: docs/written-format.md describes them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "format/crc32c.h"

namespace weir {

static_assert(std::endian::native == std::endian::little, "numbers are written as they stand");

inline constexpr uint32_t kShardVersion = 1;

// The first bytes of a shard.
struct ShardHeader {
  char magic[8] = {'w', 'e', 'i', 'r', 's', 'h', 'r', 'd'};
  uint32_t version = kShardVersion;
  uint32_t number = 0;
  char run[32] = {};
  uint32_t unused[3] = {};
  // Of the bytes before it.
  uint32_t crc = 0;
};

// Stands before each chunk.
struct ChunkHeader {
  char magic[4] = {'c', 'h', 'n', 'k'};
  uint32_t rows = 0;
  // As they lie in the file, with the zeros that make them a multiple of the alignment.
  uint64_t stored_bytes = 0;
  // Before they were compressed; the same if they were not.
  uint64_t raw_bytes = 0;
  // The compressed bytes without the zeros.
  uint64_t packed_bytes = 0;
  // Of the stored bytes.
  uint32_t payload_crc = 0;
  uint32_t unused[6] = {};
  // Of the bytes before it.
  uint32_t crc = 0;
};

// One for each chunk at the end of a shard.
struct IndexEntry {
  uint64_t offset = 0;
  uint64_t rows = 0;
};

static_assert(sizeof(ShardHeader) == 64 && sizeof(ChunkHeader) == 64 && sizeof(IndexEntry) == 16);

template <class Header>
uint32_t header_crc(const Header& header) {
  return crc32c(&header, sizeof header - sizeof header.crc);
}

}  // namespace weir
