#include "iterator/iterator.h"

#include <algorithm>
#include <span>

#include "core/exception.h"
#include "core/failed_reads.h"
#include "core/memo.h"
#include "core/mixtures.h"
#include "core/part_positions.h"
#include "core/text.h"
#include "dataset/adopt_made.h"
#include "dataset/found_names.h"
#include "dataset/holding.h"
#include "dataset/openings.h"
#include "iterator/ahead_alike.h"
#include "iterator/iterator_reads.h"
#include "iterator/param_digests.h"
#include "iterator/rank_positions.h"
#include "iterator/root_key.h"
#include "iterator/session_owner.h"
#include "ops/pipeline_options.h"

namespace weir {

namespace {

// Other graphs whose openings an iterator remembers; the least recently used is forgotten first.
constexpr size_t kMaxRemembered = 1024;
// Of pipelines with parts, each of which may be in the middle of a file.

// Stands for how often a node is opened in an epoch where that depends on the data: so often that no order of
// one epoch comes again in the next.
constexpr uint64_t kUnknownOpenings = uint64_t{1} << 20;

// Checks that the graph found the same names as the checkpoint's.
Status check_names(const Dataset& root, std::span<const uint64_t> saved) {
  for (const auto& found : root.sites().names) {
    const uint64_t size = saved.empty() ? 0 : saved[0];
    if (saved.empty() || size > saved.size() - 1)
      return data_loss("the names of a checkpoint are incomplete");
    std::string difference = found->difference(saved.subspan(1, size));
    if (!difference.empty()) return failed_precondition(std::move(difference));
    saved = saved.subspan(1 + size);
  }
  return Status();
}

// Whether a position has rows by value. Callbacks that save their state ask for it, whatever the policy.
bool holds_rows(const Dataset& root, CheckpointPolicy policy) {
  if (root.not_replayable().empty()) return false;
  if (policy == CheckpointPolicy::by_value) return true;
  // A state counts what was made and not delivered, and is saved while nothing is called.
  const bool saves = root.sites().unsaved.empty() || policy == CheckpointPolicy::ignore;
  return saves && !root.sites().states.empty();
}

Status check_states(const Dataset& root, const Checkpoint& checkpoint) {
  const auto& states = root.sites().states;
  if (states.size() == checkpoint.states.size()) return Status();
  return failed_precondition(expected_found(
      concat("a checkpoint with the states of ", states.size(), " callbacks"),
      concat("one with ", checkpoint.states.size()), "give each callback save and restore, or neither"));
}

// REQUIRES: check_states(), and none of these callbacks runs
Status restore_states(const Dataset& root, const Checkpoint& checkpoint) {
  const auto& states = root.sites().states;
  for (size_t i = 0; i < states.size(); ++i) WEIR_TRY(states[i]->restore_state(checkpoint.states[i]));
  return Status();
}

// What the last operator needs before anything opens.
Status begin_last(const Dataset& root, Session& session) {
  if (!root.op().typing.begin) return Status();
  Status begun = root.op().typing.begin(session, root.params());
  return begun.ok() ? begun : with_operator(begun, root.op().name);
}

// Opens what the first poll opens. Where memory ran out, its error is the dataset's only element; false if
// there was none even for that: then nothing is opened any more.
template <class Position>
bool open_late(Position& position) try {
  position.open(false);
  return true;
} catch (const std::bad_alloc&) {
  if (!position.stage) position.root = nullptr;
  return position.stage != nullptr;
}

// The position of one rank is not that of another.
Status check_world(const World& world, const Checkpoint& checkpoint) {
  if (checkpoint.world_size == world.size && checkpoint.rank == world.rank) return Status();
  return failed_precondition(expected_found(
      concat("the checkpoint of rank ", world.rank, " of ", world.size),
      concat("that of rank ", checkpoint.rank, " of ", checkpoint.world_size),
      "to change the number of ranks, divide the work by partition and give the checkpoints of all ranks"));
}

}  // namespace

Status Iterator::not_initialised() {
  return failed_precondition(
      "the iterator is not initialised; initialise it with a dataset and the dataset's parameters");
}

Iterator::Iterator(Runtime& runtime, RefPtr<RefCounted> owner, Spec spec, DocumentRef document,
                   bool shares_caches)
    : runtime_(runtime),
      owner_(std::move(owner)),
      spec_(std::move(spec)),
      scheduler_(make_ref<Scheduler>(runtime)),
      sharing_(shares_caches ? document : nullptr),
      source_names_(sharing_ ? sharing_->caches()->source_names : make_ref<SourceNames>()),
      document_(std::move(document)) {}

PullResult Iterator::poll(Polled& polled) noexcept {
  Position* position = position_.get();
  if (!position || !position->stage || !position->held.empty() || !position->order.empty() ||
      position->session->cancelled.load(std::memory_order_relaxed)) [[unlikely]] {
    return poll_rarely(polled, false);
  }
  Context context{*position->session, scheduler_.get(), &position->epochs};
  Demand demand;
  demand.rows = polled.rows;
  const PullResult got = pull_sampled(context, position->sampler, nullptr,
                                      [&] { return position->stage->next(context, demand, polled.out); });
  if (got != PullResult::rows) {
    if (got == PullResult::end) position->session->stats()->end(runtime_.clock->now_ns());
    return got;
  }
  position->pass(polled.out);
  if (polled.out.errors.empty()) [[likely]]
    return got;
  return poll_rarely(polled, true);
}

// The rare cases: nothing to poll, rows held back, errors among other rows, another order of keys.
PullResult Iterator::poll_rarely(Polled& polled, bool pulled) noexcept {
  try {
    Position* position = position_.get();
    if (!position) {
      if (closed_) return PullResult::cancelled;
      polled.status = not_initialised();
      return PullResult::end;
    }
    // What was pulled must be delivered, or the position would have lost it.
    if (!pulled && position->session->cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
    if (!position->held.empty()) {
      position->held.take(polled.rows, polled.out);
    } else if (!pulled) {
      if (!position->stage && !position->root) return PullResult::end;
      if (!position->stage && !open_late(*position)) {
        polled.out.set_error(out_of_memory(), static_cast<size_t>(spec_.component_count()));
        return PullResult::rows;
      }
      Context context{*position->session, scheduler_.get(), &position->epochs};
      Demand demand;
      demand.rows = polled.rows;
      PullResult got = position->stage->next(context, demand, polled.out);
      if (got != PullResult::rows) return got;
      position->pass(polled.out);
    }
    arrange(*position, polled.out);
    return PullResult::rows;
  } catch (...) {
    polled.status = Status(error_of_exception());
  }
  return PullResult::end;
}

// Leaves rows without errors, or one failed row, in the order of the iterator's own structure.
void Iterator::arrange(Position& position, Block& out) {
  position.session->failed_reads().add(out);
  if (out.rows > 1 && !out.errors.empty()) {
    const int rows = out.rows;
    position.held.hold(std::move(out));
    position.held.take(rows, out);
  }
  if (position.order.empty() || !out.errors.empty()) return;
  std::vector<Column> columns;
  for (int from : position.order) columns.push_back(std::move(out.columns[static_cast<size_t>(from)]));
  out.columns = std::move(columns);
}

// Runs `work` between two polls; an exception becomes its Status.
template <class Work>
Status Iterator::with_right(Work&& work) {
  Status done;
  Status entered = scheduler_->between_polls([&]() noexcept {
    try {
      done = work();
    } catch (...) {
      done = Status(error_of_exception());
    }
  });
  return entered.ok() ? done : entered;
}

Status Iterator::check_belongs(const Position& position, const Checkpoint& checkpoint) const {
  const Document& document = *position.document;
  WEIR_TRY(check_graph(document, checkpoint));
  const bool made_alike = document.placeless_fingerprint() == checkpoint.fingerprint;
  const Dataset& root = *document.root();
  WEIR_TRY(check_runs_ahead(root, checkpoint.windows, made_alike));
  if (checkpoint.params.size() != position.params.size() ||
      checkpoint.seeds.size() != 2 * document.root()->sites().seeds.size()) {
    return data_loss(
        "expected a checkpoint with all parameters and seeds of this dataset, found other numbers of them; it was made by another version of the library");
  }
  for (size_t i = 0; i < position.params.size(); ++i) {
    if (!document.params()[i].any_position && checkpoint.params[i].hash != position.params[i].hash) {
      return failed_precondition(expected_found(
          concat("the value of $", position.params[i].name, " that the checkpoint was saved with"),
          "another one"));
    }
  }
  const World& world = position.session->world();
  if (document.root()->sites().by_rank && world.known()) WEIR_TRY(check_world(world, checkpoint));
  return check_names(*document.root(), checkpoint.names);
}

// Loads the checkpoint's state into a newly opened stage. There is none where parts come from other ranks.
Status Iterator::restore(Position& position, const Checkpoint& checkpoint) const {
  position.turn = checkpoint.turn;
  if (!checkpoint.stage.empty()) {
    Archive stage(checkpoint.stage);
    position.stage->state(stage);
    stage.finish();
    WEIR_TRY(stage.status());
  }
  if (checkpoint.held.empty()) return Status();
  Archive held(checkpoint.held);
  position.held.state(held, position.document->root()->spec());
  held.finish();
  return held.status();
}

World Iterator::world_of(const Beginning& beginning) const {
  return beginning.world ? *beginning.world : world_.value_or(runtime_.world);
}

Result<std::shared_ptr<Iterator::Position>> Iterator::build(const DocumentRef& document,
                                                            const Beginning& beginning,
                                                            const std::vector<GraphHistory>& histories,
                                                            const Checkpoint* checkpoint) {
  if (const std::string difference = difference_of(spec_, document->spec()); !difference.empty()) {
    return invalid_argument(expected_found(concat("a dataset of elements ", spec_.to_string()),
                                           concat("one of ", document->spec().to_string(), ": ", difference),
                                           "an iterator keeps the structure that it was made with"));
  }
  auto position = std::make_shared<Position>();
  position->document = document;
  WEIR_TRY(document->rewrites().status());
  position->root = beginning.rewrites ? document->rewrites()->root : document->rewrites()->written;
  position->order = moved_components(document->spec(), spec_);
  position->in_parts = document->root()->sites().parts != 0;
  WEIR_ASSIGN(position->env, bind_params_env(*document, beginning.params));
  if (position->env) position->params = digests_of(*document, position->env.get(), true);
  position->session =
      make_ref<Session>(runtime_, make_ref<SessionOwner>(owner_, scheduler_), scheduler_.get());
  IteratorReads reads = iterator_reads(runtime_, *document->root(), position->in_parts);
  position->session->use_files(std::move(reads.files));
  position->reads = std::move(reads.counts);
  {
    MutexLock lock(mutex_);
    building_ = position->session;
  }
  position->session->use_world(world_of(beginning));
  position->session->keep_stats(make_ref<StatsTree>(runtime_.clock->now_ns(), scheduler_->waited_ns()));
  scheduler_->tune(tuning_of(*document->root(), runtime_.executor->memory(), checkpoint != nullptr));
  position->session->hold_rows(holds_rows(*document->root(), beginning.policy.value_or(policy_)));
  WEIR_TRY(check_parts(document->root()->sites().parts, position->session->world()));
  WEIR_TRY(begin_last(*document->root(), *position->session));
  if (checkpoint) WEIR_TRY(check_belongs(*position, *checkpoint));
  position->session->use_source_names(source_names_);
  const Dataset& root = *document->root();
  if (!checkpoint && position_ && position_->document == document) {
    // It may have been at a position that says what was drawn.
    for (const auto& site : root.sites().seeds)
      position->session->override_seed(*site, position_->session->seed(*site));
  }
  if (checkpoint) {
    Archive failed(checkpoint->failed_reads);
    position->session->failed_reads().state(failed);
    failed.finish();
    WEIR_TRY(failed.status());
    WEIR_TRY(position->session->mixtures().load(checkpoint->mixtures));
    begin_parts(*checkpoint, *position->session);
    position->opening = checkpoint->opening;
    const auto& sites = root.sites().seeds;
    for (size_t i = 0; i < sites.size(); ++i)
      position->session->override_seed(*sites[i], {checkpoint->seeds[2 * i], checkpoint->seeds[2 * i + 1]});
  }
  if (!root.epoch_nodes().empty()) {
    position->session->set_epoch_index(std::make_shared<const EpochIndex>(root.epoch_nodes()));
  }
  if (!count_openings(*position, beginning.epoch, histories, checkpoint))
    return data_loss("expected the counts of openings of this dataset, found others");
  // Where parts come from other ranks there is no state, and a pass reads only what they have left.
  const bool from_ranks = checkpoint && checkpoint->stage.empty();
  if (position->document == sharing_ && !from_ranks) share_caches(*position, checkpoint != nullptr);
  const bool is_window = root.op().ahead.is_window != nullptr && root.op().ahead.is_window(root.params());
  FetchChoice& choice = position->choice;
  choice.work = work_of(root);
  choice.may_open = root.lane() != Lane::caller;
  choice.may_fetch =
      choice.may_open && !root.spec().has_dataset() && !is_window && !root.op().typing.stands_last;
  choice.slow = root.lane() == Lane::blocking;  // until files turn out to be quick
  // No state replaces what is opened then, so it is opened under the numbers that they opened it under.
  if (from_ranks) position->take_back_opening();
  // Parameters that take any time are computed by the first poll, which can be waited for.
  if (checkpoint || !choice.may_open || !choice.work.opens_slowly) position->open(checkpoint && !from_ranks);
  if (checkpoint) {
    WEIR_TRY(restore(*position, *checkpoint));
    WEIR_TRY(position->session->mixtures().refusal());
    WEIR_TRY(check_states(root, *checkpoint));
  }
  return position;
}

// Sets what was opened before the position: as the checkpoint, the epoch or this iterator's past says. False
// if what was saved isn't of this graph.
bool Iterator::count_openings(Position& position, uint64_t epoch, const std::vector<GraphHistory>& histories,
                              const Checkpoint* checkpoint) const {
  if (checkpoint) return position.epochs.assign(checkpoint->epochs);
  if (epoch != 0) {
    position.opening = epoch;
    const auto& nodes = position.document->root()->epoch_nodes();
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].depth > 0) continue;
      const uint64_t openings =
          nodes[i].openings < 0 ? kUnknownOpenings : static_cast<uint64_t>(nodes[i].openings);
      position.epochs.set(i, epoch * openings);
    }
    return true;
  }
  for (const GraphHistory& history : histories) {
    if (position.document->fingerprint() != history.fingerprint) continue;
    position.opening = history.openings;
    return position.epochs.assign(history.epochs);
  }
  return true;
}

