// File systems of the host: a weir_file_system taken over, as a RemoteStore. Its destroy function runs
// exactly once: when the last file of it is closed and the runtime is gone, or when taking it over fails.
#pragma once

#include <string>
#include <vector>

#include "capi/barrier.h"
#include "fs/remote_store.h"

namespace weir::capi {

struct TakenFileSystem {
  std::vector<std::string> schemes;
  RefPtr<RemoteStore> store;
};

// invalid_argument if it is not a valid one.
Result<TakenFileSystem> take_file_system(const weir_file_system* given);

}  // namespace weir::capi
