// group_by_window(key, reduce, window_size): gathers the elements of each key until `window_size` of them are
// there, and gives the elements of the dataset that `reduce` makes of them before it reads on; at the end of
// the input the smaller groups follow, in the order of their keys. A failed element or key is an error at
// once. Checkpoint: for each key the number of the oldest element that it holds; the input is read again from
// the oldest of all, and keys are computed again. Where that is not possible, a position has the elements by
// value. An element that the runtime's memory budget has no room for is an error.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/checked.h"
#include "core/exception.h"
#include "core/memory_budget.h"
#include "core/text.h"
#include "dataset/held_rows.h"
#include "dataset/yield_timer.h"
#include "ops/batching/endless.h"
#include "ops/batching/kept_dataset.h"
#include "ops/functions/inner.h"
#include "ops/functions/row_keys.h"
#include "ops/list.h"

namespace weir {
void GroupByWindowParams::fields(Fields& f) {
  f("key", key, "Returns the key of an element's group, an int64.");
  f("reduce", reduce, "(key, window) -> dataset. The window is a dataset of the elements of one group.");
  f("window_size", window_size, "The largest size of a group, or a function that returns it for a key.",
    at_least(1));
}
namespace group_by_window_op {
namespace {

using Params = GroupByWindowParams;

// The elements of one key.
struct Group {
  // The number of the oldest.
  int64_t first = 0;
  int64_t rows = 0;
  std::vector<Block> blocks;
  // The last append to the last block succeeded.
  bool grows = false;
  // What they take, counted where there is a budget.
  int64_t bytes = 0;
  // Where it stands among the groups by age.
  std::list<int64_t>::iterator age;

  void add(const Block& block, int row) {
    if (blocks.empty() || !grows || is_large(blocks.back())) {
      // A copy, since a slice would keep the whole block of the input.
      Block own;
      const int32_t only = row;
      own.gather_from(block, {&only, 1});
      blocks.push_back(std::move(own));
    } else {
      grows = false;
      blocks.back().append(block, row, 1);
    }
    grows = true;
    ++rows;
  }
  static bool is_large(const Block& block) {
    if (block.rows == kMaxBlockRows) return true;
    return std::has_single_bit(static_cast<unsigned>(block.rows)) && block.byte_size() >= kMaxBlockBytes;
  }
};
using Groups = std::map<int64_t, Group>;

// How many rows the largest of the groups has.
class Largest {
 public:
  int64_t rows() const { return static_cast<int64_t>(groups_.size()); }
  // Makes room for one more row in any group.
  void prepare() {
    if (groups_.size() == groups_.capacity()) groups_.reserve(2 * groups_.size() + 1);
  }
  // A group has `rows` now, one more than before.
  // REQUIRES: prepare() since the last call
  void grew(int64_t rows) noexcept {
    if (rows > this->rows()) groups_.push_back(0);
    ++groups_[static_cast<size_t>(rows - 1)];
    if (rows > 1) --groups_[static_cast<size_t>(rows - 2)];
  }
  void removed(int64_t rows) noexcept {
    --groups_[static_cast<size_t>(rows - 1)];
    while (!groups_.empty() && groups_.back() == 0) groups_.pop_back();
  }

 private:
  // How many groups have 1, 2, … rows.
  std::vector<int64_t> groups_;
};

class GroupByWindow final : public RowKeeper {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(KeptDataset datasets, KeptDataset::make(opening.node->inputs()[0]->spec()));
    return std::unique_ptr<Cursor>(std::make_unique<GroupByWindow>(opening, params, std::move(datasets)));
  }