void Iterator::share_caches(Position& position, bool restored) const {
  const Dataset& root = *sharing_->root();
  for (const auto& site : root.sites().seeds)
    if (position.session->seed(*site) != site->drawn) return;
  std::string values = concat(position.session->world().rank, " of ", position.session->world().size);
  if (position.env) {
    for (const ParamDigest& param : digests_of(*position.document, position.env.get(), false))
      values += concat(" ", param.hash);
  }
  const std::span<const EpochNode> adopts = restored ? std::span<const EpochNode>() : root.epoch_nodes();
  if (adopt_made(*sharing_->caches(), values, adopts, position.epochs, position.session->mixtures()))
    position.session->memo().share_caches(sharing_->caches());
}

// The histories, with how far the present position has come, for the next time that its graph is opened.
std::vector<GraphHistory> Iterator::remembered() const {
  std::vector<GraphHistory> histories = histories_;
  if (!position_) return histories;
  GraphHistory history;
  history.fingerprint = position_->document->fingerprint();
  history.openings = position_->opening + 1;
  history.epochs = position_->epochs.written();
  std::erase_if(histories, [&](const GraphHistory& known) {
    return position_->document->fingerprint() == known.fingerprint;
  });
  if (histories.size() == kMaxRemembered) histories.erase(histories.begin());
  histories.push_back(std::move(history));
  return histories;
}

