#include "syntax/hints.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace weir::syntax {
namespace {

struct Meaning {
  std::string_view word;
  std::string_view hint;
};

// What people write who know Python and tf.data.
constexpr std::array kForeign = {
    Meaning{"True", "write true"},
    Meaning{"False", "write false"},
    Meaning{"None", "write none; a count is left out, and a value that is missing is nothing(int64)"},
    Meaning{"AUTOTUNE", "tf.data's AUTOTUNE is written auto"},
    Meaning{"TFRecordDataset", "tf.data's TFRecordDataset is tfrecord(files)"},
    Meaning{"TextLineDataset", "tf.data's TextLineDataset is text_line(files)"},
    Meaning{"FixedLengthRecordDataset",
            "tf.data's FixedLengthRecordDataset is fixed_length_record(files, …)"},
    Meaning{"CsvDataset", "tf.data's CsvDataset is csv(files, …)"},
    Meaning{"SqlDataset", "tf.data's SqlDataset is sql(…)"},
    Meaning{"Dataset", "a dataset begins with a source, as in range(10) | batch(2)"},
    Meaning{"DataLoader", "a loader is written dataset | shuffle(n) | batch(n) | prefetch(auto)"},
    Meaning{"from_tensor", "for one element it is from_tensors(value)"},
    Meaning{"parse_single_example", "it is parse_example, for one record as for a vector of them"},
    Meaning{"parse_single_sequence_example", "it is parse_sequence_example(r, {context}, {lists})"},
    Meaning{"int", "Python's int is int64"},
    Meaning{"float", "Python's float is float64; TensorFlow's default is float32"},
    Meaning{"str", "the dtype of text is string; as_string(x) makes text"},
    Meaning{"len", "shape(x)[0] is the length"},
    Meaning{"length", "shape(x)[0] is the length of a tensor"},
    Meaning{"lambda", "a lambda is written x -> x + 1, without the word"},
};

// Names of other libraries and languages, in small letters with underscores, for what the function `target`
// does. They are hints only where `target` may stand.
struct Elsewhere {
  std::string_view word;
  std::string_view target;
  std::string_view written;
};
constexpr std::array kElsewhere = {
    Elsewhere{"power", "pow", "pow(x, y)"},
    Elsewhere{"clamp", "clip", "clip(x, least, most)"},
    Elsewhere{"clip_by_value", "clip", "clip(x, least, most)"},
    Elsewhere{"unsqueeze", "expand_dims", "expand_dims(x, axis)"},
    Elsewhere{"view", "reshape", "reshape(x, […])"},
    Elsewhere{"cat", "concat", "concat([a, b], axis)"},
    Elsewhere{"dot", "matmul", "matmul(a, b)"},
    Elsewhere{"flip", "reverse", "reverse(x, axis)"},
    Elsewhere{"map_fn", "rows", "rows(x, r -> …)"},
    Elsewhere{"vectorized_map", "rows", "rows(x, r -> …)"},
    Elsewhere{"vmap", "rows", "rows(x, r -> …)"},
    Elsewhere{"apply_along_axis", "rows", "rows(x, r -> …)"},
    Elsewhere{"string_to_number", "to_number", "to_number(x)"},
    // Parameters.
    Elsewhere{"sep", "delim", "delim"},
    Elsewhere{"delimiter", "delim", "delim"},
    Elsewhere{"drop_last", "drop_remainder", "drop_remainder"},
    Elsewhere{"bs", "n", "n"},
    Elsewhere{"dim", "axis", "axis"},
    Elsewhere{"num_workers", "num_parallel_calls", "num_parallel_calls"},
};

// Python modules, which functions don't need here.
constexpr std::array<std::string_view, 7> kModules = {"tf", "np", "numpy", "jnp", "jax", "torch", "math"};

bool is_among(const auto& names, std::string_view word) {
  return std::ranges::find(names, word) != names.end();
}

// "flatMap" as "flat_map", which is what it is called here.
std::string with_underscores(std::string_view word) {
  std::string out;
  for (const char c : word) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !out.empty()) out += '_';
    out += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// The text after "WORD …: " in the line of `lines` that names the word, or nothing.
std::string_view written_here(std::string_view word, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const size_t colon = line.find(": ");
    std::string_view words = line.substr(0, colon);
    while (!words.empty()) {
      const std::string_view each = words.substr(0, words.find(' '));
      if (each == word) return line.substr(colon + 2);
      words.remove_prefix(std::min(words.size(), each.size() + 1));
    }
  }
  return {};
}

std::string elsewhere_hint(std::string_view word, const std::vector<std::string>& candidates,
                           std::string_view elsewhere) {
  if (const std::string_view written = written_here(word, elsewhere); !written.empty())
    return concat("it is written ", written);
  for (const Elsewhere& each : kElsewhere) {
    if (each.word == word && is_among(candidates, each.target)) return concat("it is written ", each.written);
  }
  const std::string_view reduced = word.starts_with("reduce_") ? word.substr(word.find('_') + 1) : "";
  return is_among(candidates, reduced) ? concat("it is written ", reduced, "(x)") : "";
}

std::string_view meaning_of(std::string_view word) {
  const auto found =
      std::ranges::find_if(kForeign, [&](const Meaning& meaning) { return meaning.word == word; });
  return found == kForeign.end() ? "" : found->hint;
}

}  // namespace

std::string nearest_hint(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view sign) {
  if (std::string hint = elsewhere_hint(word, candidates, ""); !hint.empty()) return hint;
  const std::string near = nearest(word, candidates);
  return near.empty() ? "" : concat("did you mean ", sign, near, "?");
}

std::string hint_for(std::string_view word, const std::vector<std::string>& candidates,
                     std::string_view elsewhere) {
  if (const std::string_view meaning = meaning_of(word); !meaning.empty()) return std::string(meaning);
  if (is_among(kModules, word))
    return "functions and operators have no prefix: cast(x, float32), range(10) | batch(2)";
  const std::string name = with_underscores(word);
  if (std::string hint = elsewhere_hint(name, candidates, elsewhere); !hint.empty()) return hint;
  const std::string near = nearest_hint(word, candidates);
  return near.empty() ? nearest_hint(name, candidates) : near;
}

std::string hint_for_member(std::string_view prefix, std::string_view word) {
  if (!is_among(kModules, prefix)) return "";
  if (const std::string_view meaning = meaning_of(word); !meaning.empty()) return std::string(meaning);
  return concat("names have no prefix: write ", word);
}

std::string hint_for_call(std::string_view prefix, std::string_view word, const Grammars& grammars) {
  const bool module = is_among(kModules, prefix);
  if (!module && (word == "astype" || word == "to")) return "a dtype's name converts, as in float32(x)";
  const bool function = grammars.knows(CalleeKind::function, word);
  if (module && function) return concat("functions have no prefix: write ", word, "(…)");
  if (grammars.knows(CalleeKind::transformation, word))
    return concat("a transformation is written … | ", word, "(…)", function ? ", a function " : "",
                  function ? concat(word, "(x)") : "");
  if (function) return concat("it is written ", word, "(…)");
  const std::string hint =
      hint_for(word, grammars.names(CalleeKind::function), grammars.elsewhere(CalleeKind::function));
  return concat(
      module ? "functions have no prefix" : "a transformation is written … | name(…), a function name(x)",
      hint.empty() ? "" : "; ", hint);
}

}  // namespace weir::syntax
