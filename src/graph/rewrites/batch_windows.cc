// batch_windows: windows that are only batched, window(n) | flat_map(w -> w | batch(m)) with m >= n, become one cursor that
// copies the rows of each window into its batch. No dataset is made for a window, and none opened. A window of several
// components may be put together with zip before the batch.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "core/checked.h"
#include "core/exception.h"
#include "dataset/batch_buffer.h"
#include "dataset/counted.h"
#include "dataset/field_in.h"
#include "dataset/yield_timer.h"
#include "expr/compiled.h"
#include "graph/rewrites/rule.h"
#include "ops/inner.h"
#include "ops/value_rows.h"
#include "ops/window_rows.h"

namespace weir {
namespace {

// ---- Recognising them ---------------------------------------------------------------------------------------------

// Whether the node is the dataset in slot `slot` of the scope that a lambda's pipeline runs in.
bool is_variable(const Dataset& node, const Env& env, size_t slot) {
  if (std::string_view(node.op().name) != "variable") return false;
  const auto* value = field_in<ValueParam>(node.params(), "value");
  return value && value->expression && value->expression->lend(&env) == &env.values[slot];
}

// The batch in `w -> w | batch(m)` or `(a, b) -> zip(a, b) | batch(m)`; null if the function is another one.
const Dataset* batch_in(const Function& function) {
  const auto* compiled = dynamic_cast<const CompiledFunction*>(&function);
  if (!compiled || compiled->program().code.size() != 1) return nullptr;
  const Program& program = compiled->program();
  const Instruction& made = program.code[0];
  const auto inputs = static_cast<size_t>(program.inputs);
  if (made.kind != Instruction::Kind::dataset || made.shared_env_level >= 0 ||
      program.results != made.results || made.args.size() != inputs) {
    return nullptr;
  }
  for (size_t i = 0; i < inputs; ++i) {
    const Register& reg = program.registers[static_cast<size_t>(made.args[i])];
    if (reg.source != Register::Source::input || static_cast<size_t>(reg.index) != i) return nullptr;
  }
  const Dataset& batch = *made.dataset;
  if (std::string_view(batch.op().name) != "batch" || batch.dynamic()) return nullptr;
  const auto env = make_ref<const Env>(EnvRef(), Components(inputs));
  const Dataset& rows = *batch.inputs()[0];
  if (inputs == 1) return is_variable(rows, *env, 0) ? &batch : nullptr;
  if (std::string_view(rows.op().name) != "zip" || rows.inputs().size() != inputs) return nullptr;
  for (size_t i = 0; i < inputs; ++i) {
    if (!is_variable(*rows.inputs()[i], *env, i)) return nullptr;
  }
  return &batch;
}

// Windows and the batch that each of them becomes.
struct Batching {
  WindowShape shape;
  const Dataset* batch = nullptr;
  int64_t n = 1;
  bool drop_remainder = false;
};

// What a flat_map of windows does; nothing if it is not only this.
std::optional<Batching> batching_of(const Dataset& node) {
  if (std::string_view(node.op().name) != "flat_map" || !function_in(node)) return std::nullopt;
  const Dataset& window = *node.inputs()[0];
  if (std::string_view(window.op().name) != "window" || window.dynamic()) return std::nullopt;
  const Dataset& input = *window.inputs()[0];
  // Where rows cannot be made again, positions have them by value.
  if (!dense_only(input.spec()) || !input.not_replayable().empty()) return std::nullopt;
  Batching out;
  out.batch = batch_in(*function_in(node));
  if (!out.batch || out.batch->inputs()[0]->spec().to_string() != input.spec().to_string())
    return std::nullopt;
  out.shape.size = number_in(window, "size").value_or(1);
  out.shape.step = number_in(window, "shift").value_or(out.shape.size);
  out.shape.stride = number_in(window, "stride").value_or(1);
  out.shape.drop_remainder = flag_in(window, "drop_remainder").value_or(false);
  out.n = number_in(*out.batch, "n").value_or(0);
  out.drop_remainder = flag_in(*out.batch, "drop_remainder").value_or(false);
  const bool whole = out.n == out.shape.size || (out.n > out.shape.size && !out.drop_remainder);
  return whole ? std::optional(out) : std::nullopt;
}

// ---- Their rows ---------------------------------------------------------------------------------------------------

// Batches of this size or more are made one by one, in memory that is used again.
constexpr int64_t kLargeBytes = 64 << 10;

// The rows of a column that a window has, `stride` apart, one after the other.
void copy_rows(uint8_t* to, const uint8_t* from, size_t bytes, int64_t stride, int64_t count) {
  if (stride == 1) {
    std::memcpy(to, from, bytes * static_cast<size_t>(count));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * bytes, from + static_cast<size_t>(i * stride) * bytes, bytes);
  }
}

class WindowBatches final : public HoldingBody {
 public:
  WindowBatches(const Opening& opening, const Batching& batching)
      : batching_(batching),
        path_(opening.path),
        tree_(opening.ctx.session.stats()),
        components_(opening.node->inputs()[0]->components()),
        rows_(batching.shape, components_.size(), opening.ctx.runtime().budget, true),
        batch_(components_, batching.shape.size, threads(opening)) {
    for (const Component& component : components_) {
      const bool fixed = !has_owners(component.dtype) && component.shape.is_static();
      const int64_t count = fixed ? checked_count(component.shape.dims()) : -1;
      row_bytes_.push_back(
          count < 0 || count > kLargeBytes ? 0 : static_cast<size_t>(count) * dtype_size(component.dtype));
      fixed_ = fixed_ && count >= 0 && count <= kLargeBytes;
      batch_bytes_ = capped_add(
          batch_bytes_, capped_multiply(static_cast<int64_t>(row_bytes_.back()), batching.shape.size));
    }
    fixed_ = fixed_ && batch_bytes_ < kLargeBytes;
  }

