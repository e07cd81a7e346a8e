#include "fs/block_cache.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "core/exception.h"
#include "core/text.h"

namespace weir {

namespace {

constexpr uint64_t kFirstBytes = uint64_t{256} << 10;

// Pages that go back to the system at once: malloc would keep parts of what extents of several sizes leave.
struct Pages {
  Pages() = default;
  explicit Pages(size_t bytes)
      : data(static_cast<uint8_t*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0))),
        size(bytes) {
    if (data == MAP_FAILED) throw std::bad_alloc();
  }
  Pages(Pages&& other) noexcept
      : data(std::exchange(other.data, nullptr)), size(std::exchange(other.size, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data, other.data);
    std::swap(size, other.size);
    return *this;
  }
  ~Pages() {
    if (size > 0) ::munmap(data, size);
  }

  // The first so many bytes, which this no longer has.
  Pages split(size_t bytes) {
    Pages out;
    out.data = std::exchange(data, data + bytes);
    out.size = bytes;
    size -= bytes;
    return out;
  }
  // Takes what begins where this ends.
  void append(Pages&& next) { size += std::exchange(next.size, 0); }

  uint8_t* data = nullptr;
  size_t size = 0;
};

}  // namespace

// Pages that extents no longer use. The system clears those that it gives, which takes as long as to read
// what comes into them.
class SparePages : public RefCounted {
 public:
  static constexpr size_t kMostBytes = size_t{12} << 20;
  static constexpr size_t kMost = 16;

  SparePages() { spares_.reserve(kMost + 1); }

  // Uninitialised bytes, which count as lent until the last owner of the buffer goes.
  BufferRef get(size_t size) { return make_ref<PageBuffer>(RefPtr<SparePages>(this), take(size), size); }
  uint64_t lent_bytes() const { return lent_bytes_.load(std::memory_order_relaxed); }

 private:
  class PageBuffer final : public Buffer {
   public:
    PageBuffer(RefPtr<SparePages> spares, Pages pages, size_t size)
        : Buffer(pages.data, size), spares_(std::move(spares)), pages_(std::move(pages)) {
      spares_->lent_bytes_.fetch_add(size, std::memory_order_relaxed);
    }

   protected:
    ~PageBuffer() override {
      spares_->lent_bytes_.fetch_sub(size_, std::memory_order_relaxed);
      spares_->put(std::move(pages_));
    }

   private:
    const RefPtr<SparePages> spares_;
    Pages pages_;
  };

  Pages take(size_t size) {
    const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    size = (std::max<size_t>(1, size) + page - 1) / page * page;
    MutexLock lock(mutex_);
    const auto found = std::find_if(spares_.begin(), spares_.end(),
                                    [size](const Pages& spare) { return spare.size >= size; });
    if (found == spares_.end()) {
      lock.unlock();
      return Pages(size);
    }
    bytes_ -= size;
    Pages out = found->split(size);
    if (found->size == 0) spares_.erase(found);
    return out;
  }

