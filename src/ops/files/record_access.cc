#include "ops/files/record_access.h"

#include <algorithm>
#include <bit>
#include <list>
#include <utility>

#include "core/checked.h"
#include "core/text.h"
#include "fs/few_open_files.h"
#include "fs/read_through.h"
#include "ops/access/read_ahead.h"
#include "ops/files/find_index.h"

namespace weir {

namespace {

// Records that lie one after another are read together, up to about so many bytes.
constexpr uint64_t kRunBytes = uint64_t{1} << 20;
// The memory of reads of up to this size is kept for the next.
constexpr size_t kKeptBytes = size_t{64} << 10;
// How many files are open at once, and how many indices.
constexpr size_t kMaxOpen = 64;

class RecordAccess final : public Access {
 public:
  RecordAccess(const Context& ctx, Compression compression, std::unique_ptr<RecordRows> rows)
      : files_(ctx.session.files()),
        compression_(compression),
        record_limit_(static_cast<uint64_t>(ctx.runtime().limits.record_bytes)),
        rows_(std::move(rows)),
        pool_(static_cast<size_t>(
            std::clamp(ctx.ahead_bytes, kLeastAheadBytes, static_cast<int64_t>(4 * kRunBytes)))) {}

  Status add(std::string name, RefPtr<RecordIndex> index, uint32_t source) {
    const auto sum = checked_add(count_, index->count() + (index->failure().ok() ? 0 : 1));
    if (!sum) {
      return file_error(Code::resource_exhausted,
                        expected_found(concat("files of at most ", INT64_MAX, " records"), "more"), name);
    }
    parts_.push_back({std::move(name), std::move(index), source, count_, nullptr});
    count_ = *sum;
    return Status();
  }

  AccessCount count() const override { return {count_, false}; }

  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    OwnersRef owners = owners_of_read();
    out.origins.clear();
    rows_->begin(static_cast<int>(positions.size()), out, owners);
    for (size_t row = 0; row < positions.size() && !ctx.session.cancelled.load(std::memory_order_relaxed);) {
      Part& part = part_of(positions[row]);
      const int64_t record = positions[row] - part.first;
      if (record == part.index->count()) {
        rows_->add_failed(part.index->failure().pointer());
        ++row;
        continue;
      }
      size_t run = 1;
      const int64_t left = part.index->count() - record;
      while (row + run < positions.size() && static_cast<int64_t>(run) < left &&
             positions[row + run] == positions[row] + static_cast<int64_t>(run))
        ++run;
      row += read_run(part, record, run, static_cast<int>(row), *owners, out);
    }
    if (fails_if_cancelled(ctx, positions.size(), out.columns.size(), out)) return;
    Origins origins;
    origins.swap(out.origins);
    rows_->finish();
    out.origins.swap(origins);
    if (owners->list.size() == 1 && owners->list[0].get() == spare_.get()) spare_owners_ = std::move(owners);
  }

  bool foresee(std::span<const int64_t> positions, int64_t time, ReadPlan& plan) override {
    for (const int64_t position : positions) {
      const Part& part = part_of(position);
      const int64_t record = position - part.first;
      if (record < part.index->count() && part.index->offsets(record, 1, offsets_).ok())
        plan.add(part.name, begin_of_read(), offsets_[1], time);
      ++time;
    }
    return true;
  }

 private:
  struct Part {
    std::string name;
    RefPtr<RecordIndex> index;
    uint32_t source;
    // The position of its first record.
    int64_t first;
    RefPtr<RandomAccessFile> file;
  };

  Part& part_of(int64_t position) {
    auto after = std::upper_bound(parts_.begin(), parts_.end(), position,
                                  [](int64_t at, const Part& part) { return at < part.first; });
    return *--after;
  }

  // The file, opened if need be; the one that was opened first is closed where there are too many.
  Result<RandomAccessFile*> open(Part& part) {
    if (part.file) return part.file.get();
    WEIR_ASSIGN(part.file, open_decoded(files_, part.name, compression_, &part.index->file()));
    open_.push_back(&part);
    if (open_.size() > kMaxOpen) {
      open_.front()->file = nullptr;
      open_.pop_front();
    }
    return part.file.get();
  }

  // The byte before the first record tells whether that begins a record.
  uint64_t begin_of_read() const { return offsets_[0] - (offsets_[0] > 0 ? 1 : 0); }

