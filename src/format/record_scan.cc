#include "format/record_scan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "core/text.h"
#include "format/crc32c.h"
#include "format/file_reader.h"
#include "format/stepping_reader.h"
#include "format/tar/tar_header.h"
#include "format/tar/tar_scan.h"

namespace weir {

namespace {

constexpr uint64_t kRecordHeaderBytes = 12;
constexpr uint64_t kRecordFooterBytes = 4;
// The lengths of small records are read together.
constexpr size_t kScanBytes = size_t{256} << 10;
constexpr size_t kLeastScanBytes = 4096;

void put_offset(std::string& out, uint64_t offset) {
  out.append(reinterpret_cast<const char*>(&offset), sizeof(offset));
}

Status check(const std::atomic<bool>* cancelled) {
  if (!cancelled || !cancelled->load(std::memory_order_relaxed)) return Status();
  return Status(Code::cancelled, "the index was not made, since the iterator was cancelled");
}

// Goes from header to header, reading those that lie close together at once.
class TFRecordScan {
 public:
  TFRecordScan(RandomAccessFile& file, uint64_t size)
      : file_(file), reader_(file), size_(size), buffer_(kScanBytes) {}

  Status run(const std::atomic<bool>* cancelled, std::string& out) {
    uint64_t offset = 0;
    for (int64_t record = 0; offset < size_; ++record) {
      WEIR_TRY(check(cancelled));
      put_offset(out, offset);
      std::array<uint8_t, kRecordHeaderBytes> header{};
      WEIR_ASSIGN(const bool whole, read(offset, header));
      const auto damaged = [&](std::string_view what) {
        return file_error(Code::data_loss,
                          {concat("no index of ", file_.name(), ": ", what),
                           "weir validate lists the damage; restore the file or write it again"},
                          file_.name(), static_cast<int64_t>(offset), record);
      };
      if (!whole) return damaged("it ends within the header of a record");
      uint32_t crc = 0;
      uint64_t length = 0;
      std::memcpy(&length, header.data(), sizeof length);
      std::memcpy(&crc, &header[8], sizeof crc);
      if (crc != mask_crc32c(crc32c(header.data(), 8)))
        return damaged("the checksum of a record's length is wrong");
      if (length > size_ || size_ - offset < kRecordHeaderBytes + kRecordFooterBytes + length)
        return damaged("it ends within a record");
      offset += kRecordHeaderBytes + length + kRecordFooterBytes;
    }
    put_offset(out, offset);
    return Status();
  }

 private:
  // False if the file ends first.
  Result<bool> read(uint64_t offset, std::span<uint8_t> out) {
    if (offset < begin_ || offset + out.size() > begin_ + filled_) {
      // Long records are stepped over.
      width_ = offset - begin_ <= 2 * width_ ? std::min(2 * width_, kScanBytes) : kLeastScanBytes;
      begin_ = offset;
      filled_ = 0;
      while (filled_ < out.size()) {
        WEIR_ASSIGN(const size_t got,
                    reader_.read_at(begin_ + filled_, {buffer_.data() + filled_, width_ - filled_}));
        if (got == 0) return false;
        filled_ += got;
      }
    }
    std::memcpy(out.data(), buffer_.data() + (offset - begin_), out.size());
    return true;
  }

  RandomAccessFile& file_;
  SteppingReader reader_;
  const uint64_t size_;
  std::vector<uint8_t> buffer_;
  uint64_t begin_ = 0;
  size_t filled_ = 0;
  size_t width_ = kLeastScanBytes;
};

size_t mark_bytes(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

// The lines that LineReader gives.
class LineScan {
 public:
  void take(std::span<const uint8_t> bytes, uint64_t offset, std::string& out) {
    for (size_t at = offset == 0 ? mark_bytes(bytes) : 0; at < bytes.size();) {
      if (!inside_) put_offset(out, offset + at);
      const size_t left = bytes.size() - at;
      const auto* newline = static_cast<const uint8_t*>(std::memchr(bytes.data() + at, '\n', left));
      const size_t size = newline ? static_cast<size_t>(newline - bytes.data()) - at : left;
      const auto line = bytes.subspan(at, size);
      // Of interest only at the end of the file, so most often the first byte tells.
      only_returns_ = (!inside_ || only_returns_) &&
                      std::all_of(line.begin(), line.end(), [](uint8_t c) { return c == '\r'; });
      inside_ = newline == nullptr;
      at += size + 1;
    }
  }
  Status end(uint64_t offset, const std::string&, std::string& out) const {
    // A last line without bytes is none: where it begins, the one before it ends.
    if (!inside_ || !only_returns_) put_offset(out, offset);
    return Status();
  }

 private:
  // Within a line that has begun.
  bool inside_ = false;
  bool only_returns_ = false;
};

// The lines that JsonReader reads: those that aren't of white space.
class ObjectScan {
 public:
  void take(std::span<const uint8_t> bytes, uint64_t offset, std::string& out) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    size_t at = offset == 0 && text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    if (offset == 0) line_ = at;
    while (at < text.size()) {
      if (blank_) {
        const size_t first = text.find_first_not_of(" \t\r", at);
        if (first == std::string_view::npos) return;
        at = first;
        if (text[at] != '\n') put_offset(out, line_);
        blank_ = text[at] == '\n';
      }
      const size_t end = text.find('\n', at);
      if (end == std::string_view::npos) return;
      at = end + 1;
      line_ = offset + at;
      blank_ = true;
    }
  }
  Status end(uint64_t offset, const std::string&, std::string& out) const {
    put_offset(out, offset);
    return Status();
  }

 private:
  // Where the line begins, and whether it has had only white space.
  uint64_t line_ = 0;
  bool blank_ = true;
};

// The rows that CsvReader gives.
class RowScan {
 public:
  explicit RowScan(const IndexedFormat& format)
      : quotes_(format.quotes), delimiter_(static_cast<uint8_t>(format.delimiter)), header_(format.header) {}

