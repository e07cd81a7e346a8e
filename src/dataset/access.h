// Access: reads the elements of a dataset by their positions, in any order and any number of times, for
// global_shuffle. An operator provides it (OperatorAccess::open) if its element i follows from its parameters
// and from input elements at known positions; check_access() tells whether all operators of a pipeline do.
//
//   WEIR_ASSIGN(std::unique_ptr<Access> input, open_access(opening.ctx, opening.input(0)));
//   input->read(ctx, positions, block);
//
// One thread at a time may use it. It computes elements when they are read, and never ahead. Each opening of
// a shuffle in it has the number that it has for an iterator, whatever is read first; so opening it counts
// the openings that opening a cursor counts, and count_pass() those that follow.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/block.h"
#include "core/pull.h"
#include "dataset/instance.h"
#include "dataset/openings.h"
#include "dataset/slice.h"

namespace weir {

class ReadPlan;  // fs/read_through.h

// How many elements can be read.
struct AccessCount {
  static constexpr int64_t kMost = INT64_MAX;

  // They have the positions from 0 on below this one.
  int64_t positions = 0;
  // There are more, without end, or so many that the positions of the others, or of what they are made of,
  // are no int64.
  bool more = false;

  auto operator<=>(const AccessCount&) const = default;
};

class Access {
 public:
  // More than all rows.
  static constexpr int64_t kToTheEnd = INT64_MAX;

  virtual ~Access() = default;
  // The same at each call. An operator that computes positions of its input counts only elements for which
  // that gives positions below the input's count, so read() needs no check (core/checked.h).
  virtual AccessCount count() const = 0;
  // Puts the elements of these positions into `out`, in that order. One that fails is an error in its place,
  // as is one over which an element below failed. May throw.
  // REQUIRES: positions from 0 to count().positions - 1, at most kMaxBlockRows
  virtual void read(Context& ctx, std::span<const int64_t> positions, Block& out) = 0;
  // Counts in `epochs` the openings that follow while a cursor gives the first `rows` elements; the end, too,
  // if that is more than all.
  // REQUIRES: nothing was read yet
  virtual void count_pass(EpochScope& epochs, int64_t rows) {
    static_cast<void>(epochs), static_cast<void>(rows);
  }
  // Tells the plan that the elements of these positions will be read, the first at `time` and each other one
  // a unit of time after the one before. False where that is of no use, which holds for all positions.
  virtual bool foresee(std::span<const int64_t> positions, int64_t time, ReadPlan& plan) {
    static_cast<void>(positions), static_cast<void>(time), static_cast<void>(plan);
    return false;
  }
};

// failed_precondition if a dataset that was opened again has more elements or fewer than `before`.
Status check_count(const Access& access, int64_t before);

// Whether the iterator was cancelled: then all rows fail. Destroy does not wait for reads of files, so
// nothing may be called with rows that were read.
bool fails_if_cancelled(Context& ctx, size_t rows, size_t columns, Block& out);

// How many elements to read at once so that they take the bytes that are wanted: one at first, then as the
// last ones say.
class AccessWidth {
 public:
  int rows(const Demand& demand, int64_t left) const {
    return static_cast<int>(std::min<int64_t>({demand.rows, width_, left}));
  }
  void learn(const Demand& demand, const Block& read) {
    const int64_t each = std::max<int64_t>(1, read.byte_size() / std::max(read.rows, 1));
    width_ = std::clamp<int64_t>(demand.bytes / each, 1, std::min<int64_t>(kMaxBlockRows, 4 * width_));
  }

 private:
  int64_t width_ = 1;
};

// Evaluates the parameters and opens a dataset to be read so.
// REQUIRES: check_access(*instance.node) is ok
Result<std::unique_ptr<Access>> open_access(Context& ctx, Instance instance);

// The same, for a cursor that reads all of it: counts the whole pass.
Result<std::unique_ptr<Access>> open_access_whole(Context& ctx, Instance instance);

// Opens datasets that are read side by side. failed_precondition if several of them open the same shuffle
// again and again: the numbers of its openings would depend on how far each has been read.
Result<std::vector<std::unique_ptr<Access>>> open_side_by_side(Context& ctx, std::vector<Instance> instances);

// failed_precondition, with its name, if some operator cannot be read so; `advice` is for one that never can.
Status check_access(const Dataset& node,
                    std::string_view advice = "put it after this one, or shuffle(n) in place of this one");

// Whether elements of a dataset can be read by their positions at little cost, so that only needed ones are
// read.
bool seeks(Context& ctx, Instance instance);

// The elements of a slice by their positions in it.
// REQUIRES: first >= 0, step >= 1, count >= 0, !by_rank
std::unique_ptr<Access> slice_access(std::unique_ptr<Access> input, const Slice& slice);

// What a cursor reads by position. Its state has the numbers of the openings below it, so that its elements
// keep their order after a restore.
class RestorableAccess {
 public:
  // `whole`: how many elements the dataset has, if they were counted before; failed_precondition if there are
  // more or fewer now.
  // REQUIRES: check_access(*instance.node) is ok
  static Result<RestorableAccess> open(Context& ctx, Instance instance, const Slice& slice = {},
                                       int64_t whole = kUnknown);

  Access* operator->() const { return access_.get(); }
  // The error of a file that could not be read when it was opened, so that its elements are not counted.
  const Status& uncounted() const { return uncounted_; }
  // Opens it again if a loaded position wants that. Before each read.
  Status resume(Context& ctx) { return reopens_ ? reopen(ctx) : Status(); }
  void state(Archive& archive);

 private:
  RestorableAccess(Instance instance, const Slice& slice, int64_t whole)
      : instance_(std::move(instance)), slice_(slice), whole_(whole) {}
  Status reopen(Context& ctx);
  Status open_listed(Context& ctx, Openings& due, OpeningLog* outer);

  Instance instance_;
  Slice slice_;
  int64_t whole_;
  std::unique_ptr<Access> access_;
  Status uncounted_;
  Openings openings_;
  bool reopens_ = false;
};

// Rows that were read in parts, put into the order in which they are wanted.
class AccessParts {
 public:
  // Position `at` in what is wanted is the next row of the part that is added next.
  void expect(int at) { places_.push_back(at); }
  // Appends the rows of a part.
  void add(const Block& part) { rows_.append(part, 0, part.rows); }
  // REQUIRES: as many rows as were expected
  void finish(Block& out);

 private:
  std::vector<int> places_;
  Block rows_;
};

}  // namespace weir
