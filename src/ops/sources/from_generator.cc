// from_generator(generator, spec, arguments): the elements of a source of the host. Checkpoint: what the
// generator saves, or how many elements it gave; it is opened behind them, or makes them again.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/checked.h"
#include "core/exception.h"
#include "core/text.h"
#include "dataset/access.h"
#include "dataset/read_site.h"
#include "expr/types/generator.h"
#include "ops/functions/apply.h"

namespace weir::from_generator_op {
namespace {

struct Params : ParamsOf<Params> {
  FunctionParam generator{FunctionParam::Takes::nothing, FunctionParam::Gives::elements};
  SpecParam spec;
  ValueParam arguments;
  // How many elements there are, -1 if unknown; found when the structure is.
  mutable std::optional<int64_t> count;
  void fields(Fields& f) override {
    f("generator", generator, "The generator, passed by the program as @NAME.");
    f("spec", spec, "The structure of its elements.", {}, {.none = true});
    f("arguments", arguments, "A dict of its arguments, if it has a signature. NAME(a, b: c) means the same.",
      {}, {.none = true});
  }
};

const Generator& generator_of(const Params& params) {
  return static_cast<const GeneratorFunction&>(function_of(params.generator)).generator();
}

Result<int64_t> count_of(const Params& params) {
  if (params.arguments.expression) return -1;
  if (params.count) return *params.count;
  return generator_of(params).count(params.arguments.values);
}

class FromGenerator final : public Cursor {
 public:
  FromGenerator(Opening& opening, const Params& params)
      : function_(&function_of(params.generator)),
        generator_(generator_of(params)),
        arguments_(params.arguments.values),
        count_(count_of(params)),
        components_(opening.node->components()),
        site_(opening) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (ended_) return PullResult::end;
    if (!run_) {
      if (const ErrorPtr listed = ctx.session.failed_reads().find(site_.read({}, 0))) {
        ended_ = true;
        return listed;
      }
      const Status opened = open(ctx);
      if (opened.code() == Code::cancelled && !run_) return PullResult::cancelled;
      if (!opened.ok()) {
        ended_ = true;
        return failed_to_open(opened);
      }
      if (ended_) return PullResult::end;
    }
    // One that waits gives what it has.
    const int most = generator_.flags.blocking ? 1 : demand.rows;
    // Those that were lost before they were made.
    while (at_ < given_ && !ended_) {
      Result<bool> got = make(ctx, 1);
      if (got.ok() && !*got) end();
    }
    if (made_.columns.size() != components_.size()) made_.reset(components_.size());
    made_.rows = 0;
    for (int64_t bytes = 0; made_.rows < most && bytes < demand.bytes && !ended_;) {
      if (ctx.session.cancelled.load(std::memory_order_relaxed)) break;
      Result<bool> got = make(ctx, most - made_.rows);
      if (got.ok() && !*got) {
        if (given_ < counted()) give_wrong_count(concat(given_));
        end();
        break;
      }
      if (!got.ok()) one_.set_error(got.status().pointer(), components_.size());
      bytes += one_.byte_size() + 1;
      const int64_t due = counted() - given_;
      const bool too_many = counted() >= 0 && one_.rows > due;
      const int given = too_many ? static_cast<int>(std::max<int64_t>(0, due)) : one_.rows;
      if (made_.rows == 0 && given > 1 && !too_many) {
        std::swap(made_, one_);
      } else {
        made_.append(one_, 0, given);
      }
      given_ += given;
      if (too_many) {
        give_wrong_count("more");
        end();
      }
    }
    if (made_.rows == 0) return ended_ ? PullResult::end : PullResult::cancelled;
    out.swap_columns(made_);
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
    WEIR_ASSIGN(const int64_t count, count_);
    at_ = count >= 0 ? std::min(count, given_) : 0;
    WEIR_ASSIGN(run_, generator_.open(arguments_, at_));
    while (at_ < given_) {
      if (ctx.session.cancelled.load(std::memory_order_relaxed)) {
        run_.reset();
        return Status(Code::cancelled, "the iterator was cancelled");
      }
      Result<bool> got = make(ctx, static_cast<int>(std::min<int64_t>(given_ - at_, kMaxBlockRows)));
      if (got.ok() && !*got) {
        run_.reset();
        return data_loss(
            expected_found(concat("a generator that gives ", given_, " elements, as it did before"),
                           concat(at_ - 1), "let it save its place"));
      }
    }
    return Status();
  }

  // As a file that cannot be opened: the next time it may begin, and then its elements count again.
  ErrorPtr failed_to_open(const Status& status) const {
    Error error = status.error();
    error.read_failed = true;
    return failed_at(Status(std::move(error)), site_.read({}, 0)).pointer();
  }

