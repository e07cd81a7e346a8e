// FileSource: what the sources that read files share: the names, compression, reading ahead or in turns, and
// a position of file, offset and record. A file that fails is one error; the next one follows.
//
//   struct Format {
//     using Params = …;        // with files, and compression and num_parallel_reads if it has them
//     using Reader = …;        // a FileReader with next_batch
//     using Rows = …;          // what next_batch fills: a RecordBatch, or a Block
//
//     static constexpr const char* reader_name;  // of op(), the internal operator
//
//     static const OperatorDef& op();
//
//     static Result<std::unique_ptr<Reader>> make(std::unique_ptr<ByteStream>, const Params&, uint64_t);
//
//     static Result<Spec> spec(const Params&);  // of a row; a string if left out
//
//     // Where the files say their structure: reads it when the dataset is built, into mutable members of the
//     // parameters that spec() gets, with the number of rows if that is known.
//     static Status learn(Runtime&, const DatasetRef& names, const Params&);
//     static int64_t cardinality(const Params&);
//
//     struct Memory;  // what it knows of files that were read, with state(); make() gets it as the last
//     argument
//
//     static constexpr int kBlockRows;  // at most so many rows at once, if not kMaxBlockRows
//
//     // In place of make(): opens a file by its name. Memory is then made of the opening and parameters, and
//     // next_batch gets the Context.
//     static Result<std::unique_ptr<Reader>> open(Context&, const std::string& file, const Params&, Memory&);
//
//     // Where its rows have positions: their Access, and OperatorAccess::refuses; and if no row of a whole
//     file
//     // fails, so that none has to be read to be passed over, whether they are at hand.
//     static constexpr bool kNeedsIndex;  // if access() reads or makes an index
//     static Result<std::unique_ptr<Access>> access(Context&, const Params&, const
//     std::vector<std::string>&); static bool seeks(Context&, const Params&, const std::vector<std::string>&
//     files); static const char* no_access(const Params&);
//   };
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/digest.h"
#include "core/text.h"
#include "dataset/access.h"
#include "dataset/ahead_cursor.h"
#include "dataset/compose.h"
#include "dataset/read_site.h"
#include "format/file_reader.h"
#include "ops/access/read_ahead.h"
#include "ops/files/read_files.h"
#include "ops/list.h"

namespace weir {

// The greatest num_parallel_reads.
inline constexpr int64_t kMaxInTurns = int64_t{1} << 20;
inline constexpr const char* kFilesDoc = "A file name, a list of names, or a dataset of names.";
// So many names are pulled at once, of which the next one may be opened ahead.
inline constexpr int kNamesAtOnce = 64;
inline constexpr int64_t kMaxBufferBytes = int64_t{1} << 30;
inline constexpr const char* kBufferDoc =
    "The size of one read of a file, in bytes; 0: what is fastest where the file lies.";
inline constexpr const char* kInTurnsDoc =
    "How many files to read at once, one record from each in turn; auto is 8.";

// The size of one read, and of the blocks that a reader fills from them; 0: not given.
template <class Params>
size_t read_bytes(const Params& params) {
  if constexpr (requires { params.buffer_size; }) return static_cast<size_t>(*params.buffer_size);
  return 0;
}
template <class Params>
size_t block_bytes(const Params& params) {
  const size_t given = read_bytes(params);
  return given == 0 ? kBlockBytes : given;
}

// What the cursor does with the rows that a reader gave.
namespace file_rows {

inline void clear(RecordBatch& batch) { batch.clear(); }
inline int count(const RecordBatch& batch) { return static_cast<int>(batch.records.size()); }
inline void move_to(RecordBatch& batch, bool drop, Block& out) {
  const int rows = count(batch);
  out.reset(drop ? 0 : 1);
  out.rows = rows;
  if (drop) return;
  std::copy_n(batch.records.data(), rows, out.columns[0].make_dense<Str>(Shape(), rows));
  auto owners = make_ref<Owners>();
  for (BufferRef& buffer : batch.owners) owners->list.push_back(std::move(buffer));
  batch.clear();
  out.columns[0].set_owners(std::move(owners));
}

inline void clear(Block& block) { block.rows = 0; }
inline int count(const Block& block) { return block.rows; }
// The consumer's spare memory is for the reader's next rows.
inline void move_to(Block& block, bool drop, Block& out) {
  if (drop) {
    out.reset(0);
  } else {
    out.swap_columns(block);
  }
  out.rows = block.rows;
  out.errors.swap(block.errors);
  block.rows = 0;
  block.errors.clear();
}

}  // namespace file_rows

// Format::Memory, or nothing.
template <class Format>
struct FileMemory {
  void state(Archive&) {}
};
template <class Format>
requires requires { typename Format::Memory; }
struct FileMemory<Format> : Format::Memory {};

// The reader itself, which may block.
template <class Format>
class FileCursor final : public Cursor {
  using Params = typename Format::Params;
  static constexpr bool kOpensByName = requires { &Format::open; };

