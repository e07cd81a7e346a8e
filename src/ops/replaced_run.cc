#include "ops/replaced_run.h"

#include <pthread.h>

#include <map>
#include <string>
#include <utility>

#include "core/checked.h"
#include "core/exception.h"
#include "core/sync.h"
#include "dataset/access.h"
#include "dataset/holding.h"
#include "dataset/openings.h"

namespace weir {

namespace {

class RunCursor final : public Cursor {
 public:
  RunCursor(Opening& opening, const RunParams& params) : instance_(opening), params_(params) {
    if (params.seeks && open_seeking(opening)) return;
    body_ = params.make(opening, params);
    port_ = std::make_unique<Port>(opening.ctx, input(opening), Port::Mode::pass);
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (as_written_) return as_written_->next(ctx, demand, out);
    const Step step = body_->next(ctx, demand, *port_, out);
    if (!step.error() && step.answer() == PullResult::rows) {
      for (const auto& counted : counted_) {
        add_alone(counted->live.rows, out.rows);
        if (!out.errors.empty()) add_to(counted->stats.failed, body_->failed_before(out));
      }
    }
    return step;
  }

  int64_t lose(const ErrorPtr& error) noexcept override {
    return as_written_ ? as_written_->lose(error) : body_->lose();
  }
  int64_t assured() const noexcept override { return as_written_ ? as_written_->assured() : 0; }
  void hold(Holding& holding, HeldRows& rows) override {
    if (as_written_) as_written_->hold(holding, rows);
  }

  void state(Archive& archive) override {
    if (as_written_) {
      as_written_->state(archive);
    } else if (archive.loading()) {
      archive.rest(saved_);
      misfit_ = !load(saved_, 0);
      if (!misfit_) saved_.clear();
    } else {
      save(archive, 0);
    }
  }

  Step resume(Context& ctx) override {
    if (!misfit_ && !as_written_) return PullResult::rows;
    if (!as_written_) WEIR_TRY(open_as_written(ctx));
    return as_written_->resume(ctx);
  }

 private:
  // Where the run's input is opened: below all of its operators, which have no stages of their own but the first.
  Instance input(const Opening& opening) {
    PathRef path = opening.path;
    uint64_t key = opening.key;
    StatsTree* const tree = opening.ctx.session.stats();
    int number = -1;
    for (size_t i = 0; i < params_.operators.size(); ++i) {
      const ReplacedOperator& replaced = params_.operators[i];
      if (i > 0) {
        StageStats* const above = path->stats.load(std::memory_order_relaxed);
        path = make_ref<PathNode>(path, replaced.node->op().name, number);
        if (above && tree) count_at(*tree, *above, *path, *replaced.node);
      }
      if (replaced.derives_key) key = derive_key(key, 0);
      number = replaced.node->inputs().size() > 1 ? 0 : -1;
    }
    return {opening.node->inputs()[0], opening.env, key, std::move(path), number};
  }

  void count_at(StatsTree& tree, StageStats& above, const PathNode& path, const Dataset& node) {
    StageStats* const stats = tree.find(&above, path.operator_name, path.input, node.depth(), false);
    path.stats.store(stats, std::memory_order_relaxed);
    if (stats) counted_.push_back(std::make_unique<Counted>(*stats));
  }

  void save(Archive& archive, size_t at) {
    const ReplacedOperator& replaced = params_.operators[at];
    if (at == 0) body_->state(archive);
    int64_t number = replaced.number;
    if (replaced.key) archive(replaced.key, number);
    if (at + 1 == params_.operators.size()) {
      port_->state(archive);
    } else {
      int64_t pulled = port_->position();
      int64_t values = std::min(port_->values(), pulled);
      int64_t standing = 0;
      archive("pulled", pulled);
      archive("values", values);
      archive(params_.operators[at + 1].node->op().name, standing);
      Archive inner(archive.holding());
      save(inner, at + 1);
      std::string bytes = inner.take();
      archive("state", bytes);
    }
    std::string nothing;
    if (replaced.text_key) archive(replaced.text_key, nothing);
  }

  // False if these are no bytes that the operators from `at` on write between two rows that they have passed on.
  bool load(std::string_view bytes, size_t at) {
    const ReplacedOperator& replaced = params_.operators[at];
    Archive archive(bytes);
    if (at == 0) body_->state(archive);
    int64_t number = 0;
    if (replaced.key) archive(replaced.key, number, replaced.low, replaced.high);
    if (at + 1 == params_.operators.size()) {
      port_->state(archive);
      if (at > 0 && archive.status().ok() && port_->position() != pulled_) return false;
    } else if (!load_below(archive, at)) {
      return false;
    }
    std::string text;
    if (replaced.text_key) archive(replaced.text_key, text);
    archive.finish();
    return archive.status().ok() && text.empty();
  }

