#include "ops/shuffling/source_rows.h"

#include <algorithm>
#include <utility>

#include "dataset/openings.h"

namespace weir {

SourceRows::SourceRows(Opening& opening, std::span<const int> inputs)
    : width_(opening.node->components().size()),
      reads_apart_(!shares_openings(opening.ctx.session, *opening.node)) {
  sources_.reserve(inputs.size());
  for (int index : inputs) {
    Port port(opening, index, Port::Mode::keep);
    reads_apart_ = reads_apart_ && weir::reads_apart(port.node());
    std::vector<int> order = moved_components(port.node().spec(), opening.node->spec());
    sources_.push_back({std::move(port), std::move(order)});
  }
}

void SourceRows::begin() {
  planned_ = 0;
  for (Source& source : sources_) source.wanted = source.taken = 0;
}

PullResult SourceRows::fetch(Context& ctx, const Demand& demand, int count) {
  PullResult answer = PullResult::rows;
  for (Source& source : sources_) {
    if (source.wanted == 0 || source.ended) continue;
    Demand part = demand.at_most(source.wanted);
    part.bytes = std::max<int64_t>(1, demand.bytes / count * source.wanted);
    // After an error or an end, some of several rows are left for a later call, which may want them.
    part.drop = demand.drop && count == 1;
    const PullResult got = source.port.fill(ctx, part);
    if (got == PullResult::cancelled) return got;
    if (got == PullResult::end) source.ended = true;
    if (got == PullResult::pending) answer = got;
  }
  return answer;
}

SourceRows::Next SourceRows::next(int64_t source) const {
  const Source& from = at(source);
  if (from.ended) return Next::end;
  return from.taken < from.port.buffered() ? Next::row : Next::later;
}

const ErrorPtr* SourceRows::error_of_next(int64_t source) const {
  const Source& from = at(source);
  const Block& block = from.port.block();
  return block.errors.empty() ? nullptr : block.error_of(from.port.begin() + from.taken);
}

// Joins the rows by their sources, and then puts them in order.
void SourceRows::give(const Demand& demand, Block& out) {
  joined_.reset(demand.drop ? 0 : width_);
  for (Source& source : sources_) {
    source.first = joined_.rows;
    if (source.taken == 0) continue;
    const Block& block = source.port.block();
    if (source.order.empty() || block.columns.empty()) {
      joined_.append(block, source.port.begin(), source.taken);
      continue;
    }
    Block moved = block.slice(source.port.begin(), source.taken);
    reorder_columns(moved, source.order);
    joined_.append(moved, 0, source.taken);
  }
  bool in_order = true;
  for (int i = 0; i < planned_; ++i) {
    order_[static_cast<size_t>(i)] = at(rows_[static_cast<size_t>(i)]).first++;
    in_order = in_order && order_[static_cast<size_t>(i)] == i;
  }
  if (in_order)
    std::swap(out, joined_);
  else
    out.gather_from(joined_, {order_.data(), static_cast<size_t>(planned_)});
  if (demand.drop) out.columns.clear();
}

void SourceRows::take_planned() noexcept {
  for (Source& source : sources_) {
    source.port.take(source.taken);
    source.port.consume_all();
    source.taken = 0;
  }
  planned_ = 0;
}

void SourceRows::close_all() {
  for (Source& source : sources_) source.closed = true;
}

int64_t SourceRows::open() const {
  return std::count_if(sources_.begin(), sources_.end(), [](const Source& source) { return !source.closed; });
}

void SourceRows::closed_state(Archive& archive) {
  std::vector<uint64_t> closed;
  for (const Source& source : sources_) closed.push_back(source.closed ? 1 : 0);
  archive("closed", closed);
  if (!archive.loading()) return;
  if (closed.size() != sources_.size()) return archive.fail("a position has other datasets to choose from");
  for (size_t i = 0; i < sources_.size(); ++i) {
    sources_[i].ended = false;
    sources_[i].closed = closed[i] != 0;
  }
}

void reorder_columns(Block& block, const std::vector<int>& order) {
  if (order.empty() || block.columns.empty()) return;
  std::vector<Column> columns;
  for (int from : order) columns.push_back(std::move(block.columns[static_cast<size_t>(from)]));
  block.columns = std::move(columns);
}

void SourceRows::ports_state(Archive& archive) {
  for (Source& source : sources_) source.port.state(archive);
}

}  // namespace weir
