// CompiledFunction and CompiledExpression: finished programs behind the interfaces of function.h. They own
// their program and a few frames. Any number of threads may call one at once; each call leases a frame with
// one atomic exchange.
#pragma once

#include <array>
#include <atomic>

#include "expr/run/call_width.h"
#include "expr/run/evaluate.h"
#include "expr/types/function.h"

namespace weir {

// Frames that wait for the next call. If more calls run at once than frames are kept, new ones are made.
class FramePool {
 public:
  explicit FramePool(const Program& program) : program_(program) {}

  // Lends a frame for a scope.
  class Lease {
   public:
    explicit Lease(FramePool& pool);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease();
    Frame& operator*() const { return *frame_; }
    // The slots were not used, so there is nothing in them to release.
    void leave_slots() { uses_slots_ = false; }

   private:
    FramePool& pool_;
    // Null if the frame is this lease's own.
    std::atomic<bool>* taken_ = nullptr;
    Frame* frame_ = nullptr;
    std::unique_ptr<Frame> own_;
    bool uses_slots_ = true;
  };

 private:
  struct alignas(64) Place {
    // Whose lease may use the frame; taking it is the only atomic exchange of a call.
    std::atomic<bool> taken{false};
    std::unique_ptr<Frame> frame;
  };

  const Program& program_;
  std::array<Place, 4> places_;
};

// A dataset that a function made of a row: a compiled node and the row's variables.
struct Closure {
  DatasetRef node;
  EnvRef env;
};

// What the parts of a program say about lane, replaying and seeds.
struct ProgramTraits {
  Lane lane = Lane::compute;
  std::string not_replayable;
  Sites sites;
  std::vector<EpochNode> epoch_nodes;
  bool draws_random = false;
};

class CompiledFunction final : public Function {
 public:
  CompiledFunction(Spec input, Spec result, Program program, ProgramTraits traits);

  void call(const CallArgs& args, const Block& in, Block& out) const override;
  // Makes the dataset that is its result for one row of `in`, without a block for it. Returns false, and does
  // nothing, if that takes a call.
  // REQUIRES: the row has not failed
  bool close_over(const CallArgs& args, const Block& in, int row, Closure& out) const;
  // The node of the dataset that is its result; null if that is a variable or takes a call.
  const Dataset* body() const {
    if (!closes_over_ || program_.code.empty()) return nullptr;
    return program_.code[0].dataset.get();
  }
  int most_rows() const override { return width_.rows(); }
  int passes(int i) const override;
  std::unique_ptr<RowLoop> row_loop(size_t states) const override;
  Lane lane() const override { return traits_.lane; }
  std::string not_replayable() const override { return traits_.not_replayable; }
  void add_sites(Sites& out) const override { out.add(traits_.sites); }
  void epoch_nodes(std::vector<EpochNode>& out) const override {
    out.insert(out.end(), traits_.epoch_nodes.begin(), traits_.epoch_nodes.end());
  }
  bool opens_variables() const override { return opens_variables_; }
  // What it runs.
  const Program& program() const { return program_; }

 private:
  bool call_small(const CallArgs& args, const Block& in, Block& out) const;
  bool call_whole(const CallArgs& args, const Block& in, Block& out) const;
  void call_in_parts(const CallArgs& args, const Block& in, Block& out) const;
  void deliver(Frame& frame, const Block& in, Block& out) const;
  void deliver_computed(Frame& frame, int reg, int rows, Column& out) const;

  const Program program_;
  const ProgramTraits traits_;
  const bool opens_variables_;
  // So many rows cost less in a RowLoop, if all values are small; else 0.
  const int small_rows_;
  // Its result is an argument or a variable, or a pipeline that captures such ones: nothing is computed.
  const bool closes_over_;
  // Results that are computed and used by one column only, which may be written in place.
  std::vector<bool> direct_;
  mutable CallWidth width_;
  mutable FramePool frames_;
};

class CompiledExpression final : public Expression {
 public:
  CompiledExpression(const Spec& spec, Program program, ProgramTraits traits, Status failure);

  Result<Components> evaluate(Session& session, const Env* env, uint64_t key) const override;
  const Tensor* lend(const Env* env) const override;
  const Components* constant() const override { return known_ ? &constant_ : nullptr; }
  const FunctionTraits& traits() const override { return *function_; }

 private:
  RefPtr<const CompiledFunction> function_;
  bool known_ = false;
  Components constant_;
  // If all results are variables, where they are.
  struct alignas(64) Place {
    int level;
    int slot;
  };
  std::vector<Place> places_;
};

}  // namespace weir
