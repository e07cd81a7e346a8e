#include "dataset/params.h"

#include <memory>
#include <stdexcept>

#include "core/text.h"

namespace weir {
namespace {

bool is_expression(const Field& field) {
  return std::visit(
      [](const auto* slot) {
        using T = std::remove_cvref_t<decltype(*slot)>;
        if constexpr (is_scalar_param<T>) return slot->state == T::State::expression;
        if constexpr (std::is_base_of_v<ValueParam, T> || std::is_same_v<T, SeedParam>)
          return slot->expression != nullptr;
        return false;
      },
      field.slot);
}

// Names the values that the bounds allow.
std::string expectation(const Bounds& bounds) {
  bool has_high = bounds.high != std::numeric_limits<int64_t>::max();
  if (bounds.low == std::numeric_limits<int64_t>::min()) return concat("at most ", bounds.high);
  return has_high ? concat("a number from ", bounds.low, " to ", bounds.high)
                  : concat("at least ", bounds.low, bounds.also ? concat(" or ", *bounds.also) : "");
}

}  // namespace

bool has_expressions(ParamsBase& params) {
  Fields fields;
  params.fields(fields);
  for (const Field& field : fields.list) {
    if (is_expression(field)) return true;
  }
  return false;
}

FieldSequence& FieldSequence::operator=(const FieldSequence& other) {
  size_ = other.size_;
  std::uninitialized_copy(other.begin(), other.end(), fields_);
  return *this;
}

void FieldSequence::push_back(const Field& field) {
  if (size_ == kMost) throw std::length_error("an operator has too many parameters");
  new (&fields_[size_++]) Field(field);
}

Status check_bounds(const Field& field) {
  const auto& [low, high, also] = field.bounds;
  if (auto* const* slot = std::get_if<IntParam*>(&field.slot); slot && (*slot)->is_constant()) {
    int64_t found = **(*slot);
    if ((found >= low && found <= high) || found == also) return {};
    return with_parameter(invalid_argument(expected_found(expectation(field.bounds), concat(found))),
                          field.name);
  }
  if (auto* const* slot = std::get_if<FloatParam*>(&field.slot); slot && (*slot)->is_constant()) {
    double found = **(*slot);
    bool low_ok = low == std::numeric_limits<int64_t>::min() || found >= static_cast<double>(low);
    bool high_ok = high == std::numeric_limits<int64_t>::max() || found <= static_cast<double>(high);
    if (low_ok && high_ok && found == found) return {};
    return with_parameter(invalid_argument(expected_found(expectation(field.bounds), std::to_string(found))),
                          field.name);
  }
  return {};
}

}  // namespace weir
