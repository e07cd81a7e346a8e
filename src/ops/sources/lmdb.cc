// lmdb(files, fields, where, nulls, num_parallel_reads): the entries of LMDB databases, in the order of their
// keys. A file that fails is one error. Read ahead on the blocking lane. Checkpoint: the file and the number
// of the next entry.
#include "format/tables/lmdb.h"

#include "ops/files/table_source.h"

namespace weir::lmdb_op {

const OperatorDef& definition();

namespace {

struct Lmdb {
  static constexpr const char* reader_name = "read_lmdb";
  static constexpr RefPtr<const TableFormat> (*format)() = lmdb_format;
  static constexpr const char* column = nullptr;
  static constexpr bool has_no_nulls = true;
  static const OperatorDef& op() { return definition(); }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = TableSource<Lmdb>::define_with({
      .name = "lmdb",
      .page =
          {.doc =
               "Reads LMDB databases: each entry is a dict of two strings, `key` and `value`, in the order of the keys. `files` names the files with the data, which LMDB calls data.mdb in the folder of a database. It reads the state that the last transaction committed and takes no locks, so no process may write to the database meanwhile. Values are not read where only keys are used. Named databases, several values for a key (MDB_DUPSORT) and files of machines with 32 bits or the other byte order are not supported (unimplemented, data_loss). The names must be known when the dataset is built, unless `fields` says the structure; it cannot be built if the first file cannot be read then (not_found, data_loss). A file that is missing or damaged gives one error in place of its remaining entries, with the offset of the page, and the next file follows. Without `where`, elements are also read by their position (`global_shuffle`, `partition`, `weir_dataset_at`). Reads ahead of its consumer, on its own thread.",
           .cost =
               "A read of each page, of 256 KiB where pages follow one another, and a copy of keys and values. By position, and after a restore, first one pass over all leaves of the tree, which are most of a database with values under 2 KB; 16 bytes are kept for each leaf.",
           .example = R"(lmdb("tests/golden/data/words.mdb") | take(2))",
           .output = R"({key: "a", value: "1"}
{key: "aaefgdfbjahjfijbf", value: ""})",
           .elsewhere = "LMDBDataset lmdb.open read_lmdb: lmdb(files)"},
  });
  return def;
}

}  // namespace weir::lmdb_op