  // Reads up to `count` records from `record` on as rows from `row` on; returns how many became rows.
  size_t read_run(Part& part, int64_t record, size_t count, int row, Owners& owners, Block& out) {
    const auto fail = [&](const Status& status) {
      rows_->add_failed(status.pointer());
      return size_t{1};
    };
    const Status indexed = part.index->offsets(record, static_cast<int64_t>(count), offsets_);
    if (!indexed.ok()) return fail(indexed);
    size_t fitting = 0;
    while (fitting < count && fits(part, fitting) &&
           (fitting == 0 || offsets_[fitting + 1] - offsets_[0] <= kRunBytes))
      ++fitting;
    if (fitting == 0) return fail(misfit(part, record));
    const uint64_t begin = begin_of_read();
    const uint64_t size = offsets_[fitting] - begin;
    auto file = open(part);
    if (!file.ok()) return fail(file.status());
    const BufferRef buffer = buffer_of(static_cast<size_t>(size));
    uint64_t filled = 0;
    while (filled < size) {
      auto got =
          (*file)->read_at(begin + filled, {buffer->data() + filled, static_cast<size_t>(size - filled)});
      if (!got.ok()) return fail(got.status());
      if (*got == 0) break;
      filled += *got;
    }
    owners.list.push_back(buffer);
    out.origins.add(row, Origin(part.source, record));
    const auto* const bytes = reinterpret_cast<const char*>(buffer->data());
    for (size_t i = 0; i < fitting; ++i) {
      const uint64_t from = offsets_[i] - begin;
      const uint64_t end = offsets_[i + 1] - begin;
      const RecordBytes found{.bytes = {bytes + from, static_cast<size_t>(end - from)},
                              .before = from > 0 ? static_cast<uint8_t>(bytes[from - 1]) : -1,
                              .at_end = offsets_[i + 1] == part.index->file_size(),
                              .file = part.name,
                              .offset = offsets_[i],
                              .record = record + static_cast<int64_t>(i)};
      const std::string_view wrong = filled < end ? "the file ends within it" : rows_->add(found);
      if (!wrong.empty()) rows_->add_failed(damaged(part, found.record, found.offset, wrong).pointer());
    }
    return fitting;
  }

  // An empty list: that of the last read if nobody holds it any more.
  OwnersRef owners_of_read() {
    OwnersRef spare = std::move(spare_owners_);
    if (!spare || !spare->unique()) return make_ref<Owners>();
    spare->list.clear();
    return spare;
  }
  // Memory for the bytes of one read: that of the last one if it is small and nobody holds it any more.
  BufferRef buffer_of(size_t size) {
    if (size > kKeptBytes) return pool_.allocate(size);
    if (!spare_ || !spare_->unique() || spare_->size() < size)
      spare_ = Buffer::allocate(std::min(std::bit_ceil(size), kKeptBytes));
    return spare_;
  }

  // Whether record `i` of the offsets just read lies in the file and has a length that a record may have.
  bool fits(const Part& part, size_t i) const {
    return lies_in(part, i) && offsets_[i + 1] - offsets_[i] - rows_->frame_bytes() <= record_limit_;
  }
  bool lies_in(const Part& part, size_t i) const {
    return offsets_[i + 1] <= part.index->file_size() && offsets_[i] <= offsets_[i + 1] &&
           offsets_[i + 1] - offsets_[i] >= rows_->least_bytes();
  }

  Status damaged(const Part& part, int64_t record, uint64_t offset, std::string_view what) const {
    return file_error(
        Code::data_loss,
        {concat("corrupted record: ", what), "restore the file, or run weir index again if it changed"},
        part.name, static_cast<int64_t>(offset), record);
  }
  Status misfit(const Part& part, int64_t record) const {
    if (!lies_in(part, 0)) return damaged(part, record, offsets_[0], "its index is damaged");
    return file_error(
        Code::resource_exhausted,
        expected_found(
            concat("a record of at most ", record_limit_, " bytes"),
            concat("one of ", offsets_[1] - offsets_[0] - rows_->frame_bytes()),
            "raise record_bytes of weir_runtime_options, or --record-bytes of the command, if it is right"),
        part.name, static_cast<int64_t>(offsets_[0]), record);
  }

  FileSystem& files_;
  const Compression compression_;
  const uint64_t record_limit_;
  const std::unique_ptr<RecordRows> rows_;
  std::vector<Part> parts_;
  int64_t count_ = 0;
  // Those whose file is open, the first opened first.
  std::list<Part*> open_;
  BufferPool pool_;
  // The bytes of the last small read, and the list that holds nothing else.
  BufferRef spare_;
  OwnersRef spare_owners_;
  // Scratch memory of one read.
  std::vector<uint64_t> offsets_;
};

}  // namespace

Result<std::unique_ptr<Access>> record_access(Context& ctx, const std::vector<std::string>& files,
                                              Compression compression, std::unique_ptr<RecordRows> rows,
                                              const FindIndex& find) {
  auto access = std::make_unique<RecordAccess>(ctx, compression, std::move(rows));
  FewOpenFiles opened(ctx.session.files(), kMaxOpen);
  for (const std::string& name : files) {
    Result<RefPtr<RecordIndex>> found = find(opened, name);
    const Code code = found.status().code();
    if (code == Code::cancelled || code == Code::failed_precondition) return found.status();
    ctx.note_uncounted(found.ok() ? (*found)->failure() : found.status());
    WEIR_TRY(access->add(name, found.ok() ? *std::move(found) : RecordIndex::failed(found.status()),
                         ctx.runtime().origins ? ctx.session.source_names().number(name) : 0));
  }
  return std::unique_ptr<Access>(std::move(access));
}

Result<std::unique_ptr<Access>> indexed_access(Context& ctx, const std::vector<std::string>& files,
                                               const IndexedFormat& format,
                                               std::unique_ptr<RecordRows> rows) {
  return record_access(
      ctx, files, format.compression, std::move(rows),
      [&](FileSystem& few, const std::string& name) { return index_of(ctx, few, name, format); });
}

bool have_indices(Context& ctx, const std::vector<std::string>& files, const IndexedFormat& format) {
  return std::all_of(files.begin(), files.end(),
                     [&](const std::string& name) { return have_index(ctx, name, format); });
}

}  // namespace weir
