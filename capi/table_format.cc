#include "capi/table_format.h"

#include <cerrno>
#include <utility>

#include "capi/call.h"
#include "capi/callback.h"
#include "capi/file.h"
#include "capi/runtime.h"
#include "core/exception.h"
#include "format/tables/arrow_checks.h"

namespace weir::capi {

namespace {

constexpr uint64_t kMostRanges = uint64_t{1} << 32;

// Why a call of a format failed, for the file that it was about.
class TableCall final : public AnyCall {
 public:
  explicit TableCall(const std::string& name) : name_(name) {}

  bool cancelled() const override { return false; }
  Status fail(int64_t row, int32_t code, std::string_view message) override {
    if (row != 0)
      return {Code::out_of_range, expected_found("row 0 of a call of a table format", concat(row))};
    if (failure_.ok()) failure_ = file_error(code_given(code), std::string(message), name_);
    return {};
  }
  Status outcome(std::string_view which, int32_t result) const {
    if (!failure_.ok()) return failure_;
    if (result == WEIR_OK) return {};
    return file_error(Code::unknown,
                      expected_found(concat("WEIR_OK from ", which, " of a table format"), concat(result)),
                      name_);
  }

 private:
  const std::string name_;
  Status failure_;
};

// A file that remembers why it could not be read, which the host can't tell.
class NotingFile final : public RandomAccessFile {
 public:
  explicit NotingFile(RefPtr<RandomAccessFile> file)
      : RandomAccessFile(file->name()), file_(std::move(file)) {}

  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    Result<size_t> got = file_->do_read_at(offset, out);
    if (!got.ok()) {
      MutexLock lock(mutex_);
      failure_ = got.status();
    }
    return got;
  }
  Result<uint64_t> do_size() override { return file_->do_size(); }
  Result<FileInfo> do_info() override { return file_->do_info(); }

  Status take_failure() {
    MutexLock lock(mutex_);
    return std::exchange(failure_, Status());
  }

 private:
  const RefPtr<RandomAccessFile> file_;
  Mutex mutex_;
  Status failure_;
};

class HostFormat final : public TableFormat {
 public:
  explicit HostFormat(const weir_table_format& host) : host_(host) {}
  ~HostFormat() override {
    if (host_.destroy) notify_host([this] { host_.destroy(host_.user_data); });
  }
  Result<std::unique_ptr<TableFile>> open(RefPtr<RandomAccessFile> file) const override;
  const weir_table_format& host() const { return host_; }

  // Calls function(call) of the host and returns what became of it; `use` gets the call before it ends.
  template <class Function, class Use>
  static Status run(std::string_view which, NotingFile& file, Function&& function, Use&& use) {
    OpenCall<TableCall> call(std::make_unique<TableCall>(file.name()));
    int32_t result = WEIR_OK;
    if (ErrorPtr thrown = call_host([&] { result = function(call.handle()); })) return Status(thrown);
    const TableCall& closed = call.close();
    const Status outcome = closed.outcome(which, result);
    const Status read = file.take_failure();
    if (!outcome.ok()) return read.ok() ? outcome : read;
    return use();
  }

 private:
  const weir_table_format host_;
};

class HostStream final : public TableStream {
 public:
  explicit HostStream(RefPtr<NotingFile> file) : file_(std::move(file)) {}
  ~HostStream() override {
    if (stream_.there()) notify_host([this] { stream_.reset(); });
  }

  ArrowArrayStream* fill() { return stream_.fill(); }
  // After it was filled.
  Status check() const {
    if (stream_.there() && stream_->get_schema && stream_->get_next) return {};
    return file_error(Code::internal, "a table format gave no stream, or one without get_schema or get_next",
                      file_->name());
  }

  Result<ArrowOwned<ArrowSchema>> schema() override {
    ArrowOwned<ArrowSchema> out;
    WEIR_TRY(ask([&] { return stream_->get_schema(stream_.get(), out.fill()); }));
    if (!out.there()) return file_error(Code::internal, "a table format gave no schema", file_->name());
    WEIR_TRY(check_arrow_schema(*out));
    return out;
  }
  Result<ArrowOwned<ArrowArray>> next() override {
    ArrowOwned<ArrowArray> out;
    WEIR_TRY(ask([&] { return stream_->get_next(stream_.get(), out.fill()); }));
    return out;
  }

 private:
  template <class Function>
  Status ask(Function&& function) {
    int error = 0;
    const char* why = nullptr;
    const auto call = [&] {
      error = function();
      if (error != 0 && stream_->get_last_error) why = stream_->get_last_error(stream_.get());
    };
    if (ErrorPtr thrown = call_host(call)) return Status(thrown);
    const Status read = file_->take_failure();
    if (error == 0) return {};
    if (!read.ok()) return read;
    if (error == ENOMEM) return Status(out_of_memory());
    const Code code = error == ENOTSUP || error == ENOSYS ? Code::unimplemented : Code::data_loss;
    return file_error(code, why ? std::string(why) : concat("error ", error), file_->name());
  }

