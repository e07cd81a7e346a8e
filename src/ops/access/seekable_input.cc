#include "ops/access/seekable_input.h"

#include <utility>
#include <vector>

#include "core/exception.h"
#include "dataset/access.h"
#include "dataset/ahead_cursor.h"
#include "dataset/compose.h"
#include "ops/access/read_ahead.h"

namespace weir {

namespace {

const OperatorDef& positions_operator();
const OperatorDef& positions_ahead_operator();

struct PositionsParams : ParamsOf<PositionsParams> {
  Slice slice;
  void fields(Fields&) override {}
  static const OperatorDef& op() { return positions_operator(); }
};

class Positions final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const PositionsParams& params) {
    WEIR_ASSIGN(std::unique_ptr<Access> input, open_access(opening.ctx, opening.input(0)));
    return std::unique_ptr<Cursor>(std::make_unique<Positions>(slice_access(std::move(input), params.slice)));
  }
  explicit Positions(std::unique_ptr<Access> input) : input_(std::move(input)) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    const int64_t left = input_->count().positions - given_;
    if (left == 0) return PullResult::end;
    const int rows = width_.rows(demand, left);
    positions_.clear();
    for (int i = 0; i < rows; ++i) positions_.push_back(given_ + i);
    input_->read(ctx, positions_, out);
    width_.learn(demand, out);
    given_ += rows;
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    ++given_;
    return 1;
  }

  void state(Archive& archive) override { archive("given", given_, 0, input_->count().positions); }

 private:
  const std::unique_ptr<Access> input_;
  int64_t given_ = 0;
  AccessWidth width_;
  std::vector<int64_t> positions_;
};

const OperatorDef& positions_operator() {
  static const OperatorDef def = define<PositionsParams, Positions>({
      .name = "positions",
      .internal = true,
      .page = {.doc = "Elements by their positions."},
      .ahead = {.lane = Lane::blocking},
      .access = {.reads_by_position = true},
  });
  return def;
}

struct AheadParams : ParamsOf<AheadParams> {
  void fields(Fields&) override {}
  static const OperatorDef& op() { return positions_ahead_operator(); }
};

struct PositionsAhead {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const AheadParams&) {
    const DatasetRef& input = opening.node->inputs()[0];
    return std::unique_ptr<Cursor>(
        std::make_unique<WindowCursor>(opening, input, MakeWindow{read_ahead(input->lane())}));
  }
};

const OperatorDef& positions_ahead_operator() {
  static const OperatorDef def = define<AheadParams, PositionsAhead>({
      .name = "positions_ahead",
      .internal = true,
      .page = {.doc = "Elements by their positions, read ahead."},
      .ahead = {.is_window = always},
  });
  return def;
}

Result<DatasetRef> positions_of(DatasetRef input, const Slice& slice) {
  const BuildSite site{.depth = input->depth(), .at_opening = true};
  PositionsParams params;
  params.slice = slice;
  WEIR_ASSIGN(DatasetRef positions, compose(std::move(params), {std::move(input)}, site));
  return compose(AheadParams(), {std::move(positions)}, site);
}

}  // namespace

SeekableInput::SeekableInput(Opening& opening, int index, Port::Mode mode, Port::Opens opens)
    : instance_(opening.input(index)),
      mode_(mode),
      port_(std::make_unique<Port>(opening, index, mode, opens)) {}

SeekableInput::SeekableInput(Opening& opening, int index, Port::Mode mode, Port::Opens opens,
                             const Slice& slice)
    : instance_(opening.input(index)),
      mode_(mode),
      slice_(slice),
      seeks_(weir::seeks(opening.ctx, instance_)) {
  open(opening.ctx, opens);
}

void SeekableInput::open(Context& ctx, Port::Opens opens) {
  Instance instance = instance_;
  if (seeks_) {
    Result<DatasetRef> positions = positions_of(instance.node, slice_);
    if (!positions.ok()) throw StatusException(positions.status());
    instance.node = *std::move(positions);
  }
  port_ = std::make_unique<Port>(ctx, std::move(instance), mode_, opens);
}

void SeekableInput::state(Archive& archive) {
  bool seeks = seeks_;
  if (archive.loading()) {
    seeks = archive.next_is("seeks");
    if (seeks) archive("seeks", seeks);
    reopens_ = seeks != seeks_;
    if (reopens_) {
      seeks_ = seeks;
      archive.rest(saved_);
      return;
    }
  } else if (seeks) {
    archive("seeks", seeks);
  }
  if (reopens_) {
    archive.append(saved_);
  } else {
    port_->state(archive);
  }
}

Step SeekableInput::resume(Context& ctx) {
  if (!reopens_) return PullResult::rows;
  open(ctx, Port::Opens::now);
  Archive archive(saved_);
  port_->state(archive);
  archive.finish();
  WEIR_TRY(archive.status());
  reopens_ = false;
  saved_.clear();
  return PullResult::rows;
}

}  // namespace weir
