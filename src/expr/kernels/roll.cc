// roll(x, shift, axis): entries moved along axes; those pushed over the end come back at the beginning.
#include <algorithm>
#include <array>
#include <cstring>

#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/shape_argument.h"
#include "expr/kernels/shared/strided.h"

namespace weir {

namespace {

struct RollAxes : KernelState {
  std::vector<int64_t> axes;
};

// One row: by how much each axis moves, from 0 up to its extent.
struct Roll {
  Shape shape;
  std::array<int64_t, kMaxRank> shift = {};
  std::array<int64_t, kMaxRank> step = {};
  // The last axis that moves, or -1.
  int last = -1;

  // Copies what lies below `axis`. REQUIRES: entries
  void copy(int axis, const uint8_t* from, uint8_t* to) const {
    const auto d = static_cast<size_t>(axis);
    const auto bytes = static_cast<size_t>(step[d]);
    const auto extent = static_cast<size_t>(shape[axis]);
    const auto moved = static_cast<size_t>(shift[d]);
    if (axis == last) {
      std::memcpy(to + moved * bytes, from, (extent - moved) * bytes);
      if (moved > 0) std::memcpy(to, from + (extent - moved) * bytes, moved * bytes);
      return;
    }
    for (size_t k = 0; k < extent; ++k) {
      const size_t target = k + moved < extent ? k + moved : k + moved - extent;
      copy(axis + 1, from + k * bytes, to + target * bytes);
    }
  }
};

Status wrong_count(size_t axes, int64_t shifts) {
  return invalid_argument(expected_found(concat("a shift for each of ", axes, " axes"), concat(shifts)));
}

Roll roll_of(const Arg& x, std::span<const int> axes, const Entries& shifts) {
  Roll roll;
  roll.shape = x.shape;
  const RowMajor strides(x.shape);
  for (int d = 0; d < x.shape.rank(); ++d) {
    roll.step[static_cast<size_t>(d)] =
        wrap::multiply(strides.step[d], static_cast<int64_t>(dtype_size(x.dtype)));
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t extent = x.shape[axes[i]];
    const int64_t shift = extent == 0 ? 0 : shifts[static_cast<int64_t>(i)] % extent;
    roll.shift[static_cast<size_t>(axes[i])] = shift < 0 ? shift + extent : shift;
    if (shift != 0) roll.last = std::max(roll.last, axes[i]);
  }
  return roll;
}

void roll_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const Arg& shifts = run.arg(1);
  Result<std::vector<int>> axes = resolve_axes(run.state<RollAxes>().axes, x.shape.rank());
  if (!axes.ok()) return fail_all(run, "roll", axes.status());
  if (shifts.shape.rank() > 1 || shifts.shape.count() != static_cast<int64_t>(axes->size())) {
    return fail_all(run, "roll", wrong_count(axes->size(), shifts.shape.count()));
  }
  uint8_t* out = run.make(0, x.shape);
  const size_t bytes = x.row_bytes();
  if (out == nullptr || bytes == 0) return;
  for (int i = 0; i < run.rows(); ++i, out += bytes) {
    const Roll roll = roll_of(x, *axes, entries_of(shifts, i));
    if (roll.last < 0) {
      std::memcpy(out, x.row<uint8_t>(i), bytes);
    } else {
      roll.copy(0, x.row<uint8_t>(i), out);
    }
  }
}

Status roll_infer(KernelCall& call) {
  const Shape& given = call.shape(1);
  auto state = std::make_shared<RollAxes>();
  WEIR_ASSIGN(state->axes, read_axes(call, 2, call.shape(0)));
  const size_t axes = state->axes.size();
  if (given.rank_known() && given.rank() > 1) {
    return call.error(
        1, expected_found("a shift, or a list of shifts", concat("a tensor of shape ", given.to_string())));
  }
  const int64_t shifts = known_count(given);
  if (given.rank_known() && shifts >= 0 && shifts != static_cast<int64_t>(axes)) {
    return call.error(1, wrong_count(axes, shifts).error().what());
  }
  call.result(call.dtype(0), call.shape(0));
  call.set_can_fail(!call.shape(0).rank_known() || !given.is_static());
  call.body(roll_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel roll_kernel{
    .name = "roll",
    .params =
        {{.name = "x"},
         {.name = "shift",
          .type = "int64",
          .doc =
              "The number of places towards the end; negative moves towards the beginning. One for each axis."},
         axis_param(nullptr, "An axis or a list of axes; negative counts from the last.")},
    .infer = roll_infer,
    .doc =
        "Rolls the entries of `x` along the given axes. Those pushed over the end come back at the beginning.",
    .result = "The dtype and shape of `x`.",
    .cost = "One copy.",
    .example = "from_tensors(roll([1, 2, 3, 4, 5], 2, 0))",
    .output = "[4, 5, 1, 2, 3]",
    .bench = "roll(x, 3, 0)",
    .can_fail = true};

}  // namespace weir