  void take(std::span<const uint8_t> bytes, uint64_t offset, std::string& out) {
    size_t at = offset == 0 ? mark_bytes(bytes) : 0;
    if (at > 0 && header_) state_ = State::field;
    for (; at < bytes.size(); ++at) {
      const bool begins = state_ == State::row || (state_ == State::carriage_return && bytes[at] != '\n');
      if (begins) {
        if (!header_) put_offset(out, offset + at);
        state_ = State::field;
      }
      step(bytes[at]);
    }
  }

  Status end(uint64_t offset, const std::string& file, std::string& out) {
    if (header_ && state_ == State::row)
      return file_error(Code::invalid_argument, expected_found("a header", "an empty file"), file, 0, 0);
    mistaken_ = mistaken_ || (header_ && state_ == State::quoted);
    if (mistaken_) {
      return file_error(Code::invalid_argument,
                        expected_found("a header that RFC 4180 allows", "a stray quote",
                                       "double it, or write quote: false"),
                        file, 0, 0);
    }
    put_offset(out, offset);
    return Status();
  }

 private:
  enum class State : uint8_t {
    row,              // before a row
    field,            // before a field of a row
    plain,            // in a field without quotes
    quoted,           // in a field in quotes
    quote,            // after a quote there
    carriage_return,  // after one that ended a row, whose \n may follow
  };

  void step(uint8_t byte) {
    switch (state_) {
      case State::carriage_return:
        state_ = State::row;
        return;
      case State::quoted:
        if (byte == '"') state_ = State::quote;
        return;
      case State::field:
        if (quotes_ && byte == '"') {
          state_ = State::quoted;
          return;
        }
        break;
      default:
        break;
    }
    if (byte == delimiter_) {
      state_ = State::field;
    } else if (byte == '\n' || byte == '\r') {
      state_ = byte == '\n' ? State::row : State::carriage_return;
      header_ = false;
    } else {
      // As CsvParser has it, a quote that is not doubled is a mistake and closes nothing.
      const bool after_quote = state_ == State::quote;
      if (header_ && quotes_ && after_quote != (byte == '"')) mistaken_ = true;
      state_ = after_quote ? State::quoted : State::plain;
    }
  }

  const bool quotes_;
  const uint8_t delimiter_;
  State state_ = State::row;
  // The row is the header, or there was none yet.
  bool header_;
  // The header has a mistake.
  bool mistaken_ = false;
};

// Shows all bytes of a file that begins like text to a scan.
template <class Scan>
Status scan_text(RandomAccessFile& file, uint64_t size, const std::atomic<bool>* cancelled, Scan scan,
                 std::string& out) {
  std::vector<uint8_t> buffer(static_cast<size_t>(std::min<uint64_t>(size, kScanBytes)));
  uint64_t offset = 0;
  while (offset < size) {
    WEIR_TRY(check(cancelled));
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(size - offset, buffer.size()));
    size_t filled = 0;
    while (filled < wanted) {
      WEIR_ASSIGN(const size_t got, file.read_at(offset + filled, {buffer.data() + filled, wanted - filled}));
      if (got == 0) break;
      filled += got;
    }
    if (filled == 0) break;
    const std::span<const uint8_t> bytes(buffer.data(), filled);
    if (offset == 0) {
      if (auto mistake = mistake_of_no_text(bytes))
        return file_error(Code::invalid_argument, *std::move(mistake), file.name(), 0, 0);
    }
    scan.take(bytes, offset, out);
    offset += filled;
  }
  return scan.end(offset, file.name(), out);
}

}  // namespace

uint32_t IndexedFormat::number() const {
  const uint32_t number = static_cast<uint32_t>(kind) | uint32_t{compression != Compression::none} << 4;
  if (kind != Kind::rows) return number;
  // Without quotes, delimiters end no row and begin none.
  const uint32_t delim = quotes ? static_cast<uint8_t>(delimiter) : 0;
  return number | uint32_t{header} << 8 | uint32_t{quotes} << 9 | delim << 16;
}

uint64_t IndexedFormat::least_bytes() const {
  if (kind == Kind::elements) return kTarBlock;
  return kind == Kind::records ? kRecordHeaderBytes + kRecordFooterBytes : 1;
}

Status scan_records(const IndexedFormat& format, RandomAccessFile& file, uint64_t size,
                    const std::atomic<bool>* cancelled, std::string& offsets) {
  switch (format.kind) {
    case IndexedFormat::Kind::lines:
      return scan_text(file, size, cancelled, LineScan(), offsets);
    case IndexedFormat::Kind::objects:
      return scan_text(file, size, cancelled, ObjectScan(), offsets);
    case IndexedFormat::Kind::elements:
      return scan_archive(file, size, cancelled, offsets);
    case IndexedFormat::Kind::rows:
      return scan_text(file, size, cancelled, RowScan(format), offsets);
    default:
      return TFRecordScan(file, size).run(cancelled, offsets);
  }
}

}  // namespace weir
