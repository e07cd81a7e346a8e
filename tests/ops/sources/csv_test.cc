#include <filesystem>
#include <fstream>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/temporary_folder.h"

namespace weir::test {
namespace {

const std::string kPlain = "csv(\"" + kConformanceData + "plain.csv\", [int64, float32, string]";
const std::string kBad = "csv(\"" + kConformanceData + "bad.csv\", [int64, int64]";

const ContractEntries csv_contract(
    "csv",
    {{kPlain + ")", anything, true},
     {kBad + ")", anything, true},
     {"csv([\"" + kConformanceData + "bad.csv\", \"nowhere.csv\", \"" + kConformanceData +
          "missing.csv\"], [0, 0.5, string], select: [0, 1, 2]) | batch(2)",
      anything, true},
     {"csv([\"" + kConformanceData + "plain.csv\", \"" + kConformanceData +
          "missing.csv\"], [0, 0.5, string], num_parallel_reads: 2)",
      anything, true},
     {kBad + ", exclude: [2])", anything, true},
     {"range(2) | flat_map(i -> " + kBad + ", header: i == 1))", anything, false}},
    kOpens);

struct Table {
  explicit Table(const std::string& text) { std::ofstream(file(), std::ios::binary) << text; }
  std::string file() const { return folder.at("table.csv"); }
  // The rows that csv gives with these arguments.
  Lines rows(const std::string& arguments, int width = 3) const {
    return run("csv(\"" + file() + "\", " + arguments + ")", width);
  }
  TemporaryFolder folder;
};

TEST_CASE("csv: numbers, and what are none") {
  const Table table(
      "2147483647, 7 ,+1.5\n-2147483648,-0,.5\n2147483648,1,1\n1,9223372036854775808,1\n1,1,1e400\n1,1,-1e400\n"
      "1,1,1e-400\n1,1,-NaN\n1,1,Inf\n1,1,1x\n1,1,--1\n1,1,+-1\n0x1,1,1\n1,+-1,1\n1, ,1\n1,1,infinity\n");
  const std::string bad = "error: invalid_argument";
  CHECK(table.rows("[int32, int64, float64]") ==
        Lines{"(2147483647, 7, 1.5)", "(-2147483648, 0, 0.5)", bad, bad, "(1, 1, inf)", "(1, 1, -inf)",
              "(1, 1, 0.0)", "(1, 1, nan)", "(1, 1, inf)", bad, bad, bad, bad, bad, bad, "(1, 1, inf)"});
  // Of float32 the limits are others.
  CHECK(Table("3.4e38,1e39,1e-46,16777217\n").rows("[float32, float32, float32, float32]") ==
        Lines{"(3.4e+38, inf, 0.0, 16777216.0)"});
}

TEST_CASE("csv: fields that are missing, too many or too few") {
  const std::string bad = "error: invalid_argument";
  const Table table("1,2\n1\n1,2,3\n,2\n1,\n\n3,4,\n5,6");
  CHECK(table.rows("[int64, int64]") == Lines{"(1, 2)", bad, bad, bad, bad, bad, bad, "(5, 6)"});
  CHECK(table.rows("[-1, 7]") == Lines{"(1, 2)", bad, bad, "(-1, 2)", "(1, 7)", bad, bad, "(5, 6)"});
  // What is not selected may be anything.
  CHECK(table.rows("[-1], select: [1]") == Lines{"(2,)", bad, "(2,)", "(2,)", "(-1,)", bad, "(4,)", "(6,)"});
  CHECK(table.rows("[\"e\"], select: [2]") == Lines{bad, bad, "(\"3\",)", bad, bad, bad, "(\"e\",)", bad});
}

TEST_CASE("csv: fields left out") {
  const std::string bad = "error: invalid_argument";
  const Table table("1,x,2\n3,4\n5,,6,7\n8,\"\",9\n10,11,\n");
  CHECK(table.rows("[int64, 0], exclude: [1]") == Lines{"(1, 2)", bad, bad, "(8, 9)", "(10, 0)"});
  // A number that no row has leaves nothing out.
  CHECK(table.rows("[string], exclude: [0, 2, 9]") == Lines{"(\"x\",)", "(\"4\",)", bad, bad, "(\"11\",)"});
  CHECK(table.rows("[\"e\"], exclude: [0, 1]") == Lines{"(\"2\",)", bad, bad, "(\"9\",)", "(\"e\",)"});
  CHECK(Table("1,\"x\"y,2\n").rows("[0, 0], exclude: [1]") == Lines{bad});
  CHECK(table.rows("[0, \"\", 0], exclude: []") == table.rows("[0, \"\", 0]"));
  CHECK(table.rows("[0, \"\", 0], exclude: none") == table.rows("[0, \"\", 0]"));
  CHECK(run("range(2) | flat_map(i -> csv(\"" + table.file() + "\", [0, 0], exclude: [i + 1]) | take(1))") ==
        Lines{"(1, 2)", bad, "(3, 4)"});
}

TEST_CASE("csv: quotes") {
  const std::string bad = "error: invalid_argument";
  const Table table(
      "\"a,b\",1\n\"a\"\"b\"\"\"\"c\",2\r\n\"two\r\nlines\",3\r\"x\"y,4\n\" x\" ,5\",6\nx\"y,7\n\"\",8\n\"open,9\n");
  CHECK(table.rows("[string, int64]") ==
        Lines{"(\"a,b\", 1)", "(\"a\\\"b\\\"\\\"c\", 2)", "(\"two\\r\\nlines\", 3)", bad, bad, bad, bad});
  CHECK(table.rows("[\"none\", \"\"]", 64).size() == 7);
  CHECK(Table("\"a\",b\"c\n").rows("[string, string], quote: false") == Lines{"(\"\\\"a\\\"\", \"b\\\"c\")"});
}

TEST_CASE("csv: what stands for an empty field") {
  const Table table("NA,NA,NA\n\"NA\",\"\",x\n,NAN,NA \n");
  CHECK(table.rows("[\"s\", -2.5, \"t\"], na_value: \"NA\"") ==
        Lines{"(\"s\", -2.5, \"t\")", "(\"s\", -2.5, \"x\")", "(\"s\", nan, \"NA \")"});
}

TEST_CASE("csv: a restored position knows the names of the first file") {
  const std::string of = kConformanceData + "names/";
  const std::string text = "csv([\"" + of + "mark.csv\", \"" + of + "other.csv\", \"" + of +
                           "same.csv\"], [int64, int64], header: true)";
  const Lines all = {"(1, 2)", "error: invalid_argument", "(3, 4)"};
  CHECK(run(text) == all);
  for (int64_t position = 0; position <= 3; ++position)
    CHECK(run_restored(text, position) == Lines(all.begin() + position, all.end()));
}

TEST_CASE("csv: headers, and ends of lines and files") {
  CHECK(Table("a,b\r\n1,2\r\n").rows("[int64, int64], header: true") == Lines{"(1, 2)"});
  CHECK(Table("a,b\r1,2\r").rows("[int64, int64], header: true") == Lines{"(1, 2)"});
  CHECK(Table("a,b\n\n1,2").rows("[int64, int64], header: true") ==
        Lines{"error: invalid_argument", "(1, 2)"});
  CHECK(Table("\"a\nb\",\"c\"\"\"\n1,2\n").rows("[int64, int64], header: true") == Lines{"(1, 2)"});
  // A byte-order mark before a header, in a file that is shorter than one, and before a row.
  CHECK(Table("\xef\xbb\xbf\"a\",b\n1,2\n").rows("[int64, int64], header: true") == Lines{"(1, 2)"});
  CHECK(Table("a").rows("[int64], header: true").empty());
  CHECK(Table("\xef\xbb\xbfx,2\n").rows("[string, int64]") == Lines{R"(("x", 2))"});
  CHECK(Table("a\"b,c\n1,2\n").rows("[int64, int64], header: true") ==
        Lines{"error: invalid_argument", "(1, 2)"});
  for (const char* bad : {"", "\"a,b\n1,2\n"}) {
    INFO(bad);
    CHECK(Table(bad).rows("[int64, int64], header: true") == Lines{"error: invalid_argument"});
  }
  for (const char* empty : {"\n", "a,b", "a,b\n", "a,b\r", "a,b\r\n"}) {
    INFO(empty);
    CHECK(Table(empty).rows("[int64, int64], header: true").empty());
  }
  CHECK(Table("").rows("[int64]").empty());
  CHECK(Table("\n1\n").rows("[0]") == Lines{"(0,)", "(1,)"});
  CHECK(Table("1;2\n3;").rows("[0, 5], delim: \";\"") == Lines{"(1, 2)", "(3, 5)"});
  CHECK(Table("1 2\n").rows("[0, 5], delim: \" \"") == Lines{"(1, 2)"});
}

TEST_CASE("csv: what it is built with") {
  CHECK(spec(kPlain + ")") == "(int64, float32, string)");
  CHECK(spec("csv(\"a\", [int32])") == "(int32,)");
  CHECK(cardinality(kPlain + ")") == -2);
  const auto mistake = [](const std::string& arguments) {
    return build_error("csv(\"a\", " + arguments + ")");
  };
  CHECK(contains(mistake("[int8]"), "expected int32, int64, float32, float64 or string, found int8"));
  CHECK(contains(mistake("[[1, 2]]"), "expected the name of a dtype, or a default for empty fields"));
  CHECK(contains(mistake("[]"), "expected a list of columns"));
  CHECK(contains(mistake("int64"), "expected a list of columns"));
  for (const char* delim : {"\"\"", "\";;\"", "\"\\n\"", "\"\\r\"", "\"\\\"\""}) {
    INFO(delim);
    CHECK(contains(mistake(std::string("[int64], delim: ") + delim), "expected one byte"));
  }
  CHECK(Table("1\"2\n").rows("[0, 5], delim: \"\\\"\", quote: false") == Lines{"(1, 2)"});
  CHECK(contains(mistake("[int64, int64], select: [4, 1]"), "expected numbers of fields that rise"));
  CHECK(contains(mistake("[int64, int64], select: [1, 1]"), "expected numbers of fields that rise"));
  CHECK(contains(mistake("[int64], select: [-1]"), "expected numbers of fields that rise"));
  CHECK(contains(mistake("[int64], select: [1, 2]"), "expected 1 numbers, one for each column, found 2"));
  CHECK(contains(mistake("[int64], exclude: [4, 1]"), "expected numbers of fields that rise"));
  CHECK(contains(mistake("[int64], exclude: 1"), "expected a list of integers"));
  CHECK(contains(mistake("[int64], select: [1], exclude: [0]"),
                 "expected either select or exclude, found both"));
  CHECK(contains(mistake("[int64], compression: \"zip\""), "gzip"));
}

TEST_CASE("csv: a position is one of a row, errors included") {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += i % 7 == 3 ? "bad,\"x\n\"\"\"\n" : std::to_string(i) + ",\"" + std::to_string(i) + "\"\"\n\"\r\n";
  }
  const Table table(text);
  const std::string pipeline = "csv(\"" + table.file() + "\", [int64, string])";
  const Lines all = run(pipeline, 64);
  REQUIRE(all.size() == 3000);
  CHECK(all[3] == "error: invalid_argument");
  CHECK(all[4] == "(4, \"4\\\"\\n\")");
  CHECK(all[2999] == "error: invalid_argument");
  for (size_t count : {0, 1, 3, 4, 100, 1024, 2999, 3000})
    CHECK(run_restored(pipeline, static_cast<int64_t>(count)) ==
          Lines(all.begin() + static_cast<ptrdiff_t>(count), all.end()));
}

}  // namespace
}  // namespace weir::test