  bool load_below(Archive& archive, size_t at) {
    const char* const name = params_.operators[at + 1].node->op().name;
    int64_t pulled = 0;
    int64_t values = 0;
    int64_t standing = 0;
    if (!archive.next_is("pulled")) return false;
    archive("pulled", pulled, 0, kMostCounted);
    archive("values", values, 0, pulled);
    if (!archive.next_is(name)) return false;
    archive(name, standing, 0, 0);
    if (!archive.next_is("state") || (at > 0 && pulled != pulled_)) return false;
    pulled_ = pulled;
    std::string inner;
    archive("state", inner);
    return archive.status().ok() && load(inner, at + 1);
  }

  // Opens the operators themselves where the first one then reads only the elements that it needs.
  bool open_seeking(Opening& opening) {
    Opening written(opening.ctx, instance_);
    written.node = params_.as_written;
    if (!seeks(opening.ctx, written.input(0))) return false;
    auto cursor = written.node->op().open(written, written.node->params());
    if (!cursor.ok()) throw StatusException(cursor.status());
    as_written_ = *std::move(cursor);
    return true;
  }

  Status open_as_written(Context& ctx) {
    // What is opened here is where the loaded position says, and was counted there.
    QuietContext quiet(ctx);
    port_.reset();
    counted_.clear();
    body_.reset();
    const Dataset& node = *params_.as_written;
    Opening opening(*quiet, instance_);
    opening.node = params_.as_written;
    WEIR_ASSIGN(std::unique_ptr<Cursor> cursor, node.op().open(opening, node.params()));
    Archive archive(saved_);
    cursor->state(archive);
    archive.finish();
    WEIR_TRY(archive.status());
    as_written_ = std::move(cursor);
    saved_.clear();
    return Status();
  }

  const Instance instance_;
  const RunParams& params_;
  // Null once the run goes on as written.
  std::unique_ptr<RunBody> body_;
  std::vector<std::unique_ptr<Counted>> counted_;
  std::unique_ptr<Port> port_;
  std::unique_ptr<Cursor> as_written_;
  // A loaded position that is the run's own, until resume().
  bool misfit_ = false;
  std::string saved_;
  // How many rows the operators above the last one had pulled, while a position is loaded.
  int64_t pulled_ = 0;
};

const RunParams& run(const ParamsBase& params) { return static_cast<const RunParams&>(params); }
const Dataset& top(const ParamsBase& params) { return *run(params).operators[0].node; }

Instance as_written(const Opening& opening, const ParamsBase& params) {
  Instance instance = opening;
  instance.node = run(params).as_written;
  return instance;
}

// Never destroyed, and no child is forked while somebody holds the lock.
struct Made {
  Mutex mutex;
  std::map<std::pair<std::string, bool>, OperatorDef> definitions;
};
Made& made = *new Made;
[[maybe_unused]] const int watches_forks =
    pthread_atfork([] { made.mutex.lock(); }, [] { made.mutex.unlock(); }, [] { made.mutex.unlock(); });

// The definition under the name of the first operator. Those that can be read by position are so as written.
const OperatorDef& run_operator(const char* name, bool by_position) {
  MutexLock lock(made.mutex);
  OperatorDef& def = made.definitions[{name, by_position}];
  if (def.open) return def;
  def = define<RunParams, RunCursor>({
      .name = name,
      .doc = "A run of operators in one.",
      .spec = [](const ParamsBase& params, std::span<const DatasetRef>) -> Result<Spec> {
        return top(params).spec();
      },
      .cardinality = [](const ParamsBase& params,
                        std::span<const DatasetRef>) { return top(params).cardinality(); },
      .passes_positions = true,
  });
  if (!by_position) return def;
  def.access = [](Opening& opening, const ParamsBase& params) {
    return open_access(opening.ctx, as_written(opening, params));
  };
  def.seeks = [](Opening& opening, const ParamsBase& params) {
    return seeks(opening.ctx, as_written(opening, params));
  };
  return def;
}

}  // namespace

Result<DatasetRef> with_inputs(const Dataset& node, std::vector<DatasetRef> inputs) {
  return Dataset::build(node.op(), node.params().clone(), std::move(inputs),
                        {.depth = node.depth(), .on_behalf_of = node.epoch_id(), .digest = node.digest()});
}

Result<DatasetRef> replaced_run(RunParams params, DatasetRef input) {
  DatasetRef below = input;
  bool by_position = true;
  for (size_t i = params.operators.size(); i-- > 0;) {
    const DatasetRef& node = params.operators[i].node;
    by_position = by_position && node->op().access;
    std::vector<DatasetRef> inputs = node->inputs();
    if (inputs[0] == below) {
      below = node;
      continue;
    }
    inputs[0] = std::move(below);
    WEIR_ASSIGN(below, with_inputs(*node, std::move(inputs)));
  }
  params.as_written = std::move(below);
  const Dataset& first = *params.operators[0].node;
  const BuildSite site{.depth = first.depth(), .on_behalf_of = first.epoch_id()};
  const OperatorDef& def = run_operator(first.op().name, by_position);
  return Dataset::build(def, std::make_unique<RunParams>(std::move(params)), {std::move(input)}, site);
}

const RunParams* run_of(const Dataset& node) { return dynamic_cast<const RunParams*>(&node.params()); }

}  // namespace weir
