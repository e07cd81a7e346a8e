// SourceRows: the datasets of which a cursor takes its elements in some order, for Directed and mix_datasets.
//
//   rows.begin();  rows.want(2); rows.want(0); …        what the next elements are to come from
//   rows.fetch(ctx, demand, wanted);
//   while (rows.next(2) == SourceRows::Next::row) rows.plan(2);
//   rows.give(demand, out); rows.take_planned();
//
// Elements are gathered by blocks, two copies of each. A position is that of all datasets.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "dataset/operator.h"

namespace weir {

class SourceRows {
 public:
  // `inputs` are numbers of the operator's inputs, of one structure.
  SourceRows(Opening& opening, std::span<const int> inputs);

  int64_t size() const { return static_cast<int64_t>(sources_.size()); }
  // Reading on opens nothing that others open, too, and counts no openings that no element was made of.
  bool reads_apart() const { return reads_apart_; }

  // Nothing is wanted and nothing is planned.
  void begin();
  void want(int64_t source) { ++at(source).wanted; }
  // Pulls the `count` rows that are wanted. Answers pending if something has to be waited for.
  PullResult fetch(Context& ctx, const Demand& demand, int count);

  // What comes next from a dataset, after the planned rows: later if it has to be pulled.
  enum class Next : uint8_t { row, later, end };
  Next next(int64_t source) const;
  // The error of that row, or null.
  const ErrorPtr* error_of_next(int64_t source) const;
  // REQUIRES: next(source) is a row
  void plan(int64_t source) {
    rows_[static_cast<size_t>(planned_++)] = static_cast<int32_t>(source);
    ++at(source).taken;
  }
  int planned() const { return planned_; }
  // Puts the planned rows into `out`, in their order.
  void give(const Demand& demand, Block& out);
  void take_planned() noexcept;

  // The datasets whose end was noticed.
  bool closed(int64_t source) const { return at(source).closed; }
  // Returns false if it was closed.
  bool close(int64_t source) { return !std::exchange(at(source).closed, true); }
  void close_all();
  int64_t open() const;

  void closed_state(Archive& archive);
  void ports_state(Archive& archive);

 private:
  struct Source {
    Port port;
    // The index of each component in its elements; empty if it is the same.
    std::vector<int> order;
    // It gave its last element; and that was noticed.
    bool ended = false;
    bool closed = false;
    // Of the call in progress: how many rows are wanted, how many of them are planned, and where these begin
    // among all rows planned.
    int wanted = 0;
    int taken = 0;
    int32_t first = 0;
  };
  Source& at(int64_t source) { return sources_[static_cast<size_t>(source)]; }
  const Source& at(int64_t source) const { return sources_[static_cast<size_t>(source)]; }

  std::vector<Source> sources_;
  const size_t width_;
  bool reads_apart_;
  // The sources of the planned rows.
  std::array<int32_t, kMaxBlockRows> rows_;
  int planned_ = 0;
  std::array<int32_t, kMaxBlockRows> order_;
  Block joined_;
};

// Replaces the columns, if there are any, by those of these indices. An empty order changes nothing.
void reorder_columns(Block& block, const std::vector<int>& order);

}  // namespace weir
