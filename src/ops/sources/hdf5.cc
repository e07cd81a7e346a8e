// hdf5(files, fields, where, nulls, num_parallel_reads): the datasets of HDF5 files as the columns of a
// table, whose rows are those of their first dimension. A file that fails is one error. Read ahead on the
// blocking lane. Checkpoint: the file and the number of the next row.
#include "ops/files/table_source.h"

namespace weir::hdf5_op {

const OperatorDef& definition();

namespace {

struct Hdf5 {
  static constexpr const char* reader_name = "read_hdf5";
  static constexpr RefPtr<const TableFormat> (*format)() = nullptr;
  static constexpr const char* column = nullptr;
  static constexpr bool has_no_nulls = true;
  static const OperatorDef& op() { return definition(); }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = TableSource<Hdf5>::define_with({
      .name = "hdf5",
      .page =
          {.doc =
               "Reads HDF5 files: element i is a dict with slice i of each HDF5 dataset along its first dimension. The slice of a one-dimensional HDF5 dataset is a number, of others a tensor. The columns are `fields`, or all datasets in the order of their names; one in a group has the name `\"group/name\"`. Datasets of different lengths cannot be rows of one table (invalid_argument), so `fields` then says which to read. Integers, floats and booleans keep their dtypes, whatever their byte order; enumerations are their integers; text of fixed or variable length is string. Scalars, compound types, references, opaque and variable-length data, virtual datasets, external files and links, and filters other than deflate, shuffle, fletcher32, szip, nbit and scaleoffset are left out, and not supported if `fields` asks for them (unimplemented). Columns that nothing uses are not read. `where` is asked about each row, since the format has no statistics. A file that is missing or damaged gives one error in place of its remaining rows, which names the dataset, and the next file follows; by position, a damaged chunk fails its own rows only. Without `where`, elements are also read by their position (`global_shuffle`, `partition`, `weir_dataset_at`). Reads ahead of its consumer, on its own thread. Needs the extension weir-parquet (failed_precondition).",
           .cost =
               "Opening a file reads the headers of all its datasets. Then reading and decompressing each chunk of the columns that are used once, and a copy of what is in it. In memory are the chunks of about 1 MiB of rows of each column, or one row of chunks if that is larger, and 8 MiB. By position, a read of each run of neighbours, and of each chunk that it lies in: chunks of one row are read at random soonest.",
           .elsewhere = "h5py File HDF5Matrix read_hdf IODataset.from_hdf5: hdf5(files)"},
  });
  return def;
}

}  // namespace weir::hdf5_op
