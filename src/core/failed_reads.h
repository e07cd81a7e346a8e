// FailedReads: the files that an iterator could not read to their end, with their errors. Checkpoints list
// them. A reader that comes to a listed place again answers the listed error there, whether the file can be
// read now or not, so that all elements after it are the same as before.
//
// An error is listed once it has been given to the user or left out for good. What was read ahead is not
// listed and is read again. May be used on any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "core/archive.h"
#include "core/block.h"
#include "core/ref.h"
#include "core/status.h"
#include "core/sync.h"

namespace weir {

class FailedReads : public RefCounted {
 public:
  // When there are more, the oldest are forgotten.
  static constexpr size_t kMost = 4096;

  // Lists the error if it has the number of a read, and those that took the same row.
  void add(const ErrorPtr& error) noexcept;
  // Lists all such errors of a block.
  void add(const Block& block) noexcept {
    for (const RowError& error : block.errors) add(error.error);
  }
  // The listed error of that read, or null. Its record is the number of those before it, or -1 if there are
  // none.
  ErrorPtr find(uint64_t read) const noexcept;
  bool empty() const noexcept { return !any_.load(std::memory_order_acquire); }

  // Loading adds to what is listed. Saving throws std::bad_alloc if there is no memory for the list, or was
  // none for more than kUnlisted errors.
  void state(Archive& archive);

 private:
  static constexpr size_t kUnlisted = 16;

  void add(uint64_t read, ErrorPtr error);
  void list(const Error& error);
  void list_the_rest();
  void keep_unlisted(const ErrorPtr& error) noexcept;
  void load(Archive& archive, int64_t files);

  mutable Mutex mutex_;
  std::atomic<bool> any_{false};
  std::unordered_map<uint64_t, ErrorPtr> errors_;
  // Oldest first.
  std::deque<uint64_t> order_;
  // Those for which there was no memory, until there is.
  std::array<ErrorPtr, kUnlisted> unlisted_;
  size_t unlisted_count_ = 0;
  bool lacked_memory_ = false;
};

// The same error as that of the read with this number, which failed after `record` records; unchanged unless
// it says that a file could not be read.
Status failed_at(const Status& status, uint64_t read, int64_t record = -1);
// The same where any error, damage or a lack of memory too, ends the file.
Status ended_at(const Status& status, uint64_t read, int64_t record = -1);

}  // namespace weir
