// Part: one part of a partition, open from its first turn to its end: the rows of its pipeline, with the
// counts of openings that belong to it, and where it is. Belongs to the cursor.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/part_positions.h"
#include "dataset/access.h"
#include "dataset/port.h"

namespace weir {

class Part {
 public:
  // How many rows are taken from its Window at once, and how many bytes.
  static constexpr int64_t kTakenRows = kMaxBlockRows;
  static constexpr int64_t kTakenBytes = int64_t{16} << 10;

  explicit Part(int64_t number) : number_(number) {}

  int64_t number() const { return number_; }
  // How many rows it has given: elements and errors.
  int64_t given() const { return given_; }
  // That of its next row, of n parts.
  int64_t turn(int64_t n) const { return given_ * n + number_; }
  bool ended() const { return ended_; }
  bool is_open() const { return port_ != nullptr; }
  // What it gives instead, once.
  void fail(ErrorPtr error) { error_ = std::move(error); }
  const ErrorPtr& error() const { return error_; }

  // Opens it; a loaded position is taken up by fill().
  Status open(Context& ctx, Instance instance, const EpochTableRef& before, int depth);
  void warm_start() noexcept {
    if (port_) port_->warm_start();
  }
  // Makes sure that there is a row to give. Answers rows, or end once.
  PullResult fill(Context& ctx);
  const Port& rows() const { return *port_; }
  // Rows at hand.
  int buffered() const { return port_ ? port_->buffered() : 0; }
  // Of a row at hand.
  int64_t row_bytes() const { return row_bytes_; }
  void give(int rows) {
    port_->take(rows);
    given_ += rows;
  }
  void give_error() {
    error_ = nullptr;
    ++given_;
    end();
  }
  // Gives the rows at hand as a block of their own.
  void give_into(Block& out, int rows) {
    port_->take_into(out, 0, rows);
    given_ += rows;
  }
  void end() {
    ended_ = true;
    port_.reset();
    saved_.clear();
  }

  // Its position before the last `taken` rows that it has given.
  PartPosition save(Holding* holding, int taken);
  void load(PartPosition position) {
    given_ = position.given;
    ended_ = position.ended;
    saved_ = std::move(position.state);
    port_.reset();
  }

 private:
  const int64_t number_;
  int64_t given_ = 0;
  bool ended_ = false;
  ErrorPtr error_;
  EpochScope epochs_;
  std::unique_ptr<Port> port_;
  AccessWidth width_;
  int64_t row_bytes_ = 1;
  // A loaded position, until it is opened there.
  std::string saved_;
};

}  // namespace weir
