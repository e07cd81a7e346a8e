#include "format/zip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "core/checked.h"
#include "core/exception.h"
#include "core/text.h"
#include "format/signature.h"

namespace weir {

namespace {

using std::string_view_literals::operator""sv;

constexpr size_t kEndBytes = 22;
constexpr size_t kMostComment = 65535;
constexpr size_t kLocatorBytes = 20;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kEntryBytes = 46;
constexpr size_t kMemberHeaderBytes = 30;
constexpr uint64_t kMostDirectory = uint64_t{1} << 28;
// No byte of deflate data makes more.
constexpr uint64_t kMostGrowth = 1032;
constexpr uint16_t kDeflate = 8;
constexpr uint32_t kIn64 = 0xffffffff;

Status damaged(const RandomAccessFile& file, std::string_view what, uint64_t offset) {
  return file_error(Code::data_loss,
                    Mistake(concat("damaged zip archive: ", what), "restore the file, or write it again"),
                    file.name(), static_cast<int64_t>(offset));
}

// Little-endian numbers at fixed places of a record.
class Record {
 public:
  explicit Record(std::string_view bytes) : bytes_(bytes) {}
  uint16_t u16(size_t at) const { return static_cast<uint16_t>(number(at, 2)); }
  uint32_t u32(size_t at) const { return static_cast<uint32_t>(number(at, 4)); }
  uint64_t u64(size_t at) const { return number(at, 8); }

 private:
  uint64_t number(size_t at, size_t size) const {
    uint64_t out = 0;
    while (size-- > 0) out = out << 8 | static_cast<unsigned char>(bytes_[at + size]);
    return out;
  }
  const std::string_view bytes_;
};

// The directory of an archive.
struct Directory {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t entries = 0;
};

Status no_zip(RandomAccessFile& file) {
  WEIR_ASSIGN(const std::string first, read_up_to(file, 0, kSignatureBytes));
  const Signature* const found = find_signature(first);
  const bool zip = first.starts_with("PK"sv);
  return file_error(Code::data_loss,
                    expected_found("a zip archive, which ends with a directory",
                                   first.empty() ? "an empty file"
                                   : zip         ? "the beginning of one, without its end"
                                   : found       ? found->name
                                                 : "other bytes",
                                   "restore the file"),
                    file.name());
}

// The numbers of an archive of zip64; `end_at` is where the other end record begins.
Result<std::optional<Directory>> find_directory64(RandomAccessFile& file, uint64_t end_at) {
  if (end_at < kLocatorBytes) return std::optional<Directory>();
  WEIR_ASSIGN(const std::string locator, read_up_to(file, end_at - kLocatorBytes, kLocatorBytes));
  if (locator.size() < kLocatorBytes || !locator.starts_with("PK\x06\x07"sv))
    return std::optional<Directory>();
  const uint64_t at = Record(locator).u64(8);
  if (at > end_at - kLocatorBytes)
    return damaged(file, "its zip64 record lies outside", end_at - kLocatorBytes);
  WEIR_ASSIGN(const std::string end, read_up_to(file, at, kEnd64Bytes));
  if (end.size() < kEnd64Bytes || !end.starts_with("PK\x06\x06"sv))
    return damaged(file, "no zip64 record", at);
  const Record record(end);
  return std::optional(Directory{record.u64(48), record.u64(40), record.u64(32)});
}

Result<Directory> find_directory(RandomAccessFile& file) {
  WEIR_ASSIGN(const uint64_t size, file.size());
  const uint64_t tail_at = size - std::min<uint64_t>(size, kEndBytes + kMostComment);
  WEIR_ASSIGN(const std::string tail, read_up_to(file, tail_at, kEndBytes + kMostComment));
  size_t at = tail.rfind("PK\x05\x06"sv);
  while (at != std::string::npos && tail.size() - at < kEndBytes)
    at = at == 0 ? std::string::npos : tail.rfind("PK\x05\x06"sv, at - 1);
  if (at == std::string::npos) return no_zip(file);
  const Record end(std::string_view(tail).substr(at));
  const uint64_t end_at = tail_at + at;
  if (end.u16(4) != 0 && end.u16(4) != 0xffff) return damaged(file, "it is one part of several", end_at);
  Directory out{end.u32(16), end.u32(12), end.u16(10)};
  if (out.offset == kIn64 || out.bytes == kIn64 || out.entries == 0xffff) {
    WEIR_ASSIGN(const std::optional<Directory> larger, find_directory64(file, end_at));
    if (larger) out = *larger;
  }
  if (out.bytes > kMostDirectory || out.offset > end_at || out.bytes > end_at - out.offset)
    return damaged(file, "its directory lies outside of it", end_at);
  return out;
}

// Puts the large numbers of an entry in place, in the order in which they lack. False if one isn't there.
bool read_extra(std::string_view extra, ZipMember& member) {
  uint64_t* const large[] = {&member.bytes, &member.compressed_bytes, &member.offset};
  const bool lacks =
      std::any_of(std::begin(large), std::end(large), [](const uint64_t* n) { return *n == kIn64; });
  if (!lacks) return true;
  while (extra.size() >= 4) {
    const Record head(extra);
    const size_t bytes = head.u16(2);
    if (bytes > extra.size() - 4) return false;
    if (head.u16(0) == 1) {
      size_t at = 4;
      for (uint64_t* number : large) {
        if (*number != kIn64) continue;
        if (at + 8 > 4 + bytes) return false;
        *number = head.u64(at);
        at += 8;
      }
      return true;
    }
    extra.remove_prefix(4 + bytes);
  }
  // 4 GiB less a byte is also a size.
  return true;
}

// Inflates raw deflate data, or copies what is stored.
class MemberStream final : public ByteStream {
 public:
  MemberStream(RefPtr<RandomAccessFile> file, const ZipMember& member, uint64_t begin, size_t piece_bytes)
      : file_(std::move(file)), member_(member), begin_(begin), piece_bytes_(piece_bytes) {}
  ~MemberStream() override { inflateEnd(&zlib_); }
  MemberStream(const MemberStream&) = delete;
  MemberStream& operator=(const MemberStream&) = delete;

