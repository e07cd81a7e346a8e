#include "core/launcher.h"

#include <charconv>
#include <cstring>
#include <optional>

#include "core/text.h"

namespace weir {

namespace {

struct Launcher {
  const char* rank;
  const char* size;
  // The number that was asked for, which is set beside a rank even where nothing was launched.
  const char* asked = nullptr;
};

constexpr Launcher kLaunchers[] = {
    {"RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
    {"JOB_COMPLETION_INDEX", "WORLD_SIZE"},
};

std::optional<int64_t> number_of(const char* text) {
  int64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

World unknown(std::string reason) { return {0, 0, std::move(reason)}; }

World read(const Launcher& launcher, const char* rank, const char* size) {
  if (!size) return unknown(concat(launcher.rank, "=", quote(rank), " without ", launcher.size));
  const auto rank_number = number_of(rank);
  const auto size_number = number_of(size);
  if (!rank_number || !size_number || *rank_number < 0 || *rank_number >= *size_number) {
    return unknown(concat(launcher.rank, "=", quote(rank), " and ", launcher.size, "=", quote(size)));
  }
  return {*rank_number, *size_number, {}};
}

}  // namespace

World world_of(const std::function<const char*(const char*)>& variable) {
  for (const Launcher& launcher : kLaunchers) {
    const char* rank = variable(launcher.rank);
    const char* size = variable(launcher.size);
    if (rank && (size || !launcher.asked)) return read(launcher, rank, size);
  }
  for (const Launcher& launcher : kLaunchers) {
    const char* name = launcher.asked ? launcher.asked : launcher.size;
    const char* size = variable(name);
    if (size && number_of(size) != 1)
      return unknown(
          concat(name, "=", quote(size), " without ", launcher.asked ? launcher.size : launcher.rank));
  }
  // No launcher, or one of a single process.
  return {0, 1, {}};
}

}  // namespace weir
