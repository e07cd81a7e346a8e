// Iterator: a position in a dataset, which a user drives.
//
// An iterator made with a document and never initialised again is one-shot; with $params it is initialisable;
// made from a structure it is reinitialisable. They are one class, because they differ only in who calls
// initialize(). How often a graph was opened, and the openings counted inside it, outlive the position: they
// are kept by fingerprint, as of the last row delivered.
//
// Shares its documents and its runtime's owner; elements may outlive it. May be used on any thread: one
// drives, the others wait for their turn. Errors of elements are rows. next costs two atomic exchanges above
// the root Stage, none on a thread that has used it alone for a while (ADR 0022); initialize about 10 us.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/runtime.h"
#include "core/stage_stats.h"
#include "core/sync.h"
#include "dataset/held_rows.h"
#include "dataset/stage.h"
#include "exec/scheduler.h"
#include "fs/read_through.h"
#include "graph/document.h"
#include "iterator/checkpoint.h"
#include "iterator/fetcher.h"
#include "iterator/iterator_stats.h"

namespace weir {

// What a position says of rows that cannot be made again: it is not saved; they are saved by value; they are
// taken for rows that can.
enum class CheckpointPolicy : uint8_t { refuse, by_value, ignore };

// Where an iterator begins.
struct Beginning {
  const std::vector<ParamValue>& params;
  // Bytes that save() gave, or null.
  const std::string* checkpoint = nullptr;
  // Instead, what save() gave in ranks of one run (iterator/rank_positions.h), or none.
  std::span<const std::string_view> rank_checkpoints{};
  // How often the dataset was gone through before. 0: as often as this iterator knows.
  uint64_t epoch = 0;
  // The world for shards by rank; null: the one that this iterator had before, else the runtime's.
  const World* world = nullptr;
  // None: what this iterator had before, else refuse.
  std::optional<CheckpointPolicy> policy = std::nullopt;
  // False: the operators run as written.
  bool rewrites = true;

  bool restores() const { return checkpoint || !rank_checkpoints.empty(); }
};

class Iterator {
 public:
  // Makes an uninitialised iterator. `owner` keeps `runtime` alive and is held by everything that the
  // iterator leaves behind. `document`, if any, is what initialize() begins if it is given none.
  // `shares_caches`: what its memory caches make is made once for all such iterators of the document, except
  // those that begin at a checkpoint or with other parameters or another rank than the first.
  Iterator(Runtime& runtime, RefPtr<RefCounted> owner, Spec spec, DocumentRef document = nullptr,
           bool shares_caches = false);
  ~Iterator();
  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;

  const RefPtr<SourceNames>& source_names() const { return source_names_; }
  const Spec& spec() const { return spec_; }
  // Whether its elements are in the memory of a device; false before the first initialize().
  bool stands_on_device() const { return on_device_.load(std::memory_order_relaxed); }

  // Begins the document; null: the document it has. The new position is built and checked before it replaces
  // the old one, so a failure leaves the old one in service; but if a callback refuses its state, there is
  // none, since calls of the old position were stopped before.
  Status initialize(DocumentRef document, const Beginning& beginning);

  // Puts up to `rows` rows into `out`, as many as one pull gives, and waits for them. A failed row comes
  // alone.
  Result<PullResult> next(int rows, Block& out) {
    Polled polled{*this, rows, out, Status()};
    Result<PullResult> answer = scheduler_->drive(polled);
    if (polled.status.ok()) [[likely]]
      return answer;
    return polled.status;
  }
  // Like next, but does not wait for others. What may take any time is made by a thread of the runtime: see
  // poll_hurried().
  Result<PullResult> try_next(int rows, Block& out) {
    Hurried hurried{{*this, rows, out, Status()}, polls_descriptor_.load(std::memory_order_relaxed), nullptr};
    Result<PullResult> answer = scheduler_->try_drive(hurried);
    if (hurried.polled.status.ok()) [[likely]]
      return answer;
    return hurried.polled.status;
  }
  // The same for at most `timeout_ns`, then pending.
  Result<PullResult> next_within(int64_t timeout_ns, int rows, Block& out) {
    Hurried hurried{{*this, rows, out, Status()}, true, nullptr};
    Result<PullResult> answer = scheduler_->drive_within(timeout_ns, hurried);
    if (hurried.polled.status.ok()) return answer;
    return hurried.polled.status;
  }
  // Returns rows [begin, …) of the last block: they come again first.
  Status give_back(const Block& block, int begin);

  // What the stages have done since the last initialize(). Does not wait for anything.
  IteratorStats stats();

  // From now on next answers cancelled, until initialize(). Does not wait.
  void cancel();
  // Drops the position. Waits for what is running unless called from inside it.
  void close();
  Result<int> ready_descriptor() {
    polls_descriptor_.store(true, std::memory_order_relaxed);
    return scheduler_->ready_descriptor();
  }

  // Returns the position as bytes. `whose`, if given, becomes the rank whose position it is, with size 0 if
  // the graph has no shards by rank. Where rows are saved by value, waits for the calls in progress.
  Result<std::string> save(World* whose = nullptr);
  Status save_file(const std::string& name);

