// Hints for words that mean nothing here: the equivalents of Python and tf.data words, and similarly spelt
// names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/grammar.h"

namespace weir::syntax {

// "did you mean NEAR?", what a word of another library is written as here, or nothing. `sign` is put before
// each name.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view sign = "");

// A hint if there is nothing called `word`, or nothing. `candidates` are the names that are allowed there.
// `elsewhere` has a line "NAME NAME …: HOW IT IS WRITTEN" for names of other libraries and languages, in
// small letters with underscores.
std::string hint_for(std::string_view word, const std::vector<std::string>& candidates,
                     std::string_view elsewhere = {});

// The same for a call PREFIX.WORD(…) as in Python: a module's function, a tensor's or dataset's method.
// `prefix` is the name in front, or empty if it is something else.
std::string hint_for_call(std::string_view prefix, std::string_view word, const Grammars& grammars);

// The same for a member of a Python module: tf.data.AUTOTUNE, np.float32. Nothing if `prefix` is no such
// module.
std::string hint_for_member(std::string_view prefix, std::string_view word);

}  // namespace weir::syntax
