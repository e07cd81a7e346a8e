#include "expr/kernels/shared/elementwise.h"

#include <algorithm>
#include <cstring>

namespace weir::elementwise {

namespace {

std::optional<Shape> common_shape(KernelRun& run, int arguments) {
  const Shape& first = run.arg(0).shape;
  for (int i = 1; i < arguments; ++i) {
    if (!(run.arg(i).shape == first)) return broadcast_run(run);
  }
  return first;
}

// The entries of `shape` after which those of `from` come again.
int64_t period_of(const Shape& from, const Shape& shape) {
  int first = 0;
  while (first < from.rank() && from[first] == 1) ++first;
  int64_t count = 1;
  for (int i = first; i < from.rank(); ++i) count *= shape[shape.rank() - from.rank() + i];
  return count;
}

}  // namespace

EntryRuns::EntryRuns(const KernelRun& run, int arguments, const Shape& shape)
    : shape_(shape),
      count_of_arguments_(static_cast<size_t>(arguments)),
      rows_(run.rows()),
      count_(shape.count()),
      most_(count_) {
  // All rows are one run if each argument's are, or it is one entry for all of them.
  bool is_one_run = true;
  unsigned flat = 0;
  int64_t period = 1;
  int64_t widest = 1;
  for (int i = 0; i < arguments; ++i) {
    Argument& argument = arguments_[static_cast<size_t>(i)];
    const Arg& arg = run.arg(i);
    const bool is_whole = arg.shape == shape;
    const bool is_single = arg.shape.count() == 1;
    argument.arg = &arg;
    argument.entry_bytes = static_cast<int64_t>(dtype_size(arg.dtype));
    argument.period = is_whole || is_single ? 0 : period_of(arg.shape, shape);
    if (is_whole && is_flat(run, arg)) {
      flat |= 1u << i;
    } else {
      is_one_run = is_one_run && is_single && (arg.stride == 0 || rows_ == 1);
    }
    if (is_whole || argument.period > 0) mask_ |= 1u << i;
    if (argument.period == 0) continue;
    // What has to be spread is worth it if it repeats often.
    argument.spread = arg.shape.count() < argument.period;
    walks_ = walks_ || (argument.spread && argument.period > count_ / 4);
    period = std::max(period, argument.period);
    widest = std::max(widest, argument.entry_bytes);
  }
  if (is_one_run) {
    mask_ = flat;
    most_ = count_ *= rows_;
    rows_ = 1;
  } else if (period > 1) {
    const int64_t fits = static_cast<int64_t>(kRepeatedBytes) / widest / period * period;
    most_ = std::min(count_, fits);
    if (walks_ || fits == 0) walk_dimensions();
  }
}

void EntryRuns::walk_dimensions() {
  walks_ = true;
  mask_ = 0;
  most_ = 1;
  for (size_t i = 0; i < count_of_arguments_; ++i)
    arguments_[i].strides = broadcast_strides(arguments_[i].arg->shape, shape_);
  for (walked_ = shape_.rank(); walked_ > 0; --walked_) {
    const int last = walked_ - 1;
    if (shape_[last] == 1) continue;
    unsigned moving = 0;
    for (unsigned i = 0; i < count_of_arguments_; ++i)
      if (arguments_[i].strides.step[last] != 0) moving |= 1u << i;
    if (most_ > 1 && moving != mask_) break;
    mask_ = moving;
    most_ *= shape_[last];
  }
  for (size_t i = 0; i < count_of_arguments_; ++i)
    for (int64_t& step : arguments_[i].strides.step) step *= arguments_[i].entry_bytes;
}

void EntryRuns::begin(int row) {
  left_ = count_;
  width_ = most_;
  place_ = {};
  for (size_t i = 0; i < count_of_arguments_; ++i) {
    Argument& argument = arguments_[i];
    const uint8_t* from = argument.arg->row<uint8_t>(row);
    in_[i] = from;
    if (argument.period == 0 || walks_) continue;
    in_[i] = argument.repeated.data();
    if (row > 0 && argument.arg->stride == 0) continue;
    const auto size = static_cast<size_t>(argument.period * argument.entry_bytes);
    size_t done = 0;
    if (argument.spread) {
      spread(argument, from);
      from = argument.repeated.data();
      done = size;
    }
    for (; done < static_cast<size_t>(most_ * argument.entry_bytes); done += size)
      std::memcpy(argument.repeated.data() + done, from, size);
  }
}

// Puts one period of an argument that has dimensions of size 1 inside.
void EntryRuns::spread(Argument& argument, const uint8_t* from) const {
  const auto size = static_cast<size_t>(argument.entry_bytes);
  const Strides strides = broadcast_strides(argument.arg->shape, shape_);
  std::array<int64_t, kMaxRank> place = {};
  for (size_t k = 0; k < static_cast<size_t>(argument.period); ++k) {
    std::memcpy(argument.repeated.data() + k * size, from, size);
    for (int d = shape_.rank() - 1; d >= 0; --d) {
      const bool turns = ++place[static_cast<size_t>(d)] == shape_[d];
      from += (turns ? 1 - shape_[d] : 1) * strides.step[d] * argument.entry_bytes;
      if (!turns) break;
      place[static_cast<size_t>(d)] = 0;
    }
  }
}

bool EntryRuns::next() {
  left_ -= width_;
  if (left_ == 0) return false;
  if (!walks_) {
    for (size_t i = 0; i < count_of_arguments_; ++i) {
      const bool moves = (mask_ >> i & 1) != 0 && arguments_[i].period == 0;
      if (moves) in_[i] += width_ * arguments_[i].entry_bytes;
    }
    width_ = std::min(width_, left_);
    return true;
  }
  for (int d = walked_ - 1; d >= 0; --d) {
    int64_t& place = place_[static_cast<size_t>(d)];
    const bool turns = ++place == shape_[d];
    const int64_t steps = turns ? 1 - shape_[d] : 1;
    for (size_t i = 0; i < count_of_arguments_; ++i) in_[i] += steps * arguments_[i].strides.step[d];
    if (!turns) break;
    place = 0;
  }
  return true;
}

void make_mapped(KernelRun& run, size_t bytes, void (*loop)(const uint8_t* in, uint8_t* out, int64_t count)) {
  const Arg& arg = run.arg(0);
  uint8_t* out = run.make(0, arg.shape);
  if (out == nullptr) return;
  const int64_t count = arg.shape.count();
  if (is_flat(run, arg)) return loop(arg.data, out, count * run.rows());
  for (int row = 0; row < run.rows(); ++row, out += static_cast<size_t>(count) * bytes)
    loop(arg.row<uint8_t>(row), out, count);
}

void make_entries(KernelRun& run, int arguments, size_t bytes, Span span) {
  const std::optional<Shape> shape = common_shape(run, arguments);
  if (!shape) return;
  uint8_t* const out = run.make(0, *shape);
  if (out == nullptr || shape->count() == 0) return;
  EntryRuns(run, arguments, *shape)
      .each([&](int64_t at, int64_t count, unsigned mask, const uint8_t* const* in) {
        span(out + static_cast<size_t>(at) * bytes, count, mask, in);
      });
}

void make_checked_entries(KernelRun& run, int arguments, size_t bytes, CheckedSpan span) {
  const std::optional<Shape> shape = common_shape(run, arguments);
  if (!shape) return;
  uint8_t* const out = run.make(0, *shape);
  const int64_t row_count = shape->count();
  if (out == nullptr || row_count == 0) return;
  const auto visit = [&](int64_t at, int64_t count, unsigned mask, const uint8_t* const* in) {
    std::array<const uint8_t*, EntryRuns::kMostArguments> from = {};
    for (int64_t k = 0; k < count;) {
      for (size_t i = 0; i < static_cast<size_t>(arguments); ++i) {
        const auto size = static_cast<int64_t>(dtype_size(run.arg(static_cast<int>(i)).dtype));
        from[i] = in[i] + ((mask >> i & 1) != 0 ? k * size : 0);
      }
      const char* wrong = nullptr;
      k += span(out + static_cast<size_t>(at + k) * bytes, count - k, mask, from.data(), &wrong);
      if (wrong == nullptr) return;
      // The rest of the row is passed over.
      const int64_t row = (at + k) / row_count;
      run.fail(static_cast<int>(row), invalid_argument(wrong));
      k = (row + 1) * row_count - at;
    }
  };
  EntryRuns(run, arguments, *shape).each(visit);
}

}  // namespace weir::elementwise
