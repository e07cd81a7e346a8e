#include "dataset/anchors.h"

#include <algorithm>
#include <utility>

#include "dataset/stage.h"

namespace weir {

namespace {

// Anchors may cost one part in this many of the time that passes.
constexpr int64_t kShare = 256;
constexpr int64_t kMaxRows = int64_t{1} << 20;
// Inputs shorter than this are replayed from their beginning.
constexpr int64_t kFirstRows = 32;
// The rows to the second anchor, while nothing is known of their cost.
constexpr double kSecondRows = 64.0;
// More anchors than this are thinned.
constexpr size_t kMost = 256;
// One is due when the numbers of the openings since the last one no longer follow a rule.
constexpr size_t kMaxRuns = 64;

}  // namespace

void Anchors::start_over() {
  if (!start_) {
    auto anchor = make_ref<Anchor>();
    anchor->fresh = true;
    start_ = std::move(anchor);
  }
  points_.clear();
  points_.push_back({start_, {}});
  if (!due_.empty()) due_ = Openings();
  newest_ = nullptr;
  next_ = kFirstRows;
}

bool Anchors::start_at(const Anchor& anchor, int64_t rows) {
  std::vector<Point> points;
  points.push_back({with_openings(anchor, {}, {}), {}});
  points_.swap(points);
  newest_ = nullptr;
  next_ = rows + kFirstRows;
  return due_.assign(anchor.openings, anchor.names);
}

void Anchors::clear() {
  points_.clear();
  newest_ = nullptr;
  due_ = Openings();
}

void Anchors::forget_costs() {
  gap_ = 1;
  written_at_ns_ = 0;
  skips_ = false;
}

bool Anchors::is_worth(int64_t ordinal) const {
  const Point& last = points_.back();
  return ordinal >= next_ || (last.openings.run_count() > kMaxRuns && ordinal > last.anchor->ordinal);
}

void Anchors::add_if_worth(Clock& clock, Stage& input, int64_t ordinal, int64_t values) noexcept {
  if (!is_worth(ordinal) || std::exchange(skips_, false)) return;
  const int64_t begin_ns = clock.now_ns();
  const int64_t rows = ordinal - points_.back().anchor->ordinal;
  try {
    write(input, ordinal, values);
  } catch (...) {
    // Rows can be replayed from the last anchor as well.
  }
  const int64_t end_ns = clock.now_ns();
  // How long the rows since the last anchor took. The next one is due once its cost is a small share of that.
  const int64_t elapsed_ns = std::max<int64_t>(1, begin_ns - written_at_ns_);
  const int64_t cost_ns = std::max<int64_t>(1, end_ns - begin_ns);
  const double due = written_at_ns_ == 0 ? kSecondRows
                                         : static_cast<double>(rows) * static_cast<double>(cost_ns) * kShare /
                                               static_cast<double>(elapsed_ns);
  next_ = ordinal + std::clamp(static_cast<int64_t>(std::min(due, 1e12)), gap_, kMaxRows);
  written_at_ns_ = end_ns;
}

void Anchors::write(Stage& input, int64_t ordinal, int64_t values) {
  auto anchor = make_ref<Anchor>();
  anchor->ordinal = ordinal;
  anchor->values = values;
  Archive archive;
  input.state(archive);
  anchor->bytes = archive.take();
  points_.push_back({std::move(anchor), {}});
  newest_ = nullptr;
  if (points_.size() > kMost) thin();
}

// Keeps every other anchor, including the first and the last.
void Anchors::thin() {
  std::vector<Point> kept;
  for (size_t i = 0; i < points_.size(); ++i) {
    if (i % 2 == 0 || i + 1 == points_.size()) {
      kept.push_back(points_[i]);
    } else {
      kept.back().openings.append(points_[i].openings);
    }
  }
  points_.swap(kept);
  const int64_t span = points_.back().anchor->ordinal - points_.front().anchor->ordinal;
  gap_ = std::min(kMaxRows, 2 * span / static_cast<int64_t>(kMost) + 1);
}

void Anchors::consume_to(int64_t ordinal) {
  size_t passed = 0;
  while (passed + 1 < points_.size() && points_[passed + 1].anchor->ordinal <= ordinal) ++passed;
  if (passed > 0) points_.erase(points_.begin(), points_.begin() + static_cast<ptrdiff_t>(passed));
}

AnchorRef Anchors::oldest() const {
  Openings all;
  for (const Point& point : points_) all.append(point.openings);
  return with_openings(*points_.front().anchor, all, due_);
}

const AnchorRef& Anchors::newest() {
  const Point& last = points_.back();
  const uint64_t changes = last.openings.change_count() + due_.change_count();
  if (newest_ && newest_changes_ == changes) return newest_;
  newest_changes_ = changes;
  newest_ = last.anchor;
  if (!last.openings.empty() || !due_.empty()) newest_ = with_openings(*last.anchor, last.openings, due_);
  return newest_;
}

}  // namespace weir
