// window(size, shift, stride, drop_remainder): datasets of up to `size` elements, every stride-th one, each
// window `shift` elements after the one before. A failed element makes each window that has it an error.
// Small windows are copied, once for each window; larger ones share the memory of the input's blocks, of
// which many with few small rows are put together first. Elements beyond the runtime's memory budget are
// dropped, and each window that begins at one of them is an error. Failed reads that no window has are left
// out as by ignore_errors. Checkpoint: the input's position at the first element of the next window; the
// elements of it that were read already are read again.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/checked.h"
#include "core/failed_reads.h"
#include "core/joined_errors.h"
#include "core/memory_budget.h"
#include "core/text.h"
#include "dataset/operator.h"
#include "ops/batching/kept_dataset.h"

namespace weir::window_op {
namespace {

// How windows lie in their input.
struct WindowShape {
  int64_t size = 1;
  int64_t step = 1;
  int64_t stride = 1;
  bool drop_remainder = false;

  // The elements from the first to the last of a full window.
  int64_t span() const { return capped_add<int64_t>(capped_multiply(size - 1, stride), 1); }
  // Whether every element is in a window.
  bool has_all() const { return stride == 1 && step <= size; }
  // Whether this one is.
  bool has(int64_t ordinal) const {
    if (has_all()) return true;
    for (int64_t start = ordinal - ordinal % step; start >= 0 && ordinal - start < span(); start -= step) {
      if ((ordinal - start) % stride == 0) return true;
    }
    return false;
  }

  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
};

// Windows, and pieces that are put together, of more bytes are not copied.
constexpr int64_t kMostCopied = 16384;

// Rows of the input that the next windows need, in the blocks that they came in.
class KeptInput {
 public:
  struct Piece {
    Block block;
    int64_t first = 0;
    int64_t bytes = 0;
    int64_t end() const { return first + block.rows; }
  };

  // `most_together`: how many rows are put together at most.
  KeptInput(int64_t most_together, const RefPtr<MemoryBudget>& budget)
      : most_together_(most_together), counts_(budget != nullptr), held_(budget) {}

  const std::vector<Piece>& pieces() const { return pieces_; }
  // What a row takes on average.
  // REQUIRES: there are pieces
  int64_t row_bytes() const {
    int64_t bytes = 0;
    for (const Piece& piece : pieces_) bytes += piece.bytes;
    return bytes / std::max<int64_t>(pieces_.back().end() - pieces_.front().first, 1);
  }
  // Takes what the Port has buffered. Returns why not, having dropped all rows, if they exceed the budget.
  ErrorPtr take(Port& input, size_t columns, FailedReads& failed_reads) {
    Piece& piece = pieces_.emplace_back();
    // With the memory of an earlier piece, which goes on to the input.
    piece.block.columns.swap(spare_);
    piece.block.columns.resize(columns);
    piece.first = input.position();
    const int rows = input.buffered();
    input.take_into(piece.block, 0, rows);
    piece.block.rows = rows;
    piece.bytes = piece.block.byte_size();
    put_together();
    if (count()) return nullptr;
    const Status exceeded = held_.exceeded();
    for (const Piece& dropped : pieces_) failed_reads.add(dropped.block);
    clear();
    return exceeded.pointer();
  }
  // Rows before `ordinal` are not needed any more.
  void drop_before(int64_t ordinal) noexcept {
    const auto needed = std::find_if(pieces_.begin(), pieces_.end(),
                                     [&](const Piece& piece) { return piece.end() > ordinal; });
    pieces_.erase(pieces_.begin(), needed);
    count();
  }
  // A block with the rows from `first` on takes the place of all pieces. Changes nothing if it throws.
  // REQUIRES: there are several, and no row of the block failed
  void replace(const Block& block, int64_t first) {
    copy_ = block.columns;
    Origins origins = block.origins;
    spare_.swap(pieces_.back().block.columns);
    pieces_.resize(1);
    Block& held = pieces_[0].block;
    held.columns.swap(copy_);
    held.origins.swap(origins);
    held.errors.clear();
    held.rows = block.rows;
    pieces_[0].first = first;
    pieces_[0].bytes = held.byte_size();
    count();
  }
  void clear() noexcept {
    pieces_.clear();
    count();
  }

