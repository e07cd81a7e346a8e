#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "ops/written_folders.h"

namespace weir::test {
namespace {

const ContractEntries sql_contract(
    "sql",
    {{"sql(\"sqlite\", \"FOLDER/tests/conformance/data/small.sqlite\", \"select id, name from people order by id\", "
      "(int64, string))",
      anything},
     {"sql(\"sqlite\", \"FOLDER/tests/conformance/data/small.sqlite\", \"with recursive n(i) as (select 0 union all "
      "select i + 1 from n where i < 2999) select i % 200 as i, 'x' || i as t from n\", {t: string, i: uint8}) | batch(7)",
      anything}},
    kEndless);

// A database that these statements make.
class Database {
 public:
  explicit Database(const std::string& statements) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(file().c_str(), &database) == SQLITE_OK);
    const int made = sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(database);
    REQUIRE(made == SQLITE_OK);
  }
  std::string file() const { return folder_.at("a.sqlite"); }
  std::string query(const std::string& text, const std::string& spec) const {
    return "sql(\"sqlite\", \"" + file() + "\", \"" + text + "\", " + spec + ")";
  }

 private:
  TemporaryFolder folder_;
};

std::string error_of(const std::string& document) {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, document);
  Block block;
  while (require_value(iterator->next(1, block)) == PullResult::rows) {
    if (const ErrorPtr* error = block.error_of(0)) return (*error)->describe();
  }
  return "";
}

TEST_CASE("sql gives rows by dtype, and zeros for NULL") {
  const Database data(
      "create table t (k integer, i, r, s, b);"
      "insert into t values (1, -128, 1.5, 'a', x'00ff'), (2, 127, -2, 42, 'text'), (3, null, null, null, null),"
      "(4, 0, 9007199254740993, 2.5, '')");
  for (int rows : {1, 3, 64}) {
    INFO(rows);
    CHECK(run(data.query("select i, r, s, b from t order by k", "(int8, float64, string, string)"), rows) ==
          Lines{R"((-128, 1.5, "a", "\x00\xff"))", R"((127, -2.0, "42", "text"))", R"((0, 0.0, "", ""))",
                R"((0, 9007199254740992.0, "2.5", ""))"});
    CHECK(run(data.query("select i, r from t order by k desc", "(bool, bool)"), rows) ==
          Lines{"(false, true)", "(false, false)", "(true, true)", "(true, true)"});
    CHECK(run(data.query("select k as b, i as a from t order by k limit 2", "{a: float32, b: uint64}"),
              rows) == Lines{"{a: -128.0, b: 1}", "{a: 127.0, b: 2}"});
  }
  CHECK(run(data.query("select k from t where k > 9", "(int64,)")).empty());
  CHECK(run(data.query("select k from t limit 1;  \\n", "(int64,)")) == Lines{"(1,)"});
}

TEST_CASE("sql: a value that its dtype does not hold is an error in its place") {
  const Database data(
      "create table t (k integer, v);"
      "insert into t values (1, 127), (2, 128), (3, -129), (4, -128), (5, 1.0), (6, 'x'), (7, x'01'), (8, 7)");
  const std::string query = data.query("select v from t order by k", "(int8,)");
  for (int rows : {1, 2, 64}) {
    INFO(rows);
    const std::string wrong = "error: invalid_argument";
    CHECK(run(query, rows) == Lines{"(127,)", wrong, wrong, "(-128,)", wrong, wrong, wrong, "(7,)"});
  }
  const std::string found = error_of(query);
  CHECK_THAT(found, Catch::Contains("expected int8 in column \"v\", found 128"));
  CHECK_THAT(found, Catch::Contains(data.file()));
  CHECK_THAT(found, Catch::Contains("record 1"));
  CHECK_THAT(error_of(data.query("select v from t where k = 6", "(float32,)")),
             Catch::Contains("found text"));
  CHECK_THAT(error_of(data.query("select v from t where k = 5", "(int64,)")), Catch::Contains("found 1.0"));
  CHECK_THAT(error_of(data.query("select v from t where k = 7", "(bool,)")), Catch::Contains("found a blob"));
  CHECK(run(data.query("select v from t where k = 3", "(uint64,)")) == Lines{"error: invalid_argument"});
  const std::string wide =
      data.query("select v from (select 3.4e38 as v union all select -3.5e38)", "(float32,)");
  CHECK(run(wide) == Lines{"(3.4e+38,)", "error: invalid_argument"});
  CHECK_THAT(error_of(wide), Catch::Contains("expected float32 in column \"v\", found -3.5e+38"));
  CHECK(run(data.query("select 9e999", "(float32,)")) == Lines{"(inf,)"});
}

