// Checkpoint: which pass filled the cache or fills it, and how many rows were given; a restore reads the
// input again from the beginning, in the same order (ADR 0025).
#include "ops/files/memory_cache.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/checked.h"
#include "core/exception.h"
#include "core/mixtures.h"
#include "dataset/compose.h"
#include "dataset/openings.h"
#include "dataset/port.h"
#include "dataset/stage.h"
#include "dataset/yield_timer.h"
#include "ops/files/cache_warning.h"
#include "ops/files/cached_rows.h"

namespace weir {
namespace {

const OperatorDef& memory_cache_operator();

struct MemoryCacheParams : ParamsOf<MemoryCacheParams> {
  void fields(Fields&) override {}
  static const OperatorDef& op() { return memory_cache_operator(); }
};

// A pass over the input: each one counts its openings by itself, as if it were the `number`-th of its kind.
// `folders` is what folders of written elements had in the same pass before a restore.
class Pass {
 public:
  Pass(Context& ctx, const Instance& input, uint64_t number, uint64_t scope, int depth, Openings folders)
      : epochs_(nullptr, depth, scope, true), due_(std::move(folders)) {
    count_passes(ctx.session, *input.node, number, epochs_);
    Context apart = in_scope(ctx);
    stage_ = Stage::open(apart, input);
  }

  PullResult next(Context& ctx, const Demand& demand, Block& out) {
    Context apart = in_scope(ctx);
    return stage_->next(apart, demand, out);
  }

  // What folders had, in the order in which they were opened.
  Openings folders() const {
    Openings out = folders_;
    out.append(due_);
    return out;
  }

 private:
  Context in_scope(const Context& ctx) {
    Context apart = ctx;
    apart.epochs = &epochs_;
    apart.opening_error = nullptr;
    apart.openings = &log_;
    return apart;
  }

  EpochScope epochs_;
  Openings folders_;
  Openings due_;
  OpeningLog log_{
      .depth = 0, .openings = folders_, .due = due_, .outer = nullptr, .lists = OpeningLog::Lists::folders};
  std::unique_ptr<Stage> stage_;
};

class MemoryCache final : public Cursor {
 public:
  MemoryCache(Opening& opening, const MemoryCacheParams&)
      : node_(opening.node),
        path_(opening.path),
        input_(opening.input(0)),
        components_(input_.node->components()),
        opened_(count_opening_kept(opening.ctx, *node_)),
        making_(static_cast<int64_t>(opened_.making)),
        replaying_(opened_.made),
        caches_(&opening.ctx.session.memo().caches()) {}
  ~MemoryCache() override {
    if (filling_ && read_ > 0 && node_->depth() == 0) caches_->stopped_early(node_->epoch_id());
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (lost_) return PullResult::end;
    return replaying_ ? replay(ctx, demand, out) : hand_on(ctx, demand, out);
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    if (!pass_ && !full_) lost_ = true;
    if (full_) ++position_;
    return 1;
  }

  void state(Archive& archive) override {
    archive("replaying", replaying_);
    archive("pass", making_, 0, int64_t{1} << 40);
    archive("given", position_, 0, kMostCounted);
    if (!replaying_) folders_state(archive);
  }

  Step resume(Context& ctx) override {
    if (replaying_) return PullResult::rows;
    while (read_ < position_) {
      Demand demand;
      demand.rows = static_cast<int>(std::min<int64_t>(kMaxBlockRows, position_ - read_));
      const PullResult got = read(ctx, demand, block_);
      if (got != PullResult::rows) return got;
      if (ErrorPtr lost = Port::lost(block_)) return lost;
      if (yield_timer_.should_yield(ctx, block_.rows)) return PullResult::pending;
    }
    // It was said before the position was saved.
    says_lack_ = false;
    return PullResult::rows;
  }

 private:
  void folders_state(Archive& archive) {
    std::vector<uint64_t> numbers = (pass_ ? pass_->folders() : folders_).written();
    if (archive.loading() ? !archive.next_is("folders") : numbers.empty()) return;
    archive("folders", numbers);
    if (archive.loading() && !folders_.assign(numbers)) archive.fail("the folders of a cache are damaged");
  }

  // The first pass.
  Step hand_on(Context& ctx, const Demand& demand, Block& out) {
    if (std::exchange(says_lack_, false)) return lack_;
    Demand all = demand;
    all.drop = false;
    const PullResult got = read(ctx, all, out);
    if (got == PullResult::rows) {
      position_ += out.rows;
      if (demand.drop) out.columns.clear();
    }
    return got;
  }

