// pack(length, strategy, bins, long, pad, drop_remainder): joins sequences into elements of `length` tokens,
// with the number of each token's segment and its place there. An element of the input is a vector, or a dict
// of vectors of one length. Errors pass at once. Checkpoint: which rows of the input lie in which open bin,
// in the order of the bins' opening, and how much of the next row was given; the input is read again from the
// oldest row in a bin.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/checked.h"
#include "core/memory_budget.h"
#include "core/text.h"
#include "dataset/operator.h"
#include "dataset/yield_timer.h"
#include "ops/batching/bin_rooms.h"
#include "ops/batching/endless.h"
#include "ops/batching/pack_bin.h"
#include "ops/batching/packed_rows.h"
#include "ops/batching/padding.h"

namespace weir::pack_op {
namespace {

constexpr const char* kSegments = "segment_ids";
constexpr const char* kPlaces = "positions";

ValueParam zero() {
  ValueParam out;
  out.set = true;
  out.spec = Spec::tensor(DType::int64, Shape());
  out.values = {Tensor::scalar<int64_t>(0)};
  return out;
}

struct Params : ParamsOf<Params> {
  IntParam length;
  StringParam strategy{std::string("first_fit")};
  IntParam bins{64};
  StringParam too_long{std::string("error")};
  ValueParam pad = zero();
  BoolParam drop_remainder{false};
  void fields(Fields& f) override {
    f("length", length, "The number of tokens in an element.", {1, INT32_MAX});
    f("strategy", strategy,
      "Where a sequence goes: \"first_fit\", the bin opened first of those with room; \"best_fit\", the one with the least room left after it; \"concat\", after the last one, cut where an element ends.");
    f("bins", bins, "How many elements may be open at once.", at_least(1));
    f("long", too_long,
      "What happens to a sequence of more than `length` tokens: \"error\", \"truncate\", \"split\" or \"drop\".");
    f("pad", pad,
      "Fills the rest of an element: one value, or a dict of values for some of the keys. 0 is also false and \"\".");
    f("drop_remainder", drop_remainder, "Drop the elements that are not full when the input ends.");
  }
};

enum class Long : uint8_t { error, truncate, split, drop };

struct Rules {
  // Empty: concat.
  std::optional<PackInto> into;
  Long too_long = Long::error;
  int64_t most_bins = 1;
};

Status unknown_word(const char* parameter, const char* words, const std::string& found) {
  return with_parameter(invalid_argument(expected_found(words, quote(found))), parameter);
}

Result<Rules> rules_of(const Params& params) {
  Rules rules;
  const std::string strategy = params.strategy.value_or("concat");
  if (strategy != "concat") {
    rules.into = strategy == "first_fit" ? PackInto::first : PackInto::best;
    if (strategy != "first_fit" && strategy != "best_fit")
      return unknown_word("strategy", "\"first_fit\", \"best_fit\" or \"concat\"", strategy);
    rules.most_bins = params.bins.value_or(1);
  }
  constexpr std::array<std::string_view, 4> kWords = {"error", "truncate", "split", "drop"};
  const std::string too_long = params.too_long.value_or("error");
  const auto word = std::find(kWords.begin(), kWords.end(), too_long);
  if (word == kWords.end())
    return unknown_word("long", "\"error\", \"truncate\", \"split\" or \"drop\"", too_long);
  rules.too_long = static_cast<Long>(word - kWords.begin());
  return rules;
}

// The value in the tensors of its dtype; a zero is also that of dtypes without numbers.
Result<Tensor> padding_entry(const Tensor& given, DType dtype) {
  if (given.dtype != DType::int64 || given.shape.rank() != 0 || *given.as<int64_t>() != 0)
    return padding_value(given, dtype);
  Tensor out = Tensor::allocate(dtype, Shape());
  std::fill_n(out.data, out.byte_size(), uint8_t{0});
  return out;
}

// The padding of each vector. `pad` may name some keys only.
Result<std::vector<Tensor>> padding_entries(const Spec& element, const ValueParam& pad) {
  const std::vector<Component> components = element.components();
  std::vector<Tensor> given(components.size(), Tensor::scalar<int64_t>(0));
  if (pad.spec.kind == Spec::Kind::dict && !element.is_tensor()) {
    for (size_t i = 0; i < pad.spec.keys.size(); ++i) {
      const int at = element.find(pad.spec.keys[i]);
      if (at < 0) {
        const std::string near = nearest(pad.spec.keys[i], element.keys);
        return invalid_argument(expected_found(concat("keys of ", element.to_string()),
                                               quote(pad.spec.keys[i]),
                                               near.empty() ? "" : concat("did you mean ", near, "?")));
      }
      if (!pad.spec.children[i].is_tensor())
        return invalid_argument(expected_found("one value", pad.spec.children[i].to_string()));
      if (!pad.expression)
        given[static_cast<size_t>(at)] =
            pad.values[static_cast<size_t>(pad.spec.child_offset(static_cast<int>(i)))];
    }
  } else if (!pad.spec.is_tensor()) {
    return invalid_argument(expected_found(
        element.is_tensor() ? "one value" : "one value, or a dict of values", pad.spec.to_string()));
  } else if (!pad.expression) {
    std::fill(given.begin(), given.end(), pad.values[0]);
  }
  for (size_t i = 0; i < given.size(); ++i) {
    WEIR_ASSIGN(given[i], padding_entry(given[i], components[i].dtype));
  }
  return given;
}

Result<PackLayout> layout_of(const Spec& element, const Params& params) {
  Result<std::vector<Tensor>> padding = padding_entries(element, params.pad);
  if (!padding.ok()) return with_parameter(padding.status(), "pad");
  return PackLayout{params.length.value_or(1), *std::move(padding)};
}

class Pack final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(const Rules rules, rules_of(params));
    WEIR_ASSIGN(PackLayout layout, layout_of(opening.node->inputs()[0]->spec(), params));
    return std::unique_ptr<Cursor>(
        std::make_unique<Pack>(opening, rules, std::move(layout), *params.drop_remainder));
  }

