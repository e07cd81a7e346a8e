// BlockCache: parts of remote files in memory, shared by all that one runtime reads, and reading ahead for
// those who read in order.
//
// A file is cut at multiples of kBlockBytes. An Extent is a run of one to kMostBlocks of them that is asked
// for at once. A read waits for the extent that it needs, which has all that it wants if there is room; if
// the file is read in order, those after it are asked for as well. How far ahead that goes doubles whenever
// the reader has to wait for one, up to two thirds of the file's share: kStreamBytes and as much of
// kSharedBytes as of any other open file. Readers may use an extent's bytes without a copy; it counts until
// nothing refers to it. The cache keeps at most the shares of all open files, and drops what was read past
// first, then what was used longest ago. A read that failed is told to those who wait for it, and one ahead
// to the first who wants its bytes; the next one asks again.
//
// May be used on any thread. Files are read, and threads woken, without the lock; under it only that of the
// spare pages is taken.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "core/ref.h"
#include "core/status.h"
#include "core/sync.h"
#include "fs/remote_store.h"

namespace weir {

class Extent;
class SparePages;

// The extents of a file in one version, by where they begin. Guarded by the cache's lock.
struct CachedVersion : public RefCounted {
  std::map<uint64_t, RefPtr<Extent>> extents;
  // Its name and version; empty if others cannot know that they read the same.
  std::string key;
  int open_files = 0;
};

// Who reads a file, and how far. Guarded by the cache's lock.
struct CacheReader {
  OpenedRemote opened;
  RefPtr<CachedVersion> version;
  // Where the last read ended, and how much is asked for ahead of it.
  uint64_t next = 0;
  uint64_t ahead = 0;
  bool begun = false;
  // It wanted more than the extent had.
  bool was_cut = false;
};

class BlockCache : public RefCounted {
 public:
  static constexpr uint64_t kBlockBytes = uint64_t{1} << 20;
  static constexpr uint64_t kMostBlocks = 4;
  static constexpr uint64_t kStreamBytes = uint64_t{8} << 20;
  // With spare pages, and what requests take beside it, up to 64 MiB.
  static constexpr uint64_t kSharedBytes = uint64_t{48} << 20;

  // What it keeps at most: so much for each open file, and so much for all.
  // REQUIRES: stream_bytes >= 2 * kBlockBytes
  explicit BlockCache(uint64_t stream_bytes = kStreamBytes, uint64_t shared_bytes = kSharedBytes);
  ~BlockCache() override;

  // A file whose reads go through the cache.
  RefPtr<RandomAccessFile> wrap(const std::string& name, OpenedRemote opened);
  // What all extents take, those that were asked for included, and those whose bytes are shared.
  uint64_t used_bytes() const;

 private:
  class File;
  using Versions = std::map<std::string, RefPtr<CachedVersion>>;

  void begin(std::string key, CacheReader& reader);
  void end(CacheReader& reader) noexcept;
  Result<RefPtr<Extent>> extent_at(CacheReader& reader, uint64_t offset, size_t bytes);
  void used(CacheReader& reader, Extent& extent, uint64_t offset, size_t size, bool was_cut);
  Result<size_t> read(CacheReader& reader, uint64_t offset, std::span<uint8_t> out);
  Result<SharedBytes> share(CacheReader& reader, uint64_t offset);
  uint64_t ahead_to_end(const CacheReader& reader) const;
  void ask_ahead(CacheReader& reader, uint64_t bytes);
  // The extent at `offset`; null if there is none.
  RefPtr<Extent> find(const CacheReader& reader, uint64_t offset) const;
  // Adds an extent from the block at `offset` on, of at most so many bytes.
  RefPtr<Extent> add(const CacheReader& reader, uint64_t offset, uint64_t most_bytes);
  // Those that one read asks for.
  struct Added;
  void add_ahead(CacheReader& reader, uint64_t from, Added& added);
  uint64_t most_ahead() const;
  void ask(const CacheReader& reader, const Added& added);
  void finish(const RefPtr<Extent>& extent, Result<size_t> got);
  bool make_room(uint64_t bytes);
  void keep(Extent& extent, bool next);
  void stop_ahead(CacheReader& reader);
  void drop(Extent& extent);
  void forget(Extent& extent);
  uint64_t capacity() const;

  const uint64_t stream_bytes_;
  const uint64_t shared_bytes_;
  const RefPtr<SparePages> spares_;
  mutable Mutex mutex_;
  Versions versions_;
  int64_t open_files_ = 0;
  // Those that are there, the next to be dropped first.
  std::list<Extent*> kept_;
};

}  // namespace weir
