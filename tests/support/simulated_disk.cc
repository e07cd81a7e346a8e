#include "support/simulated_disk.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "fs/durable_steps.h"

namespace weir {

namespace {

// Sectors that a write to a file, or an entry of a folder, may lose.
class Draws {
 public:
  Draws(SimulatedDisk::Survives survives, uint64_t seed)
      : survives_(survives), state_(seed), often_(1 + next() % 3) {}

  bool survives() {
    if (survives_ != SimulatedDisk::Survives::drawn) return survives_ == SimulatedDisk::Survives::everything;
    return next() % 4 < often_;
  }

 private:
  uint64_t next() {
    uint64_t value = state_ += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
  }

  const SimulatedDisk::Survives survives_;
  uint64_t state_;
  // Of four changes, in this power failure.
  const uint64_t often_;
};

class DiskFile final : public RandomAccessFile {
 public:
  DiskFile(std::string name, std::string bytes)
      : RandomAccessFile(std::move(name)), bytes_(std::move(bytes)) {}

  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    const size_t from = std::min<uint64_t>(offset, bytes_.size());
    const size_t size = std::min(out.size(), bytes_.size() - from);
    std::memcpy(out.data(), bytes_.data() + from, size);
    return size;
  }
  Result<uint64_t> do_size() override { return bytes_.size(); }

 private:
  const std::string bytes_;
};

Status failure(Code code, std::string_view action, const std::string& name, std::string_view why) {
  return file_error(code, concat("cannot ", action, " ", quote(name), ": ", why), name);
}

}  // namespace

// A file or a folder: how it is now, how it is on the disk, and the changes in between, oldest first.
struct SimulatedDisk::Node {
  // Bytes from an offset on, or everything beyond the offset cut off.
  struct Write {
    size_t offset = 0;
    std::string bytes;
    bool cuts = false;
  };
  // `erased` and `set` may be empty; both are there for a rename, which is never torn.
  struct EntryChange {
    std::string erased;
    std::string set;
    NodeRef node;
  };
  using Entries = std::map<std::string, NodeRef>;

  explicit Node(bool folder) : is_folder(folder) {}

  void change(EntryChange entry) {
    apply(entry, entries);
    entry_changes.push_back(std::move(entry));
  }
  static void apply(const EntryChange& entry, Entries& to) {
    if (!entry.erased.empty()) to.erase(entry.erased);
    if (!entry.set.empty()) to[entry.set] = entry.node;
  }

  void write(Write change) {
    apply(change, bytes);
    writes.push_back(std::move(change));
  }
  static void apply(const Write& change, std::string& to) {
    if (change.cuts) return to.resize(change.offset);
    if (to.size() < change.offset + change.bytes.size()) to.resize(change.offset + change.bytes.size());
    to.replace(change.offset, change.bytes.size(), change.bytes);
  }

  void synced() {
    kept_bytes = bytes;
    kept_entries = entries;
    writes.clear();
    entry_changes.clear();
  }

  // Puts what the disk has after a power failure in place of what is now.
  void lose(Draws& draws) {
    for (const EntryChange& entry : entry_changes) {
      if (draws.survives()) apply(entry, kept_entries);
    }
    for (const Write& change : writes) lose(change, draws);
    entries = kept_entries;
    bytes = kept_bytes;
    synced();
    for (const auto& [name, node] : entries) node->lose(draws);
  }
  void lose(const Write& change, Draws& draws) {
    if (change.cuts) {
      if (draws.survives()) apply(change, kept_bytes);
      return;
    }
    for (size_t at = 0; at < change.bytes.size(); at += kSectorBytes) {
      const Write sector{change.offset + at, change.bytes.substr(at, kSectorBytes)};
      const size_t end = sector.offset + sector.bytes.size();
      if (draws.survives()) {
        apply(sector, kept_bytes);
      } else if (kept_bytes.size() < end && draws.survives()) {
        kept_bytes.resize(end);
      }
    }
  }

  const bool is_folder;
  std::string bytes, kept_bytes;
  std::vector<Write> writes;
  Entries entries, kept_entries;
  std::vector<EntryChange> entry_changes;
};

// Where a name stands: its folder, and what it is called there.
struct SimulatedDisk::Place {
  NodeRef folder;
  std::string folder_name;
  std::string name;
};