  void count_in(std::vector<std::unique_ptr<Counted>>& below) override {
    if (below.size() == 1) window_ = std::move(below[0]);
    below.clear();
  }

  Step next(Context& ctx, const Demand& demand, Port& input, Block& out) override {
    input_ = &input;
    for (;;) {
      making_ = 1;
      const PullResult got = rows_.gather(ctx, input, wanted(demand));
      if (got != PullResult::rows) return got;
      if (const ErrorPtr lack = rows_.lack()) {
        go_on(1, true);
        return below(lack, "window");
      }
      const int64_t end = rows_.end(input);
      const Origin origin = rows_.origin();
      if (const ErrorPtr* found = rows_.first_error(end)) {
        const ErrorPtr error = *found;
        out.origins.add(0, origin);
        go_on(1, true);
        return error;
      }
      const int64_t elements = (end - rows_.start() - 1) / rows_.shape().stride + 1;
      if (batching_.drop_remainder && elements < batching_.n) {
        count(1, elements, 0);
        go_on(1, false);
        if (yield_timer_.should_yield(ctx, 1)) return PullResult::pending;
        continue;
      }
      yield_timer_.reset();
      if (fixed_ && is_plain()) return copy(demand, elements, input, out);
      return gather_one(ctx, elements, end, origin, out);
    }
  }

  int64_t lose() noexcept override {
    const int64_t lost = making_;
    batch_.clear();
    go_on(lost, false);
    return lost;
  }

  void save(Archive& archive, Port& input) override {
    // After a restore, windows may be still to be passed over.
    const int64_t step = rows_.shape().step;
    const int64_t behind = std::clamp<int64_t>((rows_.start() - input.consumed()) / step, 0, windows_);
    Archive window;
    input.state(window);
    int64_t ahead = rows_.start() - behind * step - input.consumed();
    window("ahead", ahead);
    Archive stage;
    int64_t standing = 0;
    std::string bytes = window.take();
    stage("window", standing);
    stage("state", bytes);
    AnchorFields here;
    here.ordinal = windows_ - behind;
    here.values = std::min(values_, here.ordinal);
    here.bytes = stage.take();
    Port::save_position(archive, Anchor(std::move(here)), windows_);
    bool open = false;
    archive("open", open);
    Inner::Saved().state(archive);
  }

  bool load(std::string_view bytes, Port& input) override {
    Archive archive(bytes);
    if (!archive.next_is("consumed")) return false;
    int64_t consumed = 0;
    AnchorFields anchor;
    bool open = false;
    Inner::Saved inner;
    archive("consumed", consumed, 0, kMostCounted);
    anchor.state(archive);
    archive("open", open);
    inner.state(archive);
    archive.finish();
    // What was opened since the anchor has its numbers from there.
    if (!archive.status().ok() || anchor.ordinal > consumed || !anchor.openings.empty() ||
        !anchor.names.empty() || !anchor.cuts.empty() || !inner.epochs.empty() || inner.ahead) {
      return false;
    }
    if (open) {
      const std::optional<bool> given = is_given(inner.bytes);
      if (!given) return false;
      if (*given) ++consumed;
    }
    int64_t start = 0;
    if (!anchor.fresh) {
      const std::optional<int64_t> next = load_window(anchor.bytes, input);
      if (!next) return false;
      start = *next;
    }
    const int64_t passed = consumed - anchor.ordinal;
    windows_ = consumed;
    values_ = anchor.values + passed;
    rows_.start_at(capped_add(start, capped_multiply(rows_.shape().step, passed)));
    return true;
  }