  GroupByWindow(Opening& opening, const Params& params, KeptDataset datasets)
      : input_(opening, 0, Port::Mode::keep),
        keys_(input_, opening, params.key),
        reduce_(opening, params.reduce),
        size_(opening, params.window_size),
        constant_size_(params.window_size.number.value_or(0)),
        datasets_(std::move(datasets)),
        counts_bytes_(opening.ctx.runtime().budget != nullptr),
        held_(opening.ctx.runtime().budget),
        by_value_(opening.ctx.session.holds_rows() && !input_.node().spec().has_dataset() &&
                  !(keys_.again() && input_.node().not_replayable().empty())) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    for (;;) {
      if (inner_) {
        const PullResult got = inner_->next(ctx, demand, out);
        if (got == PullResult::rows) yield_timer_.reset();
        if (got != PullResult::end) return got;
        close();
        if (yield_timer_.should_yield(ctx, 1)) return PullResult::pending;
      }
      Groups::iterator full = groups_.end();
      Step got = gather(ctx, full, out);
      if (got.error()) return got;
      if (got.answer() == PullResult::end) full = groups_.begin();
      if (full == groups_.end()) return got;
      begin(full);
      Step opened = open_group(ctx);
      if (!opened.error()) continue;
      out.origins.add_one(0, origin_);
      close();
      return opened;
    }
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    if (is_open_) {
      close();
      return 1;
    }
    // The element at hand is in no group, and neither is one for which a group has just been made.
    if (input_.buffered() > 0) {
      note_lost();
      take_one();
    }
    if (newest_ != groups_.end() && newest_->second.rows == 0) {
      ages_.erase(newest_->second.age);
      groups_.erase(newest_);
    }
    newest_ = groups_.end();
    consume();
    return 1;
  }

  void state(Archive& archive) override {
    input_.state(archive);
    read_ = input_.position();
    archive("read", read_, input_.consumed(), kMostCounted);
    archive("opened", opened_, 0, kMostCounted);
    archive("open", is_open_);
    if (is_open_) {
      archive("key", open_key_);
      archive("first", open_.first, 0, read_);
      saved_ = inner_ ? inner_->save(archive.holding()) : Inner::Saved{};
      saved_.state(archive);
    }
    groups_state(archive);
    if (archive.loading() ? archive.next_is("sized") : !size_.function().not_replayable().empty())
      sizes_state(archive);
    if (archive.loading() ? archive.next_is("held") : by_value_) counts_state(archive);
  }

  // The elements of the open group and of the others, by age.
  void hold(HeldRows& rows) override {
    if (!by_value_) return;
    each_by_age([&](Group& group) {
      for (const Block& block : group.blocks) rows.add(block.slice(0, block.rows));
    });
  }

  Status take_back(HeldRows rows) override {
    int64_t total = 0;
    for (int64_t count : counts_) total = count < 0 || count > rows.rows() - total ? -1 : total + count;
    if (counts_.size() != groups_.size() + (is_open_ ? 1 : 0) || total != rows.rows())
      return data_loss("the elements of a group_by_window are damaged");
    by_value_ = true;
    size_t next = 0;
    each_by_age([&](Group& group) { refill(group, counts_[next++], rows); });
    return Status();
  }

  Step resume(Context& ctx) override {
    while (input_.position() < read_) {
      Demand demand;
      demand.rows = static_cast<int>(std::min<int64_t>(read_ - input_.position(), kMaxBlockRows));
      const PullResult got = keys_.fill(ctx, demand);
      if (got != PullResult::rows) return got;
      if (ErrorPtr lost = input_.lost()) return lost;
      const int rows = keys_.rows();
      while (keys_.rows() > 0) take_again();
      if (yield_timer_.should_yield(ctx, rows)) return PullResult::pending;
    }
    for (const auto& [key, group] : groups_) {
      if (group.rows == 0) return misfit();
    }
    if (!is_open_) return PullResult::rows;
    if (open_.rows == 0) return misfit();
    QuietContext quiet(ctx);
    Step opened = open_group(*quiet);
    if (opened.error()) return opened;
    WEIR_TRY(inner_->load(saved_));
    return PullResult::rows;
  }

 private:
  static Status misfit() {
    return data_loss(
        "the input of group_by_window gave other elements or keys than when the checkpoint was written; restore it with the data that it was written with");
  }

