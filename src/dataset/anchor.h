// Anchor: a saved position of an input. Rows from its ordinal on can be made again from it. Immutable once
// shared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/ref.h"

namespace weir {

class Anchor;
using AnchorRef = RefPtr<const Anchor>;

struct AnchorFields {
  // Out of line, as they are long.
  AnchorFields();
  AnchorFields(const AnchorFields& other);
  AnchorFields(AnchorFields&& other) noexcept;
  ~AnchorFields();

  int64_t ordinal = 0;
  // The number of elements before it, as Port::values() counts them.
  int64_t values = 0;
  // True for an anchor at a fresh opening, which has no state.
  bool fresh = false;
  std::string bytes;
  // Of a position: the openings between the anchor and it, as Openings writes them.
  std::vector<uint64_t> openings;
  // The names that were found there, likewise.
  std::vector<uint64_t> names;

  void state(Archive& archive);
};

class Anchor : public RefCounted, public AnchorFields {
 public:
  Anchor() = default;
  explicit Anchor(AnchorFields fields) : AnchorFields(std::move(fields)) {}
  ~Anchor() override;
};

}  // namespace weir
