// iterator_reads: the files of one iterator, as its options say.
#pragma once

#include <memory>

#include "core/runtime.h"
#include "dataset/dataset.h"
#include "fs/read_through.h"

namespace weir {

struct IteratorReads {
  // Null if the runtime has none.
  std::shared_ptr<FileSystem> files;
  RefPtr<const ReadCounts> counts;
};

// Reads of remote files are counted, and their blocks kept on disk if options() say so. `in_parts`: few files
// are open at once, however many parts read.
IteratorReads iterator_reads(Runtime& runtime, const Dataset& root, bool in_parts);

// Sets Session::cancelled, and ends what waits for a remote file of the session's, if iterator_reads() made
// those.
void cancel_session(Session& session) noexcept;

}  // namespace weir
