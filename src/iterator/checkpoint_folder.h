// CheckpointFolder: the checkpoints of one rank in a folder, as numbered generations of which the newest are
// kept.
//
// A generation (generation.h) is one file, r00003-000000000012.ckpt: rank 3, number 12. It appears whole or
// not at all, and a damaged one is recognised and passed over. Ranks share a folder and never touch each
// other's files; of one rank there is one CheckpointFolder at a time. Its runtime outlives it. One thread at
// a time. Errors: those of the file system.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/runtime.h"
#include "core/status.h"
#include "iterator/generation.h"

namespace weir {

// What the name of a file that is being written ends with.
inline constexpr std::string_view kTemporarySuffix = ".tmp";

// Removes a file if it is there; one that cannot be removed is logged.
void remove_or_warn(const Runtime& runtime, const std::string& path);

class CheckpointFolder {
 public:
  // Creates the folder if it is missing, and removes files that a killed writer of this rank left half
  // written.
  // REQUIRES: keep > 0
  static Result<CheckpointFolder> open(Runtime& runtime, std::string folder, uint32_t rank, int keep);
  // The folder of another process's rank, only to load from.
  static CheckpointFolder other(Runtime& runtime, std::string folder, uint32_t rank) {
    return {runtime, std::move(folder), rank, 1};
  }

  uint32_t rank() const { return rank_; }

  // Publishes `position`, from Iterator::save(), as the next generation and returns its number. Then removes
  // the oldest generations beyond `keep`, and those that load() found damaged. Others that load() skipped
  // don't count towards `keep`, and one that it could not read stays. A file that cannot be removed is
  // logged. After a failure all older ones are still there. resource_exhausted above the limit
  // checkpoint_bytes. Calls fsync twice.
  Result<int64_t> save(std::string_view position, std::string_view extra);

  // Returns the newest generation that is valid, its position included, and logs why newer ones were passed
  // over. not_found if there is none at all, data_loss if none is valid. A file that may be readable later,
  // or is only larger than the limit, is an error, since going back to an older one would lose work for
  // nothing: unavailable (also if the device reports damage), no permission, too many open files.
  Result<Generation> load();

 private:
  CheckpointFolder(Runtime& runtime, std::string folder, uint32_t rank, int keep)
      : runtime_(&runtime), folder_(std::move(folder)), rank_(rank), keep_(keep) {}

  // The numbers of this rank's files, ascending.
  Result<std::vector<int64_t>> generations();
  Result<Generation> read(int64_t number);
  Status remove_temporaries();
  std::vector<std::string> outdated_by_next(const std::vector<int64_t>& older) const;
  std::string path_of(int64_t number) const;

  Runtime* runtime_;
  std::string folder_;
  uint32_t rank_;
  int keep_;
  // What the last load() passed over, and those of them whose bytes are damaged. The others are intact, but
  // of another version or name, or their position is of no use: their extra bytes may be.
  std::set<int64_t> unusable_;
  std::set<int64_t> damaged_;
  // The one that the last load() could not read.
  std::set<int64_t> unread_;
};

}  // namespace weir
