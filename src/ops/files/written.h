// What save, load, snapshot and file cache do with folders of written elements (docs/written-format.md).
//
// Everything here blocks on files. Errors name the folder and say what to do; they do not name the operator.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/digest.h"
#include "core/runtime.h"
#include "core/spec.h"
#include "format/written_reader.h"
#include "format/written_writer.h"

namespace weir {

// What a pipeline writes: elements of this structure, to this folder.
struct Written {
  std::string folder;
  Spec spec;
  GraphDigest pipeline;
  Compression compression = Compression::none;
  int64_t shards = 1;
};

// invalid_argument for elements with nested datasets, which have no bytes.
Status check_writable(const Spec& spec);
Status check_folder_name(std::string_view folder);

// Nothing if the folder holds no elements.
Result<std::optional<WrittenManifest>> find_written(Runtime& runtime, const std::string& folder);
// The structure of what was written; data_loss if the manifest has none.
Result<Spec> spec_of_written(const WrittenManifest& manifest, const std::string& folder);
// failed_precondition if another pipeline wrote it, or elements of another structure; says what differs.
Status check_same(const WrittenManifest& manifest, const Written& here);
// Opens what was published last, through the files of the session.
Result<std::unique_ptr<WrittenReader>> open_written(Session& session, const std::string& folder,
                                                    const Spec& spec, WrittenManifest manifest);
// Null if another writer has the folder.
Result<std::unique_ptr<WrittenWriter>> begin_written(Runtime& runtime, const Written& here);

}  // namespace weir