  void put(Pages pages) {
    MutexLock lock(mutex_);
    bytes_ += pages.size;
    for (size_t i = spares_.size(); i-- > 0;) {
      Pages& spare = spares_[i];
      if (spare.data + spare.size == pages.data) {
        spare.append(std::move(pages));
        pages = std::move(spare);
      } else if (pages.data + pages.size == spare.data) {
        pages.append(std::move(spare));
      } else {
        continue;
      }
      spares_.erase(spares_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    spares_.push_back(std::move(pages));
    // The oldest go.
    while (bytes_ > kMostBytes || spares_.size() > kMost) {
      Pages& oldest = spares_.front();
      const size_t more = bytes_ > kMostBytes ? bytes_ - kMostBytes : oldest.size;
      bytes_ -= oldest.split(std::min(more, oldest.size)).size;
      if (oldest.size == 0) spares_.erase(spares_.begin());
    }
  }

  Mutex mutex_;
  std::vector<Pages> spares_;
  size_t bytes_ = 0;
  std::atomic<uint64_t> lent_bytes_{0};
};

class Extent : public RefCounted {
 public:
  enum State : uint32_t { pending, ready, failed };

  Extent(RefPtr<CachedVersion> of, uint64_t at, BufferRef bytes)
      : version(std::move(of)), offset(at), size(bytes->size()), data(std::move(bytes)) {}
  uint64_t end() const { return offset + size; }
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
  const size_t size;
  // Null once reading ahead failed.
  BufferRef data;
  // Set before the state.
  Status failure;
  // Guarded by the cache's lock. Its place among those that are kept; while it is not, that is in `own`.
  std::list<Extent*> own{this};
  const std::list<Extent*>::iterator place = own.begin();
  bool kept = false;
  // Somebody will read it who asked for it ahead, so it is not kept yet and cannot be dropped.
  bool awaited = false;
  // Somebody waits for it.
  bool wanted = false;
  bool there = false;
  // It failed, and no reader has been told.
  bool untold = false;
  std::atomic<bool> was_read{false};

 private:
  std::atomic<uint32_t> state_{pending};
};

struct BlockCache::Added {
  std::array<RefPtr<Extent>, 16> extents;
  size_t count = 0;
  void push_back(RefPtr<Extent> extent) { extents[count++] = std::move(extent); }
};

class BlockCache::File final : public RandomAccessFile {
 public:
  File(RefPtr<BlockCache> cache, const std::string& name, OpenedRemote opened)
      : RandomAccessFile(name), cache_(std::move(cache)), size_(opened.info.size) {
    // Without a version nobody else can know that it is the same.
    std::string key;
    if (!opened.info.version.empty()) key = concat(name, '\0', opened.info.version, '\0', size_);
    reader_.opened = std::move(opened);
    cache_->begin(std::move(key), reader_);
  }
  ~File() override {
    reader_.opened.file->give_up();
    cache_->end(reader_);
  }

  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    if (offset >= size_ || out.empty()) return size_t{0};
    return with_name(cache_->read(reader_, offset, out), offset);
  }
  Result<SharedBytes> do_share(uint64_t offset) override {
    if (offset >= size_) return SharedBytes{};
    return with_name(cache_->share(reader_, offset), offset);
  }
  Result<uint64_t> do_size() override { return size_; }
  Result<FileInfo> do_info() override { return reader_.opened.info; }
  uint64_t ahead_to_end() const override { return cache_->ahead_to_end(reader_); }
  void ask_ahead(uint64_t bytes) override { cache_->ask_ahead(reader_, bytes); }

 private:
  template <class T>
  Result<T> with_name(Result<T> got, uint64_t offset) const {
    if (got.ok() || !got.status().error().file.empty()) return got;
    return read_error(got.status().code(), got.status().error().what(), name(), static_cast<int64_t>(offset));
  }

  const RefPtr<BlockCache> cache_;
  const uint64_t size_;
  CacheReader reader_;
};

BlockCache::BlockCache(uint64_t stream_bytes, uint64_t shared_bytes)
    : stream_bytes_(stream_bytes), shared_bytes_(shared_bytes), spares_(make_ref<SparePages>()) {}
// Extents and their versions refer to each other.
BlockCache::~BlockCache() {
  for (const auto& [key, version] : versions_) version->extents.clear();
}

RefPtr<RandomAccessFile> BlockCache::wrap(const std::string& name, OpenedRemote opened) {
  return make_ref<File>(RefPtr<BlockCache>(this), name, std::move(opened));
}

uint64_t BlockCache::used_bytes() const { return spares_->lent_bytes(); }

uint64_t BlockCache::capacity() const {
  return shared_bytes_ + stream_bytes_ * static_cast<uint64_t>(open_files_);
}

void BlockCache::begin(std::string key, CacheReader& reader) {
  MutexLock lock(mutex_);
  const auto known = versions_.find(key);
  if (known != versions_.end()) {
    reader.version = known->second;
  } else {
    reader.version = make_ref<CachedVersion>();
    reader.version->key = std::move(key);
    if (!reader.version->key.empty()) versions_.emplace(reader.version->key, reader.version);
  }
  ++open_files_;
  ++reader.version->open_files;
}

void BlockCache::end(CacheReader& reader) noexcept {
  MutexLock lock(mutex_);
  --open_files_;
  stop_ahead(reader);
  CachedVersion& version = *reader.version;
  if (--version.open_files == 0 && version.key.empty()) {
    // Those that are pending are forgotten when they come.
    for (const auto& [offset, extent] : version.extents) {
      if (extent->there) drop(*extent);
    }
    version.extents.clear();
  } else if (version.open_files == 0 && version.extents.empty()) {
    versions_.erase(version.key);
  }
  make_room(0);
}

RefPtr<Extent> BlockCache::find(const CacheReader& reader, uint64_t offset) const {
  const auto& extents = reader.version->extents;
  auto after = extents.upper_bound(offset);
  if (after == extents.begin()) return nullptr;
  const RefPtr<Extent>& found = std::prev(after)->second;
  return offset < found->end() ? found : nullptr;
}

// It can be dropped from now on: next, or after all others.
void BlockCache::keep(Extent& extent, bool next) {
  extent.awaited = false;
  auto& from = extent.kept ? kept_ : extent.own;
  kept_.splice(next ? kept_.begin() : kept_.end(), from, extent.place);
  extent.kept = true;
}

// What was asked for ahead of a reader that goes elsewhere can be dropped.
void BlockCache::stop_ahead(CacheReader& reader) {
  auto& extents = reader.version->extents;
  for (auto next = extents.begin(); next != extents.end();) {
    const RefPtr<Extent> extent = (next++)->second;
    if (extent->untold) {
      forget(*extent);
    } else if (extent->awaited && extent->there) {
      keep(*extent, true);
    }
    extent->awaited = false;
  }
}

void BlockCache::drop(Extent& extent) {
  if (extent.kept) extent.own.splice(extent.own.begin(), kept_, extent.place);
  extent.kept = false;
}

void BlockCache::forget(Extent& extent) {
  drop(extent);
  extent.untold = false;
  const RefPtr<CachedVersion> version = extent.version;
  version->extents.erase(extent.offset);
  if (version->extents.empty() && version->open_files == 0) versions_.erase(version->key);
}

// Whether there is room for so many bytes, once what can be dropped was.
bool BlockCache::make_room(uint64_t bytes) {
  while (used_bytes() + bytes > capacity() && !kept_.empty()) forget(*kept_.front());
  return used_bytes() + bytes <= capacity();
}

RefPtr<Extent> BlockCache::add(const CacheReader& reader, uint64_t offset, uint64_t most_bytes) {
  auto& extents = reader.version->extents;
  const uint64_t begin = offset / kBlockBytes * kBlockBytes;
  uint64_t end =
      std::min(begin + std::clamp(most_bytes / kBlockBytes, uint64_t{1}, kMostBlocks) * kBlockBytes,
               reader.opened.info.size);
  if (const auto after = extents.upper_bound(begin); after != extents.end())
    end = std::min(end, after->first);
  auto extent = make_ref<Extent>(reader.version, begin, spares_->get(static_cast<size_t>(end - begin)));
  extents.emplace(begin, extent);
  return extent;
}

// Adds what follows, as far as the reader reads ahead.
void BlockCache::add_ahead(CacheReader& reader, uint64_t from, Added& added) {
  const uint64_t until = std::min(reader.next + reader.ahead, reader.opened.info.size);
  for (uint64_t at = from; at < until && added.count < added.extents.size();) {
    if (const RefPtr<Extent> there = find(reader, at)) {
      at = there->end();
      continue;
    }
    const uint64_t run = std::clamp(reader.ahead / 4, kBlockBytes, kMostBlocks * kBlockBytes);
    if (!make_room(run)) return;
    try {
      const RefPtr<Extent> extent = add(reader, at, run);
      extent->awaited = true;
      at = extent->end();
      added.push_back(extent);
    } catch (const std::bad_alloc&) {
      return;
    }
  }
}

// The rest of the share is for the extent that is being read, and for one that reaches further.
uint64_t BlockCache::most_ahead() const {
  return (stream_bytes_ + shared_bytes_ / static_cast<uint64_t>(open_files_)) * 2 / 3;
}

void BlockCache::ask(const CacheReader& reader, const Added& added) {
  for (size_t i = 0; i < added.count; ++i) {
    const RefPtr<Extent>& extent = added.extents[i];
    const std::span<uint8_t> out(extent->data->data(), extent->data->size());
    try {
      reader.opened.file->read(extent->offset, out,
                               [self = RefPtr<BlockCache>(this), extent, file = reader.opened.file](
                                   Result<size_t> got) { self->finish(extent, std::move(got)); });
    } catch (const std::bad_alloc&) {
      finish(extent, Status(out_of_memory()));
    }
  }
}

uint64_t BlockCache::ahead_to_end(const CacheReader& reader) const {
  MutexLock lock(mutex_);
  return reader.next + reader.ahead >= reader.opened.info.size ? reader.ahead : 0;
}

void BlockCache::ask_ahead(CacheReader& reader, uint64_t bytes) {
  Added added;
  {
    MutexLock lock(mutex_);
    reader.begun = true;
    reader.ahead = std::min(bytes, most_ahead());
    add_ahead(reader, 0, added);
  }
  ask(reader, added);
}

void BlockCache::finish(const RefPtr<Extent>& extent, Result<size_t> got) {
  if (got.ok() && *got < extent->size) {
    got = Status(Code::data_loss,
                 expected_found(concat(extent->size, " bytes at offset ", extent->offset), concat(*got)));
  }
  const bool there = got.ok();
  if (!there) extent->failure = got.status();
  {
    MutexLock lock(mutex_);
    if (!there && extent->awaited && !extent->wanted && extent->version->open_files > 0) {
      extent->untold = true;
      extent->data = nullptr;
    } else if (!there) {
      forget(*extent);
    } else if (extent->version->extents.contains(extent->offset)) {
      extent->there = true;
      if (!extent->awaited) keep(*extent, false);
    }
  }
  extent->settle(there ? Extent::ready : Extent::failed);
}

// Waits for the extent at `offset`, and asks for what `bytes` from there on and reading ahead need besides.
// What another reader asked for and gave up is asked for again.
Result<RefPtr<Extent>> BlockCache::extent_at(CacheReader& reader, uint64_t offset, size_t bytes) {
  Added added;
  RefPtr<Extent> extent;
  {
    MutexLock lock(mutex_);
    // The rest of a read that one extent had not all of tells nothing of order.
    const bool in_order = offset == reader.next && reader.begun && (reader.ahead > 0 || !reader.was_cut);
    extent = find(reader, offset);
    const bool waits = !extent || extent->is_pending();
    if (!in_order) {
      if (reader.ahead > 0) stop_ahead(reader);
      reader.ahead = 0;
    } else if (waits || reader.ahead == 0) {
      reader.ahead = std::clamp(2 * reader.ahead, kBlockBytes, most_ahead());
    }
    reader.begun = true;
    reader.next = offset;
    if (!extent) {
      const uint64_t wanted = (offset % kBlockBytes + bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
      const bool fits = make_room(std::min(wanted, kMostBlocks * kBlockBytes));
      extent = add(reader, offset, std::max(reader.ahead / 4, fits ? wanted : kBlockBytes));
      added.push_back(extent);
    }
    if (reader.ahead > 0) add_ahead(reader, extent->end(), added);
    extent->wanted = true;
    if (extent->untold) forget(*extent);
  }
  ask(reader, added);
  const Status& found = extent->wait();
  if (found.ok()) return extent;
  const bool is_own = added.count > 0 && added.extents[0] == extent;
  return found.code() == Code::cancelled && !is_own ? extent_at(reader, offset, bytes) : found;
}

// Notes that `size` bytes of the extent were used, from `offset` on.
void BlockCache::used(CacheReader& reader, Extent& extent, uint64_t offset, size_t size, bool was_cut) {
  const size_t fresh = extent.was_read.exchange(true, std::memory_order_relaxed) ? 0 : extent.data->size();
  reader.opened.file->used(extent.offset, {extent.data->data(), fresh}, size);
  MutexLock lock(mutex_);
  reader.next = offset + size;
  reader.was_cut = was_cut && reader.next < reader.opened.info.size;
  if (extent.kept || extent.awaited) keep(extent, reader.ahead > 0 && reader.next == extent.end());
}

Result<size_t> BlockCache::read(CacheReader& reader, uint64_t offset, std::span<uint8_t> out) {
  WEIR_ASSIGN(const RefPtr<Extent> extent, extent_at(reader, offset, out.size()));
  const size_t size = std::min<size_t>(out.size(), static_cast<size_t>(extent->end() - offset));
  std::memcpy(out.data(), extent->data->data() + (offset - extent->offset), size);
  used(reader, *extent, offset, size, size < out.size());
  return size;
}

// Before it is known that the file is read in order, little is taken at once: the next read tells.
Result<SharedBytes> BlockCache::share(CacheReader& reader, uint64_t offset) {
  WEIR_ASSIGN(const RefPtr<Extent> extent, extent_at(reader, offset, kFirstBytes));
  const uint64_t begin = offset - extent->offset;
  uint64_t end = extent->data->size();
  {
    MutexLock lock(mutex_);
    if (reader.ahead == 0) end = std::min(end, begin + kFirstBytes);
  }
  used(reader, *extent, offset, static_cast<size_t>(end - begin), false);
  return SharedBytes{extent->data, static_cast<size_t>(begin), static_cast<size_t>(end)};
}

}  // namespace weir