 private:
  // Puts the last piece and those before it into one, up to a piece with more rows than follow it: so there
  // are few pieces, and a row is copied seldom. Larger rows stay where they are. Changes nothing if it
  // throws.
  void put_together() {
    // Such a row takes no more than a block for it alone.
    constexpr int64_t kSmallRow = 512;
    size_t from = pieces_.size() - 1;
    int64_t rows = pieces_[from].block.rows;
    int64_t bytes = pieces_[from].bytes;
    while (from > 0) {
      const Piece& before = pieces_[from - 1];
      const int64_t together = rows + before.block.rows;
      if (before.block.rows > rows || together > most_together_) break;
      if (before.bytes + bytes > std::min(kMostCopied, together * kSmallRow)) break;
      rows = together;
      bytes += before.bytes;
      --from;
    }
    if (from + 1 == pieces_.size()) return;
    Block all;
    for (size_t i = from; i < pieces_.size(); ++i) all.append(pieces_[i].block, 0, pieces_[i].block.rows);
    spare_.swap(pieces_.back().block.columns);
    pieces_.resize(from + 1);
    pieces_[from].block = std::move(all);
    pieces_[from].bytes = bytes;
  }
  // False if the budget is exceeded.
  bool count() noexcept {
    if (!counts_) return true;
    int64_t bytes = 0;
    for (const Piece& piece : pieces_) bytes += piece.bytes;
    return held_.set(bytes);
  }

  std::vector<Piece> pieces_;
  // Columns that are kept for their memory.
  std::vector<Column> spare_;
  std::vector<Column> copy_;
  const int64_t most_together_;
  const bool counts_;
  HeldBytes held_;
};

class WindowRows {
 public:
  // `width`: how many columns a row of the input has.
  WindowRows(const WindowShape& shape, size_t width, Session& session, const RefPtr<MemoryBudget>& budget)
      : shape_(shape),
        span_(shape.span()),
        width_(width),
        failed_reads_(session.failed_reads()),
        // So that at most an eighth of what is kept is no longer needed.
        rows_(std::min<int64_t>(span_ / 8, kMaxBlockRows), budget) {}

  const WindowShape& shape() const { return shape_; }
  int64_t span() const { return span_; }
  // The number of the input's row that the next window begins with.
  int64_t start() const { return start_; }
  // The number of the row after the last one of the next window.
  int64_t end(const Port& input) const { return std::min(capped_add(start_, span_), input.position()); }
  // Not null: the next window is lost for this reason.
  ErrorPtr lack() const { return start_ < lost_to_ ? lack_ : nullptr; }
  // Whether the next window, which ends before `end`, is copied into one block.
  bool copies(int64_t end) const {
    if (rows_.pieces().size() < 2 && shape_.stride == 1) return false;
    return (end - start_ - 1) / shape_.stride + 1 <= kMostCopied / std::max<int64_t>(rows_.row_bytes(), 1);
  }
  // As KeptInput::replace().
  void replace(const Block& block) { rows_.replace(block, start_); }

  // Reads what the next window needs; `wanted` windows are asked for.
  PullResult gather(Context& ctx, Port& input, int wanted) {
    const int64_t end = capped_add(start_, span_);
    while (start_ >= lost_to_ && input.position() < end) {
      const int64_t gap = start_ - input.position();
      const int64_t beyond = capped_multiply<int64_t>(shape_.step, wanted - 1);
      Demand demand;
      demand.drop = gap > 0;
      demand.rows = static_cast<int>(
          std::min<int64_t>(gap > 0 ? gap : capped_add(end, beyond) - input.position(), kMaxBlockRows));
      const PullResult got = input.fill(ctx, demand);
      if (got == PullResult::end && !shape_.drop_remainder && start_ < input.position())
        return PullResult::rows;
      if (got != PullResult::rows) return got;
      if (gap > 0) {
        const auto rows = static_cast<int>(std::min<int64_t>(gap, input.buffered()));
        leave_out(input.block(), input.begin(), input.begin() + rows);
        input.take(rows);
        input.consume_all();
      } else if (ErrorPtr error = rows_.take(input, width_, failed_reads_)) {
        lack_ = std::move(error);
        lost_to_ = input.position();
      }
    }
    return PullResult::rows;
  }