 private:
  int threads(const Opening& opening) const {
    const int most = opening.ctx.runtime().executor->parallelism();
    const auto* calls = field_in<IntParam>(batching_.batch->params(), "num_parallel_calls");
    return static_cast<int>(std::min<int64_t>(calls->value_or(most), most));
  }

  // How many windows to read for at once.
  int wanted(const Demand& demand) const {
    constexpr int64_t kUnknownSize = 16;
    const int64_t most = fixed_                       ? demand.bytes / std::max<int64_t>(batch_bytes_, 1)
                         : batch_bytes_ < kLargeBytes ? kUnknownSize
                                                      : 1;
    return static_cast<int>(std::clamp<int64_t>(most, 1, demand.rows));
  }

  // No row that is held failed, and all columns are dense.
  bool is_plain() const {
    return std::all_of(rows_.pieces().begin(), rows_.pieces().end(), [](const HeldInput::Piece& piece) {
      return piece.block.errors.empty() && std::all_of(piece.block.columns.begin(), piece.block.columns.end(),
                                                       [](const Column& column) { return column.dense(); });
    });
  }

  // Gives as many full windows as are there, or the next one, of `elements` elements.
  Step copy(const Demand& demand, int64_t elements, Port& input, Block& out) {
    const int64_t beyond = input.position() - rows_.start() - rows_.span();
    const int64_t full = beyond < 0 ? 1 : beyond / rows_.shape().step + 1;
    making_ = std::min<int64_t>(full, wanted(demand));
    const int made = static_cast<int>(making_);
    out.reset(demand.drop ? 0 : components_.size());
    for (size_t i = 0; i < out.columns.size(); ++i) copy_column(i, made, elements, out.columns[i]);
    copy_origins(made, out);
    out.rows = made;
    count(made, elements, made);
    go_on(made, false);
    return PullResult::rows;
  }

  void copy_column(size_t i, int made, int64_t elements, Column& out) const {
    const WindowShape& shape = rows_.shape();
    const size_t bytes = row_bytes_[i];
    uint8_t* to = out.make_dense(components_[i].dtype, components_[i].shape.prepended(elements), made);
    const HeldInput::Piece* piece = rows_.pieces().data();
    for (int window = 0; window < made; ++window) {
      int64_t at = rows_.start() + window * shape.step;
      while (piece->end() <= at) ++piece;
      int64_t left = elements;
      for (const HeldInput::Piece* from = piece; left > 0; ++from) {
        if (from->end() <= at) continue;
        const int64_t count = std::min(left, (from->end() - at - 1) / shape.stride + 1);
        const uint8_t* const rows = from->block.columns[i].tensor().data;
        copy_rows(to, rows + static_cast<size_t>(at - from->first) * bytes, bytes, shape.stride, count);
        to += static_cast<size_t>(count) * bytes;
        at = capped_add(at, capped_multiply(count, shape.stride));
        left -= count;
      }
    }
  }

  void copy_origins(int made, Block& out) const {
    const HeldInput::Piece* piece = rows_.pieces().data();
    for (int window = 0; window < made; ++window) {
      const int64_t at = rows_.start() + window * rows_.shape().step;
      while (piece->end() <= at) ++piece;
      if (piece->block.origins.empty() && out.origins.empty()) continue;
      out.origins.add_one(window, piece->block.origins.of(static_cast<int>(at - piece->first)));
    }
  }

  Step gather_one(Context& ctx, int64_t elements, int64_t end, Origin origin, Block& out) {
    rows_.each_run(end,
                   [&](const Block& block, int begin, int rows) { batch_.add(ctx, block, begin, rows); });
    const Status made = batch_.finish(out);
    count(1, elements, 1);
    go_on(1, false);
    if (!made.ok()) {
      if (!inner_.empty()) add_to(inner_[0]->stats.failed, 1);
      out.origins.add(0, origin);
      return below(made.pointer(), "batch");
    }
    return PullResult::rows;
  }

  void go_on(int64_t count, bool failed) noexcept {
    rows_.go_on(*input_, count);
    windows_ += count;
    if (!failed) values_ += count;
    if (!window_) return;
    add_alone(window_->live.rows, count);
    if (failed) add_to(window_->stats.failed, count);
  }

  // Counts for what would be open for each window: the batch, and what gives it the window's elements.
  void count(int64_t windows, int64_t elements, int64_t batches) {
    if (!window_) return;
    const bool first = inner_.empty();
    if (first) count_inner();
    for (size_t i = 0; i < inner_.size(); ++i) {
      add_alone(inner_[i]->live.rows, i == 0 ? batches : windows * elements);
      add_alone(inner_[i]->live.openings, first ? windows - 1 : windows);
    }
  }

