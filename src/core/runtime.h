// Runtime, Session and Context: everything that touches the outside, one iterator's share of it, and what a
// chain of calls carries along.
// Ownership: a Runtime outlives its sessions (the C ABI's handle table sees to it); a Session is shared by an
// iterator and the pumps it left behind.
// Threads: Runtime and Session serve any thread; a Context belongs to the call that made it.
// Cost: a Context is five words and is copied freely.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "core/epochs.h"
#include "core/ref.h"
#include "core/status.h"

namespace weir {

class Executor;     // exec/executor.h
class Scheduler;    // exec/scheduler.h
class FileSystem;   // fs/file_system.h
class Memo;         // core/memo.h
class SourceNames;  // core/origins.h
class Waker;        // core/pull.h
struct OpeningLog;  // dataset/openings.h

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t now_ns() = 0;
};

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  // Bits nobody can foresee; drawn when a seed is `none`.
  virtual uint64_t draw() = 0;
};

class Logger {
 public:
  enum class Level : uint8_t { debug, info, warning, error };
  virtual ~Logger() = default;
  virtual void log(Level level, std::string_view message) = 0;
};

// Ceilings; each is a named limit in the error that reports it.
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
  Limits limits;
  // Sources say where rows come from; off only to measure what that costs.
  bool origins = true;
};

// A place in a graph that uses a seed, given or drawn when the graph was built. Written into checkpoints.
class SeedSite : public RefCounted {
 public:
  using Pair = std::pair<uint64_t, uint64_t>;
  enum class Origin : uint8_t { given, drawn };
  explicit SeedSite(Pair pair, Origin from = Origin::given) : drawn(pair), origin(from) {}

  const Pair drawn;
  // Drawn: nobody asked for an order that comes again, so each call of a lambda may have another.
  const Origin origin;
};

// What the cursors, pumps and callbacks of one iterator share.
class Session : public RefCounted {
 public:
  Session(Runtime& r, RefPtr<RefCounted> scheduler_owner, Scheduler* iterator_scheduler);
  // Inside `outer`, whose seeds and computed values it has.
  Session(const Session& outer, RefPtr<RefCounted> scheduler_owner, Scheduler* iterator_scheduler);
  ~Session() override;

  Runtime& runtime;
  Scheduler* const scheduler;
  std::atomic<bool> cancelled{false};

  // The pair that a site uses here: what a checkpoint recorded, else what was drawn when the graph was built.
  SeedSite::Pair seed(const SeedSite& site) const;
  // REQUIRES: before the first cursor opens.
  void override_seed(const SeedSite& site, SeedSite::Pair pair);
  // What was computed once for all.
  Memo& memo() const { return *memo_; }
  // The files that origins name.
  SourceNames& source_names() const { return *source_names_; }
  // REQUIRES: before the first cursor opens.
  void use_source_names(RefPtr<SourceNames> names);

  // Names the counted nodes of the iterator's graph. REQUIRES: before the first cursor opens.
  void set_epoch_index(std::shared_ptr<const EpochIndex> index) { epoch_index_ = std::move(index); }
  // Under what a node is counted. Without an index that is its id.
  uint64_t epoch_key(uint64_t node) const { return epoch_index_ ? epoch_index_->number_of(node) : node; }
  bool counts_openings() const { return epoch_index_ != nullptr; }
  // Several uses open the node in turns, so that no opening may come early.
  bool shares_openings(uint64_t node) const { return epoch_index_ && epoch_index_->shared(node); }

 private:
  const RefPtr<RefCounted> scheduler_owner_;
  std::vector<std::pair<const SeedSite*, SeedSite::Pair>> seeds_;
  const RefPtr<Memo> memo_;
  RefPtr<SourceNames> source_names_;
  std::shared_ptr<const EpochIndex> epoch_index_;
};

struct Context {
  Session& session;
  // Who asked; woken once after a pending answer.
  Waker* waker;
  // The scope in which openings are counted.
  EpochScope* epochs;
  // Where the first failure to open goes, for whoever opens a dataset that a function made: such a failure is
  // the function's, once, and not an error of each epoch of what was made.
  ErrorPtr* opening_error = nullptr;
  // The Ports around that remember openings; null in an iterator's root and in a Window's pump.
  OpeningLog* openings = nullptr;

  Runtime& runtime() const { return session.runtime; }
};

}  // namespace weir
