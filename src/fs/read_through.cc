#include "fs/read_through.h"

#include <algorithm>
#include <new>
#include <vector>

#include "core/exception.h"
#include "core/sync.h"
#include "fs/remote_store.h"

namespace weir {

RefPtr<ReadPlan> FileSystem::plan_reads() { return nullptr; }

namespace {

constexpr uint64_t kBlock = BlockStore::kBlockBytes;

// Reads of parts that are told as one.
class Joined : public RefCounted {
 public:
  Joined(size_t size, RemoteFile::Done done) : size_(size), done_(std::move(done)) {}

  void expect(size_t parts) { left_ = parts; }
  void part(size_t asked, const Result<size_t>& got) {
    {
      MutexLock lock(mutex_);
      if (!got.ok()) {
        if (failure_.ok()) failure_ = got.status();
      } else {
        missing_ += asked - std::min(asked, *got);
      }
      if (--left_ > 0) return;
    }
    if (!failure_.ok()) return done_(failure_);
    done_(size_ - missing_);
  }

 private:
  const size_t size_;
  const RemoteFile::Done done_;
  Mutex mutex_;
  size_t left_ = 0;
  size_t missing_ = 0;
  Status failure_;
};

class ThroughFile final : public RemoteFile {
 public:
  ThroughFile(const std::string& name, OpenedRemote opened, RefPtr<ReadThrough> through)
      : file_(std::move(opened.file)),
        key_{name, opened.info.version, opened.info.size},
        keeps_(through->blocks && !key_.version.empty()),
        through_(std::move(through)) {}

  void read(uint64_t offset, std::span<uint8_t> out, Done done) override {
    const std::vector<Part> parts = keeps_ ? missing_parts(offset, out) : std::vector<Part>{{0, out.size()}};
    if (parts.empty()) return done(out.size());
    auto joined = make_ref<Joined>(out.size(), std::move(done));
    joined->expect(parts.size());
    for (const Part& part : parts) {
      try {
        file_->read(offset + part.begin, out.subspan(part.begin, part.size),
                    [joined, counts = through_->counts, size = part.size](Result<size_t> got) {
                      if (got.ok()) counts->store_bytes.fetch_add(*got, std::memory_order_relaxed);
                      joined->part(size, got);
                    });
      } catch (const std::bad_alloc&) {
        joined->part(part.size, Status(out_of_memory()));
      }
    }
  }

  void give_up() noexcept override { file_->give_up(); }

  void used(uint64_t offset, std::span<const uint8_t> bytes, size_t size) override {
    through_->counts->memory_bytes.fetch_add(size, std::memory_order_relaxed);
    file_->used(offset, bytes, size);
    if (!keeps_) return;
    try {
      for (uint64_t at = 0; at < bytes.size(); at += kBlock)
        through_->blocks->put(key_, (offset + at) / kBlock, bytes.subspan(at, block_at(at, bytes.size())));
    } catch (const std::bad_alloc&) {
      // Then they are not kept.
    }
  }

 private:
  struct Part {
    size_t begin;
    size_t size;
  };

  static size_t block_at(uint64_t at, size_t size) {
    return static_cast<size_t>(std::min<uint64_t>(kBlock, size - at));
  }

  // Takes the blocks that are kept; returns the others, those that follow each other as one.
  std::vector<Part> missing_parts(uint64_t offset, std::span<uint8_t> out) {
    std::vector<Part> parts;
    for (size_t at = 0; at < out.size(); at += kBlock) {
      const size_t size = block_at(at, out.size());
      if (through_->blocks->get(key_, (offset + at) / kBlock, out.subspan(at, size))) {
        through_->counts->disk_bytes.fetch_add(size, std::memory_order_relaxed);
      } else if (!parts.empty() && parts.back().begin + parts.back().size == at) {
        parts.back().size += size;
      } else {
        parts.push_back({at, size});
      }
    }
    return parts;
  }

  const RefPtr<RemoteFile> file_;
  const BlockStore::Key key_;
  const bool keeps_;
  const RefPtr<ReadThrough> through_;
};

}  // namespace

OpenedRemote read_through(const std::string& name, OpenedRemote opened, RefPtr<ReadThrough> through) {
  FileInfo info = opened.info;
  return {make_ref<ThroughFile>(name, std::move(opened), std::move(through)), std::move(info)};
}

}  // namespace weir