// The position that is being built is reached by cancel().
struct Iterator::Building {
  explicit Building(Iterator& i) : iterator(i) {}
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;
  ~Building() {
    RefPtr<Session> built;
    MutexLock lock(iterator.mutex_);
    std::swap(iterator.building_, built);
  }
  Iterator& iterator;
};

Status Iterator::initialize(DocumentRef document, const Beginning& beginning) {
  const bool restores = beginning.restores();
  Checkpoint loaded;
  if (beginning.checkpoint) {
    WEIR_ASSIGN(loaded, Checkpoint::from_bytes(*beginning.checkpoint));
  }
  // Destroyed without the right to drive, since a callback of the host may be destroyed with it.
  std::shared_ptr<Position> old;
  std::shared_ptr<Position> position;
  std::vector<GraphHistory> histories;
  const auto make = [&]() -> Status {
    if (closed_) return failed_precondition("the iterator was destroyed");
    DocumentRef chosen = document ? document : document_;
    if (!chosen) {
      return failed_precondition(
          "expected a dataset to begin, found none; this iterator was made from a structure");
    }
    if (!beginning.rank_checkpoints.empty()) {
      WEIR_ASSIGN(loaded, position_of_rank(*chosen, beginning.rank_checkpoints, world_of(beginning)));
    }
    histories = restores ? std::move(loaded.histories) : remembered();
    const Building building(*this);
    WEIR_ASSIGN(position, build(chosen, beginning, histories, restores ? &loaded : nullptr));
    return Status();
  };
  const auto begin = [&] {
    histories_ = std::move(histories);
    document_ = position->document;
    if (beginning.world) world_ = *beginning.world;
    if (beginning.policy) policy_ = *beginning.policy;
    old = replace_position(std::move(position));
    on_device_.store(position_->root->op().typing.stands_last, std::memory_order_relaxed);
    MutexLock lock(mutex_);
    if (old) cancel_session(*old->session);
    session_ = position_->session;
    reads_ = position_->reads;
  };
  bool stops = false;
  WEIR_TRY(with_right([&]() -> Status {
    WEIR_TRY(make());
    stops = restores && position_ && !loaded.states.empty();
    if (stops) return Status();
    if (restores) WEIR_TRY(restore_states(*position->document->root(), loaded));
    begin();
    return Status();
  }));
  if (!stops) return Status();
  // Calls that the present position makes ahead must not add to the states that come from the checkpoint.
  // From here on there is no way back to it.
  cancel();
  scheduler_->wait_until_quiet();
  return with_right([&]() -> Status {
    if (closed_) return failed_precondition("the iterator was destroyed");
    const Status restored = restore_states(*position->document->root(), loaded);
    if (restored.ok()) {
      begin();
    } else {
      old = replace_position(nullptr);
    }
    return restored;
  });
}

