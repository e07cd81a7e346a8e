// SimulatedDisk: files in memory that lose what was not synced when the power fails.
//
// A file's bytes and the entries of each folder are synced separately, as on disks: syncing a file says
// nothing of its name. Every change is a step: creating, truncating, writing up to kWriteBytes, syncing,
// renaming, removing, making a folder. Power can be cut at any step. May be used on any thread. Files that
// were opened keep their bytes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/sync.h"
#include "fs/file_system.h"
#include "support/simulated_locks.h"

namespace weir {

class SimulatedDisk final : public FileSystem {
 public:
  static constexpr size_t kSectorBytes = 16;
  static constexpr size_t kWriteBytes = 64;

  SimulatedDisk();
  ~SimulatedDisk() override;

  int64_t steps() const;
  // Step `step`, counted from 0, and all later ones fail with unavailable until lose_power().
  void cut_power_at(int64_t step);

  // Which of the changes that were not synced survive: none, all, or each as the seed draws it. A write may
  // be torn into sectors, and a file may have grown without its bytes, which are then zero. A rename happens
  // or doesn't.
  enum class Survives : uint8_t { nothing, everything, drawn };
  // The power fails and comes back.
  void lose_power(Survives survives, uint64_t seed = 0);

  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override;
  Result<std::unique_ptr<WritableFile>> create(const std::string& name) override;
  Result<FileInfo> stat(const std::string& name) override;
  Result<std::vector<std::string>> list_folder(const std::string& folder) override;
  Status remove(const std::string& name) override;
  Status remove_folder(const std::string& folder) override;
  Status create_folders(const std::string& folder) override;
  Status sync_folder(const std::string& folder) override;
  Result<std::unique_ptr<FileLock>> try_lock(const std::string& name) override;
  Status write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) override;

 private:
  friend class DiskWritableFile;
  struct Node;
  using NodeRef = std::shared_ptr<Node>;
  struct Place;
  struct ReplaceSteps;
  struct FolderSteps;

  // All of these: REQUIRES: mutex_ is held.
  Status check_power(const std::string& name) const;
  Status step(const std::string& name);
  NodeRef find(const std::string& name) const;
  Result<Place> place_of(const std::string& name) const;
  // The empty file of that name, created or truncated.
  Result<NodeRef> emptied(const std::string& name);
  Status append(const NodeRef& file, const std::string& name, std::span<const uint8_t> bytes);
  Status sync_file(const NodeRef& file, const std::string& name);
  Status sync_names(const std::string& folder);

  mutable Mutex mutex_;
  const NodeRef root_;
  int64_t steps_ = 0;
  int64_t cut_at_ = INT64_MAX;
  SimulatedLocks locks_;
};

}  // namespace weir
