// Directed: elements of several datasets, each next one of the dataset that a dataset of choices names, as
// choose_from_datasets and sample_from_datasets give them.
//
// A choice that failed, or names no dataset, is an error in its place. Where a chosen dataset has ended, the
// sequence ends with it, or the choice is passed over; it ends when the choices or all datasets have ended.
// Elements are gathered by blocks (ops/shuffling/source_rows.h). Checkpoint: the positions of the choices and
// of all datasets.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dataset/operator.h"
#include "dataset/yield_timer.h"
#include "ops/shuffling/source_rows.h"

namespace weir {

// The choice that a draw makes: dataset `chosen`, or as many as there are if none had a weight. If there are
// few, it says which had one: bit i of `weights`.
inline constexpr int64_t kDrawn = int64_t{1} << 20;
inline constexpr int64_t kMostMarked = 40;
inline int64_t drawn_choice(int64_t chosen, uint64_t weights) {
  return chosen + static_cast<int64_t>(weights) * kDrawn;
}

class Directed final : public Cursor {
 public:
  struct Rules {
    // Ends where a chosen dataset has no more elements; else such choices are passed over.
    bool stop_on_empty = false;
    // Choices are draws (drawn_choice), of which one may have had nothing to draw from.
    bool drawn = false;
    // Of each dataset the number of the last choice that may name it; empty if that is not known.
    std::vector<int64_t> last = {};
  };
  // `inputs` are numbers of the operator's inputs, of one structure.
  Directed(Opening& opening, Instance choices, std::span<const int> inputs, Rules rules);

  Step next(Context& ctx, const Demand& demand, Block& out) override;
  int64_t lose(const ErrorPtr& error) noexcept override;
  void state(Archive& archive) override;

 private:
  int64_t choice(int row) const { return choice_of(drawn_from(row)); }
  int64_t choice_of(int64_t drawn) const { return rules_.drawn ? drawn % kDrawn : drawn; }
  int64_t drawn_from(int row) const;
  int choices_ahead(int limit);
  bool plan(int ahead);
  bool none_is_left(int64_t drawn);
  void take_planned() noexcept;
  Step refuse_choice(Block& out);
  Status nothing_to_draw();

  Port choices_;
  SourceRows sources_;
  const Rules rules_;
  // Reading on would open what others open, too, or count openings that no element was made of.
  const bool one_by_one_;
  int64_t open_;
  // Of the call in progress: how many choices the planned rows take.
  int used_choices_ = 0;
  // How many draws in a row had no weight for a dataset with elements left.
  int64_t hopeless_ = 0;
  YieldTimer yield_timer_;
};

// The operator that is nothing but a Directed.
const OperatorDef& directed_operator();

struct DirectedParams : ParamsOf<DirectedParams> {
  // Numbers of the node's inputs, and of the one with the choices.
  std::vector<int> inputs;
  int choice = 0;
  Directed::Rules rules;
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
// OperatorTyping::needs of an operator that gives elements of its `datasets`.
template <class Params>
void needs_of_directed(const Dataset& node, const Marks& used, std::vector<Marks>& needed) {
  for (const int index : static_cast<const Params&>(node.params()).datasets.indices)
    needs_of_elements(node, used, static_cast<size_t>(index), needed);
}
// What Directed keeps.
Kept kept_by_directed();

}  // namespace weir