Status Iterator::give_back(const Block& block, int begin) {
  return with_right([&]() -> Status {
    if (!position_) return not_initialised();
    Block rows = block.slice(begin, block.rows - begin);
    if (!position_->order.empty()) {
      std::vector<Column> columns(rows.columns.size());
      for (size_t i = 0; i < columns.size(); ++i) {
        columns[static_cast<size_t>(position_->order[i])] = std::move(rows.columns[i]);
      }
      rows.columns = std::move(columns);
    }
    position_->held.hold(rows, 0);
    return Status();
  });
}

IteratorStats Iterator::stats() {
  RefPtr<Session> session;
  RefPtr<const ReadCounts> reads;
  {
    MutexLock lock(mutex_);
    session = session_;
    reads = reads_;
  }
  IteratorStats out;
  if (!session) return out;
  if (reads) out.reads = {reads->memory_bytes, reads->disk_bytes, reads->store_bytes, reads->damaged_blocks};
  StatsTree& tree = *session->stats();
  const int64_t ended_ns = tree.ended_ns.load(std::memory_order_relaxed);
  const int64_t until_ns = ended_ns != 0 ? ended_ns : runtime_.clock->now_ns();
  out.elapsed_ns = std::max<int64_t>(0, until_ns - tree.began_ns);
  out.waited_ns = std::max<int64_t>(0, scheduler_->waited_ns() - tree.waited_before_ns);
  out.parallelism = runtime_.executor->parallelism();
  out.alone = scheduler_->found_alone();
  out.stages = tree.snapshot();
  return out;
}

