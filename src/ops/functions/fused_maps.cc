#include "ops/functions/fused_maps.h"

#include <memory>
#include <string>
#include <utility>

#include "core/stage_stats.h"
#include "dataset/access.h"
#include "dataset/compose.h"
#include "dataset/field_in.h"
#include "dataset/openings.h"
#include "ops/functions/mapped_rows.h"

namespace weir {

namespace {

struct FusedParams : ParamsOf<FusedParams> {
  std::vector<DatasetRef> maps;
  // The first of them over the same input.
  DatasetRef as_written;
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::anything};

  void fields(Fields& fields) override { fields("f", f, "The function."); }
};

const FusedParams& fused(const ParamsBase& params) { return static_cast<const FusedParams&>(params); }

Instance written_instance(const Opening& opening, const ParamsBase& params) {
  Instance instance = opening;
  instance.node = fused(params).as_written;
  return instance;
}

// Counts for a map that has no stage.
struct Counted {
  explicit Counted(StageStats& where) : stats(where) { stats.open(live); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { stats.close(live); }

  StageStats& stats;
  LiveStage live;
};

class FusedMaps final : public Cursor {
 public:
  FusedMaps(Opening& opening, const FusedParams& params)
      : written_(written_instance(opening, params)), rows_(opening, params.f) {
    for (size_t i = 1; i < params.maps.size(); ++i) between_.push_back(params.maps[i]->op().name);
    port_ = std::make_unique<Port>(opening.ctx, input(opening, params), Port::Mode::pass);
  }

  int64_t assured() const noexcept override {
    return as_written_ ? as_written_->assured() : rows_.assured(*port_);
  }
  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (as_written_) return as_written_->next(ctx, demand, out);
    const PullResult got = rows_.next(ctx, demand, *port_, out);
    if (got != PullResult::rows) return got;
    for (const auto& counted : counted_) {
      add_alone(counted->live.rows, out.rows);
      if (!out.errors.empty()) add_to(counted->stats.failed, rows_.failed_before());
    }
    return got;
  }

  int64_t lose(const ErrorPtr& error) noexcept override {
    return as_written_ ? as_written_->lose(error) : rows_.lost();
  }

  void state(Archive& archive) override {
    if (as_written_) {
      as_written_->state(archive);
    } else if (archive.loading()) {
      archive.rest(saved_);
      Archive copy(saved_);
      misfit_ = !port_->state_through(copy, between_);
      copy.finish();
      misfit_ = misfit_ || !copy.status().ok();
      if (!misfit_) saved_.clear();
    } else {
      port_->state_through(archive, between_);
    }
  }

  Step resume(Context& ctx) override {
    if (!misfit_ && !as_written_) return PullResult::rows;
    if (!as_written_) WEIR_TRY(open_as_written(ctx));
    return as_written_->resume(ctx);
  }

 private:
  // Where the input is opened: below all maps, which have no stages of their own but the first.
  Instance input(const Opening& opening, const FusedParams& params) {
    PathRef path = opening.path;
    for (size_t i = 1; i < params.maps.size(); ++i) {
      StageStats* const above = path->stats.load(std::memory_order_relaxed);
      path = make_ref<PathNode>(path, params.maps[i]->op().name, -1);
      if (StatsTree* const tree = opening.ctx.session.stats(); above && tree)
        count_at(*tree, *above, *path, *params.maps[i]);
    }
    return {opening.node->inputs()[0], opening.env, opening.key, std::move(path)};
  }

  void count_at(StatsTree& tree, StageStats& above, const PathNode& path, const Dataset& node) {
    StageStats* const stats = tree.find(&above, path.operator_name, path.input, node.depth(), false);
    path.stats.store(stats, std::memory_order_relaxed);
    if (stats) counted_.push_back(std::make_unique<Counted>(*stats));
  }

  Status open_as_written(Context& ctx) {
    // What is opened here is where the loaded position says, and was counted there.
    QuietContext quiet(ctx);
    port_.reset();
    counted_.clear();
    Opening opening(*quiet, written_);
    const Dataset& node = *opening.node;
    WEIR_ASSIGN(std::unique_ptr<Cursor> cursor, node.op().open(opening, node.params()));
    Archive archive(saved_);
    cursor->state(archive);
    archive.finish();
    WEIR_TRY(archive.status());
    as_written_ = std::move(cursor);
    saved_.clear();
    return Status();
  }

  const Instance written_;
  MappedRows rows_;
  // The names of the maps below the first.
  std::vector<const char*> between_;
  std::vector<std::unique_ptr<Counted>> counted_;
  std::unique_ptr<Port> port_;
  // The maps themselves, once they had to resume a position.
  std::unique_ptr<Cursor> as_written_;
  // A loaded position is theirs alone, until resume().
  bool misfit_ = false;
  std::string saved_;
};

const OperatorDef& fused_maps_operator() {
  static const OperatorDef def = define<FusedParams, FusedMaps>({
      .name = "map",
      .page = {.doc = "Adjacent maps in one."},
      .typing = {.spec = [](const ParamsBase& params, std::span<const DatasetRef>) -> Result<Spec> {
                   return fused(params).maps[0]->spec();
                 },
                 .cardinality = same_cardinality,
                 .columns = Columns::mapped},
      .position = {.passes_positions = true},
      .access = {.open =
                     [](Opening& opening, const ParamsBase& params) {
                       return open_access(opening.ctx, written_instance(opening, params));
                     },
                 .seeks =
                     [](Opening& opening, const ParamsBase& params) {
                       return seeks(opening.ctx, written_instance(opening, params));
                     }},
  });
  return def;
}

// Made when the library is loaded, as those in the list of operators (graph/signatures.cc).
[[maybe_unused]] const OperatorDef& made = fused_maps_operator();

}  // namespace

Result<DatasetRef> fused_maps(std::vector<DatasetRef> maps, FunctionRef f, DatasetRef input) {
  FusedParams params;
  params.as_written = input;
  for (size_t i = maps.size(); i-- > 0;) {
    WEIR_ASSIGN(params.as_written, with_inputs(*maps[i], {std::move(params.as_written)}));
  }
  params.maps = std::move(maps);
  params.f.function = std::move(f);
  const Dataset& first = *params.maps[0];
  const BuildSite site{.depth = first.depth(), .on_behalf_of = first.epoch_id()};
  return Dataset::build(fused_maps_operator(), std::make_unique<FusedParams>(std::move(params)),
                        {std::move(input)}, site);
}

const std::vector<DatasetRef>* maps_of(const Dataset& node) {
  return &node.op() == &fused_maps_operator() ? &fused(node.params()).maps : nullptr;
}

const Function* applied_function(const Dataset& node) {
  const OperatorDef& op = node.op();
  const auto* f =
      op.typing.columns == Columns::mapped ? field_in<FunctionParam>(node.params(), "f") : nullptr;
  if (!f || !f->function || (op.ahead.is_window && op.ahead.is_window(node.params()))) return nullptr;
  return &function_of(*f);
}

}  // namespace weir