  // Takes elements until a group is full.
  Step gather(Context& ctx, Groups::iterator& full, Block& out) {
    for (;;) {
      Demand demand;
      // At least so many elements are missing before a group is full.
      if (constant_size_ > 0)
        demand.rows =
            static_cast<int>(std::clamp<int64_t>(constant_size_ - largest_.rows(), 1, kMaxBlockRows));
      const PullResult got = keys_.fill(ctx, demand);
      if (got != PullResult::rows) return got;
      int rows = 0;
      while (keys_.rows() > 0) {
        const Origin origin = input_.block().origins.of(input_.begin());
        ErrorPtr error = take_row(ctx, full);
        if (error) {
          out.origins.add_one(0, origin);
          consume();
          return error;
        }
        if (full != groups_.end()) return PullResult::rows;
        ++rows;
      }
      if (yield_timer_.should_yield(ctx, rows)) return PullResult::pending;
    }
  }

  // Takes the next element into its group, or returns why it has none. `full` is set if the group is full
  // then.
  ErrorPtr take_row(Context& ctx, Groups::iterator& full) {
    if (const ErrorPtr* error = keys_.error()) {
      ErrorPtr failed = *error;
      if (ran_out_of_memory(*failed)) note_lost();
      take_one();
      return failed;
    }
    const int64_t key = keys_.key();
    int64_t size = constant_size_;
    if (size == 0) {
      if (ErrorPtr failed = size_of(ctx, key, size)) {
        if (ran_out_of_memory(*failed)) note_lost();
        take_one();
        return failed;
      }
    }
    if (ErrorPtr exceeded = check_room()) {
      note_lost();
      take_one();
      return exceeded;
    }
    Group& group = group_of(key);
    add(group, input_.block(), input_.begin());
    largest_.grew(group.rows);
    if (group.rows >= size) full = newest_;
    take_one();
    return nullptr;
  }

  // Null if the budget has room for the element at hand.
  ErrorPtr check_room() {
    if (!counts_bytes_ || held_.set(held_bytes_ + input_.block().slice(input_.begin(), 1).byte_size()))
      return nullptr;
    const Status exceeded = held_.exceeded();
    held_.set(held_bytes_);
    return exceeded.pointer();
  }

  void add(Group& group, const Block& block, int row) {
    group.add(block, row);
    if (!counts_bytes_) return;
    const int64_t bytes = block.slice(row, 1).byte_size();
    group.bytes += bytes;
    held_bytes_ += bytes;
    held_.set(held_bytes_);
  }

  // The group of a key, which newest_ points to, with room for an element that is taken next.
  Group& group_of(int64_t key) {
    largest_.prepare();
    lost_.reserve(lost_.size() + 2);
    newest_ = groups_.find(key);
    if (newest_ == groups_.end()) {
      const auto age = ages_.insert(ages_.end(), input_.position());
      try {
        newest_ = groups_.try_emplace(key).first;
      } catch (...) {
        ages_.pop_back();
        throw;
      }
      newest_->second.first = *age;
      newest_->second.age = age;
    }
    return newest_->second;
  }

  // The element at hand is lost for lack of memory. A restore, which may have that, puts it into no group.
  void note_lost() noexcept {
    const int64_t ordinal = input_.position();
    if (!lost_.empty() && lost_.back() == ordinal) {
      ++lost_.back();
    } else if (lost_.size() + 2 <= lost_.capacity()) {
      lost_.push_back(ordinal);
      lost_.push_back(ordinal + 1);
    }
  }

  bool was_lost(int64_t ordinal) const {
    // An odd number of the ranges' ends are at or before it.
    return (std::upper_bound(lost_.begin(), lost_.end(), ordinal) - lost_.begin()) % 2 != 0;
  }

  // What is by value is no part of the input's position any more.
  void take_one() noexcept {
    input_.take(1);
    if (by_value_) input_.consume_all();
  }

  // What window_size gives for a key. Called once for each key.
  ErrorPtr size_of(Context& ctx, int64_t key, int64_t& size) {
    const auto known = sizes_.find(key);
    if (known != sizes_.end()) {
      size = known->second;
      return nullptr;
    }
    in_ = Block();
    in_.set_row({Tensor::scalar<int64_t>(key)});
    size_(ctx.session, key, in_, sized_);
    if (!sized_.errors.empty()) return sized_.errors[0].error;
    size = *sized_.columns[0].row(0).as<int64_t>();
    if (size < 1)
      return invalid_argument(expected_found("a window_size of at least 1", concat(size, " for key ", key)))
          .pointer();
    sizes_.emplace(key, size);
    return nullptr;
  }

