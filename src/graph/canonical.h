// The canonical tree of a document: arguments in one order and without defaults, datasets handed in written
// out, small tensors as literals; and what remains handed in.
#pragma once

#include <cstdint>

#include "core/digest.h"
#include "graph/document.h"
#include "syntax/tree.h"

namespace weir {

// Tensors with more entries print as `@1`.
inline constexpr int64_t kMaxPrintedEntries = 1000;

struct Canonical {
  syntax::NodePtr root;
  // What the printed `@` words stand for: callbacks, and values too large or of a kind that has no literal.
  Handed handed;
};

Canonical canonical(const Document& document);

// Digests of a canonical tree.
GraphDigest digest_of(const Canonical& tree);
Fingerprint fingerprint_of(const Canonical& tree);

// The tree without the arguments that say only how elements are made (Allows::any_position): graphs for which this is
// equal have the same positions.
Canonical positional(const Canonical& tree);

// A part of a text in canonical form, without the arguments that say only how elements are made.
syntax::NodePtr canonical_part(const syntax::NodePtr& node);

// The hash of what was handed in; 0 for callbacks, which their names tell apart.
uint64_t hash_of_thing(const HandedThing& thing);

// A nested value as a literal, or null if it is too large or has no literal.
syntax::NodePtr literal_of_value(const HandedValue& value);

}  // namespace weir
