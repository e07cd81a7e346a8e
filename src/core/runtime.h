// Runtime, Session and Context: everything that touches the outside, one iterator's share of it, and what a
// chain of calls carries along.
//
// A Runtime outlives its sessions (the C ABI's handle table ensures it); a Session is shared by an iterator
// and the pumps it left running. Both may be used on any thread; a Context belongs to the call that made it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "core/clock.h"
#include "core/epochs.h"
#include "core/memory_budget.h"
#include "core/ref.h"
#include "core/status.h"
#include "core/sync.h"
#include "core/world.h"

namespace weir {

class Executor;        // exec/executor.h
class FailedReads;     // core/failed_reads.h
class Scheduler;       // exec/scheduler.h
class FileSystem;      // fs/file_system.h
class Memo;            // core/memo.h
class Mixtures;        // core/mixtures.h
class NameFinder;      // graph/name_finder.h
struct PartPositions;  // core/part_positions.h
class Sample;          // core/stage_stats.h
class SourceNames;     // core/origins.h
class StatsTree;       // core/stage_stats.h
class TraceLog;        // core/trace.h
class Waker;           // core/pull.h
struct OpeningLog;     // dataset/openings.h

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  // Returns unpredictable bits; drawn when a seed is `none`.
  virtual uint64_t draw() = 0;
};

class Logger {
 public:
  enum class Level : uint8_t { debug, info, warning, error };
  virtual ~Logger() = default;
  virtual void log(Level level, std::string_view message) = 0;
};

// Upper limits; the error that reports one names it.
struct Limits {
  int64_t record_bytes = int64_t{1} << 28;
  int64_t tensor_bytes = int64_t{1} << 36;
  int64_t checkpoint_bytes = int64_t{1} << 32;
};

struct Runtime {
  Executor* executor = nullptr;
  Clock* clock = nullptr;
  FileSystem* files = nullptr;
  RandomSource* random = nullptr;
  Logger* logger = nullptr;
  BufferPool* pool = nullptr;
  // What rows that are held for long may take; null: no limit.
  RefPtr<MemoryBudget> budget;
  Limits limits;
  // As the environment says.
  World world;
  // Whether sources say where rows come from; off only to measure the cost.
  bool origins = true;
  // Null: nothing is traced.
  TraceLog* trace = nullptr;
  // Null: only what was registered has names.
  NameFinder* names = nullptr;
};

// A place in a graph that uses a seed, given or drawn when the graph was built. Written into checkpoints.
class SeedSite : public RefCounted {
 public:
  using Pair = std::pair<uint64_t, uint64_t>;
  enum class Origin : uint8_t { given, drawn };
  explicit SeedSite(Pair pair, Origin from = Origin::given) : drawn(pair), origin(from) {}

  const Pair drawn;
  // Drawn: no repeatable order was asked for, so each call of a lambda may have another.
  const Origin origin;
};

// What the cursors, pumps and callbacks of one iterator share.
class Session : public RefCounted {
 public:
  Session(Runtime& r, RefPtr<RefCounted> scheduler_owner, Scheduler* iterator_scheduler);
  // A session inside `outer`, with its seeds and computed values.
  Session(const Session& outer, RefPtr<RefCounted> scheduler_owner, Scheduler* iterator_scheduler);
  ~Session() override;

  Runtime& runtime;
  Scheduler* const scheduler;
  std::atomic<bool> cancelled{false};
  // Some stage lacked memory for an element, or for opening. Such errors may be dropped with the elements of
  // others, so this is how an input that ends early is told from one that has become shorter.
  std::atomic<bool> lacked_memory{false};

