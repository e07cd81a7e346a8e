#include "dataset/access.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text.h"
#include "dataset/operator_def.h"

namespace weir {

namespace {

// Adds the operator's path to errors that have none.
class Placed final : public Access {
 public:
  Placed(std::unique_ptr<Access> access, PathRef path) : access_(std::move(access)), path_(std::move(path)) {}

  AccessCount count() const override { return access_->count(); }
  void count_pass(EpochScope& epochs, int64_t rows) override { access_->count_pass(epochs, rows); }
  bool foresee(std::span<const int64_t> positions, int64_t time, ReadPlan& plan) override {
    return access_->foresee(positions, time, plan);
  }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    access_->read(ctx, positions, out);
    for (RowError& error : out.errors) {
      if (!error.error->path.empty()) continue;
      auto placed = std::make_shared<Error>(*error.error);
      placed->path = path_->to_string();
      error.error = std::move(placed);
    }
  }

 private:
  const std::unique_ptr<Access> access_;
  const PathRef path_;
};

class SliceAccess final : public Access {
 public:
  SliceAccess(std::unique_ptr<Access> input, const Slice& slice, AccessCount count)
      : input_(std::move(input)), slice_(slice), count_(count) {}

  AccessCount count() const override { return count_; }
  void count_pass(EpochScope& epochs, int64_t rows) override {
    // One that has given as many as it may does not look for the end.
    if (count_.positions == slice_.count) rows = std::min(rows, count_.positions);
    if (rows <= 0) return;
    input_->count_pass(epochs,
                       rows <= count_.positions ? slice_.first + (rows - 1) * slice_.step + 1 : kToTheEnd);
  }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    move(positions);
    input_->read(ctx, positions_, out);
  }
  bool foresee(std::span<const int64_t> positions, int64_t time, ReadPlan& plan) override {
    move(positions);
    return input_->foresee(positions_, time, plan);
  }

 private:
  void move(std::span<const int64_t> positions) {
    positions_.resize(positions.size());
    // Below the input's count, see slice_access().
    std::ranges::transform(positions, positions_.begin(),
                           [this](int64_t position) { return slice_.first + position * slice_.step; });
  }

  const std::unique_ptr<Access> input_;
  const Slice slice_;
  const AccessCount count_;
  std::vector<int64_t> positions_;
};

// Its parameters with the values of their expressions; null if they have none.
Result<std::unique_ptr<ParamsBase>> bound_params(Opening& opening) {
  if (!opening.node->dynamic()) return std::unique_ptr<ParamsBase>();
  return bind_params(opening.node->params(), opening.ctx.session, opening.env.get(), opening.key);
}

Status refuse(const Dataset& node, const ParamsBase& params, std::string_view advice = {}) {
  if (!can_be_read_by_position(node.op())) {
    const bool given = node.op().position.opens_variables;
    return Status(
        Code::failed_precondition,
        expected_found(
            "operators that know the position of each element",
            concat(given ? "the dataset that a function is given" : node.name(), ", which does not"),
            given ? "put this one before the operator that calls the function, or shuffle(n) in its place"
                  : advice));
  }
  const char* expected = node.op().access.refuses ? node.op().access.refuses(params) : nullptr;
  if (!expected) return Status();
  return Status(Code::failed_precondition,
                Mistake(concat("the elements of ", node.name(), " have no positions: expected ", expected),
                        "shuffle(n) needs none"));
}

}  // namespace

Result<std::unique_ptr<Access>> open_access(Context& ctx, Instance instance) {
  const Dataset& node = *instance.node;
  Opening opening(ctx, std::move(instance));
  WEIR_TRY(check_access(node));
  WEIR_ASSIGN(const std::unique_ptr<ParamsBase> bound, bound_params(opening));
  const ParamsBase& params = bound ? *bound : node.params();
  WEIR_TRY(refuse(node, params));
  std::unique_ptr<Access> access;
  if (node.op().typing.slice) {
    WEIR_ASSIGN(Slice slice, node.op().typing.slice(params));
    WEIR_ASSIGN(slice, slice.of(ctx.session.world()));
    // A cursor over nothing opens nothing.
    QuietContext quiet(ctx);
    Context& inside = slice.count == 0 ? *quiet : ctx;
    WEIR_ASSIGN(std::unique_ptr<Access> input, open_access(inside, opening.input(0)));
    access = slice_access(std::move(input), slice);
  } else {
    WEIR_ASSIGN(access, node.op().access.open(opening, params));
  }
  return std::unique_ptr<Access>(std::make_unique<Placed>(std::move(access), opening.path));
}

Result<std::unique_ptr<Access>> open_access_whole(Context& ctx, Instance instance) {
  WEIR_ASSIGN(std::unique_ptr<Access> access, open_access(ctx, std::move(instance)));
  access->count_pass(*ctx.epochs, Access::kToTheEnd);
  return access;
}