TEST_CASE("sql: what is wrong with the query or the database is one error") {
  const Database data("create table t (k integer); insert into t values (1), (2), (3)");
  CHECK_THAT(error_of(data.query("select missing from t", "(int64,)")),
             Catch::Contains("no such column: missing"));
  CHECK_THAT(error_of(data.query("selec k from t", "(int64,)")), Catch::Contains("syntax error"));
  CHECK_THAT(error_of(data.query("select k, k from t", "(int64,)")),
             Catch::Contains("expected a query of 1 columns, as the spec has, found 2"));
  CHECK_THAT(error_of(data.query("select k from t", "{j: int64}")), Catch::Contains("a column \"j\""));
  CHECK_THAT(error_of(data.query("select k from t; select k from t", "(int64,)")),
             Catch::Contains("one statement"));
  CHECK_THAT(error_of(data.query("", "(int64,)")), Catch::Contains("the query returns no rows"));
  // It is only read.
  CHECK_THAT(error_of(data.query("insert into t values (4) returning k", "(int64,)")),
             Catch::Contains("readonly"));
  CHECK(run(data.query("select count(*) from t", "(int64,)")) == Lines{"(3,)"});
  // An error between rows: the last one divides by a number that is none.
  const std::string fails =
      data.query("select case when k < 3 then k else abs(-9223372036854775807 - 1) end from t", "(int64,)");
  for (int rows : {1, 64}) CHECK(run(fails, rows) == Lines{"(1,)", "(2,)", "error: invalid_argument"});

  TemporaryFolder folder;
  std::ofstream(folder.at("none.sqlite")) << std::string(5000, 'x');
  const std::string open = "sql(\"sqlite\", \"" + folder.at("none.sqlite") + "\", \"select 1\", (int64,))";
  CHECK(run("sql(\"sqlite\", \"" + folder.at("none.sqlite") + "\", \"select k from t\", (int64,))") ==
        Lines{"error: data_loss"});
  CHECK(run("sql(\"sqlite\", \"" + folder.at("missing") + "\", \"select k from t\", (int64,))") ==
        Lines{"error: not_found"});
  CHECK(!std::filesystem::exists(folder.at("missing")));
}

TEST_CASE("sql: a file that ends within a page is no database") {
  const Database data(
      "pragma page_size = 1024; create table t (k integer, s text); with recursive n(i) as (select 1 union all "
      "select i + 1 from n where i < 200) insert into t select i, 'text number ' || i from n");
  const auto whole = std::filesystem::file_size(data.file());
  REQUIRE(whole % 1024 == 0);
  const std::string query = data.query("select k from t", "(int64,)");
  CHECK(run(query).size() == 200);
  for (const int64_t cut : {1, 200, 1023}) {
    INFO(cut);
    std::filesystem::resize_file(data.file(), whole - static_cast<uint64_t>(cut));
    CHECK(run(query) == Lines{"error: data_loss"});
    CHECK_THAT(error_of(query), Catch::Contains("which end within a page"));
    CHECK_THAT(error_of(query), Catch::Contains(data.file()));
  }
  // Whole pages are missing: SQLite knows how many there were.
  std::filesystem::resize_file(data.file(), whole - 1024);
  CHECK(run(query) == Lines{"error: data_loss"});
}

TEST_CASE("sql: a database that is cut off while it is read is data_loss") {
  // Each value takes several pages.
  const std::string statements =
      "create table t (k integer primary key, v text);"
      "with recursive n(i) as (select 0 union all select i + 1 from n where i < 899) "
      "insert into t select i, replace(hex(zeroblob(1500)), '00', 'value ' || i * 7) from n";
  const auto query = [](const Database& data) { return data.query("select k, v from t", "(int64, string)"); };
  const Database data(statements);
  const auto size = std::filesystem::file_size(data.file());
  const Lines whole = run(query(data));
  ThreadsRuntime runtime;
  for (const uint64_t left : {size - 4096, size / 8192 * 4096 + 100, uint64_t{4096}, uint64_t{0}}) {
    INFO(left);
    const Database again(statements);
    const auto iterator = open_text(*runtime, query(again));
    take_lines(*iterator, 1);
    std::filesystem::resize_file(again.file(), left);
    const Lines rest = all_lines(*iterator);
    REQUIRE(rest.size() < whole.size() - 1);
    CHECK(rest.back() == "error: data_loss");
    CHECK(std::equal(rest.begin(), rest.end() - 1, whole.begin() + 1));
  }
}

