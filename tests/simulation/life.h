// The life of an iterator in one simulated world: threads that read it, and what happens to it meanwhile.
// Everything it gives is compared with the expected sequence. Borrows the world and the case. Errors are
// thrown as std::runtime_error inside a client, which ends the world's run with that text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "iterator/iterator.h"
#include "simulation/pipelines.h"
#include "support/sim_world.h"

namespace weir::sim {

// A saved position, and how many lines come before it.
struct Saved {
  std::string bytes;
  size_t position = 0;
};

// A position saved while other clients read on, and bounds for how many lines come before it.
struct SavedBeside {
  std::string bytes;
  size_t least = 0;
  size_t most = 0;
};

// Kept by every iterator and everything that it leaves behind; none may remain when a world is gone.
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
  // After the world has run: what went wrong, or "".
  std::string verdict() const;
  // The position saved last.
  const std::optional<Saved>& saved() const { return saved_; }
  // What the reader did, most recent last.
  const std::string& story() const { return story_; }

 private:
  struct Over {};
  // Whether the iterator is shared, and how many rows each reader asks for at most.
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
  bool meets_cancel(const Status& saved);
  void keep_row();
  void check_kept() const;
  void share(std::vector<std::string>& lines);
  void save_beside();
  void check_resumes(const SavedBeside& saved);
  void wait_a_moment(uint64_t bound);
  // Ends the life if another thread closed the iterator.
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
  // An earlier row, which must not change.
  Components kept_;
  std::string kept_line_;
  bool cancel_issued_ = false;
  // Incremented before and after each restart of an iterator; odd during one.
  int64_t initialisations_ = 0;
  // Certainly cancelled, and not initialised since.
  std::shared_ptr<Iterator> cancelled_;
  bool closed_ = false;
  std::vector<std::string> shared_lines_[kReaders];
  // How many lines they have all together, and how many still read.
  size_t shared_ = 0;
  int sharing_ = kReaders;
  std::string story_;
};

}  // namespace weir::sim