  Status start() {
    if (member_.stored()) return Status();
    if (inflateInit2(&zlib_, -MAX_WBITS) != Z_OK) return Status(out_of_memory());
    input_ = Buffer::allocate(std::max<size_t>(1, piece(member_.compressed_bytes)));
    return Status();
  }
  Result<size_t> read(std::span<uint8_t> out) override {
    out = out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), member_.bytes - offset_)));
    size_t filled = 0;
    while (filled < out.size()) {
      WEIR_ASSIGN(const size_t got,
                  member_.stored() ? copy(out.subspan(filled)) : inflate_some(out.subspan(filled)));
      filled += got;
      offset_ += got;
    }
    return filled;
  }
  Status seek(uint64_t offset) override {
    if (offset < offset_ && !member_.stored()) {
      inflateReset(&zlib_);
      zlib_.avail_in = 0;
      read_ = offset_ = 0;
    }
    if (member_.stored()) offset_ = std::min(offset, member_.bytes);
    std::array<uint8_t, 4096> passed;
    while (offset_ < std::min(offset, member_.bytes)) {
      const uint64_t left = std::min(offset, member_.bytes) - offset_;
      WEIR_TRY(read({passed.data(), static_cast<size_t>(std::min<uint64_t>(left, passed.size()))}).status());
    }
    return Status();
  }
  Result<int64_t> size() override { return static_cast<int64_t>(member_.bytes); }
  const std::string& file() const override { return file_->name(); }

 private:
  size_t piece(uint64_t left) const { return static_cast<size_t>(std::min<uint64_t>(piece_bytes_, left)); }
  Result<size_t> copy(std::span<uint8_t> out) {
    WEIR_ASSIGN(const size_t got, file_->read_at(begin_ + offset_, out));
    if (got == 0) return damaged(*file_, "the file ends within a member", begin_ + offset_);
    return got;
  }
  // More bytes, of which there are some, or an error.
  Result<size_t> inflate_some(std::span<uint8_t> out) {
    const auto room = static_cast<uInt>(std::min<size_t>(out.size(), uInt(-1)));
    for (;;) {
      if (zlib_.avail_in == 0) WEIR_TRY(refill());
      zlib_.next_out = out.data();
      zlib_.avail_out = room;
      const bool dry = zlib_.avail_in == 0;
      const int result = inflate(&zlib_, Z_NO_FLUSH);
      if (room != zlib_.avail_out) return size_t{room - zlib_.avail_out};
      if (result == Z_MEM_ERROR) return Status(out_of_memory());
      if (dry || (result != Z_OK && result != Z_BUF_ERROR))
        return damaged(*file_,
                       concat("member ", quote(member_.name), ": ", zlib_.msg ? zlib_.msg : "it ends early"),
                       begin_ + read_ - zlib_.avail_in);
    }
  }
  Status refill() {
    const auto wanted = piece(member_.compressed_bytes - read_);
    size_t got = 0;
    if (wanted > 0) {
      WEIR_ASSIGN(got, file_->read_at(begin_ + read_, {input_->data(), wanted}));
    }
    read_ += got;
    zlib_.next_in = input_->data();
    zlib_.avail_in = static_cast<uInt>(got);
    return Status();
  }

  const RefPtr<RandomAccessFile> file_;
  const ZipMember member_;
  const uint64_t begin_;
  const size_t piece_bytes_;
  z_stream zlib_ = {};
  BufferRef input_;
  // Bytes that were read of the file, and that were given.
  uint64_t read_ = 0;
  uint64_t offset_ = 0;
};

Status check_method(const RandomAccessFile& file, const ZipMember& member) {
  if (!member.encrypted && (member.stored() || member.method == kDeflate)) return Status();
  return file_error(Code::invalid_argument,
                    expected_found(concat("member ", quote(member.name), " stored or deflated"),
                                   member.encrypted ? std::string("one that is encrypted")
                                                    : concat("compression method ", member.method),
                                   "write it with numpy.savez or savez_compressed"),
                    file.name(), static_cast<int64_t>(member.offset));
}

}  // namespace

