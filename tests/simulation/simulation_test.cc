// Whole pipelines under the simulated executor: one seed is one set of rows, faults, interleavings and events
// in the iterator's life, for each of the pipelines. WEIR_SIM_SEEDS sets how many seeds, WEIR_SIM_SEED
// runs a single one.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "simulation/life.h"
#include "support/probe.h"

namespace weir::sim {
namespace {

SimOptions draw_options(Dice& dice) {
  SimOptions options;
  uint64_t lanes = dice.draw(5);
  options.lanes = lanes == 0   ? SimOptions::Lanes::refusing
                  : lanes == 1 ? SimOptions::Lanes::stalled
                               : SimOptions::Lanes::working;
  options.compute_threads = 1 + static_cast<int>(dice.draw(3));
  options.blocking_threads = 1 + static_cast<int>(dice.draw(4));
  return options;
}

// One life in a world of its own; what it saved last is passed on to the next.
void run_life(const Case& what, Dice& dice, std::optional<Saved>& saved) {
  {
    SimWorld world(dice.draw(UINT64_MAX), draw_options(dice));
    Life life(world, what, static_cast<Life::Fate>(dice.draw(Life::kFates)), saved);
    life.begin();
    std::string failure = world.run();
    if (failure.empty()) failure = life.verdict();
    // Printed while the world stands: after a failure it cannot be taken down in order.
    if (!failure.empty()) FAIL(failure << "\n  so far: " << life.story());
    saved = life.saved();
  }
  REQUIRE(probe_counters().open == 0);
  REQUIRE(Owner::alive == 0);
}

void run_seed(uint64_t seed) {
  for (uint64_t number = 0; number < kPipelines; ++number) {
    Dice dice(seed * kPipelines + number);
    Case what = make_case(number, dice);
    INFO("WEIR_SIM_SEED=" << seed << ", pipeline " << number << ": " << what.text);
    std::optional<Saved> saved;
    for (uint64_t lives = 1 + dice.draw(3); lives > 0; --lives) run_life(what, dice, saved);
  }
}

TEST_CASE("simulation: fifteen pipelines through all that may befall an iterator", "[simulation]") {
  if (const char* one = std::getenv("WEIR_SIM_SEED")) return run_seed(std::strtoull(one, nullptr, 10));
  for (uint64_t seed = 0; seed < seed_count(500); ++seed) run_seed(seed);
}

}  // namespace
}  // namespace weir::sim
