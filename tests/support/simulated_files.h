// SimulatedFileSystem: files in memory, with faults that depend only on a seed and a file's name. May be used
// on any thread. Open files keep their bytes even when they are replaced or removed. Errors are the not_found
// and invalid_argument of local files, and the planted ones.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/sync.h"
#include "fs/file_system.h"
#include "support/simulated_locks.h"

namespace weir {

inline constexpr uint64_t kNowhere = UINT64_MAX;

// The faults that readers of one file meet, the same each time it is opened, but for `openings`.
struct FileFaults {
  bool fails_to_open = false;               // unavailable
  uint64_t read_error_offset = kNowhere;    // data_loss for reads that would reach beyond it
  uint64_t truncated_size = kNowhere;       // the file ends there
  size_t longest_read = 0;                  // reads give no more at once; 0: no bound
  uint64_t append_error_offset = kNowhere;  // resource_exhausted for writes that would reach beyond it
  uint64_t openings = kNowhere;             // after so many, it fails to open
};

// How many files in a thousand have each fault. Drawn from `seed` and the name, so that neither the order of
// calls nor the number of threads changes them.
struct FaultPlan {
  uint64_t seed = 0;
  uint32_t open_failures = 0;
  uint32_t read_errors = 0;
  uint32_t truncations = 0;
  uint32_t short_reads = 0;
};

class SimulatedFileSystem final : public FileSystem {
 public:
  explicit SimulatedFileSystem(FaultPlan plan = {}) : plan_(plan) {}

  // Adds a file, whatever the faults; folders follow from the names in them.
  void put(const std::string& name, std::string_view bytes);
  // Sets the faults of one file instead of those drawn; also for a file that will be created.
  void set_faults(const std::string& name, FileFaults faults);
  // The faults of a file of that name and size.
  FileFaults faults_of(const std::string& name, uint64_t size) const;

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
  friend class SimulatedWritableFile;
  using Bytes = std::shared_ptr<const std::string>;

  Status check_no_folder(const std::string& name);

  const FaultPlan plan_;
  mutable Mutex mutex_;
  std::map<std::string, Bytes> files_;
  std::map<std::string, uint64_t> opened_;
  std::map<std::string, FileFaults> faults_;
  SimulatedLocks locks_;
};

}  // namespace weir
