// Npz: the arrays of one of NumPy's archives (.npz), whose rows are read together.
//
//   WEIR_ASSIGN(Npz npz, open_npz(files, "x.npz", nullptr));   // the directory and the headers
//   WEIR_TRY(check_arrays(npz, limit));                        // all bytes, before the first row
//
// Errors are those of zip.h and npy.h; they name the array.
#pragma once

#include <string>
#include <vector>

#include "core/spec.h"
#include "format/array_entries.h"
#include "format/zip.h"

namespace weir {

struct NpzArray {
  std::string name;
  ZipMember member;
  ArrayLayout layout;
  // Decompressed; null if its rows lie in the file, where `layout` says.
  BufferRef bytes;
};

struct Npz {
  RefPtr<RandomAccessFile> file;
  // In the order of the archive, or of the names that were asked for. At least one, all of one length.
  std::vector<NpzArray> arrays;

  int64_t rows() const { return arrays[0].layout.rows; }
  // A dict of the arrays' rows.
  Spec spec() const;
};

// `names`: which arrays, or null for all. invalid_argument for a name that isn't there, for arrays of unequal
// length, and where there is no array.
Result<Npz> open_npz(FileSystem& files, const std::string& file, const std::vector<std::string>* names);

// Checks the bytes of all arrays, and decompresses those that are compressed.
Status check_arrays(Npz& npz, uint64_t limit_bytes, size_t piece_bytes = kZipPieceBytes);

}  // namespace weir
