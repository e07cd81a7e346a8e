// SchedulePoints: weights that change with the number of an element, as schedule gives them.
#pragma once

#include <cstdint>
#include <vector>

#include "dataset/dataset.h"

namespace weir {

struct ScheduleParams : ParamsOf<ScheduleParams> {
  ValueParam points{.list = true};
  StringParam interpolation{std::string("step")};
  void fields(Fields& f) override;
  static const OperatorDef& op();
};

class SchedulePoints {
 public:
  // How many weights each point has; invalid_argument unless the points are pairs of a number and as many
  // weights.
  static Result<int64_t> width_of(const ScheduleParams& params);
  // invalid_argument unless the numbers rise from 0 on and no weight is negative.
  // REQUIRES: the parameters are no expressions
  static Result<SchedulePoints> make(const ScheduleParams& params);
  // The same for values of the points.
  static Result<SchedulePoints> make(const Components& points, bool linear);

  size_t width() const { return width_; }
  bool linear() const { return linear_; }
  // Writes the weights of element `number`. Those of ascending numbers are found at once.
  void read(int64_t number, double* to);
  // Of each weight the last element in which it is above 0: -1 if there is none, INT64_MAX if it stays so.
  std::vector<int64_t> last_positive() const;

 private:
  const double* weights(size_t point) const { return weights_.data() + point * width_; }

  size_t width_ = 0;
  bool linear_ = false;
  std::vector<int64_t> numbers_;
  // Of all points, one after the other.
  std::vector<double> weights_;
  // The last point at or before the number read last.
  size_t at_ = 0;
};

// SchedulePoints::last_positive() if that is known of a dataset of weights, else nothing.
std::vector<int64_t> last_positive(const Dataset& weights);

}  // namespace weir
