#include "core/joined_errors.h"

#include <memory>

namespace weir {

ErrorPtr joined(const ErrorPtr& first, std::span<const ErrorPtr> others) noexcept try {
  if (first->position_lost) return first;
  std::shared_ptr<Error> out;
  for (const ErrorPtr& other : others) {
    if (other->position_lost) return other;
    if (other->parts.others.empty() && (other->read == 0 || other->read == first->read)) continue;
    if (!out) out = std::make_shared<Error>(*first);
    out->parts.others.push_back(other);
  }
  return out ? out : first;
} catch (...) {
  return first;
}

}  // namespace weir
