// Elements that a first pass writes to a folder and later passes read from there, for `cache` with a file and
// `snapshot`.
//
// When a cursor opens, it looks at the folder. Elements of the same pipeline are read, and the input is not
// opened; those of another are an error. If there are none, the elements are passed on and written, and
// published when the input has ended and the consumer asks for more than all of them. A second writer, and
// one that continues from a saved position, pass the elements on without writing. A failure to write is one
// error; the elements follow. Runs ahead of its consumer on its own thread; opening reads the manifest, and
// so may wait for the disk.
#pragma once

#include <memory>
#include <string>

#include "dataset/operator.h"

namespace weir {

struct FileCacheOptions {
  std::string folder;
  // As in `compression` of snapshot; "auto" is allowed.
  std::string compression;
};

// Builds the dataset that reads or writes; for `expand`. invalid_argument if its elements can't be written.
Result<DatasetRef> build_file_cache(DatasetRef input, FileCacheOptions options, const BuildSite& site);
// Opens the result of build_file_cache(); `opening` is that of the operator that consists of it.
std::unique_ptr<Cursor> open_file_cache(Opening& opening, DatasetRef built);

}  // namespace weir
