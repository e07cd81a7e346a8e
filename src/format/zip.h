// Zip archives, as far as .npz files need them: the members of an archive, stored or deflated, zip64 too.
//
//   WEIR_ASSIGN(const std::vector<ZipMember> members, read_zip(*file));
//   WEIR_ASSIGN(std::unique_ptr<ByteStream> stream, open_member(file, members[0]));
//
// Nothing in an archive is trusted: sizes and offsets are checked against the file's size, and memory grows
// with what is read. data_loss with file and offset for damage; invalid_argument for members that are
// encrypted or compressed in another way. Only the file system blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "format/inflate.h"
#include "fs/file_system.h"

namespace weir {

struct ZipMember {
  std::string name;
  bool encrypted = false;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t compressed_bytes = 0;
  uint64_t bytes = 0;
  // Of its header.
  uint64_t offset = 0;

  bool stored() const { return method == 0; }
};

// As the directory at the archive's end lists them. Reads the end and the directory.
Result<std::vector<ZipMember>> read_zip(RandomAccessFile& file);

// Where the bytes of a member begin in the file.
Result<uint64_t> data_offset(RandomAccessFile& file, const ZipMember& member);

inline constexpr size_t kZipPieceBytes = size_t{256} << 10;

// The bytes of a member, without asking for its checksum. Compressed ones are read in pieces.
Result<std::unique_ptr<ByteStream>> open_member(RefPtr<RandomAccessFile> file, const ZipMember& member,
                                                size_t piece_bytes = kZipPieceBytes);

// Reads all of a member; data_loss if its checksum is wrong. Returns its bytes if it is compressed, else
// null. resource_exhausted for more than `limit_bytes` bytes to keep. It is read in pieces of `piece_bytes`.
Result<BufferRef> check_member(RefPtr<RandomAccessFile> file, const ZipMember& member, uint64_t limit_bytes,
                               size_t piece_bytes = kZipPieceBytes);

}  // namespace weir
