// sql(driver, connection, query, spec): the rows of a query of a database. Run ahead on the blocking lane.
// Checkpoint: how many rows were given; a restored position runs the query again and steps over them.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/checked.h"
#include "core/failed_reads.h"
#include "core/text.h"
#include "dataset/compose.h"
#include "format/sqlite.h"
#include "fs/file_system.h"
#include "ops/files/blocking_lane.h"

namespace weir::sql_op {
namespace {

struct Params : ParamsOf<Params> {
  StringParam driver;
  StringParam connection;
  StringParam query;
  SpecParam spec;
  void fields(Fields& f) override {
    f("driver", driver, "The kind of database: \"sqlite\", an SQLite 3 file.");
    f("connection", connection, "The name of the database's file, taken literally.");
    f("query", query, "One statement that returns rows. The database is only read.");
    f("spec", spec,
      "The dtypes of the columns: a tuple of scalars in the order of the columns, or a dict by their names. An integer dtype, float32, float64, bool or string.");
  }
};

// The query itself, which may block.
class SqlRows final : public Cursor {
 public:
  SqlRows(Opening& opening, const Params& params)
      : site_(opening),
        spec_(opening.node->spec()),
        components_(opening.node->components()),
        params_(params) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (failed_) return PullResult::end;
    const FailedReads& reads = ctx.session.failed_reads();
    const ErrorPtr listed = reads.empty() ? nullptr : reads.find(read_number());
    const int64_t left = listed ? std::max<int64_t>(0, listed->record) - given_ : demand.rows;
    if (left <= 0) return failed(ctx, listed);
    if (const Status opened = open(ctx); !opened.ok()) return failed(ctx, opened.pointer());
    // Rows that are not wanted may still be errors.
    Step got = rows_->next(static_cast<int>(std::min<int64_t>(demand.rows, left)), demand.bytes, out);
    if (got.error()) return failed(ctx, got.error());
    if (got.answer() == PullResult::rows) given_ += out.rows;
    if (demand.drop) out.columns.clear();
    return got;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    // Of what had been read, one row is lost; the query runs again for the others.
    rows_.reset();
    ++given_;
    return 1;
  }

  void state(Archive& archive) override {
    archive("row", given_, 0, kMostCounted);
    archive("failed", failed_);
    if (archive.loading()) rows_.reset();
  }

 private:
  // An error ends the rows.
  Step failed(Context& ctx, const ErrorPtr& error) {
    if (ctx.session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
    failed_ = true;
    rows_.reset();
    return ended_at(Status(error), read_number(), given_).pointer();
  }
  uint64_t read_number() const { return site_.read(*params_.connection, 0); }

  Status open(Context& ctx) {
    if (rows_) return Status();
    std::vector<SqliteRows::Column> columns;
    for (size_t i = 0; i < components_.size(); ++i)
      columns.push_back(
          {components_[i].dtype, spec_.kind == Spec::Kind::dict ? spec_.keys[i] : std::string()});
    WEIR_ASSIGN(std::unique_ptr<SqliteRows> rows,
                SqliteRows::open(*params_.connection, *params_.query, columns,
                                 ctx.runtime().limits.record_bytes, ctx.session.cancelled));
    Step skipped = rows->skip(given_);
    if (skipped.error()) return Status(skipped.error());
    if (skipped.answer() == PullResult::end) {
      return file_error(Code::data_loss,
                        expected_found(concat("a query that gives ", given_, " rows, as it did before"),
                                       "fewer", "go on from a position only while the database is as it was"),
                        *params_.connection);
    }
    rows_ = std::move(rows);
    return Status();
  }

  const ReadSite site_;
  const Spec& spec_;
  const std::vector<Component>& components_;
  const Params params_;
  std::unique_ptr<SqliteRows> rows_;
  // How many rows were given, failed ones included.
  int64_t given_ = 0;
  // The query failed, and the error has been given.
  bool failed_ = false;
};

bool is_column(const Spec& spec) {
  const DType dtype = spec.dtype;
  const bool holds = is_integer(dtype) || dtype == DType::float32 || dtype == DType::float64 ||
                     dtype == DType::boolean || dtype == DType::string;
  return spec.is_tensor() && holds && spec.shape.rank_known() && spec.shape.rank() == 0;
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  if (params.driver.is_constant() && *params.driver != "sqlite") {
    return with_parameter(invalid_argument(expected_found("\"sqlite\"", quote(*params.driver))), "driver");
  }
  const Spec& row = params.spec.spec;
  const bool structured = row.kind == Spec::Kind::tuple || row.kind == Spec::Kind::dict;
  if (!structured || row.children.empty() ||
      !std::all_of(row.children.begin(), row.children.end(), is_column)) {
    return with_parameter(invalid_argument(expected_found(
                              "a tuple or dict of scalars: integers, float32, float64, bool or string",
                              row.to_string(), "write (int64,) for a single column")),
                          "spec");
  }
  return row;
}

const OperatorDef& read_sql_operator() {
  static const OperatorDef def = define<Params, SqlRows>({
      .name = "read_sql",
      .kind = OperatorKind::source,
      .internal = true,
      .typing = {.spec = spec_of<Params, spec>},
      .ahead = {.lane = Lane::blocking},
  });
  return def;
}

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef>, const BuildSite& site) {
  WEIR_TRY(check_sqlite());
  return Dataset::build(read_sql_operator(), base.clone(), {}, site);
}

struct Sql {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef rows, expansion(opening, params));
    return open_on_blocking_lane(opening, std::move(rows));
  }
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Sql>({
      .name = "sql",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Runs a query on an SQLite 3 database and yields its rows, in the query's order. NULL is 0, false or \"\", as in tf.data. A number in a column of strings becomes its text, and any number but 0 is true; a value that does not fit its dtype is an error (invalid_argument) in the row's place. A database that does not exist (not_found), is damaged or ends within a page (data_loss) or is no regular file (invalid_argument), and a query that is wrong (invalid_argument) or fails, gives one error in place of the remaining rows. If another process is writing the database, reading waits, 5 seconds at most; while rows are read, a writer waits. The query reads this one file: other databases, pragmas that set something and extensions are refused (permission_denied). One in WAL mode gets the files `-wal` and `-shm` beside it, as from every reader. SQLite is built in; a process that writes the database by another SQLite must close it before it reads it here, since a process loses its locks on a file where one of them closes it. The query runs again where a restored iterator continues, so give it an `order by`. Reads ahead of its consumer, on its own thread.",
           .cost = "The query's own, and two copies of each value.",
           .tf_names = "driver_name=driver data_source_name=connection output_types=spec",
           .example =
               R"(sql("sqlite", "tests/conformance/data/small.sqlite", "select name, height from people order by id", (string, float64)))",
           .output = "(\"ada\", 1.65)\n(\"bob\", 1.8)\n(\"\", 1.5)",
           .bench =
               R"(sql("sqlite", "tests/conformance/data/small.sqlite", "with recursive n(i) as (select 0 union all select i + 1 from n where i < 99999) select i, i * 0.5 from n", (int64, float64)))"},
      .typing = {.spec = spec_of<Params, spec>, .expand = expand},
      .ahead = {.is_window = [](const ParamsBase&) { return true; }, .limits = ahead_on_blocking_lane},
  });
  return def;
}

}  // namespace weir::sql_op
