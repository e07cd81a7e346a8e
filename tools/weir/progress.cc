#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "files.h"

namespace weir::command {

namespace {

constexpr auto kOnTerminal = std::chrono::milliseconds(100);
constexpr auto kElsewhere = std::chrono::seconds(10);
constexpr size_t kBarWidth = 24;

}  // namespace

Progress::Progress(std::string what, uint64_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()),
      shown_(begin_) {}

Progress::~Progress() { finish(); }

void Progress::finish() {
  if (visible_) std::fputs("\r\x1b[K", stderr);
  visible_ = false;
}

void Progress::show_if_due() {
  const Clock::time_point now = Clock::now();
  if (now - shown_ < (terminal_ ? Clock::duration(kOnTerminal) : Clock::duration(kElsewhere))) return;
  shown_ = now;
  const std::string text = line();
  if (terminal_) {
    std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
    visible_ = true;
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  std::fflush(stderr);
}

std::string Progress::line() const {
  const double seconds = std::chrono::duration<double>(shown_ - begin_).count();
  const double rate = static_cast<double>(done_) / std::max(seconds, 1e-9);
  const double part =
      total_ == 0 ? 0 : std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
  char numbers[128];
  // Of some elements it isn't known how many bytes of the file they were.
  const bool known = done_ > 0;
  std::snprintf(numbers, sizeof numbers, known ? "%s rows, %.1f MB/s" : "%s rows, %.0f rows/s",
                with_commas(rows_).c_str(),
                known ? rate / 1e6 : static_cast<double>(rows_) / std::max(seconds, 1e-9));
  std::string out = what_ + ": " + numbers;
  if (total_ == 0 || !known) return out;
  std::snprintf(numbers, sizeof numbers, ", %.0f %%, %.0f s left", 100 * part,
                static_cast<double>(total_ - std::min(done_, total_)) / std::max(rate, 1.0));
  out += numbers;
  if (!terminal_) return out;
  const auto full = static_cast<size_t>(part * kBarWidth);
  return "[" + std::string(full, '#') + std::string(kBarWidth - full, ' ') + "] " + out;
}

}  // namespace weir::command