  Step replay(Context& ctx, const Demand& demand, Block& out) {
    if (!full_) {
      RefPtr<const RefCounted> kept =
          ctx.epochs->kept(ctx.session.epoch_key(node_->epoch_id()), node_->depth());
      full_ = RefPtr<const CachedRows>(static_cast<const CachedRows*>(kept.get()));
    }
    while (!full_) {
      Demand whole;
      whole.rows = kMaxBlockRows;
      const PullResult got = read(ctx, whole, block_);
      if (got == PullResult::end && !full_) {
        lost_ = true;
        return lack_;
      }
      if (got == PullResult::pending || got == PullResult::cancelled) return got;
      if (ErrorPtr lost = got == PullResult::rows ? Port::lost(block_) : nullptr) {
        lost_ = true;
        return as_lost_position(lost);
      }
      if (!full_ && yield_timer_.should_yield(ctx, block_.rows)) return PullResult::pending;
    }
    if (position_ >= full_->rows()) return PullResult::end;
    full_->give(position_, demand.rows, demand.drop, part_, out);
    position_ += out.rows;
    return PullResult::rows;
  }

  // Reads on in the input and keeps what it gives.
  PullResult read(Context& ctx, const Demand& demand, Block& out) {
    if (!pass_) begin_pass(ctx);
    const PullResult got = pass_->next(ctx, demand, out);
    if (got == PullResult::rows) {
      read_ += out.rows;
      keep(out);
      if (filling_ && filling_->rows() == input_.node->cardinality()) fill_up(ctx);
    } else if (got == PullResult::end) {
      fill_up(ctx);
    }
    return got;
  }

  // The same in every build of the graph. Caches that its index leaves out, in datasets that a function
  // drains and in elements that are iterated by themselves, have one number: below them, draws differ by
  // their calls.
  uint64_t number_in_graph(const Session& session) const {
    if (!session.counts_openings()) return EpochIndex::kUnlisted;
    return std::min(session.epoch_key(node_->epoch_id()), EpochIndex::kUnlisted);
  }

  void begin_pass(Context& ctx) {
    warn_if_stopped(ctx, node_->epoch_id(), "cache");
    const uint64_t number = static_cast<uint64_t>(making_);
    Instance input = input_;
    // The same in each pass of that number, whichever opening of the cache makes it.
    input.key = derive_key(derive_key(opened_.scope_key, ~number_in_graph(ctx.session)), number);
    const int depth = ctx.epochs->home(node_->depth()).depth;
    auto filling = make_ref<CachedRows>(components_, ctx.runtime().budget);
    pass_ = std::make_unique<Pass>(ctx, input, number, opened_.scope_key, depth, std::move(folders_));
    filling_ = std::move(filling);
    read_ = 0;
  }

  // What was read is given in any case; without memory nothing is kept.
  void keep(const Block& block) noexcept {
    if (!filling_) return;
    try {
      const Status added = filling_->add(block);
      if (added.ok()) return;
      lack_ = added.pointer();
      says_lack_ = true;
    } catch (...) {
      lack_ = out_of_memory();
    }
    filling_ = nullptr;
  }
  void fill_up(Context& ctx) noexcept {
    if (!filling_) return;
    try {
      filling_->finish();
      full_ = std::move(filling_);
      keep_made(
          ctx, *node_,
          {static_cast<uint64_t>(making_), full_, ctx.session.mixtures().written_below(path_->to_string())});
    } catch (...) {
    }
    filling_ = nullptr;
  }

  const DatasetRef node_;
  const PathRef path_;
  const Instance input_;
  const std::vector<Component>& components_;
  const OpenedKept opened_;
  // The pass that fills the cache or has filled it.
  int64_t making_;
  bool replaying_;
  const RefPtr<CacheStore> caches_;
  // Rows given: in the first pass with errors, else without.
  int64_t position_ = 0;
  // What its pass found in folders before a restore, until the pass begins.
  Openings folders_;
  std::unique_ptr<Pass> pass_;
  // Rows that the pass has read.
  int64_t read_ = 0;
  // Null if there was no memory for them, and why; an exceeded budget is said once, in a row of its own.
  RefPtr<CachedRows> filling_;
  ErrorPtr lack_ = out_of_memory();
  bool says_lack_ = false;
  RefPtr<const CachedRows> full_;
  size_t part_ = 0;
  // There was no memory to open the input, or to hold what it gave again: one error, and the end.
  bool lost_ = false;
  Block block_;
  YieldTimer yield_timer_;
};

const OperatorDef& memory_cache_operator() {
  static const OperatorDef def = define<MemoryCacheParams, MemoryCache>({
      .name = "memory_cache",
      .internal = true,
      .page = {.doc = "Keeps the elements of a first pass."},
      .typing = {.cardinality = same_cardinality},
      .position = {.counts_openings = always,
                   .opens_apart = true,
                   .keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{0, INT64_MAX};
                       }},
  });
  return def;
}

}  // namespace

Result<DatasetRef> build_memory_cache(DatasetRef input, const BuildSite& site) {
  return compose(MemoryCacheParams(), {std::move(input)}, site);
}

}  // namespace weir
