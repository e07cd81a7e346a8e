// FieldsSource: a FileSource whose rows are dicts of fields, with positions through an index of each file.
//
//   struct Objects {
//     using Reader = …;                               // made from (stream, fields, limit)
//     static constexpr const char* reader_name;       // of op(), the internal operator
//     static constexpr const char* fields_doc;
//     static constexpr RefusesField refuses;          // which fields it does not have
//     static constexpr IndexedFormat::Kind index;
//     static std::unique_ptr<RecordRows> rows(const std::vector<FieldType>& fields);
//     static const OperatorDef& op();
//   };
//
//   FieldsSource<Objects>::define_with({.name = …, .page = …})
#pragma once

#include "expr/features/field_syntax.h"
#include "ops/files/file_source.h"
#include "ops/files/record_access.h"

namespace weir {

template <class Kind>
struct FieldsParams : ParamsOf<FieldsParams<Kind>> {
  FilesParam files;
  FieldsParam wanted;
  StringParam compression{std::string()};
  IntParam num_parallel_reads{1};
  IntParam buffer_size{0};
  void fields(Fields& f) override {
    f("files", files, kFilesDoc);
    f("fields", wanted, Kind::fields_doc);
    f("compression", compression, kCompressionDoc);
    f("num_parallel_reads", num_parallel_reads, kInTurnsDoc, {1, kMaxInTurns}, {.automatic = true});
    f("buffer_size", buffer_size, kBufferDoc, {0, kMaxBufferBytes}, {.any_position = true});
  }
};

template <class Kind>
struct FieldsFormat {
  using Params = FieldsParams<Kind>;
  using Reader = typename Kind::Reader;
  using Rows = Block;
  static constexpr const char* reader_name = Kind::reader_name;
  static const OperatorDef& op() { return Kind::op(); }

  static Result<Spec> spec(const Params& params) {
    const Status fits = check_fields(params.wanted.fields, Kind::refuses);
    if (!fits.ok()) return with_parameter(fits, "fields");
    return spec_of_fields(params.wanted.fields);
  }

  static Result<std::unique_ptr<Reader>> make(std::unique_ptr<ByteStream> stream, const Params& params,
                                              uint64_t limit) {
    const size_t given = read_bytes(params);
    if (given == 0) return std::make_unique<Reader>(std::move(stream), params.wanted.fields, limit);
    return std::make_unique<Reader>(std::move(stream), params.wanted.fields, limit, given);
  }
  static constexpr IndexedFormat kIndexed{.kind = Kind::index};
  static constexpr bool kNeedsIndex = true;
  static Result<std::unique_ptr<Access>> access(Context& ctx, const Params& params,
                                                const std::vector<std::string>& files) {
    return indexed_access(ctx, files, kIndexed, Kind::rows(params.wanted.fields));
  }
  static const char* no_access(const Params& params) { return refuse_compressed(params.compression); }
};

template <class Kind>
using FieldsSource = FileSource<FieldsFormat<Kind>>;

}  // namespace weir
