// prefetch(n): runs the input ahead of its consumer, at most n elements. auto begins with 2, and finds how
// many the consumer takes while the input stalls, up to what fits 8 MiB and 1,024. Keeps the order and the
// places of errors. A checkpoint holds the consumer's position; what was made ahead is made again.
#include <algorithm>
#include <cstdint>

#include "dataset/access.h"
#include "dataset/ahead_cursor.h"
#include "dataset/compose.h"
#include "dataset/tuner_start.h"

namespace weir::prefetch_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  void fields(Fields& f) override {
    f("n", n,
      "How many elements may be ready ahead. 0 runs nothing ahead. auto begins with 2 and finds how many the consumer takes while the input stalls, up to 8 MiB and 1,024. -1 is tf.data's number for auto.",
      at_least(-1), {.automatic = true, .any_position = true});
  }
  bool automatic() const { return n.is_auto() || n.value_or(0) == -1; }
};

constexpr int64_t kAutoRows = 1024;
constexpr int64_t kAutoFirstRows = 2;
constexpr int64_t kAutoBytes = int64_t{8} << 20;
constexpr int64_t kMaxBlockShare = 64;

bool runs_ahead(const Params& params) { return params.automatic() || params.n.value_or(0) != 0; }

RunsAhead ahead(const Params& params, const Dataset& input) {
  return {.rows = params.automatic() ? kAutoRows : params.n.value_or(kAutoRows),
          .bytes = params.automatic() ? kAutoBytes : RunsAhead::kNoLimit,
          .lane = input.lane()};
}

struct Prefetch {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    const DatasetRef& input = opening.node->inputs()[0];
    if (params.n.value_or(1) == 0)
      return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, input));
    const RunsAhead most = ahead(params, *input);
    WindowOptions options;
    options.max_rows = most.rows;
    options.first_rows = params.automatic() ? kAutoFirstRows : 0;
    if (params.automatic()) options.start = tuner_start(opening, "rows");
    options.max_bytes = std::min(most.bytes, INT64_MAX / 2);
    options.block_rows = static_cast<int>(std::clamp<int64_t>(options.max_rows / 8, 1, kMaxBlockShare));
    options.lane = most.lane;
    return std::unique_ptr<Cursor>(std::make_unique<WindowCursor>(opening, input, MakeWindow{options}));
  }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Prefetch>({
      .name = "prefetch",
      .page =
          {.doc =
               "Computes up to `n` elements ahead, on another thread, while the consumer works. Order and errors stay the same.",
           .cost = "Passing each block between two threads, and waking one when the consumer has to wait.",
           .tf_names = "buffer_size=n",
           .example = "range(3) | prefetch(2)",
           .output = "0\n1\n2",
           .bench = "range(1000000) | prefetch(1024)",
           .elsewhere = "buffer buffered read_ahead: prefetch(n)"},
      .typing = {.cardinality = same_cardinality,  // Nothing runs ahead of who asks for positions.
                 .columns = Columns::passed},
      .position = {.kept =
                       [](const ParamsBase& base) {
                         const auto& params = static_cast<const Params&>(base);
                         return Kept{params.automatic() ? kAutoRows : params.n.value_or(kAutoRows), 0};
                       }},
      .ahead = {
          .is_window = [](const ParamsBase& base) { return runs_ahead(static_cast<const Params&>(base)); },
          .limits = [](const ParamsBase& base,
                       std::span<const DatasetRef> inputs) -> std::optional<RunsAhead> {
            const auto& params = static_cast<const Params&>(base);
            if (!runs_ahead(params)) return std::nullopt;
            return ahead(params, *inputs[0]);
          }},
      .access = {.open = [](Opening& opening,
                            const ParamsBase&) { return open_access(opening.ctx, opening.input(0)); }},
  });
  return def;
}

}  // namespace weir::prefetch_op
