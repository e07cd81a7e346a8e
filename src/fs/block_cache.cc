#include "fs/block_cache.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "core/buffer.h"
#include "core/exception.h"
#include "core/text.h"

namespace weir {

namespace {

// At one read.
constexpr size_t kMostAdded = 16;

}  // namespace

class Extent : public RefCounted {
 public:
  enum State : uint32_t { pending, ready, failed };

  Extent(RefPtr<CachedVersion> of, uint64_t at, size_t size)
      : version(std::move(of)), offset(at), data(Buffer::allocate(size)) {}
  uint64_t end() const { return offset + data->size(); }
  bool is_pending() const { return state_.load(std::memory_order_acquire) == pending; }
  void settle(State state) {
    state_.store(state, std::memory_order_release);
    state_.notify_all();
  }
  // Waits until it is there, or why it is not.
  const Status& wait() const {
    state_.wait(pending, std::memory_order_acquire);
    return failure;
  }

  const RefPtr<CachedVersion> version;
  const uint64_t offset;
  const BufferRef data;
  // Set before the state.
  Status failure;
  // Guarded by the cache's lock.
  std::list<RefPtr<Extent>>::iterator place{};
  bool kept = false;

 private:
  std::atomic<uint32_t> state_{pending};
};

class BlockCache::File final : public RandomAccessFile {
 public:
  File(RefPtr<BlockCache> cache, const std::string& name, OpenedRemote opened)
      : RandomAccessFile(name), cache_(std::move(cache)), size_(opened.info.size) {
    if (!opened.info.version.empty()) key_ = concat(name, '\0', opened.info.version, '\0', size_);
    reader_.opened = std::move(opened);
    cache_->begin(key_, reader_);
  }
  ~File() override {
    reader_.opened.file->give_up();
    cache_->end(key_, reader_);
  }

  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    if (offset >= size_ || out.empty()) return size_t{0};
    return cache_->read(reader_, offset, out);
  }
  Result<uint64_t> do_size() override { return size_; }

 private:
  const RefPtr<BlockCache> cache_;
  const uint64_t size_;
  // Empty: nobody else knows that it is the same version.
  std::string key_;
  CacheReader reader_;
};

BlockCache::BlockCache() = default;
BlockCache::~BlockCache() = default;

RefPtr<RandomAccessFile> BlockCache::wrap(const std::string& name, OpenedRemote opened) {
  return make_ref<File>(RefPtr<BlockCache>(this), name, std::move(opened));
}

uint64_t BlockCache::used_bytes() const {
  MutexLock lock(mutex_);
  return used_;
}

uint64_t BlockCache::capacity() const {
  return kSharedBytes + kStreamBytes * static_cast<uint64_t>(open_files_);
}

void BlockCache::begin(const std::string& key, CacheReader& reader) {
  MutexLock lock(mutex_);
  ++open_files_;
  if (key.empty()) {
    reader.version = make_ref<CachedVersion>();
  } else {
    RefPtr<CachedVersion>& shared = versions_[key];
    if (!shared) shared = make_ref<CachedVersion>();
    reader.version = shared;
  }
  ++reader.version->open_files;
}

void BlockCache::end(const std::string& key, CacheReader& reader) noexcept {
  // Freed without the lock.
  std::list<RefPtr<Extent>> dropped;
  MutexLock lock(mutex_);
  --open_files_;
  CachedVersion& version = *reader.version;
  if (--version.open_files == 0 && key.empty()) {
    for (const auto& [offset, extent] : version.extents) {
      if (!extent->kept) continue;
      used_ -= extent->data->size();
      extent->kept = false;
      dropped.splice(dropped.end(), kept_, extent->place);
    }
    version.extents.clear();
  } else if (version.open_files == 0 && version.extents.empty()) {
    versions_.erase(key);
  }
  while (used_ > capacity() && !kept_.empty()) {
    Extent& extent = *kept_.front();
    extent.version->extents.erase(extent.offset);
    used_ -= extent.data->size();
    extent.kept = false;
    dropped.splice(dropped.end(), kept_, extent.place);
  }
}

RefPtr<Extent> BlockCache::find(const CacheReader& reader, uint64_t offset) const {
  const auto& extents = reader.version->extents;
  auto after = extents.upper_bound(offset);
  if (after == extents.begin()) return nullptr;
  const RefPtr<Extent>& found = std::prev(after)->second;
  return offset < found->end() ? found : nullptr;
}

void BlockCache::forget(Extent& extent) {
  extent.version->extents.erase(extent.offset);
  used_ -= extent.data->size();
}