TEST_CASE("sql takes the name of a file as it is, and waits for no pipe") {
  const auto open = [](const std::string& name) {
    return "sql(\"sqlite\", \"" + name + "\", \"select 1\", (int64,))";
  };
  TemporaryFolder folder;
  const std::string pipe = folder.at("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(run(open(pipe)) == Lines{"error: invalid_argument"});
  CHECK_THAT(error_of(open(pipe)), Catch::Contains("found a pipe"));
  CHECK(run(open(folder.at(""))) == Lines{"error: invalid_argument"});
  CHECK(run(open("")) == Lines{"error: not_found"});
  CHECK(run(open(":memory:")) == Lines{"error: not_found"});
  const Database data("create table t (k integer); insert into t values (1)");
  CHECK(run(open("file:" + data.file() + "?mode=ro")) == Lines{"error: not_found"});
  CHECK(run(open(data.file() + "\\x00.sqlite")) == Lines{"error: invalid_argument"});
  CHECK_THAT(error_of(data.query("select 1\\x00 from t", "(int64,)")), Catch::Contains("zero byte"));
  // Its journal and its log are files, too.
  for (const char* beside : {"-journal", "-wal"}) {
    INFO(beside);
    const std::string other = data.file() + beside;
    REQUIRE(::mkfifo(other.c_str(), 0600) == 0);
    const Lines lines = run(data.query("select k from t", "(int64,)"));
    CHECK(lines.size() == 1);
    std::filesystem::remove(other);
  }
  CHECK(run(data.query("select k from t", "(int64,)")) == Lines{"(1,)"});
}

TEST_CASE("sql: a query reaches no further than its database") {
  const Database data("create table t (k integer); insert into t values (7)");
  const auto refused = [&](const std::string& text) {
    INFO(text);
    const std::string found = error_of(data.query(text, "(string,)"));
    CHECK_THAT(found, Catch::Contains("not authorized"));
    CHECK_THAT(found, Catch::Contains(data.file()));
  };
  refused("select fts3_tokenizer('simple') from t");
  refused("select FTS3_Tokenizer('simple', 1) from t");
  refused("attach 'other' as o");
  refused("pragma soft_heap_limit = 1000");
  refused("pragma mmap_size = 100000");
  refused("pragma temp_store_directory = '/'");
  CHECK_THAT(error_of(data.query("select load_extension('a')", "(int64,)")),
             Catch::Contains("no such function: load_extension"));
  CHECK(run(data.query("pragma page_size", "(int64,)")) == Lines{"(4096,)"});
  CHECK(run(data.query("select cid, type from pragma_table_info('t')", "(int64, string)")) ==
        Lines{"(0, \"INTEGER\")"});
}

TEST_CASE("sql: a query that gives no rows for ever ends with its iterator") {
  const Database data("create table t (k)");
  ThreadsRuntime runtime;
  auto iterator =
      open_text(*runtime, data.query("with recursive n(i) as (select 0 union all select i + 1 from n) "
                                     "select i from n where i < 0",
                                     "(int64,)"));
  Block block;
  CHECK(require_value(iterator->try_next(1, block)) == PullResult::pending);
  iterator.reset();
}

TEST_CASE("sql gives up its lock where the rows end") {
  const Database data("create table t (k integer); insert into t values (1), (2)");
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, data.query("select k from t", "(int64,)"));
  CHECK(all_lines(*iterator) == Lines{"(1,)", "(2,)"});
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(data.file().c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, "insert into t values (3)", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

TEST_CASE("sql reads databases with a log, and full-text indexes") {
  const Database data(
      "pragma journal_mode = wal; create table t (k integer); insert into t values (1);"
      "create virtual table f using fts5(body); insert into f values ('one fish'), ('two fish'), ('red');"
      "create virtual table g using fts4(body); insert into g values ('one fish'), ('two birds');"
      "create virtual table r using rtree(id, a, b); insert into r values (1, 0, 2), (2, 5, 6)");
  CHECK(run(data.query("select k from t", "(int64,)")) == Lines{"(1,)"});
  CHECK(run(data.query("select body from f where f match 'fish' order by body", "(string,)")) ==
        Lines{"(\"one fish\",)", "(\"two fish\",)"});
  CHECK(run(data.query("select count(*) from g where g match 'birds'", "(int64,)")) == Lines{"(1,)"});
  CHECK(run(data.query("select id from r where a > 3", "(int64,)")) == Lines{"(2,)"});
}

TEST_CASE("sql refuses what it cannot give when the graph is built") {
  CHECK(contains(build_error("sql(\"mysql\", \"a\", \"select 1\", (int64,))"), "expected \"sqlite\""));
  CHECK(contains(build_error("sql(\"sqlite\", \"a\", \"select 1\", int64)"), "a tuple or dict of scalars"));
  CHECK(contains(build_error("sql(\"sqlite\", \"a\", \"select 1\", (int64[2],))"),
                 "a tuple or dict of scalars"));
  CHECK(contains(build_error("sql(\"sqlite\", \"a\", \"select 1\", (complex64,))"),
                 "a tuple or dict of scalars"));
  CHECK(contains(build_error("sql(\"sqlite\", \"a\", \"select 1\", (float16,))"),
                 "a tuple or dict of scalars"));
}

TEST_CASE("sql goes on where it was saved, and says where it cannot") {
  const Database data(
      "create table t (k integer); with recursive n(i) as (select 0 union all select i + 1 from n where i < 2999) "
      "insert into t select i from n");
  const std::string query = data.query("select k from t order by k", "(int64,)");
  for (const int64_t count : {0, 1, 1024, 2999, 3000}) {
    const Lines rest = run_restored(query, count);
    REQUIRE(rest.size() == static_cast<size_t>(3000 - count));
    if (!rest.empty()) CHECK(rest[0] == "(" + std::to_string(count) + ",)");
  }
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, query);
  take_lines(*iterator, 2000);
  const std::string saved = require_value(iterator->save());
  iterator.reset();
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(data.file().c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database, "delete from t where k > 9", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  CHECK(all_lines(*open_text(*runtime, query, &saved)) == Lines{"error: data_loss"});
}

}  // namespace
}  // namespace weir::test