  const RefPtr<NotingFile> file_;
  ArrowOwned<ArrowArrayStream> stream_;
};

class HostTable final : public TableFile {
 public:
  HostTable(RefPtr<const HostFormat> format, RefPtr<RandomAccessFile> file)
      : format_(std::move(format)),
        file_(make_ref<NotingFile>(std::move(file))),
        handle_(publish_file(file_)) {}
  ~HostTable() override {
    if (open_) notify_host([this] { host().close(host().user_data, table_); });
    weir_file_release(handle_);
  }

  Status open() {
    WEIR_ASSIGN(const uint64_t size, file_->size());
    return HostFormat::run(
        "open", *file_,
        [&](weir_call call) {
          return host().open(host().user_data, handle_, size, call, schema_.fill(), &rows_, &table_);
        },
        [&]() -> Status {
          open_ = true;
          if (schema_.there() && rows_ >= -1) return check_arrow_schema(*schema_);
          return file_error(Code::internal, "a table format gave no schema, or no count of rows",
                            file_->name());
        });
  }

  const ArrowSchema& schema() const override { return *schema_; }
  int64_t rows() const override { return rows_; }

  Result<std::vector<TableRange>> select(std::string_view condition) override {
    std::vector<TableRange> out;
    if (!host().select) {
      out.push_back({0, rows_ < 0 ? INT64_MAX : rows_});
      return out;
    }
    const int64_t* ranges = nullptr;
    uint64_t count = 0;
    // The memory is the call's.
    Status checked;
    const auto ask = [&](weir_call call) {
      const int32_t result =
          host().select(host().user_data, table_, to_string_struct(condition), call, &ranges, &count);
      if (result == WEIR_OK) checked = take_ranges(ranges, count, out);
      return result;
    };
    WEIR_TRY(HostFormat::run("select", *file_, ask, [&] { return checked; }));
    return out;
  }

  Result<std::unique_ptr<TableStream>> read(std::span<const std::string> columns,
                                            std::span<const TableRange> rows) override {
    std::vector<weir_string> names;
    for (const std::string& column : columns) names.push_back(to_string_struct(column));
    std::vector<int64_t> ranges;
    for (const TableRange& range : rows) ranges.insert(ranges.end(), {range.first, range.count});
    auto out = std::make_unique<HostStream>(file_);
    WEIR_TRY(HostFormat::run(
        "read", *file_,
        [&](weir_call call) {
          return host().read(host().user_data, table_, names.data(), names.size(), ranges.data(), rows.size(),
                             call, out->fill());
        },
        [&] { return out->check(); }));
    return std::unique_ptr<TableStream>(std::move(out));
  }

 private:
  const weir_table_format& host() const { return format_->host(); }

  Status take_ranges(const int64_t* ranges, uint64_t count, std::vector<TableRange>& out) const {
    int64_t end = 0;
    bool good = count <= kMostRanges && (ranges || count == 0);
    for (uint64_t i = 0; i < count && good; ++i) {
      const TableRange range{ranges[2 * i], ranges[2 * i + 1]};
      good = range.first >= end && range.count > 0 && range.first <= INT64_MAX - range.count &&
             (rows_ < 0 || range.first + range.count <= rows_);
      end = range.first + range.count;
      out.push_back(range);
    }
    if (good) return {};
    return file_error(Code::internal, "a table format selected rows that are none", file_->name());
  }

  const RefPtr<const HostFormat> format_;
  const RefPtr<NotingFile> file_;
  const weir_file handle_;
  ArrowOwned<ArrowSchema> schema_;
  int64_t rows_ = -1;
  void* table_ = nullptr;
  bool open_ = false;
};

Result<std::unique_ptr<TableFile>> HostFormat::open(RefPtr<RandomAccessFile> file) const {
  auto table = std::make_unique<HostTable>(RefPtr<const HostFormat>(this), std::move(file));
  WEIR_TRY(table->open());
  return std::unique_ptr<TableFile>(std::move(table));
}

}  // namespace

Result<RefPtr<const TableFormat>> take_table_format(const weir_table_format* given) {
  if (!given) return invalid_argument("expected a table format, found NULL");
  weir_table_format known = WEIR_TABLE_FORMAT_INIT;
  const Status status = read_struct("weir_table_format", given, sizeof(weir_table_format), known);
  DestroyGuard guard(known.destroy, known.user_data);
  WEIR_TRY(status);
  if (known.flags != 0) return invalid_argument(expected_found("flags 0", concat(known.flags)));
  if (!known.open || !known.read || !known.close)
    return invalid_argument(expected_found("open, read and close of a weir_table_format", "NULL"));
  auto format = make_ref<const HostFormat>(known);
  guard.dismiss();
  return RefPtr<const TableFormat>(std::move(format));
}

}  // namespace weir::capi
