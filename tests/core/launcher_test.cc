#include "core/launcher.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>

namespace weir {
namespace {

World of(const std::map<std::string, std::string>& environment) {
  return world_of([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

void check(const World& world, int64_t rank, int64_t size) {
  CHECK(world.known());
  CHECK(world.rank == rank);
  CHECK(world.size == size);
}

TEST_CASE("launcher: each launcher's variables are read") {
  check(of({{"RANK", "2"}, {"WORLD_SIZE", "8"}}), 2, 8);
  check(of({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "3"}}), 0, 3);
  check(of({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), 1, 2);
  check(of({{"SLURM_PROCID", "11"}, {"SLURM_STEP_NUM_TASKS", "12"}, {"SLURM_NTASKS", "24"}}), 11, 12);
  check(of({{"JOB_COMPLETION_INDEX", "4"}, {"WORLD_SIZE", "5"}}), 4, 5);
}

TEST_CASE("launcher: the first launcher whose rank is set counts") {
  // mpirun inside an allocation of Slurm, torchrun inside both.
  const std::map<std::string, std::string> slurm = {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}};
  auto mpi = slurm;
  mpi.insert({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}});
  check(of(mpi), 3, 4);
  mpi.insert({{"RANK", "5"}, {"WORLD_SIZE", "6"}});
  check(of(mpi), 5, 6);
  // A number of ranks alone says nothing.
  auto sized = slurm;
  sized.insert({"WORLD_SIZE", "6"});
  check(of(sized), 0, 1);
}

TEST_CASE("launcher: without one a process is the whole") {
  check(of({}), 0, 1);
  check(of({{"WORLD_SIZE", "1"}}), 0, 1);
  // Batch scripts of Slurm.
  check(of({{"SLURM_PROCID", "0"}}), 0, 1);
  check(of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}), 0, 1);
}

TEST_CASE("launcher: what is missing or wrong is named") {
  CHECK(of({{"WORLD_SIZE", "6"}}).reason == "WORLD_SIZE=\"6\" without RANK");
  const char* const outside_step = "SLURM_NTASKS=\"4\" without SLURM_STEP_NUM_TASKS";
  CHECK(of({{"SLURM_NTASKS", "4"}}).reason == outside_step);
  CHECK(of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}).reason == outside_step);
  CHECK(of({{"RANK", "5"}}).reason == "RANK=\"5\" without WORLD_SIZE");
  CHECK(of({{"JOB_COMPLETION_INDEX", "5"}}).reason == "JOB_COMPLETION_INDEX=\"5\" without WORLD_SIZE");
  for (const char* rank : {"", "x", "-1", "8", "1 ", "99999999999999999999"}) {
    const World world = of({{"RANK", rank}, {"WORLD_SIZE", "8"}});
    CHECK(!world.known());
    CHECK(world.reason == std::string("RANK=\"") + rank + "\" and WORLD_SIZE=\"8\"");
  }
  CHECK(!of({{"RANK", "0"}, {"WORLD_SIZE", "0"}}).known());
}

}  // namespace
}  // namespace weir