  // Takes a group out, to be opened.
  void begin(Groups::iterator group) noexcept {
    open_key_ = group->first;
    open_ = std::move(group->second);
    largest_.removed(open_.rows);
    ages_.erase(open_.age);
    groups_.erase(group);
    newest_ = groups_.end();
    origin_ = open_.blocks.front().origins.of(0);
    is_open_ = true;
    ++opened_;
  }

  // Opens what `reduce` makes of the group taken out last.
  Step open_group(Context& ctx) {
    in_ = Block();
    in_.set_row({Tensor::scalar<int64_t>(open_key_), dataset_tensor(datasets_.of(open_.blocks))});
    if (!by_value_) open_.blocks.clear();
    Step opened = reduce_.open(ctx, in_, 0, opened_ - 1, origin_, false, inner_);
    in_ = Block();
    return opened;
  }

  // The group taken out last has been given or is lost.
  void close() noexcept {
    inner_.reset();
    held_bytes_ -= open_.bytes;
    held_.set(held_bytes_);
    open_ = Group();
    is_open_ = false;
    consume();
  }

  // Elements before the oldest that is held are not needed any more.
  void consume() noexcept {
    int64_t oldest = input_.position();
    if (!by_value_) {
      if (is_open_) oldest = std::min(oldest, open_.first);
      if (!ages_.empty()) oldest = std::min(oldest, ages_.front());
    }
    input_.consume_to(oldest);
    while (!lost_.empty() && lost_[1] <= oldest) lost_.erase(lost_.begin(), lost_.begin() + 2);
  }

  // After a restore: the element goes back to its group, if it was held.
  void take_again() {
    const int row = input_.begin();
    const int64_t ordinal = input_.position();
    if (!keys_.error() && !was_lost(ordinal)) {
      const int64_t key = keys_.key();
      const auto group = groups_.find(key);
      if (is_open_ && key == open_key_ && ordinal >= open_.first) {
        add(open_, input_.block(), row);
      } else if (group != groups_.end() && ordinal >= group->second.first) {
        largest_.prepare();
        add(group->second, input_.block(), row);
        largest_.grew(group->second.rows);
      }
    }
    take_one();
  }

  // The keys of the groups and the numbers of their oldest elements, by age.
  void groups_state(Archive& archive) {
    std::vector<int64_t> keys;
    std::vector<int64_t> firsts(ages_.begin(), ages_.end());
    if (!archive.loading()) {
      std::vector<std::pair<int64_t, int64_t>> by_age;
      for (const auto& [key, group] : groups_) by_age.emplace_back(group.first, key);
      std::sort(by_age.begin(), by_age.end());
      for (const auto& [first, key] : by_age) keys.push_back(key);
    }
    archive("keys", keys);
    archive("firsts", firsts);
    archive("lost", lost_);
    if (!archive.loading() || !archive.status().ok()) return;
    if (keys.size() != firsts.size() || lost_.size() % 2 != 0 || !std::is_sorted(lost_.begin(), lost_.end()))
      return archive.fail("the groups of a group_by_window are damaged");
    groups_.clear();
    open_.bytes = 0;
    held_bytes_ = 0;
    ages_.clear();
    largest_ = Largest();
    for (size_t i = 0; i < keys.size(); ++i) {
      const bool later = ages_.empty() || ages_.back() < firsts[i];
      const auto [group, added] = groups_.try_emplace(keys[i]);
      if (!later || !added || firsts[i] < 0 || firsts[i] >= read_)
        return archive.fail("the groups of a group_by_window are damaged");
      group->second.first = firsts[i];
      group->second.age = ages_.insert(ages_.end(), firsts[i]);
    }
    newest_ = groups_.end();
  }

