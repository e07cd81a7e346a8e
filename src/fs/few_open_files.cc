#include "fs/few_open_files.h"

#include <list>
#include <utility>

#include "core/sync.h"
#include "core/text.h"

namespace weir {

namespace {

class ReopenedFile;

}  // namespace

// Those that are open, the one that was read last first.
class OpenFiles : public RefCounted {
 public:
  OpenFiles(FileSystem& files, size_t most, std::shared_ptr<FileSystem> owner)
      : files_(files), owner_(std::move(owner)), most_(most) {}

  // The open file, until it has been read; opens it if need be.
  Result<RefPtr<RandomAccessFile>> lease(ReopenedFile& file);
  // Has just been opened.
  void keep(ReopenedFile& file, RefPtr<RandomAccessFile> opened);
  // Null if it is closed.
  RefPtr<RandomAccessFile> opened(const ReopenedFile& file) const;
  void forget(ReopenedFile& file) noexcept;

 private:
  FileSystem& files_;
  const std::shared_ptr<FileSystem> owner_;
  const size_t most_;
  mutable Mutex mutex_;
  std::list<ReopenedFile*> used_;
};

namespace {

class ReopenedFile final : public RandomAccessFile {
 public:
  ReopenedFile(RefPtr<OpenFiles> open, const std::string& name, FileInfo info)
      : RandomAccessFile(name), open_(std::move(open)), info_(std::move(info)) {}
  ~ReopenedFile() override { open_->forget(*this); }

  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    WEIR_ASSIGN(const RefPtr<RandomAccessFile> file, open_->lease(*this));
    return file->do_read_at(offset, out);
  }
  Result<SharedBytes> do_share(uint64_t offset) override {
    WEIR_ASSIGN(const RefPtr<RandomAccessFile> file, open_->lease(*this));
    return file->do_share(offset);
  }
  Result<uint64_t> do_size() override {
    WEIR_ASSIGN(const RefPtr<RandomAccessFile> file, open_->lease(*this));
    return file->do_size();
  }
  Result<FileInfo> do_info() override { return info_; }
  uint64_t ahead_to_end() const override {
    const RefPtr<RandomAccessFile> file = open_->opened(*this);
    return file ? file->ahead_to_end() : 0;
  }
  void ask_ahead(uint64_t bytes) override {
    if (const RefPtr<RandomAccessFile> file = open_->opened(*this)) file->ask_ahead(bytes);
  }

 private:
  friend class weir::OpenFiles;
  const RefPtr<OpenFiles> open_;
  const FileInfo info_;
  // Guarded by the mutex of open_; null if it is closed.
  RefPtr<RandomAccessFile> file_;
  std::list<ReopenedFile*>::iterator place_;
};

}  // namespace

Result<RefPtr<RandomAccessFile>> OpenFiles::lease(ReopenedFile& file) {
  {
    MutexLock lock(mutex_);
    if (file.file_) {
      used_.splice(used_.begin(), used_, file.place_);
      return file.file_;
    }
  }
  WEIR_ASSIGN(RefPtr<RandomAccessFile> opened, files_.do_open(file.name()));
  WEIR_ASSIGN(const FileInfo now, opened->do_info());
  WEIR_TRY(check_unchanged(file.name(), now, file.info_));
  keep(file, opened);
  return opened;
}

void OpenFiles::keep(ReopenedFile& file, RefPtr<RandomAccessFile> opened) {
  // Closed without the lock.
  RefPtr<RandomAccessFile> closed;
  MutexLock lock(mutex_);
  if (file.file_) return;
  used_.push_front(&file);
  file.place_ = used_.begin();
  file.file_ = std::move(opened);
  if (used_.size() > most_) {
    closed = std::move(used_.back()->file_);
    used_.pop_back();
  }
}

RefPtr<RandomAccessFile> OpenFiles::opened(const ReopenedFile& file) const {
  MutexLock lock(mutex_);
  return file.file_;
}

void OpenFiles::forget(ReopenedFile& file) noexcept {
  RefPtr<RandomAccessFile> closed;
  MutexLock lock(mutex_);
  if (!file.file_) return;
  used_.erase(file.place_);
  closed = std::move(file.file_);
}

FewOpenFiles::FewOpenFiles(FileSystem& files, size_t most, std::shared_ptr<FileSystem> owner)
    : WrappedFiles(files), open_(make_ref<OpenFiles>(files, most, std::move(owner))) {}
FewOpenFiles::~FewOpenFiles() = default;

Result<RefPtr<RandomAccessFile>> FewOpenFiles::do_open(const std::string& name) {
  WEIR_ASSIGN(RefPtr<RandomAccessFile> opened, files_.do_open(name));
  WEIR_ASSIGN(FileInfo info, opened->do_info());
  auto file = make_ref<ReopenedFile>(open_, name, std::move(info));
  open_->keep(*file, std::move(opened));
  return RefPtr<RandomAccessFile>(std::move(file));
}

}  // namespace weir
