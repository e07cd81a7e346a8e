#include "ops/access/joined_rounds.h"

namespace weir {

namespace {

// What the rounds may take, and how many of them are worth it.
constexpr int64_t kBytes = int64_t{512} << 10;
constexpr int64_t kFewest = 4;

}  // namespace

int64_t JoinedRounds::most(int64_t parts) const {
  const int64_t rounds = kBytes / (parts * scattered_.row_bytes());
  return rounds < kFewest ? 0 : rounds;
}

bool JoinedRounds::join(std::span<Part* const> parts, int rounds, int64_t round) {
  if (rounds < kFewest) return false;
  for (const Part* part : parts) {
    const Block& block = part->rows().block();
    if (!block.errors.empty() || !block.origins.empty()) return false;
  }
  const auto count = static_cast<int>(parts.size());
  clear();
  if (!scattered_.begin(block_, rounds * count, false)) return false;
  for (int i = 0; i < count; ++i) {
    Part& part = *parts[static_cast<size_t>(i)];
    scattered_.put(part.rows().block(), part.rows().begin(), rounds, {.first = i, .gap = count - 1});
    part.give(rounds);
  }
  scattered_.finish(rounds * count);
  parts_ = count;
  begin_ = 0;
  round_ = round;
  return true;
}

}  // namespace weir
