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
    Meaning{"None", "write none; a count is left out instead"},
    Meaning{"AUTOTUNE", "tf.data's AUTOTUNE is written auto"},
    Meaning{"TFRecordDataset", "tf.data's TFRecordDataset is tfrecord(files)"},
    Meaning{"TextLineDataset", "tf.data's TextLineDataset is text_line(files)"},
    Meaning{"FixedLengthRecordDataset",
            "tf.data's FixedLengthRecordDataset is fixed_length_record(files, …)"},
    Meaning{"CsvDataset", "tf.data's CsvDataset is csv(files, …)"},
    Meaning{"SqlDataset", "tf.data's SqlDataset is sql(…)"},
    Meaning{"Dataset", "a dataset begins with a source, as in range(10) | batch(2)"},
    Meaning{"from_tensor", "for one element it is from_tensors(value)"},
    Meaning{"parse_single_example", "it is parse_example, for one record as for a vector of them"},
    Meaning{"parse_single_sequence_example", "it is parse_sequence_example(r, {context}, {lists})"},
    Meaning{"int", "Python's int is int64"},
    Meaning{"float", "Python's float is float64; TensorFlow's default is float32"},
    Meaning{"str", "as_string(x) makes text"},
    Meaning{"len", "shape(x)[0] is the length"},
    Meaning{"length", "shape(x)[0] is the length of a tensor"},
    Meaning{"lambda", "a lambda is written x -> x + 1, without the word"},
};

// Python modules, which functions don't need here.
constexpr std::array<std::string_view, 7> kModules = {"tf", "np", "numpy", "jnp", "jax", "torch", "math"};

bool is_module(std::string_view word) {
  return std::find(kModules.begin(), kModules.end(), word) != kModules.end();
}

}  // namespace

std::string nearest_hint(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view sign) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? "" : concat("did you mean ", sign, near, "?");
}

std::string hint_for(std::string_view word, const std::vector<std::string>& candidates) {
  for (const Meaning& meaning : kForeign) {
    if (meaning.word == word) return std::string(meaning.hint);
  }
  if (is_module(word))
    return "functions and operators have no prefix: cast(x, float32), range(10) | batch(2)";
  return nearest_hint(word, candidates);
}

std::string hint_for_member(std::string_view prefix, std::string_view word) {
  if (!is_module(prefix)) return "";
  for (const Meaning& meaning : kForeign) {
    if (meaning.word == word) return std::string(meaning.hint);
  }
  return concat("names have no prefix: write ", word);
}

std::string hint_for_call(std::string_view prefix, std::string_view word) {
  if (is_module(prefix)) return concat("functions have no prefix: write ", word, "(…)");
  if (word == "astype" || word == "to") return "a dtype's name converts, as in float32(x)";
  return concat("a transformation is written … | ", word, "(…), a function ", word, "(x)");
}

}  // namespace weir::syntax
