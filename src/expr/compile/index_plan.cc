#include "expr/compile/index_plan.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/text.h"

namespace weir {

namespace {

constexpr size_t kMaxBounds = 3 * kMaxRank;

bool computed(const IndexBound& bound) { return bound.kind == IndexBound::Kind::argument; }

// Returns nothing for an argument that is not known yet.
std::optional<int64_t> value_of(const IndexBound& bound, std::span<const int64_t> bounds, int64_t absent) {
  switch (bound.kind) {
    case IndexBound::Kind::absent:
      return absent;
    case IndexBound::Kind::constant:
      return bound.value;
    case IndexBound::Kind::argument:
      break;
  }
  if (bounds.empty()) return std::nullopt;
  return bounds[static_cast<size_t>(bound.value)];
}

// Where a Python slice begins or ends in a dimension of `extent`.
int64_t clamped(int64_t at, int64_t extent, int64_t low, int64_t high) {
  if (at < 0) at = at < -extent ? -1 - extent : at;
  return std::clamp(at < 0 ? at + extent : at, low, high);
}

struct Taken {
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 0;
};

// `start` and `stop` count if the position gives them.
Taken take_slice(const IndexPosition& position, int64_t extent, int64_t start, int64_t stop, int64_t step) {
  Taken out;
  out.step = step;
  const bool forward = step > 0;
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? extent : extent - 1;
  out.first = position.start.kind == IndexBound::Kind::absent ? (forward ? low : high)
                                                              : clamped(start, extent, low, high);
  const int64_t last = position.stop.kind == IndexBound::Kind::absent ? (forward ? high : low)
                                                                      : clamped(stop, extent, low, high);
  const int64_t distance = forward ? last - out.first : out.first - last;
  if (distance > 0) {
    // Unsigned, since the negation of the lowest step does not fit.
    const uint64_t size = forward ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
    out.count = static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / size) + 1;
  }
  return out;
}

// Adds a slice of one dimension to the view.
std::string add_slice(const IndexPosition& position, int64_t extent, int64_t stride,
                      std::span<const int64_t> bounds, int at, IndexView* view) {
  const std::optional<int64_t> start = value_of(position.start, bounds, 0);
  const std::optional<int64_t> stop = value_of(position.stop, bounds, 0);
  const std::optional<int64_t> step = value_of(position.step, bounds, 1);
  if (step == 0) return "the step of a slice is 0";
  if (extent < 0 || !start || !stop || !step) {
    const bool all = position.start.kind == IndexBound::Kind::absent &&
                     position.stop.kind == IndexBound::Kind::absent && (step == 1 || step == -1);
    view->shape.set_dim(at, all ? extent : kUnknownDim);
    return "";
  }
  const Taken taken = take_slice(position, extent, *start, *stop, *step);
  view->shape.set_dim(at, taken.count);
  view->stride[at] = taken.count > 1 ? stride * taken.step : 0;
  if (taken.count > 0) view->offset += taken.first * stride;
  return "";
}

std::string add_index(const IndexPosition& position, int64_t extent, int64_t stride,
                      std::span<const int64_t> bounds, IndexView* view) {
  const std::optional<int64_t> index = value_of(position.start, bounds, 0);
  if (!index || extent < 0) return "";
  if (*index < -extent || *index >= extent) {
    return concat("position ", *index, " is out of range for a dimension of ", extent);
  }
  view->offset += (*index < 0 ? *index + extent : *index) * stride;
  return "";
}

}  // namespace

int IndexPlan::consumed() const {
  int count = 0;
  for (const IndexPosition& position : positions) {
    count +=
        position.kind == IndexPosition::Kind::index || position.kind == IndexPosition::Kind::slice ? 1 : 0;
  }
  return count;
}

bool IndexPlan::has_arguments() const {
  return std::any_of(positions.begin(), positions.end(), [](const IndexPosition& position) {
    return computed(position.start) || computed(position.stop) || computed(position.step);
  });
}

bool IndexPlan::fixed_shape() const {
  return std::none_of(positions.begin(), positions.end(), [](const IndexPosition& position) {
    return position.kind == IndexPosition::Kind::slice &&
           (computed(position.start) || computed(position.stop) || computed(position.step));
  });
}