Result<std::vector<std::unique_ptr<Access>>> open_side_by_side(Context& ctx,
                                                               std::vector<Instance> instances) {
  std::vector<std::unique_ptr<Access>> out;
  // What is opened after the opening, by those so far.
  EpochCounts later;
  for (Instance& instance : instances) {
    const EpochTableRef before = ctx.epochs->table();
    WEIR_ASSIGN(std::unique_ptr<Access> access, open_access(ctx, std::move(instance)));
    const EpochTableRef opened = ctx.epochs->table();
    EpochScope passed(opened);
    access->count_pass(passed, Access::kToTheEnd);
    for (const EpochCount& count : passed.since(before)) {
      if (std::ranges::none_of(later, [&](const EpochCount& other) { return other.node == count.node; }))
        continue;
      return failed_precondition(
          Mistake("two datasets that are read side by side by position open the same shuffle again and again",
                  "write its dataset out for each of them instead of sharing it by let"));
    }
    const EpochCounts more = passed.since(opened);
    later.insert(later.end(), more.begin(), more.end());
    out.push_back(std::move(access));
  }
  return out;
}

std::unique_ptr<Access> slice_access(std::unique_ptr<Access> input, const Slice& slice) {
  const AccessCount all = input->count();
  AccessCount count = {slice.among(all.positions), all.more};
  if (slice.count != Slice::kAll && slice.count <= count.positions) count = {slice.count, false};
  return std::make_unique<SliceAccess>(std::move(input), slice, count);
}

Result<RestorableAccess> RestorableAccess::open(Context& ctx, Instance instance, const Slice& slice,
                                                int64_t whole) {
  RestorableAccess out(std::move(instance), slice, whole);
  Openings none;
  WEIR_TRY(out.open_listed(ctx, none, ctx.openings));
  out->count_pass(*ctx.epochs, Access::kToTheEnd);
  return out;
}

Status RestorableAccess::open_listed(Context& ctx, Openings& due, OpeningLog* outer) {
  openings_ = Openings();
  OpeningLog log{ctx.epochs->depth(), openings_, due, outer};
  Context inside = ctx;
  inside.openings = &log;
  uncounted_ = Status();
  inside.uncounted = &uncounted_;
  WEIR_ASSIGN(access_, open_access(inside, instance_));
  if (whole_ == kUnknown) whole_ = access_->count().positions;
  const Status same = check_count(*access_, whole_);
  if (!same.ok()) return uncounted_.ok() ? same : uncounted_;
  if (slice_ != Slice()) access_ = slice_access(std::move(access_), slice_);
  return Status();
}

Status RestorableAccess::reopen(Context& ctx) {
  QuietContext quiet(ctx);
  Openings due = openings_;
  WEIR_TRY(open_listed(*quiet, due, nullptr));
  reopens_ = false;
  return Status();
}

void RestorableAccess::state(Archive& archive) {
  std::vector<uint64_t> numbers = openings_.written();
  if (archive.loading() ? !archive.next_is("openings") : numbers.empty()) return;
  archive("openings", numbers);
  if (!archive.loading() || !archive.status().ok()) return;
  reopens_ = true;
  if (!openings_.assign(numbers)) archive.fail("the openings of a position are damaged");
}

Status check_access(const Dataset& node, std::string_view advice) {
  WEIR_TRY(refuse(node, node.params(), advice));
  // One that stands for another is read through that.
  const bool expanded = node.op().typing.expand && !node.dynamic();
  for (size_t i = expanded ? node.inputs().size() - 1 : 0; i < node.inputs().size(); ++i)
    WEIR_TRY(check_access(*node.inputs()[i], advice));
  return Status();
}

bool seeks(Context& ctx, Instance instance) {
  const Dataset& node = *instance.node;
  if (!node.op().access.seeks && !node.op().typing.slice) return false;
  // The whole of an operator that consists of others is checked here; other inputs are checked by their own
  // seeks().
  if (!(node.op().typing.expand ? check_access(node) : refuse(node, node.params())).ok()) return false;
  // Only looks.
  QuietContext quiet(ctx);
  Opening opening(*quiet, std::move(instance));
  if (node.op().typing.slice) return seeks(*quiet, opening.input(0));
  const auto bound = bound_params(opening);
  if (!bound.ok()) return false;
  const ParamsBase& params = *bound ? **bound : node.params();
  return refuse(node, params).ok() && node.op().access.seeks(opening, params);
}

Status check_count(const Access& access, int64_t before) {
  const int64_t found = access.count().positions;
  if (found == before) return Status();
  return failed_precondition(
      expected_found(concat(before, " elements, as when they were counted"), concat(found),
                     "leave files alone while they are read, and make a new iterator"));
}

bool fails_if_cancelled(Context& ctx, size_t rows, size_t columns, Block& out) {
  if (!ctx.session.cancelled.load(std::memory_order_relaxed)) return false;
  const Status stopped(Code::cancelled, "the iterator was cancelled");
  RowErrors failed;
  for (size_t row = 0; row < rows; ++row) failed.push_back({static_cast<int>(row), stopped.pointer()});
  out.set_failed(failed, columns);
  return true;
}

void AccessParts::finish(Block& out) {
  std::vector<int32_t> rows(places_.size());
  for (size_t i = 0; i < places_.size(); ++i) rows[static_cast<size_t>(places_[i])] = static_cast<int32_t>(i);
  out.gather_from(rows_, rows);
}

}  // namespace weir
