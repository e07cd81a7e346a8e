// Openings: the numbers under which a Port's input opened the nodes that count their openings, so that a
// replay opens them under the same numbers and leaves the live counts alone.
//
// If only one use opened a node, counts would do. Where several uses share it, they take turns at its
// numbers, and each Port remembers its own. Numbers of one node mostly grow by a fixed step, so a list is a
// few runs. An opening costs a search among the runs of each enclosing Port; rows cost nothing.
//
// Where an opening tries a pattern, the list also has a digest of the names that it found, and a replay that
// finds others is an error. Where one looks for written elements, the list has which it found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cache_store.h"
#include "dataset/anchor.h"
#include "dataset/dataset.h"
#include "dataset/found_names.h"

namespace weir {

class Openings {
 public:
  bool empty() const { return runs_.empty() && names_.empty(); }
  size_t run_count() const { return runs_.size() + names_.size(); }
  // Grows with every number added or taken.
  uint64_t change_count() const { return changes_; }
  void add(uint64_t what, uint64_t number);
  // Removes the first number that was added for `what`. Returns false if there is none.
  bool take(uint64_t what, uint64_t& number);
  // The same for the digests of names. Equal ones in a row take no more than one.
  void add_names(uint64_t what, std::span<const uint64_t> digest);
  bool take_names(uint64_t what, std::vector<uint64_t>& digest);
  // Appends those of `later`.
  void append(const Openings& later);

  // Return them as numbers to save, or set them. assign() returns false for numbers that these can't give.
  std::vector<uint64_t> written() const;
  std::vector<uint64_t> written_names() const;
  bool assign(std::span<const uint64_t> numbers, std::span<const uint64_t> names = {});

 private:
  struct Names {
    uint64_t what;
    uint64_t count;
    std::vector<uint64_t> digest;
  };
  void add_names(uint64_t what, std::span<const uint64_t> digest, uint64_t count);
  bool assign_names(std::span<const uint64_t> names);
  struct Run {
    uint64_t what;
    uint64_t first;
    uint64_t step;
    uint64_t count;
  };
  std::vector<Run> runs_;
  std::vector<Names> names_;
  uint64_t changes_ = 0;
};

// Names that were found at openings.
class OpenedNames : public RefCounted {
 public:
  struct One {
    uint64_t what;
    RefPtr<const FoundNames> found;
  };
  std::vector<One> list;
};

// A copy of the anchor with the openings since.
RefPtr<Anchor> with_openings(const Anchor& anchor, const Openings& since, const Openings& due);

// One Port's part in a pull, on the stack of that pull; the Context points to the innermost.
struct OpeningLog {
  // With `names` or `folders`, openings are counted in a scope whose counts follow from what it begins with.
  enum class Lists : uint8_t { all, names, folders };

  // Of a Port at this depth: openings counted in scopes inside it repeat by themselves.
  int depth;
  // Openings since the last anchor.
  Openings& openings;
  // Openings that a replay has yet to repeat.
  Openings& due;
  OpeningLog* outer;
  // Null, or what a Window's pump found, which its consumer lists outside.
  std::vector<OpenedNames::One>* opened = nullptr;
  Lists lists = Lists::all;
};

struct Opened {
  // The number of the opening, from 0.
  uint64_t number;
  // Identifies the scope that counted it; 0 for an iterator's root.
  uint64_t scope_key;
  // A function drains an outer dataset, whose order then belongs to the row.
  bool borrowed;
};

// Counts an opening of the node, or returns the number that it had before a restore.
Opened count_opening(Context& ctx, const Dataset& node);

// An opening of a node that is made once and kept: the next one, or what the last one that reached its end
// was.
struct OpenedKept {
  // Which opening makes it, from 0.
  uint64_t making;
  // It is made already.
  bool made;
  uint64_t scope_key;
};
OpenedKept count_opening_kept(Context& ctx, const Dataset& node);

// Counts what so many passes over `input` open below it.
void count_passes(const Session& session, const Dataset& input, uint64_t passes, EpochScope& epochs);
// The opening `made.making` has reached its end. Later ones are told so, and find its rows; the first one
// stays.
void keep_made(Context& ctx, const Dataset& node, CacheStore::Made made);

// Lists the names that the node found at this opening. An error if they were others before a restore.
Status list_names(Context& ctx, const Dataset& node, RefPtr<const FoundNames> found);
// The same for names that a Window's pump found; null: none.
Status list_names(Context& ctx, const OpenedNames* opened);

// Lists what a folder had when a cursor opened: `found`. Returns that, or what it was before a restore.
uint64_t list_written(Context& ctx, uint64_t found);

// True if something below the node takes turns with its other uses.
bool shares_openings(const Session& session, const Dataset& node);

// True if reading on in the node opens nothing below it that counts its openings: all are counted when it is
// opened.
bool reads_apart(const Dataset& node);

// Sets the counts of all nodes to 0 that can't be opened below `input`. What the scope around has counted of
// them may lie behind the position at which a Window over `input` begins, and would come back with the
// Window's rows.
void keep_counts_of(Context& ctx, const Dataset& input, EpochScope& scope);
// The counts that a Window over `input` begins with; after a restore, those that it began with originally.
EpochTableRef counts_for_window(Context& ctx, const Dataset& input);
// The counts with which reading `input` by position begins, under the numbers of its first opening there.
struct BeginCounts {
  EpochTableRef table;
  // They are those before a restore.
  bool replayed = false;
};
BeginCounts counts_for_access(Context& ctx, const Dataset& input);

// A Context for opening something that a loaded position will replace: it counts nothing outside.
class QuietContext {
 public:
  explicit QuietContext(const Context& ctx) : epochs_(*ctx.epochs), context_(ctx) {
    context_.epochs = &epochs_;
    context_.openings = nullptr;
  }
  QuietContext(const QuietContext&) = delete;
  QuietContext& operator=(const QuietContext&) = delete;
  Context& operator*() { return context_; }

 private:
  EpochScope epochs_;
  Context context_;
};

}  // namespace weir