std::string resolve(const IndexPlan& plan, DType dtype, const Shape& x, std::span<const int64_t> bounds,
                    IndexView* view) {
  const int consumed = plan.consumed();
  if (consumed > x.rank()) {
    if (x.rank() == 0) {
      return concat("expected a tensor with entries before […], found a scalar of ", dtype_name(dtype),
                    ", which has none",
                    dtype == DType::string ? "; substr(s, pos, len) is a part of a string" : "");
    }
    return expected_found(concat("at most ", x.rank(), " positions for a tensor of rank ", x.rank()),
                          concat(consumed))
        .sentence();
  }
  int64_t strides[kMaxRank];
  int64_t size = 1;
  for (int i = x.rank() - 1; i >= 0; --i) {
    strides[i] = size;
    size *= std::max<int64_t>(x[i], 0);
  }
  // As many dimensions as there may be; cut to the right rank at the end.
  std::array<int64_t, kMaxRank> zeros{};
  view->shape = Shape(std::span<const int64_t>(zeros));
  view->offset = 0;
  int axis = 0;
  int rank = 0;
  const auto keep = [&] {
    view->shape.set_dim(rank, x[axis]);
    view->stride[rank++] = strides[axis++];
  };
  const auto full = [&] { return rank == kMaxRank; };
  std::string message;
  bool expanded = false;
  for (const IndexPosition& position : plan.positions) {
    const bool index = position.kind == IndexPosition::Kind::index;
    if (full() && !index) return concat("the result has more than ", kMaxRank, " dimensions");
    if (index) {
      message = add_index(position, x[axis], strides[axis], bounds, view);
      ++axis;
    } else if (position.kind == IndexPosition::Kind::newaxis) {
      view->shape.set_dim(rank, 1);
      view->stride[rank++] = 0;
    } else if (position.kind == IndexPosition::Kind::slice) {
      message = add_slice(position, x[axis], strides[axis], bounds, rank, view);
      ++axis;
      ++rank;
    } else {
      expanded = true;
      for (int rest = x.rank() - consumed; rest > 0 && !full(); --rest) keep();
    }
    if (!message.empty()) return message;
  }
  while (!expanded && axis < x.rank() && !full()) keep();
  if (axis < x.rank()) return concat("the result has more than ", kMaxRank, " dimensions");
  view->shape = Shape(view->shape.dims().first(static_cast<size_t>(rank)));
  return "";
}

namespace {

bool contiguous(const IndexView& view) {
  int64_t size = 1;
  for (int i = view.shape.rank() - 1; i >= 0; --i) {
    if (view.shape[i] != 1 && view.stride[i] != size) return false;
    size *= view.shape[i];
  }
  return true;
}

void copy_view(const IndexView& view, const uint8_t* from, uint8_t* to, size_t size) {
  from += view.offset * static_cast<int64_t>(size);
  const int rank = view.shape.rank();
  const int64_t count = view.shape.count();
  if (contiguous(view)) {
    if (count > 0) std::memcpy(to, from, static_cast<size_t>(count) * size);
    return;
  }
  const int last = rank - 1;
  const int64_t width = view.shape[last];
  const bool runs = view.stride[last] == 1;
  int64_t at[kMaxRank] = {};
  for (int64_t done = 0; done < count; done += width) {
    int64_t offset = 0;
    for (int d = 0; d < last; ++d) offset += at[d] * view.stride[d];
    const uint8_t* row = from + offset * static_cast<int64_t>(size);
    if (runs) {
      std::memcpy(to, row, static_cast<size_t>(width) * size);
    } else {
      for (int64_t k = 0; k < width; ++k) {
        std::memcpy(to + static_cast<size_t>(k) * size,
                    row + k * view.stride[last] * static_cast<int64_t>(size), size);
      }
    }
    to += static_cast<size_t>(width) * size;
    for (int d = last - 1; d >= 0 && ++at[d] == view.shape[d]; --d) at[d] = 0;
  }
}

// All rows have the same view.
void index_together(KernelRun& run, const IndexPlan& plan) {
  const Arg& x = run.arg(0);
  IndexView view;
  const std::string message = resolve(plan, x.dtype, x.shape, {}, &view);
  if (!message.empty()) {
    for (int row = 0; row < run.rows(); ++row) run.fail(row, invalid_argument(message));
    return;
  }
  const size_t size = dtype_size(x.dtype);
  if (contiguous(view)) return run.share(0, 0, view.shape, static_cast<size_t>(view.offset) * size);
  uint8_t* out = run.make(0, view.shape);
  if (out == nullptr) return;
  const size_t bytes = static_cast<size_t>(view.shape.count()) * size;
  for (int row = 0; row < run.rows(); ++row) {
    copy_view(view, x.row<uint8_t>(row), out + static_cast<size_t>(row) * bytes, size);
  }
}

}  // namespace

void index_body(KernelRun& run) {
  const auto& plan = run.state<IndexPlan>();
  if (!plan.has_arguments()) return index_together(run, plan);
  const Arg& x = run.arg(0);
  const size_t size = dtype_size(x.dtype);
  const bool fixed = plan.fixed_shape();
  uint8_t* out = nullptr;
  std::array<int64_t, kMaxBounds> bounds{};
  for (int row = 0; row < run.rows(); ++row) {
    for (int i = 1; i < run.arg_count(); ++i)
      bounds[static_cast<size_t>(i) - 1] = *run.arg(i).row<int64_t>(row);
    IndexView view;
    const std::string message = resolve(plan, x.dtype, x.shape, bounds, &view);
    if (!message.empty()) {
      run.fail(row, invalid_argument(message));
      continue;
    }
    if (fixed && out == nullptr) out = run.make(0, view.shape);
    if (fixed && out == nullptr) return;
    const size_t bytes = static_cast<size_t>(view.shape.count()) * size;
    uint8_t* to = fixed ? out + static_cast<size_t>(row) * bytes : run.make_row(0, row, view.shape);
    if (to != nullptr) copy_view(view, x.row<uint8_t>(row), to, size);
  }
}

}  // namespace weir
