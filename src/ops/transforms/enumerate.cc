// enumerate(start): (number, element) from `start` on. An error uses up a number. An element after the
// largest number is an error. Checkpoint: the next number, and whether there is none left.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/checked.h"
#include "core/text.h"
#include "dataset/access.h"
#include "dataset/operator.h"

namespace weir::enumerate_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam start{0};
  void fields(Fields& f) override { f("start", start, "The number of the first element."); }
};

Status no_number() {
  return Status(Code::out_of_range,
                expected_found(concat("numbers of at most ", INT64_MAX),
                               "an element after the one with that number", "give a smaller start"));
}

class Enumerate final : public RestartableCursor {
 public:
  Enumerate(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::pass), next_(*params.start) {}

  bool restart(Opening& opening, const ParamsBase& params) override {
    input_.restart(opening, 0, Port::Mode::pass);
    next_ = *static_cast<const Params&>(params).start;
    spent_ = false;
    return true;
  }

  int64_t assured() const noexcept override { return numbers_of(input_.assured()); }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    in_.rows = 0;
    PullResult got = input_.pull(ctx, demand, in_);
    if (got != PullResult::rows) return got;
    // Failed rows may have no columns.
    const bool columns = !demand.drop && in_.value_rows() > 0;
    out.reset(columns ? in_.columns.size() + 1 : 0);
    if (columns) {
      auto* numbers = out.columns[0].make_dense<int64_t>(Shape(), in_.rows);
      const auto numbered = static_cast<int>(numbers_of(in_.rows));
      for (int i = 0; i < numbered; ++i) numbers[i] = next_ + i;
      std::fill(numbers + numbered, numbers + in_.rows, 0);
      // Swapping gives the values to the consumer, and the consumer's spare memory to the input.
      for (size_t i = 0; i < in_.columns.size(); ++i) std::swap(out.columns[i + 1], in_.columns[i]);
    }
    std::swap(out.errors, in_.errors);
    out.origins.swap(in_.origins);
    out.rows = in_.rows;
    for (int row = static_cast<int>(numbers_of(in_.rows)); row < in_.rows; ++row)
      out.fail_row(row, no_number().pointer());
    pass(in_.rows);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    pass(in_.rows);
    return std::max(in_.rows, 1);
  }

  void state(Archive& archive) override {
    auto next = static_cast<uint64_t>(next_);
    archive("next", next);
    next_ = static_cast<int64_t>(next);
    if (archive.loading()) spent_ = archive.next_is("spent");
    if (spent_) archive("spent", spent_);
    input_.state(archive);
  }

 private:
  // How many of the next `rows` elements have a number.
  int64_t numbers_of(int64_t rows) const noexcept {
    return spent_ ? 0 : numbers_before_overflow(next_, 1, rows);
  }
  void pass(int rows) noexcept {
    const auto next = checked_add<int64_t>(next_, rows);
    spent_ = spent_ || !next;
    if (!spent_) next_ = *next;
  }

  Port input_;
  int64_t next_;
  // The largest number was given, or used up by an error.
  bool spent_ = false;
  Block in_;
};

class EnumerateAccess final : public Access {
 public:
  EnumerateAccess(std::unique_ptr<Access> input, int64_t start) : input_(std::move(input)), start_(start) {}

  AccessCount count() const override { return input_->count(); }
  void count_pass(EpochScope& epochs, int64_t rows) override { input_->count_pass(epochs, rows); }
  bool foresee(std::span<const int64_t> positions, int64_t time, ReadPlan& plan) override {
    return input_->foresee(positions, time, plan);
  }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    input_->read(ctx, positions, out);
    if (out.value_rows() == 0) return out.columns.clear();
    Column numbers;
    auto* number = numbers.make_dense<int64_t>(Shape(), out.rows);
    for (size_t i = 0; i < positions.size(); ++i) {
      const auto sum = checked_add(start_, positions[i]);
      number[i] = sum.value_or(0);
      if (!sum) out.fail_row(static_cast<int>(i), no_number().pointer());
    }
    out.columns.insert(out.columns.begin(), std::move(numbers));
  }

 private:
  const std::unique_ptr<Access> input_;
  const int64_t start_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& params) {
  WEIR_ASSIGN(std::unique_ptr<Access> input, open_access(opening.ctx, opening.input(0)));
  return std::unique_ptr<Access>(
      std::make_unique<EnumerateAccess>(std::move(input), *static_cast<const Params&>(params).start));
}

Result<Spec> spec(const Params&, std::span<const DatasetRef> inputs) {
  return Spec::tuple({Spec::tensor(DType::int64), inputs[0]->spec()});
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Enumerate>({
      .name = "enumerate",
      .page =
          {.doc =
               "Numbers the elements: pairs (number, element); numbers are int64 and count from `start`. An error uses up a number. Elements beyond the largest int64 are errors (out_of_range).",
           .cost = "One store per element.",
           .example = "range(10, 12) | enumerate(start: 1)",
           .output = "(1, 10)\n(2, 11)",
           .bench = "range(1000000) | enumerate()",
           .elsewhere =
               "map_with_index mapi map_indexed: enumerate() | map((i, x) -> …)\nwith_index zip_with_index indexed pairs: enumerate()"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = same_cardinality,
                 .needs = [](const Dataset&, const Marks& used,
                             std::vector<Marks>& needed) { needed[0].assign(used.begin() + 1, used.end()); }},
      .position = {.passes_positions = true},
      .access = {.open = access},
  });
  return def;
}

}  // namespace weir::enumerate_op