  // The next `count` windows are made or lost.
  void go_on(Port& input, int64_t count) noexcept {
    const int64_t passed = start_;
    start_ = capped_add(start_, capped_multiply<int64_t>(shape_.step, count));
    if (!shape_.has_all()) leave_out(passed);
    rows_.drop_before(start_);
    input.consume_to(std::min(start_, input.position()));
  }

  // The error of the next window, which ends before `end`: that of its first element with one, joined with
  // the others. Null if there is none.
  ErrorPtr error(int64_t end) const noexcept {
    ErrorPtr found;
    for (const KeptInput::Piece& piece : rows_.pieces()) {
      for (const RowError& error : piece.block.errors) {
        const int64_t ordinal = piece.first + error.row;
        if (ordinal >= start_ && ordinal < end && (ordinal - start_) % shape_.stride == 0)
          found = found ? joined(found, error.error) : error.error;
      }
    }
    return found;
  }

  // Where the first element of the next window came from.
  Origin origin() const {
    const KeptInput::Piece& piece = rows_.pieces().front();
    return piece.block.origins.of(static_cast<int>(start_ - piece.first));
  }

  // Calls `f(block, begin, count)` for each run of rows of the next window, which ends before `end`.
  template <class F>
  void each_run(int64_t end, F&& f) const {
    int64_t ordinal = start_;
    for (const KeptInput::Piece& piece : rows_.pieces()) {
      const int64_t piece_end = std::min(piece.end(), end);
      while (ordinal < piece_end) {
        const int count = shape_.stride == 1 ? static_cast<int>(piece_end - ordinal) : 1;
        f(piece.block, static_cast<int>(ordinal - piece.first), count);
        ordinal = capped_add(ordinal, shape_.stride == 1 ? int64_t{count} : shape_.stride);
      }
    }
  }

  // After a position of the input was loaded: the next window begins at this row.
  void start_at(int64_t start) {
    rows_.clear();
    lost_to_ = 0;
    start_ = start;
  }

 private:
  // No window has this element. One that ends the sequence takes the next window.
  void leave_out(const ErrorPtr& error) noexcept {
    failed_reads_.add(error);
    if (!error->position_lost) return;
    lack_ = error;
    lost_to_ = start_ + 1;
  }
  void leave_out(const Block& block, int begin, int end) noexcept {
    for (const RowError& error : block.errors) {
      if (error.row >= begin && error.row < end) leave_out(error.error);
    }
  }
  // The elements from `begin` to the next window's that no window has.
  void leave_out(int64_t begin) noexcept {
    for (const KeptInput::Piece& piece : rows_.pieces()) {
      for (const RowError& error : piece.block.errors) {
        const int64_t ordinal = piece.first + error.row;
        if (ordinal >= begin && ordinal < start_ && !shape_.has(ordinal)) leave_out(error.error);
      }
    }
  }

  const WindowShape shape_;
  const int64_t span_;
  const size_t width_;
  FailedReads& failed_reads_;
  int64_t start_ = 0;
  KeptInput rows_;
  // The windows that begin before this element are lost for that reason.
  int64_t lost_to_ = 0;
  ErrorPtr lack_;
};

struct Params : ParamsOf<Params> {
  IntParam size;
  IntParam shift = IntParam::none();
  IntParam stride{1};
  BoolParam drop_remainder{false};
  void fields(Fields& f) override {
    f("size", size, "The largest number of elements in a window.", at_least(1));
    f("shift", shift, "The number of elements between the starts of two windows; none is `size`.",
      at_least(1), {.none = true});
    f("stride", stride, "A window has every stride-th element.", at_least(1));
    f("drop_remainder", drop_remainder, "Drop windows of fewer than `size` elements.");
  }
  WindowShape shape() const { return {*size, shift.value_or(*size), *stride, *drop_remainder}; }
};

class Window final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    std::vector<Leaf> leaves;
    WEIR_TRY(add_leaves(opening.node->inputs()[0]->spec(), leaves));
    return std::unique_ptr<Cursor>(std::make_unique<Window>(opening, params, std::move(leaves)));
  }

