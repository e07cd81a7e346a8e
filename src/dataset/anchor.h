// Anchor: a saved position of an input. Rows from its ordinal on can be made again from it, except where a
// cut says otherwise. Immutable once shared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/ref.h"

namespace weir {

class Anchor;
using AnchorRef = RefPtr<const Anchor>;

// A place that a replay of the rows before it does not reach, because a file could not be read there and may
// be readable now.
struct Cut {
  int64_t ordinal = 0;
  // The error of that row; null if an operator below left it out, so that the cut lies before the row.
  ErrorPtr error;
  // Where the following rows begin; null if the input continues after the row in any case.
  AnchorRef anchor;
  // There was no memory for an anchor: a replay must fail there as well, or it cannot continue.
  bool again = false;

  int64_t next() const { return error ? ordinal + 1 : ordinal; }
};

struct AnchorFields {
  static constexpr size_t kMostCuts = 64;

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
  // Of a position: the openings between the anchor and it, or the first cut with an anchor, as Openings
  // writes them.
  std::vector<uint64_t> openings;
  // The names that were found there, likewise.
  std::vector<uint64_t> names;
  // In their order, at most kMostCuts. Their anchors have no cuts.
  std::vector<Cut> cuts;

  void state(Archive& archive);

 private:
  void own_state(Archive& archive);
  void cut_state(Archive& archive, Cut& cut);
};

class Anchor : public RefCounted, public AnchorFields {
 public:
  Anchor() = default;
  explicit Anchor(AnchorFields fields) : AnchorFields(std::move(fields)) {}
  ~Anchor() override;
};

}  // namespace weir
