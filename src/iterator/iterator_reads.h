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

// Ends what waits for a remote file in `files`, which iterator_reads() made, or others, for which nothing is
// done.
void give_up_reads(FileSystem& files) noexcept;

}  // namespace weir
