// The functions adjust_… and random_… of images: an effect of colour.h whose number is given or drawn for
// each row.
//
//   .infer = adjust_infer<colour::Contrast, AdjustBy::drawn_between>
#pragma once

#include <optional>
#include <string>

#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/colour.h"
#include "expr/kernels/shared/draw.h"
#include "expr/kernels/shared/elementwise.h"
#include "expr/kernels/shared/image_shape.h"

namespace weir {

// Where the number of a row comes from.
enum class AdjustBy : uint8_t {
  given,          // argument 1
  drawn_up_to,    // drawn from [-m, m), m being argument 1
  drawn_turn,     // the same, with m up to 0.5
  drawn_between,  // drawn from [low, high), arguments 1 and 2
};

namespace adjust {

template <class Effect, AdjustBy kBy>
constexpr ImageRule rule_of() {
  constexpr bool kGiven = kBy == AdjustBy::given;
  if constexpr (std::is_same_v<Effect, colour::Brightness>) {
    return {.function = kGiven ? "adjust_brightness" : "random_brightness", .least_rank = 0};
  } else if constexpr (std::is_same_v<Effect, colour::Contrast>) {
    return {.function = kGiven ? "adjust_contrast" : "random_contrast"};
  } else if constexpr (std::is_same_v<Effect, colour::Saturation>) {
    return {.function = kGiven ? "adjust_saturation" : "random_saturation", .channels = 3};
  } else {
    return {.function = kGiven ? "adjust_hue" : "random_hue", .channels = 3};
  }
}

// What is wrong with the bounds of a draw, if anything.
inline std::optional<Mistake> mistake(AdjustBy by, float first, float second) {
  constexpr float kMost = std::numeric_limits<float>::max();
  if (by == AdjustBy::given) return std::nullopt;
  if (by == AdjustBy::drawn_between) {
    if (first >= 0.0f && second > first && second <= kMost) return std::nullopt;
    return expected_found("finite bounds, low of 0 and more and high above low",
                          concat(std::to_string(first), " and ", std::to_string(second)));
  }
  if (first >= 0.0f && first <= (by == AdjustBy::drawn_turn ? 0.5f : kMost)) return std::nullopt;
  const char* expected =
      by == AdjustBy::drawn_turn ? "a max_delta from 0 to 0.5" : "a finite max_delta of 0 and more";
  return expected_found(expected, std::to_string(first));
}

inline float number_of(AdjustBy by, const KernelRun& run, int row, float first, float second) {
  if (by == AdjustBy::given) return first;
  if (by == AdjustBy::drawn_between) return draw_between(row_philox(run, row), 0, first, second);
  return draw_between(row_philox(run, row), 0, -first, first);
}

// Computes `rows` rows that lie one after the other.
template <class Effect, class T>
void images(const Shape& shape, int64_t rows, const uint8_t* from, uint8_t* to, float number) {
  const auto* const in = reinterpret_cast<const T*>(from);
  auto* const out = reinterpret_cast<T*>(to);
  const int64_t count = shape.count();
  if (count == 0) return;
  if constexpr (std::is_same_v<Effect, colour::Contrast>) {
    const int rank = shape.rank();
    const colour::Size size{shape[rank - 3] * shape[rank - 2], shape[rank - 1]};
    const int64_t image = size.pixels * size.channels;
    for (int64_t at = 0; at < rows * count; at += image) {
      colour::adjust<Effect>(in + at, out + at, size, number);
    }
  } else {
    constexpr int64_t kChannels = std::is_same_v<Effect, colour::Brightness> ? 1 : 3;
    colour::adjust<Effect>(in, out, {rows * count / kChannels, kChannels}, number);
  }
}

using Images = void (*)(const Shape& shape, int64_t rows, const uint8_t* in, uint8_t* out, float number);

// What all bodies do; it differs by the rows' loop.
inline void make_images(KernelRun& run, const ImageRule& rule, AdjustBy by, Images images) {
  const Arg& x = run.arg(0);
  if (!check_image(run, x.shape, rule)) return;
  uint8_t* const out = run.make(0, x.shape);
  if (out == nullptr) return;
  if (by == AdjustBy::given && (run.arg(1).stride == 0 || run.rows() == 1) && is_flat(run, x))
    return images(x.shape, run.rows(), x.data, out, *run.arg(1).row<float>(0));
  for (int i = 0; i < run.rows(); ++i) {
    const float first = *run.arg(1).row<float>(i);
    const float second = by == AdjustBy::drawn_between ? *run.arg(2).row<float>(i) : 0.0f;
    if (const std::optional<Mistake> wrong = mistake(by, first, second)) {
      run.fail(i, invalid_argument(concat(rule.function, ": ", wrong->sentence())));
      continue;
    }
    const float number = number_of(by, run, i, first, second);
    images(x.shape, 1, x.row<uint8_t>(i), out + static_cast<size_t>(i) * x.row_bytes(), number);
  }
}

template <class Effect, class T, AdjustBy kBy>
void body(KernelRun& run) {
  constexpr ImageRule kRule = rule_of<Effect, kBy>();
  make_images(run, kRule, kBy, images<Effect, T>);
}

}  // namespace adjust

template <class Effect, AdjustBy kBy>
Status adjust_infer(KernelCall& call) {
  constexpr int kNumbers = kBy == AdjustBy::drawn_between ? 2 : 1;
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() { call.body(adjust::body<Effect, T, kBy>); });
  if (!known) return wrong_dtype(call, 0, "an image of an integer or float dtype");
  constexpr ImageRule kRule = adjust::rule_of<Effect, kBy>();
  WEIR_TRY(check_image(call, 0, kRule));
  float numbers[2] = {};
  bool numbers_known = true;
  for (int i = 0; i < kNumbers; ++i) {
    WEIR_TRY(check_scalar(call, i + 1, "a number"));
    const Tensor* constant = call.constant(i + 1);
    numbers_known = numbers_known && constant != nullptr;
    if (constant != nullptr) numbers[i] = *constant->as<float>();
  }
  if (numbers_known) {
    const std::optional<Mistake> wrong = adjust::mistake(kBy, numbers[0], numbers[1]);
    if (wrong) return call.error(1, *wrong);
  }
  call.result(call.dtype(0), call.shape(0));
  const bool numbers_fail = kBy != AdjustBy::given && !numbers_known;
  call.set_can_fail(numbers_fail || may_be_no_image(call.shape(0), kRule));
  return Status();
}

}  // namespace weir
