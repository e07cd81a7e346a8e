// list_files(pattern, shuffle, seed): the names of the files that match, globbed when the graph is built.
// Sorted, or in a new random order each epoch. Checkpoint: that of the list and its shuffle, and a checksum
// of the names, since a position among other files would be another one.
#include <algorithm>

#include "core/text.h"
#include "dataset/compose.h"
#include "dataset/found_names.h"
#include "fs/file_system.h"

namespace weir {

const OperatorDef& shuffle_operator();
const OperatorDef& from_tensor_slices_operator();

namespace {

struct Params : ParamsOf<Params> {
  ValueParam pattern;
  BoolParam shuffle{true};
  SeedParam seed;
  void fields(Fields& f) override {
    f("pattern", pattern, "A glob pattern or a list of them: * ? [a-z] within one part of a path.");
    f("shuffle", shuffle, "A new random order each epoch; else sorted.");
    f("seed", seed, "The seed of the order.");
  }
};

struct FoundParams : ParamsOf<FoundParams> {
  SeedParam names;
  void fields(Fields& f) override { f("names", names, "What was found."); }
};

// The names as they come; the node has what a checkpoint has to know of them.
struct Found {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const FoundParams&) {
    return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, opening.node.inputs()[0]));
  }
};

const OperatorDef& found_operator() {
  static const OperatorDef def = define<FoundParams, Found>({
      .name = "found",
      .doc = "Names, and a digest of them.",
      .spec = same_spec,
      .cardinality = same_cardinality,
  });
  return def;
}

class ListFiles final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef names, expansion(opening, params));
    return std::unique_ptr<Cursor>(std::make_unique<ListFiles>(opening, names));
  }
  ListFiles(Opening& opening, const DatasetRef& names) : rows_(opening, names) {
    for (const auto& site : names->seed_sites()) {
      if (site->found_names()) found_ = site->drawn;
    }
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override { return rows_.next(ctx, demand, out); }
  // Checkpoints know what is found when a graph is built; a pattern that a variable gives is tried later.
  void state(Archive& archive) override {
    SeedSite::Pair saved = found_;
    archive("count", saved.first);
    archive("names", saved.second);
    if (saved != found_) {
      archive.fail(expected_found(
          concat("the ", saved.first, " files that matched when the position was saved"),
          concat(found_.first), "put back what was removed and take away what came, or begin anew"));
    }
    rows_.state(archive);
  }

 private:
  PassCursor rows_;
  // How many names, and their checksum.
  SeedSite::Pair found_;
};

Result<std::vector<std::string>> glob_all(const Params& params, Runtime& runtime) {
  std::vector<std::string> names;
  for (const Str& pattern : params.pattern.values[0].entries<const Str>()) {
    WEIR_ASSIGN(std::vector<std::string> found, runtime.files->glob(pattern.view()));
    if (found.empty()) {
      return invalid_argument(Mistake(concat("no file matches ", quote(pattern.view())),
                                      "check the pattern and the folder that it is relative to"));
    }
    names.insert(names.end(), found.begin(), found.end());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string patterns_of(const Params& params) {
  std::string out;
  for (const Str& pattern : params.pattern.values[0].entries<const Str>()) {
    out += concat(out.empty() ? "" : ", ", quote(pattern.view()));
  }
  return out;
}

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef>, const BuildSite& build) {
  const auto& params = static_cast<const Params&>(base);
  WEIR_ASSIGN(std::vector<std::string> names, glob_all(params, *build.runtime));
  std::vector<std::string_view> views(names.begin(), names.end());
  ValueParam value;
  value.set = true;
  Shape shape{static_cast<int64_t>(names.size())};
  value.spec = Spec::tensor(DType::string, shape);
  value.values = {Tensor::strings(views, shape)};
  WEIR_ASSIGN(DatasetRef slices, Compose(from_tensor_slices_operator()).set("value", value).build({}, build));
  SeedParam site;
  site.site = make_ref<FoundNames>(concat("list_files(", patterns_of(params), ")"), names);
  WEIR_ASSIGN(DatasetRef found,
              Compose(found_operator()).set("names", site).build({std::move(slices)}, build));
  if (!*params.shuffle) return found;
  IntParam everything(std::max<int64_t>(1, static_cast<int64_t>(names.size())));
  return Compose(shuffle_operator())
      .set("buffer_size", everything)
      .set("seed", params.seed)
      .build({std::move(found)}, build);
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

const OperatorDef& list_files_operator() {
  static const OperatorDef def = define<Params, ListFiles>({
      .name = "list_files",
      .kind = OperatorKind::source,
      .doc =
          "The names of the files that match, each a string. No match is an error when the graph is built. "
          "Cost: the folders are read when the graph is built.",
      .spec = spec_of<Params, spec>,
      .cardinality = cardinality_of<Params, cardinality>,
      .expand = expand,
      .counts_openings = true,
  });
  return def;
}

}  // namespace weir
