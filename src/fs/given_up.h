// GivenUp: whether somebody who reads remote files still wants to. An iterator has one for all its files:
// once it is cancelled, opening, reading and listing end early with Code::cancelled, if the file system asks.
//
//   const GivenUp::Scope scope(*mine);
//   files.open(name);  // the file keeps `mine` for its reads
//
// May be used on any thread.
#pragma once

#include <atomic>

#include "core/ref.h"

namespace weir {

class GivenUp : public RefCounted {
 public:
  void give_up() noexcept { value_.store(true, std::memory_order_relaxed); }
  bool value() const noexcept { return value_.load(std::memory_order_relaxed); }

  // On whose behalf this thread uses a file system.
  class Scope {
   public:
    explicit Scope(const GivenUp& reads) noexcept;
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    const GivenUp* const outer_;
  };
  // That of the innermost scope of this thread, or null.
  static RefPtr<const GivenUp> current() noexcept;

 private:
  std::atomic<bool> value_{false};
};

}  // namespace weir
