#include "support/simulated_files.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "core/text.h"

namespace weir {

namespace {

// A counter-based generator: the n-th number of a seed and a name.
uint64_t draw(uint64_t seed, std::string_view name, uint64_t n) {
  uint64_t value = seed + n * 0x9e3779b97f4a7c15u;
  const auto mix = [&value] {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    value ^= value >> 31;
  };
  mix();
  for (char byte : name) {
    value += static_cast<unsigned char>(byte) + 1;
    mix();
  }
  return value;
}

class SimulatedFile final : public RandomAccessFile {
 public:
  SimulatedFile(std::string name, std::shared_ptr<const std::string> bytes, FileFaults faults)
      : RandomAccessFile(std::move(name)), bytes_(std::move(bytes)), faults_(faults) {}

  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    const uint64_t end = std::min<uint64_t>(bytes_->size(), faults_.truncated_size);
    if (offset >= end) return size_t{0};
    uint64_t size = std::min<uint64_t>(out.size(), end - offset);
    if (faults_.longest_read != 0) size = std::min<uint64_t>(size, faults_.longest_read);
    if (offset + size > faults_.read_error_offset) {
      // Like a disk: the bytes before the bad place can be read.
      if (offset >= faults_.read_error_offset) {
        return read_error(Code::data_loss, concat("cannot read ", quote(name()), ": planted fault"), name(),
                          static_cast<int64_t>(offset));
      }
      size = faults_.read_error_offset - offset;
    }
    std::memcpy(out.data(), bytes_->data() + offset, size);
    return static_cast<size_t>(size);
  }

  Result<uint64_t> do_size() override { return std::min<uint64_t>(bytes_->size(), faults_.truncated_size); }

 private:
  const std::shared_ptr<const std::string> bytes_;
  const FileFaults faults_;
};

}  // namespace

class SimulatedWritableFile final : public WritableFile {
 public:
  SimulatedWritableFile(SimulatedFileSystem& files, std::string name, uint64_t error_offset)
      : files_(files), name_(std::move(name)), error_offset_(error_offset) {}

  Status append(std::span<const uint8_t> bytes) override {
    if (bytes_.size() + bytes.size() > error_offset_) {
      return file_error(Code::resource_exhausted, concat("cannot write ", quote(name_), ": planted fault"),
                        name_);
    }
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    files_.put(name_, bytes_);
    return {};
  }
  Status sync() override { return {}; }
  Status close() override { return {}; }

 private:
  SimulatedFileSystem& files_;
  const std::string name_;
  const uint64_t error_offset_;
  std::string bytes_;
};

void SimulatedFileSystem::put(const std::string& name, std::string_view bytes) {
  Bytes stored = std::make_shared<const std::string>(bytes);
  MutexLock lock(mutex_);
  files_[name] = std::move(stored);
}

void SimulatedFileSystem::set_faults(const std::string& name, FileFaults faults) {
  MutexLock lock(mutex_);
  faults_[name] = faults;
}

FileFaults SimulatedFileSystem::faults_of(const std::string& name, uint64_t size) const {
  {
    MutexLock lock(mutex_);
    if (const auto found = faults_.find(name); found != faults_.end()) return found->second;
  }
  const auto strikes = [&](uint64_t n, uint32_t per_thousand) {
    return draw(plan_.seed, name, n) % 1000 < per_thousand;
  };
  FileFaults faults;
  faults.fails_to_open = strikes(0, plan_.open_failures);
  if (strikes(1, plan_.read_errors)) faults.read_error_offset = draw(plan_.seed, name, 2) % (size + 1);
  if (strikes(3, plan_.truncations)) faults.truncated_size = draw(plan_.seed, name, 4) % (size + 1);
  if (strikes(5, plan_.short_reads)) faults.longest_read = 1 + draw(plan_.seed, name, 6) % 64;
  return faults;
}

