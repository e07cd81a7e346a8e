#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/tar_bytes.h"
#include "support/temporary_folder.h"

namespace weir::test {
namespace {

const std::string kArchiveFolder = kConformanceData + "new/webdataset/";

const ContractEntries webdataset_contract(
    "webdataset",
    {{"webdataset(\"" + kArchiveFolder +
          "keys-and-files.tar\", {\"__key__\": string, \"__url__\": string, cls: string})",
      anything, true},
     {"webdataset(\"" + kArchiveFolder + "a-second-member-of-one-extension.tar\", {t: string})", anything,
      true},
     {"webdataset([\"" + kArchiveFolder + "a-member-is-missing.tar\", \"nowhere.tar\", \"" + kArchiveFolder +
          "cut-in-a-member.tar\", \"" + kArchiveFolder +
          "a-default.tar\"], {x: optional(string), y: string})",
      anything, true},
     {"webdataset([\"" + kArchiveFolder + "one-member-each.tar\", \"" + kArchiveFolder +
          "a-default.tar\"], {bin: string = \"\"}, num_parallel_reads: 2)",
      anything, true},
     {"range(2) | flat_map(i -> webdataset(\"" + kArchiveFolder + "a-default.tar\", {x: string = \"-\"}))",
      anything, false}},
    kOpens);

const std::string kBadElement = "error: invalid_argument";
const std::string kDamagedArchive = "error: data_loss";

struct Archive {
  explicit Archive(const std::string& bytes) { std::ofstream(file(), std::ios::binary) << bytes; }
  std::string file() const { return folder.at("a.tar"); }
  Lines rows(const std::string& fields, int width = 3) const {
    return run("webdataset(\"" + file() + "\", " + fields + ")", width);
  }
  TemporaryFolder folder;
};

TEST_CASE("webdataset: numbers, flags and sparse members") {
  std::string wide = tar_header("a.t", 0);
  // A size in binary, and sums of signed bytes.
  wide.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\3", 12));
  const auto seal = [](std::string& block, bool with_sign) {
    block.replace(148, 8, 8, ' ');
    int sum = 0;
    for (const char c : block) sum += with_sign ? static_cast<signed char>(c) : static_cast<unsigned char>(c);
    char number[16];
    std::snprintf(number, sizeof number, "%06o", static_cast<unsigned>(sum));
    std::memcpy(&block[148], number, 7);
  };
  seal(wide, false);
  CHECK(Archive(wide + in_blocks("abc")).rows("{t: string}") == Lines{"{t: \"abc\"}"});
  seal(wide, true);
  CHECK(Archive(wide + in_blocks("abc")).rows("{t: string}") == Lines{"{t: \"abc\"}"});
  wide.replace(124, 12, std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12));
  seal(wide, false);
  CHECK(Archive(wide + in_blocks("abc")).rows("{t: string}") == Lines{kDamagedArchive});
  // A map of two more blocks, and the bytes of what has no holes.
  std::string sparse = tar_header("s.t", 3, 'S');
  sparse[482] = 1;
  seal(sparse, false);
  std::string more(1024, '\0');
  more[504] = 1;
  CHECK(Archive(sparse + more + in_blocks("xyz") + tar_member("a.t", "1")).rows("{t: string}") ==
        Lines{"{t: \"1\"}"});
  CHECK(Archive(tar_member("b", "25 GNU.sparse.major=1\n", 'x').replace(512, 2, "22") +
                tar_member("s.t", "map") + tar_member("a.t", "1"))
            .rows("{t: string}") == Lines{"{t: \"1\"}"});
}

TEST_CASE("webdataset: pax records") {
  const auto record = [](const std::string& text) {
    return std::to_string(text.size() + 4) + " " + text + "\n";
  };
  const std::string named = tar_member("x", record("path=some/where.t") + record("mtime=1.5"), 'x');
  CHECK(Archive(named + tar_member("y", "1")).rows("{\"__key__\": string, t: string}") ==
        Lines{"{__key__: \"some/where\", t: \"1\"}"});
  CHECK(Archive(tar_member("g", record("comment=about"), 'g') + tar_member("a.t", "1")).rows("{t: string}") ==
        Lines{"{t: \"1\"}"});
  CHECK(
      Archive(tar_member("x", record("size=0000000000000003"), 'x') + tar_header("a.t", 0) + in_blocks("abc"))
          .rows("{t: string}") == Lines{"{t: \"abc\"}"});
  for (const char* bad : {"5 a=b", "99 path=x\n", "x", "0 a=b\n", "7 path\n", "14 size=nine\n", "1 \n"}) {
    INFO(bad);
    CHECK(Archive(tar_member("x", bad, 'x') + tar_member("a.t", "1")).rows("{t: string}") ==
          Lines{kDamagedArchive});
  }
  // Names and records end somewhere.
  CHECK(Archive(tar_header("x", size_t{1} << 30, 'x')).rows("{t: string}") == Lines{kDamagedArchive});
  CHECK(Archive(tar_header("x", size_t{1} << 30, 'L')).rows("{t: string}") == Lines{kDamagedArchive});
  CHECK(Archive(tar_member("x", "a.t", 'L')).rows("{t: string}") == Lines{kDamagedArchive});
  CHECK(Archive(tar_header("a.t", size_t{1} << 32)).rows("{t: string}") == Lines{"error: data_loss"});
  // Of a global header nothing has to follow.
  CHECK(Archive(tar_member("a.t", "1") + tar_member("g", "7 a=bc\n", 'g')).rows("{t: string}") ==
        Lines{"{t: \"1\"}"});
}

TEST_CASE("webdataset: several fields of one member, and the first of several members") {
  const Archive archive(tar_member("a.png", "p") + tar_member("a.jpeg", "j") + tar_member("b.png", "q"));
  CHECK(archive.rows("{i: member(\"jpg\", \"jpeg\", \"png\"), j: member(\"png\", \"jpeg\"), png: string}") ==
        Lines{"{i: \"j\", j: \"p\", png: \"p\"}", "{i: \"q\", j: \"q\", png: \"q\"}"});
  CHECK(archive.rows("{i: member(\"gif\") = \"none\", o: optional(member(\"jpeg\"))}") ==
        Lines{"{i: \"none\", o: some(\"j\")}", "{i: \"none\", o: none}"});
}

TEST_CASE("webdataset: long members are passed over, and positions are those of elements") {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    const std::string key = "k" + std::to_string(i);
    bytes += tar_member(key + ".t", std::to_string(i)) +
             tar_member(key + ".bin", std::string(static_cast<size_t>(i) * 97, 'b'));
    if (i % 50 == 0)
      bytes += tar_member("README", "r") + tar_member(key + ".big", std::string(3000000 / (i + 1), 'x'));
    if (i % 11 == 0) bytes += tar_member(key + ".t", "again");
  }
  const Archive archive(bytes);
  const std::string pipeline = "webdataset(\"" + archive.file() +
                               "\", {t: string, bin: string}) | map(e -> (e.t, string_length(e.bin)))";
  const Lines all = run(pipeline, 64);
  REQUIRE(all.size() == 300);
  CHECK(all[11] == kBadElement);
  CHECK(all[12] == "(\"12\", 1164)");
  for (size_t count : {0, 1, 11, 12, 100, 299, 300})
    CHECK(run_restored(pipeline, static_cast<int64_t>(count)) ==
          Lines(all.begin() + static_cast<ptrdiff_t>(count), all.end()));
}

