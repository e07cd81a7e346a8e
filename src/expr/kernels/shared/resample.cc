#include "expr/kernels/shared/resample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "core/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weir {

namespace {

// The loops below run over vectors of four floats, the most channels that images usually have. Buffers have
// room for a vector at their last pixel.
constexpr size_t kPadding = 4;
using Four [[gnu::vector_size(16), gnu::aligned(4)]] = float;

Four load_four(const float* from) { return *reinterpret_cast<const Four*>(from); }
void store_four(float* to, Four value) { *reinterpret_cast<Four*>(to) = value; }

float scale_of(int64_t from, int64_t to) { return static_cast<float>(from) / static_cast<float>(to); }

// Where the centre of a pixel lies, counted in pixels of the source from the centre of its first one.
float centre(int64_t i, float scale) { return (static_cast<float>(i) + 0.5f) * scale - 0.5f; }

// out[i] = a[i] + (b[i] - a[i]) * share
[[gnu::always_inline]] inline void mix_loop(const float* __restrict a, const float* __restrict b, float share,
                                            float* __restrict out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = a[i] + (b[i] - a[i]) * share;
}
[[gnu::noinline]] void mix_baseline(const float* a, const float* b, float share, float* out, int64_t count) {
  mix_loop(a, b, share, out, count);
}
[[gnu::noinline]] WEIR_TARGET_AVX2 void mix_avx2(const float* a, const float* b, float share, float* out,
                                                 int64_t count) {
  mix_loop(a, b, share, out, count);
}
void mix(const float* a, const float* b, float share, float* out, int64_t count) {
  if (cpu_level() >= CpuLevel::avx2) return mix_avx2(a, b, share, out, count);
  mix_baseline(a, b, share, out, count);
}

// Two neighbours of the result: at which byte the first of the two pixels begins that each of them lies
// between.
struct BytePair {
  int32_t at[2];
};

#if defined(__x86_64__)

// For pixels of three bytes, the most common ones: two of the result at a time, without a row of floats in
// between. Reads five bytes past a pixel and writes one float past a pair. shares: that of each pixel, four
// times.
[[gnu::noinline]] WEIR_TARGET_AVX2 void stretch_bytes(const uint8_t* row, std::span<const BytePair> pairs,
                                                      const float* shares, float* out) {
  // Four bytes from the first of both pixels, and four from the second, become 32 bits wide.
  const __m256i first = _mm256_setr_epi8(0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3, -1, -1, -1, 8, -1,
                                         -1, -1, 9, -1, -1, -1, 10, -1, -1, -1, 11, -1, -1, -1);
  const __m256i second = _mm256_setr_epi8(3, -1, -1, -1, 4, -1, -1, -1, 5, -1, -1, -1, 6, -1, -1, -1, 11, -1,
                                          -1, -1, 12, -1, -1, -1, 13, -1, -1, -1, 14, -1, -1, -1);
  for (const BytePair& pair : pairs) {
    int64_t left = 0;
    int64_t right = 0;
    std::memcpy(&left, row + pair.at[0], sizeof left);
    std::memcpy(&right, row + pair.at[1], sizeof right);
    const __m256i bytes = _mm256_broadcastsi128_si256(_mm_set_epi64x(right, left));
    const __m256 lower = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, first));
    const __m256 upper = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, second));
    const __m256 value =
        _mm256_add_ps(lower, _mm256_mul_ps(_mm256_sub_ps(upper, lower), _mm256_loadu_ps(shares)));
    _mm_storeu_ps(out, _mm256_castps256_ps128(value));
    _mm_storeu_ps(out + 3, _mm256_extractf128_ps(value, 1));
    shares += 8;
    out += 6;
  }
}

#else

// Needs CpuLevel::avx2.
void stretch_bytes(const uint8_t*, std::span<const BytePair>, const float*, float*) {}

#endif

// Between which pixels each pixel lies, and how far from the first.
struct Pair {
  int64_t lower;
  int64_t upper;
  float share;
};

std::vector<Pair> pairs_of(int64_t from, int64_t to) {
  std::vector<Pair> out(static_cast<size_t>(to));
  const float scale = scale_of(from, to);
  for (int64_t i = 0; i < to; ++i) {
    const float at = centre(i, scale);
    const float floor = std::floor(at);
    // Rounding may go past the last pixel of a very long axis.
    out[static_cast<size_t>(i)] = {.lower = std::clamp<int64_t>(static_cast<int64_t>(floor), 0, from - 1),
                                   .upper = std::min(static_cast<int64_t>(std::ceil(at)), from - 1),
                                   .share = at - floor};
  }
  return out;
}

