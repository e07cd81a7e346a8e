// from_generator(generator, spec): the elements of a source of the host. Checkpoint: what the generator
// saves, or how many elements it gave, which are then made again.
#include <memory>
#include <string>
#include <utility>

#include "core/checked.h"
#include "core/exception.h"
#include "core/text.h"
#include "expr/types/generator.h"
#include "ops/functions/apply.h"

namespace weir::from_generator_op {
namespace {

struct Params : ParamsOf<Params> {
  FunctionParam generator{FunctionParam::Takes::nothing, FunctionParam::Gives::elements};
  SpecParam spec;
  void fields(Fields& f) override {
    f("generator", generator, "The generator, passed by the program as @NAME.");
    f("spec", spec, "The structure of its elements.");
  }
};

class FromGenerator final : public Cursor {
 public:
  FromGenerator(Opening& opening, const Params& params)
      : function_(&function_of(params.generator)),
        generator_(static_cast<const GeneratorFunction&>(*function_).generator()),
        components_(opening.node->components()) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (ended_) return PullResult::end;
    if (!run_) {
      const Status opened = open(ctx);
      if (opened.code() == Code::cancelled && !run_) return PullResult::cancelled;
      if (!opened.ok()) {
        ended_ = true;
        return opened;
      }
      if (ended_) return PullResult::end;
    }
    // One that waits gives what it has.
    const int most = generator_.flags.blocking ? 1 : demand.rows;
    // Those that were lost before they were made.
    while (at_ < given_ && !ended_) {
      Result<bool> got = make(ctx);
      if (got.ok() && !*got) end();
    }
    if (made_.columns.size() != components_.size()) made_.reset(components_.size());
    made_.rows = 0;
    for (int64_t bytes = 0; made_.rows < most && bytes < demand.bytes && !ended_; ++given_) {
      if (ctx.session.cancelled.load(std::memory_order_relaxed)) break;
      Result<bool> got = make(ctx);
      if (got.ok() && !*got) {
        end();
        break;
      }
      if (!got.ok()) one_.set_error(got.status().pointer(), components_.size());
      made_.append(one_, 0, 1);
      bytes += one_.byte_size() + 1;
    }
    if (made_.rows == 0) return ended_ ? PullResult::end : PullResult::cancelled;
    std::swap(out.columns, made_.columns);
    out.rows = std::exchange(made_.rows, 0);
    out.errors.swap(made_.errors);
    made_.errors.clear();
    if (demand.drop) out.columns.clear();
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    // The element that was due, and those before it in the block.
    const int64_t lost = made_.rows + 1;
    made_.rows = 0;
    made_.errors.clear();
    ++given_;
    return lost;
  }

  void state(Archive& archive) override {
    archive("given", given_, 0, kMostCounted);
    archive("ended", ended_);
    if (!generator_.saves()) {
      if (archive.loading()) run_.reset();
      return;
    }
    bool begun = run_ != nullptr || !place_.empty();
    archive("begun", begun);
    if (archive.loading()) {
      run_.reset();
      place_.clear();
    } else if (run_) {
      Result<std::string> saved = run_->save();
      if (!saved.ok()) throw StatusException(saved.status());
      place_ = *std::move(saved);
    }
    if (begun) {
      archive("place", place_);
      archive("at", at_, 0, kMostCounted);
    }
    from_place_ = begun;
  }

 private:
  // Opens it, where it was saved if it was.
  Status open(Context& ctx) {
    if (from_place_) {
      WEIR_ASSIGN(run_, generator_.restore(place_));
      return Status();
    }
    WEIR_ASSIGN(run_, generator_.open());
    for (at_ = 0; at_ < given_;) {
      if (ctx.session.cancelled.load(std::memory_order_relaxed)) {
        run_.reset();
        return Status(Code::cancelled, "the iterator was cancelled");
      }
      Result<bool> got = make(ctx);
      if (got.ok() && !*got) {
        run_.reset();
        return data_loss(
            expected_found(concat("a generator that gives ", given_, " elements, as it did before"),
                           concat(at_ - 1), "let it save its place"));
      }
    }
    return Status();
  }

  // Makes the next element of the run; it counts even if nothing comes of it.
  Result<bool> make(Context& ctx) {
    ++at_;
    return run_->next(ctx.session, components_, one_);
  }

  void end() {
    ended_ = true;
    run_.reset();
    place_.clear();
  }

  const FunctionRef function_;
  const Generator& generator_;
  const std::vector<Component>& components_;
  std::unique_ptr<GeneratorRun> run_;
  // How many elements were given, failed ones included.
  int64_t given_ = 0;
  // How many the run was asked for.
  int64_t at_ = 0;
  bool ended_ = false;
  // What the generator saved last, and whether it is to be opened there.
  std::string place_;
  bool from_place_ = false;
  // An element, and those of the block that is being made.
  Block one_;
  Block made_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  const Spec& element = params.spec.spec;
  if (element.has_dataset()) {
    return with_parameter(
        invalid_argument(expected_found("a structure without datasets", element.to_string())), "spec");
  }
  return element;
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, FromGenerator>({
      .name = "from_generator",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Yields the elements that a generator in your program produces (`weir_generator`), until it ends. Each time the dataset is opened, so is the generator. If the generator fails, its error takes the place of an element, and the next one follows; if it cannot be opened, there is one error and nothing else. An element whose dtype or shape differs from `spec` is an error. A generator may save and restore its position. One that is declared pure is opened again for a restored iterator, and the elements already taken are passed over; for others `checkpoint_policy` says what happens.",
           .cost = "One call of the generator and one copy of each element; about 300 ns.",
           .example = "from_generator(@lines, string) | batch(2)",
           .elsewhere = "from_iter: from_generator(…)"},
      .typing = {.spec = spec_of<Params, spec>},
  });
  return def;
}

}  // namespace weir::from_generator_op
