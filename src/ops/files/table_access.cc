#include "ops/files/table_access.h"

#include <algorithm>
#include <utility>

#include "core/checked.h"
#include "core/text.h"

namespace weir {

namespace {

constexpr size_t kMostOpenTables = 8;

class TableAccess final : public Access {
 public:
  TableAccess(RefPtr<const TableFormat> format, const std::vector<FieldType>& fields,
              const std::vector<FieldType>& counted)
      : format_(std::move(format)),
        fields_(fields),
        counted_(counted),
        components_(static_cast<size_t>(spec_of_fields(fields).component_count())) {}

  Status add(Context& ctx, const std::string& name) {
    auto reader = open(ctx, name);
    if (reader.ok() && (*reader)->rows() < 0)
      return file_error(Code::failed_precondition, "the number of its rows is not known before they are read",
                        name);
    const std::optional<int64_t> sum = checked_add(count_, reader.ok() ? (*reader)->rows() : int64_t{1});
    if (!sum) {
      return file_error(Code::resource_exhausted,
                        expected_found(concat("files of at most ", INT64_MAX, " rows"), "more"), name);
    }
    ctx.note_uncounted(reader.status());
    const uint32_t source = ctx.runtime().origins ? ctx.session.source_names().number(name) : 0;
    parts_.push_back({name, source, count_, *sum - count_, reader.status(), nullptr});
    if (reader.ok()) keep(parts_.size() - 1, *std::move(reader));
    count_ = *sum;
    return {};
  }

  AccessCount count() const override { return {count_, false}; }

  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    out.reset(components_);
    out.rows = 0;
    for (size_t begin = 0; begin < positions.size();) {
      size_t end = begin + 1;
      while (end < positions.size() && positions[end] == positions[end - 1] + 1) ++end;
      begin += append_run(ctx, positions[begin], end - begin, out);
    }
    fails_if_cancelled(ctx, positions.size(), components_, out);
  }

 private:
  struct Part {
    std::string name;
    uint32_t source;
    int64_t first;
    int64_t rows;
    Status failure;
    std::unique_ptr<TableReader> reader;
  };

  Result<std::unique_ptr<TableReader>> open(Context& ctx, const std::string& name) const {
    return TableReader::open(ctx.session.files(), *format_, name, fields_, counted_, nullptr);
  }

  // The readers that were used last stay.
  void keep(size_t part, std::unique_ptr<TableReader> reader) {
    if (open_.size() == kMostOpenTables) {
      parts_[open_[0]].reader = nullptr;
      open_.erase(open_.begin());
    }
    open_.push_back(part);
    parts_[part].reader = std::move(reader);
  }

  // Appends some of these rows, one at least.
  size_t append_run(Context& ctx, int64_t position, size_t rows, Block& out) {
    const auto after = std::upper_bound(parts_.begin(), parts_.end(), position,
                                        [](int64_t at, const Part& part) { return at < part.first; });
    Part& part = *(after - 1);
    const int64_t row = position - part.first;
    const Status read = read_run(ctx, part, row, rows);
    if (!read.ok()) one_.set_error(read.pointer(), components_);
    one_.origins.clear();
    if (part.source != 0) one_.origins.add(0, Origin(part.source, row));
    out.append(one_, 0, one_.rows);
    return static_cast<size_t>(one_.rows);
  }

  // Reads some of these rows of a part, one at least.
  Status read_run(Context& ctx, Part& part, int64_t row, size_t rows) {
    if (!part.failure.ok()) return part.failure;
    if (!part.reader) {
      WEIR_ASSIGN(std::unique_ptr<TableReader> reader, open(ctx, part.name));
      if (reader->rows() != part.rows) {
        return file_error(Code::failed_precondition,
                          expected_found(concat(part.rows, " rows, as when the file was first opened"),
                                         concat(reader->rows()), "make a new iterator"),
                          part.name);
      }
      keep(static_cast<size_t>(&part - parts_.data()), std::move(reader));
    }
    const RecordPosition from{static_cast<uint64_t>(row), static_cast<uint64_t>(row)};
    WEIR_TRY(part.reader->seek(from, static_cast<int64_t>(rows)));
    WEIR_TRY(part.reader->next_batch(ctx, rows, INT64_MAX, one_));
    if (one_.rows > 0) return {};
    return file_error(Code::data_loss, expected_found("as many rows as when the file was opened", "fewer"),
                      part.name, -1, row);
  }

  const RefPtr<const TableFormat> format_;
  const std::vector<FieldType> fields_;
  const std::vector<FieldType> counted_;
  const size_t components_;
  std::vector<Part> parts_;
  // Those with a reader, by when they were opened.
  std::vector<size_t> open_;
  int64_t count_ = 0;
  Block one_;
};

}  // namespace

Result<std::unique_ptr<Access>> table_access(Context& ctx, RefPtr<const TableFormat> format,
                                             const std::vector<FieldType>& fields,
                                             const std::vector<FieldType>& counted,
                                             const std::vector<std::string>& files) {
  auto out = std::make_unique<TableAccess>(std::move(format), fields, counted);
  for (const std::string& file : files) WEIR_TRY(out->add(ctx, file));
  return std::unique_ptr<Access>(std::move(out));
}

}  // namespace weir