class Bilinear : public Resampler {
 public:
  Bilinear(const ImageView& from, int64_t height, int64_t width, const RowReader& reader)
      : from_(from),
        reader_(reader),
        rows_(pairs_of(from.height, height)),
        columns_(pairs_of(from.width, width)),
        row_(static_cast<size_t>(from.width * from.channels) + kPadding) {
    for (Pair& pair : columns_) {
      pair.lower *= from.channels;
      pair.upper *= from.channels;
    }
    // An odd last pixel is computed twice.
    for (std::vector<float>& line : lines_) {
      line.resize((columns_.size() + 1) * static_cast<size_t>(from.channels) + kPadding);
    }
    // Of a single column, five bytes past a pixel may be past the image.
    if (reader.bytes && from.channels == 3 && from.width > 1 && from.width <= kMostBytes &&
        cpu_level() >= CpuLevel::avx2) {
      pair_up();
    }
  }

  void resample(const uint8_t* image, float* out) override {
    loaded_ = {-1, -1};
    const auto count = static_cast<int64_t>(columns_.size()) * from_.channels;
    for (const Pair& pair : rows_) {
      const float* lower = line(image, pair.lower, pair.upper);
      const float* upper = line(image, pair.upper, pair.lower);
      mix(lower, upper, pair.share, out, count);
      out += count;
    }
  }

 private:
  // The row `y` of the image in the new width; keeps the row `other`.
  const float* line(const uint8_t* image, int64_t y, int64_t other) {
    for (size_t k = 0; k < 2; ++k) {
      if (loaded_[k] == y) return lines_[k].data();
    }
    const size_t k = loaded_[0] == other ? 1 : 0;
    loaded_[k] = y;
    const int64_t samples = from_.width * from_.channels;
    const uint8_t* row = image + static_cast<size_t>(y * samples) * reader_.size;
    if (!byte_pairs_.empty()) {
      // The bytes after the last row belong to somebody else.
      if (y == from_.height - 1) {
        row = static_cast<const uint8_t*>(std::memcpy(row_.data(), row, static_cast<size_t>(samples)));
      }
      stretch_bytes(row, byte_pairs_, shares_.data(), lines_[k].data());
    } else {
      reader_.load(row, row_.data(), samples);
      stretch(row_.data(), lines_[k].data());
    }
    return lines_[k].data();
  }

  // Prepares stretch_bytes().
  void pair_up() {
    for (size_t i = 0; i < columns_.size(); i += 2) {
      BytePair pair{};
      for (size_t k = 0; k < 2; ++k) {
        const Pair& column = columns_[std::min(i + k, columns_.size() - 1)];
        pair.at[k] = static_cast<int32_t>(column.lower);
        // At the edges both are one pixel, and the next one counts nothing.
        shares_.insert(shares_.end(), 4, column.upper == column.lower ? 0.0f : column.share);
      }
      byte_pairs_.push_back(pair);
    }
  }

  void stretch(const float* row, float* out) const {
    const int64_t channels = from_.channels;
    if (channels == 3 || channels == 4) {
      for (const Pair& pair : columns_) {
        const Four lower = load_four(row + pair.lower);
        store_four(out, lower + (load_four(row + pair.upper) - lower) * pair.share);
        out += channels;
      }
      return;
    }
    for (const Pair& pair : columns_) {
      for (int64_t c = 0; c < channels; ++c) {
        const float lower = row[pair.lower + c];
        *out++ = lower + (row[pair.upper + c] - lower) * pair.share;
      }
    }
  }

  // Offsets of stretch_bytes() fit 32 bits.
  static constexpr int64_t kMostBytes = 1 << 28;

  ImageView from_;
  RowReader reader_;
  std::vector<Pair> rows_;
  std::vector<Pair> columns_;
  std::vector<float> row_;
  // Two rows of the new width, and which ones they are.
  std::array<std::vector<float>, 2> lines_;
  std::array<int64_t, 2> loaded_ = {-1, -1};
  std::vector<BytePair> byte_pairs_;
  std::vector<float> shares_;
};

// The pixels that each pixel is a weighted sum of.
struct Spans {
  struct Span {
    int64_t first;
    int64_t count;
    size_t weights;
  };
  std::vector<Span> spans;
  std::vector<float> weights;

  const float* weights_of(const Span& span) const { return weights.data() + span.weights; }

  void add(int64_t first, std::span<const float> values) {
    spans.push_back(
        {.first = first, .count = static_cast<int64_t>(values.size()), .weights = weights.size()});
    weights.insert(weights.end(), values.begin(), values.end());
  }
};

// Divides by the sum, unless that is next to nothing.
void normalize(std::span<float> weights) {
  float sum = 0.0f;
  for (const float weight : weights) sum += weight;
  if (std::fabs(sum) < 1000.0f * std::numeric_limits<float>::min()) return;
  const float factor = 1.0f / sum;
  for (float& weight : weights) weight *= factor;
}

