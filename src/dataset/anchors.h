// Anchors: the saved positions from which a Port can pull its unconsumed rows again, with the openings
// (dataset/openings.h) made after each.
//
// Writing an anchor takes time, so they are written as seldom as keeps their cost below one part in 256 of
// the time that passes. There are at most 256; if more rows are unconsumed, they lie further apart. Belongs
// to its Port.
#pragma once

#include <cstdint>
#include <vector>

#include "core/clock.h"
#include "dataset/anchor.h"
#include "dataset/openings.h"

namespace weir {

class Stage;  // dataset/stage.h

class Anchors {
 public:
  // Only the one at the opening, before the first row.
  void start_over();
  // Only this one, after which the openings that it lists are due again; the next is not due before row
  // `rows`. Returns false if what it lists is damaged.
  bool start_at(const Anchor& anchor, int64_t rows);
  // None, and nothing is due.
  void clear();
  // A new opening of the Port, whose rows may cost something else.
  void forget_costs();

  // The openings made since the newest, and those that a replay has yet to repeat.
  Openings& since() { return points_.back().openings; }
  Openings& due() { return due_; }
  bool repeats_openings() const { return !due_.empty(); }

  // Writes one at row `ordinal`, before which there are `values` elements, if it is worth its time. Where
  // there is no memory for it, the last one serves as well.
  void add_if_worth(Clock& clock, Stage& input, int64_t ordinal, int64_t values) noexcept;
  // Memory ran out for one of the last rows. The input may owe more such errors, which a replay from here
  // would take for its own, so no anchor is written next.
  void skip_one() { skips_ = true; }
  // Rows before `ordinal` are consumed: keeps the last anchor at or before it, and those after.
  void consume_to(int64_t ordinal);

  // The oldest, with all openings since.
  AnchorRef oldest() const;
  // The newest, likewise.
  const AnchorRef& newest();
  size_t count() const { return points_.size(); }

 private:
  struct Point {
    AnchorRef anchor;
    Openings openings;
  };

  bool is_worth(int64_t ordinal) const;
  void write(Stage& input, int64_t ordinal, int64_t values);
  void thin();

  // The anchor at the opening, once there was one.
  AnchorRef start_;
  // Oldest first; all but the first are after the oldest unconsumed row.
  std::vector<Point> points_;
  Openings due_;
  // What newest() returned, and how many openings there were then.
  AnchorRef newest_;
  uint64_t newest_changes_ = 0;
  // The row before which none is worth its time.
  int64_t next_ = 0;
  // The least number of rows between two.
  int64_t gap_ = 1;
  int64_t written_at_ns_ = 0;
  bool skips_ = false;
};

}  // namespace weir
