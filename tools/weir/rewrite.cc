#include "rewrite.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "common.h"
#include "convert.h"
#include "core/text.h"
#include "files.h"
#include "format/signature.h"
#include "place.h"
#include "progress.h"

namespace weir::command {

namespace {

bool ends_with(const std::string& text, const std::string& suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

// ---- index

constexpr const char* kIndexed = "expected a TFRecord or text file, CSV, JSON lines or a tar archive";

// Whether there is a record of this number; reading it makes the index.
bool has_record(const Runtime& runtime, const Dataset& records, int64_t number) {
  Element record;
  try {
    detail::call(weir_dataset_at, runtime.handle(), records.handle(), number, record.handle());
  } catch (const Error& error) {
    if (error.code() == WEIR_CODE_OUT_OF_RANGE) return false;
    if (!error.element_failed()) throw;
  }
  return true;
}

// Makes the index, and returns the number of records. Of a damaged file none is made, and its last record is
// the damage; a line with a mistake is a record.
uint64_t count_by_index(const Runtime& runtime, const Dataset& records) {
  int64_t least = 0;
  int64_t most = 1;
  for (; has_record(runtime, records, most - 1); most *= 2) least = most;
  while (most - least > 1) {
    const int64_t middle = least + (most - least) / 2;
    (has_record(runtime, records, middle - 1) ? least : most) = middle;
  }
  try {
    Element last;
    if (least > 0)
      detail::call(weir_dataset_at, runtime.handle(), records.handle(), least - 1, last.handle());
  } catch (const Error& error) {
    if (error.code() != WEIR_CODE_INVALID_ARGUMENT) throw;
  }
  return static_cast<uint64_t>(least);
}

// Takes the library's warnings, and keeps that of an index without a place.
class IndexLog final : public Logger {
 public:
  void log(int32_t, std::string_view line) noexcept override {
    constexpr std::string_view kUnsaved = " is made again each time: ";
    const size_t found = line.find(kUnsaved);
    if (found == line.npos) return print(stderr, concat(line, "\n"));
    reason_ = line.substr(found + kUnsaved.size());
  }
  // Throws if the index of the file could not be written.
  void check(const std::string& name) {
    const std::string reason = std::exchange(reason_, {});
    if (!reason.empty())
      fail(WEIR_CODE_UNAVAILABLE, concat("cannot write the index of ", name, ": ", reason));
  }

 private:
  std::string reason_;
};

bool make_index(const Runtime& runtime, IndexLog& log, const std::string& name, std::optional<bool> header) {
  if (is_standard_input(name))
    fail(WEIR_CODE_INVALID_ARGUMENT,
         std::string(kIndexed) + ", whose index is written next to it, found standard input");
  const DataFile file = look_at(runtime, name, header);
  const bool text = file.kind == FileKind::text;
  if (file.kind == FileKind::saved)
    fail(WEIR_CODE_INVALID_ARGUMENT, std::string(kIndexed) + ", found the folder " + name);
  if (has_structure(file.kind)) {
    const int64_t count = rows_of(runtime, file).cardinality();
    print(stdout, name + ": " + counted(static_cast<uint64_t>(count), "row") + ", which need no index\n");
    return false;
  }
  const bool frames = file.compression == zstd_marks.name && file.kind == FileKind::records;
  if (file.compression != "none" && !frames) {
    fail(WEIR_CODE_INVALID_ARGUMENT, "expected a file without compression, found " + name + " in " +
                                         file.compression +
                                         ", which has no index: its records have no places of their own; "
                                         "decompress it, or write it again by weir shard or convert");
  }
  // As the document that `weir info` prints.
  const std::vector<std::string> columns(file.columns.size(), "\"\"");
  const std::string table = file.kind == FileKind::csv ? document_of(file, columns) : "";
  if (file.kind == FileKind::csv && table.empty())
    fail(WEIR_CODE_INVALID_ARGUMENT, std::string(kIndexed) + ", found " + name + ", a table without rows");
  const std::string source = !table.empty()                    ? table
                             : text                            ? "text_line(@file)"
                             : file.kind == FileKind::objects  ? "jsonl(@file, {})"
                             : file.kind == FileKind::elements ? "webdataset(@file, {})"
                             : frames                          ? "tfrecord(@file, compression: \"zstd\")"
                                                               : "tfrecord(@file)";
  const Dataset records = parse(runtime, source, {{"file", name}});
  const uint64_t count = count_by_index(runtime, records);
  log.check(name);
  print(stdout, name + ": " +
                    counted(count, file.kind == FileKind::csv        ? "row"
                                   : text                            ? "line"
                                   : file.kind == FileKind::objects  ? "object"
                                   : file.kind == FileKind::elements ? "element"
                                                                     : "record") +
                    "\n");
  return false;
}

// ---- shard

std::string shard_name(const std::string& prefix, size_t shard, size_t count, const std::string& suffix) {
  char number[32];
  std::snprintf(number, sizeof number, "-%05zu-of-%05zu", shard, count);
  return prefix + number + suffix;
}

int shard_files(const Arguments& arguments) {
  const Runtime runtime(runtime_options(arguments));
  const auto count = static_cast<size_t>(arguments.count);
  std::string prefix = arguments.output;
  std::string suffix;
  const std::string plain(bare(prefix));
  for (const std::string ending : {".tfrecord", ".tfrecords"}) {
    if (!ends_with(plain, ending)) continue;
    suffix = prefix.substr(plain.size() - ending.size());
    prefix.resize(prefix.size() - suffix.size());
    break;
  }
  std::vector<DataFile> files;
  uint64_t total = 0;
  for (const std::string& name : matching_names(runtime, arguments.files)) {
    files.push_back(look_at(runtime, name, {}));
    if (files.back().kind != FileKind::records)
      fail(WEIR_CODE_INVALID_ARGUMENT, "expected TFRecord files, found " + name + ", which is " +
                                           kind_name(files.back().kind) + "; weir convert makes one of it");
    total += files.back().size;
  }
  std::vector<std::unique_ptr<NewFile>> shards;
  for (size_t i = 0; i < count; ++i) check_absent(runtime, shard_name(prefix, i, count, suffix));
  for (size_t i = 0; i < count; ++i)
    shards.push_back(std::make_unique<NewFile>(runtime, shard_name(prefix, i, count, suffix), 0));
  uint64_t records = 0;
  Progress progress("sharding", total);
  for (const DataFile& file : files) {
    each_row(
        runtime, rows_of(runtime, file), -1,
        [&](const Element& element) {
          const auto bytes = element.get<std::string_view>(0);
          shards[records++ % count]->write(bytes);
          progress.add(bytes.size() + kRecordBytes);
          return true;
        },
        [](const Error& error) -> bool { throw error; });
  }
  for (auto& shard : shards) shard->finish();
  progress.finish();
  print(stdout, counted(records, "record") + " in " + counted(count, "file") + ", " +
                    shard_name(prefix, 0, count, suffix) + " to " +
                    shard_name(prefix, count - 1, count, suffix) + "\n");
  return 0;
}

}  // namespace

int make_indices(const Arguments& arguments) {
  RuntimeOptions options = runtime_options(arguments);
  const auto log = std::make_shared<IndexLog>();
  options.logger = log;
  const Runtime runtime(options);
  int status = 0;
  for (const std::string& name : matching_names(runtime, arguments.files))
    status = std::max(status, reported([&] {
                        return make_index(runtime, *log, name, arguments.header) ? kExitElementFailed : 0;
                      }));
  return status;
}

int shard(const Arguments& arguments) {
  return reported([&] { return shard_files(arguments); });
}

int convert(const Arguments& arguments) {
  return reported([&] {
    convert_file(arguments);
    return 0;
  });
}

}  // namespace weir::command