Result<RefPtr<RandomAccessFile>> SimulatedFileSystem::do_open(const std::string& name) {
  Bytes bytes;
  uint64_t opened = 0;
  {
    MutexLock lock(mutex_);
    if (const auto found = files_.find(name); found != files_.end()) bytes = found->second;
    opened = opened_[name]++;
  }
  if (!bytes) {
    WEIR_ASSIGN(const FileInfo info, stat(name));
    if (!info.is_folder)
      return read_error(Code::unavailable, concat(quote(name), " was being replaced"), name);
    return file_error(Code::invalid_argument, concat("cannot open ", quote(name), ": it is a folder"), name);
  }
  const FileFaults faults = faults_of(name, bytes->size());
  if (faults.fails_to_open || opened >= faults.openings) {
    return read_error(Code::unavailable, concat("cannot open ", quote(name), ": planted fault"), name);
  }
  return RefPtr<RandomAccessFile>(make_ref<SimulatedFile>(name, std::move(bytes), faults));
}

Status SimulatedFileSystem::check_no_folder(const std::string& name) {
  const Result<FileInfo> info = stat(name);
  if (!info.ok() || !info->is_folder) return {};
  return file_error(Code::invalid_argument, concat("cannot write ", quote(name), ": it is a folder"), name);
}

Result<std::unique_ptr<WritableFile>> SimulatedFileSystem::create(const std::string& name) {
  WEIR_TRY(check_no_folder(name));
  put(name, "");
  return std::unique_ptr<WritableFile>(
      std::make_unique<SimulatedWritableFile>(*this, name, faults_of(name, 0).append_error_offset));
}

Result<FileInfo> SimulatedFileSystem::stat(const std::string& name) {
  const std::string folder = name.ends_with('/') ? name : name + "/";
  MutexLock lock(mutex_);
  if (const auto found = files_.find(name); found != files_.end())
    return FileInfo{.size = found->second->size(), .version = "the only one"};
  const auto inside = files_.lower_bound(folder);
  const bool is_folder = name == "." || (inside != files_.end() && inside->first.starts_with(folder));
  if (is_folder) return FileInfo{.is_folder = true};
  return read_error(Code::not_found, concat("cannot look at ", quote(name), ": there is no such file"), name);
}

Result<std::vector<std::string>> SimulatedFileSystem::list_folder(const std::string& folder) {
  WEIR_ASSIGN(const FileInfo info, stat(folder));
  if (!info.is_folder) return file_error(Code::not_found, concat(quote(folder), " is no folder"), folder);
  const std::string prefix = folder == "." ? "" : folder.ends_with('/') ? folder : folder + "/";
  std::set<std::string> names;
  MutexLock lock(mutex_);
  for (const auto& [name, bytes] : files_) {
    if (name.size() > prefix.size() && name.starts_with(prefix)) {
      names.insert(name.substr(prefix.size(), name.find('/', prefix.size()) - prefix.size()));
    }
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Status SimulatedFileSystem::remove(const std::string& name) {
  MutexLock lock(mutex_);
  if (files_.erase(name) == 1) return {};
  return file_error(Code::not_found, concat("cannot remove ", quote(name), ": there is no such file"), name);
}

Status SimulatedFileSystem::remove_folder(const std::string& folder) {
  MutexLock lock(mutex_);
  // A folder is there as long as it has a file.
  const auto first = files_.lower_bound(folder + "/");
  const bool empty = first == files_.end() || !first->first.starts_with(folder + "/");
  if (empty) return {};
  return file_error(Code::failed_precondition, concat("cannot remove ", quote(folder), ": it is not empty"),
                    folder);
}

Status SimulatedFileSystem::create_folders(const std::string&) { return {}; }

Status SimulatedFileSystem::sync_folder(const std::string&) { return {}; }

Result<std::unique_ptr<FileLock>> SimulatedFileSystem::try_lock(const std::string& name) {
  return locks_.take(name);
}

Status SimulatedFileSystem::write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) {
  WEIR_TRY(check_no_folder(name));
  if (bytes.size() > faults_of(name, bytes.size()).append_error_offset) {
    return file_error(Code::resource_exhausted, concat("cannot write ", quote(name), ": planted fault"),
                      name);
  }
  put(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return {};
}

}  // namespace weir
