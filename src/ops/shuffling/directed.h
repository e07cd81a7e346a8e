// Directed: elements of several datasets, each next one of the dataset that a dataset of choices names, as
// choose_from_datasets and sample_from_datasets give them.
//
// A choice that failed, or names no dataset, is an error in its place. Where a chosen dataset has ended, the
// sequence ends with it, or the choice is passed over; it ends when the choices or all datasets have ended.
// Elements are gathered by blocks, two copies of each. Checkpoint: the positions of the choices and of all
// datasets.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "dataset/operator.h"
#include "dataset/yield_timer.h"

namespace weir {

class Directed final : public Cursor {
 public:
  // `inputs` are numbers of the operator's inputs, of one structure.
  Directed(Opening& opening, Instance choices, std::span<const int> inputs, bool stop_on_empty);

  Step next(Context& ctx, const Demand& demand, Block& out) override;
  int64_t lose(const ErrorPtr& error) noexcept override;
  void state(Archive& archive) override;

 private:
  struct Source {
    Port port;
    // The index of each component in its elements; empty if it is the same.
    std::vector<int> order;
    // It gave its last element; and that was noticed by a choice.
    bool ended = false;
    uint64_t closed = 0;
    // Of the call in progress: how many rows the choices ahead want, how many of them are taken, and where
    // these begin among all rows taken.
    int wanted = 0;
    int taken = 0;
    int32_t first = 0;
  };

  int64_t choice(int row) const;
  int choices_ahead(int limit);
  PullResult fetch(Context& ctx, const Demand& demand, int ahead);
  bool plan(int ahead);
  void give(const Demand& demand, Block& out);
  void take_planned() noexcept;
  Step refuse_choice(Block& out);

  Port choices_;
  std::vector<Source> sources_;
  const size_t width_;
  const bool stop_on_empty_;
  // Reading on would open what others open, too, or count openings that no element was made of.
  bool one_by_one_;
  int64_t open_;
  // Of the call in progress: the sources of the rows, and how many choices they take.
  std::array<int32_t, kMaxBlockRows> rows_;
  int planned_ = 0;
  int used_choices_ = 0;
  std::array<int32_t, kMaxBlockRows> order_;
  Block joined_;
  YieldTimer yield_timer_;
};

// The operator that is nothing but a Directed.
const OperatorDef& directed_operator();

struct DirectedParams : ParamsOf<DirectedParams> {
  // Numbers of the node's inputs, and of the one with the choices.
  std::vector<int> inputs;
  int choice = 0;
  bool stop_on_empty = false;
  Spec spec;
  void fields(Fields&) override {}
  static const OperatorDef& op() { return directed_operator(); }
};

// The structure of elements of all these datasets; invalid_argument unless they have the same but for
// dimensions.
Result<Spec> directed_spec(std::span<const int> indices, std::span<const DatasetRef> inputs);
// kInfinite where choices without end cannot come to an end of these datasets, else kUnknown.
int64_t directed_cardinality(std::span<const int> indices, bool stop_on_empty,
                             std::span<const DatasetRef> inputs);
// What Directed keeps.
Kept kept_by_directed();

}  // namespace weir
