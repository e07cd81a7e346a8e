#include "ops/files/record_rows.h"

#include <cstring>
#include <utility>

#include "format/crc32c.h"
#include "format/text_lines.h"

namespace weir {

namespace {

constexpr uint64_t kHeaderBytes = 12;
constexpr uint64_t kFooterBytes = 4;

template <class T>
T load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

// Records that are strings.
class StringRows : public RecordRows {
 public:
  void begin(int rows, Block& out, const OwnersRef& owners) override {
    out.reset(1);
    out.rows = rows;
    records_ = out.columns[0].make_dense<Str>(Shape(), rows);
    row_ = 0;
    out_ = &out;
    owners_ = owners;
  }
  void add_failed(ErrorPtr error) override { out_->fail_row(row_++, std::move(error)); }
  void finish() override { out_->columns[0].set_owners(std::move(owners_)); }

 protected:
  void add(std::string_view record) { records_[row_++] = Str(record.data(), record.size()); }
  Owners& owners() { return *owners_; }

 private:
  Str* records_ = nullptr;
  int row_ = 0;
  Block* out_ = nullptr;
  OwnersRef owners_;
};

class TFRecordRows final : public StringRows {
 public:
  uint64_t least_bytes() const override { return kHeaderBytes + kFooterBytes; }
  uint64_t frame_bytes() const override { return kHeaderBytes + kFooterBytes; }

  std::string_view add(const RecordBytes& record) override {
    const char* const bytes = record.bytes.data();
    const size_t length = record.bytes.size() - kHeaderBytes - kFooterBytes;
    if (load<uint32_t>(bytes + 8) != mask_crc32c(crc32c(bytes, 8)))
      return "the checksum of its length is wrong";
    if (load<uint64_t>(bytes) != length) return "it is not as long as the index says";
    const char* data = bytes + kHeaderBytes;
    if (load<uint32_t>(data + length) != mask_crc32c(crc32c(data, length)))
      return "the checksum of its data is wrong";
    StringRows::add({data, length});
    return {};
  }
};

class FixedRows final : public StringRows {
 public:
  std::string_view add(const RecordBytes& record) override {
    StringRows::add(record.bytes);
    return {};
  }
};

class LineRows final : public StringRows {
 public:
  uint64_t frame_bytes() const override { return 1; }

  void begin(int rows, Block& out, const OwnersRef& owners) override {
    without_returns_.renew();
    StringRows::begin(rows, out, owners);
  }
  std::string_view add(const RecordBytes& record) override {
    if (!record.begins_file() && record.before != '\n') return "it does not begin a line";
    const std::string_view text = record.text();
    const size_t size = text.find('\n');
    if (size == std::string_view::npos ? !record.at_end : size + 1 != text.size())
      return "it is not one line";
    StringRows::add(without_returns_.of(text.substr(0, size), owners().list));
    return {};
  }

 private:
  WithoutReturns without_returns_;
};

class TableRows final : public RecordRows {
 public:
  explicit TableRows(CsvFormat format) : rows_(std::move(format)) {}

  void begin(int rows, Block& out, const OwnersRef& owners) override {
    out.reset(rows_.format().columns.size());
    rows_.begin(static_cast<size_t>(rows));
    out_ = &out;
    owners_ = owners;
  }
  std::string_view add(const RecordBytes& record) override {
    const auto ends_row = [](int c) { return c == '\n' || c == '\r'; };
    if (!record.begins_file() && !ends_row(record.before)) return "it does not begin a row";
    const std::string_view text = record.text();
    const char* at = text.data();
    const char* const end = at + text.size();
    rows_.parse(at, end, true);
    if (at != end || !(record.at_end || ends_row(end[-1]))) return "it is not one row";
    rows_.add(record.file, record.offset, static_cast<uint64_t>(record.record));
    return {};
  }
  void add_failed(ErrorPtr error) override { rows_.add_failed(std::move(error)); }
  void finish() override {
    rows_.finish(*out_, owners_);
    owners_ = nullptr;
  }

 private:
  CsvRows rows_;
  Block* out_ = nullptr;
  OwnersRef owners_;
};

}  // namespace

std::unique_ptr<RecordRows> tfrecord_rows() { return std::make_unique<TFRecordRows>(); }
std::unique_ptr<RecordRows> fixed_rows() { return std::make_unique<FixedRows>(); }
std::unique_ptr<RecordRows> line_rows() { return std::make_unique<LineRows>(); }
std::unique_ptr<RecordRows> csv_rows(CsvFormat format) {
  return std::make_unique<TableRows>(std::move(format));
}

}  // namespace weir
