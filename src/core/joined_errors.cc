#include "core/joined_errors.h"

#include <memory>

namespace weir {

ErrorPtr joined(const ErrorPtr& first, const ErrorPtr& other) noexcept try {
  if (first->position_lost) return first;
  if (other->position_lost) return other;
  if (other->parts.others.empty() && (other->read == 0 || other->read == first->read)) return first;
  auto out = std::make_shared<Error>(*first);
  out->parts.others.push_back(other);
  return out;
} catch (...) {
  return first;
}

}  // namespace weir
