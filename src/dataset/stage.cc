#include "dataset/stage.h"

#include <algorithm>

#include "core/exception.h"
#include "core/failed_reads.h"
#include "core/text.h"
#include "dataset/holding.h"
#include "dataset/openings.h"
#include "dataset/run_time_params.h"

namespace weir {

namespace {

bool lacks_origin(const Error& error, Origin origin) {
  return origin.known() && error.file.empty() && error.record < 0;
}

// Adds the operator's path, if missing, and the file and record that the row came from. Returns the error
// unchanged if there is no memory.
ErrorPtr with_place(const ErrorPtr& error, const PathNode& path, Session& session, Origin origin) noexcept
    try {
  if (!error->path.empty() && !lacks_origin(*error, origin)) return error;
  auto out = std::make_shared<Error>(*error);
  if (out->path.empty()) out->path = path.to_string();
  if (lacks_origin(*out, origin)) {
    SourceNames::Place place = session.source_names().place(origin);
    out->file = std::move(place.file);
    out->record = place.record;
  }
  return out;
} catch (...) {
  return error;
}

}  // namespace

ErrorPtr shorter_than_saved() {
  Error error;
  error.code = Code::data_loss;
  error.message = "the input is shorter than when its position was saved";
  error.position_lost = true;
  return std::make_shared<Error>(std::move(error));
}

ErrorPtr shorter_than_saved(const Session& session) {
  if (session.lacked_memory.load(std::memory_order_relaxed)) return as_lost_position(out_of_memory());
  return shorter_than_saved();
}

ErrorPtr as_error_of_opening(const ErrorPtr& error) noexcept {
  return is_out_of_memory(*error) ? as_lost_position(error) : error;
}

struct Stage::Again {
  Instance instance;
  // Null if they are constant.
  std::unique_ptr<RunTimeParams> params;
  // The stage's cursor, which is here after its end.
  RestartableCursor* cursor = nullptr;
  std::unique_ptr<Cursor> spent;
};

Stage::Stage(DatasetRef node, PathRef path) : node_(std::move(node)), path_(std::move(path)) {}

// Makes the cursor, or stores why it could not be made.
void Stage::open_cursor(Opening& opening) {
  const Dataset& node = *node_;
  // What a function opens, it opens for many rows.
  const bool reopens = opening.ctx.epochs->depth() > 0;
  std::unique_ptr<ParamsBase> bound;
  std::unique_ptr<RunTimeParams> run_time;
  const ParamsBase* params = &node.params();
  Status status;
  if (node.dynamic() && reopens) {
    run_time = std::make_unique<RunTimeParams>(node.params());
    status = run_time->bind(opening.ctx.session, opening.env.get(), opening.key);
    params = &**run_time;
  } else if (node.dynamic()) {
    auto made = bind_params(node.params(), opening.ctx.session, opening.env.get(), opening.key);
    status = made.status();
    if (made.ok()) bound = *std::move(made);
    params = bound.get();
  }
  if (status.ok()) {
    auto cursor = node.op().open(opening, *params);
    status = cursor.status();
    if (cursor.ok()) cursor_ = *std::move(cursor);
  }
  if (!status.ok()) {
    open_error_ = status.pointer();
    return;
  }
  if (!reopens) return;
  if (auto* restartable = dynamic_cast<RestartableCursor*>(cursor_.get())) {
    again_.reset(new Again{opening, std::move(run_time), restartable, nullptr});
  }
}

// Tells whoever asked for it why the stage could not be opened.
void Stage::report(Context& ctx) const {
  if (open_error_ && ctx.opening_error != nullptr && !*ctx.opening_error) {
    *ctx.opening_error = with_place(open_error_, *path_, ctx.session, {});
  }
}

std::unique_ptr<Stage> Stage::open(Context& ctx, Instance instance) {
  std::unique_ptr<Stage> stage(new Stage(instance.node, instance.path));
  stage->count_in(ctx.session.stats());
  Opening opening(ctx, std::move(instance));
  try {
    stage->open_cursor(opening);
  } catch (...) {
    stage->open_error_ = error_of_exception();
  }
  stage->report(ctx);
  return stage;
}

bool Stage::reopen(Context& ctx, const Dataset& node, const EnvRef& env, uint64_t key) {
  if (!again_ || &node != node_.get()) return false;
  std::unique_ptr<Cursor> cursor = std::move(again_->spent ? again_->spent : cursor_);
  if (cursor.get() != again_->cursor || !cursor) return false;
  cursor_.reset();
  ended_ = owes_ = cursor_has_state_ = false;
  repeat_errors_ = 0;
  repeated_error_ = nullptr;
  open_error_ = nullptr;
  held_.reset();
  kept_.reset();
  saved_state_.reset();
  again_->instance.env = env;
  again_->instance.key = key;
  try {
    Opening opening(ctx, again_->instance);
    const Status bound = again_->params ? again_->params->bind(ctx.session, env.get(), key) : Status();
    if (!bound.ok()) {
      open_error_ = bound.pointer();
    } else if (again_->cursor->restart(opening, again_->params ? **again_->params : node.params())) {
      cursor_ = std::move(cursor);
    } else {
      return false;
    }
  } catch (...) {
    open_error_ = error_of_exception();
  }
  report(ctx);
  add_alone(live_.openings, 1);
  return true;
}

Stage::~Stage() {
  // What it ran ahead goes first, since that may count until then.
  cursor_.reset();
  again_.reset();
  if (stats_) stats_->close(live_);
}

// A stage that serves another shares its path, and counts below it.
void Stage::count_in(StatsTree* tree) noexcept {
  if (!tree) return;
  const OperatorDef& op = node_->op();
  StageStats* const here = path_->stats.load(std::memory_order_relaxed);
  if (op.internal && here && here->operator_name != op.name) {
    stats_ = tree->find(here, op.name, -1, node_->depth(), true);
  } else {
    StageStats* const above = path_->parent ? path_->parent->stats.load(std::memory_order_relaxed) : nullptr;
    if (path_->parent && !above) return;
    stats_ = tree->find(above, node_->name(), path_->input, node_->depth(), op.internal);
    path_->stats.store(stats_, std::memory_order_relaxed);
  }
  if (stats_) stats_->open(live_);
}

PullResult Stage::finish() {
  ended_ = true;
  if (again_) {
    again_->spent = std::move(cursor_);
  } else {
    cursor_.reset();
  }
  return PullResult::end;
}

PullResult Stage::fail(Context& ctx, const ErrorPtr& error, Block& out) noexcept {
  const Origin origin = out.origins.of(0);
  if (ran_out_of_memory(*error)) ctx.session.lacked_memory.store(true, std::memory_order_relaxed);
  out.set_error(placed(ctx.session, error, origin), node_->components().size());
  add_alone(live_.rows, 1);
  if (stats_) add_to(stats_->failed, 1);
  return PullResult::rows;
}

void Stage::add_places(Context& ctx, Block& out) noexcept {
  if (stats_) add_to(stats_->failed, static_cast<int64_t>(out.errors.size()));
  for (RowError& error : out.errors) {
    error.error = placed(ctx.session, error.error, out.origins.of(error.row));
  }
}

// The error with its place. Where memory is short, one error may come for very many rows.
ErrorPtr Stage::placed(Session& session, const ErrorPtr& error, Origin origin) noexcept {
  if (origin.known()) return with_place(error, *path_, session, origin);
  if (!error->path.empty()) return error;
  if (error != unplaced_error_) {
    placed_error_ = with_place(error, *path_, session, origin);
    unplaced_error_ = error;
  }
  return placed_error_;
}

// Ends the sequence at a position that cannot be resumed.
PullResult Stage::give_up(Context& ctx, const ErrorPtr& error, Block& out) noexcept {
  const ErrorPtr lost = as_lost_position(error);
  saved_state_.reset();
  kept_.reset();
  finish();
  out.origins.clear();
  return fail(ctx, lost, out);
}

PullResult Stage::resume(Context& ctx, Block& out) {
  if (!cursor_has_state_) {
    Archive archive(*saved_state_);
    cursor_->state(archive);
    archive.finish();
    Status status = archive.status();
    if (kept_ && status.ok()) {
      auto* const keeper = dynamic_cast<RowKeeper*>(cursor_.get());
      status = keeper ? keeper->take_back(*kept_) : data_loss("rows are kept where none can be");
    }
    if (!status.ok()) return give_up(ctx, status.pointer(), out);
    cursor_has_state_ = true;
  }
  Step step = cursor_->resume(ctx);
  if (step.error()) return give_up(ctx, step.error(), out);
  if (step.answer() == PullResult::end) return give_up(ctx, shorter_than_saved(ctx.session), out);
  if (step.answer() == PullResult::rows) {
    saved_state_.reset();
    kept_.reset();
  }
  return step.answer();
}

[[gnu::always_inline]] inline PullResult Stage::pull(Context& ctx, const Demand& demand, Block& out) {
  out.origins.clear();
  if (open_error_) {
    const ErrorPtr error = as_error_of_opening(open_error_);
    open_error_.reset();
    finish();
    return fail(ctx, error, out);
  }
  if (saved_state_) {
    PullResult resumed = resume(ctx, out);
    // A failed resume has ended the sequence and left its error in `out`.
    if (resumed != PullResult::rows || ended_) return resumed;
  }
  out.thinned = false;
  Step step = [&] {
    if (demand.step == 1 || node_->op().typing.columns == Columns::mapped)
      return cursor_->next(ctx, demand, out);
    Demand whole = demand;
    whole.step = 1;
    return cursor_->next(ctx, whole, out);
  }();
  if (step.error()) [[unlikely]]
    return fail(ctx, step.error(), out);
  if (step.answer() == PullResult::rows) {
    add_alone(live_.rows, out.rows);
    if (!out.errors.empty()) [[unlikely]]
      add_places(ctx, out);
    return PullResult::rows;
  }
  return step.answer() == PullResult::end ? finish() : step.answer();
}

// Turns the exception in flight into an error in `out`. Returns false if the cursor must be called again.
bool Stage::lose(Context& ctx, Block& out) noexcept {
  const ErrorPtr error = error_of_exception();
  if (saved_state_) {
    give_up(ctx, error, out);
    return true;
  }
  const int64_t rows = cursor_ ? cursor_->lose(error) : 1;
  if (rows == 0) return false;
  repeat_errors_ = rows - 1;
  owes_ = repeat_errors_ > 0;
  if (owes_) repeated_error_ = error;
  out.origins.clear();
  fail(ctx, error, out);
  return true;
}

// REQUIRES: owes_
PullResult Stage::give_owed(Context& ctx, const Demand& demand, Block& out) noexcept {
  if (repeat_errors_ > 0) {
    --repeat_errors_;
    owes_ = repeat_errors_ > 0 || held_;
    out.origins.clear();
    return fail(ctx, repeated_error_, out);
  }
  held_->take(demand.rows, out);
  add_alone(live_.rows, out.rows);
  if (held_->empty()) held_.reset();
  owes_ = held_ != nullptr;
  // Those that a Window had made when it was saved have none.
  add_places(ctx, out);
  return PullResult::rows;
}

[[gnu::always_inline]] inline PullResult Stage::next_row(Context& ctx, const Demand& demand,
                                                         Block& out) noexcept {
  if (ended_ && !owes_) return PullResult::end;
  if (ctx.session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
  if (owes_) [[unlikely]]
    return give_owed(ctx, demand, out);
  for (;;) {
    try {
      return pull(ctx, demand, out);
    } catch (...) {
      if (lose(ctx, out)) return PullResult::rows;
    }
  }
}

PullResult Stage::next(Context& ctx, const Demand& demand, Block& out) noexcept {
  if (ctx.sample) [[unlikely]]
    return next_measured(ctx, demand, out);
  return next_row(ctx, demand, out);
}

PullResult Stage::next_measured(Context& ctx, const Demand& demand, Block& out) noexcept {
  Sample& sample = *ctx.sample;
  const Sample::Span span = sample.begin();
  const PullResult got = next_row(ctx, demand, out);
  const bool has_bytes = got == PullResult::rows && !demand.drop && !out.thinned && out.value_rows() > 0;
  sample.end(span, stats_, out.rows, has_bytes ? out.byte_size() : -1);
  return got;
}

namespace {

// The status of a stage as one number: at its end, or how many errors come before it goes on.
constexpr int64_t kEnded = 1;
constexpr int64_t kMostOwed = int64_t{1} << 40;
// More errors are not saved one by one.
constexpr int64_t kMostHeldErrors = int64_t{1} << 16;
// The keys of rows by value: those that come next, and those that the cursor keeps.
constexpr const char* kHeldRows = "held";
constexpr const char* kKeptRows = "kept";

// The structure of the rows that a RowKeeper over `node` keeps.
const Spec& kept_spec(const Dataset& node) {
  return node.inputs().empty() ? node.spec() : node.inputs()[0]->spec();
}

void save_rows(Archive& archive, const char* key, HeldRows rows, const Spec& spec) {
  if (rows.empty()) return;
  Archive inner;
  rows.state(inner, spec);
  std::string bytes = inner.take();
  archive(key, bytes);
}

// Null if there are none.
std::unique_ptr<HeldRows> load_rows(Archive& archive, const char* key, const Spec& spec) {
  if (!archive.next_is(key)) return nullptr;
  std::string bytes;
  archive(key, bytes);
  Archive inner(bytes);
  auto rows = std::make_unique<HeldRows>();
  rows->state(inner, spec);
  inner.finish();
  if (!inner.status().ok()) archive.fail(inner.status().error().message);
  return rows->empty() ? nullptr : std::move(rows);
}

}  // namespace

void write_ended(const Dataset& node, Archive& archive) {
  int64_t standing = kEnded;
  std::string nothing;
  archive(node.op().name, standing);
  archive("state", nothing);
}

void Stage::copy_state(const Dataset& node, Archive& from, Archive& to) {
  int64_t standing = 0;
  std::string bytes;
  from(node.op().name, standing);
  to(node.op().name, standing);
  for (const char* const rows : {kHeldRows, kKeptRows}) {
    if (!from.next_is(rows)) continue;
    from(rows, bytes);
    to(rows, bytes);
  }
  from("state", bytes);
  to("state", bytes);
}

// Puts the rows that this Stage owes after those in `rows`.
void Stage::hold_rows(Holding& holding, HeldRows& rows) {
  if (repeat_errors_ > kMostHeldErrors) return holding.fail(out_of_memory());
  for (int64_t i = 0; i < repeat_errors_; ++i) {
    Block one;
    one.set_error(repeated_error_, node_->components().size());
    rows.add(std::move(one));
  }
  if (held_) rows.add(*held_);
  if (auto* ahead = dynamic_cast<AheadOfConsumer*>(cursor_.get()); ahead && !saved_state_)
    ahead->hold(holding, rows);
  if (!rows.empty() && node_->spec().has_dataset()) {
    holding.fail(
        failed_precondition(concat("expected elements that can be saved by value, found nested datasets, at ",
                                   path_->to_string()))
            .pointer());
    rows = HeldRows();
  }
  if (holding.failed_reads) rows.each_block([&](const Block& block) { holding.failed_reads->add(block); });
}

// The rows that the cursor keeps and of which a position needs the values.
HeldRows Stage::kept_rows() {
  HeldRows rows;
  if (kept_) return *kept_;
  if (!node_->op().position.keeps_rows || saved_state_) return rows;
  if (auto* keeper = dynamic_cast<RowKeeper*>(cursor_.get())) keeper->hold(rows);
  return rows;
}

// What the cursor saves, or has yet to load.
std::string Stage::cursor_state(Archive& archive) {
  if (saved_state_) return *saved_state_;
  if (!cursor_) return {};
  Archive inner(archive.holding());
  cursor_->state(inner);
  return inner.take();
}

void Stage::state(Archive& archive) {
  if (archive.loading()) {
    int64_t standing = 0;
    archive(node_->op().name, standing, -kMostOwed, kEnded);
    held_ = load_rows(archive, kHeldRows, node_->spec());
    kept_ = load_rows(archive, kKeptRows, kept_spec(*node_));
    std::string bytes;
    archive("state", bytes);
    if (!archive.status().ok()) return;
    ended_ = standing == kEnded;
    repeat_errors_ = ended_ ? 0 : -standing;
    repeated_error_ = out_of_memory();
    owes_ = repeat_errors_ > 0 || held_;
    saved_state_.reset();
    cursor_has_state_ = false;
    if (ended_) {
      cursor_.reset();
      open_error_.reset();
    } else if (!bytes.empty()) {
      // A stage that failed to open saves no bytes; its error is still due.
      if (open_error_) open_error_ = as_lost_position(open_error_);
      if (cursor_) saved_state_ = std::make_unique<std::string>(std::move(bytes));
    }
    return;
  }
  int64_t standing = ended_ || (!cursor_ && !open_error_) ? kEnded : -repeat_errors_;
  HeldRows rows;
  if (Holding* holding = archive.holding()) {
    rows = std::exchange(holding->unused, HeldRows());
    hold_rows(*holding, rows);
    if (!holding->goes_on()) return;
    standing = std::max<int64_t>(standing, 0);
  } else if (held_) {
    rows = *held_;
  }
  archive(node_->op().name, standing);
  save_rows(archive, kHeldRows, std::move(rows), node_->spec());
  save_rows(archive, kKeptRows, kept_rows(), kept_spec(*node_));
  std::string bytes = cursor_state(archive);
  archive("state", bytes);
}

}  // namespace weir
