// ReplacedRun: one cursor in place of a run of operators, each of which is the only input of the one above it.
//
// A rewrite (graph/rewrites) makes it where one cursor gives the same rows for less. From outside it looks like the
// operators as written: errors and counters have their paths, and a position is saved as theirs. Loaded is what they or it
// saved; a position that it cannot take up, such as one after a window, is gone on with by the operators themselves.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/stage_stats.h"
#include "dataset/operator.h"

namespace weir {

// One operator of the run, and what it saves besides the position of its input.
struct ReplacedOperator {
  DatasetRef node;
  // Null, or the key of a number that comes before that position: always `number`, and if loaded within the limits.
  const char* key = nullptr;
  int64_t number = 0;
  int64_t low = 0;
  int64_t high = 0;
  // Null, or the key of a text that comes after it, and is empty.
  const char* text_key = nullptr;
  // Its input has the key of an epoch of its own.
  bool derives_key = false;
};

// What the run does with the rows of its input.
class RunBody {
 public:
  virtual ~RunBody() = default;
  // As Cursor::next() and Cursor::lose().
  virtual Step next(Context& ctx, const Demand& demand, Port& input, Block& out) = 0;
  virtual int64_t lose() noexcept { return 1; }
  // What the first operator saves before the position of its input.
  virtual void state(Archive& archive) { (void)archive; }
  // How many rows of the last block had failed in the input.
  virtual int64_t failed_before(const Block& out) const { return static_cast<int64_t>(out.errors.size()); }
};

// Counts for an operator of the run that has no stage.
struct Counted {
  explicit Counted(StageStats& where) : stats(where) { stats.open(live); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { stats.close(live); }

  StageStats& stats;
  LiveStage live;
};

struct RunParams : ParamsOf<RunParams> {
  // From the last to the first that a row comes to: a row of the input comes to the last one of the list first.
  std::vector<ReplacedOperator> operators;
  // The run itself, over the same input.
  DatasetRef as_written;
  // What is applied to the elements; null if nothing is.
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::anything};
  std::unique_ptr<RunBody> (*make)(const Opening& opening, const RunParams& params) = nullptr;
  // The first operator reads only the elements that it needs, where they are at hand by their positions.
  bool seeks = false;

  void fields(Fields& fields) override {
    if (f.function) fields("f", f, "The function.");
  }
};

// Makes the node that stands for the run. `params` lacks `as_written`, which is made over `input`.
Result<DatasetRef> replaced_run(RunParams params, DatasetRef input);

// What the node stands for, or null.
const RunParams* run_of(const Dataset& node);

// The node with another first input. Its openings are counted as those of `node`.
// REQUIRES: it stands for no others
Result<DatasetRef> with_inputs(const Dataset& node, std::vector<DatasetRef> inputs);

}  // namespace weir
