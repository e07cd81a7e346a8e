#include "ops/files/table_source.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "format/npy.h"
#include "ops/files/table_condition.h"

namespace weir {

namespace {

Result<std::unique_ptr<TableFile>> open_table(Runtime& runtime, const TableParams& params,
                                              const std::string& name) {
  WEIR_ASSIGN(RefPtr<RandomAccessFile> file, runtime.files->open(name));
  return params.format->open(std::move(file));
}

Status check_nulls(const TableParams& params) {
  if (!params.nulls.is_constant() || *params.nulls == "error" || *params.nulls == "optional") return {};
  return with_parameter(invalid_argument(expected_found("\"error\" or \"optional\"", quote(*params.nulls))),
                        "nulls");
}

// Beside fields, nulls are about what else `where` uses.
Status check_nulls_beside_fields(const TableParams& params) {
  if (params.bare || params.where.function || !params.optional_nulls()) return {};
  return with_parameter(invalid_argument(expected_found("\"error\", since there are fields", "\"optional\"",
                                                        "write optional(…) around the fields' types")),
                        "nulls");
}

// How many rows the files have, if all can be read. `first` is the table of the first, whose fields fit and
// have `count` rows.
int64_t rows_of(Runtime& runtime, const TableParams& params, int64_t count,
                std::span<const std::string> names) {
  if (params.where.function || names.size() > kMostCountedFiles || count < 0) return kUnknown;
  std::optional<int64_t> sum = count;
  for (const std::string& name : names.subspan(1)) {
    const auto table = open_table(runtime, params, name);
    if (!table.ok() || !check_fields_of(*params.row, (*table)->schema()).ok()) return kUnknown;
    const auto rows = rows_of_fields(params.counted, (*table)->schema(), (*table)->rows());
    if (!rows.ok() || *rows < 0) return kUnknown;
    sum = checked_add(sum, *rows);
  }
  return sum.value_or(kUnknown);
}

}  // namespace

void TableParams::fields(Fields& f) {
  f("files", files, kFilesDoc);
  if (!bare) list_columns(f);
  f("num_parallel_reads", num_parallel_reads, kInTurnsDoc, {1, kMaxInTurns}, {.automatic = true});
}

void TableParams::list_columns(Fields& f) {
  f("fields", wanted,
    "Which columns to read, and what becomes of their nulls: `{id: int64, box: float32[4], words: string[?], kind: string = \"none\", user: {name: string}, tags: list({name: string}), score: optional(float32)}`. Columns may be wider than in the file, int64 for int32. none: all columns as the first file has them.",
    {}, {.none = true});
  f("where", where,
    "Which rows to read: a function of a dict of columns, which need not be among `fields`, that returns a bool. Where the format has statistics (Parquet), parts of a file in which no row can match are not read.",
    {}, {.none = true});
  f("nulls", nulls,
    "How to treat nulls in columns without a field: `\"error\"` fails the element, `\"optional\"` makes each nullable column `optional`. With `fields`, this applies only to the other columns of `where`.");
}

Status refuse_optional_nulls() {
  return with_parameter(
      invalid_argument(expected_found("\"error\", since the format has no nulls", "\"optional\"")), "nulls");
}

Status learn_table(Runtime& runtime, const DatasetRef& names, const TableParams& params) {
  if (params.learned) return {};
  params.learned = true;
  WEIR_TRY(check_nulls(params));
  if (params.wanted.set) {
    WEIR_TRY(check_nulls_beside_fields(params));
    const Status fits = check_fields(params.wanted.fields, refuse_table_field);
    if (!fits.ok()) return with_parameter(fits, "fields");
    params.row = params.counted = params.wanted.fields;
  }
  const Result<std::vector<std::string>> files = known_names(runtime, names);
  // With fields, names may be found later, and a file that cannot be read is an error in its place.
  if (!files.ok()) return params.wanted.set ? Status() : files.status();
  const auto first = open_table(runtime, params, (*files)[0]);
  if (!first.ok()) return params.wanted.set ? Status() : naming_file(first.status());
  if (params.wanted.set) {
    Status fits = check_fields_of(*params.row, (*first)->schema());
    if (fits.ok()) fits = rows_of_fields(*params.row, (*first)->schema(), 0).status();
    if (!fits.ok()) return with_parameter(naming_file(in_file(fits, (*files)[0])), "fields");
  } else if (!params.row) {
    auto natural = natural_fields((*first)->schema(), params.optional_nulls());
    if (!natural.ok()) return naming_file(in_file(natural.status(), (*files)[0]));
    params.row = params.counted = *std::move(natural);
  }
  WEIR_ASSIGN(const int64_t rows, rows_of_fields(params.counted, (*first)->schema(), (*first)->rows()));
  params.rows = rows_of(runtime, params, rows, *files);
  return {};
}

Result<Spec> columns_for(Runtime& runtime, const ParamsBase& base, std::span<const DatasetRef> inputs,
                         const syntax::Node& where) {
  const auto& params = static_cast<const TableParams&>(base);
  const DatasetRef& names = inputs[static_cast<size_t>(params.files.index)];
  WEIR_TRY(check_nulls(params));
  params.where_columns = params.wanted.fields;
  const Result<std::vector<std::string>> files = known_names(runtime, names);
  if (!files.ok()) return files.status();
  const auto first = open_table(runtime, params, (*files)[0]);
  if (!first.ok()) return naming_file(first.status());
  const ArrowSchema& table = (*first)->schema();
  const Result<int64_t> rows = rows_of_fields(params.wanted.fields, table, -1);
  for (int64_t i = 0; i < table.n_children; ++i) {
    if (rows.ok() && *rows >= 0 && rows_of_column(*table.children[i], *rows) != *rows) continue;
    auto column = natural_field(*table.children[i], params.optional_nulls());
    const auto is_known = [&](const FieldType& known) { return column.ok() && known.name == column->name; };
    const bool known = std::any_of(params.where_columns.begin(), params.where_columns.end(), is_known);
    // What has no type by itself can't be used without a field.
    if (column.ok() && !known) params.where_columns.push_back(*std::move(column));
  }
  params.condition = table_condition(where, params.where_columns);
  return spec_of_fields(params.where_columns);
}

namespace {

// Those of the fields that are in this part of their structure.
std::vector<FieldType> fields_in(const std::vector<FieldType>& fields, const Spec& part) {
  std::vector<FieldType> out;
  for (const FieldType& field : fields) {
    const int at = part.find(field.name);
    if (at < 0) continue;
    FieldType& kept = out.emplace_back(field);
    const Spec& inner = part.children[static_cast<size_t>(at)];
    if (!field.members.empty() && inner.kind == Spec::Kind::dict)
      kept.members = fields_in(field.members, inner);
  }
  return out;
}

}  // namespace

std::unique_ptr<ParamsBase> narrowed_to(const ParamsBase& base, const Spec& part) {
  auto out = std::make_unique<TableParams>(static_cast<const TableParams&>(base));
  out->row = fields_in(*out->row, part);
  return out;
}

bool leave_columns_unread(ParamsBase& base, const std::vector<bool>& used) {
  auto& params = static_cast<TableParams&>(base);
  if (params.bare || !params.row) return false;
  size_t at = 0;
  leave_fields_unread(*params.row, used, at);
  return true;
}

void use_format(const ParamsBase& params, RefPtr<const TableFormat> format) {
  static_cast<const TableParams&>(params).format = std::move(format);
}

}  // namespace weir
