// Hints for words that mean nothing here: what is meant by those of Python and tf.data, what the language has
// but this version does not, and names that are spelt nearly so.
//
// Ownership: yields strings. Threads: pure functions. Errors: none. Cost: a look through a short table and
// the candidates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::syntax {

// "did you mean NEAR?" with the candidate that is spelt nearly so, or nothing.
// `sign` stands before each name.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view sign = "");

// What helps whoever finds that there is nothing called `word`, or nothing. `candidates` are the names
// that could stand there.
std::string hint_for(std::string_view word, const std::vector<std::string>& candidates);

// The same for what is called as PREFIX.WORD(…) in Python: a module's function, a tensor's or dataset's
// method. `prefix` is the name in front, or empty where something else stands there.
std::string hint_for_call(std::string_view prefix, std::string_view word);

// The same for a member of a Python module: tf.data.AUTOTUNE, np.float32. Nothing where `prefix` is no such module.
std::string hint_for_member(std::string_view prefix, std::string_view word);

// The names that hint_for() calls planned, so that a test finds those that are there by now.
std::vector<std::string> planned_names();

}  // namespace weir::syntax