SimulatedDisk::SimulatedDisk() : root_(std::make_shared<Node>(true)) {}
SimulatedDisk::~SimulatedDisk() = default;

int64_t SimulatedDisk::steps() const {
  MutexLock lock(mutex_);
  return steps_;
}

void SimulatedDisk::cut_power_at(int64_t step) {
  MutexLock lock(mutex_);
  cut_at_ = step;
}

void SimulatedDisk::lose_power(Survives survives, uint64_t seed) {
  locks_.release_all();
  MutexLock lock(mutex_);
  Draws draws(survives, seed);
  root_->lose(draws);
  cut_at_ = INT64_MAX;
}

Status SimulatedDisk::check_power(const std::string& name) const {
  if (steps_ < cut_at_) return {};
  return failure(Code::unavailable, "use", name, "there is no power");
}

Status SimulatedDisk::step(const std::string& name) {
  WEIR_TRY(check_power(name));
  ++steps_;
  return {};
}

SimulatedDisk::NodeRef SimulatedDisk::find(const std::string& name) const {
  NodeRef node = root_;
  for (size_t begin = 0; begin < name.size() && node;) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    const auto found = node->entries.find(part);
    node = found == node->entries.end() ? nullptr : found->second;
  }
  return node;
}

Result<SimulatedDisk::Place> SimulatedDisk::place_of(const std::string& name) const {
  const size_t slash = name.rfind('/');
  Place place{.folder = nullptr,
              .folder_name = slash == std::string::npos ? "." : name.substr(0, slash),
              .name = slash == std::string::npos ? name : name.substr(slash + 1)};
  place.folder = find(place.folder_name);
  if (!place.folder || !place.folder->is_folder)
    return failure(Code::not_found, "use", name, "there is no such folder");
  if (const NodeRef node = find(name); place.name.empty() || (node && node->is_folder))
    return failure(Code::invalid_argument, "write", name, "it is a folder");
  return place;
}

Result<SimulatedDisk::NodeRef> SimulatedDisk::emptied(const std::string& name) {
  WEIR_ASSIGN(const Place place, place_of(name));
  WEIR_TRY(step(name));
  NodeRef file = find(name);
  if (file) {
    file->write({.bytes = "", .cuts = true});
  } else {
    file = std::make_shared<Node>(false);
    place.folder->change({.erased = "", .set = place.name, .node = file});
  }
  return file;
}

Status SimulatedDisk::append(const NodeRef& file, const std::string& name, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    WEIR_TRY(step(name));
    const auto part = bytes.first(std::min(bytes.size(), kWriteBytes));
    file->write({.offset = file->bytes.size(),
                 .bytes = std::string(reinterpret_cast<const char*>(part.data()), part.size())});
    bytes = bytes.subspan(part.size());
  }
  return {};
}

Status SimulatedDisk::sync_file(const NodeRef& file, const std::string& name) {
  WEIR_TRY(step(name));
  file->synced();
  return {};
}

Status SimulatedDisk::sync_names(const std::string& folder) {
  WEIR_TRY(step(folder));
  const NodeRef node = find(folder);
  if (!node) return failure(Code::not_found, "sync", folder, "there is no such folder");
  node->synced();
  return {};
}

class DiskWritableFile final : public WritableFile {
 public:
  DiskWritableFile(SimulatedDisk& disk, std::string name, SimulatedDisk::NodeRef file)
      : disk_(disk), name_(std::move(name)), file_(std::move(file)) {}

  Status append(std::span<const uint8_t> bytes) override {
    MutexLock lock(disk_.mutex_);
    return disk_.append(file_, name_, bytes);
  }
  Status sync() override {
    MutexLock lock(disk_.mutex_);
    return disk_.sync_file(file_, name_);
  }
  Status close() override { return {}; }

 private:
  SimulatedDisk& disk_;
  const std::string name_;
  const SimulatedDisk::NodeRef file_;
};

struct SimulatedDisk::ReplaceSteps {
  SimulatedDisk& disk;
  const Place& place;
  const std::string& temporary;
  NodeRef file;

  Status write(std::span<const uint8_t> bytes) { return disk.append(file, temporary, bytes); }
  Status sync() { return disk.sync_file(file, temporary); }
  Status rename() {
    WEIR_TRY(disk.step(place.name));
    place.folder->change({.erased = place.name + ".tmp", .set = place.name, .node = file});
    return {};
  }
  void discard() {
    if (disk.step(temporary).ok())
      place.folder->change({.erased = place.name + ".tmp", .set = "", .node = {}});
  }
  Status sync_folder() { return disk.sync_names(place.folder_name); }
};

