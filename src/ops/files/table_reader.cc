#include "ops/files/table_reader.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "core/checked.h"
#include "core/text.h"
#include "expr/compile/composed_function.h"
#include "format/npy.h"
#include "format/tables/arrow_checks.h"

namespace weir {

namespace {

Status of_file(const Status& status, const std::string& name) {
  return status.error().file.empty() ? in_file(status, name) : status;
}

Status at_row(const Status& status, int64_t row) {
  Error error = status.error();
  error.record = row;
  return Status(std::move(error));
}

}  // namespace

TableWhere::Used TableWhere::used_by(const FunctionParam& where, const std::vector<FieldType>& columns) {
  const Function& function = function_of(where);
  if (!only_computes(function)) return {columns, where};
  const std::vector<bool> needed = needed_components(function, {true});
  Used out{{}, where};
  std::vector<bool> given(needed.size());
  size_t begin = 0;
  for (const FieldType& column : columns) {
    const auto end = begin + static_cast<size_t>(column.spec().component_count());
    const auto first = needed.begin() + static_cast<ptrdiff_t>(begin);
    const bool used = std::find(first, needed.begin() + static_cast<ptrdiff_t>(end), true) !=
                      needed.begin() + static_cast<ptrdiff_t>(end);
    if (used) out.fields.push_back(column);
    std::fill(given.begin() + static_cast<ptrdiff_t>(begin), given.begin() + static_cast<ptrdiff_t>(end),
              used);
    begin = end;
  }
  out.function.function = RefPtr<const RefCounted>(
      narrowed(function, given, spec_of_fields(out.fields), {true}, function.result()).get());
  std::vector<bool> used;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (given[i]) used.push_back(needed[i]);
  }
  size_t at = 0;
  leave_fields_unread(out.fields, used, at);
  return out;
}

TableWhere::TableWhere(const Opening& opening, Used used, std::string told)
    : fields(std::move(used.fields)), holds(opening, used.function) {
  // Rows that statistics rule out could have failed: over their nulls, which the condition then asks for, or
  // otherwise.
  if (holds.function().can_fail()) return;
  for (const FieldType& field : fields) {
    if (field.form != FieldType::Form::tensor || field.shape.rank() > 0) return;
    if (field.optional || field.fallback) continue;
    told = concat("or\nnull\n", field.name.size(), ":", field.name, "\n", told);
  }
  condition = std::move(told);
}

TableWhere::TableWhere(const Opening& opening, const FunctionParam& where,
                       const std::vector<FieldType>& all_columns, const std::string& told)
    : TableWhere(opening, used_by(where, all_columns), told) {}

Result<std::unique_ptr<TableReader>> TableReader::open(FileSystem& files, const TableFormat& format,
                                                       const std::string& name,
                                                       const std::vector<FieldType>& fields,
                                                       const std::vector<FieldType>& counted,
                                                       const TableWhere* where) {
  WEIR_ASSIGN(RefPtr<RandomAccessFile> handle, files.open(name));
  WEIR_ASSIGN(std::unique_ptr<TableFile> file, format.open(std::move(handle)));
  Status fits = check_fields_of(fields, file->schema());
  if (fits.ok() && where) fits = check_fields_of(where->fields, file->schema());
  if (!fits.ok()) return of_file(fits, name);
  std::vector<FieldType> all = counted;
  if (where) all.insert(all.end(), where->fields.begin(), where->fields.end());
  const Result<int64_t> rows = rows_of_fields(all, file->schema(), file->rows());
  if (!rows.ok()) return of_file(rows.status(), name);
  return std::unique_ptr<TableReader>(new TableReader(std::move(file), *rows, name, fields, where));
}

TableReader::TableReader(std::unique_ptr<TableFile> file, int64_t rows, std::string name,
                         const std::vector<FieldType>& fields, const TableWhere* where)
    : file_(std::move(file)),
      rows_(rows),
      name_(std::move(name)),
      wanted_(fields),
      where_(where),
      columns_(columns_of(fields, file_->schema())),
      fields_(fields) {
  if (!where_) return;
  judged_.emplace(where_->fields);
  for (std::string& column : columns_of(where_->fields, file_->schema())) {
    if (std::find(columns_.begin(), columns_.end(), column) == columns_.end())
      columns_.push_back(std::move(column));
  }
}

