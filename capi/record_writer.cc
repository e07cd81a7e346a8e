#include "capi/barrier.h"
#include "capi/runtime.h"
#include "format/tfrecord.h"

namespace weir::capi {

namespace {

struct WriterObject final : Object {
  static constexpr HandleKind kKind = HandleKind::record_writer;
  RefPtr<RuntimeHost> host;
  std::unique_ptr<RecordWriter> writer;
  bool closed = false;
};

Result<Compression> compression_of(const weir_record_writer_options& options) {
  WEIR_ASSIGN(std::string_view name, read_string(options.compression_name, options.compression_name_size,
                                                 "the name of a compression", kMaxNameBytes));
  if (!name.empty() && options.compression != WEIR_COMPRESSION_NONE)
    return invalid_argument("expected compression or compression_name, found both");
  switch (options.compression) {
    case WEIR_COMPRESSION_NONE:
      return parse_written_compression(name);
    case WEIR_COMPRESSION_GZIP:
      return Compression::gzip;
    case WEIR_COMPRESSION_ZLIB:
      return Compression::zlib;
    default:
      return invalid_argument(
          expected_found("compression WEIR_COMPRESSION_...", concat(options.compression)));
  }
}

// Of 0.1, which named compressions by numbers only.
constexpr size_t kFirstSize = offsetof(weir_record_writer_options, compression_name);
constexpr uint64_t kMaxRecordBytes = uint64_t{1} << 30;

template <class Body>
int32_t with_writer(weir_record_writer writer, weir_error* error, Body&& body) {
  return guarded(error, [&]() -> Status {
    ExclusivePin<WriterObject> pinned(writer.value);
    if (!pinned) return pin_error(pinned, "a record writer", writer.value);
    if (pinned->closed) return failed_precondition("the record writer is closed");
    return body(*pinned);
  });
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_record_writer_create(weir_runtime runtime, const char* file, uint64_t file_size,
                                  const weir_record_writer_options* options, weir_record_writer* out,
                                  weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    weir_record_writer_options known = WEIR_RECORD_WRITER_OPTIONS_INIT;
    WEIR_TRY(read_struct("weir_record_writer_options", options, kFirstSize, known));
    WEIR_ASSIGN(Compression compression, compression_of(known));
    WEIR_TRY(check_flags(known.flags, WEIR_RECORD_WRITER_PLAIN, "0 or WEIR_RECORD_WRITER_PLAIN"));
    // A codec's own default is no level here.
    if (known.level < 0)
      return invalid_argument(expected_found("a level of at least 0", concat(known.level)));
    WEIR_ASSIGN(std::string_view name, read_string(file, file_size, "the name of a file", kMaxNameBytes));
    auto object = std::make_unique<WriterObject>();
    WEIR_ASSIGN(object->host, runtime_of(runtime));
    WEIR_ASSIGN(object->writer,
                RecordWriter::create(*object->host->runtime().files, std::string(name), compression,
                                     known.level == 0 ? kDefaultLevel : known.level,
                                     (known.flags & WEIR_RECORD_WRITER_PLAIN) != 0));
    out->value = publish(HandleKind::record_writer, std::move(object));
    return Status();
  });
}

int32_t weir_record_writer_write(weir_record_writer writer, const void* record, uint64_t record_size,
                                 weir_error* error) {
  return with_writer(writer, error, [&](WriterObject& object) -> Status {
    if ((!record && record_size > 0) || record_size > kMaxRecordBytes) {
      return invalid_argument(expected_found(concat("a record of at most ", kMaxRecordBytes, " bytes"),
                                             concat(record_size, record ? "" : " at NULL")));
    }
    return object.writer->write(Str(static_cast<const char*>(record), record_size));
  });
}

int32_t weir_record_writer_close(weir_record_writer writer, weir_error* error) {
  return with_writer(writer, error, [](WriterObject& object) -> Status {
    object.closed = true;
    Status status = object.writer->close();
    object.writer.reset();
    return status;
  });
}

void weir_record_writer_destroy(weir_record_writer writer) {
  released([&] { drop_owner(HandleKind::record_writer, writer.value); });
}
