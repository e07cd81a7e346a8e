#include "ops/shuffling/mix_turns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/text.h"

namespace weir {

namespace {

using Integer = MixTurns::Integer;

// Digits after the point; with more, sums would not fit.
constexpr int kMostDigits = 30;
constexpr int64_t kMostDatasets = 1 << 16;

// A decimal: digits * 10 ^ -places.
struct Decimal {
  int64_t digits = 0;
  int places = 0;
};

// The shortest that reads back. REQUIRES: finite, >= 0
template <class T>
Decimal decimal_of(T value) {
  std::array<char, 64> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  const std::string_view all(text.data(), static_cast<size_t>(end - text.data()));
  const size_t exponent = all.find('e');
  Decimal out;
  bool after_point = false;
  for (const char c : all.substr(0, exponent)) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    out.digits = 10 * out.digits + (c - '0');
    out.places += after_point ? 1 : 0;
  }
  int power = 0;
  const char* from = text.data() + exponent + 1;
  std::from_chars(*from == '+' ? from + 1 : from, end, power);
  out.places -= power;
  if (out.digits == 0) out.places = 0;
  return out;
}

Integer power_of_ten(int exponent) {
  Integer out = 1;
  for (; exponent > 0; --exponent) out *= 10;
  return out;
}

// invalid_argument, with the number of the weight.
template <class T>
Status read(std::span<const T> weights, std::vector<Decimal>& out) {
  for (const T weight : weights) {
    const auto number = static_cast<int64_t>(out.size());
    // Also refuses what is no number.
    if (!(weight >= 0 && weight <= 1))
      return invalid_argument(
          expected_found("weights from 0 to 1", concat("another one for dataset ", number)));
    out.push_back(decimal_of(std::abs(weight)));
    if (out.back().places > kMostDigits) {
      return invalid_argument(
          expected_found(concat("weights of at most ", kMostDigits, " digits after the point"),
                         concat(out.back().places, " for dataset ", number), "leave out what is so rare"));
    }
  }
  return Status();
}

std::string text_of(Integer numerator, Integer denominator) {
  const auto parts = static_cast<double>(numerator) / static_cast<double>(denominator);
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), parts).ptr};
}

}  // namespace

Result<MixTurns> MixTurns::make(const Tensor& weights, int64_t count) {
  if (weights.count() != count || count > kMostDatasets) {
    return invalid_argument(expected_found(concat("a weight for each of the ", count, " datasets"),
                                           concat(weights.count(), " weights")));
  }
  const bool single = weights.dtype == DType::float32;
  std::vector<Decimal> decimals;
  WEIR_TRY(single ? read(weights.entries<const float>(), decimals)
                  : read(weights.entries<const double>(), decimals));
  int places = 0;
  for (const Decimal& decimal : decimals) places = std::max(places, decimal.places);
  MixTurns out;
  Integer sum = 0;
  for (const Decimal& decimal : decimals) {
    out.weights_.push_back(decimal.digits * power_of_ten(places - decimal.places));
    sum += out.weights_.back();
  }
  const Integer one = power_of_ten(places);
  const Integer rounding = count * (one >> (single ? 24 : 53));
  if (sum - one > rounding || one - sum > rounding) {
    return invalid_argument(expected_found("weights that add up to 1", concat("a sum of ", text_of(sum, one)),
                                           "divide each by their sum"));
  }
  out.scores_.resize(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    if (out.weights_[static_cast<size_t>(i)] > 0) out.active_.push_back(static_cast<int32_t>(i));
  }
  out.begin_round();
  out.mark();
  return out;
}

void MixTurns::begin_round() noexcept {
  sum_ = 0;
  for (const int32_t i : active_) sum_ += weights_[static_cast<size_t>(i)];
  std::fill(scores_.begin(), scores_.end(), 0);
}

bool MixTurns::active(int64_t dataset) const {
  return std::binary_search(active_.begin(), active_.end(), static_cast<int32_t>(dataset));
}

int64_t MixTurns::take() noexcept {
  int32_t greatest = active_[0];
  Integer most = -sum_;
  for (const int32_t i : active_) {
    Integer& score = scores_[static_cast<size_t>(i)];
    score += weights_[static_cast<size_t>(i)];
    if (score > most) {
      most = score;
      greatest = i;
    }
  }
  scores_[static_cast<size_t>(greatest)] -= sum_;
  return greatest;
}

void MixTurns::go_back(int turns) noexcept {
  std::copy(marked_.begin(), marked_.end(), scores_.begin());
  for (int i = 0; i < turns; ++i) take();
}

void MixTurns::close(int64_t dataset) noexcept {
  std::erase(active_, static_cast<int32_t>(dataset));
  begin_round();
}

namespace {

// As two numbers each.
std::vector<int64_t> halves(const std::vector<Integer>& numbers) {
  std::vector<int64_t> out;
  for (const Integer number : numbers) {
    out.push_back(static_cast<int64_t>(number >> 64));
    out.push_back(static_cast<int64_t>(static_cast<uint64_t>(number)));
  }
  return out;
}

Integer joined(int64_t high, int64_t low) {
  __extension__ using Bits = unsigned __int128;
  return static_cast<Integer>(static_cast<Bits>(static_cast<uint64_t>(high)) << 64 |
                              static_cast<uint64_t>(low));
}

}  // namespace

void MixTurns::state(Archive& archive) {
  std::vector<int64_t> weights = halves(weights_);
  std::vector<int64_t> scores = halves(scores_);
  archive("weights", weights);
  archive("scores", scores);
  if (!archive.loading() || !archive.status().ok()) return;
  begin_round();
  if (weights != halves(weights_)) return;
  bool fits = scores.size() == weights.size();
  Integer total = 0;
  for (size_t i = 0; fits && i < scores_.size(); ++i) {
    const Integer score = joined(scores[2 * i], scores[2 * i + 1]);
    fits = active(static_cast<int64_t>(i))
               ? score > -sum_ && score < sum_ * static_cast<Integer>(scores_.size())
               : score == 0;
    scores_[i] = score;
    total += fits ? score : 0;
  }
  if (!fits || total != 0) archive.fail("the turns of a mix_datasets are damaged");
}

}  // namespace weir