Status TableReader::seek(RecordPosition position, int64_t count) {
  const auto row = static_cast<int64_t>(position.offset);
  if (rows() >= 0 && row > rows()) {
    return file_error(Code::data_loss,
                      expected_found(concat(row, " rows, as when the position was saved"), concat(rows()),
                                     "restore the file"),
                      name_);
  }
  const bool follows = row == row_;
  if (follows && (!ranges_ || range_ < ranges_->size())) return {};
  stream_ = nullptr;
  batch_ = nullptr;
  row_ = row;
  if (!where_) {
    const int64_t left = (rows() < 0 ? INT64_MAX : rows()) - row;
    ranges_.emplace({TableRange{row, follows ? left : std::min(left, count)}});
  }
  return {};
}

// Reads from row_ on.
Status TableReader::begin() {
  if (!ranges_) {
    if (where_ && !where_->condition.empty()) {
      WEIR_ASSIGN(ranges_, file_->select(where_->condition));
    } else {
      ranges_.emplace({TableRange{0, rows() < 0 ? INT64_MAX : rows()}});
    }
  }
  std::vector<TableRange> left;
  range_ = ranges_->size();
  left_ = 0;
  for (size_t i = 0; i < ranges_->size(); ++i) {
    TableRange range = (*ranges_)[i];
    const int64_t end = range.first + range.count;
    if (end <= row_) continue;
    range_ = std::min(range_, i);
    range.first = std::max(range.first, row_);
    range.count = end - range.first;
    left_ = checked_add(left_, range.count).value_or(INT64_MAX);
    left.push_back(range);
  }
  if (left.empty()) return {};
  row_ = left[0].first;
  WEIR_ASSIGN(stream_, file_->read(columns_, left));
  WEIR_ASSIGN(schema_, stream_->schema());
  // Those of the file, which were checked, unless the extension is wrong.
  Status fits = check_fields_of(wanted_, *schema_);
  if (fits.ok() && where_) fits = check_fields_of(where_->fields, *schema_);
  if (!fits.ok()) return of_file(fits, name_);
  fields_.bind(*schema_, file_->schema());
  if (judged_) judged_->bind(*schema_, file_->schema());
  return {};
}

Status TableReader::too_many(const std::string& found) const {
  return at_row(
      file_error(Code::internal,
                 expected_found(concat("at most ", left_, " more rows from the extension"), found), name_),
      row_);
}

// Asks for rows behind the last one. What fails there loses nothing.
bool TableReader::gives_too_many() noexcept {
  try {
    const auto made = stream_->next();
    return made.ok() && made->there() && (*made)->length > 0;
  } catch (...) {
    return false;
  }
}

Result<bool> TableReader::more() {
  if (!stream_) WEIR_TRY(begin());
  while (!batch_ || at_ == batch_->array().length) {
    batch_ = nullptr;
    if (!stream_) return false;
    if (left_ == 0) {
      if (gives_too_many()) return too_many("others");
      return false;
    }
    auto made = stream_->next();
    if (!made.ok()) return at_row(made.status(), row_);
    ArrowOwned<ArrowArray> next = *std::move(made);
    if (!next.there()) {
      if (rows() < 0) return false;
      return file_error(Code::data_loss,
                        expected_found(concat(rows(), " rows"), concat("the end after ", row_)), name_);
    }
    if (!has_entries(*schema_, *next, 0))
      return file_error(Code::internal, "the extension gave a batch without the columns of its schema",
                        name_);
    if (next->length > left_) return too_many(concat("a batch of ", next->length));
    batch_ = make_ref<TableBatch>(std::move(next));
    at_ = 0;
  }
  return true;
}

Status TableReader::next_batch(Context& ctx, size_t max_rows, size_t max_bytes, Block& out) {
  try {
    return next_rows(ctx, max_rows, max_bytes, out);
  } catch (const std::bad_alloc&) {
    // Rows that are counted in `out` are lost; the next stream begins behind them.
    stream_ = nullptr;
    batch_ = nullptr;
    throw;
  }
}