 public:
  FileCursor(Opening& opening, const Params& params)
      : site_(opening),
        files_(opening, params.files.index, Port::Mode::keep),
        params_(params),
        names_at_once_(opening.node->inputs()[static_cast<size_t>(params.files.index)]->deepest_lane() ==
                               Lane::compute
                           ? kNamesAtOnce
                           : 1),
        block_bytes_(static_cast<size_t>(std::max(opening.ctx.ahead_bytes, kLeastAheadBytes))),
        memory_(make_memory(opening, params)) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    for (;;) {
      file_rows::clear(batch_);
      if constexpr (!kOpensByName) ask_for_next(ctx);
      if (!reader_) {
        Step opened = open_next(ctx);
        if (opened.error() || opened.answer() != PullResult::rows) return opened;
        if (!reader_) return give_listed();
      }
      const auto first = static_cast<int64_t>(reader_->position().record);
      if (first >= fails_at_) return give_listed();
      const int64_t rows = std::min<int64_t>(demand.rows, fails_at_ - first);
      Status status = read(ctx, static_cast<size_t>(rows), static_cast<size_t>(demand.bytes));
      if (file_rows::count(batch_) > 0) {
        file_rows::move_to(batch_, demand.drop, out);
        if constexpr (requires { reader_->add_origins(source_, out.origins); }) {
          reader_->add_origins(source_, out.origins);
        } else {
          out.origins.add(0, Origin(source_, first));
        }
        return PullResult::rows;
      }
      // Destroy does not wait for the read, so nothing below may be called any more.
      if (ctx.session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
      bool goes_on = false;
      if constexpr (requires { reader_->goes_on(); }) goes_on = reader_->goes_on();
      if (!status.ok())
        status = goes_on ? failed_at(status, read_number(), first) : ended_at(status, read_number(), first);
      if constexpr (requires { reader_->skips_damaged_file(); }) {
        if (reader_->skips_damaged_file() && status.code() == Code::data_loss &&
            !status.error().read_failed) {
          warn(ctx, status);
          status = Status();
        }
        if (status.ok() || !goes_on) close_file();
      } else {
        close_file();
      }
      if (!status.ok()) return status;
    }
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    // The records that were being given, else the file.
    if (const int records = file_rows::count(batch_); records > 0) {
      file_rows::clear(batch_);
      return records;
    }
    if (files_.buffered() > 0) close_file();
    return 1;
  }

  void state(Archive& archive) override {
    if (reader_) position_ = reader_->position();
    files_.state(archive);
    archive("open", open_);
    archive("offset", position_.offset);
    archive("record", position_.record);
    if (archive.loading()) file_ = {};
    if (archive.loading() ? archive.next_is("bytes") : open_ && file_.bytes >= 0) {
      archive("bytes", file_.bytes, 0, INT64_MAX);
      archive("named", file_.named);
    }
    memory_.state(archive);
    if (!archive.loading()) return;
    reader_.reset();
    next_ = {};
  }

  Step resume(Context& ctx) override {
    if (!open_) return PullResult::rows;
    const KnownFile saved = file_;
    Step opened = open_next(ctx);
    if (opened.error() || opened.answer() != PullResult::rows || !reader_) return opened;
    WEIR_TRY(check_copy(saved));
    WEIR_TRY(reader_->seek(position_));
    return PullResult::rows;
  }

 private:
  // What tells whether a file elsewhere is a copy.
  struct KnownFile {
    // Negative: not known.
    int64_t bytes = -1;
    // The hash of its whole name.
    uint64_t named = 0;
  };

  // A file may grow, but its copy is as long as it was.
  Status check_copy(const KnownFile& saved) const {
    if (saved.bytes < 0 || file_.bytes < 0 || saved.named == file_.named || saved.bytes == file_.bytes)
      return Status();
    return file_error(
        Code::failed_precondition,
        expected_found(concat("a copy of the file that the position is in, of ", saved.bytes, " bytes"),
                       concat("a file of ", file_.bytes), "restore the position over the same files"),
        file_name());
  }

  static FileMemory<Format> make_memory(Opening& opening, const Params& params) {
    if constexpr (kOpensByName) {
      return {{opening, params}};
    } else {
      return {};
    }
  }
  Status read(Context& ctx, size_t rows, size_t bytes) {
    if constexpr (kOpensByName) {
      return reader_->next_batch(ctx, rows, bytes, batch_);
    } else {
      return reader_->next_batch(rows, bytes, batch_);
    }
  }