  void count_inner() {
    StageStats* const here = path_->stats.load(std::memory_order_relaxed);
    const auto add = [&](StageStats* above, const Dataset& node, int number) {
      StageStats* const stats =
          above ? tree_->find(above, node.op().name, number, node.depth(), node.op().internal) : nullptr;
      if (stats) inner_.push_back(std::make_unique<Counted>(*stats));
      return stats;
    };
    StageStats* const batch = add(here, *batching_.batch, -1);
    const Dataset& rows = *batching_.batch->inputs()[0];
    StageStats* const above = add(batch, rows, -1);
    if (!above) return;
    for (size_t i = 0; i < rows.inputs().size(); ++i)
      hold(add(above, *rows.inputs()[i], static_cast<int>(i)));
    if (rows.inputs().empty()) hold(above);
  }

  // The stage below a variable.
  void hold(StageStats* above) {
    StageStats* const stats = above ? tree_->find(above, "held_rows", -1, 0, true) : nullptr;
    if (stats) inner_.push_back(std::make_unique<Counted>(*stats));
  }

  // An error of an operator below the first one.
  ErrorPtr below(const ErrorPtr& error, const char* name) const {
    if (!error->path.empty()) return error;
    auto out = std::make_shared<Error>(*error);
    out->path = make_ref<const PathNode>(path_, name, -1)->to_string();
    return out;
  }

  // Whether the dataset of a window, open when its position was saved, had given its batch. Nothing if that is not known.
  static std::optional<bool> is_given(std::string_view bytes) {
    int64_t standing = 0;
    int64_t consumed = 0;
    std::string saved;
    Archive stage(bytes);
    if (!stage.next_is("batch")) return std::nullopt;
    stage("batch", standing, 0, 1);
    if (!stage.next_is("state")) return std::nullopt;
    stage("state", saved);
    if (!stage.status().ok()) return std::nullopt;
    if (standing == 1) return true;
    Archive batch(saved);
    if (!batch.next_is("consumed")) return std::nullopt;
    batch("consumed", consumed, 0, kMostCounted);
    return batch.status().ok() ? std::optional(consumed > 0) : std::nullopt;
  }

  // Returns where the next window begins; nothing if these are no bytes that can be taken up.
  std::optional<int64_t> load_window(std::string_view bytes, Port& input) const {
    int64_t standing = 0;
    int64_t ahead = 0;
    std::string saved;
    Archive stage(bytes);
    if (!stage.next_is("window")) return std::nullopt;
    stage("window", standing, 0, 0);
    if (!stage.next_is("state")) return std::nullopt;
    stage("state", saved);
    stage.finish();
    if (!stage.status().ok()) return std::nullopt;
    Archive window(saved);
    input.state(window);
    window("ahead", ahead, 0, rows_.shape().step);
    window.finish();
    if (!window.status().ok()) return std::nullopt;
    return capped_add(input.consumed(), ahead);
  }

  const Batching batching_;
  const PathRef path_;
  StatsTree* const tree_;
  const std::vector<Component>& components_;
  // Of a component's row; 0 if it differs between rows.
  std::vector<size_t> row_bytes_;
  int64_t batch_bytes_ = 0;
  // Rows have one size, and batches are small.
  bool fixed_ = true;
  WindowRows rows_;
  BatchBuffer batch_;
  Port* input_ = nullptr;
  // The windows that are given or lost together with the next one.
  int64_t making_ = 1;
  // How many were given, and how many of them had not failed.
  int64_t windows_ = 0;
  int64_t values_ = 0;
  YieldTimer yield_timer_;
  // Null, or counts for the window, and for what it would be opened as.
  std::unique_ptr<Counted> window_;
  std::vector<std::unique_ptr<Counted>> inner_;
};

std::unique_ptr<RunBody> make(const Opening& opening, const RunParams& params) {
  return std::make_unique<WindowBatches>(opening, *batching_of(*params.operators[0].node));
}

bool take(OperatorRun& run, const DatasetRef& node) {
  if (run.body == &batch_windows_rule()) {
    // The window, which was looked at together with its flat_map.
    run.closed = true;
  } else if (!run.operators.empty() || !batching_of(*node)) {
    return false;
  }
  run.body = &batch_windows_rule();
  run.operators.push_back({.node = node});
  return true;
}

}  // namespace

const Rule& batch_windows_rule() {
  static const Rule rule{
      .name = "batch_windows",
      .take = take,
      .make = make,
      .holds = true,
  };
  return rule;
}

}  // namespace weir
