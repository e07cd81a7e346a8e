#include "ops/files/record_rows.h"

#include <utility>

#include "core/float_mode.h"
#include "core/load.h"
#include "format/crc32c.h"
#include "format/json/json_rows.h"
#include "format/tar/tar_rows.h"
#include "format/text_lines.h"

namespace weir {

namespace {

constexpr uint64_t kHeaderBytes = 12;
constexpr uint64_t kFooterBytes = 4;

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
  TableRows(CsvFormat format, std::map<std::string, CsvPicks> picks)
      : rows_(std::move(format)), picks_(std::move(picks)) {}

  void begin(int rows, Block& out, const OwnersRef& owners) override {
    out.reset(rows_.format().columns.size());
    rows_.begin(static_cast<size_t>(rows));
    out_ = &out;
    owners_ = owners;
  }
  std::string_view add(const RecordBytes& record) override {
    const auto ends_row = [](int c) { return c == '\n' || c == '\r'; };
    if (!record.begins_file() && !ends_row(record.before)) return "it does not begin a row";
    if (!picks_.empty() && file_ != record.file) {
      file_ = record.file;
      rows_.pick(picks_.at(file_));
    }
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
  // Of each file, where columns are found by their names.
  const std::map<std::string, CsvPicks> picks_;
  std::string file_;
  Block* out_ = nullptr;
  OwnersRef owners_;
};

// Rows of fields: what their makers have in common.
template <class Made>
class FieldRows : public RecordRows {
 public:
  explicit FieldRows(const std::vector<FieldType>& fields) : rows_(fields) {}

  void begin(int, Block& out, const OwnersRef& owners) override {
    out_ = &out;
    owners_ = owners;
  }
  void add_failed(ErrorPtr error) override {
    rows_.columns().start_row();
    rows_.columns().add_failed(std::move(error));
  }
  void finish() override {
    rows_.give_owners(owners_->list);
    rows_.columns().finish(*out_, owners_);
    owners_ = nullptr;
  }

 protected:
  // The row that was begun fails by a mistake in the record.
  void add_mistaken(const RecordBytes& record, Mistake mistake) {
    rows_.columns().add_failed(file_error(Code::invalid_argument, std::move(mistake), record.file,
                                          static_cast<int64_t>(record.offset), record.record)
                                   .pointer());
  }

  Made rows_;

 private:
  Block* out_ = nullptr;
  OwnersRef owners_;
};

class ObjectRows final : public FieldRows<JsonRows> {
 public:
  using FieldRows::FieldRows;

  uint64_t frame_bytes() const override { return 1; }

  void begin(int rows, Block& out, const OwnersRef& owners) override {
    FieldRows::begin(rows, out, owners);
    rows_.columns().begin(static_cast<size_t>(rows));
  }
  std::string_view add(const RecordBytes& record) override {
    if (!record.begins_file() && record.before != '\n') return "it does not begin a line";
    const std::string_view line = record.bytes.substr(0, record.bytes.find('\n'));
    const std::string_view rest = record.bytes.substr(line.size());
    if (rest.find_first_not_of(" \t\r\n") != std::string_view::npos || (rest.empty() && !record.at_end))
      return "it is not one line";
    const FloatMode mode;
    if (!rows_.parse(line, index_)) add_mistaken(record, rows_.mistake("the line"));
    return {};
  }

 private:
  JsonIndex index_;
};

// The bytes of an element, and of members after it that belong to none.
class ElementBytes final : public TarBytes {
 public:
  explicit ElementBytes(std::string_view bytes) : bytes_(bytes) {}
  std::span<const uint8_t> peek(size_t) override {
    return {reinterpret_cast<const uint8_t*>(bytes_.data()) + at_, bytes_.size() - at_};
  }
  void advance(size_t size) override { at_ += size; }
  bool skip(uint64_t size) override {
    if (size > bytes_.size() - at_) return false;
    at_ += static_cast<size_t>(size);
    return true;
  }
  uint64_t offset() const override { return at_; }

 private:
  const std::string_view bytes_;
  size_t at_ = 0;
};

class ElementRows final : public FieldRows<TarRows> {
 public:
  using FieldRows::FieldRows;

  uint64_t least_bytes() const override { return kTarBlock; }

  void begin(int rows, Block& out, const OwnersRef& owners) override {
    FieldRows::begin(rows, out, owners);
    file_.clear();
    rows_.begin(static_cast<size_t>(rows), file_);
  }
  std::string_view add(const RecordBytes& record) override {
    if (file_ != record.file) {
      file_ = record.file;
      rows_.set_file(file_);
    }
    ElementBytes bytes(record.bytes);
    TarMembers members(bytes);
    std::string key;
    TarMembers::Next next = members.next(member_);
    for (; next == TarMembers::Next::member; next = members.next(member_)) {
      std::string_view member_key;
      const uint64_t size = tar_blocks(member_.size);
      const bool belongs = split_member_path(member_.name, member_key, extension_);
      if (belongs && key.empty()) {
        key.assign(member_key);
        rows_.start_element(key);
      } else if (belongs && member_key != key) {
        return "it is not one element";
      }
      const std::span<const uint8_t> there = bytes.peek(0);
      if (belongs && rows_.wants(extension_) && there.size() >= size)
        rows_.add_member({reinterpret_cast<const char*>(there.data()), static_cast<size_t>(member_.size)});
      if (!bytes.skip(size)) return "it ends within a member";
    }
    if (next == TarMembers::Next::cut) return "it ends within a member";
    if (next == TarMembers::Next::damaged) return members.damage();
    if (key.empty()) return "it has no member";
    if (!rows_.finish_element()) add_mistaken(record, rows_.mistake());
    return {};
  }

 private:
  TarMember member_;
  std::string extension_;
  std::string file_;
};

}  // namespace

std::unique_ptr<RecordRows> tfrecord_rows() { return std::make_unique<TFRecordRows>(); }
std::unique_ptr<RecordRows> fixed_rows() { return std::make_unique<FixedRows>(); }
std::unique_ptr<RecordRows> line_rows() { return std::make_unique<LineRows>(); }
std::unique_ptr<RecordRows> csv_rows(CsvFormat format, std::map<std::string, CsvPicks> picks) {
  return std::make_unique<TableRows>(std::move(format), std::move(picks));
}
std::unique_ptr<RecordRows> json_rows(const std::vector<FieldType>& fields) {
  return std::make_unique<ObjectRows>(fields);
}
std::unique_ptr<RecordRows> tar_rows(const std::vector<FieldType>& fields) {
  return std::make_unique<ElementRows>(fields);
}

}  // namespace weir
