#include "ops/files/record_access.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <list>
#include <utility>

#include "core/checked.h"
#include "core/exception.h"
#include "core/text.h"
#include "format/crc32c.h"
#include "format/record_index.h"

namespace weir {

namespace {

constexpr uint64_t kHeaderBytes = 12;
constexpr uint64_t kFooterBytes = 4;
// Records that lie one after another are read together, up to about so many bytes.
constexpr uint64_t kRunBytes = uint64_t{1} << 20;
// The memory of reads of up to this size is kept for the next.
constexpr size_t kKeptBytes = size_t{64} << 10;
// How many files are open at once.
constexpr size_t kMaxOpen = 64;

template <class T>
T load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

class RecordAccess final : public Access {
 public:
  RecordAccess(FileSystem& files, uint64_t record_limit) : files_(files), record_limit_(record_limit) {}

  Status add(std::string name, RefPtr<RecordIndex> index, uint32_t source) {
    const auto sum = checked_add(count_, index->count());
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
    out.reset(1);
    out.rows = static_cast<int>(positions.size());
    records_ = out.columns[0].make_dense<Str>(Shape(), out.rows);
    OwnersRef owners = owners_of_read();
    const std::atomic<bool>& cancelled = ctx.session.cancelled;
    for (size_t row = 0; row < positions.size() && !cancelled.load(std::memory_order_relaxed);) {
      Part& part = part_of(positions[row]);
      const int64_t record = positions[row] - part.first;
      size_t run = 1;
      const int64_t left = part.index->count() - record;
      while (row + run < positions.size() && static_cast<int64_t>(run) < left &&
             positions[row + run] == positions[row] + static_cast<int64_t>(run))
        ++run;
      row += read_run(part, record, run, static_cast<int>(row), *owners, out);
    }
    if (cancelled.load(std::memory_order_relaxed)) {
      // Destroy does not wait for the reads, so nothing may be called with these rows.
      out.errors.clear();
      const Status stopped(Code::cancelled, "the iterator was cancelled");
      for (int row = 0; row < out.rows; ++row) out.fail_row(row, stopped.pointer());
    }
    if (owners->list.size() == 1 && owners->list[0].get() == spare_.get()) spare_owners_ = owners;
    out.columns[0].set_owners(std::move(owners));
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
    WEIR_ASSIGN(part.file, files_.open(part.name));
    open_.push_back(&part);
    if (open_.size() > kMaxOpen) {
      open_.front()->file = nullptr;
      open_.pop_front();
    }
    return part.file.get();
  }

