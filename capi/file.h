// Files that the library opened, for functions of the host that read them.
#pragma once

#include "capi/barrier.h"
#include "fs/file_system.h"

namespace weir::capi {

// A handle that weir_file_release frees.
weir_file publish_file(RefPtr<RandomAccessFile> file);

}  // namespace weir::capi
