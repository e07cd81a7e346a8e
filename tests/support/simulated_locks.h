// SimulatedLocks: the locks of a simulated file system, by name. May be used on any thread; a lock may
// outlive it.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "core/sync.h"
#include "fs/file_system.h"

namespace weir {

class SimulatedLocks {
 public:
  // Null if somebody holds it.
  std::unique_ptr<FileLock> take(const std::string& name) {
    MutexLock lock(names_->mutex);
    if (!names_->held.insert(name).second) return nullptr;
    return std::make_unique<Lock>(names_, name);
  }
  // As if all who hold one had ended.
  void release_all() { names_ = std::make_shared<Names>(); }

 private:
  struct Names {
    Mutex mutex;
    std::set<std::string> held;
  };
  class Lock final : public FileLock {
   public:
    Lock(std::shared_ptr<Names> names, std::string name) : names_(std::move(names)), name_(std::move(name)) {}
    ~Lock() override {
      MutexLock lock(names_->mutex);
      names_->held.erase(name_);
    }

   private:
    const std::shared_ptr<Names> names_;
    const std::string name_;
  };

  std::shared_ptr<Names> names_ = std::make_shared<Names>();
};

}  // namespace weir