// Keys' cubic, a = -1/2, at 1,024 places between two pixels: the weights of the nearer and the farther
// neighbour.
constexpr int64_t kPlaces = 1024;
std::array<float, 2> cubic_weights(int64_t place) {
  constexpr double kA = -0.5;
  const auto near = static_cast<float>(static_cast<double>(place) / static_cast<double>(kPlaces));
  const float far = near + 1.0f;
  return {static_cast<float>(((kA + 2) * near - (kA + 3)) * near * near + 1),
          static_cast<float>(((kA * far - 5 * kA) * far + 8 * kA) * far - 4 * kA)};
}

Spans cubic_spans(int64_t from, int64_t to) {
  Spans out;
  const float scale = scale_of(from, to);
  for (int64_t i = 0; i < to; ++i) {
    const float at = centre(i, scale);
    const int64_t floor = std::min(static_cast<int64_t>(std::floor(at)), from - 1);
    const float share = std::min(at - static_cast<float>(floor), 1.0f);
    const int64_t place = std::lrint(share * static_cast<float>(kPlaces));
    const std::array<float, 2> left = cubic_weights(place);
    const std::array<float, 2> right = cubic_weights(kPlaces - place);
    std::array<float, 4> weights = {left[1], left[0], right[0], right[1]};
    // Those outside the image count nothing.
    const int64_t first = std::max<int64_t>(0, floor - 1);
    const int64_t last = std::min(from - 1, floor + 2);
    const auto inside = std::span(weights).subspan(static_cast<size_t>(first - (floor - 1)),
                                                   static_cast<size_t>(last - first + 1));
    normalize(inside);
    out.add(first, inside);
  }
  return out;
}

float triangle(float x) { return x < 1.0f ? 1.0f - x : 0.0f; }
float keys_cubic(float x) {
  if (x >= 2.0f) return 0.0f;
  if (x >= 1.0f) return ((-0.5f * x + 2.5f) * x - 4.0f) * x + 2.0f;
  return ((1.5f * x - 2.5f) * x) * x + 1.0f;
}

// TensorFlow's ScaleAndTranslate: the kernel is as wide as the pixels that one of the result stands for.
Spans filter_spans(int64_t from, int64_t to, float (*kernel)(float), float radius) {
  Spans out;
  const float inverse = 1.0f / (static_cast<float>(to) / static_cast<float>(from));
  const float stretch = std::max(inverse, 1.0f);
  const float factor = 1.0f / stretch;
  std::vector<float> weights;
  for (int64_t i = 0; i < to; ++i) {
    const float at = (static_cast<float>(i) + 0.5f) * inverse;
    const auto begin = static_cast<int64_t>(std::ceil(at - radius * stretch - 0.5f));
    const auto end = static_cast<int64_t>(std::floor(at + radius * stretch - 0.5f));
    const int64_t first = std::clamp<int64_t>(begin, 0, from - 1);
    const int64_t last = std::clamp<int64_t>(end, 0, from - 1);
    weights.clear();
    for (int64_t k = first; k <= last; ++k) {
      weights.push_back(kernel(std::fabs((static_cast<float>(k) + 0.5f - at) * factor)));
    }
    normalize(weights);
    out.add(first, weights);
  }
  return out;
}

// Sums of pixels of a row.
void gather(const Spans& columns, int64_t channels, const float* row, float* out) {
  if (channels == 3 || channels == 4) {
    for (const Spans::Span& span : columns.spans) {
      const float* weights = columns.weights_of(span);
      const float* from = row + span.first * channels;
      Four sum = {};
      for (int64_t k = 0; k < span.count; ++k) sum += load_four(from + k * channels) * weights[k];
      store_four(out, sum);
      out += channels;
    }
    return;
  }
  for (const Spans::Span& span : columns.spans) {
    const float* weights = columns.weights_of(span);
    const float* from = row + span.first * channels;
    for (int64_t c = 0; c < channels; ++c) {
      float sum = 0.0f;
      for (int64_t k = 0; k < span.count; ++k) sum += from[k * channels + c] * weights[k];
      *out++ = sum;
    }
  }
}

// Sums first over rows, then over columns.
class Filter : public Resampler {
 public:
  Filter(const ImageView& from, Spans rows, Spans columns, const RowReader& reader)
      : from_(from),
        reader_(reader),
        rows_(std::move(rows)),
        columns_(std::move(columns)),
        sum_(static_cast<size_t>(from.width * from.channels) + kPadding),
        line_(columns_.spans.size() * static_cast<size_t>(from.channels) + kPadding) {}

