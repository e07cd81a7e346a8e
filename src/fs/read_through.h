// ReadThrough: what the reads of remote files go through on behalf of one iterator: counters, and a place
// that keeps blocks of files beyond the process. RemoteFiles (fs/remote_files.h) puts it between a store and
// the cache in memory.
//
// May be used on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "core/ref.h"

namespace weir {

struct OpenedRemote;  // fs/remote_store.h

// How many bytes came from where.
struct ReadCounts : public RefCounted {
  // Those that readers were given; all of them were in memory then.
  std::atomic<uint64_t> memory_bytes{0};
  std::atomic<uint64_t> disk_bytes{0};
  std::atomic<uint64_t> store_bytes{0};
  // Blocks on disk that were damaged.
  std::atomic<uint64_t> damaged_blocks{0};
};

// What will be read, in order, as far as that is known. The times are numbers that grow.
class ReadPlan : public RefCounted {
 public:
  // Whether more should be added.
  virtual bool wants_more() const = 0;
  // Bytes [begin, end) of a file are read at that time.
  // REQUIRES: not before the times that were added
  virtual void add(const std::string& file, uint64_t begin, uint64_t end, int64_t time) = 0;
  // What comes before this time has been read.
  virtual void reached(int64_t time) = 0;
};

// Keeps blocks of files: kBlockBytes at multiples of that, the last one of a file less. Both functions may
// block, and neither fails: a block that cannot be kept is not there.
class BlockStore : public RefCounted {
 public:
  static constexpr uint64_t kBlockBytes = uint64_t{1} << 20;

  struct Key {
    std::string file;
    std::string version;
    uint64_t file_size;
  };

  // False if it is not there.
  virtual bool get(const Key& key, uint64_t block, std::span<uint8_t> out) = 0;
  // Keeps it, if that serves what is read later.
  virtual void put(const Key& key, uint64_t block, std::span<const uint8_t> bytes) = 0;
  // A plan that holds until its last owner is gone. Null if there is such a plan.
  virtual RefPtr<ReadPlan> plan() = 0;
};

struct ReadThrough : public RefCounted {
  ReadThrough(RefPtr<ReadCounts> c, RefPtr<BlockStore> b) : counts(std::move(c)), blocks(std::move(b)) {}
  const RefPtr<ReadCounts> counts;
  // Null: none are kept.
  const RefPtr<BlockStore> blocks;
};

// A remote file that is read so. Blocks are kept once somebody has read them, and only of files with a
// version.
OpenedRemote read_through(const std::string& name, OpenedRemote opened, RefPtr<ReadThrough> through);

}  // namespace weir
