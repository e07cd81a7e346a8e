// A life of an iterator in one simulated world: threads that read it, and what befalls it meanwhile.
// Everything that it gives is held against the expected sequence. Ownership: borrows the world and the case.
// Threads: clients of the world. Errors: thrown as std::runtime_error inside a client, which ends the world's
// run with that text. Cost: some thousand switches.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "iterator/iterator.h"
#include "simulation/pipelines.h"
#include "support/sim_world.h"

namespace weir::sim {

// A position written down, and how many lines come before it.
struct Saved {
  std::string bytes;
  size_t position = 0;
};

// A position written down while other clients read on, and the bounds of how many lines come before it.
struct SavedBeside {
  std::string bytes;
  size_t least = 0;
  size_t most = 0;
};

// Kept by every iterator and by all that it leaves behind: none may be left when a world has gone.
class Owner final : public RefCounted {
 public:
  Owner() { ++alive; }
  static int alive;

 private:
  ~Owner() override { --alive; }
};

class Life {
 public:
  enum class Fate { left, cancelled, closed, shared };
  static constexpr uint64_t kFates = 4;

  // Begins at `saved`, or at the beginning.
  Life(SimWorld& world, const Case& what, Fate fate, std::optional<Saved> saved);

  // Adds the clients to the world.
  void begin();
  // After the world has run: what went wrong, or empty.
  std::string verdict() const;
  // The position saved last.
  const std::optional<Saved>& saved() const { return saved_; }
  // What the reader did, newest last.
  const std::string& story() const { return story_; }

 private:
  struct Over {};
  // Of a shared iterator, and how many rows each asks for at most.
  static constexpr int kReaders = 3;
  static constexpr int kMostShared = 6;

  void open(const Saved* saved);
  void live();
  void act();
  void read(int rows);
  void poll(int rows);
  void take(PullResult got, int rows);
  void save();
  void restore();
  void meet_cancel();
  void keep_row();
  void check_kept() const;
  void share(std::vector<std::string>& lines);
  void save_beside();
  void check_resumes(const SavedBeside& saved);
  void wait_a_moment(uint64_t bound);
  // Ends the life if the iterator was closed by another thread.
  void check(const Status& status);
  void tell(const std::string& what) { story_ += what + "; "; }

  SimWorld& world_;
  const Case& what_;
  const Fate fate_;
  DocumentRef document_;
  std::shared_ptr<Iterator> iterator_;
  size_t begun_at_ = 0;
  size_t position_ = 0;
  size_t stop_ = 0;
  bool ended_ = false;
  std::optional<Saved> saved_;
  Block block_;
  // An earlier row, which must stay what it was.
  Components kept_;
  std::string kept_line_;
  bool cancel_issued_ = false;
  // Goes up before and after each time that an iterator begins anew; odd while it does.
  int64_t initialisations_ = 0;
  // Cancelled for certain, and not initialised since.
  std::shared_ptr<Iterator> cancelled_;
  bool closed_ = false;
  std::vector<std::string> shared_lines_[kReaders];
  // How many lines they have all together, and how many still read.
  size_t shared_ = 0;
  int sharing_ = kReaders;
  std::string story_;
};

}  // namespace weir::sim
