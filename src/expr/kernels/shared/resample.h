// Resampler: makes images of one size from images of another, as TensorFlow's kernels for half-pixel centres
// do, to the bit.
//
//   const auto resampler = make_resampler(ResizeMethod::bilinear, false, from, 224, 224, reader);
//   resampler->resample(image, out);
//
// Works in float32, an axis at a time. One thread at a time may use it.
#pragma once

#include <cstdint>
#include <memory>

#include "expr/kernels/shared/image.h"

namespace weir {

enum class ResizeMethod : uint8_t { bilinear, nearest, area, bicubic };

// Rows of pixels of some dtype as float32.
struct RowReader {
  // The bytes of a sample.
  size_t size = 0;
  // They are uint8.
  bool bytes = false;
  void (*load)(const uint8_t* row, float* out, int64_t count) = nullptr;
  // sum[i] += row[i] * weight
  void (*add)(const uint8_t* row, float weight, float* sum, int64_t count) = nullptr;
};

class Resampler {
 public:
  virtual ~Resampler() = default;
  // Reads one image and writes one.
  virtual void resample(const uint8_t* image, float* out) = 0;
};

// `antialias` is for bilinear and bicubic: a pixel of a smaller result is the average of the pixels that it
// covers.
// REQUIRES: all extents are above 0; method is not nearest
std::unique_ptr<Resampler> make_resampler(ResizeMethod method, bool antialias, const ImageView& from,
                                          int64_t height, int64_t width, const RowReader& reader);

// The source of each of `to` pixels along an axis of `from`.
void nearest_sources(int64_t from, int64_t to, int64_t* out);

}  // namespace weir
