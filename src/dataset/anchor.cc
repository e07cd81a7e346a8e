#include "dataset/anchor.h"

#include <memory>
#include <utility>

#include "core/checked.h"
#include "core/error_state.h"

namespace weir {

AnchorFields::AnchorFields() = default;
AnchorFields::AnchorFields(const AnchorFields& other) = default;
AnchorFields::AnchorFields(AnchorFields&& other) noexcept = default;
AnchorFields::~AnchorFields() = default;
Anchor::~Anchor() = default;

void AnchorFields::own_state(Archive& archive) {
  archive("ordinal", ordinal, 0, kMostCounted);
  archive("values", values, 0, ordinal);
  archive("fresh", fresh);
  archive("bytes", bytes);
  archive("openings", openings);
  if (archive.loading() ? archive.next_is("names") : !names.empty()) archive("names", names);
}

void AnchorFields::cut_state(Archive& archive, Cut& cut) {
  const int64_t first = cuts.empty() || &cut == &cuts.front() ? ordinal : (&cut - 1)->next();
  archive("at", cut.ordinal, first, kMostCounted);
  bool failed = cut.error != nullptr;
  bool anchored = cut.anchor != nullptr;
  archive("failed", failed);
  archive("anchored", anchored);
  archive("again", cut.again);
  if (failed) {
    Error error;
    if (cut.error) error = *cut.error;
    error_state(archive, error);
    error.read_failed = true;
    if (archive.loading()) cut.error = std::make_shared<Error>(std::move(error));
  }
  if (!anchored) {
    if (!failed) archive.fail("a cut has neither an error nor an anchor");
    return;
  }
  if (cut.again) return archive.fail("a cut has an anchor and must fail again");
  AnchorFields after = cut.anchor ? AnchorFields(*cut.anchor) : AnchorFields();
  after.own_state(archive);
  if (after.fresh || after.ordinal != cut.next()) return archive.fail("a cut and its anchor do not meet");
  if (archive.loading()) cut.anchor = make_ref<Anchor>(std::move(after));
}

void AnchorFields::state(Archive& archive) {
  own_state(archive);
  if (archive.loading() ? !archive.next_is("cuts") : cuts.empty()) return;
  auto count = static_cast<int64_t>(cuts.size());
  archive("cuts", count, 1, kMostCuts);
  if (archive.loading()) cuts.assign(archive.status().ok() ? static_cast<size_t>(count) : 0, Cut());
  for (Cut& cut : cuts) {
    if (archive.status().ok()) cut_state(archive, cut);
  }
}

}  // namespace weir