  // A line that there is no memory for is left out.
  static void warn(Context& ctx, const Status& status) noexcept try {
    Logger* logger = ctx.runtime().logger;
    if (logger)
      logger->log(Logger::Level::warning, concat("rest of file skipped: ", status.error().describe()));
  } catch (...) {
  }

  // Opens the file whose name comes next, unless it could not be read from here on before.
  Step open_next(Context& ctx) {
    PullResult got = files_.fill(ctx, {.rows = names_at_once_});
    if (got != PullResult::rows) return got;
    if (const ErrorPtr* error = files_.block().error_of(files_.begin())) {
      ErrorPtr copy = *error;
      close_file();
      return copy;
    }
    listed_ = ctx.session.failed_reads().empty() ? nullptr : ctx.session.failed_reads().find(read_number());
    fails_at_ = listed_ ? std::max<int64_t>(0, listed_->record) : INT64_MAX;
    if (static_cast<int64_t>(position_.record) >= fails_at_) {
      open_ = true;
      return PullResult::rows;
    }
    WEIR_TRY(open_file(ctx));
    return PullResult::rows;
  }

  std::string file_name() const { return file_name(files_.begin()); }
  std::string file_name(int row) const {
    const Tensor name = files_.block().columns[0].row(row);
    return std::string(name.as<const Str>()->view());
  }
  uint64_t read_number() const { return site_.read(file_name(), files_.position()); }

  Step give_listed() {
    const ErrorPtr error = std::move(listed_);
    close_file();
    return error;
  }

  Status open_file(Context& ctx) {
    const std::string file = file_name();
    Result<Compression> compression = Compression::none;
    if constexpr (requires { params_.compression; }) compression = parse_compression(*params_.compression);
    auto fail = [&](const Status& status) {
      const Status failed = ended_at(status, read_number());
      close_file();
      return failed;
    };
    if (!compression.ok()) return fail(compression.status());
    auto reader = open_reader(ctx, file, *compression);
    if (!reader.ok()) return fail(reader.status());
    reader_ = *std::move(reader);
    if constexpr (requires { reader_->read_less(block_bytes_); }) {
      if (read_bytes(params_) == 0) reader_->read_less(block_bytes_);
    }
    if constexpr (requires { reader_->stop_when(ctx.session.cancelled); })
      reader_->stop_when(ctx.session.cancelled);
    source_ = ctx.runtime().origins ? ctx.session.source_names().number(file) : 0;
    open_ = true;
    return Status();
  }

  Result<std::unique_ptr<typename Format::Reader>> open_reader(Context& ctx, const std::string& file,
                                                               Compression compression) {
    if constexpr (kOpensByName) {
      return Format::open(ctx, file, params_, memory_);
    } else {
      if (next_) {
        stored_ = std::move(next_);
      } else {
        WEIR_ASSIGN(stored_, ctx.session.files().open(file));
      }
      looked_ahead_ = false;
      WEIR_ASSIGN(auto stream, open_stream(stored_, compression, read_bytes(params_)));
      const Result<int64_t> bytes = stream->size();
      file_ = {bytes.ok() ? *bytes : -1, hash_of(file)};
      return make_reader(std::move(stream), static_cast<uint64_t>(ctx.runtime().limits.record_bytes));
    }
  }

  // Once all of a remote file has been asked for, opens the next one and asks for its beginning, so that the
  // connections do not wait for this one's end. What cannot be opened is opened again when it is due, and
  // says why.
  void ask_for_next(Context& ctx) {
    if (!reader_ || looked_ahead_ || files_.buffered() < 2) return;
    const uint64_t ahead = stored_->ahead_to_end();
    if (ahead == 0) return;
    looked_ahead_ = true;
    const int row = files_.begin() + 1;
    if (files_.block().error_of(row)) return;
    Result<RefPtr<RandomAccessFile>> opened = ctx.session.files().open(file_name(row));
    if (!opened.ok()) return;
    next_ = *std::move(opened);
    next_->ask_ahead(ahead);
  }

  Result<std::unique_ptr<typename Format::Reader>> make_reader(std::unique_ptr<ByteStream> stream,
                                                               uint64_t limit) {
    if constexpr (requires { typename Format::Memory; }) {
      return Format::make(std::move(stream), params_, limit, memory_);
    } else {
      return Format::make(std::move(stream), params_, limit);
    }
  }

