// index_of: the index of a file, found or made. It is looked for next to the file, and then in the cache
// folder, under a name made of the file's; a new one is written there if it can't be written
// next to the file. Of several processes, or threads, that need one at once, one makes it and the others
// wait.
#pragma once

#include <string>

#include "core/runtime.h"
#include "format/record_index.h"

namespace weir {

// One that can't be written is made, and a warning says so; that of a file with a failure() is not written.
// Errors are those of reading and making it.
// REQUIRES: `files` are the session's, or lead to them; the session's outlive the index
Result<RefPtr<RecordIndex>> index_of(Context& ctx, FileSystem& files, const std::string& name,
                                     const IndexedFormat& format);

// Whether there is one that fits.
bool have_index(Context& ctx, const std::string& name, const IndexedFormat& format);

}  // namespace weir
