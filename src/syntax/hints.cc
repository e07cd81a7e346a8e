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
    Meaning{"DataLoader", "a loader is written dataset | shuffle(n) | batch(n) | prefetch(auto)"},
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

// Names of other libraries and languages, in small letters with underscores, for what `target` does. They are
// hints only where `target` may stand.
struct Elsewhere {
  std::string_view word;
  std::string_view target;
  std::string_view written;
};
constexpr std::array kElsewhere = {
    Elsewhere{"for_each", "map", "map(x -> …)"},
    Elsewhere{"foreach", "map", "map(x -> …)"},
    Elsewhere{"apply", "map", "map(x -> …)"},
    Elsewhere{"transform", "map", "map(x -> …)"},
    Elsewhere{"select", "map", "map(d -> {d.a, …})"},
    Elsewhere{"project", "map", "map(d -> {d.a, …})"},
    Elsewhere{"with_column", "map", "map(d -> {d.a, new: …})"},
    Elsewhere{"pmap", "map", "map(x -> …, num_parallel_calls: auto)"},
    Elsewhere{"par_map", "map", "map(x -> …, num_parallel_calls: auto)"},
    Elsewhere{"parallel_map", "map", "map(x -> …, num_parallel_calls: auto)"},
    Elsewhere{"map_parallel", "map", "map(x -> …, num_parallel_calls: auto)"},
    Elsewhere{"map_with_index", "enumerate", "enumerate() | map((i, x) -> …)"},
    Elsewhere{"mapi", "enumerate", "enumerate() | map((i, x) -> …)"},
    Elsewhere{"map_indexed", "enumerate", "enumerate() | map((i, x) -> …)"},
    Elsewhere{"with_index", "enumerate", "enumerate()"},
    Elsewhere{"zip_with_index", "enumerate", "enumerate()"},
    Elsewhere{"indexed", "enumerate", "enumerate()"},
    Elsewhere{"pairs", "enumerate", "enumerate()"},
    Elsewhere{"filter_map", "filter", "filter(x -> …) | map(x -> …)"},
    Elsewhere{"where", "filter", "filter(x -> …)"},
    Elsewhere{"reject", "filter", "filter(x -> not …)"},
    Elsewhere{"sample", "filter", "filter(x -> random_uniform([]) < 0.1)"},
    Elsewhere{"random_sample", "filter", "filter(x -> random_uniform([]) < 0.1)"},
    Elsewhere{"head", "take", "take(n)"},
    Elsewhere{"limit", "take", "take(n)"},
    Elsewhere{"first", "take", "take(1)"},
    Elsewhere{"top", "take", "take(n)"},
    Elsewhere{"random_split", "take", "take(n) for one part and skip(n) for the other"},
    Elsewhere{"train_test_split", "take", "take(n) for one part and skip(n) for the other"},
    Elsewhere{"drop", "skip", "skip(n)"},
    Elsewhere{"offset", "skip", "skip(n)"},
    Elsewhere{"step_by", "shard", "shard(n, 0), every n-th element"},
    Elsewhere{"every", "shard", "shard(n, 0), every n-th element"},
    Elsewhere{"stride", "shard", "shard(n, 0), every n-th element"},
    Elsewhere{"take_every", "shard", "shard(n, 0), every n-th element"},
    Elsewhere{"chunk", "batch", "batch(n)"},
    Elsewhere{"chunks", "batch", "batch(n)"},
    Elsewhere{"chunked", "batch", "batch(n)"},
    Elsewhere{"chunks_exact", "batch", "batch(n, drop_remainder: true)"},
    Elsewhere{"array_chunks", "batch", "batch(n, drop_remainder: true)"},
    Elsewhere{"group", "batch", "batch(n)"},
    Elsewhere{"collate", "batch", "batch(n), or padded_batch(n) for elements of unequal shapes"},
    Elsewhere{"collate_fn", "batch", "batch(n), or padded_batch(n) for elements of unequal shapes"},
    Elsewhere{"collect", "batch", "batch(n); the program that reads the elements has them without it"},
    Elsewhere{"to_list", "batch", "batch(n); the program that reads the elements has them without it"},
    Elsewhere{"list", "batch", "batch(n); the program that reads the elements has them without it"},
    Elsewhere{"to_array", "batch", "batch(n); the program that reads the elements has them without it"},
    Elsewhere{"as_numpy_iterator", "batch", "by the program that reads the elements; leave it out"},
    Elsewhere{"data_loader", "batch", "shuffle(n) | batch(n) | prefetch(auto)"},
    Elsewhere{"flatten", "unbatch", "unbatch() for tensors, flat_map(d -> d) for datasets"},
    Elsewhere{"explode", "unbatch", "unbatch()"},
    Elsewhere{"unchunk", "unbatch", "unbatch()"},
    Elsewhere{"flat", "unbatch", "unbatch() for tensors, flat_map(d -> d) for datasets"},
    Elsewhere{"buffer", "prefetch", "prefetch(n)"},
    Elsewhere{"buffered", "prefetch", "prefetch(n)"},
    Elsewhere{"read_ahead", "prefetch", "prefetch(n)"},
    Elsewhere{"shuffle_buffer", "shuffle", "shuffle(n)"},
    Elsewhere{"shuffled", "shuffle", "shuffle(n)"},
    Elsewhere{"buffered_shuffle", "shuffle", "shuffle(n)"},
    Elsewhere{"random_shuffle", "shuffle", "shuffle(n)"},
    Elsewhere{"permute", "shuffle", "shuffle(n), or global_shuffle() where elements have positions"},
    Elsewhere{"cycle", "repeat", "repeat()"},
    Elsewhere{"loop", "repeat", "repeat()"},
    Elsewhere{"fold", "reduce", "reduce(initial, (s, x) -> …)"},
    Elsewhere{"foldl", "reduce", "reduce(initial, (s, x) -> …)"},
    Elsewhere{"fold_left", "reduce", "reduce(initial, (s, x) -> …)"},
    Elsewhere{"aggregate", "reduce", "reduce(initial, (s, x) -> …)"},
    Elsewhere{"sum", "reduce", "reduce(0, (s, x) -> s + x)"},
    Elsewhere{"count", "reduce", "reduce(0, (n, x) -> n + 1)"},
    Elsewhere{"accumulate", "scan", "scan(initial, (s, x) -> (s, …))"},
    Elsewhere{"cumsum", "scan", "scan(0, (s, x) -> (s + x, s + x))"},
    Elsewhere{"distinct", "unique", "unique()"},
    Elsewhere{"dedup", "unique", "unique()"},
    Elsewhere{"drop_duplicates", "unique", "unique()"},
    Elsewhere{"union", "concatenate", "concatenate(other)"},
    Elsewhere{"chain", "concatenate", "concatenate(other)"},
    Elsewhere{"append", "concatenate", "concatenate(other)"},
    Elsewhere{"extend", "concatenate", "concatenate(other)"},
    Elsewhere{"concat", "concatenate", "concatenate(other)"},
    Elsewhere{"group_by", "group_by_window", "group_by_window(key, …) or group_by_reducer(key, …)"},
    Elsewhere{"group_by_key", "group_by_window", "group_by_window(key, …) or group_by_reducer(key, …)"},
    Elsewhere{"sliding", "window", "window(n, shift: 1)"},
    Elsewhere{"sliding_window", "window", "window(n, shift: 1)"},
    Elsewhere{"rolling", "window", "window(n, shift: 1)"},
    Elsewhere{"memoize", "cache", "cache()"},
    Elsewhere{"persist", "cache", "cache()"},
    Elsewhere{"zip_with", "map", "zip(a, b) | map((x, y) -> …)"},
    Elsewhere{"map_zip", "map", "zip(a, b) | map((x, y) -> …)"},
    Elsewhere{"zip_with", "zip", "zip(a, b) | map((x, y) -> …)"},
    Elsewhere{"map_zip", "zip", "zip(a, b) | map((x, y) -> …)"},
    Elsewhere{"from_list", "from_tensor_slices", "from_tensor_slices([…])"},
    Elsewhere{"from_array", "from_tensor_slices", "from_tensor_slices([…])"},
    Elsewhere{"from_numpy", "from_tensor_slices", "from_tensor_slices([…])"},
    Elsewhere{"from_iter", "from_generator", "from_generator(…)"},
    Elsewhere{"read_csv", "csv", "csv(files, …)"},
    Elsewhere{"read_text", "text_line", "text_line(files)"},
    Elsewhere{"lines", "text_line", "text_line(files)"},
    Elsewhere{"glob", "list_files", "list_files(\"*.tfrecord\")"},
    Elsewhere{"power", "pow", "pow(x, y)"},
    Elsewhere{"clamp", "clip", "clip(x, least, most)"},
    Elsewhere{"clip_by_value", "clip", "clip(x, least, most)"},
    Elsewhere{"unsqueeze", "expand_dims", "expand_dims(x, axis)"},
    Elsewhere{"view", "reshape", "reshape(x, […])"},
    Elsewhere{"cat", "concat", "concat([a, b], axis)"},
    Elsewhere{"dot", "matmul", "matmul(a, b)"},
    Elsewhere{"flip", "reverse", "reverse(x, axis)"},
    Elsewhere{"reduce_sum", "sum", "sum(x)"},
    Elsewhere{"reduce_mean", "mean", "mean(x)"},
    Elsewhere{"reduce_max", "max", "max(x)"},
    Elsewhere{"reduce_min", "min", "min(x)"},
    Elsewhere{"reduce_prod", "prod", "prod(x)"},
    Elsewhere{"reduce_any", "any", "any(x)"},
    Elsewhere{"reduce_all", "all", "all(x)"},
    Elsewhere{"string_to_number", "to_number", "to_number(x)"},
};

