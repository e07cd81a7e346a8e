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
      : sources_(std::move(sources)), places_(turns, counts_of(sources_)) {
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
  static bool cancelled(const Context& ctx) { return ctx.session.cancelled.load(std::memory_order_relaxed); }

  std::vector<Source> sources_;
  MixPlaces places_;
  AccessCount count_;
  std::vector<MixPlaces::Place> places_of_;
  std::vector<int64_t> positions_;
};

}  // namespace

Result<std::unique_ptr<Access>> open_mix_access(Opening& opening, std::span<const int> inputs, MixTurns turns,
                                                bool stop_on_empty) {
  std::vector<Source> sources;
  for (const int index : inputs) {
    Instance input = opening.input(index);
    std::vector<int> order = moved_components(input.node->spec(), opening.node->spec());
    WEIR_ASSIGN(std::unique_ptr<Access> access, open_access(opening.ctx, std::move(input)));
    sources.push_back({std::move(access), std::move(order)});
  }
  return std::unique_ptr<Access>(
      std::make_unique<MixAccess>(opening.ctx, std::move(sources), std::move(turns), stop_on_empty));
}

}  // namespace weir