TEST_CASE("webdataset: every byte flipped and every length cut") {
  std::ostringstream out;
  for (const char* name : {"pax-long-names.tar", "gnu-long-names.tar"})
    out << std::ifstream(kArchiveFolder + name, std::ios::binary).rdbuf();
  const std::string bytes = out.str();
  const std::string fields = "{\"__key__\": string, txt: optional(string)}";
  const auto check = [&](const std::string& damaged) {
    for (const std::string& line : Archive(damaged).rows(fields, 64))
      CHECK((line == kBadElement || line == kDamagedArchive || line.starts_with("{__key__: ") ||
             line == "error: resource_exhausted"));
  };
  for (size_t size = 0; size < bytes.size(); size += size % 512 < 8 || size % 512 > 504 ? 1 : 31)
    check(bytes.substr(0, size));
  for (size_t at = 0; at < bytes.size(); at += at % 512 < 300 ? 3 : 41) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    check(damaged);
  }
}

TEST_CASE("webdataset: what it is built with") {
  CHECK(spec("webdataset(\"a\", {i: member(\"x\"), o: optional(string), t: string = \"\"})") ==
        "{i: string, o: optional<string>, t: string}");
  CHECK(cardinality("webdataset(\"a\", {})") == -2);
  const auto mistake = [](const std::string& fields) {
    return build_error("webdataset(\"a\", " + fields + ")");
  };
  for (const char* fields :
       {"{a: int64}", "{a: string[?]}", "{a: json}", "{a: {b: string}}", "{a: ragged(string)}"}) {
    INFO(fields);
    CHECK(contains(mistake(fields), "the field a is no string; a member of an archive is a string"));
  }
  CHECK(contains(mistake("{a: member()}"), "the field a names no member; write member(\"jpg\", \"jpeg\")"));
  CHECK(contains(mistake("{a: member(1)}"), "string"));
}

}  // namespace
}  // namespace weir::test