  // The file's name is used up: what follows comes from the next one.
  void close_file() {
    // One that was not opened was the next one.
    if (!reader_) next_ = {};
    reader_.reset();
    stored_ = {};
    open_ = false;
    file_ = {};
    position_ = {};
    listed_ = nullptr;
    fails_at_ = INT64_MAX;
    files_.take(1);
    files_.consume_all();
  }

  const ReadSite site_;
  Port files_;
  const Params params_;
  // One where more names may have to be waited for.
  const int names_at_once_;
  const size_t block_bytes_;
  // The reader's.
  FileMemory<Format> memory_;
  std::unique_ptr<typename Format::Reader> reader_;
  // The file that it reads, and the one after it, if that has been opened, or could not be.
  RefPtr<RandomAccessFile> stored_;
  RefPtr<RandomAccessFile> next_;
  bool looked_ahead_ = false;
  // The open file's number among the session's names.
  uint32_t source_ = 0;
  typename Format::Rows batch_;
  // Whether the file at the head of files_ has been begun, and where its next record lies.
  bool open_ = false;
  KnownFile file_;
  RecordPosition position_;
  // Null, or the error with which it could not be read before, after that many records.
  ErrorPtr listed_;
  int64_t fails_at_ = INT64_MAX;
};

// Records by their positions. Those that could not be read before fail again.
class FileAccess final : public Access {
 public:
  FileAccess(const Opening& opening, std::unique_ptr<Access> records)
      : site_(opening), records_(std::move(records)) {}

  AccessCount count() const override { return records_->count(); }
  bool foresee(std::span<const int64_t> positions, int64_t time, ReadPlan& plan) override {
    return records_->foresee(positions, time, plan);
  }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    records_->read(ctx, positions, out);
    site_.answer_again(ctx.session.failed_reads(), positions, out);
  }

 private:
  const ReadSite site_;
  const std::unique_ptr<Access> records_;
};

template <class Format>
class FileSource {
  using Params = typename Format::Params;

