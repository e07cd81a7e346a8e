// range(stop), range(start, stop, step, dtype): numbers from start up to but excluding stop, by step.
// Computed in int64 and then cast to the dtype. Checkpoint: how many were given.
#include <algorithm>
#include <cstdint>

#include "core/text.h"
#include "dataset/access.h"
#include "dataset/operator.h"
#include "ops/counted_source.h"
#include "ops/numbers.h"

namespace weir::range_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam start{0};
  IntParam stop;
  IntParam step{1};
  DTypeParam dtype{DType::int64};
  void fields(Fields& f) override {
    f("start", start, "The first number.");
    f("stop", stop, "The sequence ends before it.");
    f("step", step, "The distance between numbers: not 0; negative counts down.");
    f("dtype", dtype, "An integer or float dtype; each number is cast to it, integers wrap.");
  }
};

Status check_step(int64_t step) {
  return step != 0 ? Status() : invalid_argument(expected_found("a step other than 0", "0"));
}

// The number of elements, if there can be such a range. Distances are unsigned, since stop - start may not
// fit.
Result<int64_t> count_of(const Params& params) {
  const int64_t start = *params.start;
  const int64_t stop = *params.stop;
  const int64_t step = *params.step;
  WEIR_TRY(check_step(step));
  if (step > 0 ? stop <= start : stop >= start) return int64_t{0};
  const auto distance_of = [](int64_t low, int64_t high) {
    return static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  };
  const uint64_t distance = step > 0 ? distance_of(start, stop) : distance_of(stop, start);
  const uint64_t count = (distance - 1) / (step > 0 ? distance_of(0, step) : distance_of(step, 0)) + 1;
  if (count > static_cast<uint64_t>(INT64_MAX)) {
    return invalid_argument(expected_found(concat("at most ", INT64_MAX, " numbers"),
                                           concat("more of them from ", start, " to ", stop),
                                           "choose a larger step or a smaller stop"));
  }
  return static_cast<int64_t>(count);
}

class Range final : public CountedSource<Range, RestartableCursor> {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening&, const Params& params) {
    WEIR_ASSIGN(const int64_t count, count_of(params));
    return std::unique_ptr<Cursor>(std::make_unique<Range>(params, count));
  }
  Range(const Params& params, int64_t count)
      : CountedSource(count),
        start_(static_cast<uint64_t>(*params.start)),
        step_(static_cast<uint64_t>(*params.step)),
        write_(write_numbers(params.dtype.dtype)) {}

  bool restart(Opening&, const ParamsBase& base) override {
    const auto& params = static_cast<const Params&>(base);
    const Result<int64_t> count = count_of(params);
    if (count.ok()) *this = Range(params, *count);
    return count.ok();
  }

  int give(int64_t first, int rows, bool drop, Block& out) {
    out.reset(drop ? 0 : 1);
    if (!drop) write_(out.columns[0], start_ + static_cast<uint64_t>(first) * step_, step_, rows);
    return rows;
  }

 private:
  // Unsigned, so that sums wrap.
  uint64_t start_;
  uint64_t step_;
  WriteNumbers write_;
};

class RangeAccess final : public Access {
 public:
  RangeAccess(const Params& params, int64_t count)
      : start_(static_cast<uint64_t>(*params.start)),
        step_(static_cast<uint64_t>(*params.step)),
        count_(count),
        is_int64_(params.dtype.dtype == DType::int64),
        write_(write_numbers(params.dtype.dtype)) {}

  AccessCount count() const override { return {count_, false}; }
  void read(Context&, std::span<const int64_t> positions, Block& out) override {
    out.reset(1);
    const int rows = static_cast<int>(positions.size());
    if (is_int64_) {
      int64_t* numbers = out.columns[0].make_scalars<int64_t>(rows);
      for (int i = 0; i < rows; ++i) numbers[i] = static_cast<int64_t>(at(positions[static_cast<size_t>(i)]));
    } else {
      for (int i = 0; i < rows; ++i) {
        Column one;
        write_(one, at(positions[static_cast<size_t>(i)]), step_, 1);
        out.columns[0].append(i, one, 0, 1);
      }
    }
    out.rows = rows;
  }

 private:
  uint64_t at(int64_t position) const { return start_ + static_cast<uint64_t>(position) * step_; }

  const uint64_t start_;
  const uint64_t step_;
  const int64_t count_;
  const bool is_int64_;
  const WriteNumbers write_;
};

Result<std::unique_ptr<Access>> access(Opening&, const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  WEIR_ASSIGN(const int64_t count, count_of(params));
  return std::unique_ptr<Access>(std::make_unique<RangeAccess>(params, count));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  WEIR_TRY(check_number_dtype(params.dtype.dtype));
  if (params.step.is_constant()) WEIR_TRY(check_step(*params.step));
  if (params.start.is_constant() && params.stop.is_constant() && params.step.is_constant())
    WEIR_TRY(count_of(params).status());
  return Spec::tensor(params.dtype.dtype);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef>) {
  const Result<int64_t> count = count_of(params);
  return count.ok() ? *count : kUnknown;
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Range>({
      .name = "range",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "The numbers from `start` up to but not including `stop`, in steps of `step`. There are none if `step` leads away from `stop`. A single positional argument is `stop`.",
           .cost = "One store per number.",
           .tf_names = "output_type=dtype",
           .example = "range(10, 0, step: -4)",
           .output = "10\n6\n2",
           .bench = "range(1000000)",
           .single_argument = "stop"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .access = {.open = access},
  });
  return def;
}

}  // namespace weir::range_op
