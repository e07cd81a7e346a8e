// What long work says on standard error: on a terminal a bar with rate and time left, elsewhere a plain line
// now and then.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace weir::command {

class Progress {
 public:
  // `total` bytes are to be done; 0: nobody knows.
  Progress(std::string what, uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap enough to be called for each record.
  void add(uint64_t bytes) {
    done_ += bytes;
    ++rows_;
    if ((rows_ & 255u) == 0 || bytes > kLargeBytes) show_if_due();
  }
  // Removes the bar.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kLargeBytes = uint64_t{1} << 20;
  void show_if_due();
  std::string line() const;

  const std::string what_;
  const uint64_t total_;
  const bool terminal_;
  const Clock::time_point begin_;
  Clock::time_point shown_;
  uint64_t done_ = 0;
  uint64_t rows_ = 0;
  bool visible_ = false;
};

}  // namespace weir::command
