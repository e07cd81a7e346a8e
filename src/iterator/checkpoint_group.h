// CheckpointGroup: the checkpoints of all ranks of a job in a folder, for jobs that go on as another number of ranks.
//
// Each number of ranks that the job had is a group: a folder such as g00002-of-00008, with the generations of ranks 0 to
// 7 (checkpoint_folder.h). A group counts once each of its ranks has saved, so no rank may deliver anything before
// that: after it opened, a rank saves where it goes on, and waits until complete(). A job that is killed before that
// continues from the previous group. Rank 0 removes older groups when it saves in a complete one.
//
// Processes of an older group must be gone. Within a group each rank has one CheckpointGroup at a time. Its runtime
// outlives it. One thread at a time. Errors: those of the file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "iterator/checkpoint_folder.h"

namespace weir {

class CheckpointGroup {
 public:
  // Goes on in the newest group if it has as many ranks, else begins one. Creates folders that are missing.
  // REQUIRES: rank < size, keep > 0
  static Result<CheckpointGroup> open(Runtime& runtime, std::string folder, uint32_t rank, uint32_t size,
                                      int keep);

  // How many ranks the newest complete group had when this one opened; 0 if there was none.
  uint32_t saved_ranks() const { return source_ ? source_->size : 0; }
  // Whether that is the group that this rank saves in.
  bool goes_on() const { return source_ == own_; }
  bool has_as_many_ranks() const { return source_ && source_->size == own_.size; }
  // What CheckpointFolder::load() gives for a rank of it. REQUIRES: rank < saved_ranks()
  Result<Generation> load(uint32_t rank);

  // As CheckpointFolder::save().
  Result<int64_t> save(std::string_view position, std::string_view extra);
  // Whether all ranks of this group have saved.
  Result<bool> complete() const;

 private:
  struct Group {
    int64_t number = 0;
    uint32_t size = 0;

    std::string to_string() const;
    static std::optional<Group> parse(std::string_view name);
    bool operator==(const Group&) const = default;
    auto operator<=>(const Group&) const = default;
  };

  CheckpointGroup(Runtime& runtime, std::string folder, Group own, std::optional<Group> source, uint32_t rank,
                  CheckpointFolder files)
      : runtime_(&runtime),
        folder_(std::move(folder)),
        own_(own),
        source_(source),
        rank_(rank),
        files_(std::move(files)) {}

  // Ascending.
  static Result<std::vector<Group>> groups(FileSystem& files, const std::string& folder);
  static Result<bool> is_complete(FileSystem& files, const std::string& folder, const Group& group);
  void remove_older() noexcept;

  Runtime* runtime_;
  std::string folder_;
  Group own_;
  std::optional<Group> source_;
  uint32_t rank_;
  CheckpointFolder files_;
  // Whether older groups may be there.
  bool older_ = true;
};

}  // namespace weir