  Pack(Opening& opening, const Rules& rules, PackLayout layout, bool drop_remainder)
      : input_(opening, 0, Port::Mode::keep),
        rules_(rules),
        layout_(std::move(layout)),
        keys_(opening.node->inputs()[0]->spec().keys),
        drop_remainder_(drop_remainder),
        rooms_(rules.into.value_or(PackInto::first)),
        held_(opening.ctx.runtime().budget) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    for (;;) {
      if (full_ != kNone) {
        give(demand, out);
        return PullResult::rows;
      }
      if (input_.buffered() == 0) {
        const PullResult got = input_.fill(ctx, pull_width());
        if (got == PullResult::end) {
          if (open_ == 0 || drop_remainder_) return PullResult::end;
          full_ = first_;
          continue;
        }
        if (got != PullResult::rows) return got;
      }
      bool gave = false;
      const Origin origin = input_.block().origins.of(input_.begin());
      const int64_t before = input_.position();
      if (ErrorPtr error = take(origin, out, gave)) {
        out.origins.clear();
        out.origins.add_one(0, origin);
        finish_row();
        return error;
      }
      if (gave) {
        given();
        return PullResult::rows;
      }
      if (full_ == kNone && yield_timer_.should_yield(ctx, static_cast<int>(input_.position() - before)))
        return PullResult::pending;
    }
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    if (full_ != kNone)
      close();
    else if (input_.buffered() > 0)
      finish_row();
    return 1;
  }

  void state(Archive& archive) override {
    input_.state(archive);
    read_ = input_.position();
    archive("read", read_, input_.consumed(), kMostCounted);
    archive("taken", taken_, 0, kMostCounted);
    archive("from", from_, 0, kMostCounted);
    std::vector<std::vector<PackedRows>> bins;
    for (const auto& bin : bins_) {
      if (bin) bins.push_back(bin->rows());
    }
    packed_rows_state(archive, bins, input_.consumed(), read_);
    if (!archive.loading() || !archive.status().ok()) return;
    if (static_cast<int64_t>(bins.size()) > rules_.most_bins)
      return archive.fail("a pack has more open bins than it may");
    wanted_ = by_row(bins);
    bins_.resize(bins.size());
    for (auto& bin : bins_) bin = std::make_unique<PackBin>(layout_);
    open_ = static_cast<int64_t>(bins.size());
    first_ = 0;
  }

  Step resume(Context& ctx) override {
    while (input_.position() < read_) {
      Demand demand;
      demand.rows = static_cast<int>(std::min<int64_t>(read_ - input_.position(), kMaxBlockRows));
      const PullResult got = input_.fill(ctx, demand);
      if (got != PullResult::rows) return got;
      if (ErrorPtr lost = input_.lost()) return lost;
      const int rows = input_.buffered();
      for (; input_.buffered() > 0; input_.take(1)) WEIR_TRY(take_again());
      if (yield_timer_.should_yield(ctx, rows)) return PullResult::pending;
    }
    if (next_wanted_ != wanted_.size()) return misfit();
    for (const auto& bin : bins_) rooms_.add(bin->room());
    held_.set(open_ * layout_.bin_bytes());
    wanted_ = {};
    return PullResult::rows;
  }

 private:
  static constexpr int64_t kNone = BinRooms::kNone;

  static Status misfit() {
    return data_loss(
        "the input of pack gave other sequences than when the checkpoint was written; restore it with the data that it was written with");
  }

  // As many rows as the last elements took, then as many again and again.
  Demand pull_width() const {
    Demand demand;
    const int64_t rows = since_ < usual_ ? usual_ - since_ : since_;
    demand.rows = static_cast<int>(std::clamp<int64_t>(rows, 1, kMaxBlockRows));
    return demand;
  }
  void given() {
    if (since_ > 0) usual_ = (3 * usual_ + since_) / 4;
    since_ = 0;
    yield_timer_.reset();
  }

  // The tokens of the sequence at hand, or -1 with the reason.
  int64_t read_sequence(ErrorPtr& error) {
    const Block& block = input_.block();
    const int row = input_.begin();
    if (const ErrorPtr* failed = block.error_of(row)) {
      error = *failed;
      return -1;
    }
    sequence_.resize(block.columns.size());
    for (size_t i = 0; i < sequence_.size(); ++i) {
      sequence_[i] = block.columns[i].row(row);
      const Shape& shape = sequence_[i].shape;
      const Shape& first = sequence_[0].shape;
      if (shape.rank() == 1 && shape == first) continue;
      error = invalid_argument(
                  expected_found(i == 0 ? "a vector" : concat("vectors of one length, ", first.to_string()),
                                 concat(shape.to_string(), keys_.empty() ? "" : " in " + keys_[i])))
                  .pointer();
      return -1;
    }
    return sequence_[0].shape[0];
  }

  // Takes the sequence at hand, or its next piece, or finds a bin that has to be given before. Returns why
  // it cannot be taken.
  ErrorPtr take(Origin origin, Block& out, bool& gave) {
    ErrorPtr error;
    int64_t size = read_sequence(error);
    if (error) return error;
    if (taken_ > 0 && taken_ >= size) return misfit().pointer();
    if (rules_.into && size > layout_.length) {
      if (rules_.too_long == Long::error) return too_long(size);
      if (rules_.too_long == Long::drop) size = 0;
      if (rules_.too_long == Long::truncate) size = layout_.length;
    }
    if (size == 0) {
      finish_row();
      return nullptr;
    }
    const int64_t room = rules_.into || open_ == 0 ? layout_.length : bin(first_).room();
    const int64_t piece = std::min(size - taken_, room);
    if (piece == layout_.length) {
      give_whole(layout_, sequence_, taken_, origin, out);
      gave = true;
    } else if (!place(piece, origin, error)) {
      return error;
    }
    taken_ += piece;
    if (taken_ == size)
      finish_row();
    else
      consume();
    return nullptr;
  }

  ErrorPtr too_long(int64_t size) const {
    return invalid_argument(expected_found(concat("sequences of at most ", layout_.length, " tokens"),
                                           concat("one of ", size),
                                           "with long: \"truncate\", \"split\" or \"drop\" it is no error"))
        .pointer();
  }

  // Puts a piece of the sequence at hand into a bin. False if a bin has to be given before, or there is an
  // error.
  bool place(int64_t piece, Origin origin, ErrorPtr& error) {
    int64_t at = rooms_.find(piece);
    if (at != kNone) {
      bin(at).add(sequence_, taken_, piece, input_.position(), origin);
      rooms_.set(at, bin(at).room());
      if (bin(at).room() == 0) full_ = at;
      return true;
    }
    if (open_ == rules_.most_bins) {
      full_ = rooms_.fullest();
      return false;
    }
    if (!held_.set((open_ + 1) * layout_.bin_bytes())) {
      error = held_.exceeded().pointer();
      held_.set(open_ * layout_.bin_bytes());
      return false;
    }
    make_room();
    std::unique_ptr<PackBin> fresh = spare_ ? std::move(spare_) : std::make_unique<PackBin>(layout_);
    fresh->add(sequence_, taken_, piece, input_.position(), origin);
    rooms_.add(fresh->room());
    if (open_ == 0) {
      first_ = static_cast<int64_t>(bins_.size());
      from_ = rules_.into ? 0 : taken_;
    }
    bins_.push_back(std::move(fresh));
    ++open_;
    return true;
  }

  PackBin& bin(int64_t at) const { return *bins_[static_cast<size_t>(at)]; }

  // Room for one more bin after the others, whose numbers close up if most are of bins that are closed.
  void make_room() {
    if (bins_.size() == bins_.capacity()) bins_.reserve(2 * bins_.size() + 16);
    if (static_cast<int64_t>(bins_.size()) < 2 * open_ + 16) return;
    std::vector<int64_t> left;
    left.reserve(static_cast<size_t>(open_));
    for (const auto& bin : bins_) {
      if (bin) left.push_back(bin->room());
    }
    BinRooms rooms(rules_.into.value_or(PackInto::first));
    for (const int64_t room : left) rooms.add(room);
    std::erase(bins_, nullptr);
    rooms_ = std::move(rooms);
    first_ = 0;
  }

  void give(const Demand& demand, Block& out) {
    if (demand.drop) {
      out.reset(0);
      out.rows = 1;
    } else {
      bin(full_).finish(out);
    }
    close();
    given();
  }

  // The bin that is due has been given or is lost.
  void close() noexcept {
    rooms_.set(full_, 0);
    spare_ = std::move(bins_[static_cast<size_t>(full_)]);
    spare_->clear();
    --open_;
    held_.set(open_ * layout_.bin_bytes());
    full_ = kNone;
    while (open_ > 0 && !bins_[static_cast<size_t>(first_)]) ++first_;
    consume();
  }

  // Nothing of the row at hand is needed any more but what lies in a bin.
  void finish_row() noexcept {
    input_.take(1);
    taken_ = 0;
    ++since_;
    consume();
  }

  void consume() noexcept {
    input_.consume_to(open_ > 0 ? bin(first_).rows().front().first : input_.position());
  }

  // After a restore: the sequence at hand goes back to its bin, if it lay in one.
  Status take_again() {
    const int64_t ordinal = input_.position();
    if (next_wanted_ == wanted_.size() || ordinal < wanted_[next_wanted_].rows.first) return Status();
    const WantedRows& wanted = wanted_[next_wanted_];
    ErrorPtr error;
    const int64_t size = read_sequence(error);
    if (error) return misfit();
    PackBin& bin = *bins_[wanted.bin];
    int64_t begin = 0;
    if (!rules_.into && bin.rows().empty()) begin = from_;
    if (rules_.into && rules_.too_long == Long::split) begin = size - size % layout_.length;
    if (begin >= size || size - begin >= bin.room()) return misfit();
    bin.add(sequence_, begin, size - begin, ordinal, input_.block().origins.of(input_.begin()));
    if (ordinal + 1 == wanted.rows.first + wanted.rows.count) ++next_wanted_;
    return Status();
  }

  Port input_;
  const Rules rules_;
  const PackLayout layout_;
  const std::vector<std::string> keys_;
  const bool drop_remainder_;
  // In the order of their opening; null: closed.
  std::vector<std::unique_ptr<PackBin>> bins_;
  BinRooms rooms_;
  HeldBytes held_;
  std::unique_ptr<PackBin> spare_;
  int64_t open_ = 0;
  // The first that is open.
  int64_t first_ = 0;
  // The one to be given next.
  int64_t full_ = kNone;
  // How many tokens of the sequence at hand have been taken, and where in its sequence the bin of "concat"
  // begins.
  int64_t taken_ = 0;
  int64_t from_ = 0;
  Components sequence_;
  // How many rows were taken since the last element, and usually are.
  int64_t since_ = 0;
  int64_t usual_ = 0;
  // A loaded position: how many rows of the input were taken, and those in the bins.
  int64_t read_ = 0;
  std::vector<WantedRows> wanted_;
  size_t next_wanted_ = 0;
  YieldTimer yield_timer_;
};

