// options(deterministic, …): the input, under settings that hold for the whole pipeline. `deterministic` is
// what `deterministic: none` of map and interleave stands for, before and after it (Dataset::order).
// `rewrites: false` keeps it as written; the others bound how far the pipeline runs ahead (tuning_of).
// Checkpoint: the input's position.
#include <deque>
#include <set>

#include "core/text.h"
#include "dataset/compose.h"
#include "ops/pipeline_options.h"

namespace weir {
namespace options_op {
namespace {

struct Params : ParamsOf<Params> {
  BoolParam deterministic = BoolParam::none();
  BoolParam autotune{true};
  IntParam threads = IntParam::automatic();
  IntParam memory = IntParam::automatic();
  BoolParam warm_start{false};
  StringParam tuned = StringParam::none();
  BoolParam rewrites{true};
  StringParam cache{std::string()};
  IntParam cache_bytes{0};
  void fields(Fields& f) override {
    f("deterministic", deterministic,
      "The default for `deterministic` of map and interleave: false lets results come in any order.", {},
      {.none = true});
    f("autotune", autotune,
      "false: what is `auto` stays as it begins: at what `tuned` says, else at a usual number.", {},
      {.any_position = true});
    f("threads", threads,
      "How many of the runtime's threads work for the pipeline at once, not counting those inside next; auto: all.",
      at_least(1), {.automatic = true, .any_position = true});
    f("memory", memory,
      "The most bytes of elements that are made ahead; each window, and each call that runs, may exceed it by one element. auto: each window has its own limit.",
      at_least(1), {.automatic = true, .any_position = true});
    f("warm_start", warm_start,
      "true: what runs ahead begins when the iterator is made, not at its first element; not where it begins at a saved position.",
      {}, {.any_position = true});
    f("tuned", tuned,
      "The settings to begin tuning with: the text \"tuned\" in `weir_iterator_stats` of an earlier run, such as \"prefetch/map calls 16\".",
      {}, {.none = true, .any_position = true});
    f("rewrites", rewrites,
      "false: the operators run as written, where true lets one do the work of several (docs/seeing.md).", {},
      {.any_position = true});
    f("cache", cache,
      "A local folder, by its name from the root folder on, that keeps blocks of the remote files that are read, for later epochs and other processes; it is created (docs/cache-on-disk.md). Empty: none is.",
      {}, {.any_position = true});
    f("cache_bytes", cache_bytes,
      "How many bytes the blocks in that folder take at most, those of all processes together; 0: 16 GiB. Without `cache` it changes nothing.",
      at_least(0), {.any_position = true});
  }
};

struct Options {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params&) {
    return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, opening.node->inputs()[0]));
  }
};

// Settings of a pipeline are none of an element's.
Status literal_only(const char* parameter, bool expression) {
  if (!expression) return Status();
  return invalid_argument(expected_found(concat("a literal for ", parameter), "a variable"));
}

Status check_cache(const Params& params) {
  WEIR_TRY(literal_only("cache", params.cache.state == StringParam::State::expression));
  WEIR_TRY(literal_only("cache_bytes", params.cache_bytes.state == IntParam::State::expression));
  if ((*params.cache).empty() || (*params.cache).starts_with('/')) return {};
  return invalid_argument(expected_found(
      "cache to be the name of a local folder from the root folder on, such as \"/var/cache/weir\"",
      quote(*params.cache)));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  WEIR_TRY(literal_only("autotune", params.autotune.state == BoolParam::State::expression));
  WEIR_TRY(literal_only("threads", params.threads.state == IntParam::State::expression));
  WEIR_TRY(literal_only("memory", params.memory.state == IntParam::State::expression));
  WEIR_TRY(literal_only("warm_start", params.warm_start.state == BoolParam::State::expression));
  WEIR_TRY(literal_only("tuned", params.tuned.state == StringParam::State::expression));
  TunedNumbers numbers;
  if (params.tuned.is_constant() && !read_tuned(*params.tuned, numbers)) {
    return invalid_argument(
        expected_found("tuned to be a list such as \"prefetch rows 64, prefetch/map calls 8\"",
                       concat("\"", *params.tuned, "\"")));
  }
  if (params.deterministic.state == BoolParam::State::expression)
    return invalid_argument(expected_found("true, false or none", "a variable"));
  WEIR_TRY(check_cache(params));
  if (!params.rewrites.is_constant()) return invalid_argument(expected_found("true or false", "a variable"));
  return inputs[0]->spec();
}