struct SimulatedDisk::FolderSteps {
  SimulatedDisk& disk;

  Result<bool> make(const std::string& folder) {
    if (const NodeRef node = disk.find(folder)) {
      if (node->is_folder) return false;
      return failure(Code::already_exists, "create the folder", folder, "there is a file of that name");
    }
    WEIR_ASSIGN(const Place place, disk.place_of(folder));
    WEIR_TRY(disk.step(folder));
    place.folder->change({.erased = "", .set = place.name, .node = std::make_shared<Node>(true)});
    return true;
  }
  Status sync(const std::string& folder) { return disk.sync_names(folder); }
};

Result<RefPtr<RandomAccessFile>> SimulatedDisk::do_open(const std::string& name) {
  MutexLock lock(mutex_);
  WEIR_TRY(check_power(name));
  const NodeRef node = find(name);
  if (!node) return failure(Code::not_found, "open", name, "there is no such file");
  if (node->is_folder) return failure(Code::invalid_argument, "open", name, "it is a folder");
  return RefPtr<RandomAccessFile>(make_ref<DiskFile>(name, node->bytes));
}

Result<std::unique_ptr<WritableFile>> SimulatedDisk::create(const std::string& name) {
  MutexLock lock(mutex_);
  WEIR_ASSIGN(NodeRef file, emptied(name));
  return std::unique_ptr<WritableFile>(std::make_unique<DiskWritableFile>(*this, name, std::move(file)));
}

Result<FileInfo> SimulatedDisk::stat(const std::string& name) {
  MutexLock lock(mutex_);
  WEIR_TRY(check_power(name));
  const NodeRef node = find(name);
  if (!node) return failure(Code::not_found, "look at", name, "there is no such file");
  return FileInfo{.size = node->bytes.size(), .is_folder = node->is_folder};
}

Result<std::vector<std::string>> SimulatedDisk::list_folder(const std::string& folder) {
  MutexLock lock(mutex_);
  WEIR_TRY(check_power(folder));
  const NodeRef node = find(folder);
  if (!node || !node->is_folder) return failure(Code::not_found, "list", folder, "there is no such folder");
  std::vector<std::string> names;
  for (const auto& [name, entry] : node->entries) names.push_back(name);
  return names;
}

Status SimulatedDisk::remove(const std::string& name) {
  MutexLock lock(mutex_);
  WEIR_ASSIGN(const Place place, place_of(name));
  if (!find(name)) return failure(Code::not_found, "remove", name, "there is no such file");
  WEIR_TRY(step(name));
  place.folder->change({.erased = place.name, .set = "", .node = {}});
  return {};
}

Status SimulatedDisk::remove_folder(const std::string& folder) {
  MutexLock lock(mutex_);
  const NodeRef node = find(folder);
  if (!node || !node->is_folder || node == root_)
    return failure(Code::not_found, "remove", folder, "there is no such folder");
  if (!node->entries.empty())
    return failure(Code::failed_precondition, "remove", folder, "the folder is not empty");
  WEIR_TRY(step(folder));
  find(parent_of(folder))->change({.erased = folder.substr(folder.rfind('/') + 1), .set = "", .node = {}});
  return {};
}

Status SimulatedDisk::create_folders(const std::string& folder) {
  MutexLock lock(mutex_);
  FolderSteps steps{*this};
  return create_folders_in_order(steps, folder);
}

Status SimulatedDisk::sync_folder(const std::string& folder) {
  MutexLock lock(mutex_);
  return sync_names(folder);
}

Result<std::unique_ptr<FileLock>> SimulatedDisk::try_lock(const std::string& name) {
  {
    MutexLock lock(mutex_);
    WEIR_TRY(check_power(name));
    WEIR_TRY(place_of(name).status());
  }
  return locks_.take(name);
}

Status SimulatedDisk::write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) {
  MutexLock lock(mutex_);
  const std::string temporary = name + ".tmp";
  WEIR_ASSIGN(const Place place, place_of(name));
  WEIR_ASSIGN(NodeRef file, emptied(temporary));
  ReplaceSteps steps{*this, place, temporary, std::move(file)};
  return replace_in_order(steps, bytes);
}

}  // namespace weir
