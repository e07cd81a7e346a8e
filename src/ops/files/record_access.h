// record_access: the records of files by their positions, of compressed ones where the compression has any.
// An index says where each is (format/record_index.h), and the format what it is (ops/files/record_rows.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dataset/access.h"
#include "dataset/params.h"
#include "format/record_index.h"
#include "ops/files/record_rows.h"

namespace weir {

// Opens files of these, of which few are open at once.
using FindIndex = std::function<Result<RefPtr<RecordIndex>>(FileSystem& files, const std::string& file)>;

// The records of the files one after another. A damaged record is an error in its place; the records after it
// are read. Where `find` fails, or comes to a failure(), that is one error after the records of the file.
// That a file has no positions is an error of the whole (failed_precondition).
Result<std::unique_ptr<Access>> record_access(Context& ctx, const std::vector<std::string>& files,
                                              Compression compression, std::unique_ptr<RecordRows> rows,
                                              const FindIndex& find);

// The same through indices of this format, of which missing ones are made.
Result<std::unique_ptr<Access>> indexed_access(Context& ctx, const std::vector<std::string>& files,
                                               const IndexedFormat& format, std::unique_ptr<RecordRows> rows);
// Whether each file has an index that fits, so that indexed_access() makes none.
bool have_indices(Context& ctx, const std::vector<std::string>& files, const IndexedFormat& format);

// What an operator says of files that can't be indexed: OperatorAccess::refuses; null if these can be.
inline const char* refuse_compressed(const StringParam& compression) {
  const bool plain = !compression.is_constant() || (*compression).empty();
  return plain ? nullptr : "files without compression, which alone can be indexed";
}

}  // namespace weir
