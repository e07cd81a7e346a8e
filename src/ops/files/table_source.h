// TableSource: a FileSource over files of tables, which the library or an extension reads.
//
//   struct Kind {
//     static constexpr const char* reader_name;  // of op(), the internal operator
//     static constexpr RefPtr<const TableFormat> (*format)();  // null: an extension's
//     static const OperatorDef& op();
//     static constexpr const char* column;  // of bytes, which the elements are; null: dicts of columns
//     static constexpr bool has_no_nulls = true;  // left out: it has
//   };
//
//   TableSource<Kind>::define_with({.name = …, .page = …})
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/checked.h"
#include "expr/features/field_syntax.h"
#include "ops/files/columns_source.h"
#include "ops/files/file_source.h"
#include "ops/files/known_names.h"
#include "ops/files/table_access.h"
#include "ops/files/table_reader.h"

namespace weir {

// Of more files the rows are not counted when a dataset is built.
inline constexpr size_t kMostCountedFiles = 64;

struct TableParams : ParamsOf<TableParams> {
  FilesParam files;
  FieldsParam wanted;
  FunctionParam where{FunctionParam::Takes::element, FunctionParam::Gives::boolean};
  StringParam nulls{std::string("error")};
  IntParam num_parallel_reads{1};
  // What learn() finds out while the node is built, and what a ColumnsSource gives.
  mutable RefPtr<const TableFormat> format;
  mutable bool learned = false;
  mutable std::optional<std::vector<FieldType>> row;
  // What says how many rows a file has: the fields before those that nothing uses were left out.
  mutable std::vector<FieldType> counted;
  mutable int64_t rows = kUnknown;
  mutable std::vector<FieldType> where_columns;
  mutable std::string condition;
  // Elements are what the one field has, and nothing else can be asked for.
  bool bare = false;

  void fields(Fields& f) override;
  void list_columns(Fields& f);
  bool optional_nulls() const { return nulls.value_or("") == "optional"; }
};

// Of a Kind with a `column`.
template <class Kind>
struct ColumnParams final : TableParams {
  ColumnParams() {
    bare = wanted.set = true;
    FieldType& field = wanted.fields.emplace_back();
    field.name = Kind::column;
    field.dtype = DType::string;
  }
  std::unique_ptr<ParamsBase> clone() const override { return std::make_unique<ColumnParams>(*this); }
};

Status refuse_optional_nulls();

// Finds out the structure, and what can be told about the number of rows.
Status learn_table(Runtime& runtime, const DatasetRef& names, const TableParams& params);

template <class Kind>
struct TableSourceFormat {
  using Params = std::conditional_t<Kind::column != nullptr, ColumnParams<Kind>, TableParams>;
  using Reader = TableReader;
  using Rows = Block;
  static constexpr const char* reader_name = Kind::reader_name;
  // A thousand numbers are soon read.
  static constexpr int kBlockRows = 8192;
  static const OperatorDef& op() { return Kind::op(); }

  struct Memory {
    Memory(const Opening& opening, const Params& params) {
      if (params.where.function) where.emplace(opening, params.where, params.where_columns, params.condition);
    }
    void state(Archive&) {}
    std::optional<TableWhere> where;
  };

  static Result<Spec> spec(const Params& params) {
    if (params.bare) return params.wanted.fields[0].spec();
    if (params.row) return spec_of_fields(*params.row);
    if (params.wanted.set) return spec_of_fields(params.wanted.fields);
    return with_parameter(
        invalid_argument(expected_found("fields, since other arguments are not known yet", "none")),
        "fields");
  }
  static int64_t cardinality(const Params& params) { return params.rows; }
  static Status learn(Runtime& runtime, const DatasetRef& names, const Params& params) {
    if (requires { Kind::has_no_nulls; } && params.optional_nulls()) return refuse_optional_nulls();
    return learn_table(runtime, names, params);
  }
  static Result<std::unique_ptr<Reader>> open(Context& ctx, const std::string& file, const Params& params,
                                              Memory& memory) {
    return TableReader::open(ctx.session.files(), *params.format, file, *params.row, params.counted,
                             memory.where ? &*memory.where : nullptr);
  }
  static Result<std::unique_ptr<Access>> access(Context& ctx, const Params& params,
                                                const std::vector<std::string>& files) {
    return table_access(ctx, params.format, *params.row, params.counted, files);
  }
  static const char* no_access(const Params& params) {
    return params.where.function ? "rows that are not chosen by where:" : nullptr;
  }
};

void use_format(const ParamsBase& params, RefPtr<const TableFormat> format);
// The fields, and the other columns of the first file.
Result<Spec> columns_for(Runtime& runtime, const ParamsBase& params, std::span<const DatasetRef> inputs,
                         const syntax::Node& where);
std::unique_ptr<ParamsBase> narrowed_to(const ParamsBase& params, const Spec& part);
bool leave_columns_unread(ParamsBase& params, const std::vector<bool>& used);

template <class Kind>
struct TableSource {
  static constexpr ColumnsSource kColumns = {.own = Kind::format,
                                             .use = use_format,
                                             .columns_of = columns_for,
                                             .narrowed = narrowed_to,
                                             .leave_unread = leave_columns_unread};

  static OperatorDef define_with(OperatorDef def) {
    def.typing.columns_source = &kColumns;
    return FileSource<TableSourceFormat<Kind>>::define_with(std::move(def));
  }
};

}  // namespace weir
