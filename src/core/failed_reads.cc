#include "core/failed_reads.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/error_state.h"
#include "core/exception.h"

namespace weir {

namespace {

bool alike(const Error& a, const Error& b) {
  return a.file == b.file && a.record == b.record && a.message == b.message && a.path == b.path;
}

}  // namespace

void FailedReads::add(const ErrorPtr& error) noexcept {
  if (error->position_lost) return;
  for (const ErrorPtr& other : error->parts.others) add(other);
  if (error->read == 0 || find(error->read)) return;
  try {
    list(*error);
  } catch (...) {
    keep_unlisted(error);
  }
}

void FailedReads::list(const Error& error) {
  Error listed = error;
  // The reader that answers it has not failed.
  listed.read_failed = false;
  listed.parts.others.clear();
  auto pointer = std::make_shared<const Error>(std::move(listed));
  const MutexLock lock(mutex_);
  add(error.read, std::move(pointer));
}

void FailedReads::list_the_rest() {
  for (;;) {
    ErrorPtr next;
    {
      const MutexLock lock(mutex_);
      if (lacked_memory_) throw std::bad_alloc();
      if (unlisted_count_ == 0) return;
      next = std::move(unlisted_[--unlisted_count_]);
    }
    try {
      list(*next);
    } catch (...) {
      keep_unlisted(next);
      throw;
    }
  }
}

void FailedReads::keep_unlisted(const ErrorPtr& error) noexcept {
  const MutexLock lock(mutex_);
  any_.store(true, std::memory_order_release);
  if (unlisted_count_ == kUnlisted)
    lacked_memory_ = true;
  else
    unlisted_[unlisted_count_++] = error;
}

// REQUIRES: locked
void FailedReads::add(uint64_t read, ErrorPtr error) {
  order_.push_back(read);
  try {
    errors_[read] = std::move(error);
  } catch (...) {
    order_.pop_back();
    throw;
  }
  any_.store(true, std::memory_order_release);
  if (order_.size() <= kMost) return;
  errors_.erase(order_.front());
  order_.pop_front();
}

ErrorPtr FailedReads::find(uint64_t read) const noexcept {
  if (empty()) return nullptr;
  const MutexLock lock(mutex_);
  const auto found = errors_.find(read);
  if (found != errors_.end()) return found->second;
  for (size_t i = 0; i < unlisted_count_; ++i) {
    if (unlisted_[i]->read == read) return unlisted_[i];
  }
  return nullptr;
}

void FailedReads::state(Archive& archive) {
  // The reads of each error.
  std::vector<std::pair<ErrorPtr, std::vector<uint64_t>>> files;
  if (!archive.loading()) {
    list_the_rest();
    const MutexLock lock(mutex_);
    std::unordered_multimap<std::string, size_t> by_name;
    for (const uint64_t read : order_) {
      const ErrorPtr& error = errors_.at(read);
      auto [at, end] = by_name.equal_range(error->file);
      while (at != end && !alike(*files[at->second].first, *error)) ++at;
      if (at == end) {
        at = by_name.emplace(error->file, files.size());
        files.emplace_back(error, std::vector<uint64_t>());
      }
      files[at->second].second.push_back(read);
    }
  }
  auto count = static_cast<int64_t>(files.size());
  archive("failed_files", count, 0, kMost);
  if (archive.loading()) return load(archive, archive.status().ok() ? count : 0);
  for (auto& [error, reads] : files) {
    Error written = *error;
    error_state(archive, written);
    archive("reads", reads);
  }
}

void FailedReads::load(Archive& archive, int64_t files) {
  for (int64_t i = 0; i < files && archive.status().ok(); ++i) {
    Error error;
    std::vector<uint64_t> reads;
    error_state(archive, error);
    archive("reads", reads);
    if (!archive.status().ok()) return;
    if (error.read_failed || error.position_lost || reads.empty() || reads.size() > kMost)
      return archive.fail("the list of files that could not be read is damaged");
    const auto pointer = std::make_shared<const Error>(std::move(error));
    const MutexLock lock(mutex_);
    for (const uint64_t read : reads) {
      if (!errors_.contains(read)) add(read, pointer);
    }
  }
}

Status failed_at(const Status& status, uint64_t read, int64_t record) {
  return status.ok() || !status.error().read_failed ? status : ended_at(status, read, record);
}

Status ended_at(const Status& status, uint64_t read, int64_t record) {
  if (status.ok()) return status;
  Error error = status.error();
  // A reader that answers it again stops after as many records as it says.
  const bool says_another = error.record >= 0 && error.record != std::max<int64_t>(0, record);
  if (!error.read_failed && says_another) return status;
  error.read_failed = error.read_failed || is_out_of_memory(error);
  error.read = read;
  if (error.record < 0 && record > 0) error.record = record;
  return Status(std::move(error));
}

}  // namespace weir
