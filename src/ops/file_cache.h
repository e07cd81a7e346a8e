// Elements that a first pass writes to a folder and later ones read from there: what `cache` with a file and `snapshot`
// stand for.
//
// What is in the folder when a cursor opens decides: elements of the same pipeline are read, and the input is not
// opened; those of another are an error. If there are none, the elements are passed on and written, and published when
// the input ends. A second writer, and one that goes on from a saved position, pass the elements on without writing. A
// failure to write is one error; the elements follow. Runs ahead of its consumer on a thread of its own; opening reads
// the manifest, and so may wait for the disk.
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
// Opens what build_file_cache() built; `opening` is that of the operator that stands for it.
std::unique_ptr<Cursor> open_file_cache(Opening& opening, DatasetRef built);

}  // namespace weir
