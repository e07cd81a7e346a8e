// jsonl(files, fields, compression, num_parallel_reads, buffer_size): the objects of files of JSON lines,
// file after file or in turns. A line with a mistake is one error, as is a file that fails. Read ahead on the
// blocking lane. Checkpoint: the file, the offset and the number of the next object.
#include "format/json_reader.h"
#include "ops/files/fields_source.h"

namespace weir::jsonl_op {

const OperatorDef& definition();

namespace {

struct Objects {
  using Reader = JsonReader;
  static constexpr const char* reader_name = "read_objects";
  static constexpr const char* fields_doc =
      "What each object has: `{id: int64, box: float32[4], words: string[?], kind: string = \"none\", user: {name: string}, tags: list({name: string}), score: optional(float32), raw: json}`.";
  static constexpr RefusesField refuses = refuse_json_field;
  static constexpr IndexedFormat::Kind index = IndexedFormat::Kind::objects;
  static std::unique_ptr<RecordRows> rows(const std::vector<FieldType>& fields) { return json_rows(fields); }
  static const OperatorDef& op() { return definition(); }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = FieldsSource<Objects>::define_with({
      .name = "jsonl",
      .page =
          {.doc =
               "Reads JSON lines: each line is an object, and the keys named in `fields` become a dict in that order. Lines of white space and a byte-order mark at the beginning of a file are passed over, as are fields that `fields` doesn't name. An integer is any number whose value is whole and fits (`3`, `3.0`, `1e2`), a float any number, rounded to the nearest once, `NaN`, `Infinity` or `-Infinity`; nothing else converts. `string[?]` is a list of any length, `int64[?, 2]` a list of pairs, `ragged(int64)` a list of lists of any length, `list({name: string, n: int64})` a list of objects, as a dict of vectors, in which `ragged(int64)` is a list. A missing or null value is `none` for `optional(float32)`, the default of `kind: string = \"none\"`, else an error; so is a missing or null object that isn't optional. `json` is the text of a value. Of a repeated key the last one counts. A line that is no object of valid JSON and UTF-8, at most 1,024 deep, or of which a field does not fit, is one error (invalid_argument) with file, offset, record and field, and the next line follows. A file that does not exist (not_found), begins like gzip or another binary format (invalid_argument), is damaged (data_loss) or has a line longer than the runtime's `record_bytes` (resource_exhausted) gives one error in place of its remaining lines, and the next file follows. Reads ahead of its consumer, on its own thread. Objects of uncompressed files are also read by their position (`global_shuffle`, `weir_dataset_at`) through an index of each file, which `weir index` makes, or the first such reading; then a line that is too long is one error in its place.",
           .cost =
               "Reading, decompressing, and one pass over the text with vector instructions and one over its tokens. Strings are views of the read buffers; only those with escapes are copied. The tokens of a line take four times its bytes.",
           .example =
               R"(jsonl("tests/data/records/people.jsonl", {name: string, age: int64 = -1, likes: string[?] = []}) | take(3))",
           .output = R"({name: "ada", age: 36, likes: ["engines", "tea"]}
{name: "bob", age: -1, likes: []}
{name: "cyd", age: 29, likes: ["maps"]})",
           .bench = R"(jsonl("OBJECTS", {id: int64, name: string, score: float64, tags: string[?]}))",
           .elsewhere = "read_json read_jsonl json load_dataset: jsonl(files, fields)"},
  });
  return def;
}

}  // namespace weir::jsonl_op