 private:
  // What initialize() swaps. Shared with the pump that makes its rows.
  struct Position {
    // Opens the root. `counted`: the openings are already part of the position's counts.
    void open(bool counted);
    // Leaves out of the counts what opening the root added to them.
    void take_back_opening();
    // Makes the next rows and holds them.
    void fetch() noexcept;
    // Any of its reads may have to wait, however quick the last ones were.
    bool reads_remote() const noexcept {
      return reads && root->lane() == Lane::blocking &&
             reads->memory_bytes.load(std::memory_order_relaxed) > 0;
    }

    RefPtr<Session> session;
    RefPtr<const ReadCounts> reads;
    DocumentRef document;
    // What is opened.
    DatasetRef root;
    EnvRef env;
    std::vector<ParamDigest> params;
    uint64_t opening = 0;
    EpochScope epochs;
    // Null until the first poll where opening it may take any time.
    std::unique_ptr<Stage> stage;
    // Whether a pump makes rows, and so many at once.
    FetchChoice choice;
    int fetched_rows = 1;
    HeldRows held;
    Sampler sampler;
    // The rows are those of parts. The turn after the last row pulled; negative if that is not known.
    bool in_parts = false;
    int64_t turn = 0;
    void pass(const Block& pulled) noexcept {
      if (!in_parts) return;
      const int64_t last = pulled.origins.turn_of(pulled.rows - 1);
      turn = last == Origins::kNoTurn ? last : last + 1;
    }
    // Where the components of spec_ stand in the document's; empty if in the same places.
    std::vector<int> order;
  };
  struct Building;
  struct Polled {
    Iterator& self;
    int rows;
    Block& out;
    Status status;
    PullResult operator()() noexcept { return self.poll(*this); }
    int64_t delivered() const noexcept {
      const Position* position = self.position_.get();
      return position && position->stage ? position->stage->delivered() : 0;
    }
  };
  // A poll for somebody who does not wait for all that an element needs.
  struct Hurried {
    Polled polled;
    // It comes back when there is an element, rather than do something else meanwhile.
    bool waits;
    RefPtr<Pump> asked;
    PullResult operator()() noexcept { return polled.self.poll_hurried(*this); }
    int64_t delivered() const noexcept { return polled.delivered(); }
    void after_pending() noexcept;
  };

  static Status not_initialised();
  PullResult poll(Polled& polled) noexcept;
  PullResult poll_hurried(Hurried& hurried) noexcept;
  RefPtr<Pump> fetcher() noexcept;
  std::shared_ptr<Position> replace_position(std::shared_ptr<Position> position) noexcept;
  // `pulled`: a block is already in `out`.
  PullResult poll_rarely(Polled& polled, bool pulled) noexcept;
  void arrange(Position& position, Block& out);
  template <class Work>
  Status with_right(Work&& work);
  World world_of(const Beginning& beginning) const;
  Result<std::shared_ptr<Position>> build(const DocumentRef& document, const Beginning& beginning,
                                          const std::vector<GraphHistory>& histories,
                                          const Checkpoint* checkpoint);
  Status check_belongs(const Position& position, const Checkpoint& checkpoint) const;
  bool count_openings(Position& position, uint64_t epoch, const std::vector<GraphHistory>& histories,
                      const Checkpoint* checkpoint) const;
  // Keeps what its caches make for other iterators, and begins with what those have made, unless it is
  // `restored`: it has the passes that it was saved with. REQUIRES: `position` is of sharing_
  void share_caches(Position& position, bool restored) const;
  Status restore(Position& position, const Checkpoint& checkpoint) const;
  std::vector<GraphHistory> remembered() const;
  // `holding`: null, or waits there for Windows to stop, and answers nothing.
  Result<Checkpoint> write_down(Holding* holding) const;
  Result<Checkpoint> save_by_value();

  Runtime& runtime_;
  const RefPtr<RefCounted> owner_;
  const Spec spec_;
  RefPtr<Scheduler> scheduler_;
  // The document whose caches it shares, or null.
  const DocumentRef sharing_;
  // The files that the origins of its rows name, over all initialisations.
  const RefPtr<SourceNames> source_names_;

  // Guarded by the right to drive.
  std::shared_ptr<Position> position_;
  // Null until it is needed.
  RefPtr<Pump> fetcher_;
  DocumentRef document_;
  std::vector<GraphHistory> histories_;
  std::optional<World> world_;
  CheckpointPolicy policy_ = CheckpointPolicy::refuse;
  bool closed_ = false;
  std::atomic<bool> polls_descriptor_{false};
  std::atomic<bool> on_device_{false};

  // Guarded by mutex_: what cancel() reaches without the right to drive, of the position and of one that is
  // being built. A leaf.
  Mutex mutex_;
  RefPtr<Session> session_;
  RefPtr<const ReadCounts> reads_;
  RefPtr<Session> building_;
};

}  // namespace weir
