// Text to tree: documents, values of parameters, element specs.
//
// A Tree owns its copy of the text; `grammars` is borrowed for the call. Errors are invalid_argument, each
// mistake at its place, for render() in source.h. Memory is proportional to the text, which kMaxSourceBytes
// bounds; parsing takes up to 512 KiB of stack.
#pragma once

#include <string>
#include <string_view>

#include "core/status.h"
#include "syntax/grammar.h"
#include "syntax/tree.h"

namespace weir::syntax {

// A whole document; the root is a Kind::document.
Result<Tree> parse_document(std::string source, const Grammars& grammars);

// Whether a text is at most one argument of a call, or one spec: it closes every bracket and string that it
// opens and no other, and no comma parts it. Parsing tells the rest.
bool is_one_argument(std::string_view text);

// One value, as for `-p NAME=VALUE`: a number, string, list, tuple, dict, true …; a bare word is a string.
Result<Tree> parse_value(std::string source);

// One element spec; the root is a Kind::spec_….
Result<Tree> parse_spec(std::string source);

}  // namespace weir::syntax