  // The pair that a site uses here: the one in the checkpoint, else the one drawn when the graph was built.
  SeedSite::Pair seed(const SeedSite& site) const;
  // REQUIRES: before the first cursor opens.
  void override_seed(const SeedSite& site, SeedSite::Pair pair);
  // The values that are computed only once.
  Memo& memo() const { return *memo_; }
  // The files that origins refer to.
  SourceNames& source_names() const { return *source_names_; }
  // REQUIRES: before the first cursor opens.
  void use_source_names(RefPtr<SourceNames> names);
  // The files that could not be read.
  FailedReads& failed_reads() const { return *failed_reads_; }
  // The weights that mixtures have had.
  Mixtures& mixtures() const { return *mixtures_; }
  // Where sources find their files.
  FileSystem& files() const { return files_ ? *files_ : *runtime.files; }
  // REQUIRES: before the first cursor opens.
  void use_files(std::shared_ptr<FileSystem> files) { files_ = std::move(files); }
  // Where batches come from: the runtime's, or pinned memory for those that a device will read.
  BufferPool& pool() const { return pool_ ? *pool_ : *runtime.pool; }
  // REQUIRES: before the first cursor opens.
  void use_pool(std::shared_ptr<BufferPool> pool) { pool_ = std::move(pool); }
  // Which of how many processes the iterator counts as.
  const World& world() const { return world_; }
  // REQUIRES: before the first cursor opens.
  void use_world(World world) { world_ = std::move(world); }
  // Null, or where the parts of a partition begin.
  const std::shared_ptr<const PartPositions>& part_positions() const { return part_positions_; }
  // REQUIRES: before the first cursor opens.
  void use_part_positions(std::shared_ptr<const PartPositions> positions) {
    part_positions_ = std::move(positions);
  }
  // The same with what the partition found out about its input; on any thread.
  void note_parts(std::shared_ptr<const PartPositions> noted);
  // What was noted last, or where the parts begin.
  std::shared_ptr<const PartPositions> known_parts() const;
  // Positions hold rows by value where they cannot be made again.
  bool holds_rows() const { return holds_rows_; }
  // REQUIRES: before the first cursor opens.
  void hold_rows(bool holds) { holds_rows_ = holds; }

  // Numbers the counted nodes of the iterator's graph.
  // REQUIRES: before the first cursor opens.
  void set_epoch_index(std::shared_ptr<const EpochIndex> index) { epoch_index_ = std::move(index); }
  // The key a node is counted under; its id if there is no index.
  uint64_t epoch_key(uint64_t node) const { return epoch_index_ ? epoch_index_->number_of(node) : node; }
  bool counts_openings() const { return epoch_index_ != nullptr; }
  // The counted nodes of the iterator's graph.
  std::span<const EpochNode> epoch_nodes() const {
    return epoch_index_ ? epoch_index_->nodes() : std::span<const EpochNode>();
  }
  // Several uses take turns to open the node, so no opening may come early.
  bool shares_openings(uint64_t node) const { return epoch_index_ && epoch_index_->shared(node); }

  // Counts from now on what the stages do.
  // REQUIRES: before the first cursor opens.
  void keep_stats(RefPtr<StatsTree> stats);
  // Null if nothing is counted.
  StatsTree* stats() const { return stats_.get(); }

 private:
  const RefPtr<RefCounted> scheduler_owner_;
  std::vector<std::pair<const SeedSite*, SeedSite::Pair>> seeds_;
  const RefPtr<Memo> memo_;
  RefPtr<SourceNames> source_names_;
  const RefPtr<FailedReads> failed_reads_;
  const RefPtr<Mixtures> mixtures_;
  std::shared_ptr<FileSystem> files_;
  std::shared_ptr<BufferPool> pool_;
  World world_;
  std::shared_ptr<const PartPositions> part_positions_;
  mutable Mutex parts_mutex_;
  std::shared_ptr<const PartPositions> noted_parts_;
  bool holds_rows_ = false;
  std::shared_ptr<const EpochIndex> epoch_index_;
  RefPtr<StatsTree> stats_;
};

// What a window that pulls ahead knows of its consumer.
struct Drain {
  // The consumer has taken all that was pulled, and asks for more.
  bool empty = false;
  // Set during a pull that waits for this: it is repeated then.
  bool wanted = false;
};

struct Context {
  Session& session;
  // The asker, woken once after a pending answer.
  Waker* waker;
  // The scope in which openings are counted.
  EpochScope* epochs;
  // Where the first failure to open is stored, for code that opens a dataset made by a function. Such a
  // failure is the function's and is reported once, not in each epoch of the dataset.
  ErrorPtr* opening_error = nullptr;
  // The enclosing Ports that remember openings; null in an iterator's root and in a Window's pump.
  OpeningLog* openings = nullptr;
  // Set while this pull is measured.
  Sample* sample = nullptr;
  // What a source that is opened here should read ahead at most: less where many of them are open at once.
  int64_t ahead_bytes = INT64_MAX;
  // Where it is noted, if anywhere, that a file that is opened here could not be read, so that how many
  // elements there are is not known.
  Status* uncounted = nullptr;
  // Null unless a window pulls ahead.
  Drain* drain = nullptr;

  // Whether the next row is asked for, not only pulled ahead. If not, answer pending: the pull is repeated
  // when it is.
  bool asked() const {
    if (!drain || drain->empty) return true;
    drain->wanted = true;
    return false;
  }
  Runtime& runtime() const { return session.runtime; }
  void note_uncounted(const Status& failure) {
    if (uncounted && !failure.ok() && failure.error().read_failed) *uncounted = failure;
  }
};

}  // namespace weir