Status check_vector(const Spec& spec) {
  if (spec.is_tensor() && spec.shape.compatible(Shape{kUnknownDim})) return Status();
  return invalid_argument(expected_found("a vector, or a dict of vectors of one length", spec.to_string()));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  const Spec& element = inputs[0]->spec();
  WEIR_TRY(rules_of(params).status());
  std::vector<std::string> keys = {"tokens"};
  std::vector<Spec> vectors = {element};
  if (element.kind == Spec::Kind::dict && !element.keys.empty()) {
    keys = element.keys;
    vectors = element.children;
  }
  Shape known = Shape::unknown_rank();
  for (size_t i = 0; i < keys.size(); ++i) {
    WEIR_TRY(check_vector(vectors[i]));
    if (keys[i] == kSegments || keys[i] == kPlaces) {
      return invalid_argument(concat("pack adds ", kSegments, " and ", kPlaces,
                                     ", and the element has a key ", keys[i], " already"));
    }
    if (!known.compatible(vectors[i].shape))
      return invalid_argument(expected_found("vectors of one length", element.to_string()));
    if (vectors[i].shape.is_static()) known = vectors[i].shape;
  }
  WEIR_TRY(layout_of(element, params).status());
  const Shape length{params.length.is_constant() ? *params.length : kUnknownDim};
  for (Spec& vector : vectors) vector.shape = length;
  for (const char* const added : {kSegments, kPlaces}) {
    keys.emplace_back(added);
    vectors.push_back(Spec::tensor(DType::int32, length));
  }
  return Spec::dict(std::move(keys), std::move(vectors));
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Pack>({
      .name = "pack",
      .page =
          {.doc =
               "Packs sequences into elements of `length` tokens. A sequence is a vector, or a dict of vectors of one length, of any dtype; the element is `{tokens, segment_ids, positions}`, or the dict's keys with `segment_ids` and `positions`, all of shape [length]. The int32 segments count from 1 and positions from 0 in each; both are 0 in the padding. Empty sequences are passed over, and one of exactly `length` is given at once. With \"first_fit\" and \"best_fit\" up to `bins` elements are open: where none has room and no other may be opened, the one with the least room left is given; one that is full is given at once, and the others follow at the end in the order of their opening. \"concat\" cuts at every `length`, and the rest of a sequence is a segment of its own; `long` and `bins` don't apply. A sequence that is too long, or vectors of unequal lengths, are errors (invalid_argument); these and failed elements pass at once.",
           .cost =
               "Each token is copied once, and a bin is found in O(log bins). Keeps the open elements. A restored iterator reads again from the oldest sequence in them.",
           .example = "range(5) | map(n -> full([n], n)) | pack(4, pad: -1)",
           .output =
               "{tokens: [4, 4, 4, 4], segment_ids: [1, 1, 1, 1], positions: [0, 1, 2, 3]}\n{tokens: [1, 2, 2, -1], segment_ids: [1, 2, 2, 0], positions: [0, 0, 1, 0]}\n{tokens: [3, 3, 3, -1], segment_ids: [1, 1, 1, 0], positions: [0, 1, 2, 0]}",
           .bench = "range(100000) | map(x -> full([x % 100], x)) | pack(2048)",
           .elsewhere =
               "pack_sequences first_fit_pack packing concat_and_split group_texts: pack(length)\nbin_pack first_fit best_fit: pack(length, strategy: \"best_fit\")"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = infinite_or_unknown},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{kUnknown, kUnknown};
                       }},
  });
  return def;
}

}  // namespace weir::pack_op
