#include "core/origins.h"

#include <algorithm>

namespace weir {

Origin Origins::of(int row) const {
  auto next = std::upper_bound(runs_.begin(), runs_.end(), row,
                               [](int wanted, const Run& run) { return wanted < run.row; });
  if (next == runs_.begin()) return {};
  const Run& run = *(next - 1);
  return run.first.after(row - run.row);
}

void Origins::add(int row, Origin first) noexcept {
  if (runs_.empty()) {
    if (!first.known()) return;
  } else if (const Run& last = runs_.back(); last.first.after(row - last.row) == first) {
    return;
  }
  try {
    runs_.push_back({row, first});
  } catch (...) {
    runs_.clear();
  }
}

void Origins::add_one(int row, Origin origin) noexcept {
  // An unknown row in the middle ends the run before it.
  add(row, origin);
}

void Origins::append(const Origins& source, int begin, int count, int at) noexcept {
  if (!source.turns_.empty() || !turns_.empty()) append_turns(source, begin, count, at);
  if (source.runs_.empty() && runs_.empty()) return;
  add(at, source.of(begin));
  for (const Run& run : source.runs_) {
    if (run.row > begin && run.row < begin + count) add(at + run.row - begin, run.first);
  }
}

void Origins::replace(const Origins& newer, int rows, std::span<const int32_t> chosen) noexcept {
  if (newer.runs_.empty()) return;
  Origins out;
  size_t next = 0;
  for (int row = 0; row < rows; ++row) {
    Origin origin;
    if (chosen.empty()) {
      origin = newer.of(row);
    } else if (next < chosen.size() && chosen[next] == row) {
      origin = newer.of(static_cast<int>(next++));
    }
    out.add(row, origin.known() ? origin : of(row));
  }
  runs_.swap(out.runs_);
}

int64_t Origins::find_turn(int row) const noexcept {
  auto next = std::upper_bound(turns_.begin(), turns_.end(), row,
                               [](int wanted, const Turns& turns) { return wanted < turns.row; });
  return next == turns_.begin() ? kNoTurn : (next - 1)->after(row - (next - 1)->row);
}

void Origins::add_turns(int row, int64_t first, int64_t step) noexcept {
  if (!turns_.empty() && turns_.back().row == row) turns_.pop_back();
  if (turns_.empty()) {
    if (first == kNoTurn) return;
  } else if (const Turns& last = turns_.back();
             last.after(row - last.row) == first && (last.step == step || first == kNoTurn)) {
    return;
  }
  try {
    turns_.push_back({row, first, step});
  } catch (...) {
    turns_.clear();
  }
}

void Origins::append_turns(const Origins& source, int begin, int count, int at) noexcept {
  const auto next = std::upper_bound(source.turns_.begin(), source.turns_.end(), begin,
                                     [](int wanted, const Turns& turns) { return wanted < turns.row; });
  add_turns(at, source.turn_of(begin), next == source.turns_.begin() ? 1 : (next - 1)->step);
  for (auto turns = next; turns != source.turns_.end() && turns->row < begin + count; ++turns)
    add_turns(at + turns->row - begin, turns->first, turns->step);
}

void Origins::gather(const Origins& source, std::span<const int32_t> rows) noexcept {
  clear();
  if (!source.runs_.empty()) {
    for (size_t i = 0; i < rows.size(); ++i) add_one(static_cast<int>(i), source.of(rows[i]));
  }
  if (source.turns_.empty()) return;
  // Runs are found as long as the next turn continues with the step between the last two.
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<int>(i);
    const int64_t turn = source.turn_of(rows[i]);
    if (!turns_.empty() && turn != kNoTurn && turns_.back().row == row - 1 && turns_.back().first != kNoTurn)
      turns_.back().step = turn - turns_.back().first;
    add_turns(row, turn, turns_.empty() ? 1 : turns_.back().step);
  }
}

void OriginSlots::stage(const Origins& source, std::span<const int32_t> rows) noexcept {
  if (source.runs_.empty() && !used_) return;
  used_ = true;
  try {
    staged_.resize(rows.size());
    // The rows rise, so the runs are gone through once.
    const Origins::Run* run = nullptr;
    auto next = source.runs_.begin();
    for (size_t i = 0; i < rows.size(); ++i) {
      while (next != source.runs_.end() && next->row <= rows[i]) run = &*next++;
      staged_[i] = run ? run->first.after(rows[i] - run->row) : Origin();
    }
  } catch (...) {
    staged_.clear();
  }
}

// Those that are new are unknown, also where there was no memory for all.
void OriginSlots::grow_to(int64_t count) {
  struct Fill {
    ~Fill() {
      for (; slot < slots.capacity(); ++slot) *reinterpret_cast<Origin*>(slots.at(slot)) = Origin();
    }
    ChunkedEntries& slots;
    int64_t slot = slots.capacity();
  };
  const Fill fill{slots_};
  slots_.grow_to(count);
}

void OriginSlots::place_used(int staged, int64_t slot) noexcept {
  const Origin origin =
      static_cast<size_t>(staged) < staged_.size() ? staged_[static_cast<size_t>(staged)] : Origin();
  if (!slot_at(slot) && origin.known()) {
    try {
      grow_to(slot + 1);
    } catch (...) {
      return;
    }
  }
  if (Origin* at = slot_at(slot)) *at = origin;
}

void OriginSlots::move_used(int64_t from, int64_t to) noexcept {
  const Origin* source = slot_at(from);
  if (Origin* target = slot_at(to)) *target = source ? *source : Origin();
}

void OriginSlots::lift_used(int64_t slot, int i) noexcept {
  const Origin* at = slot_at(slot);
  const Origin origin = at ? *at : Origin();
  std::vector<Origins::Run>& runs = given_.runs_;
  if (runs.empty() && !origin.known()) return;
  // Rows in random order are no runs, so each is one by itself.
  if (runs.size() < runs.capacity()) {
    runs.push_back({i, origin});
  } else {
    given_.add_one(i, origin);
  }
}

void OriginSlots::give_used(Origins& out) noexcept {
  out.swap(given_);
  given_.clear();
}

uint32_t SourceNames::number(std::string_view name) noexcept try {
  MutexLock lock(mutex_);
  if (names_.size() + 1 >= kReads) return 0;
  auto [at, added] = numbers_.try_emplace(std::string(name), static_cast<uint32_t>(names_.size()) + 1);
  if (added) {
    try {
      names_.push_back(&at->first);
    } catch (...) {
      numbers_.erase(at);
      return 0;
    }
  }
  return at->second;
} catch (...) {
  return 0;
}

Origin SourceNames::read(std::string_view name) noexcept try {
  MutexLock lock(mutex_);
  const size_t at = static_cast<size_t>(reads_) % kReadNames;
  if (at == read_names_.size()) read_names_.emplace_back();
  read_names_[at] = name;
  return Origin(kReads, reads_++);
} catch (...) {
  return {};
}

SourceNames::Place SourceNames::place(Origin origin) const {
  MutexLock lock(mutex_);
  if (origin.source() == kReads) {
    const int64_t age = reads_ - origin.record();
    if (age <= 0 || age > static_cast<int64_t>(kReadNames)) return {};
    return {read_names_[static_cast<size_t>(origin.record()) % kReadNames], -1};
  }
  if (!origin.known() || origin.source() > names_.size()) return {};
  return {*names_[origin.source() - 1], origin.record()};
}

}  // namespace weir
