#include <algorithm>
#include <fstream>
#include <iterator>

#include "ops/contract.h"
#include "ops/written_folders.h"

namespace weir::test {
namespace {

const ContractEntries lmdb_contract(
    "lmdb",
    {{"lmdb(\"FOLDER/tests/golden/data/words.mdb\")", anything},
     {"lmdb(\"FOLDER/tests/golden/data/words.mdb\", {value: string}) | batch(7)", anything}},
    kOpens);

// What it reads from databases of LMDB's own library is in bindings/python/tests/test_lmdb_files.py.
const std::string kWords = WEIR_SOURCE_DIR "/tests/golden/data/words.mdb";

TEST_CASE("lmdb: entries in the order of their keys, by position and after a restore") {
  const std::string text = call("lmdb", kWords);
  CHECK(spec(text) == "{key: string, value: string}");
  CHECK(cardinality(text) == 254);
  const Lines all = run(text, 10);
  REQUIRE(all.size() == 254);
  CHECK(all[0] == "{key: \"a\", value: \"1\"}");
  CHECK(std::is_sorted(all.begin(), all.end()));
  CHECK(run(text + " | partition(1, p -> p)", 10) == all);
  CHECK(run(text + " | skip(251)") == Lines(all.begin() + 251, all.end()));
  Lines shuffled = run(text + " | global_shuffle(seed: 3)");
  CHECK(shuffled != all);
  std::sort(shuffled.begin(), shuffled.end());
  CHECK(shuffled == all);
  for (const int64_t position : {0, 1, 253, 254})
    CHECK(run_restored(text, position) == Lines(all.begin() + position, all.end()));
  CHECK(run(call("lmdb", kWords, ", where: {key} -> key == \"zz\"")) == Lines{"{key: \"zz\", value: \"\"}"});
}

TEST_CASE("lmdb: a file that fails is one error, and the next one follows") {
  TemporaryFolder folder;
  std::ifstream whole(kWords, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(whole), {});
  std::ofstream(folder.at("cut.mdb"), std::ios::binary) << bytes.substr(0, 9000);
  const std::string text = "lmdb([\"" + folder.at("cut.mdb") + "\", \"" + kWords + "\"], {key: string})";
  const Lines lines = run(text);
  CHECK(lines.size() == 255);
  CHECK(contains(build_error("lmdb(\"" + folder.at("none.mdb") + "\")"), "none.mdb"));
  CHECK(contains(build_error("lmdb(\"" + folder.at("none.mdb") + "\", nulls: \"optional\")"), "no nulls"));
  CHECK(run(call("lmdb", kWords, ", {word: string, key: string}")) == Lines(254, "error: invalid_argument"));
  std::ofstream(folder.at("text.mdb")) << std::string(9000, 'x');
  CHECK(contains(build_error(call("lmdb", folder.at("text.mdb"))), "describes an LMDB database"));
}

}  // namespace
}  // namespace weir::test
