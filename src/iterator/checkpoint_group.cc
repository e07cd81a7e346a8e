#include "iterator/checkpoint_group.h"

#include <algorithm>
#include <set>

#include "core/text.h"
#include "fs/file_system.h"
#include "iterator/numbered_names.h"

namespace weir {

std::string CheckpointGroup::Group::to_string() const {
  return concat("g", padded(static_cast<uint64_t>(number), 5), "-of-", padded(size, 5));
}

std::optional<CheckpointGroup::Group> CheckpointGroup::Group::parse(std::string_view name) {
  Group group;
  if (!name.starts_with('g')) return std::nullopt;
  std::string_view left = name.substr(1);
  if (!take_number(left, group.number, "-of-") || !take_number(left, group.size, "")) return std::nullopt;
  if (group.number < 1 || group.size < 1 || group.to_string() != name) return std::nullopt;
  return group;
}

Result<std::vector<CheckpointGroup::Group>> CheckpointGroup::groups(FileSystem& files,
                                                                    const std::string& folder) {
  WEIR_ASSIGN(const std::vector<std::string> names, files.list_folder(folder));
  std::vector<Group> out;
  for (const std::string& name : names) {
    if (const auto group = Group::parse(name)) out.push_back(*group);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Result<bool> CheckpointGroup::is_complete(FileSystem& files, const std::string& folder, const Group& group) {
  WEIR_ASSIGN(const auto names, list_generations(files, path_in(folder, group.to_string())));
  std::set<uint32_t> ranks;
  for (const GenerationName& name : names) {
    if (name.rank < group.size) ranks.insert(name.rank);
  }
  return ranks.size() == group.size;
}

Result<CheckpointGroup> CheckpointGroup::open(Runtime& runtime, std::string folder, uint32_t rank,
                                              uint32_t size, int keep) {
  FileSystem& files = *runtime.files;
  WEIR_TRY(files.create_folders(folder));
  WEIR_ASSIGN(const std::vector<Group> found, groups(files, folder));
  if (found.empty()) {
    WEIR_ASSIGN(const auto alone, list_generations(files, folder));
    if (!alone.empty()) {
      return failed_precondition(
          expected_found(concat("a folder of groups of ranks, or an empty one, in ", quote(folder)),
                         concat("generations of ranks by themselves, such as ", alone[0].to_string()),
                         "choose another folder, or leave world_size 0"));
    }
  }
  Group own{1, size};
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
  std::optional<Group> source;
  for (auto group = found.rbegin(); group != found.rend() && !source; ++group) {
    WEIR_ASSIGN(const bool complete, is_complete(files, folder, *group));
    if (complete) source = *group;
  }
  const std::string path = path_in(folder, own.to_string());
  WEIR_ASSIGN(CheckpointFolder own_files, CheckpointFolder::open(runtime, path, rank, keep));
  if (source != own) {
    // What a job left that was killed before all ranks had saved must not make the group complete.
    WEIR_ASSIGN(const auto left, list_generations(files, path));
    for (const GenerationName& name : left) {
      if (name.rank == rank) WEIR_TRY(files.remove(path_in(path, name.to_string())));
    }
  }
  return CheckpointGroup(runtime, std::move(folder), own, source, rank, std::move(own_files));
}

Result<Generation> CheckpointGroup::load(uint32_t rank) {
  if (goes_on() && rank == rank_) return files_.load();
  return CheckpointFolder::other(*runtime_, path_in(folder_, source_->to_string()), rank).load();
}

Result<bool> CheckpointGroup::complete() const { return is_complete(*runtime_->files, folder_, own_); }

Result<int64_t> CheckpointGroup::save(std::string_view position, std::string_view extra) {
  bool all_saved = false;
  if (rank_ == 0 && older_) {
    WEIR_ASSIGN(all_saved, complete());
  }
  // Syncs the group's folder, so that what the others saved is there for good before older groups go.
  WEIR_ASSIGN(const int64_t number, files_.save(position, extra));
  if (all_saved) remove_older();
  return number;
}

// What stays for want of memory goes at the next save.
void CheckpointGroup::remove_older() noexcept try {
  FileSystem& files = *runtime_->files;
  const auto all = groups(files, folder_);
  if (!all.ok()) return;
  older_ = false;
  for (const Group& group : *all) {
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
