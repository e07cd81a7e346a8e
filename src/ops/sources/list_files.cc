// list_files(pattern, shuffle, seed): the names of the files that match, globbed when the graph is built.
// Sorted, or in a new random order each epoch. Checkpoint: that of the list and its shuffle. A position among
// other names would mean something else; the names of a pattern from a variable are known to the Ports above.
#include <algorithm>

#include "core/text.h"
#include "dataset/access.h"
#include "dataset/compose.h"
#include "dataset/found_names.h"
#include "format/record_index.h"
#include "fs/file_system.h"
#include "ops/list.h"

namespace weir::list_files_op {

namespace {

struct Params : ParamsOf<Params> {
  ValueParam pattern;
  BoolParam shuffle{true};
  SeedParam seed;
  void fields(Fields& f) override {
    f("pattern", pattern,
      "A glob pattern or a list of them. Within one part of a path, `*` matches any characters, `?` one character (of UTF-8), `[a-z]` one of these; `\\` before one of them takes it literally.",
      {}, {.names = Naming::patterns});
    f("shuffle", shuffle, "A new random order each epoch; if false, sorted.");
    f("seed", seed, "The seed of the order.");
  }
};

const OperatorDef& found_operator();

struct FoundParams : ParamsOf<FoundParams> {
  RefPtr<const FoundNames> names;
  bool at_opening = false;
  void fields(Fields&) override {}
  static const OperatorDef& op() { return found_operator(); }
};

// The names in order; the node keeps what a checkpoint needs to know about them.
struct Found {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const FoundParams& params) {
    if (params.at_opening) WEIR_TRY(list_names(opening.ctx, *opening.node, params.names));
    return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, opening.node->inputs()[0]));
  }
};

const OperatorDef& found_operator() {
  static const OperatorDef def = define<FoundParams, Found>({
      .name = "found",
      .page = {.doc = "Names, and a digest of them."},
      .typing = {.cardinality = same_cardinality},
      .position = {.found_names =
                       [](const ParamsBase& params) {
                         return static_cast<const FoundParams&>(params).names;
                       }},
      .access = {.open = [](Opening& opening,
                            const ParamsBase&) { return open_access(opening.ctx, opening.input(0)); }},
  });
  return def;
}

class ListFiles final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef names, expansion(opening, params));
    return std::unique_ptr<Cursor>(std::make_unique<ListFiles>(opening, names));
  }
  ListFiles(Opening& opening, const DatasetRef& names)
      : rows_(opening.ctx, opening.inner(names),
              opening.node->dynamic() ? Port::Mode::whole : Port::Mode::pass) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    const PullResult got = rows_.pull(ctx, demand, out);
    rows_.consume_all();
    return got;
  }

  void state(Archive& archive) override { rows_.state(archive); }

 private:
  // Of a pattern from a variable, the only anchor is the opening, which has a digest of the names.
  Port rows_;
};

std::string patterns_of(const Params& params) {
  std::string out;
  for (const Str& pattern : params.pattern.values[0].entries<const Str>()) {
    out += concat(out.empty() ? "" : ", ", quote(pattern.view()));
  }
  return out;
}

std::string_view place_of(const Params& params) {
  std::vector<std::string_view> patterns;
  for (const Str& pattern : params.pattern.values[0].entries<const Str>()) patterns.push_back(pattern.view());
  return patterns.empty() ? "" : patterns[0].substr(0, place_size(patterns, Naming::patterns));
}

