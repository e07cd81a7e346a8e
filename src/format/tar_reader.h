// TarReader: the elements of a tar archive as rows, as TarRows makes them. An element in which something is
// missing, or there twice, is a failed row, and the next one follows; damage loses the element that it is in
// and the rest of the file. Strings are views of the file's buffers.
#pragma once

#include <string>
#include <vector>

#include "format/file_reader.h"
#include "format/tar/tar_members.h"
#include "format/tar/tar_rows.h"

namespace weir {

class TarReader : public FileReader, private TarBytes {
 public:
  TarReader(std::unique_ptr<ByteStream> stream, const std::vector<FieldType>& fields,
            uint64_t record_bytes_limit = kRecordBytesLimit, size_t block_bytes = kTarBlockBytes);

  // As JsonReader::next_batch.
  Status next_batch(size_t max_rows, size_t max_bytes, Block& out);

  // That of the next element, whose first header was read.
  RecordPosition position() const { return {element_offset_, record_}; }
  Status seek(RecordPosition position);

 private:
  // Members of 100 KB seldom lie in two of them.
  static constexpr size_t kTarBlockBytes = size_t{1} << 20;

  std::span<const uint8_t> peek(size_t size) override { return blocks_.peek(size, likely_bytes_); }
  void advance(size_t size) override { blocks_.advance(size); }
  bool skip(uint64_t size) override;
  uint64_t offset() const override { return blocks_.offset(); }

  // Reads the header of the next member that belongs to an element; false at the end and after an error.
  bool next_member();
  bool read_member();
  bool next_element();
  void fail_cut();
  void fail_damaged(std::string what);

  TarRows rows_;
  TarMembers members_;
  // A member whose header was read, the key of its element and its extension.
  bool pending_ = false;
  // The archive has ended, so that what is damaged lies behind its elements.
  bool whole_ = false;
  TarMember member_;
  // Of a header and the member behind it: as many as of the last one that was wanted.
  size_t likely_bytes_ = 0;
  std::string_view member_key_;
  std::string extension_;
  std::string key_;
  uint64_t element_offset_ = 0;
  std::vector<BufferRef> owners_;
};

}  // namespace weir
