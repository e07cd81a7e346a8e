// save(path, compression, num_shards): writes all elements of the input to a folder, from which load reads
// them. Gives nothing but the errors of the input. Checkpoint: the errors given so far; a restored save
// begins again.
#include "core/checked.h"
#include "core/exception.h"
#include "core/text.h"
#include "dataset/compose.h"
#include "ops/files/blocking_lane.h"
#include "ops/files/pipeline_digest.h"
#include "ops/files/written.h"

namespace weir::save_op {
namespace {

struct Params : ParamsOf<Params> {
  StringParam path;
  StringParam compression{std::string()};
  IntParam num_shards{1};
  void fields(Fields& f) override {
    f("path", path, "The folder with the written elements.");
    f("compression", compression, kWrittenCompressionDoc);
    f("num_shards", num_shards,
      "The number of files to divide the elements among; each gets 1 MiB or more in turn.",
      {1, kMaxWrittenShards});
  }
};

class Saver final : public Cursor {
 public:
  Saver(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::whole),
        here_{.folder = trimmed_folder(*params.path),
              .spec = opening.input(0).node->spec(),
              .pipeline = {},
              .shards = *params.num_shards},
        compression_(*params.compression) {
    // Without one, no pipeline counts as that of the elements.
    if (auto digest = digest_of_instance(opening.ctx.session, opening.input(0)); digest.ok())
      here_.pipeline = *std::move(digest);
  }

  Step next(Context& ctx, const Demand&, Block&) override {
    Demand demand;
    demand.rows = kMaxBlockRows;
    while (!done_) {
      if (!writer_) WEIR_TRY(attempt([&] { return begin(ctx); }));
      const PullResult got = input_.fill(ctx, demand);
      if (got == PullResult::end) {
        // A consumer that has stopped at an error asks for nothing more, and then nothing is replaced.
        if (!ctx.asked()) return PullResult::pending;
        WEIR_TRY(attempt([&] { return writer_->publish(); }));
        end();
        break;
      }
      if (got != PullResult::rows) return got;
      if (!added_) WEIR_TRY(attempt([&] { return writer_->add(input_.block()); }));
      added_ = true;
      ErrorPtr error = next_error();
      if (!error) continue;
      // An element without memory would be missing for ever.
      if (ran_out_of_memory(*error)) end();
      if (++given_ > skipped_) return error;
    }
    return PullResult::end;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    end();
    return 1;
  }

  void state(Archive& archive) override {
    archive("done", done_);
    archive("errors", given_, 0, kMostCounted);
    input_.state(archive);
    if (!archive.loading()) return;
    skipped_ = std::exchange(given_, 0);
  }

 private:
  Status begin(Context& ctx) {
    WEIR_TRY(check_folder_name(here_.folder));
    WEIR_ASSIGN(here_.compression, parse_written_compression(compression_));
    WEIR_ASSIGN(writer_, begin_written(ctx.runtime(), here_));
    if (writer_) return {};
    return Status(Code::unavailable, {concat("another writer is writing to ", quote(here_.folder)),
                                      "wait until it has ended, or name another folder"});
  }

  // A failure to write is the last thing that it gives.
  template <class F>
  Status attempt(F&& step) noexcept {
    Status status;
    try {
      status = step();
    } catch (...) {
      status = Status(error_of_exception());
    }
    if (!status.ok()) end();
    return status;
  }

  void end() noexcept {
    done_ = true;
    writer_ = nullptr;
  }

  // Steps up to and over the next error of the block; null at its end.
  ErrorPtr next_error() {
    const Block& block = input_.block();
    for (const RowError& error : block.errors) {
      if (error.row < input_.begin()) continue;
      ErrorPtr copy = error.error;
      input_.take(error.row + 1 - input_.begin());
      added_ = input_.buffered() > 0;
      return copy;
    }
    input_.take(input_.buffered());
    added_ = false;
    return nullptr;
  }

  Port input_;
  Written here_;
  const std::string compression_;
  std::unique_ptr<WrittenWriter> writer_;
  // The rows in the Port's block are in the writer.
  bool added_ = false;
  bool done_ = false;
  int64_t given_ = 0;
  // Errors that were given before the position was saved.
  int64_t skipped_ = 0;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  WEIR_TRY(check_writable(inputs[0]->spec()));
  if (params.compression.is_constant()) WEIR_TRY(parse_written_compression(*params.compression).status());
  if (params.path.is_constant()) WEIR_TRY(check_folder_name(*params.path));
  return Spec::tuple({});
}
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return 0; }

const OperatorDef& saver_operator() {
  static const OperatorDef def = define<Params, Saver>({
      .name = "saver",
      .kind = OperatorKind::terminal,
      .internal = true,
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{0, kUnknown, true};
                       }},
      .ahead = {.lane = Lane::blocking},
  });
  return def;
}

// Runs a Saver. One that has ended is not run again when its position is restored.
class Save final : public AheadOfConsumer {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef saver, expansion(opening, params));
    return std::unique_ptr<Cursor>(std::make_unique<Save>(open_on_blocking_lane(opening, std::move(saver))));
  }
  explicit Save(std::unique_ptr<Cursor> saver) : saver_(std::move(saver)) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (done_) return PullResult::end;
    Step step = saver_->next(ctx, demand, out);
    if (step.error()) return step;
    done_ = step.answer() == PullResult::end;
    // It gives up where memory runs out, and might not the next time.
    for (const RowError& error : out.errors)
      done_ = done_ || (step.answer() == PullResult::rows && ran_out_of_memory(*error.error));
    return step;
  }
  int64_t lose(const ErrorPtr&) noexcept override {
    done_ = true;
    return 1;
  }
  void warm_start() noexcept override { ahead().warm_start(); }
  void state(Archive& archive) override {
    archive("done", done_);
    if (!done_) saver_->state(archive);
  }
  void hold(Holding& holding, HeldRows& rows) override {
    if (!done_) ahead().hold(holding, rows);
  }
  Step resume(Context& ctx) override { return done_ ? Step(PullResult::rows) : saver_->resume(ctx); }

 private:
  AheadOfConsumer& ahead() { return static_cast<AheadOfConsumer&>(*saver_); }

  // open_on_blocking_lane() made it.
  std::unique_ptr<Cursor> saver_;
  bool done_ = false;
};

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef> inputs, const BuildSite& site) {
  return Dataset::build(saver_operator(), base.clone(), {inputs[0]}, site);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Save>({
      .name = "save",
      .kind = OperatorKind::terminal,
      .page =
          {.doc =
               "Writes all elements to the folder `path`, for `load` to read, and yields none. Elements already there are replaced once all new ones are written; until then, and if writing fails, the folder stays as it was. Errors of the input are passed on and not written; if the consumer stops at one, nothing is replaced. In a lambda, and as a method in Python, `save` has the result `()`, and stops at the first error, which is its result then: put `ignore_errors()` before it to write the elements that didn't fail. If another writer is writing to the folder, there is one error (unavailable) and nothing is written.",
           .cost = "A copy and a checksum per byte.",
           .example = R"(from_tensors("build/examples/saved") | map(path -> range(3) | save(path)))",
           .output = "()",
           .bench = R"(range(200000) | save("SCRATCH/saved"))"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .expand = expand},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{0, kUnknown, true};
                       }},
      .ahead = {.is_window = [](const ParamsBase&) { return true; }, .limits = ahead_on_blocking_lane},
  });
  return def;
}

}  // namespace weir::save_op
