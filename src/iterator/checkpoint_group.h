// CheckpointGroup: the checkpoints of all ranks of a job in a folder, for jobs whose number of ranks may
// change.
//
// Each time the number changes, a new group begins: a folder such as g00002-of-00008, with the generations of
// ranks 0 to 7 (checkpoint_folder.h). A group counts once each of its ranks has saved, so no rank may deliver
// anything before that: a rank opens, saves where it continues, and waits until complete(). A job that is
// killed before that continues from the previous group. Rank 0 removes older groups when it saves in a
// complete one.
//
// Processes of an older group must be gone. Within a group each rank has one CheckpointGroup at a time. Its
// runtime outlives it. One thread at a time. Errors: those of the file system.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "iterator/checkpoint_folder.h"

namespace weir {

struct GroupName {
  // From 1.
  int64_t number = 0;
  // The number of ranks.
  uint32_t size = 0;

  // "g00002-of-00008"
  std::string to_string() const;
  // Nothing unless to_string() gives this name.
  static std::optional<GroupName> parse(std::string_view folder);
  auto operator<=>(const GroupName&) const = default;
};

// The groups in a folder, the oldest first.
Result<std::vector<GroupName>> list_groups(FileSystem& files, const std::string& folder);

// How many ranks of a group have saved.
Result<uint32_t> count_saved_ranks(FileSystem& files, const std::string& folder, const GroupName& group);

class CheckpointGroup {
 public:
  // Continues the newest group if it has as many ranks, else begins one. Creates folders that are missing.
  // REQUIRES: rank < size, keep > 0
  static Result<CheckpointGroup> open(Runtime& runtime, std::string folder, uint32_t rank, uint32_t size,
                                      int keep);

  uint32_t rank() const { return files_.rank(); }
  uint32_t size() const { return own_.size; }

  // How many ranks the newest complete group had when this one opened; 0 if there was none.
  uint32_t saved_ranks() const { return source_ ? source_->size : 0; }
  // Whether that is the group that this rank saves in.
  bool goes_on() const { return source_ == own_; }
  bool has_as_many_ranks() const { return source_ && source_->size == own_.size; }
  // As CheckpointFolder::load(), for a rank of that group.
  // REQUIRES: rank < saved_ranks()
  Result<Generation> load(uint32_t rank);

  // As CheckpointFolder::save(). Rank 0 removes older groups if all ranks have saved, unless it could not
  // load one.
  Result<int64_t> save(std::string_view position, std::string_view extra);
  // Whether all ranks of this group have saved.
  Result<bool> complete() const;

 private:
  CheckpointGroup(Runtime& runtime, std::string folder, GroupName own, std::optional<GroupName> source,
                  CheckpointFolder files)
      : runtime_(&runtime),
        folder_(std::move(folder)),
        own_(own),
        source_(source),
        files_(std::move(files)) {}

  void remove_older() noexcept;

  Runtime* runtime_;
  std::string folder_;
  GroupName own_;
  std::optional<GroupName> source_;
  CheckpointFolder files_;
  // Whether older groups may be there.
  bool older_ = true;
  // Ranks whose generations are there and could not be loaded: as long as there are any, older groups stay.
  std::set<uint32_t> unread_;
};

}  // namespace weir
