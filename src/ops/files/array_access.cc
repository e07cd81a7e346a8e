#include "ops/files/array_access.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/checked.h"
#include "core/text.h"
#include "format/array_fill.h"

namespace weir {

namespace {

constexpr size_t kMostOpen = 64;
constexpr size_t kRetainedBytes = size_t{4} << 20;

class ColumnAccess final : public Access {
 public:
  explicit ColumnAccess(std::unique_ptr<ArrayColumn> column) : column_(std::move(column)) {}

  AccessCount count() const override { return {column_->count(), false}; }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    out.reset(1);
    out.rows = static_cast<int>(positions.size());
    column_->read(ctx, positions, out.columns[0], out);
    fails_if_cancelled(ctx, positions.size(), 1, out);
  }

 private:
  const std::unique_ptr<ArrayColumn> column_;
};

}  // namespace

ArrayColumn::ArrayColumn(FileSystem& files, DType dtype, Shape row, size_t read_bytes)
    : files_(files, kMostOpen),
      dtype_(dtype),
      row_(std::move(row)),
      most_read_(read_bytes == 0 ? SIZE_MAX : read_bytes),
      pool_(kRetainedBytes) {}

Status ArrayColumn::add(Context& ctx, const std::string& file,
                        const std::function<Result<ArrayLayout>(ByteStream&)>& layout_in) {
  RefPtr<RandomAccessFile> opened;
  const auto read = [&]() -> Result<ArrayLayout> {
    WEIR_ASSIGN(opened, files_.open(file));
    WEIR_ASSIGN(const std::unique_ptr<ByteStream> stream, open_stream(opened, Compression::none));
    return layout_in(*stream);
  };
  Result<ArrayLayout> layout = read();
  ctx.note_uncounted(layout.status());
  const uint32_t source = ctx.runtime().origins ? ctx.session.source_names().number(file) : 0;
  return add(Part{file, std::move(layout), BufferRef(), source, std::move(opened)});
}

Status ArrayColumn::add(RefPtr<RandomAccessFile> file, const ArrayLayout& layout, BufferRef bytes) {
  return add(Part{file->name(), layout, std::move(bytes), 0, file});
}

Status ArrayColumn::add(Part part) {
  const ArrayLayout* const layout = part.layout.ok() ? &*part.layout : nullptr;
  const auto sum = checked_add(count_, layout ? layout->rows : int64_t{1});
  if (!sum) {
    return file_error(Code::resource_exhausted,
                      expected_found(concat("files of at most ", INT64_MAX, " rows"), "more"), part.name);
  }
  if (layout) most_row_bytes_ = std::max(most_row_bytes_, layout->row_bytes);
  part.first = count_;
  parts_.push_back(std::move(part));
  count_ = *sum;
  return Status();
}

ArrayColumn::Part& ArrayColumn::part_of(int64_t position) {
  auto after = std::upper_bound(parts_.begin(), parts_.end(), position,
                                [](int64_t at, const Part& part) { return at < part.first; });
  return *--after;
}

Status ArrayColumn::read_bytes(Part& part, uint64_t offset, std::span<uint8_t> to, int64_t row) {
  if (part.bytes) {
    std::memcpy(to.data(), part.bytes->data() + offset, to.size());
    return Status();
  }
  for (size_t filled = 0; filled < to.size();) {
    const std::span<uint8_t> piece = to.subspan(filled, std::min(most_read_, to.size() - filled));
    WEIR_ASSIGN(const size_t got, part.file->read_at(offset + filled, piece));
    if (got == 0) {
      return file_error(Code::data_loss,
                        expected_found(concat(part.layout->rows, " rows, as when the file was opened"),
                                       "fewer", "restore the file"),
                        part.name, static_cast<int64_t>(offset), row);
    }
    filled += got;
  }
  return Status();
}

Status ArrayColumn::read_run(Part& part, int64_t row, int count, uint8_t* to) {
  const ArrayLayout& layout = *part.layout;
  const bool together = layout.stride == layout.row_bytes;
  const uint64_t size = layout.row_bytes * static_cast<uint64_t>(together ? count : 1);
  for (int i = 0; size > 0 && i < (together ? 1 : count); ++i, to += size) {
    const uint64_t offset = layout.begin + static_cast<uint64_t>(row + i) * layout.stride;
    WEIR_TRY(read_bytes(part, offset, {to, static_cast<size_t>(size)}, row + i));
  }
  return Status();
}

void ArrayColumn::read(Context& ctx, std::span<const int64_t> positions, Column& column, Block& out) {
  const int rows = static_cast<int>(positions.size());
  ArrayFill fill(column, dtype_, row_, rows, most_row_bytes_, &pool_);
  for (int begin = 0; begin < rows && !ctx.session.cancelled.load(std::memory_order_relaxed);) {
    const auto at = [&](int i) { return positions[static_cast<size_t>(i)]; };
    Part& part = part_of(at(begin));
    const int64_t row = at(begin) - part.first;
    if (!part.layout.ok()) {
      out.fail_row(begin++, part.layout.status().pointer());
      continue;
    }
    const ArrayLayout& layout = *part.layout;
    // Narrower rows don't lie side by side.
    const int64_t most = layout.row_bytes == most_row_bytes_ ? layout.rows - row : 1;
    int run = 1;
    while (begin + run < rows && run < most && at(begin + run) == at(begin) + run) ++run;
    if (part.source != 0) out.origins.add(begin, Origin(part.source, row));
    Status read = read_run(part, row, run, fill.bytes(begin));
    // Those before the one that fails are read.
    if (!read.ok() && run > 1) read = read_run(part, row, run = 1, fill.bytes(begin));
    if (read.ok()) {
      fill.made(layout.type, begin, run, [&](int i, const Status& status) {
        const int64_t record = row + i - begin;
        const uint64_t offset = layout.begin + static_cast<uint64_t>(record) * layout.stride;
        out.fail_row(i, file_error(status.code(), status.error().what(), part.name,
                                   static_cast<int64_t>(offset), record)
                            .pointer());
      });
    } else {
      out.fail_row(begin, read.pointer());
    }
    begin += run;
  }
  fill.finish();
}

std::unique_ptr<Access> array_access(std::unique_ptr<ArrayColumn> column) {
  return std::make_unique<ColumnAccess>(std::move(column));
}

}  // namespace weir
