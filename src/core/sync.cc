#include "core/sync.h"

namespace weir {

void Mutex::lock_slow() {
  if (SyncHooks* hooks = sync_hooks()) {
    hooks->switch_point();
    while (!try_lock()) hooks->wait_turn();
    return;
  }
  for (int spin = 0; spin < 64; ++spin) {
    if (try_lock()) return;
  }
  while (state_.exchange(2, std::memory_order_acquire) != 0) state_.wait(2);
}

}  // namespace weir
