#include "fs/remote_files.h"

#include <set>
#include <utility>

#include "core/sync.h"
#include "fs/read_through.h"

namespace weir {

// The names that are locked.
class HeldLocks : public RefCounted {
 public:
  bool take(const std::string& name) {
    MutexLock lock(mutex_);
    return names_.insert(name).second;
  }
  void give(const std::string& name) noexcept {
    MutexLock lock(mutex_);
    names_.erase(name);
  }

 private:
  Mutex mutex_;
  std::set<std::string> names_;
};

namespace {

class NameLock final : public FileLock {
 public:
  NameLock(RefPtr<HeldLocks> held, std::string name) : held_(std::move(held)), name_(std::move(name)) {}
  ~NameLock() override { held_->give(name_); }

 private:
  const RefPtr<HeldLocks> held_;
  const std::string name_;
};

}  // namespace

RemoteFiles::RemoteFiles(RefPtr<RemoteStore> store, RefPtr<BlockCache> cache)
    : store_(std::move(store)), cache_(std::move(cache)), locks_(make_ref<HeldLocks>()) {}
RemoteFiles::~RemoteFiles() = default;

Result<RefPtr<RandomAccessFile>> RemoteFiles::do_open(const std::string& name) {
  WEIR_ASSIGN(OpenedRemote opened, store_->open(name));
  return cache_->wrap(name, std::move(opened));
}

Result<RefPtr<RandomAccessFile>> RemoteFiles::do_open_through(const std::string& name, ReadThrough& through) {
  WEIR_ASSIGN(OpenedRemote opened, store_->open(name));
  return cache_->wrap(name, read_through(name, std::move(opened), RefPtr<ReadThrough>(&through)));
}

Result<std::unique_ptr<WritableFile>> RemoteFiles::create(const std::string& name) {
  return store_->create(name);
}

Result<std::vector<std::string>> RemoteFiles::list_beginning(const std::string& folder,
                                                             const std::string& prefix, bool only_folders) {
  return store_->list(folder.ends_with('/') ? folder : folder + '/', prefix, only_folders);
}

Result<std::unique_ptr<FileLock>> RemoteFiles::try_lock(const std::string& name) {
  if (!locks_->take(name)) return std::unique_ptr<FileLock>();
  return std::unique_ptr<FileLock>(std::make_unique<NameLock>(locks_, name));
}

Status RemoteFiles::write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) {
  WEIR_ASSIGN(const std::unique_ptr<WritableFile> file, store_->create(name));
  WEIR_TRY(file->append(bytes));
  return file->close();
}

}  // namespace weir