// What stands nearer to the end was added before.
void add(const Params& params, Tuning& tuning, int64_t& memory, std::set<std::string>& known) {
  if (!params.autotune.value_or(true) && known.insert("autotune").second) tuning.tunes = false;
  if (params.threads.is_constant() && known.insert("threads").second)
    tuning.threads = static_cast<int>(std::min<int64_t>(*params.threads, INT32_MAX));
  if (params.memory.is_constant() && known.insert("memory").second) memory = *params.memory;
  if (params.warm_start.value_or(false) && known.insert("warm_start").second) tuning.warm_start = true;
  if (params.tuned.is_constant() && known.insert("tuned").second)
    static_cast<void>(read_tuned(*params.tuned, tuning.begin));
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Options>({
      .name = "options",
      .page =
          {.doc =
               "Sets options for the whole pipeline, except inside lambdas. With `deterministic: false`, every map and interleave with parallel calls that does not say otherwise yields its results in any order. The other options say how far the pipeline runs ahead and where blocks of remote files are kept; they change no element, no order and no position.",
           .cost = "No copy.",
           .example = "range(3) | map(x -> x + 1, num_parallel_calls: 2) | options(deterministic: true)",
           .output = "1\n2\n3",
           .bench = "range(1000000) | options()"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = same_cardinality, .columns = Columns::passed},
      .position = {.passes_positions = true},
      .ahead = {.order = [](const ParamsBase& base) -> std::optional<bool> {
                  const auto& params = static_cast<const Params&>(base);
                  return params.deterministic.is_constant() ? std::optional(*params.deterministic)
                                                            : std::nullopt;
                },
                .stays_as_written =
                    [](const ParamsBase& params) { return !*static_cast<const Params&>(params).rewrites; }},
  });
  return def;
}

}  // namespace options_op

namespace {

// Calls `use` with the parameters of each options() of a pipeline, the nearest to the end first.
template <class Use>
void each_options(const Dataset& root, Use&& use) {
  std::set<const Dataset*> seen{&root};
  for (std::deque<const Dataset*> next{&root}; !next.empty(); next.pop_front()) {
    const Dataset& node = *next.front();
    if (&node.op() == &options_op::definition()) use(static_cast<const options_op::Params&>(node.params()));
    for (const DatasetRef& input : node.inputs()) {
      if (seen.insert(input.get()).second) next.push_back(input.get());
    }
  }
}

}  // namespace

DiskCacheChoice disk_cache_of(const Dataset& root) {
  DiskCacheChoice out;
  each_options(root, [&](const options_op::Params& params) {
    if (out.folder.empty()) out.folder = *params.cache;
    if (out.bytes == 0) out.bytes = static_cast<uint64_t>(*params.cache_bytes);
  });
  return out;
}

RefPtr<const Tuning> tuning_of(const Dataset& root, MemoryLedger* ledger, bool restores) {
  RefPtr<Tuning> tuning = make_ref<Tuning>();
  tuning->places = make_ref<TunerPlaces>();
  int64_t memory = WindowMemory::kUnlimited;
  std::set<std::string> known;
  each_options(root,
               [&](const options_op::Params& params) { options_op::add(params, *tuning, memory, known); });
  if (ledger || memory < WindowMemory::kUnlimited) tuning->memory = make_ref<WindowMemory>(memory, ledger);
  // What it runs ahead from is not there yet.
  if (restores) tuning->warm_start = false;
  return tuning;
}

}  // namespace weir
