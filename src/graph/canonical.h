// The canonical tree of a document: arguments of operators and functions in one order and without defaults,
// datasets passed by name written out, small tensors as literals; and the other values passed by name.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "core/digest.h"
#include "graph/document.h"
#include "syntax/tree.h"

namespace weir {

// Tensors with more entries print as `@1`.
inline constexpr int64_t kMaxPrintedEntries = 1000;

struct Canonical {
  syntax::NodePtr root;
  // The values of the printed `@` words: callbacks, and values that are too large or have no literal.
  Handed handed;
};

Canonical canonical(const Document& document);

// Digests of a canonical tree.
GraphDigest digest_of(const Canonical& tree);
Fingerprint fingerprint_of(const Canonical& tree);

// The tree without the arguments that any position fits (Allows::any_position), and what only they name:
// graphs for which this is equal have the same positions. `mentioned`: null, or gets the names of the $params
// that are left.
Canonical positional(const Canonical& tree, std::set<std::string>* mentioned = nullptr);

// A part of a text with the arguments of its operators in canonical form, without those that say only how
// elements are made. The files of snapshot are known by its hash, so names and functions stay as written.
syntax::NodePtr canonical_part(const syntax::NodePtr& node);

// The hash of a value passed by name; 0 for callbacks, whose names differ.
uint64_t hash_of_thing(const HandedThing& thing);

// A nested value as a literal, or null if it is too large or has no literal.
syntax::NodePtr literal_of_value(const HandedValue& value);

}  // namespace weir