void Iterator::cancel() {
  {
    MutexLock lock(mutex_);
    if (session_) cancel_session(*session_);
    if (building_) cancel_session(*building_);
  }
  scheduler_->interrupt();
}

void Iterator::close() {
  cancel();
  std::shared_ptr<Position> old;
  // Inside this iterator's own code the right cannot be had: the position goes with the last user.
  Status taken = with_right([&]() -> Status {
    closed_ = true;
    old = replace_position(nullptr);
    return Status();
  });
  old.reset();
  if (taken.ok()) scheduler_->wait_until_quiet();
}

Result<Checkpoint> Iterator::write_down(Holding* holding) const {
  if (!position_) return not_initialised();
  const Position& position = *position_;
  const Dataset& root = *position.document->root();
  if (!root.sites().unsaved.empty() && policy_ == CheckpointPolicy::refuse) {
    return failed_precondition(
        expected_found("a dataset whose rows can be made again, so that its position can be saved",
                       concat("that ", root.sites().unsaved),
                       "create the iterator with a checkpoint policy: by value, or ignore"));
  }
  if (!root.sites().reopens.empty() && policy_ != CheckpointPolicy::ignore) {
    return failed_precondition(expected_found(
        "datasets that can be opened again, so that a position inside them can be saved",
        concat("that ", root.sites().reopens),
        "let a map before it call the callback, or create the iterator with the checkpoint policy ignore"));
  }
  Checkpoint checkpoint;
  checkpoint.fingerprint = position.document->placeless_fingerprint();
  checkpoint.positional = position.document->positional_fingerprint();
  checkpoint.graph = position.document->digest();
  checkpoint.params = position.params;
  for (const auto& site : root.sites().seeds) {
    auto [first, second] = position.session->seed(*site);
    checkpoint.seeds.push_back(first);
    checkpoint.seeds.push_back(second);
  }
  for (const auto& found : root.sites().names) {
    checkpoint.names.push_back(found->digest().size());
    checkpoint.names.insert(checkpoint.names.end(), found->digest().begin(), found->digest().end());
  }
  if (root.sites().by_rank) {
    checkpoint.rank = position.session->world().rank;
    checkpoint.world_size = position.session->world().size;
    checkpoint.turn = position.session->holds_rows() ? Origins::kNoTurn : position.turn;
  }
  checkpoint.windows = windows_of(root);
  checkpoint.opening = position.opening;
  checkpoint.epochs = position.epochs.written();
  for (const GraphHistory& history : histories_) {
    if (position.document->fingerprint() != history.fingerprint) checkpoint.histories.push_back(history);
  }
  if (!position.held.empty()) {
    HeldRows held = position.held;
    Archive archive;
    held.state(archive, root.spec());
    WEIR_TRY(archive.status());
    checkpoint.held = archive.take();
  }
  Archive archive(holding);
  position.stage->state(archive);
  if (holding && !holding->goes_on()) return checkpoint;
  WEIR_TRY(archive.status());
  checkpoint.stage = archive.take();
  if (position.in_parts) checkpoint.inherited = position.session->known_parts();
  Archive failed;
  position.session->failed_reads().state(failed);
  checkpoint.failed_reads = failed.take();
  checkpoint.mixtures = position.session->mixtures().written();
  for (const auto& state : root.sites().states) {
    WEIR_ASSIGN(std::string bytes, state->save_state());
    checkpoint.states.push_back(std::move(bytes));
  }
  return checkpoint;
}

Result<std::string> Iterator::save(World* whose) {
  Result<Checkpoint> checkpoint = Checkpoint();
  bool holds_rows = false;
  WEIR_TRY(with_right([&]() -> Status {
    if (position_ && !position_->stage) position_->open(false);
    holds_rows = position_ && position_->session->holds_rows();
    if (!holds_rows) checkpoint = write_down(nullptr);
    return Status();
  }));
  if (holds_rows) checkpoint = save_by_value();
  WEIR_TRY(checkpoint.status());
  if (whose) *whose = World{(*checkpoint).rank, (*checkpoint).world_size, {}};
  std::string bytes = (*checkpoint).to_bytes();
  WEIR_TRY(check_checkpoint_size(bytes.size(), runtime_.limits.checkpoint_bytes));
  return bytes;
}

Status Iterator::save_file(const std::string& name) {
  WEIR_ASSIGN(std::string bytes, save());
  return runtime_.files->write_file_atomically(
      name, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

}  // namespace weir
