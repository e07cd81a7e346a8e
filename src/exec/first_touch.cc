#include "exec/first_touch.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace weir {
namespace {

constexpr size_t kPageSize = 4096;
// What one thread takes at a time; less is not worth a thread.
constexpr size_t kPieceBytes = size_t{16} << 20;
constexpr size_t kMostThreads = 16;

struct Pages {
  volatile uint8_t* data;
  size_t bytes;
  std::atomic<size_t> next{0};

  void touch() noexcept {
    for (size_t begin; (begin = next.fetch_add(kPieceBytes)) < bytes;) {
      const size_t end = std::min(bytes, begin + kPieceBytes);
      for (size_t at = begin; at < end; at += kPageSize) data[at] = 0;
    }
  }
};

}  // namespace

void touch_first(void* data, size_t bytes, int threads) noexcept {
  Pages pages{static_cast<uint8_t*>(data), bytes};
  const size_t pieces = (bytes + kPieceBytes - 1) / kPieceBytes;
  const size_t helpers =
      std::min({pieces, static_cast<size_t>(std::max(1, threads)), kMostThreads + 1}) - (bytes > 0 ? 1 : 0);
  std::array<pthread_t, kMostThreads> started;
  size_t count = 0;
  // The host's signal handlers run elsewhere.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto body = [](void* shared) -> void* {
    static_cast<Pages*>(shared)->touch();
    return nullptr;
  };
  while (count < helpers && ::pthread_create(&started[count], nullptr, body, &pages) == 0) ++count;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pages.touch();
  for (size_t i = 0; i < count; ++i) ::pthread_join(started[i], nullptr);
}

}  // namespace weir
