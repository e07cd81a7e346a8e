// TopPage: the state of a runtime's iterators, as text in a file in shared memory that `weir top` reads.
//
// A separate thread rewrites it twice a second; readers always see a whole file. It is removed with the
// TopPage. Errors are logged once, and nothing else fails because of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/runtime.h"
#include "core/sync.h"
#include "exec/ticker.h"
#include "iterator/iterator.h"

namespace weir::capi {

class TopPage {
 public:
  // `runtime` outlives it.
  explicit TopPage(Runtime& runtime);
  TopPage(const TopPage&) = delete;
  TopPage& operator=(const TopPage&) = delete;
  ~TopPage();

  // The iterator is shown until remove(), which waits while it is looked at.
  void add(Iterator& iterator);
  void remove(Iterator& iterator) noexcept;
  // "/dev/shm/weir-PID-N".
  const std::string& file() const { return file_; }

 private:
  struct Shown {
    Iterator* iterator;
    int number;
    IteratorStats last;
  };

  void write() noexcept;
  std::string text();

  Runtime& runtime_;
  const std::string file_;
  // Held while iterators are asked for their stats, which take leaves only.
  Mutex mutex_;
  std::vector<Shown> shown_;
  int last_number_ = 0;
  bool failed_ = false;
  // Last, so that it stops first.
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace weir::capi
