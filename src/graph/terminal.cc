#include "graph/terminal.h"

#include "core/text.h"
#include "dataset/operator.h"
#include "dataset/stage.h"
#include "exec/scheduler.h"

namespace weir {

namespace {

// Pumps that a terminal leaves running with its value keep the session of the iterator, and with it the
// runtime, until they finish.
class InnerOwner final : public RefCounted {
 public:
  InnerOwner(RefPtr<Session> outer, RefPtr<Scheduler> scheduler)
      : outer_(std::move(outer)), scheduler_(std::move(scheduler)) {}

 private:
  const RefPtr<Session> outer_;
  const RefPtr<Scheduler> scheduler_;
};

class Runner final : public TerminalRunner {
 public:
  Runner(DatasetRef dataset, bool in_lambda) : dataset_(std::move(dataset)), in_lambda_(in_lambda) {}

  Lane lane() const override { return dataset_->lane(); }
  std::string not_replayable() const override { return dataset_->not_replayable(); }
  void add_sites(Sites& out) const override {
    Sites own = dataset_->sites();
    own.calls = dataset_->not_replayable();
    // No position is ever inside.
    own.reopens.clear();
    out.add(own);
  }

  // The call is part of a pump or poll of the outer iterator, whose scheduler it must not wait for, so what
  // runs ahead below the terminal gets its own scheduler.
  Status run(Session& outer, const EnvRef& env, uint64_t key, Components& out) const override {
    auto scheduler = make_ref<Scheduler>(outer.runtime);
    scheduler->tune_inside(*outer.scheduler);
    auto session =
        make_ref<Session>(outer, make_ref<InnerOwner>(RefPtr<Session>(&outer), scheduler), scheduler.get());
    // No outer position counts what is opened here.
    EpochScope epochs(nullptr, dataset_->depth(), in_lambda_ ? key : 0, true);
    Context ctx{*session, scheduler.get(), &epochs};
    std::unique_ptr<Stage> stage = Stage::open(ctx, {dataset_, env, key});
    const Status status = take(outer, ctx, *stage, out);
    if (!status.ok()) {
      // What it was writing has been removed when the call returns.
      session->cancelled.store(true);
      stage.reset();
      scheduler->wait_until_quiet_inside();
    }
    return status;
  }

 private:
  Status take(const Session& outer, Context& ctx, Stage& stage, Components& out) const {
    Block block;
    Result<PullResult> got = ctx.session.scheduler->drive([&]() noexcept {
      if (outer.cancelled.load(std::memory_order_relaxed)) ctx.session.cancelled.store(true);
      return stage.next(ctx, Demand{}, block);
    });
    if (!got.ok()) return got.status();
    if (*got == PullResult::cancelled) return Status(Code::cancelled, "the iterator was cancelled");
    // One that is run for what it does gives nothing.
    if (*got == PullResult::end && dataset_->components().empty()) {
      out.clear();
      return {};
    }
    if (*got != PullResult::rows)
      return internal_error(concat(dataset_->op().name, " gave no value; please report this"));
    if (const ErrorPtr* error = block.error_of(0)) return Status(*error);
    out = block.row(0);
    return {};
  }

  const DatasetRef dataset_;
  // Each call belongs to a row and has random orders of its own.
  const bool in_lambda_;
};

}  // namespace

RefPtr<const TerminalRunner> make_terminal_runner(DatasetRef dataset, bool in_lambda) {
  return make_ref<Runner>(std::move(dataset), in_lambda);
}

}  // namespace weir
