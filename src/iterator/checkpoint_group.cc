#include "iterator/checkpoint_group.h"

#include <algorithm>
#include <set>

#include "core/text.h"
#include "fs/file_system.h"
#include "iterator/numbered_names.h"

namespace weir {

std::string GroupName::to_string() const {
  return concat("g", padded(static_cast<uint64_t>(number), 5), "-of-", padded(size, 5));
}

std::optional<GroupName> GroupName::parse(std::string_view name) {
  GroupName group;
  if (!name.starts_with('g')) return std::nullopt;
  std::string_view left = name.substr(1);
  if (!take_number(left, group.number, "-of-") || !take_number(left, group.size, "")) return std::nullopt;
  if (group.number < 1 || group.size < 1 || group.to_string() != name) return std::nullopt;
  return group;
}

Result<std::vector<GroupName>> list_groups(FileSystem& files, const std::string& folder) {
  WEIR_ASSIGN(const std::vector<std::string> names, files.list_folder(folder));
  std::vector<GroupName> out;
  for (const std::string& name : names) {
    if (const auto group = GroupName::parse(name)) out.push_back(*group);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Result<uint32_t> count_saved_ranks(FileSystem& files, const std::string& folder, const GroupName& group) {
  WEIR_ASSIGN(const auto names, list_generations(files, path_in(folder, group.to_string())));
  std::set<uint32_t> ranks;
  for (const GenerationName& name : names) {
    if (name.rank < group.size) ranks.insert(name.rank);
  }
  return static_cast<uint32_t>(ranks.size());
}

Result<CheckpointGroup> CheckpointGroup::open(Runtime& runtime, std::string folder, uint32_t rank,
                                              uint32_t size, int keep) {
  FileSystem& files = *runtime.files;
  WEIR_TRY(files.create_folders(folder));
  WEIR_ASSIGN(const std::vector<GroupName> found, list_groups(files, folder));
  if (found.empty()) {
    WEIR_ASSIGN(const auto alone, list_generations(files, folder));
    if (!alone.empty()) {
      return failed_precondition(
          expected_found(concat("a folder of groups of ranks, or an empty one, in ", quote(folder)),
                         concat("generations of ranks by themselves, such as ", alone[0].to_string()),
                         "choose another folder, or leave world_size 0"));
    }
  }
  GroupName own{1, size};
  if (!found.empty()) {
    own.number = found.back().number;
    if (found.back().size != size) {
      if (own.number == INT64_MAX) {
        return resource_exhausted(expected_found("a folder whose groups have numbers below the largest",
                                                 found.back().to_string(), "choose another folder"));
      }
      ++own.number;
    }
  }
  std::optional<GroupName> source;
  for (auto group = found.rbegin(); group != found.rend() && !source; ++group) {
    WEIR_ASSIGN(const uint32_t saved, count_saved_ranks(files, folder, *group));
    if (saved == group->size) source = *group;
  }
  const std::string path = path_in(folder, own.to_string());
  WEIR_ASSIGN(CheckpointFolder own_files, CheckpointFolder::open(runtime, path, rank, keep));
  if (source != own) {
    // What a job left that was killed before all of its ranks had saved must not make the group complete.
    WEIR_ASSIGN(const auto left, list_generations(files, path));
    for (const GenerationName& name : left) {
      if (name.rank == rank) WEIR_TRY(files.remove(path_in(path, name.to_string())));
    }
  }
  return CheckpointGroup(runtime, std::move(folder), own, source, std::move(own_files));
}

Result<Generation> CheckpointGroup::load(uint32_t rank) {
  Result<Generation> loaded =
      goes_on() && rank == this->rank()
          ? files_.load()
          : CheckpointFolder::other(*runtime_, path_in(folder_, source_->to_string()), rank).load();
  if (!loaded.ok() && loaded.status().code() != Code::not_found) {
    unread_.insert(rank);
  } else {
    unread_.erase(rank);
  }
  return loaded;
}

Result<bool> CheckpointGroup::complete() const {
  WEIR_ASSIGN(const uint32_t saved, count_saved_ranks(*runtime_->files, folder_, own_));
  return saved == own_.size;
}

Result<int64_t> CheckpointGroup::save(std::string_view position, std::string_view extra) {
  bool all_saved = false;
  if (rank() == 0 && older_ && unread_.empty()) {
    WEIR_ASSIGN(all_saved, complete());
  }
  // Syncs the group's folder, so that what the others saved is there for good before older groups go.
  WEIR_ASSIGN(const int64_t number, files_.save(position, extra));
  if (all_saved) remove_older();
  return number;
}

// If memory runs out, the next save removes the rest.
void CheckpointGroup::remove_older() noexcept try {
  FileSystem& files = *runtime_->files;
  const auto all = list_groups(files, folder_);
  if (!all.ok()) return;
  older_ = false;
  for (const GroupName& group : *all) {
    if (group.number >= own_.number) continue;
    const std::string path = path_in(folder_, group.to_string());
    const auto names = files.list_folder(path);
    if (!names.ok()) continue;
    for (const std::string& name : *names) {
      std::string_view whole = name;
      if (whole.ends_with(kTemporarySuffix)) whole.remove_suffix(kTemporarySuffix.size());
      if (GenerationName::parse(whole)) remove_or_warn(*runtime_, path_in(path, name));
    }
    // Fails if there is something else in it, which is not ours.
    (void)files.remove_folder(path);
  }
} catch (...) {
  older_ = true;
}

}  // namespace weir
