#include "expr/run/chain.h"

#include <algorithm>

#include "core/checked.h"
#include "core/float_mode.h"

namespace weir {

namespace {

// A run over a piece.
class PieceRun final : public KernelRun {
 public:
  PieceRun(int rows, std::span<const Arg> args, uint8_t* out, const Call& call) : out_(out), call_(call) {
    rows_ = rows;
    args_ = args;
  }

  bool failed() const { return failed_; }

  uint8_t* make(int, const Shape&) override { return out_; }
  uint8_t* make_row(int, int, const Shape&) override { return impossible(); }
  void share(int, int, const Shape&, size_t) override { impossible(); }
  void fail(int, const Status&) override { impossible(); }
  char* bytes(size_t) override { return reinterpret_cast<char*>(impossible()); }
  void keep(RefPtr<RefCounted>) override { impossible(); }
  uint64_t random_key() const override { return 0; }
  int64_t ordinal(int row) const override { return row; }
  Session& session() const override { return *call_.session; }

 private:
  uint8_t* impossible() {
    failed_ = true;
    return nullptr;
  }

  uint8_t* const out_;
  const Call& call_;
  bool failed_ = false;
};

bool is_single(const Slot& slot) { return slot.view.shape.count() == 1; }

}  // namespace

Chain::Chain(const Program& program, Frame& frame, size_t first, int rows, const Call& call)
    : program_(program), frame_(frame), first_(first), end_(first), rows_(rows), call_(call) {
  if (!find_shape()) return;
  for (size_t i = first; i < program.code.size() && program.code[i].by_entries && fits(i); ++i) end_ = i + 1;
  if (end_ == first + 1) end_ = first;
}

bool Chain::inside(int reg) const {
  const Register& source = program_.registers[static_cast<size_t>(reg)];
  return source.source == Register::Source::computed && source.instruction >= static_cast<int>(first_) &&
         source.instruction < static_cast<int>(end_);
}

// The shape of the first instruction's result. False if all entries together are too few.
bool Chain::find_shape() {
  for (int arg : program_.code[first_].args) {
    const Slot& from = slot(arg);
    if (from.form != Slot::Form::dense) return false;
    const int64_t count = from.view.shape.count();
    if (count < entries_ || (count == entries_ && from.view.shape.rank() <= shape_.rank())) continue;
    shape_ = from.view.shape;
    entries_ = count;
  }
  return entries_ > 0 && entries_ > kLeastEntries / std::max(rows_, 1);
}

bool Chain::fits(size_t i) const {
  const Instruction& instruction = program_.code[i];
  bool whole = false;
  bool uniform = true;
  for (int arg : instruction.args) {
    if (inside(arg)) {
      whole = true;
      uniform = false;
      continue;
    }
    const Slot& from = slot(arg);
    if (from.form != Slot::Form::dense) return false;
    uniform = uniform && from.uniform;
    if (from.view.shape == shape_) {
      whole = true;
    } else if (!is_single(from) || from.view.shape.rank() > shape_.rank()) {
      return false;
    }
  }
  const DType dtype = program_.registers[static_cast<size_t>(result(i))].type.dtype;
  const auto bytes = checked_multiply(checked_multiply(entries_, static_cast<int64_t>(dtype_size(dtype))),
                                      static_cast<int64_t>(rows_));
  return whole && !uniform && bytes && *bytes <= call_.tensor_bytes;
}

void Chain::begin(size_t i, Column* destination) {
  Slot& out = slot(result(i));
  const DType dtype = program_.registers[static_cast<size_t>(result(i))].type.dtype;
  if (kept(i)) {
    out.begin(dtype, rows_, destination, call_.room);
    out.make(0, rows_, shape_);
  } else {
    out.begin(dtype, 1, nullptr, nullptr);
    out.make(0, 1, Shape({std::min(entries_ * rows_, kPieceEntries)}));
  }
}

void Chain::run_pieces() {
  FloatMode mode;
  if (entries_ <= kPieceEntries) {
    const int rows = static_cast<int>(kPieceEntries / entries_);
    for (int row = 0; row < rows_; row += rows) run({row, std::min(rows, rows_ - row), 0, entries_});
  } else {
    for (int row = 0; row < rows_; ++row) {
      for (int64_t at = 0; at < entries_; at += kPieceEntries)
        run({row, 1, at, std::min(kPieceEntries, entries_ - at)});
    }
  }
  // Their one piece is no value.
  for (size_t i = first_; i < end_; ++i) {
    if (!kept(i)) slot(result(i)).form = Slot::Form::empty;
  }
}

Arg Chain::argument(int reg, const Piece& piece) const {
  const Slot& from = slot(reg);
  const auto size = static_cast<int64_t>(dtype_size(from.view.dtype));
  const bool whole = piece.count == entries_;
  Arg out = {from.view.dtype, Shape(), from.view.data, 0};
  if (inside(reg) && !kept(static_cast<size_t>(program_.registers[static_cast<size_t>(reg)].instruction))) {
    out.shape = whole ? shape_ : Shape({piece.count});
    out.stride = piece.count * size;
    return out;
  }
  out.data += piece.row * from.view.stride;
  out.stride = from.view.stride;
  if (whole) {
    out.shape = from.view.shape;
  } else if (from.view.shape == shape_) {
    out.shape = Shape({piece.count});
    out.data += piece.at * size;
  }
  return out;
}

void Chain::run(const Piece& piece) {
  for (size_t i = first_; i < end_; ++i) {
    const Instruction& instruction = program_.code[i];
    for (size_t k = 0; k < instruction.args.size(); ++k)
      frame_.args[k] = argument(instruction.args[k], piece);
    const Slot& to = slot(result(i));
    auto* out = const_cast<uint8_t*>(to.view.data);
    if (kept(i))
      out += piece.row * to.view.stride + piece.at * static_cast<int64_t>(dtype_size(to.view.dtype));
    PieceRun run(piece.rows, {frame_.args.data(), instruction.args.size()}, out, call_);
    instruction.body(run);
    if (!run.failed()) continue;
    const Status status = internal_error("a function failed that cannot; please report this");
    for (int row = piece.row; row < piece.row + piece.rows; ++row) frame_.fail(row, rows_, status.pointer());
    return;
  }
}

}  // namespace weir
