#include "ops/batching/packed_rows.h"

#include <algorithm>

namespace weir {

namespace {

// For each bin how many runs of rows it has; for each run, twice the rows passed over since the run before,
// or since the first row of the bin before, with one more if the run has more than one row, whose number
// follows.
std::vector<uint64_t> packed(const std::vector<std::vector<PackedRows>>& bins, int64_t begin) {
  std::vector<uint64_t> out;
  for (const std::vector<PackedRows>& runs : bins) {
    out.push_back(runs.size());
    int64_t at = begin;
    for (const PackedRows& run : runs) {
      const bool longer = run.count > 1;
      out.push_back(2 * static_cast<uint64_t>(run.first - at) + (longer ? 1 : 0));
      if (longer) out.push_back(static_cast<uint64_t>(run.count));
      at = run.first + run.count;
    }
    begin = runs.front().first;
  }
  return out;
}

// False if the numbers are no rows from `begin` up to `end`.
bool unpack(const std::vector<uint64_t>& numbers, int64_t begin, int64_t end,
            std::vector<std::vector<PackedRows>>& bins) {
  for (size_t next = 0; next < numbers.size();) {
    uint64_t left = numbers[next++];
    if (left == 0) return false;
    std::vector<PackedRows>& runs = bins.emplace_back();
    int64_t at = begin;
    for (; left > 0; --left) {
      if (next == numbers.size()) return false;
      const uint64_t gap = numbers[next] / 2;
      const bool longer = numbers[next++] % 2 != 0;
      if (longer && next == numbers.size()) return false;
      const uint64_t count = longer ? numbers[next++] : 1;
      const auto room = static_cast<uint64_t>(end - at);
      if (count == 0 || gap >= room || count > room - gap) return false;
      runs.push_back({at + static_cast<int64_t>(gap), static_cast<int64_t>(count)});
      at = runs.back().first + runs.back().count;
    }
    begin = runs.front().first;
  }
  return true;
}

}  // namespace

void packed_rows_state(Archive& archive, std::vector<std::vector<PackedRows>>& bins, int64_t begin,
                       int64_t end) {
  std::vector<uint64_t> numbers;
  if (!archive.loading()) numbers = packed(bins, begin);
  archive("bins", numbers);
  if (!archive.loading() || !archive.status().ok()) return;
  bins.clear();
  bool fits = unpack(numbers, begin, end, bins);
  int64_t at = begin;
  for (const WantedRows& wanted : by_row(bins)) {
    fits = fits && wanted.rows.first >= at;
    at = wanted.rows.first + wanted.rows.count;
  }
  if (!fits) archive.fail("the bins of a pack are damaged");
}

std::vector<WantedRows> by_row(const std::vector<std::vector<PackedRows>>& bins) {
  std::vector<WantedRows> out;
  for (size_t bin = 0; bin < bins.size(); ++bin) {
    for (const PackedRows& rows : bins[bin]) out.push_back({rows, bin});
  }
  std::sort(out.begin(), out.end(),
            [](const WantedRows& a, const WantedRows& b) { return a.rows.first < b.rows.first; });
  return out;
}

}  // namespace weir
