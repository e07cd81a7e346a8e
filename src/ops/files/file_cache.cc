// Checkpoint: whether it reads, and the position of what it reads or of the input.
#include "ops/files/file_cache.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

#include "core/exception.h"
#include "core/text.h"
#include "dataset/openings.h"
#include "dataset/port.h"
#include "ops/files/blocking_lane.h"
#include "ops/files/cache_warning.h"
#include "ops/files/pipeline_digest.h"
#include "ops/files/written_rows.h"

namespace weir {

namespace {

struct Params : ParamsOf<Params> {
  std::string folder;
  Compression compression = Compression::none;
  void fields(Fields&) override {}
};

// Those of another pipeline.
constexpr uint64_t kOthers = UINT64_MAX;

// Tells written elements from others of the folder; 0: there are none.
uint64_t number_of(const std::optional<WrittenManifest>& found) {
  constexpr size_t kDigits = 15;
  uint64_t number = 0;
  if (!found) return number;
  std::from_chars(found->run.data(), found->run.data() + std::min(found->run.size(), kDigits), number, 16);
  return number + 1;
}

class FileCache final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    Written here{.folder = params.folder,
                 .spec = opening.node->spec(),
                 .pipeline = {},
                 .compression = params.compression};
    WEIR_ASSIGN(here.pipeline, digest_of_instance(opening.ctx.session, opening.input(0)));
    WEIR_ASSIGN(std::optional<WrittenManifest> found, find_written(opening.ctx.runtime(), here.folder));
    const Status same = found ? check_same(*found, here) : Status();
    const uint64_t now = same.ok() ? number_of(found) : kOthers;
    const uint64_t before = list_written(opening.ctx, now);
    if (before != 0 && before != now) {
      const Status lost = same.ok() ? other_elements(here.folder) : same;
      return Status(as_lost_position(lost.pointer()));
    }
    if (before == kOthers) return same;
    // A pass that found no elements continues with its input: the folder has no errors.
    const bool passes = before != now;
    if (passes) found.reset();
    return std::unique_ptr<Cursor>(
        std::make_unique<FileCache>(opening, std::move(here), std::move(found), passes));
  }
  FileCache(Opening& opening, Written here, std::optional<WrittenManifest> found, bool passes)
      : below_(opening.input(0)),
        here_(std::move(here)),
        caches_(&opening.ctx.session.memo().caches()),
        number_(uint64_t{1} << 63 | std::hash<std::string>()(here_.folder)) {
    if (found) {
      written_.emplace(below_, here_.folder, here_.spec, *std::move(found));
      mode_ = Mode::reads;
      return;
    }
    if (passes) mode_ = Mode::passes;
    // At once, so that what opens this cursor lists the written elements that are found below.
    input_.emplace(opening.ctx, below_, Port::Mode::pass);
  }

  ~FileCache() override {
    if (writer_ && begun_) caches_->stopped_early(number_);
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (mode_ == Mode::reads) return written_->next(ctx, demand, out);
    if (mode_ == Mode::writes && !writer_) begin(ctx);
    if (failure_) return std::exchange(failure_, nullptr);
    Demand values = demand.at_most(kMaxBlockRows);
    // Those that nobody wants are written all the same.
    values.drop = demand.drop && !writer_;
    if (!input_) input_.emplace(ctx, below_, Port::Mode::pass, Port::Opens::at_first_pull);
    const PullResult got = input_->pull(ctx, values, out);
    if (got == PullResult::rows) {
      begun_ = true;
      if (writer_) write(out);
    }
    if (got == PullResult::end && writer_) {
      // Elements that are only read ahead don't make a pass whole.
      if (!ctx.asked()) return PullResult::pending;
      publish();
    }
    // The end comes after the error.
    if (got == PullResult::end && failure_) return std::exchange(failure_, nullptr);
    return got;
  }

  int64_t lose(const ErrorPtr&) noexcept override { return mode_ == Mode::reads ? written_->lose() : 1; }

