// Every checkpoint and serialized graph in tests/golden still gives the elements that are written beside it,
// and every operator has one of each.
#include "golden/golden.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/text.h"
#include "ops/list.h"
#include "support/test_generators.h"

namespace weir::golden {
namespace {

using Lines = std::vector<std::string>;

Lines expected_of(const Case& one) {
  return lines_of(read_file(concat(folder(), "/cases/", one.name, ".rest")));
}

// The folders of a kind, one for each format version that was ever written.
Lines folders_of(std::string_view kind) {
  Lines out;
  for (const std::string& name : names_in(folder())) {
    if (name.starts_with(concat(kind, "-"))) out.push_back(concat(folder(), "/", name));
  }
  return out;
}

bool exists(const std::string& path) { return std::filesystem::exists(path); }

// The case's document as text and as every graph that was ever saved of it.
std::vector<DocumentRef> documents_of(Runtime& runtime, const Case& one) {
  std::vector<DocumentRef> out = {parse_text(runtime, one.document)};
  for (const std::string& graphs : folders_of("graph")) {
    const std::string file = concat(graphs, "/", one.name);
    if (!exists(file)) continue;
    INFO(file);
    const Result<DocumentRef> read = deserialize_document(runtime, read_file(file), test_generators());
    if (!read.ok()) FAIL(read.status().error().describe());
    CHECK(equal(*out[0], **read));
    CHECK((*read)->fingerprint() == out[0]->fingerprint());
    CHECK((*read)->positional_fingerprint() == out[0]->positional_fingerprint());
    out.push_back(*read);
  }
  return out;
}

TEST_CASE("golden: what was saved once goes on as it did then", "[golden]") {
  ThreadsRuntime few(1);
  ThreadsRuntime many(3);
  for (const Case& one : cases()) {
    const Lines expected = expected_of(one);
    CHECK(!expected.empty());
    const std::vector<DocumentRef> documents = documents_of(*few, one);
    size_t read = 0;
    for (const std::string& checkpoints : folders_of("checkpoint")) {
      const std::string file = concat(checkpoints, "/", one.name);
      if (!exists(file)) continue;
      const std::string saved = read_file(file);
      for (const DocumentRef& document : documents) {
        for (const int rows : {1, 3, 1024}) {
          INFO(file << ", " << rows << " rows at a time");
          CHECK(rest(*open(rows == 3 ? *many : *few, one, document, &saved), rows) == expected);
          ++read;
        }
      }
    }
    INFO(one.name);
    CHECK(read > 0);
  }
}

TEST_CASE("golden: the position of a case is still the one that was saved", "[golden]") {
  ThreadsRuntime runtime;
  for (const Case& one : cases()) {
    INFO(one.name);
    // Seeds that the document leaves open were drawn when the file was written, and which allocation fails
    // changes with the code.
    if (one.drawn || one.fail >= 0) continue;
    CHECK(rest(*at_position(*runtime, one)) == expected_of(one));
  }
}

TEST_CASE("golden: each operator has its files, in the formats that are written now", "[golden]") {
  ThreadsRuntime runtime;
  std::set<std::string> names;
  for (const Case& one : cases()) {
    INFO("the case " << one.name << " has no file; build/release/golden_test \"[record]\" writes it");
    names.insert(one.name);
    OpenIterator iterator = at_position(*runtime, one);
    const std::string saved = require_value(iterator->save());
    const std::string graph = require_value(parse_text(*runtime, one.document)->serialize());
    CHECK(exists(concat(folder_of("checkpoint", saved), "/", one.name)));
    CHECK(exists(concat(folder_of("graph", graph), "/", one.name)));
    CHECK(exists(concat(folder(), "/cases/", one.name, ".rest")));
  }
  for (const OperatorDef* def : operators()) {
    INFO("the operator " << def->name
                         << " has no case in tests/golden/cases; README.md there says how to add one");
    // Its files are read by an extension, which this program has not.
    if (def->typing.columns_source) continue;
    CHECK(names.contains(std::string(def->name)));
  }
}

TEST_CASE("golden: a case is about the operator that it is named after", "[golden]") {
  std::set<std::string> operator_names;
  for (const OperatorDef* def : operators()) operator_names.insert(std::string(def->name));
  for (const Case& one : cases()) {
    INFO(one.name);
    if (operator_names.contains(one.name)) {
      CHECK(one.document.find(one.name + "(") != std::string::npos);
      CHECK(expected_of(one).size() > (one.name == "empty" ? 0 : 1));
    }
  }
}

TEST_CASE("golden: no file is without its case", "[golden]") {
  std::set<std::string> names;
  for (const Case& one : cases()) names.insert(one.name);
  for (const std::string_view kind : {"checkpoint", "graph"}) {
    CHECK(!folders_of(kind).empty());
    for (const std::string& path : folders_of(kind)) {
      for (const std::string& name : names_in(path)) {
        INFO(path << "/" << name);
        CHECK(names.contains(name));
      }
    }
  }
}

// Writes a file that is not there yet; false if it is there and holds something else.
bool write_new(const std::string& path, const std::string& bytes) {
  if (exists(path)) return read_file(path) == bytes;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  return exists(path);
}

// Not run unless asked for: writes the files of cases that have none. A file that is there stays as it is.
TEST_CASE("golden: record", "[.][record]") {
  ThreadsRuntime runtime;
  for (const Case& one : cases()) {
    OpenIterator iterator = at_position(*runtime, one);
    const std::string saved = require_value(iterator->save());
    const std::string graph = require_value(parse_text(*runtime, one.document)->serialize());
    const std::string checkpoint = concat(folder_of("checkpoint", saved), "/", one.name);
    INFO(one.name << ": a golden file is never changed; give the case another name");
    CHECK(write_new(concat(folder_of("graph", graph), "/", one.name), graph));
    if (exists(checkpoint)) continue;
    std::string text;
    for (const std::string& line : rest(*iterator)) text += line + "\n";
    CHECK(write_new(concat(folder(), "/cases/", one.name, ".rest"), text));
    CHECK(write_new(checkpoint, saved));
  }
}

}  // namespace
}  // namespace weir::golden