  // Reads up to `count` records from `record` on as rows from `row` on; returns how many became rows.
  size_t read_run(Part& part, int64_t record, size_t count, int row, Owners& owners, Block& out) {
    const auto fail = [&](const Status& status) {
      out.fail_row(row, status.pointer());
      return size_t{1};
    };
    const Status indexed = part.index->offsets(record, static_cast<int64_t>(count), offsets_);
    if (!indexed.ok()) return fail(indexed);
    const uint64_t begin = offsets_[0];
    size_t fitting = 0;
    while (fitting < count && fits(fitting) && (fitting == 0 || offsets_[fitting + 1] - begin <= kRunBytes))
      ++fitting;
    if (fitting == 0) return fail(misfit(part, record));
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
    for (size_t i = 0; i < fitting; ++i) {
      const uint64_t from = offsets_[i] - begin;
      const uint64_t bytes = offsets_[i + 1] - offsets_[i];
      const std::string_view wrong =
          filled < from + bytes ? "the file ends within it" : check(buffer->data() + from, bytes);
      if (wrong.empty()) {
        records_[row + static_cast<int>(i)] =
            Str(reinterpret_cast<const char*>(buffer->data() + from + kHeaderBytes),
                static_cast<size_t>(bytes - kHeaderBytes - kFooterBytes));
      } else {
        out.fail_row(row + static_cast<int>(i),
                     damaged(part, record + static_cast<int64_t>(i), offsets_[i], wrong).pointer());
      }
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

  // Whether record `i` of the offsets just read has a length that a record may have.
  bool fits(size_t i) const {
    return offsets_[i + 1] >= offsets_[i] + kHeaderBytes + kFooterBytes &&
           offsets_[i + 1] - offsets_[i] - kHeaderBytes - kFooterBytes <= record_limit_;
  }

  // What is wrong with the bytes of a record; empty if nothing.
  static std::string_view check(const uint8_t* bytes, uint64_t size) {
    const uint64_t length = size - kHeaderBytes - kFooterBytes;
    if (load<uint32_t>(bytes + 8) != mask_crc32c(crc32c(bytes, 8)))
      return "the checksum of its length is wrong";
    if (load<uint64_t>(bytes) != length) return "it is not as long as the index says";
    const uint8_t* data = bytes + kHeaderBytes;
    if (load<uint32_t>(data + length) != mask_crc32c(crc32c(data, static_cast<size_t>(length))))
      return "the checksum of its data is wrong";
    return {};
  }

  Status damaged(const Part& part, int64_t record, uint64_t offset, std::string_view what) const {
    return file_error(
        Code::data_loss,
        {concat("corrupted record: ", what), "restore the file, or run weir index again if it changed"},
        part.name, static_cast<int64_t>(offset), record);
  }
  Status misfit(const Part& part, int64_t record) const {
    if (offsets_[1] >= offsets_[0] + kHeaderBytes + kFooterBytes) {
      return file_error(
          Code::resource_exhausted,
          expected_found(
              concat("a record of at most ", record_limit_, " bytes"),
              concat("one of ", offsets_[1] - offsets_[0] - kHeaderBytes - kFooterBytes),
              "raise record_bytes of weir_runtime_options, or --record-bytes of the command, if it is right"),
          part.name, static_cast<int64_t>(offsets_[0]), record);
    }
    return damaged(part, record, offsets_[0], "its index is damaged");
  }

  FileSystem& files_;
  const uint64_t record_limit_;
  std::vector<Part> parts_;
  int64_t count_ = 0;
  // Those whose file is open, the first opened first.
  std::list<Part*> open_;
  BufferPool pool_{4 * kRunBytes};
  // The bytes of the last small read, and the list that holds nothing else.
  BufferRef spare_;
  OwnersRef spare_owners_;
  // Scratch memory of one read.
  std::vector<uint64_t> offsets_;
  Str* records_ = nullptr;
};

Result<RefPtr<RecordIndex>> index_of(Context& ctx, const std::string& name) {
  Runtime& runtime = ctx.runtime();
  WEIR_ASSIGN(RefPtr<RecordIndex> index, RecordIndex::open(*runtime.files, name));
  if (index) return index;
  WEIR_ASSIGN(index, RecordIndex::make(*runtime.files, name, &ctx.session.cancelled));
  const Status saved = index->save(*runtime.files, name);
  if (!saved.ok() && runtime.logger) {
    runtime.logger->log(
        Logger::Level::warning,
        concat("the index of ", name, " is made again each time: ", saved.error().describe()));
  }
  return index;
}

}  // namespace

Result<std::unique_ptr<Access>> record_access(Context& ctx, const std::vector<std::string>& files) {
  Runtime& runtime = ctx.runtime();
  auto access =
      std::make_unique<RecordAccess>(*runtime.files, static_cast<uint64_t>(runtime.limits.record_bytes));
  for (const std::string& name : files) {
    WEIR_ASSIGN(RefPtr<RecordIndex> index, index_of(ctx, name));
    WEIR_TRY(
        access->add(name, std::move(index), runtime.origins ? ctx.session.source_names().number(name) : 0));
  }
  return std::unique_ptr<Access>(std::move(access));
}

bool have_indices(Context& ctx, const std::vector<std::string>& files) {
  return std::all_of(files.begin(), files.end(), [&](const std::string& name) {
    auto index = RecordIndex::open(*ctx.runtime().files, name);
    return index.ok() && *index;
  });
}

}  // namespace weir
