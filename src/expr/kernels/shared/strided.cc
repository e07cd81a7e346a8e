#include "expr/kernels/shared/strided.h"

#include <algorithm>
#include <cstring>

#include "expr/kernels/shared/move.h"

namespace weir {

namespace {

// A tile of entries is read and written while it is in the first-level cache.
constexpr int64_t kTile = 32;

template <class E>
void copy_line(const E* from, E* __restrict to, int64_t count, int64_t stride) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(E));
  } else if (stride == 0) {
    std::fill_n(to, count, *from);
  } else if (stride == -1) {
    for (int64_t k = 0; k < count; ++k) to[k] = from[-k];
  } else {
    for (int64_t k = 0; k < count; ++k) to[k] = from[k * stride];
  }
}

// to[i][j] = from[i + j * stride], for i below `height` and j below `width`; rows of `to` are `step` apart.
template <class E>
void copy_tile(const E* from, E* __restrict to, int64_t height, int64_t width, int64_t stride, int64_t step) {
  if (width < kTile / 2) {
    for (int64_t j = 0; j < width; ++j) {
      for (int64_t i = 0; i < height; ++i) to[i * step + j] = from[i + j * stride];
    }
    return;
  }
  for (int64_t i = 0; i < height; ++i) {
    for (int64_t j = 0; j < width; ++j) to[i * step + j] = from[i + j * stride];
  }
}

}  // namespace

void StridedCopy::add(int64_t extent, int64_t stride) {
  // Partial products may overflow if there is a dimension of 0.
  count_ = wrap::multiply(count_, extent);
  if (extent == 1) return;
  const int last = rank_ - 1;
  if (rank_ > 0 && stride_[last] == wrap::multiply(stride, extent)) {
    extent_[last] = wrap::multiply(extent_[last], extent);
    stride_[last] = stride;
    return;
  }
  extent_[rank_] = extent;
  stride_[rank_++] = stride;
}

// Walks all dimensions but the last and the one whose entries are adjacent, `across`.
template <class E>
void StridedCopy::copy_tiles(const E* from, E* to, int across) const {
  const int last = rank_ - 1;
  const int64_t height = extent_[across];
  const int64_t width = extent_[last];
  int64_t step[kMaxDims];
  int64_t size = 1;
  for (int d = last; d >= 0; --d) {
    step[d] = size;
    size *= extent_[d];
  }
  const int64_t rounds = count_ / (height * width);
  int64_t at[kMaxDims] = {};
  for (int64_t round = 0; round < rounds; ++round) {
    const E* in = from;
    E* out = to;
    for (int d = 0; d < last; ++d) {
      in += at[d] * stride_[d];
      out += at[d] * step[d];
    }
    for (int64_t i = 0; i < height; i += kTile) {
      for (int64_t j = 0; j < width; j += kTile) {
        copy_tile(in + i + j * stride_[last], out + i * step[across] + j, std::min(kTile, height - i),
                  std::min(kTile, width - j), stride_[last], step[across]);
      }
    }
    for (int d = last - 1; d >= 0; --d) {
      if (d == across) continue;
      if (++at[d] < extent_[d]) break;
      at[d] = 0;
    }
  }
}

template <class E>
void StridedCopy::copy_entries(const E* from, E* to) const {
  if (rank_ == 0) {
    *to = *from;
    return;
  }
  const int last = rank_ - 1;
  const int64_t width = extent_[last];
  if (stride_[last] > 1 || stride_[last] < -1) {
    const int across = static_cast<int>(std::find(stride_, stride_ + last, 1) - stride_);
    if (across < last) return copy_tiles(from, to, across);
  }
  int64_t at[kMaxDims] = {};
  for (int64_t done = 0; done < count_; done += width) {
    copy_line(from, to + done, width, stride_[last]);
    int d = last - 1;
    for (; d >= 0 && at[d] == extent_[d] - 1; --d) {
      from -= at[d] * stride_[d];
      at[d] = 0;
    }
    if (d < 0) return;
    ++at[d];
    from += stride_[d];
  }
}

void StridedCopy::copy(const uint8_t* from, uint8_t* to, size_t size) const {
  if (count_ == 0) return;
  from += offset_ * static_cast<int64_t>(size);
  visit_size(size,
             [&]<class E>() { copy_entries(reinterpret_cast<const E*>(from), reinterpret_cast<E*>(to)); });
}

void StridedCopy::rows(const KernelRun& run, const Arg& x, uint8_t* to) const {
  const size_t size = dtype_size(x.dtype);
  if (count_ == 0) return;
  if (run.rows() > 1 && x.stride % static_cast<int64_t>(size) == 0) {
    StridedCopy all;
    all.add(run.rows(), x.stride / static_cast<int64_t>(size));
    for (int d = 0; d < rank_; ++d) all.add(extent_[d], stride_[d]);
    all.set_offset(offset_);
    return all.copy(x.data, to, size);
  }
  const size_t bytes = static_cast<size_t>(count_) * size;
  for (int i = 0; i < run.rows(); ++i) copy(x.row<uint8_t>(i), to + static_cast<size_t>(i) * bytes, size);
}

}  // namespace weir