  // Makes the next element of the run, or up to so many; one counts even if nothing comes of it.
  Result<bool> make(Context& ctx, int most) {
    ++at_;
    Result<bool> got = run_->next(ctx.session, components_, most, one_);
    if (got.ok() && *got) at_ += one_.rows - 1;
    return got;
  }

  // How many elements it says that it has, -1 if it does not.
  int64_t counted() const { return count_.ok() ? *count_ : -1; }

  // Gives an error in place of an element.
  void give_wrong_count(std::string found) {
    const Status wrong = data_loss(
        expected_found(concat("a generator of ", *count_, " elements, as it says"), std::move(found)));
    one_.set_error(wrong.pointer(), components_.size());
    made_.append(one_, 0, 1);
    ++given_;
  }

  void end() {
    ended_ = true;
    run_.reset();
    place_.clear();
  }

  const FunctionRef function_;
  const Generator& generator_;
  const Components arguments_;
  const Result<int64_t> count_;
  const std::vector<Component>& components_;
  const ReadSite site_;
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

// Elements by their positions: runs of consecutive ones are made by one run of the generator.
class RunAccess final : public Access {
 public:
  RunAccess(Opening& opening, const Params& params, int64_t count)
      : function_(&function_of(params.generator)),
        generator_(generator_of(params)),
        arguments_(params.arguments.values),
        components_(opening.node->components()),
        count_(count) {}

  AccessCount count() const override { return {count_, false}; }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    out.reset(components_.size());
    out.rows = 0;
    for (size_t begin = 0; begin < positions.size();) {
      size_t end = begin + 1;
      while (end < positions.size() && positions[end] == positions[end - 1] + 1) ++end;
      read_run(ctx, positions[begin], static_cast<int>(end - begin), out);
      begin = end;
    }
  }

 private:
  void read_run(Context& ctx, int64_t position, int rows, Block& out) {
    const auto fail_rest = [&](const Status& status) {
      one_.set_error(status.pointer(), components_.size());
      for (; rows > 0; --rows) out.append(one_, 0, 1);
    };
    if (!run_ || at_ != position) {
      auto opened = generator_.open(arguments_, position);
      if (!opened.ok()) return fail_rest(opened.status());
      run_ = *std::move(opened);
      at_ = position;
    }
    while (rows > 0) {
      const Result<bool> got = run_->next(ctx.session, components_, rows, one_);
      if (got.ok() && !*got)
        return fail_rest(data_loss(
            expected_found(concat("a generator of ", count_, " elements, as it says"), concat(at_))));
      if (!got.ok()) one_.set_error(got.status().pointer(), components_.size());
      out.append(one_, 0, one_.rows);
      at_ += one_.rows;
      rows -= one_.rows;
    }
  }

  const FunctionRef function_;
  const Generator& generator_;
  const Components arguments_;
  const std::vector<Component>& components_;
  const int64_t count_;
  std::unique_ptr<GeneratorRun> run_;
  int64_t at_ = 0;
  Block one_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  WEIR_ASSIGN(const int64_t count, count_of(params));
  if (count < 0) return failed_precondition("the generator does not know how many elements it has");
  return std::unique_ptr<Access>(std::make_unique<RunAccess>(opening, params, count));
}

const char* refuses_access(const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  const Result<int64_t> count = count_of(params);
  return count.ok() && *count >= 0 ? nullptr : "a generator that knows how many elements it has";
}

int64_t cardinality(const Params& params, std::span<const DatasetRef>) {
  const Result<int64_t> count = count_of(params);
  return count.ok() && *count >= 0 ? *count : kUnknown;
}

Result<Spec> spec_of_elements(const Params& params) {
  const Generator& generator = generator_of(params);
  const Spec* const signature = generator.signature();
  if (!signature && params.arguments.set)
    return with_parameter(invalid_argument("expected a generator with a signature, found one without"),
                          "arguments");
  if (signature && !params.arguments.set)
    return with_parameter(invalid_argument(expected_found(signature->to_string(), "no arguments")),
                          "arguments");
  if (signature && !signature->check_compatible(params.arguments.spec).ok())
    return with_parameter(
        invalid_argument(expected_found(signature->to_string(), params.arguments.spec.to_string())),
        "arguments");
  if (params.spec.set) return params.spec.spec;
  if (!generator.infers())
    return with_parameter(invalid_argument(expected_found("the structure of its elements", "nothing")),
                          "spec");
  if (!params.arguments.expression) return generator.infer(params.arguments.values);
  return with_parameter(
      invalid_argument({"its structure follows from arguments that are not known yet",
                        "give constants, or pass it to from_generator(@NAME, SPEC, arguments: {…})"}),
      "arguments");
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  WEIR_ASSIGN(const Spec element, spec_of_elements(params));
  if (!params.arguments.expression) {
    WEIR_ASSIGN(params.count, count_of(params));
  }
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
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .access = {.open = access, .refuses = refuses_access},
  });
  return def;
}

}  // namespace weir::from_generator_op