  // A part of the element that becomes a dataset of its own: components [first, first + count).
  struct Leaf {
    KeptDataset datasets;
    size_t first;
    size_t count;
  };

  Window(Opening& opening, const Params& params, std::vector<Leaf> leaves)
      : input_(opening, 0, Port::Mode::keep),
        leaves_(std::move(leaves)),
        width_(input_.node().components().size()),
        rows_(params.shape(), width_, opening.ctx.session, opening.ctx.runtime().budget) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    windows_.clear();
    errors_.clear();
    origins_.clear();
    made_ = 0;
    PullResult got = PullResult::rows;
    while (made_ < demand.rows &&
           (got = rows_.gather(ctx, input_, demand.rows - made_)) == PullResult::rows) {
      if (const ErrorPtr lack = rows_.lack()) {
        fail_window(lack);
      } else {
        make_window(demand.drop);
      }
      go_on();
    }
    if (made_ == 0) return got;
    give(demand, out);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    // Those made in this call and the one in the making.
    const int lost = made_ + 1;
    go_on();
    return lost;
  }

  void state(Archive& archive) override {
    input_.state(archive);
    int64_t ahead = rows_.start() - input_.consumed();
    archive("ahead", ahead, 0, rows_.shape().step);
    if (archive.loading()) rows_.start_at(capped_add(input_.consumed(), ahead));
  }

 private:
  static Status add_leaves(const Spec& spec, std::vector<Leaf>& leaves) {
    if (spec.kind == Spec::Kind::tuple || spec.kind == Spec::Kind::dict) {
      for (const Spec& child : spec.children) WEIR_TRY(add_leaves(child, leaves));
      return Status();
    }
    WEIR_ASSIGN(KeptDataset datasets, KeptDataset::make(spec));
    const size_t first = leaves.empty() ? 0 : leaves.back().first + leaves.back().count;
    leaves.push_back({std::move(datasets), first, static_cast<size_t>(spec.component_count())});
    return Status();
  }

  // The window is made or lost.
  void go_on() noexcept {
    ++made_;
    rows_.go_on(input_, 1);
  }

  void make_window(bool drop) {
    const int64_t end = rows_.end(input_);
    note_origin();
    if (const ErrorPtr error = rows_.error(end)) return fail_window(error);
    if (drop) return;
    std::vector<Block> blocks = select(end);
    for (const Leaf& leaf : leaves_) {
      std::vector<Block> part = leaves_.size() == 1 ? std::move(blocks) : components(blocks, leaf);
      windows_.push_back(leaf.datasets.of(std::move(part)));
    }
  }

  void fail_window(const ErrorPtr& error) {
    errors_.push_back({made_, error});
    windows_.resize(windows_.size() + leaves_.size());
  }

  void note_origin() noexcept {
    const Origin origin = rows_.origin();
    if (origin.known() || !origins_.empty()) origins_.add_one(made_, origin);
  }

  // The rows of the window that ends before `end`.
  std::vector<Block> select(int64_t end) {
    const bool copies = rows_.copies(end);
    std::vector<Block> out(copies ? 1 : 0);
    if (copies) out[0].columns.resize(width_);
    rows_.each_run(end, [&](const Block& block, int begin, int count) {
      if (copies) {
        out[0].append(block, begin, count);
      } else {
        out.push_back(block.slice(begin, count));
      }
    });
    // The next window is copied from this one rather than from many small blocks.
    if (copies && rows_.shape().stride == 1 && end == input_.position()) rows_.replace(out[0]);
    return out;
  }

  static std::vector<Block> components(const std::vector<Block>& blocks, const Leaf& leaf) {
    std::vector<Block> out(blocks.size());
    for (size_t i = 0; i < blocks.size(); ++i) {
      const auto first = blocks[i].columns.begin() + static_cast<ptrdiff_t>(leaf.first);
      out[i].columns.assign(first, first + static_cast<ptrdiff_t>(leaf.count));
      out[i].origins = blocks[i].origins;
      out[i].rows = blocks[i].rows;
    }
    return out;
  }

  void give(const Demand& demand, Block& out) {
    out.reset(demand.drop ? 0 : leaves_.size());
    for (size_t leaf = 0; leaf < out.columns.size(); ++leaf) {
      auto* entries = reinterpret_cast<const NestedDataset**>(
          out.columns[leaf].make_dense(DType::dataset, Shape(), made_));
      auto owners = make_ref<Owners>();
      for (size_t i = 0; i < static_cast<size_t>(made_); ++i) {
        RefPtr<NestedDataset>& window = windows_[i * leaves_.size() + leaf];
        entries[i] = window.get();
        if (window) owners->list.push_back(std::move(window));
      }
      out.columns[leaf].set_owners(std::move(owners));
    }
    out.rows = made_;
    out.errors.swap(errors_);
    out.origins.swap(origins_);
  }

  Port input_;
  const std::vector<Leaf> leaves_;
  const size_t width_;
  WindowRows rows_;
  // Of the call in progress: how many windows, their datasets leaf by leaf, null for those that failed.
  int made_ = 0;
  std::vector<RefPtr<NestedDataset>> windows_;
  RowErrors errors_;
  Origins origins_;
};