Status TableReader::next_rows(Context& ctx, size_t max_rows, size_t max_bytes, Block& out) {
  out.rows = 0;
  out.errors.clear();
  while (out.rows == 0) {
    if (ctx.session.cancelled.load(std::memory_order_relaxed)) return {};
    const Result<bool> there = more();
    if (!there.ok() || !*there) {
      stream_ = nullptr;
      batch_ = nullptr;
      return there.status();
    }
    const TableRange& range = (*ranges_)[range_];
    const int64_t most = std::max<int64_t>(1, static_cast<int64_t>(max_bytes) / row_bytes_);
    // A function takes no longer blocks.
    const int64_t widest = where_ ? kMaxBlockRows : static_cast<int64_t>(max_rows);
    const int64_t count = std::min({static_cast<int64_t>(max_rows), widest, most,
                                    batch_->array().length - at_, range.first + range.count - row_});
    const TableRange rows{row_, count};
    const int64_t at = at_;
    out.rows = static_cast<int>(count);
    at_ += count;
    row_ += count;
    left_ -= count;
    if (row_ == range.first + range.count && ++range_ < ranges_->size()) row_ = (*ranges_)[range_].first;
    make(ctx, rows, at, out);
    if (out.rows > 0) row_bytes_ = std::max<int64_t>(1, out.byte_size() / out.rows);
  }
  return {};
}

// Makes rows that lie side by side in the file, the first of them `at` rows behind that of the batch.
void TableReader::make(Context& ctx, TableRange rows, int64_t at, Block& out) {
  chosen_.resize(static_cast<size_t>(rows.count));
  std::iota(chosen_.begin(), chosen_.end(), static_cast<int32_t>(at));
  batch_row_ = rows.first - at;
  if (where_) judge(ctx, rows.first);
  if (chosen_.empty()) {
    out.rows = 0;
    return;
  }
  fields_.make(batch_, chosen_, name_, batch_row_, out);
  if (where_ && !verdict_.errors.empty()) keep_verdicts(rows.first, out);
}

// Takes those out of chosen_ for which the condition is false.
void TableReader::judge(Context& ctx, int64_t first) {
  judged_->make(batch_, chosen_, name_, batch_row_, columns_in_);
  where_->holds(ctx.session, first, columns_in_, verdict_);
  if (verdict_.value_rows() == 0) return;
  const Column& column = verdict_.columns[0];
  size_t kept = 0;
  for (int row = 0; row < verdict_.rows; ++row) {
    const bool keep = verdict_.failed(row) || *column.row(row).as<const bool>();
    if (keep) chosen_[kept++] = chosen_[static_cast<size_t>(row)];
  }
  chosen_.resize(kept);
}

// A row whose condition failed is that error, whatever else is wrong with it.
void TableReader::keep_verdicts(int64_t first, Block& out) const {
  RowErrors errors;
  for (const RowError& error : out.errors) {
    const int64_t row = batch_row_ + chosen_[static_cast<size_t>(error.row)] - first;
    if (!verdict_.failed(static_cast<int>(row))) errors.push_back(error);
  }
  out.errors = std::move(errors);
  for (const RowError& error : verdict_.errors) {
    const auto wanted = static_cast<int32_t>(first + error.row - batch_row_);
    const auto at = std::lower_bound(chosen_.begin(), chosen_.end(), wanted);
    Error known = *error.error;
    if (known.file.empty()) {
      known.file = name_;
      known.record = first + error.row;
    }
    out.fail_row(static_cast<int>(at - chosen_.begin()), std::make_shared<const Error>(std::move(known)));
  }
}

void TableReader::add_origins(uint32_t source, Origins& origins) const {
  for (size_t i = 0; i < chosen_.size(); ++i) {
    if (i > 0 && chosen_[i] == chosen_[i - 1] + 1) continue;
    origins.add(static_cast<int>(i), Origin(source, batch_row_ + chosen_[i]));
  }
}

}  // namespace weir
