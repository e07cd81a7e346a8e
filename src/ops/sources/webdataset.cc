// webdataset(files, fields, compression, num_parallel_reads, buffer_size): the elements of tar archives, each
// made of members that follow one another with one key, file after file or in turns. An element with a
// mistake is one error, as is a file that fails. Read ahead on the blocking lane. Checkpoint: the file, and
// the offset and the number of the next element.
#include "format/tar_reader.h"
#include "ops/files/fields_source.h"

namespace weir::webdataset_op {

const OperatorDef& definition();

namespace {

struct Archives {
  using Reader = TarReader;
  static constexpr const char* reader_name = "read_archives";
  static constexpr const char* fields_doc =
      "The members of an element, by their extensions: `{image: member(\"jpg\", \"jpeg\"), cls: string, txt: string = \"\", \"seg.png\": optional(string), \"__key__\": string}`.";
  static constexpr RefusesField refuses = refuse_tar_field;
  static constexpr IndexedFormat::Kind index = IndexedFormat::Kind::elements;
  static std::unique_ptr<RecordRows> rows(const std::vector<FieldType>& fields) { return tar_rows(fields); }
  static const OperatorDef& op() { return definition(); }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = FieldsSource<Archives>::define_with({
      .name = "webdataset",
      .page =
          {.doc =
               "Reads WebDataset tar archives: consecutive members with the same key form one element, a dict of strings in the order of `fields`. The key is the path up to the first dot of its last part; the rest after that dot is the extension, with ASCII letters in lower case. A field takes the member whose extension is its name, or the first there of `member(\"jpg\", \"jpeg\", \"png\")`; `\"__key__\"` and `\"__url__\"` are the key and the file. A member that is missing is `none` for `optional(string)`, the default of `txt: string = \"\"`, else an error. Members that no field takes are passed over, as are those without a dot or with a leading one in the last part, those in folders like `__meta__`, and all that are no regular files. ustar, GNU and pax archives are read; sparse members are passed over. An archive may end between any two members; one of no bytes has no elements. An element that lacks a member, or has two of one extension, is one error (invalid_argument) with file, offset and record, and the next element follows. A file that does not exist (not_found), is damaged or no archive (data_loss) or has a wanted member longer than the runtime's `record_bytes` (resource_exhausted) gives one error in place of its remaining elements, and the next file follows. Reads ahead of its consumer, on its own thread. Elements of uncompressed files are also read by their position (`global_shuffle`, `weir_dataset_at`) through an index of each file, which `weir index` makes, or the first such reading; then an element longer than `record_bytes` is one error in its place.",
           .cost =
               "Reading, decompressing, and a checksum per header. Strings are views of the read buffers; a member that lies in two of them is moved.",
           .example =
               R"(webdataset("tests/data/records/people.tar", {"__key__": string, txt: string, cls: string = "0"}))",
           .output = R"({__key__: "ada", txt: "engines", cls: "1"}
{__key__: "bob", txt: "boats", cls: "0"}
{__key__: "cyd", txt: "maps", cls: "2"})",
           .bench = R"(webdataset("ARCHIVE", {txt: string}))",
           .elsewhere = "WebDataset wds tar: webdataset(files, fields)"},
  });
  return def;
}

}  // namespace weir::webdataset_op
