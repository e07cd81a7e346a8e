#include "ops/shuffling/schedule_points.h"

#include <algorithm>
#include <cmath>

#include "core/float_mode.h"
#include "core/text.h"

namespace weir {

namespace {

Status wrong(const Mistake& mistake) { return with_parameter(invalid_argument(mistake), "points"); }

bool is_pair(const Spec& point) {
  if (point.kind != Spec::Kind::tuple || point.children.size() != 2) return false;
  const Spec& weights = point.children[1];
  return point.children[0].is_scalar(DType::int64) && weights.is_tensor() &&
         weights.dtype == DType::float64 && weights.shape.rank_known() && weights.shape.rank() == 1;
}

}  // namespace

Result<int64_t> SchedulePoints::width_of(const ScheduleParams& params) {
  const Spec& points = params.points.spec;
  if (points.children.empty()) return wrong(expected_found("a point, such as (0, [0.5, 0.5])", "none"));
  int64_t width = kUnknownDim;
  for (size_t i = 0; i < points.children.size(); ++i) {
    const Spec& point = points.children[i];
    if (!is_pair(point)) {
      return wrong(expected_found("points of a number and weights, such as (0, [0.5, 0.5])",
                                  concat(point.to_string(), " at ", i)));
    }
    const int64_t found = point.children[1].shape[0];
    if (width == kUnknownDim) width = found;
    if (found != kUnknownDim && found != width) {
      return wrong(
          expected_found(concat(width, " weights, as at the first point"), concat(found, " at ", i)));
    }
  }
  return width;
}

Result<SchedulePoints> SchedulePoints::make(const ScheduleParams& params) {
  WEIR_TRY(width_of(params).status());
  return make(params.points.values, *params.interpolation == "linear");
}

Result<SchedulePoints> SchedulePoints::make(const Components& values, bool linear) {
  SchedulePoints out;
  out.linear_ = linear;
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    const int64_t number = *values[i].as<int64_t>();
    const auto weights = values[i + 1].entries<const double>();
    if (i == 0) out.width_ = weights.size();
    if (weights.size() != out.width_) {
      return wrong(expected_found(concat(out.width_, " weights, as at the first point"),
                                  concat(weights.size(), " at element ", number)));
    }
    if (i == 0 && number != 0) return wrong(expected_found("a first point at 0", concat("one at ", number)));
    if (i > 0 && number <= out.numbers_.back())
      return wrong(expected_found("ascending points", concat(number, " after ", out.numbers_.back())));
    for (const double weight : weights) {
      // Also refuses what is no number.
      if (!(weight >= 0) || !std::isfinite(weight))
        return wrong(expected_found("weights of at least 0", concat("another one at element ", number)));
    }
    out.numbers_.push_back(number);
    out.weights_.insert(out.weights_.end(), weights.begin(), weights.end());
  }
  return out;
}

void SchedulePoints::read(int64_t number, double* to) {
  if (numbers_[at_] > number) at_ = 0;
  while (at_ + 1 < numbers_.size() && numbers_[at_ + 1] <= number) ++at_;
  const double* const from = weights(at_);
  if (!linear_ || at_ + 1 == numbers_.size()) {
    std::copy_n(from, width_, to);
    return;
  }
  const double* const next = weights(at_ + 1);
  in_float_mode([&] {
    const auto passed = static_cast<double>(number - numbers_[at_]);
    const auto whole = static_cast<double>(numbers_[at_ + 1] - numbers_[at_]);
    for (size_t i = 0; i < width_; ++i) to[i] = from[i] + (next[i] - from[i]) * passed / whole;
  });
}

std::vector<int64_t> SchedulePoints::last_positive() const {
  std::vector<int64_t> out(width_, -1);
  for (size_t point = 0; point < numbers_.size(); ++point) {
    const int64_t end = point + 1 < numbers_.size() ? numbers_[point + 1] - 1 : INT64_MAX;
    for (size_t i = 0; i < width_; ++i) {
      if (weights(point)[i] > 0) out[i] = end;
      // It rises to the next point.
      const bool rises = linear_ && point + 1 < numbers_.size() && weights(point + 1)[i] > 0;
      if (rises && end > numbers_[point]) out[i] = end;
    }
  }
  return out;
}

std::vector<int64_t> last_positive(const Dataset& weights) {
  const auto* params = dynamic_cast<const ScheduleParams*>(&weights.params());
  if (!params || weights.dynamic()) return {};
  const Result<SchedulePoints> points = SchedulePoints::make(*params);
  return points.ok() ? points->last_positive() : std::vector<int64_t>();
}

}  // namespace weir
