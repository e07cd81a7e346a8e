// The format: length (8 bytes), its masked CRC (4), the record, its masked CRC (4), little-endian, nothing in
// between.
#include "format/tfrecord.h"

#include <bit>

#include "core/load.h"
#include "core/text.h"
#include "format/crc32c.h"

namespace weir {

namespace {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kFooterBytes = 4;
// Those of an empty record.
constexpr size_t kLeastBytes = kHeaderBytes + kFooterBytes;

// The search for a record looks this often, in bytes, whether it is cancelled.
constexpr uint64_t kCancelBytes = uint64_t{1} << 16;

// No record is this long: such a length is damage that happens to have the right checksum.
constexpr uint64_t kNoSuchLength = uint64_t{1} << 48;

static_assert(std::endian::native == std::endian::little, "lengths and checksums are read as they stand");

}  // namespace

Result<OnCorrupt> parse_on_corrupt(std::string_view name) {
  if (name == "error") return OnCorrupt::error;
  if (name == "skip_file") return OnCorrupt::skip_file;
  if (name == "resync") return OnCorrupt::resync;
  return invalid_argument(
      expected_found("an on_corrupt of \"error\", \"skip_file\" or \"resync\"", quote(name)));
}

RecordReader::RecordReader(std::unique_ptr<ByteStream> stream, uint64_t record_bytes_limit,
                           OnCorrupt on_corrupt, size_t block_bytes)
    : FileReader(std::move(stream), record_bytes_limit, block_bytes), on_corrupt_(on_corrupt) {}

Result<std::unique_ptr<RecordReader>> RecordReader::open(FileSystem& file_system, const std::string& name,
                                                         Compression compression,
                                                         uint64_t record_bytes_limit) {
  WEIR_ASSIGN(std::unique_ptr<ByteStream> stream, open_stream(file_system, name, compression));
  return std::make_unique<RecordReader>(std::move(stream), record_bytes_limit);
}

// The bytes run out, because the file ends or because it can't be read.
std::string_view RecordReader::fail_short(std::string_view what, uint64_t found, uint64_t expected) {
  if (!blocks_.status().ok()) return fail_unreadable();
  damaged_ = true;
  return fail(Code::data_loss, concat("truncated record: expected ", expected, " bytes of ", what, ", found ",
                                      found, " and the end of the file; restore the file or write it again"));
}

std::string_view RecordReader::fail_corrupted(std::string_view what) {
  damaged_ = true;
  std::string hint = format_hint();
  if (hint.empty()) {
    // What was read before says that the file is no compressed one.
    hint = record_ == 0 ? "restore the file, or name its compression if it has one"
           : on_corrupt_ == OnCorrupt::error
               ? "restore the file, or read on after the damage with on_corrupt: \"resync\""
               : "restore the file";
  }
  return fail(Code::data_loss,
              {concat("corrupted record: the checksum of its ", what, " is wrong"), std::move(hint)});
}

std::string_view RecordReader::next_record() {
  damaged_ = false;
  damaged_size_ = 0;
  std::span<const uint8_t> bytes = blocks_.peek(kHeaderBytes);
  if (bytes.size() < kHeaderBytes) {
    if (!bytes.empty() || !blocks_.status().ok()) return fail_short("header", bytes.size(), kHeaderBytes);
    done_ = true;
    return {};
  }
  if (mask_crc32c(crc32c(bytes.data(), 8)) != load<uint32_t>(bytes.data() + 8))
    return fail_corrupted("length");
  const uint64_t length = load<uint64_t>(bytes.data());
  if (length >= kNoSuchLength) {
    damaged_ = true;
    return fail(Code::data_loss, concat("record size too large: ", length, " bytes"));
  }
  if (length > record_bytes_limit_) return fail_too_long(concat("one of ", length));
  const size_t whole = kHeaderBytes + static_cast<size_t>(length) + kFooterBytes;
  bytes = ranges_.end() > 0 ? peek_far(whole) : blocks_.peek(whole);
  if (bytes.size() < whole) return fail_short("record", bytes.size(), whole);
  const uint8_t* data = bytes.data() + kHeaderBytes;
  const bool searched = blocks_.offset() + kHeaderBytes < ranges_.end();
  const uint32_t crc =
      searched ? checksum(bytes, kHeaderBytes, static_cast<size_t>(length)) : crc32c(data, length);
  if (mask_crc32c(crc) != load<uint32_t>(data + length)) {
    if (!searched) damaged_bytes_ += length;
    if (on_corrupt_ == OnCorrupt::resync) checksum(bytes, kHeaderBytes, static_cast<size_t>(length));
    damaged_size_ = whole;
    return fail_corrupted("data");
  }
  blocks_.advance(whole);
  ++record_;
  return {reinterpret_cast<const char*>(data), static_cast<size_t>(length)};
}

Status RecordReader::next_batch(size_t max_records, size_t max_bytes, RecordBatch& out) {
  Status status = gather(max_records, max_bytes, out, [this] { return next_record(); });
  if (status.ok() || !damaged_ || on_corrupt_ != OnCorrupt::resync) return status;
  return pass_damage(status);
}

// Half as much again is read as is wanted, so that the bytes at hand move seldom however slowly `size` grows.
std::span<const uint8_t> RecordReader::peek_far(size_t size) {
  const std::span<const uint8_t> bytes = blocks_.peek(1);
  return bytes.size() >= size ? bytes : blocks_.peek(size + size / 2);
}

uint32_t RecordReader::checksum(std::span<const uint8_t> bytes, size_t from, size_t size) {
  return ranges_.of(bytes, blocks_.offset(), blocks_.offset() + from, size);
}

bool RecordReader::at_record(size_t from) {
  std::span<const uint8_t> bytes = blocks_.peek(from + kLeastBytes);
  if (bytes.size() < from + kLeastBytes) return false;
  const uint8_t* header = bytes.data() + from;
  const uint64_t length = load<uint64_t>(header);
  if (length >= kNoSuchLength || length > record_bytes_limit_) return false;
  if (mask_crc32c(crc32c(header, 8)) != load<uint32_t>(header + 8)) return false;
  const size_t whole = from + kLeastBytes + static_cast<size_t>(length);
  bytes = peek_far(whole);
  if (bytes.size() < whole) return false;
  const uint32_t crc = checksum(bytes, from + kHeaderBytes, static_cast<size_t>(length));
  return mask_crc32c(crc) == load<uint32_t>(bytes.data() + whole - kFooterBytes);
}

Status RecordReader::pass_damage(const Status& found) {
  const uint64_t begin = blocks_.offset();
  damaged_ = false;
  done_ = false;
  // What lies inside of a record whose length is right is its own, also if it looks like records.
  const bool ends_well = damaged_size_ > 0 && (blocks_.peek(damaged_size_ + 1).size() == damaged_size_ ||
                                               at_record(damaged_size_));
  if (ends_well) blocks_.advance(damaged_size_);
  while (!ends_well) {
    const size_t left = blocks_.peek(kLeastBytes + 1).size();
    if (left <= kLeastBytes) {
      blocks_.advance(left);
      // A stream that failed says so next time.
      done_ = blocks_.status().ok();
      break;
    }
    blocks_.advance(1);
    if (cancelled_ && blocks_.offset() % kCancelBytes == 0 && cancelled_->load(std::memory_order_relaxed))
      return Status(Code::cancelled, "the search for the next record was cancelled");
    if (at_record(0)) break;
  }
  return file_error(
      Code::data_loss,
      concat("damaged stretch of ", blocks_.offset() - begin, " bytes: ", found.error().message), file(),
      static_cast<int64_t>(begin), static_cast<int64_t>(record_));
}

}  // namespace weir
