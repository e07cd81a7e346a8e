// The ten pipelines of the simulation, and what a seed makes of one: how many rows, which of them fail, which
// faults its files have, and the expected lines. Making a Case runs its pipeline once, on one thread; it owns
// its files, so readers must not outlive it. Errors are thrown as std::runtime_error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/block.h"
#include "core/spec.h"
#include "support/simulated_files.h"

namespace weir::sim {

inline constexpr uint64_t kPipelines = 15;

// Numbers that depend on a seed and not on the interleaving.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  // In [0, bound).
  uint64_t draw(uint64_t bound);
  bool one_in(uint64_t n) { return draw(n) == 0; }

 private:
  uint64_t state_;
};

struct Case {
  // The pipeline, and the same without anything that runs ahead, waits or works in parallel.
  std::string text;
  std::string plain;
  std::unique_ptr<SimulatedFileSystem> files;
  std::vector<std::string> expected;
};

// REQUIRES: number < kPipelines
Case make_case(uint64_t number, Dice& dice);

// A row as the test compares it: the printed element, or all of the error but its path, which differs between
// the two texts and only has to be there.
std::string line_of(const Spec& spec, const Block& block, int row);

}  // namespace weir::sim
