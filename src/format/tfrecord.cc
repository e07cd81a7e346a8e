// The format: length (8 bytes), its masked CRC (4), the record, its masked CRC (4), little-endian, nothing in between.
#include "format/tfrecord.h"

#include <bit>
#include <cstring>
#include <new>

#include "core/exception.h"
#include "core/text.h"
#include "format/crc32c.h"

namespace weir {

namespace {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kFooterBytes = 4;

// No record is this long: such a length is damage that happens to have the right checksum.
constexpr uint64_t kNoSuchLength = uint64_t{1} << 48;

static_assert(std::endian::native == std::endian::little, "lengths and checksums are read as they stand");

template <class T>
T load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

RecordReader::RecordReader(std::unique_ptr<ByteStream> stream, uint64_t record_bytes_limit)
    : blocks_(std::move(stream)), record_bytes_limit_(record_bytes_limit) {}

Result<std::unique_ptr<RecordReader>> RecordReader::open(FileSystem& file_system, const std::string& name,
                                                         Compression compression,
                                                         uint64_t record_bytes_limit) {
  WEIR_ASSIGN(std::unique_ptr<ByteStream> stream, open_stream(file_system, name, compression));
  return std::make_unique<RecordReader>(std::move(stream), record_bytes_limit);
}

std::string_view RecordReader::fail(Code code, Mistake mistake) {
  failure_ = file_error(code, std::move(mistake), file(), static_cast<int64_t>(blocks_.offset()),
                        static_cast<int64_t>(record_));
  done_ = true;
  return {};
}

// The bytes run out, because the file ends or because it can't be read.
std::string_view RecordReader::fail_short(std::string_view what, uint64_t found, uint64_t expected) {
  if (const Status& status = blocks_.status(); !status.ok()) {
    fail(status.code(), status.error().what());
    if (!status.error().read_failed) return {};
    Error error = failure_.error();
    error.read_failed = true;
    failure_ = Status(std::move(error));
    return {};
  }
  return fail(Code::data_loss, concat("truncated record: expected ", expected, " bytes of ", what, ", found ",
                                      found, " and the end of the file; restore the file or write it again"));
}

// Handled like any other error of the file.
void RecordReader::fail_without_memory() {
  try {
    fail(out_of_memory()->code, out_of_memory()->message);
  } catch (const std::bad_alloc&) {
    failure_ = Status(out_of_memory());
    done_ = true;
  }
}

std::string_view RecordReader::fail_corrupted(std::string_view what) {
  const std::span<const uint8_t> bytes = blocks_.peek(2);
  const bool gzip = record_ == 0 && bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
  return fail(Code::data_loss, {concat("corrupted record: the checksum of its ", what, " is wrong"),
                                gzip ? "the file begins like gzip: add compression: \"auto\""
                                     : "restore the file, or name its compression if it has one"});
}

std::string_view RecordReader::next_record() {
  std::span<const uint8_t> bytes = blocks_.peek(kHeaderBytes);
  if (bytes.size() < kHeaderBytes) {
    if (!bytes.empty() || !blocks_.status().ok()) return fail_short("header", bytes.size(), kHeaderBytes);
    done_ = true;
    return {};
  }
  if (mask_crc32c(crc32c(bytes.data(), 8)) != load<uint32_t>(bytes.data() + 8))
    return fail_corrupted("length");
  const uint64_t length = load<uint64_t>(bytes.data());
  if (length >= kNoSuchLength)
    return fail(Code::data_loss, concat("record size too large: ", length, " bytes"));
  if (length > record_bytes_limit_) {
    return fail(
        Code::resource_exhausted,
        expected_found(concat("a record of at most ", record_bytes_limit_, " bytes (the limit record_bytes)"),
                       concat("one of ", length), "raise record_bytes of weir_runtime_options"));
  }
  const size_t whole = kHeaderBytes + static_cast<size_t>(length) + kFooterBytes;
  bytes = blocks_.peek(whole);
  if (bytes.size() < whole) return fail_short("record", bytes.size(), whole);
  const uint8_t* data = bytes.data() + kHeaderBytes;
  if (mask_crc32c(crc32c(data, length)) != load<uint32_t>(data + length)) return fail_corrupted("data");
  blocks_.advance(whole);
  ++record_;
  return {reinterpret_cast<const char*>(data), static_cast<size_t>(length)};
}

Status RecordReader::next_batch(size_t max_records, size_t max_bytes, RecordBatch& out) {
  size_t count = 0;
  size_t bytes = 0;
  try {
    while (count < max_records && !done_) {
      // It is returned in registers. A record in memory would be read back right after the two stores that
      // wrote it, and that read waits until both are in the cache: no record's checksum would begin before
      // the last one's was done.
      const std::string_view record = next_record();
      if (record.data() == nullptr) break;
      if (out.owners.empty() || out.owners.back() != blocks_.buffer()) out.owners.push_back(blocks_.buffer());
      out.records.emplace_back(record.data(), record.size());
      ++count;
      bytes += record.size();
      if (bytes >= max_bytes) break;
    }
  } catch (const std::bad_alloc&) {
    fail_without_memory();
  }
  return count == 0 ? std::exchange(failure_, {}) : Status();
}

Status RecordReader::seek(RecordPosition position) {
  record_ = position.record;
  done_ = false;
  failure_ = {};
  if (position.offset == 0) return blocks_.seek(0);
  // Seeking past the end stops at the end; the byte before tells that from a file of the right size.
  WEIR_TRY(blocks_.seek(position.offset - 1));
  if (!blocks_.peek(1).empty()) {
    blocks_.advance(1);
    return {};
  }
  done_ = true;
  if (!blocks_.status().ok()) return blocks_.status();
  return file_error(
      Code::data_loss,
      expected_found(concat("at least ", position.offset, " bytes, as when the position was saved"), "fewer",
                     "restore the file"),
      file(), static_cast<int64_t>(position.offset), static_cast<int64_t>(position.record));
}

}  // namespace weir