// What documents of later versions may have.
constexpr std::array<std::string_view, 15> kPlanned = {
    "jsonl",        "parse_json", "parquet",   "webdataset", "npy",       "npz",     "decode_npy", "tokens",
    "mix_datasets", "schedule",   "to_device", "pack",       "partition", "without", "only"};

// Python modules, which functions don't need here.
constexpr std::array<std::string_view, 7> kModules = {"tf", "np", "numpy", "jnp", "jax", "torch", "math"};

bool is_module(std::string_view word) {
  return std::find(kModules.begin(), kModules.end(), word) != kModules.end();
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

std::string elsewhere_hint(std::string_view word, const std::vector<std::string>& candidates) {
  for (const Elsewhere& each : kElsewhere) {
    if (each.word != word || std::find(candidates.begin(), candidates.end(), each.target) == candidates.end())
      continue;
    return concat("it is written ", each.written);
  }
  return "";
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
  if (std::find(kPlanned.begin(), kPlanned.end(), word) != kPlanned.end())
    return concat(word, " is not in this version");
  if (is_module(word))
    return "functions and operators have no prefix: cast(x, float32), range(10) | batch(2)";
  const std::string name = with_underscores(word);
  if (std::string hint = elsewhere_hint(name, candidates); !hint.empty()) return hint;
  const std::string near = nearest_hint(word, candidates);
  return near.empty() ? nearest_hint(name, candidates) : near;
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
