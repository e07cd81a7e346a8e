// DiskBlocks: blocks of remote files in a folder (fs/block_folder.h), checksummed, so that a later epoch or
// another process need not fetch them again.
//
// What is kept: while there is room, every block that was read. Once the folder is full, a block takes the
// place of
//   - one that this iterator has not used and nobody else has since this iterator began, the one that was
//     used longest ago first; but only after this iterator has read as many bytes as the folder holds without
//     using such a block, since until then the folder may hold what comes later in the epoch;
//   - one of its own that a plan says is needed later, or not at all.
// Otherwise what was kept first stays. An order that repeats, as that of files read from beginning to end
// does, needs no plan: any part of it is as good as another, as long as it is kept.
//
// A damaged block is removed and counted. When nothing can be written, that is logged once, and from then on
// blocks are only read. May be used on any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/runtime.h"
#include "core/sync.h"
#include "fs/block_folder.h"
#include "fs/read_through.h"

namespace weir {

class DiskBlocks final : public BlockStore {
 public:
  static constexpr uint64_t kDefaultBytes = uint64_t{16} << 30;

  // `limit_bytes`: 0 is kDefaultBytes. Damaged blocks are counted in `counts`. `runtime` lives longer.
  DiskBlocks(Runtime& runtime, std::string folder, uint64_t limit_bytes, RefPtr<ReadCounts> counts);

  bool get(const Key& key, uint64_t block, std::span<uint8_t> out) override;
  void put(const Key& key, uint64_t block, std::span<const uint8_t> bytes) override;
  RefPtr<ReadPlan> plan() override;

 private:
  class Plan;
  // A block that this iterator has used, or that was there before.
  struct Known {
    BlockFolder::Block block;
    bool used = false;
    // The number of its file and block in the plan.
    uint64_t number = 0;
  };

  void begin();
  void shrink(std::vector<BlockFolder::Block>& found);
  void note_used(const BlockFolder::Block& block, uint64_t number);
  void forget(const std::string& key);
  std::optional<BlockFolder::Block> victim(int64_t next);
  std::optional<BlockFolder::Block> old_victim();
  int64_t next_use(uint64_t number) const;
  void change_next(uint64_t number, int64_t before);
  void give_up(const Status& why);
  void add_planned(uint64_t number, int64_t time);
  void reached(int64_t time);
  void end_plan();

  Runtime& runtime_;
  BlockFolder folder_;
  const RefPtr<ReadCounts> counts_;
  mutable Mutex mutex_;
  bool begun_ = false;
  bool writes_ = true;
  // When it began, as the folder's file system says.
  int64_t began_ns_ = 0;
  // Bytes that were not there, since an old block was used.
  uint64_t missed_bytes_ = 0;
  std::unordered_map<std::string, Known> known_;
  // The old blocks, the one that was used longest ago last; made when they may go.
  std::optional<std::vector<std::pair<int64_t, BlockFolder::Block>>> old_;
  // The plan: when each number is used, and all uses by time.
  bool planned_ = false;
  std::unordered_map<uint64_t, std::vector<int64_t>> uses_;
  std::deque<std::pair<int64_t, uint64_t>> line_;
  // What this iterator has used, by when it is needed next, and the keys of these blocks.
  std::set<std::pair<int64_t, uint64_t>> own_;
  std::unordered_map<uint64_t, std::string> own_keys_;
};

}  // namespace weir