Spec windowed(const Spec& spec) {
  if (spec.kind != Spec::Kind::tuple && spec.kind != Spec::Kind::dict) return Spec::dataset(spec);
  Spec out = spec;
  for (Spec& child : out.children) child = windowed(child);
  return out;
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  const bool known = params.size.is_constant() && params.stride.is_constant();
  if (known && (*params.size - 1) > (WindowShape::kMost - 1) / *params.stride) {
    return invalid_argument(expected_found(concat("(size - 1) * stride + 1 of at most ", WindowShape::kMost),
                                           concat("size ", *params.size, " and stride ", *params.stride)));
  }
  Spec out = windowed(inputs[0]->spec());
  WEIR_TRY(out.check_size());
  return out;
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  const int64_t count = inputs[0]->cardinality();
  if (count < 0) return count;
  const int64_t step = params.shape().step;
  if (!*params.drop_remainder) return count / step + (count % step != 0 ? 1 : 0);
  const int64_t span = params.shape().span();
  return count < span ? 0 : (count - span) / step + 1;
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Window>({
      .name = "window",
      .page =
          {.doc =
               "Groups successive elements into windows, each a dataset of `size` elements. An element with several components becomes a structure of such datasets, one for each. A window begins `shift` elements after the one before and has every stride-th element. The last windows have fewer elements. A window with a failed element is an error, and so is one for which the runtime's memory_bytes has no room (resource_exhausted). A failed element that is in no window is left out.",
           .cost = "Copies windows below 16 KB once each; larger ones share the memory of the input.",
           .example = "range(5) | window(3, shift: 2) | flat_map(w -> w | batch(3))",
           .output = "[0, 1, 2]\n[2, 3, 4]\n[4]",
           .bench = "range(200000) | window(16, shift: 1) | flat_map(w -> w | batch(16))",
           .elsewhere = "sliding sliding_window rolling: window(n, shift: 1)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase& base) {
                         const auto& params = static_cast<const Params&>(base);
                         const bool known = params.size.is_constant() && params.stride.is_constant();
                         const int64_t rows = known ? params.shape().span() : kUnknown;
                         return Kept{rows, rows};
                       }},
  });
  return def;
}

}  // namespace weir::window_op
