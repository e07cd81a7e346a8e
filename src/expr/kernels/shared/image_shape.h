// What functions of images ask of the shape of their argument, checked when the call is typed as far as the
// shape is known, and at the element where it is not.
//
//   constexpr ImageRule kColour{.function = "adjust_hue", .channels = 3};
//   WEIR_TRY(check_image(call, 0, kColour)); … call.set_can_fail(may_be_no_image(call.shape(0), kColour));
//   if (!check_image(run, run.arg(0).shape, kColour)) return;
#pragma once

#include <string>

#include "core/text.h"
#include "expr/types/kernel.h"

namespace weir {

struct ImageRule {
  // Named by the errors of elements.
  const char* function = "";
  int least_rank = 3;
  int most_rank = kMaxRank;
  // The last dimension; -1: any.
  int64_t channels = -1;
};

inline std::string describe(const ImageRule& rule) {
  const std::string last = rule.channels < 0 ? "channels" : std::to_string(rule.channels);
  if (rule.least_rank == 1) return concat("a last dimension of ", last);
  std::string out = concat("an image of shape [height, width, ", last, "]");
  return concat(out, rule.most_rank == 4 ? ", or a batch of them" : ", or more dimensions before these");
}

// Whether the shape fits, as far as it is known.
inline bool may_be_image(const Shape& shape, const ImageRule& rule) {
  if (!shape.rank_known()) return true;
  if (shape.rank() < rule.least_rank || shape.rank() > rule.most_rank) return false;
  if (rule.channels < 0) return true;
  const int64_t last = shape[shape.rank() - 1];
  return last == rule.channels || last == kUnknownDim;
}

// Whether an element can still show that it does not fit.
inline bool may_be_no_image(const Shape& shape, const ImageRule& rule) {
  if (!shape.rank_known()) return rule.least_rank > 0;
  return rule.channels >= 0 && shape[shape.rank() - 1] == kUnknownDim;
}

inline Status check_image(const KernelCall& call, int param, const ImageRule& rule) {
  const Shape& shape = call.shape(param);
  if (may_be_image(shape, rule)) return Status();
  const std::string found = shape == Shape() ? "a scalar" : concat("the shape ", shape.to_string());
  return call.error(param, expected_found(describe(rule), found));
}

// Fails all rows if the shape does not fit.
inline bool check_image(KernelRun& run, const Shape& shape, const ImageRule& rule) {
  if (may_be_image(shape, rule)) return true;
  const std::string found = shape == Shape() ? "a scalar" : concat("the shape ", shape.to_string());
  const Status status =
      invalid_argument(concat(rule.function, ": ", expected_found(describe(rule), found).sentence()));
  for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
  return false;
}

}  // namespace weir
