#include "ops/shuffling/mix_access.h"

#include <algorithm>
#include <utility>

#include "core/checked.h"
#include "dataset/operator.h"
#include "ops/shuffling/mix_places.h"
#include "ops/shuffling/source_rows.h"

namespace weir {

namespace {

struct Source {
  std::unique_ptr<Access> access;
  // The index of each component in its elements; empty if it is the same.
  std::vector<int> order;
};

std::vector<int64_t> counts_of(const std::vector<Source>& sources) {
  std::vector<int64_t> out;
  for (const Source& source : sources) {
    const AccessCount count = source.access->count();
    out.push_back(count.more ? MixPlaces::kEndless : count.positions);
  }
  return out;
}

class MixAccess final : public Access {
 public:
  MixAccess(Context& ctx, std::vector<Source> sources, MixTurns turns, bool stop_on_empty)
      : sources_(std::move(sources)),
        turns_(turns),
        stops_on_empty_(stop_on_empty),
        places_(turns, counts_of(sources_)) {
    // Of a dataset that goes on, positions are known up to some number; the mixture's do not come further.
    AccessCount sum;
    int64_t known = AccessCount::kMost;
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (!turns.active(static_cast<int64_t>(i))) continue;
      const AccessCount count = sources_[i].access->count();
      if (count.more) known = std::min(known, count.positions);
      const auto total = checked_add(sum.positions, count.positions);
      sum = {total.value_or(AccessCount::kMost), sum.more || count.more || !total};
    }
    if (stop_on_empty && !turns.empty()) {
      const int64_t end = places_.first_end([&ctx] { return cancelled(ctx); });
      sum = {end, end == MixPlaces::kEndless};
    }
    count_ = {sum.more ? std::min(sum.positions, known) : sum.positions, sum.more};
  }

  AccessCount count() const override { return count_; }

  void count_pass(EpochScope& epochs, int64_t rows) override {
    EpochScope most;
    for (const Source& source : sources_) source.access->count_pass(most, kToTheEnd);
    if (turns_.empty() || most.since(nullptr).empty()) return;
    const bool ends = rows > count_.positions || rows == kToTheEnd;
    std::vector<int64_t> given(sources_.size(), kToTheEnd);
    if (!ends || (stops_on_empty_ && !count_.more)) given = given_by_each(std::min(rows, count_.positions));
    if (ends && stops_on_empty_ && !count_.more)
      given[static_cast<size_t>(places_.first_ended())] = kToTheEnd;
    for (size_t s = 0; s < sources_.size(); ++s) {
      if (turns_.active(static_cast<int64_t>(s))) sources_[s].access->count_pass(epochs, given[s]);
    }
  }

  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    places_of_.resize(positions.size());
    for (size_t i = 0; i < positions.size(); ++i) {
      if (places_.find(
              positions[i], [&ctx] { return cancelled(ctx); }, places_of_[i]))
        continue;
      fails_if_cancelled(ctx, positions.size(), 0, out);
      return;
    }
    AccessParts parts;
    for (size_t s = 0; s < sources_.size(); ++s) {
      positions_.clear();
      for (size_t i = 0; i < positions.size(); ++i) {
        if (places_of_[i].source != static_cast<int64_t>(s)) continue;
        positions_.push_back(places_of_[i].position);
        parts.expect(static_cast<int>(i));
      }
      if (positions_.empty()) continue;
      Block part;
      sources_[s].access->read(ctx, positions_, part);
      reorder_columns(part, sources_[s].order);
      parts.add(part);
    }
    parts.finish(out);
  }

 private:
  // How many of the first `rows` elements each dataset gives.
  std::vector<int64_t> given_by_each(int64_t rows) {
    std::vector<int64_t> given(sources_.size());
    auto left = static_cast<int64_t>(sources_.size());
    // An active dataset has a turn every few rows until it ends.
    for (int64_t row = rows - 1; row >= 0 && left > 0; --row) {
      MixPlaces::Place place;
      if (!places_.find(
              row, [] { return false; }, place))
        break;
      int64_t& count = given[static_cast<size_t>(place.source)];
      if (count == 0) --left;
      count = std::max(count, place.position + 1);
    }
    return given;
  }
  static bool cancelled(const Context& ctx) { return ctx.session.cancelled.load(std::memory_order_relaxed); }

  std::vector<Source> sources_;
  const MixTurns turns_;
  const bool stops_on_empty_;
  MixPlaces places_;
  AccessCount count_;
  std::vector<MixPlaces::Place> places_of_;
  std::vector<int64_t> positions_;
};

}  // namespace

Result<std::unique_ptr<Access>> open_mix_access(Opening& opening, std::span<const int> inputs, MixTurns turns,
                                                bool stop_on_empty) {
  std::vector<Instance> instances;
  for (const int index : inputs) instances.push_back(opening.input(index));
  WEIR_ASSIGN(std::vector<std::unique_ptr<Access>> opened, open_side_by_side(opening.ctx, instances));
  std::vector<Source> sources;
  for (size_t i = 0; i < opened.size(); ++i) {
    sources.push_back(
        {std::move(opened[i]), moved_components(instances[i].node->spec(), opening.node->spec())});
  }
  return std::unique_ptr<Access>(
      std::make_unique<MixAccess>(opening.ctx, std::move(sources), std::move(turns), stop_on_empty));
}

}  // namespace weir
