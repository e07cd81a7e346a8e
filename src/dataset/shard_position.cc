#include "dataset/shard_position.h"

#include <algorithm>

#include "core/checked.h"

namespace weir {

namespace {

// A world that is resized again and again before all ranks have passed the last ends.
constexpr size_t kMaxLayers = 1024;

}  // namespace

ShardPosition::Layer::Layer(std::vector<int64_t> ends_of_ranks)
    : ends(std::move(ends_of_ranks)), last(*std::max_element(ends.begin(), ends.end())) {}

bool ShardPosition::step() {
  if (!layers_.empty()) [[unlikely]] {
    for (size_t i = 0; i < layers_.size(); ++i) {
      const std::vector<int64_t>& ends = layers_[i].ends;
      const int64_t number = next_[i]++;
      if (number < ends[static_cast<size_t>(number) % ends.size()]) return false;
    }
    drop_passed_layers();
  }
  return next_.back()++ % size_ == rank_;
}

void ShardPosition::drop_passed_layers() {
  while (!layers_.empty() && next_[0] >= layers_[0].last) {
    layers_.erase(layers_.begin());
    next_.erase(next_.begin());
  }
}

int64_t ShardPosition::before_next() const {
  const int64_t rank_of_next = next_.back() % size_;
  return rank_ >= rank_of_next ? rank_ - rank_of_next : size_ - rank_of_next + rank_;
}

int ShardPosition::step_over(int count, int32_t* taken) {
  int found = 0;
  int at = 0;
  for (; at < count && !layers_.empty(); ++at) {
    if (step()) taken[found++] = at;
  }
  const int left = count - at;
  const int64_t stride = std::min<int64_t>(size_, count);
  for (int64_t next = before_next(); next < left; next += stride)
    taken[found++] = at + static_cast<int32_t>(next);
  next_.back() += left;
  return found;
}

Demand ShardPosition::wanted(Demand demand) const {
  demand.rows = static_cast<int>(steps_to(demand.rows));
  // After a change of the number of ranks the rows follow no rule.
  if (!layers_.empty() || size_ > kMaxBlockRows) return demand;
  demand.first = static_cast<int>(before_next());
  demand.step = static_cast<int>(size_);
  return demand;
}

// At least how many elements come before this rank's next `count` ones, and with them; at most kMaxBlockRows.
int64_t ShardPosition::steps_to(int64_t count) const {
  constexpr int64_t limit = kMaxBlockRows;
  const int64_t before = before_next();
  if (before >= limit) return limit;
  if (count == 1) return before + 1;
  // What follows cannot overflow.
  if (count > limit || size_ > limit) return limit;
  return std::min(limit, before + (count - 1) * size_ + 1);
}

void ShardPosition::state(Archive& archive) {
  archive("next", next_);
  std::vector<int64_t> sizes;
  std::vector<int64_t> ends;
  for (const Layer& layer : layers_) {
    sizes.push_back(static_cast<int64_t>(layer.ends.size()));
    ends.insert(ends.end(), layer.ends.begin(), layer.ends.end());
  }
  archive("layers", sizes);
  archive("ends", ends);
  if (!archive.loading() || !archive.status().ok()) return;
  const auto negative = [](int64_t number) { return number < 0; };
  bool good = next_.size() == sizes.size() + 1 && sizes.size() <= kMaxLayers && next_[0] <= kMostCounted &&
              std::none_of(next_.begin(), next_.end(), negative) &&
              std::is_sorted(next_.rbegin(), next_.rend());
  layers_.clear();
  size_t begin = 0;
  for (size_t i = 0; good && i < sizes.size(); ++i) {
    good = sizes[i] >= 1 && static_cast<uint64_t>(sizes[i]) <= ends.size() - begin;
    if (!good) break;
    const auto first = ends.begin() + static_cast<ptrdiff_t>(begin);
    begin += static_cast<size_t>(sizes[i]);
    layers_.emplace_back(std::vector<int64_t>(first, ends.begin() + static_cast<ptrdiff_t>(begin)));
    good = std::none_of(layers_.back().ends.begin(), layers_.back().ends.end(), negative);
  }
  if (!good || begin != ends.size()) archive.fail("the position of a shard is damaged");
}

// Of positions in one sequence; passed layers are gone.
bool ShardPosition::is_before(const ShardPosition& other) const {
  if (next_.size() != other.next_.size()) return next_.size() > other.next_.size();
  return next_[0] < other.next_[0];
}

size_t ShardPosition::least_advanced(std::span<const std::optional<ShardPosition>> ranks) {
  size_t first = ranks.size();
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] && (first == ranks.size() || ranks[i]->is_before(*ranks[first]))) first = i;
  }
  return first;
}

Result<ShardPosition> ShardPosition::joined(std::span<const std::optional<ShardPosition>> before) {
  ShardPosition out = *before[least_advanced(before)];
  if (out.layers_.size() == kMaxLayers)
    return resource_exhausted("expected fewer changes of the number of ranks within so few elements");
  std::vector<int64_t> ends;
  for (const auto& rank : before) {
    if (!rank) {
      // It has passed whatever comes.
      ends.push_back(INT64_MAX);
      continue;
    }
    const auto& layers = rank->layers_;
    if (layers.size() > out.layers_.size() ||
        !std::equal(layers.rbegin(), layers.rend(), out.layers_.rbegin())) {
      return data_loss("expected checkpoints that the ranks of one run saved, found some of another run");
    }
    ends.push_back(rank->next_.back());
  }
  out.layers_.emplace_back(std::move(ends));
  // All numbers below the least of the ends were delivered.
  out.next_.push_back(0);
  out.drop_passed_layers();
  return out;
}

}  // namespace weir
