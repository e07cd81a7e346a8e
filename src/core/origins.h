// Origins: where the rows of a block came from: a file and the number of a record in it.
//
// A source that reads records sets them, operators that keep rows pass them on, a group has the origin of its
// first member, and the Stage reads them when a row fails. Rows of other sources have none, at no cost. Where
// memory runs out, origins are dropped. They take 16 bytes per run of consecutive records and 8 bytes per row
// that is held.
//
// Rows of a partition also have turns, which say how far the position behind them has come in each part:
// element i of part s of n has turn i * n + s. They rise along the rows, and take 24 bytes per run.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/arena.h"
#include "core/ref.h"
#include "core/sync.h"

namespace weir {

// A record of a file in 8 bytes: the number of the file among its session's names, and of the record in the
// file.
class Origin {
 public:
  Origin() = default;
  // Unknown if either number is too large to keep.
  Origin(uint32_t source, int64_t record)
      : bits_(source == 0 || source > kMaxSource || record < 0 || record > kMaxRecord
                  ? 0
                  : static_cast<uint64_t>(source) << kSourceShift | static_cast<uint64_t>(record)) {}

  bool known() const { return bits_ != 0; }
  uint32_t source() const { return static_cast<uint32_t>(bits_ >> kSourceShift); }
  int64_t record() const { return static_cast<int64_t>(bits_ & kMaxRecord); }
  // The origin `rows` rows later in a run.
  Origin after(int rows) const {
    return rows == 0 ? *this : known() ? Origin(source(), record() + rows) : Origin();
  }
  // The origin of a group whose first member has this one.
  Origin of_group() const {
    Origin group = *this;
    if (known()) group.bits_ |= kGroup;
    return group;
  }
  // The origin of what was taken out of an element with this one: the first part of it, or another.
  Origin of_part(bool first) const { return !first && (bits_ & kGroup) != 0 ? Origin() : *this; }
  bool operator==(const Origin&) const = default;

 private:
  static constexpr int kRecordBits = 39;
  static constexpr int kSourceShift = kRecordBits + 1;
  static constexpr uint64_t kGroup = uint64_t{1} << kRecordBits;
  static constexpr int64_t kMaxRecord = (int64_t{1} << kRecordBits) - 1;
  static constexpr uint32_t kMaxSource = (uint32_t{1} << (64 - kSourceShift)) - 1;
  uint64_t bits_ = 0;
};

// The origins of the rows of one block.
class Origins {
 public:
  bool empty() const { return runs_.empty() && turns_.empty(); }
  void clear() {
    runs_.clear();
    turns_.clear();
  }
  void swap(Origins& other) noexcept {
    runs_.swap(other.runs_);
    turns_.swap(other.turns_);
  }

  // The origin of a row; unknown for rows before the first run.
  Origin of(int row) const;
  // Rows from `row` up to the next run are consecutive records, `first` the first of them.
  // REQUIRES: rows rise
  void add(int row, Origin first) noexcept;
  // Replaces the origin of `row` alone; the rows after it are unknown until they are added.
  void add_one(int row, Origin origin) noexcept;
  // Appends the origins of `count` rows of a block, from `begin` on, for the rows from `at` on.
  void append(const Origins& source, int begin, int count, int at) noexcept;
  // Gives `rows` rows the origins that they have in `newer`, unless those are unknown. With `chosen`, row i
  // of `newer` is row chosen[i].
  void replace(const Origins& newer, int rows, std::span<const int32_t> chosen = {}) noexcept;
  // Keeps the origins of the rows listed.
  void gather(const Origins& source, std::span<const int32_t> rows) noexcept;

  static constexpr int64_t kNoTurn = -1;
  // kNoTurn for rows without one.
  int64_t turn_of(int row) const noexcept {
    return turns_.size() == 1 && row >= turns_[0].row ? turns_[0].after(row - turns_[0].row) : find_turn(row);
  }
  // Rows from `row` on have the turns `first`, `first + step`, … up to the row of the next call.
  // REQUIRES: rows rise
  void add_turns(int row, int64_t first, int64_t step) noexcept;
  // Appends the turns alone.
  void append_turns(const Origins& source, int begin, int count, int at) noexcept;

 private:
  friend class OriginSlots;
  int64_t find_turn(int row) const noexcept;
  struct Run {
    int32_t row;
    Origin first;
  };
  struct Turns {
    int32_t row;
    int64_t first;
    int64_t step;
    int64_t after(int rows) const { return first == kNoTurn ? kNoTurn : first + rows * step; }
  };
  std::vector<Run> runs_;
  std::vector<Turns> turns_;
};

// The origins of rows in slots: 8 bytes per slot, once a row with an origin has come.
class OriginSlots {
 public:
  // Remembers the rows listed, which are staged as 0, 1 … and placed one by one.
  // REQUIRES: rows rise
  void stage(const Origins& source, std::span<const int32_t> rows) noexcept;
  void place(int staged, int64_t slot) noexcept {
    if (used_) place_used(staged, slot);
  }
  void move(int64_t from, int64_t to) noexcept {
    if (used_) move_used(from, to);
  }
  // Takes the origin of a slot for row `i` of the next give().
  void lift(int64_t slot, int i) noexcept {
    if (used_) lift_used(slot, i);
  }
  // Row `i` of the next give() failed and has no origin.
  void lift_nothing(int i) noexcept {
    if (used_) given_.add_one(i, Origin());
  }
  // The lifted rows' origins.
  void give(Origins& out) noexcept {
    if (used_) give_used(out);
  }

 private:
  Origin* slot_at(int64_t slot) noexcept {
    return slot < slots_.capacity() ? reinterpret_cast<Origin*>(slots_.at(slot)) : nullptr;
  }
  void grow_to(int64_t count);
  // Not inline: most pipelines have no origins, and their loops stay small.
  void place_used(int staged, int64_t slot) noexcept;
  void move_used(int64_t from, int64_t to) noexcept;
  void lift_used(int64_t slot, int i) noexcept;
  void give_used(Origins& out) noexcept;

  bool used_ = false;
  std::vector<Origin> staged_;
  ChunkedEntries slots_{sizeof(Origin)};
  Origins given_;
};

// The names of the files that one iterator has read, by number. May be used on any thread.
//
// Files that are elements themselves, read as a whole, may be millions, so only the names of the last
// kReadNames of them are kept: their origins are numbers of reads.
class SourceNames : public RefCounted {
 public:
  // Returns the same number for the same name; 0 if there is no memory.
  uint32_t number(std::string_view name) noexcept;
  // The origin of a row that is a whole file.
  Origin read(std::string_view name) noexcept;

  // The file is empty if it is not known, the record -1 if it is not, or there is none.
  struct Place {
    std::string file;
    int64_t record = -1;
  };
  Place place(Origin origin) const;

  static constexpr size_t kReadNames = size_t{1} << 16;

 private:
  // The source of whole files.
  static constexpr uint32_t kReads = (uint32_t{1} << 24) - 1;

  mutable Mutex mutex_;
  std::map<std::string, uint32_t, std::less<>> numbers_;
  std::vector<const std::string*> names_;
  // The last names, the read with number n at n % kReadNames.
  std::vector<std::string> read_names_;
  int64_t reads_ = 0;
};

}  // namespace weir
