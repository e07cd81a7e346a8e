#include "ops/batching/packed_rows.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "ops/batching/bin_rooms.h"

namespace weir {
namespace {

using Bins = std::vector<std::vector<PackedRows>>;

std::string saved(Bins bins, int64_t begin, int64_t end) {
  Archive archive;
  packed_rows_state(archive, bins, begin, end);
  return archive.take();
}

bool load(const std::string& bytes, int64_t begin, int64_t end, Bins& bins) {
  Archive archive(bytes);
  packed_rows_state(archive, bins, begin, end);
  archive.finish();
  return archive.status().ok();
}

// Some of the rows from 5 on in a few bins.
Bins random_bins(std::mt19937& random, int64_t& end) {
  Bins bins;
  end = 5;
  for (int64_t rows = random() % 200; rows > 0; --rows, ++end) {
    const size_t bin = random() % 9;
    if (bin > bins.size()) continue;
    if (bin == bins.size()) bins.emplace_back();
    std::vector<PackedRows>& runs = bins[bin];
    if (!runs.empty() && runs.back().first + runs.back().count == end)
      ++runs.back().count;
    else
      runs.push_back({end, 1});
  }
  return bins;
}

bool sound(const Bins& bins, int64_t begin, int64_t end) {
  int64_t at = begin;
  for (const WantedRows& wanted : by_row(bins)) {
    if (wanted.rows.first < at || wanted.rows.count < 1) return false;
    at = wanted.rows.first + wanted.rows.count;
  }
  return at <= end;
}

TEST_CASE("packed rows: what is saved is loaded, in two bytes for most sequences") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    int64_t end = 0;
    const Bins bins = random_bins(random, end);
    Bins loaded;
    REQUIRE(load(saved(bins, 5, end), 5, end, loaded));
    REQUIRE(loaded.size() == bins.size());
    size_t runs = 0;
    for (size_t bin = 0; bin < bins.size(); ++bin) {
      REQUIRE(loaded[bin].size() == bins[bin].size());
      runs += bins[bin].size();
      for (size_t k = 0; k < bins[bin].size(); ++k) {
        CHECK(loaded[bin][k].first == bins[bin][k].first);
        CHECK(loaded[bin][k].count == bins[bin][k].count);
      }
    }
    CHECK(saved(bins, 5, end).size() <= 12 + bins.size() + 2 * runs);
  }
}

TEST_CASE("packed rows: damage is refused, or gives rows that may be") {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    int64_t end = 0;
    const std::string whole = saved(random_bins(random, end), 5, end);
    for (size_t at = 0; at < whole.size(); ++at) {
      Bins bins;
      CHECK_FALSE(load(whole.substr(0, at), 5, end, bins));
      for (int bit = 0; bit < 8; ++bit) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
        bins.clear();
        if (load(damaged, 5, end, bins)) CHECK(sound(bins, 5, end));
      }
    }
  }
}

TEST_CASE("bin rooms: the first of equals, and what fits best") {
  for (const PackInto into : {PackInto::first, PackInto::best}) {
    std::mt19937 random(3);
    BinRooms rooms(into);
    std::vector<int64_t> model;
    for (int step = 0; step < 20000; ++step) {
      const auto size = static_cast<int64_t>(1 + random() % 30);
      int64_t found = BinRooms::kNone;
      int64_t fullest = BinRooms::kNone;
      for (size_t bin = 0; bin < model.size(); ++bin) {
        if (model[bin] == 0) continue;
        if (fullest < 0 || model[bin] < model[static_cast<size_t>(fullest)])
          fullest = static_cast<int64_t>(bin);
        if (model[bin] < size) continue;
        const bool better =
            into == PackInto::best && found >= 0 && model[bin] < model[static_cast<size_t>(found)];
        if (found < 0 || better) found = static_cast<int64_t>(bin);
      }
      REQUIRE(rooms.find(size) == found);
      if (fullest >= 0) REQUIRE(rooms.fullest() == fullest);
      if (random() % 4 == 0 || fullest < 0) {
        model.push_back(static_cast<int64_t>(1 + random() % 30));
        rooms.add(model.back());
      } else {
        const int64_t bin = random() % 2 == 0 && found >= 0 ? found : fullest;
        model[static_cast<size_t>(bin)] =
            static_cast<int64_t>(random() % static_cast<uint32_t>(model[static_cast<size_t>(bin)]));
        rooms.set(bin, model[static_cast<size_t>(bin)]);
      }
      if (model.size() > 300) {
        rooms = BinRooms(into);
        model.clear();
      }
    }
  }
}

}  // namespace
}  // namespace weir
