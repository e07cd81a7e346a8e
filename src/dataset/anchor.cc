#include "dataset/anchor.h"

#include "core/checked.h"

namespace weir {

AnchorFields::AnchorFields() = default;
AnchorFields::AnchorFields(const AnchorFields& other) = default;
AnchorFields::AnchorFields(AnchorFields&& other) noexcept = default;
AnchorFields::~AnchorFields() = default;
Anchor::~Anchor() = default;

void AnchorFields::state(Archive& archive) {
  archive("ordinal", ordinal, 0, kMostCounted);
  archive("values", values, 0, ordinal);
  archive("fresh", fresh);
  archive("bytes", bytes);
  archive("openings", openings);
  if (archive.loading() ? archive.next_is("names") : !names.empty()) archive("names", names);
}

}  // namespace weir
