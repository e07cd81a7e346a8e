// Handed: what a caller gives along with a text: callbacks, datasets and tensors, named `@NAME` or `@1` in
// it.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "core/ref.h"
#include "core/spec.h"
#include "core/value.h"
#include "expr/types/callback.h"

namespace weir {

class Document;  // graph/document.h

// A nested value; a tensor is the simplest.
struct HandedValue {
  Spec spec;
  Components values;
};

using HandedThing = std::variant<CallbackRef, RefPtr<const Document>, HandedValue>;

// By the word after the `@`: a name, or a decimal number.
using Handed = std::map<std::string, HandedThing, std::less<>>;

}  // namespace weir
