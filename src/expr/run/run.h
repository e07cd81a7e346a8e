// Run: the KernelRun that the evaluation passes to a kernel's body. Private to evaluation and folding.
#pragma once

#include "expr/run/call.h"
#include "expr/run/frame.h"
#include "expr/types/kernel.h"

namespace weir {

// What a kernel of that call site draws its numbers from. `args`: all of the instruction, a row's seed last.
uint64_t random_key_of(const Instruction& instruction, const Call& call, std::span<const Arg> args);
// The arguments that the kernel sees.
inline size_t kernel_args(const Instruction& instruction) {
  return instruction.args.size() - static_cast<size_t>(instruction.seed_args);
}

class Run final : public KernelRun {
 public:
  // Rows [first, first + count) of the results' `rows`, in an evaluation over `all_rows`. If rows is 1 and
  // all_rows is not, the one row is the result of all.
  Run(const Instruction& instruction, Frame& frame, Frame::Work& work, const Call& call, int first, int count,
      int rows, int all_rows)
      : instruction_(instruction),
        frame_(frame),
        work_(work),
        call_(call),
        first_(first),
        stands_for_all_(rows != all_rows),
        all_rows_(all_rows) {
    rows_ = count;
    args_ = {frame.args.data(), kernel_args(instruction)};
    state_ = instruction.state.get();
  }

  uint8_t* make(int result, const Shape& row_shape) override;
  uint8_t* make_row(int result, int row, const Shape& shape) override;
  void share(int result, int arg, const Shape& row_shape, size_t offset) override;
  void read_from(int row, std::string_view name) noexcept override;
  void fail(int row, const Status& status) override;
  char* bytes(size_t size) override;
  void keep(RefPtr<RefCounted> owner) override { work_.kept.push_back(std::move(owner)); }
  uint64_t random_key() const override {
    return random_key_of(instruction_, call_, {frame_.args.data(), instruction_.args.size()});
  }
  int64_t ordinal(int row) const override { return call_.ordinal(first_ + row); }
  Session& session() const override { return *call_.session; }

 private:
  Slot& result_slot(int result) {
    return frame_.slots[static_cast<size_t>(instruction_.results[static_cast<size_t>(result)])];
  }
  Status check_size(DType dtype, const Shape& shape, int rows) const;

  const Instruction& instruction_;
  Frame& frame_;
  Frame::Work& work_;
  const Call& call_;
  const int first_;
  const bool stands_for_all_;
  const int all_rows_;
  // The last failure, and the same with its place.
  ErrorPtr failure_;
  ErrorPtr located_;
};

}  // namespace weir