  void state(Archive& archive) override {
    bool reads = mode_ == Mode::reads;
    archive("reads", reads);
    archive("begun", begun_);
    if (reads) {
      // Those of the position are gone; resuming says so.
      if (!written_) written_.emplace(below_, here_.folder, here_.spec, WrittenManifest());
      written_->state(archive);
    } else {
      Archive input(archive.holding());
      if (input_) input_->state(input);
      if (!archive.loading()) input_state_ = input.take();
      archive("input", input_state_);
    }
    if (!archive.loading()) return;
    input_.reset();
    // What came before is not there to be written.
    mode_ = reads ? Mode::reads : begun_ ? Mode::passes : Mode::writes;
  }

  Step resume(Context& ctx) override {
    if (mode_ == Mode::reads) WEIR_TRY(written_->resume());
    if (mode_ == Mode::reads || input_state_.empty()) return PullResult::rows;
    WEIR_ASSIGN(Port input, Port::open_at(ctx, below_, Port::Mode::pass, input_state_));
    input_ = std::move(input);
    input_state_.clear();
    return PullResult::rows;
  }

 private:
  enum class Mode : uint8_t { writes, reads, passes };

  // Begins to write, if nobody else does and nobody has done so since the cursor was opened.
  void begin(Context& ctx) noexcept {
    mode_ = Mode::passes;
    attempt([&]() -> Status {
      WEIR_ASSIGN(std::unique_ptr<WrittenWriter> writer, begin_written(ctx.runtime(), here_));
      if (!writer) return {};
      warn_if_stopped(ctx, number_, concat("cache in ", here_.folder));
      WEIR_ASSIGN(const std::optional<WrittenManifest> now, find_written(ctx.runtime(), here_.folder));
      if (now) return {};
      writer_ = std::move(writer);
      mode_ = Mode::writes;
      return {};
    });
  }

  void write(const Block& out) noexcept {
    // An element without memory would be missing for ever.
    for (const RowError& error : out.errors) {
      if (ran_out_of_memory(*error.error)) return give_up(nullptr);
    }
    attempt([&] { return writer_->add(out); });
  }

  void publish() noexcept {
    attempt([&] { return writer_->publish(); });
    writer_ = nullptr;
    mode_ = Mode::passes;
  }

  // The elements go on whatever happens to the files.
  template <class F>
  void attempt(F&& step) noexcept {
    try {
      if (const Status status = step(); !status.ok()) give_up(status.pointer());
    } catch (...) {
      give_up(error_of_exception());
    }
  }

  void give_up(ErrorPtr error) noexcept {
    writer_ = nullptr;
    mode_ = Mode::passes;
    failure_ = std::move(error);
  }

  const Instance below_;
  // Opened at once where nothing was found, or by resume().
  std::optional<Port> input_;
  // Its position, until resume() has opened it.
  std::string input_state_;
  const Written here_;
  const RefPtr<CacheStore> caches_;
  // Tells it from other caches.
  const uint64_t number_;
  // What was in the folder when the cursor was opened.
  std::optional<WrittenRows> written_;
  Mode mode_ = Mode::writes;
  // Rows were passed on.
  bool begun_ = false;
  std::unique_ptr<WrittenWriter> writer_;
  // Writing failed; the error is yet to be given.
  ErrorPtr failure_;
};

const OperatorDef& file_cache_operator() {
  static const OperatorDef def = define<Params, FileCache>({
      .name = "written",
      .internal = true,
      .typing = {.cardinality = same_cardinality},
      .position = {.epochs = [](const ParamsBase&) -> int64_t { return -1; },
                   .keeps_rows = true,
                   .finds_written = always},
      .ahead = {.lane = Lane::blocking},
  });
  return def;
}

}  // namespace

Result<DatasetRef> build_file_cache(DatasetRef input, FileCacheOptions options, const BuildSite& site) {
  WEIR_TRY(check_writable(input->spec()));
  WEIR_TRY(check_folder_name(options.folder));
  auto params = std::make_unique<Params>();
  params->folder = trimmed_folder(options.folder);
  WEIR_ASSIGN(params->compression, parse_compression(options.compression));
  if (params->compression == Compression::automatic) params->compression = Compression::none;
  return Dataset::build(file_cache_operator(), std::move(params), {std::move(input)}, site);
}

std::unique_ptr<Cursor> open_file_cache(Opening& opening, DatasetRef built) {
  return open_on_blocking_lane(opening, std::move(built), kWrittenBlockRows);
}

}  // namespace weir