Result<std::vector<std::string>> glob_all(const Params& params, Runtime& runtime) {
  std::vector<std::string> names;
  for (const Str& pattern : params.pattern.values[0].entries<const Str>()) {
    WEIR_ASSIGN(std::vector<std::string> found, runtime.files->glob(pattern.view()));
    // What lies beside the data is no data.
    if (!pattern.view().ends_with(kIndexSuffix))
      std::erase_if(found, [](const std::string& name) { return is_of_index(name); });
    names.insert(names.end(), found.begin(), found.end());
  }
  // As in tf.data, one that finds nothing beside others that do is no mistake.
  if (names.empty() && params.pattern.values[0].count() > 0) {
    const std::string patterns = patterns_of(params);
    const char* const advice =
        patterns.find('[') == std::string::npos
            ? "check the pattern and the folder that it is relative to"
            : "check the folder that it is relative to; [1] is one character, the 1: for a bracket of a name, write it as \\[, which is \"\\\\[\" in a text";
    return invalid_argument(Mistake(concat("no file matches ", patterns), advice));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef>, const BuildSite& build) {
  const auto& params = static_cast<const Params&>(base);
  WEIR_ASSIGN(std::vector<std::string> names, glob_all(params, *build.runtime));
  std::vector<std::string_view> views(names.begin(), names.end());
  const auto count = static_cast<int64_t>(names.size());
  FromTensorSlicesParams list;
  list.value.set = true;
  list.value.spec = Spec::tensor(DType::string, {count});
  list.value.values = {Tensor::strings(views, {count})};
  WEIR_ASSIGN(DatasetRef slices, compose(std::move(list), {}, build));
  FoundParams digest;
  digest.at_opening = build.at_opening;
  digest.names =
      make_ref<FoundNames>(concat("list_files(", patterns_of(params), ")"), names, place_of(params));
  WEIR_ASSIGN(DatasetRef found, compose(std::move(digest), {std::move(slices)}, build));
  if (!*params.shuffle) return found;
  ShuffleParams order;
  order.buffer_size = std::max<int64_t>(1, count);
  order.seed = params.seed;
  return compose(std::move(order), {std::move(found)}, build);
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  const Spec& pattern = params.pattern.spec;
  bool strings = pattern.is_tensor() && pattern.dtype == DType::string &&
                 (!pattern.shape.rank_known() || pattern.shape.rank() <= 1);
  if (!strings) {
    return invalid_argument(expected_found("a pattern, a string or a list of strings", pattern.to_string()));
  }
  return Spec::tensor(DType::string);
}

int64_t cardinality(const Params&, std::span<const DatasetRef> inputs) {
  return inputs.empty() ? kUnknown : inputs.back()->cardinality();
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, ListFiles>({
      .name = "list_files",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Lists the names of the files that match a pattern. They come in random order, another one in each epoch; if `shuffle` is false, they are sorted. A pattern that matches no file is an error when the dataset is built (invalid_argument). Index files (`*.weir-index`) are left out unless the pattern ends so.",
           .cost = "Reads the folders once, when the dataset is built.",
           .tf_names = "file_pattern=pattern",
           .example = R"(list_files("examples/digits/data/test-*", shuffle: false))",
           .output = R"("examples/digits/data/test-00000-of-00001.tfrecord.gz")",
           .bench = R"(list_files("NAMES") | repeat(1000))",
           .elsewhere = "glob: list_files(\"*.tfrecord\")"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .expand = expand},
      .position = {.counts_openings = always,
                   .uses_seed =
                       [](const ParamsBase& base) {
                         const BoolParam& shuffle = static_cast<const Params&>(base).shuffle;
                         return !shuffle.is_constant() || *shuffle;
                       }},
      .access = {.open = [](Opening& opening, const ParamsBase& params) -> Result<std::unique_ptr<Access>> {
                   WEIR_ASSIGN(DatasetRef names, expansion(opening, params));
                   return open_access(opening.ctx, opening.inner(std::move(names)));
                 },
                 .refuses =
                     [](const ParamsBase& base) {
                       const BoolParam& shuffle = static_cast<const Params&>(base).shuffle;
                       return shuffle.is_constant() && *shuffle ? "shuffle: false" : nullptr;
                     }},
  });
  return def;
}

}  // namespace weir::list_files_op
