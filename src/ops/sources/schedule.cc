// schedule(points, interpolation): vectors of weights without end, for sample_from_datasets: those of the
// last point at or before the element, or on the line to the next one. Checkpoint: the number of the next
// element.
#include <cstdint>
#include <memory>
#include <utility>

#include "core/checked.h"
#include "core/text.h"
#include "dataset/access.h"
#include "dataset/operator.h"
#include "ops/list.h"
#include "ops/shuffling/schedule_points.h"
#include "ops/shuffling/weights_by_row.h"

namespace weir {

void ScheduleParams::fields(Fields& f) {
  f("points", points,
    "A list of pairs: the number of an element, and its weights. Numbers rise from 0 on, and all have as many weights. A position fits others, as in `mix_datasets`.",
    {}, {.any_position = true, .weights = true});
  f("interpolation", interpolation,
    "Between two points: \"step\" keeps the weights of the first, \"linear\" goes from one to the other.");
}

const OperatorDef& ScheduleParams::op() { return schedule_op::definition(); }

namespace schedule_op {
namespace {

using Params = ScheduleParams;

class Schedule final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_TRY(SchedulePoints::width_of(params).status());
    WEIR_ASSIGN(WeightsByRow by_row, WeightsByRow::open(opening, params.points.values));
    WEIR_ASSIGN(SchedulePoints points,
                SchedulePoints::make(by_row.first(), *params.interpolation == "linear"));
    return std::unique_ptr<Cursor>(std::make_unique<Schedule>(std::move(points), std::move(by_row)));
  }

  Schedule(SchedulePoints points, WeightsByRow by_row)
      : points_(std::move(points)), by_row_(std::move(by_row)) {}

  Step next(Context&, const Demand& demand, Block& out) override {
    if (const Components* const points = by_row_.other_at(next_)) {
      Result<SchedulePoints> other = SchedulePoints::make(*points, points_.linear());
      by_row_.take(next_);
      WEIR_ASSIGN(points_, std::move(other));
    }
    const auto width = static_cast<int64_t>(points_.width());
    const int rows = by_row_.same(next_, demand.rows);
    out.reset(demand.drop ? 0 : 1);
    if (!demand.drop) {
      double* to = out.columns[0].make_dense<double>(Shape{width}, rows);
      for (int row = 0; row < rows; ++row) points_.read(next_ + row, to + row * width);
    }
    out.rows = rows;
    by_row_.give(next_ + rows);
    next_ += rows;
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    ++next_;
    return 1;
  }

  void state(Archive& archive) override { archive("next", next_, 0, kMostCounted); }

 private:
  SchedulePoints points_;
  WeightsByRow by_row_;
  int64_t next_ = 0;
};

class ScheduleAccess final : public Access {
 public:
  explicit ScheduleAccess(SchedulePoints points) : points_(std::move(points)) {}

  AccessCount count() const override { return {AccessCount::kMost, true}; }
  void read(Context&, std::span<const int64_t> positions, Block& out) override {
    const auto width = static_cast<int64_t>(points_.width());
    out.reset(1);
    out.rows = static_cast<int>(positions.size());
    double* to = out.columns[0].make_dense<double>(Shape{width}, out.rows);
    for (const int64_t position : positions) {
      points_.read(position, to);
      to += width;
    }
  }

 private:
  SchedulePoints points_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  WEIR_ASSIGN(SchedulePoints points, SchedulePoints::make(params));
  WEIR_TRY(WeightsByRow::check_access(opening, params.points.values));
  return std::unique_ptr<Access>(std::make_unique<ScheduleAccess>(std::move(points)));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  const std::string interpolation = params.interpolation.value_or("step");
  if (interpolation != "step" && interpolation != "linear") {
    return with_parameter(invalid_argument(expected_found("\"step\" or \"linear\"", quote(interpolation))),
                          "interpolation");
  }
  WEIR_ASSIGN(const int64_t width, SchedulePoints::width_of(params));
  if (!params.points.expression && params.interpolation.is_constant())
    WEIR_TRY(SchedulePoints::make(params).status());
  return Spec::tensor(DType::float64, Shape{width});
}

int64_t cardinality(const Params&, std::span<const DatasetRef>) { return kInfinite; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Schedule>({
      .name = "schedule",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Yields float64 weight vectors, without end, for the `weights` of `sample_from_datasets`. Each point is an element number and the weights that apply from there; \"linear\" interpolates to the next point. The weights of the last point stay in effect.",
           .cost = "One copy of the weights per element.",
           .example = "schedule([(0, [1.0, 0.0]), (2, [0.5, 0.5])], interpolation: \"linear\") | take(4)",
           .output = "[1.0, 0.0]\n[0.75, 0.25]\n[0.5, 0.5]\n[0.5, 0.5]",
           .bench = "schedule([(0, [1.0, 0.0]), (500000, [0.5, 0.5])]) | take(1000000)",
           .elsewhere = "curriculum weight_schedule: schedule([(0, [1.0, 0.0]), (1000, [0.5, 0.5])])"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .access = {.open = access},
  });
  return def;
}

}  // namespace schedule_op
}  // namespace weir
