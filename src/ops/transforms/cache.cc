// cache(file): the elements of the input, which a first pass keeps in memory (ops/files/memory_cache.h) or in
// files (ops/files/file_cache.h) and later ones are given. Checkpoint: that of the two.
#include "dataset/compose.h"
#include "ops/files/file_cache.h"
#include "ops/files/memory_cache.h"
#include "ops/files/written.h"

namespace weir::cache_op {
namespace {

struct Params : ParamsOf<Params> {
  StringParam file{std::string()};
  void fields(Fields& f) override {
    f("file", file, "The folder to keep the elements in; \"\" keeps them in memory.", {},
      {.any_position = true, .but_empty = true});
  }
};

bool in_memory(const Params& params) { return (*params.file).empty(); }

struct Cache {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef built, expansion(opening, params));
    if (in_memory(params))
      return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, std::move(built)));
    return open_file_cache(opening, std::move(built));
  }
};

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef> inputs, const BuildSite& site) {
  const auto& params = static_cast<const Params&>(base);
  if (in_memory(params)) return build_memory_cache(inputs[0], site);
  return build_file_cache(inputs[0], {*params.file, ""}, site);
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  if (!params.file.is_constant() || !in_memory(params)) WEIR_TRY(check_writable(inputs[0]->spec()));
  if (params.file.is_constant() && !in_memory(params)) WEIR_TRY(check_folder_name(*params.file));
  return inputs[0]->spec();
}

bool may_be_memory(const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  return !params.file.is_constant() || in_memory(params);
}
bool may_be_a_file(const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  return !params.file.is_constant() || !in_memory(params);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Cache>({
      .name = "cache",
      .page =
          {.doc =
               "Reads the input once and keeps its elements, in memory or in files, for later passes. The first pass yields what it reads, and fills the cache if it reaches the end. Its errors pass at once and are not kept. In memory, every iterator has its own cache, and so has every dataset that a function opens; in Python, the loops over a dataset share its caches. A cache whose passes stop early never fills: its next pass logs a warning. With a `file`, the elements are kept in a folder of that name, as by `snapshot`: other iterators and later processes read them, too. Elements of another pipeline are refused (failed_precondition). While one iterator fills the folder, others yield what they read themselves.",
           .cost =
               "In memory: the bytes of the elements; later passes give views and copy nothing, and a restore reads the input again from the beginning. In files: a copy and a checksum per byte to write, a read and a checksum per byte after that.",
           .tf_names = "filename=file",
           .example = "range(3) | map(x -> x * x) | cache() | repeat(2)",
           .output = "0\n1\n4\n0\n1\n4",
           .bench = "range(100000) | cache() | repeat(10)",
           .elsewhere = "memoize persist: cache()"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = same_cardinality, .expand = expand},
      .position = {.counts_openings = may_be_memory,
                   .epochs = [](const ParamsBase& base) -> int64_t { return may_be_a_file(base) ? -1 : -2; },
                   .keeps_rows = true,
                   .finds_written = may_be_a_file},
      .ahead = {.is_window = may_be_a_file},
  });
  return def;
}

}  // namespace weir::cache_op