Result<std::vector<ZipMember>> read_zip(RandomAccessFile& file) {
  WEIR_ASSIGN(const Directory directory, find_directory(file));
  WEIR_ASSIGN(const std::string bytes, read_up_to(file, directory.offset, directory.bytes));
  std::vector<ZipMember> out;
  for (size_t at = 0; at < directory.bytes;) {
    const std::string_view left = std::string_view(bytes).substr(std::min(at, bytes.size()));
    const auto no_entry = [&] {
      return damaged(file, "its directory is no list of members", directory.offset + at);
    };
    if (left.size() < kEntryBytes || !left.starts_with("PK\x01\x02"sv)) return no_entry();
    const Record entry(left);
    const size_t name = entry.u16(28);
    const size_t extra = entry.u16(30);
    const size_t whole = kEntryBytes + name + extra + entry.u16(32);
    if (left.size() < whole) return no_entry();
    ZipMember member{.name = std::string(left.substr(kEntryBytes, name)),
                     .encrypted = (entry.u16(8) & 1) != 0,
                     .method = entry.u16(10),
                     .crc = entry.u32(16),
                     .compressed_bytes = entry.u32(20),
                     .bytes = entry.u32(24),
                     .offset = entry.u32(42)};
    if (!read_extra(left.substr(kEntryBytes + name, extra), member)) return no_entry();
    const auto end = checked_add(member.offset, member.compressed_bytes);
    const bool lies_inside = end && *end <= directory.offset;
    const bool plausible = member.stored() ? member.bytes == member.compressed_bytes
                                           : member.bytes / kMostGrowth <= member.compressed_bytes;
    if (!lies_inside || !plausible) return no_entry();
    out.push_back(std::move(member));
    at += whole;
  }
  if (out.size() != directory.entries)
    return damaged(file, "its directory has another number of members than it says", directory.offset);
  return out;
}

Result<uint64_t> data_offset(RandomAccessFile& file, const ZipMember& member) {
  WEIR_ASSIGN(const std::string bytes,
              read_up_to(file, member.offset, kMemberHeaderBytes + member.name.size()));
  const Record header(bytes);
  if (bytes.size() < kMemberHeaderBytes + member.name.size() || !bytes.starts_with("PK\x03\x04"sv) ||
      header.u16(26) != member.name.size() || !std::string_view(bytes).ends_with(member.name) ||
      header.u16(8) != member.method)
    return damaged(file, concat("no header of member ", quote(member.name)), member.offset);
  const uint64_t begin = member.offset + kMemberHeaderBytes + header.u16(26) + header.u16(28);
  WEIR_ASSIGN(const uint64_t size, file.size());
  if (begin > size || member.compressed_bytes > size - begin)
    return damaged(file, concat("the file ends within member ", quote(member.name)), member.offset);
  return begin;
}

Result<std::unique_ptr<ByteStream>> open_member(RefPtr<RandomAccessFile> file, const ZipMember& member,
                                                size_t piece_bytes) {
  WEIR_TRY(check_method(*file, member));
  WEIR_ASSIGN(const uint64_t begin, data_offset(*file, member));
  auto stream = std::make_unique<MemberStream>(std::move(file), member, begin, piece_bytes);
  WEIR_TRY(stream->start());
  return std::unique_ptr<ByteStream>(std::move(stream));
}

Result<BufferRef> check_member(RefPtr<RandomAccessFile> file, const ZipMember& member, uint64_t limit_bytes,
                               size_t piece_bytes) {
  const bool keep = !member.stored();
  if (keep && member.bytes > limit_bytes) {
    return file_error(Code::resource_exhausted,
                      expected_found(concat("a compressed member of at most ", limit_bytes, " bytes"),
                                     concat(quote(member.name), " of ", member.bytes),
                                     "write the archive with numpy.savez, which compresses nothing"),
                      file->name());
  }
  WEIR_ASSIGN(const std::unique_ptr<ByteStream> stream, open_member(file, member, piece_bytes));
  const auto most = static_cast<size_t>(std::min<uint64_t>(piece_bytes, member.bytes));
  const size_t room = keep ? static_cast<size_t>(member.bytes) : most;
  const BufferRef buffer = Buffer::allocate(std::max<size_t>(1, room));
  uint32_t crc = 0;
  for (uint64_t done = 0; done < member.bytes;) {
    uint8_t* const to = buffer->data() + (keep ? done : 0);
    const auto size = static_cast<size_t>(std::min<uint64_t>(most, member.bytes - done));
    WEIR_ASSIGN(const size_t got, stream->read({to, size}));
    crc = static_cast<uint32_t>(crc32_z(crc, to, got));
    done += got;
  }
  if (crc != member.crc)
    return damaged(*file, concat("member ", quote(member.name), " has a wrong checksum"), member.offset);
  return keep ? buffer : BufferRef();
}

}  // namespace weir