  // What window_size gave, where it might give something else now.
  void sizes_state(Archive& archive) {
    std::vector<int64_t> keys;
    std::vector<int64_t> sizes;
    for (const auto& [key, size] : sizes_) {
      keys.push_back(key);
      sizes.push_back(size);
    }
    archive("sized", keys);
    archive("sizes", sizes);
    if (!archive.loading() || !archive.status().ok()) return;
    if (keys.size() != sizes.size()) return archive.fail("the window sizes of a group_by_window are damaged");
    sizes_.clear();
    for (size_t i = 0; i < keys.size(); ++i) sizes_.emplace(keys[i], sizes[i]);
  }

  void counts_state(Archive& archive) {
    counts_.clear();
    if (!archive.loading()) each_by_age([&](Group& group) { counts_.push_back(group.rows); });
    archive("held", counts_);
  }

  // The open group, then the others.
  template <class F>
  void each_by_age(F&& visit) {
    if (is_open_) visit(open_);
    std::vector<Group*> groups;
    for (auto& [key, group] : groups_) groups.push_back(&group);
    std::sort(groups.begin(), groups.end(),
              [](const Group* a, const Group* b) { return a->first < b->first; });
    for (Group* group : groups) visit(*group);
  }

  void refill(Group& group, int64_t count, HeldRows& rows) {
    const bool counts = &group != &open_;
    while (group.rows < count) {
      Block block;
      rows.take(static_cast<int>(std::min<int64_t>(count - group.rows, kMaxBlockRows)), block);
      // There was no memory for it, when it was saved or now.
      if (!block.errors.empty()) throw std::bad_alloc();
      for (int row = 0; row < block.rows; ++row) {
        if (counts) largest_.prepare();
        add(group, block, row);
        if (counts) largest_.grew(group.rows);
      }
    }
  }

  Port input_;
  RowKeys keys_;
  InnerOpener reduce_;
  Apply size_;
  // 0 if window_size is a function.
  const int64_t constant_size_;
  const KeptDataset datasets_;
  const bool counts_bytes_;
  HeldBytes held_;
  // What the groups take, with the one that is being given.
  int64_t held_bytes_ = 0;
  // How many elements each group has whose elements a position has by value, by age.
  std::vector<int64_t> counts_;
  // Positions have the elements of groups by value.
  bool by_value_;
  Groups groups_;
  // The numbers of the groups' oldest elements.
  std::list<int64_t> ages_;
  Largest largest_;
  // The elements since the oldest that were lost for lack of memory: the first of each run, and the one after
  // it.
  std::vector<int64_t> lost_;
  // The group for the element at hand.
  Groups::iterator newest_ = groups_.end();
  std::map<int64_t, int64_t> sizes_;
  // The group that is being given, and how many were opened so far.
  bool is_open_ = false;
  int64_t open_key_ = 0;
  Group open_;
  Origin origin_;
  std::unique_ptr<Inner> inner_;
  int64_t opened_ = 0;
  Inner::Saved saved_;
  // A loaded position: how many rows of the input were taken.
  int64_t read_ = 0;
  Block in_;
  Block sized_;
  YieldTimer yield_timer_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  return function_of(params.reduce).result().children[0];
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, GroupByWindow>({
      .name = "group_by_window",
      .page =
          {.doc =
               "Groups elements by key and maps each group of `window_size` to a dataset. When a group is full, `reduce(key, group)` makes a dataset of it, whose elements follow. After the last element the smaller groups follow, the least key first. An element whose key cannot be computed is an error at once.",
           .cost =
               "Keeps the elements of all groups, each copied once. A restored iterator reads again from the oldest element that was in a group.",
           .tf_names = "key_func=key reduce_func=reduce window_size_func=window_size",
           .example = "range(7) | group_by_window(x -> x % 3, (k, w) -> w | batch(2), 2)",
           .output = "[0, 3]\n[1, 4]\n[2, 5]\n[6]",
           .bench = "range(200000) | group_by_window(x -> x % 10, (k, w) -> w | batch(32), 32)",
           .elsewhere = "group_by group_by_key: group_by_window(key, …) or group_by_reducer(key, …)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = infinite_or_unknown},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{kUnknown, kUnknown};
                       }},
  });
  return def;
}

}  // namespace group_by_window_op
}  // namespace weir