  void resample(const uint8_t* image, float* out) override {
    const int64_t samples = from_.width * from_.channels;
    const size_t row_bytes = static_cast<size_t>(samples) * reader_.size;
    const size_t count = line_.size() - kPadding;
    for (const Spans::Span& span : rows_.spans) {
      const float* weights = rows_.weights_of(span);
      std::fill(sum_.begin(), sum_.end(), 0.0f);
      for (int64_t k = 0; k < span.count; ++k) {
        reader_.add(image + static_cast<size_t>(span.first + k) * row_bytes, weights[k], sum_.data(),
                    samples);
      }
      gather(columns_, from_.channels, sum_.data(), line_.data());
      out = std::copy_n(line_.data(), count, out);
    }
  }

 private:
  ImageView from_;
  RowReader reader_;
  Spans rows_;
  Spans columns_;
  std::vector<float> sum_;
  std::vector<float> line_;
};

// How much of each pixel of the source a pixel covers.
Spans area_spans(int64_t from, int64_t to) {
  Spans out;
  const float scale = scale_of(from, to);
  std::vector<float> weights;
  for (int64_t i = 0; i < to; ++i) {
    const float begin = static_cast<float>(i) * scale;
    const float end = static_cast<float>(i + 1) * scale;
    const auto first = static_cast<int64_t>(std::floor(begin));
    const auto last = static_cast<int64_t>(std::ceil(end)) - 1;
    weights.clear();
    for (int64_t k = first; k <= last; ++k) {
      const auto left = static_cast<float>(k);
      const float right = left + 1.0f;
      if (left < begin) {
        weights.push_back(right > end ? scale : right - begin);
      } else {
        weights.push_back(right > end ? end - left : 1.0f);
      }
      // Rounding may reach past the last pixel, which then counts again.
      if (k >= from && weights.size() > 1) {
        weights[weights.size() - 2] += weights.back();
        weights.pop_back();
      }
    }
    out.add(std::min(first, from - 1), weights);
  }
  return out;
}

// Sums first over columns, then over rows.
class Area : public Resampler {
 public:
  Area(const ImageView& from, int64_t height, int64_t width, const RowReader& reader)
      : from_(from),
        reader_(reader),
        rows_(area_spans(from.height, height)),
        columns_(area_spans(from.width, width)),
        factor_(1.0f / (scale_of(from.height, height) * scale_of(from.width, width))),
        row_(static_cast<size_t>(from.width * from.channels) + kPadding),
        line_(columns_.spans.size() * static_cast<size_t>(from.channels) + kPadding) {}

  void resample(const uint8_t* image, float* out) override {
    const int64_t samples = from_.width * from_.channels;
    const size_t count = line_.size() - kPadding;
    int64_t loaded = -1;
    for (const Spans::Span& span : rows_.spans) {
      const float* weights = rows_.weights_of(span);
      std::fill_n(out, count, 0.0f);
      for (int64_t k = 0; k < span.count; ++k) {
        // Two rows of the result may share one.
        if (const int64_t y = span.first + k; y != loaded) {
          reader_.load(image + static_cast<size_t>(y * samples) * reader_.size, row_.data(), samples);
          gather(columns_, from_.channels, row_.data(), line_.data());
          loaded = y;
        }
        for (size_t i = 0; i < count; ++i) out[i] += line_[i] * weights[k];
      }
      for (size_t i = 0; i < count; ++i) out[i] *= factor_;
      out += count;
    }
  }

 private:
  ImageView from_;
  RowReader reader_;
  Spans rows_;
  Spans columns_;
  float factor_;
  std::vector<float> row_;
  std::vector<float> line_;
};

}  // namespace

std::unique_ptr<Resampler> make_resampler(ResizeMethod method, bool antialias, const ImageView& from,
                                          int64_t height, int64_t width, const RowReader& reader) {
  if (method == ResizeMethod::area) return std::make_unique<Area>(from, height, width, reader);
  const bool cubic = method == ResizeMethod::bicubic;
  if (antialias) {
    const auto spans = [&](int64_t in, int64_t out) {
      return cubic ? filter_spans(in, out, keys_cubic, 2.0f) : filter_spans(in, out, triangle, 1.0f);
    };
    return std::make_unique<Filter>(from, spans(from.height, height), spans(from.width, width), reader);
  }
  if (!cubic) return std::make_unique<Bilinear>(from, height, width, reader);
  return std::make_unique<Filter>(from, cubic_spans(from.height, height), cubic_spans(from.width, width),
                                  reader);
}

void nearest_sources(int64_t from, int64_t to, int64_t* out) {
  const float scale = scale_of(from, to);
  for (int64_t i = 0; i < to; ++i) {
    const auto at = static_cast<int64_t>(std::floor((static_cast<float>(i) + 0.5f) * scale));
    out[i] = std::clamp<int64_t>(at, 0, from - 1);
  }
}

}  // namespace weir