 public:
  // The rest of an OperatorDef of such a source, whose name, doc and fields the format gives.
  static OperatorDef define_with(OperatorDef def) {
    def.kind = OperatorKind::source;
    def.typing.spec = [](const ParamsBase& params, std::span<const DatasetRef> inputs) -> Result<Spec> {
      if constexpr (kSaysStructure) {
        if (inputs.size() > 1) return inputs.back()->spec();
      }
      return spec(static_cast<const Params&>(params), inputs);
    };
    def.typing.expand = expand;
    def.ahead.is_window = [](const ParamsBase& base) { return !in_turns(static_cast<const Params&>(base)); };
    def.ahead.limits = ahead;
    if constexpr (kSaysStructure) {
      def.typing.expands_first = true;
      def.typing.cardinality = [](const ParamsBase&, std::span<const DatasetRef> inputs) {
        return inputs.back()->cardinality();
      };
    }
    if constexpr (kHasPositions) {
      def.access.open = [](Opening& opening, const ParamsBase& params) -> Result<std::unique_ptr<Access>> {
        WEIR_ASSIGN(DatasetRef reader, expansion(opening, params));
        return open_access(opening.ctx, opening.inner(std::move(reader)));
      };
      def.access.refuses = no_access;
      def.access.by_index = requires { Format::kNeedsIndex; };
      if constexpr (kSeeks) {
        def.access.seeks = [](Opening& opening, const ParamsBase& params) {
          auto reader = expansion(opening, params);
          return reader.ok() && weir::seeks(opening.ctx, opening.inner(*std::move(reader)));
        };
      }
    }
    return define<Params, FileSource>(std::move(def));
  }

  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef reader, expansion(opening, params));
    if (in_turns(params))
      return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, std::move(reader)));
    MakeWindow window{read_ahead(opening.ctx, reader->lane(), kBlockRows)};
    return std::unique_ptr<Cursor>(
        std::make_unique<WindowCursor>(opening, std::move(reader), std::move(window)));
  }

 private:
  static constexpr bool kHasPositions = requires { &Format::access; };
  static constexpr bool kSeeks = requires { &Format::seeks; };
  static constexpr bool kSaysStructure = requires { &Format::learn; };
  static constexpr bool kReadsInTurns = requires(const Params& params) { params.num_parallel_reads; };

  static bool in_turns(const Params& params) { return reads_at_once(params).value_or(0) != 1; }
  static IntParam reads_at_once(const Params& params) {
    if constexpr (kReadsInTurns) return params.num_parallel_reads;
    return 1;
  }
  static constexpr int kBlockRows = [] {
    if constexpr (requires { Format::kBlockRows; }) return Format::kBlockRows;
    return kMaxBlockRows;
  }();

  // One file after the other is read ahead, or as many as are read in turns.
  static std::optional<RunsAhead> ahead(const ParamsBase& base, std::span<const DatasetRef> inputs) {
    const auto& params = static_cast<const Params&>(base);
    const WindowOptions window = most_read_ahead(inputs.back()->lane(), kBlockRows);
    const int64_t files = reads_at_once(params).value_or(InterleaveParams::kAutoCycle);
    return RunsAhead{.rows = window.max_rows,
                     .bytes = window.max_bytes,
                     .windows = in_turns(params) ? files : 1,
                     .lane = Lane::blocking};
  }

  static Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
    const Spec& names = inputs[static_cast<size_t>(params.files.index)]->spec();
    if (!names.is_scalar(DType::string)) {
      return invalid_argument(expected_found("the names of files, which are strings", names.to_string()));
    }
    if constexpr (requires { params.compression; }) {
      if (params.compression.is_constant()) WEIR_TRY(parse_compression(*params.compression).status());
    }
    if constexpr (requires { Format::spec(params); }) {
      return Format::spec(params);
    } else {
      return Spec::tensor(DType::string);
    }
  }

  static const OperatorDef& reader_operator() {
    static const OperatorDef def = [] {
      OperatorDef reader{
          .name = Format::reader_name,
          .kind = OperatorKind::source,
          .internal = true,
          .typing = {.spec = spec_of<Params, spec>},
          .ahead = {.lane = Lane::blocking},
      };
      if constexpr (kSaysStructure) {
        reader.typing.cardinality = [](const ParamsBase& params, std::span<const DatasetRef>) {
          return Format::cardinality(static_cast<const Params&>(params));
        };
      }
      if constexpr (kHasPositions) {
        reader.access.open = [](Opening& opening,
                                const ParamsBase& params) -> Result<std::unique_ptr<Access>> {
          WEIR_ASSIGN(const std::vector<std::string> names, all_names(opening));
          WEIR_ASSIGN(std::unique_ptr<Access> records,
                      Format::access(opening.ctx, static_cast<const Params&>(params), names));
          return std::unique_ptr<Access>(std::make_unique<FileAccess>(opening, std::move(records)));
        };
        reader.access.refuses = no_access;
        if constexpr (kSeeks) {
          reader.access.seeks = [](Opening& opening, const ParamsBase& params) {
            const auto names = all_names(opening);
            return names.ok() && Format::seeks(opening.ctx, static_cast<const Params&>(params), *names);
          };
        }
      }
      return define<Params, FileCursor<Format>>(std::move(reader));
    }();
    return def;
  }

  static const char* no_access(const ParamsBase& base) {
    const auto& params = static_cast<const Params&>(base);
    if (in_turns(params)) return "num_parallel_reads: 1";
    if constexpr (kHasPositions) return Format::no_access(params);
    return nullptr;
  }

  // The names of the files, which are far fewer than their records.
  static Result<std::vector<std::string>> all_names(Opening& opening) {
    WEIR_ASSIGN(const std::unique_ptr<Access> names, open_access_whole(opening.ctx, opening.input(0)));
    const int64_t count = names->count().positions;
    if (names->count().more) {
      return invalid_argument(expected_found("as many files as there are", "file names without end"));
    }
    std::vector<std::string> out;
    std::vector<int64_t> positions;
    Block block;
    for (int64_t at = 0; at < count; at += block.rows) {
      positions.clear();
      while (static_cast<int64_t>(positions.size()) < std::min<int64_t>(kMaxBlockRows, count - at))
        positions.push_back(at + static_cast<int64_t>(positions.size()));
      block.errors.clear();
      names->read(opening.ctx, positions, block);
      if (!block.errors.empty()) return Status(block.errors[0].error);
      for (int row = 0; row < block.rows; ++row)
        out.emplace_back(block.columns[0].row(row).template as<const Str>()->view());
    }
    return out;
  }

  static Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef> inputs,
                                   const BuildSite& site) {
    const auto& params = static_cast<const Params&>(base);
    DatasetRef names = inputs[static_cast<size_t>(params.files.index)];
    if constexpr (kSaysStructure) WEIR_TRY(Format::learn(*site.runtime, names, params));
    auto reader = std::make_unique<Params>(params);
    reader->files.index = 0;
    if constexpr (kReadsInTurns) reader->num_parallel_reads = 1;
    if (!in_turns(params))
      return Dataset::build(reader_operator(), std::move(reader), {std::move(names)}, site);
    return interleave_files(std::move(names), reads_at_once(params), Format::op(), std::move(reader), site);
  }
};

}  // namespace weir