// Whether there is room for so many bytes, once what can be dropped was.
bool BlockCache::make_room(uint64_t bytes) {
  while (used_ + bytes > capacity() && !kept_.empty()) {
    const RefPtr<Extent> oldest = kept_.front();
    kept_.pop_front();
    oldest->kept = false;
    forget(*oldest);
  }
  return used_ + bytes <= capacity();
}

RefPtr<Extent> BlockCache::add(const CacheReader& reader, uint64_t offset, uint64_t most_bytes) {
  auto& extents = reader.version->extents;
  const uint64_t begin = offset / kBlockBytes * kBlockBytes;
  uint64_t end =
      std::min(begin + std::clamp(most_bytes / kBlockBytes, uint64_t{1}, kMostBlocks) * kBlockBytes,
               reader.opened.info.size);
  if (const auto after = extents.upper_bound(begin); after != extents.end())
    end = std::min(end, after->first);
  auto extent = make_ref<Extent>(reader.version, begin, static_cast<size_t>(end - begin));
  extents.emplace(begin, extent);
  used_ += end - begin;
  return extent;
}

// Adds what follows, as far as the reader reads ahead.
void BlockCache::add_ahead(CacheReader& reader, uint64_t from, std::vector<RefPtr<Extent>>& added) {
  const uint64_t until = std::min(reader.next + reader.ahead, reader.opened.info.size);
  for (uint64_t at = from; at < until && added.size() < added.capacity();) {
    if (const RefPtr<Extent> there = find(reader, at)) {
      at = there->end();
      continue;
    }
    const uint64_t run = std::clamp(reader.ahead / 4, kBlockBytes, kMostBlocks * kBlockBytes);
    if (!make_room(run)) return;
    try {
      added.push_back(add(reader, at, run));
    } catch (const std::bad_alloc&) {
      return;
    }
    at = added.back()->end();
  }
}

void BlockCache::ask(const CacheReader& reader, const RefPtr<Extent>& extent) {
  const std::span<uint8_t> out(extent->data->data(), extent->data->size());
  try {
    reader.opened.file->read(extent->offset, out,
                             [self = RefPtr<BlockCache>(this), extent, file = reader.opened.file](
                                 Result<size_t> got) { self->finish(extent, std::move(got)); });
  } catch (const std::bad_alloc&) {
    finish(extent, Status(out_of_memory()));
  }
}

void BlockCache::finish(const RefPtr<Extent>& extent, Result<size_t> got) {
  if (got.ok() && *got < extent->data->size()) {
    got = Status(
        Code::data_loss,
        expected_found(concat(extent->data->size(), " bytes at offset ", extent->offset), concat(*got)));
  }
  const bool there = got.ok();
  if (!there) extent->failure = got.status();
  {
    MutexLock lock(mutex_);
    if (!there) {
      forget(*extent);
    } else if (extent->version->extents.contains(extent->offset)) {
      extent->place = kept_.insert(kept_.end(), extent);
      extent->kept = true;
    } else {
      // Its file was closed meanwhile.
      used_ -= extent->data->size();
    }
  }
  extent->settle(there ? Extent::ready : Extent::failed);
}

Result<size_t> BlockCache::read(CacheReader& reader, uint64_t offset, std::span<uint8_t> out) {
  std::vector<RefPtr<Extent>> added;
  added.reserve(kMostAdded);
  RefPtr<Extent> extent;
  {
    MutexLock lock(mutex_);
    const bool in_order = offset == reader.next && reader.begun;
    extent = find(reader, offset);
    const bool waits = !extent || extent->is_pending();
    if (!in_order) {
      reader.ahead = 0;
    } else if (waits || reader.ahead == 0) {
      const uint64_t most = kStreamBytes + kSharedBytes / static_cast<uint64_t>(open_files_);
      reader.ahead = std::clamp(2 * reader.ahead, kBlockBytes, most);
    }
    reader.begun = true;
    reader.next = offset;
    if (!extent) {
      make_room(kBlockBytes);
      extent = add(reader, offset, reader.ahead / 4);
      added.push_back(extent);
    }
    if (reader.ahead > 0) add_ahead(reader, extent->end(), added);
  }
  for (const RefPtr<Extent>& each : added) ask(reader, each);
  WEIR_TRY(extent->wait());
  const size_t size = std::min<size_t>(out.size(), static_cast<size_t>(extent->end() - offset));
  std::memcpy(out.data(), extent->data->data() + (offset - extent->offset), size);
  MutexLock lock(mutex_);
  reader.next = offset + size;
  if (extent->kept) {
    const bool passed = reader.ahead > 0 && reader.next == extent->end();
    kept_.splice(passed ? kept_.begin() : kept_.end(), kept_, extent->place);
  }
  return size;
}

}  // namespace weir
