// Files that somebody damaged or forged: every bit of every golden file flipped, every cut, every field
// behind the checksum changed with the checksum set right, positions of other graphs. Loading answers with an
// error or takes what it can make sense of; it does not crash, hang, or need more memory than the file is
// worth.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "core/text.h"
#include "golden/golden.h"
#include "graph/envelope.h"
#include "iterator/checkpoint.h"
#include "iterator/checkpoint_folder.h"
#include "support/damage.h"
#include "support/failing_new.h"
#include "support/sanitized.h"
#include "support/simulated_files.h"

namespace weir::golden {
namespace {

// What loading a file may take.
int64_t allowed_bytes(const std::string& file) {
  return 4 * static_cast<int64_t>(file.size()) + (int64_t{1} << 20);
}

// Numbers as an Archive and a protobuf message write them, that a size, a count or a position should not be.
const std::string kNumbers[] = {
    std::string(9, '\xff') + '\x01',           // 2^64 - 1, and -2^63 as an int64
    '\xfe' + std::string(8, '\xff') + '\x01',  // 2^64 - 2, and 2^63 - 1
    "\xff\xff\xff\xff\x07",                    // 2^31 - 1
    "\x80\x80\x40",                            // 2^20
};

// Calls `check` with every forgery of the file, one change of its content each; under a sanitizer with each
// fifth one, which is another for each byte.
template <class Check>
void for_each_forgery(const std::string& file, Check check) {
  const std::string content = file.substr(kEnvelopeBytes);
  size_t forgeries = 0;
  const auto forged = [&](size_t at, size_t removed, std::string_view added) {
    if (++forgeries % sanitized_step(5) != 0) return;
    std::string changed = content;
    check(enclosed_like(file, changed.replace(at, removed, added)), at);
  };
  for (size_t at = 0; at < content.size(); ++at) {
    for (const char bits : {'\x01', '\x40', '\x80', '\xff'}) {
      const char changed = static_cast<char>(content[at] ^ bits);
      forged(at, 1, {&changed, 1});
    }
    for (const std::string& number : kNumbers) forged(at, 1, number);
    forged(at, 0, kNumbers[0]);
    forged(at, 1, "");
    forged(at, content.size() - at, "");
  }
  forged(content.size(), 0, "x");
}

// The newest file of a kind.
std::string file_of(const Case& one, std::string_view kind) {
  std::string path;
  for (const std::string& name : names_in(folder())) {
    if (!name.starts_with(concat(kind, "-"))) continue;
    const std::string there = concat(folder(), "/", name, "/", one.name);
    if (std::filesystem::exists(there)) path = there;
  }
  return read_file(path);
}

TEST_CASE("hostile files: every flipped bit, cut and appended byte of a golden file is data_loss",
          "[golden]") {
  ThreadsRuntime runtime;
  for (const Case& one : cases()) {
    INFO(one.name);
    CHECK(damages_not_refused(file_of(one, "checkpoint"), [](std::string_view bytes) {
            return Checkpoint::from_bytes(bytes).status();
          }) == 0);
    CHECK(damages_not_refused(file_of(one, "graph"), [&](std::string_view bytes) {
            return deserialize_document(*runtime, bytes).status();
          }) == 0);
  }
}

bool is_refusal(Code code) {
  return code == Code::data_loss || code == Code::failed_precondition || code == Code::invalid_argument ||
         code == Code::not_found || code == Code::resource_exhausted || code == Code::out_of_range;
}

// Loads the position and goes on from it.
void try_position(Runtime& runtime, const Case& one, const DocumentRef& document, const std::string& file) {
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  MemoryUse use;
  Status status;
  {
    const Metered metered(use);
    status = iterator->initialize(document, beginning_of(one, &file));
  }
  if (!status.ok() && !is_refusal(status.code())) FAIL(status.error().describe());
  if (use.most_bytes > allowed_bytes(file))
    FAIL(use.most_bytes << " bytes taken for a file of " << file.size());
  // A forged position may be so far away in an endless dataset that going there takes for ever.
  if (status.ok() && one.document.find("repeat()") == std::string::npos) take_lines(*iterator, 40, 7);
}

TEST_CASE("hostile files: positions forged behind the checksum are refused or read", "[golden]") {
  ThreadsRuntime runtime(1);
  size_t tried = 0;
  for (const Case& one : cases()) {
    const DocumentRef document = parse_text(*runtime, one.document);
    for_each_forgery(file_of(one, "checkpoint"), [&](const std::string& file, size_t at) {
      INFO(one.name << ", byte " << at << " of the content");
      try_position(*runtime, one, document, file);
      ++tried;
    });
  }
  CHECK(tried > 100'000 / sanitized_step(5));
}

// Not golden, since which elements a position has by value depends on the threads.
TEST_CASE("hostile files: forged elements by value, and numbers that came early, are refused or read",
          "[golden]") {
  ThreadsRuntime runtime(2);
  const struct {
    const char* text;
    const char* field;
  } positions[] = {
      {"range(30) | map(x -> x * 2, num_parallel_calls: 2, deterministic: false) | prefetch(3) | shuffle(3, seed: 1) | batch(2) | prefetch(1)",
       "buffer"},
      {"range(30) | map(x -> (x, \"abc\"), num_parallel_calls: 2, deterministic: false) | prefetch(3)",
       "held"},
      {"range(30000) | map(x -> range(x % 7 * 2000) | reduce(0, (a, b) -> a + b), num_parallel_calls: 3, deterministic: false)",
       "delivered"},
  };
  for (const auto& [text, field] : positions) {
    INFO(text);
    Case one;
    one.document = text;
    const DocumentRef document = parse_text(*runtime, text);
    std::string file;
    for (int64_t taken = 1; file.find(field) == std::string::npos; ++taken) {
      OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
      require_ok(iterator->initialize(document, {.params = {}, .policy = CheckpointPolicy::by_value}));
      if (std::string_view(field) == "delivered")
        require_ok(iterator->initialize(document, {.params = {}, .policy = CheckpointPolicy::refuse}));
      take_lines(*iterator, taken % 8 + 1);
      file = require_value(iterator->save());
    }
    const size_t root = file.find("root");
    for_each_forgery(file, [&](const std::string& forged, size_t at) {
      if (at + kEnvelopeBytes < root) return;
      INFO("byte " << at << " of the content");
      try_position(*runtime, one, document, forged);
    });
  }
}

TEST_CASE("hostile files: a forged position among those of all ranks is refused or goes on", "[golden]") {
  ThreadsRuntime runtime(1);
  const std::string names[] = {"rank_0_of_2", "rank_1_of_2"};
  const Case one = case_named(names[0]);
  const DocumentRef document = parse_text(*runtime, one.document);
  const std::string genuine[] = {file_of(one, "checkpoint"), file_of(case_named(names[1]), "checkpoint")};
  for (size_t rank = 0; rank < 2; ++rank) {
    for_each_forgery(genuine[rank], [&](const std::string& file, size_t at) {
      INFO(names[rank] << ", byte " << at << " of the content");
      const std::string_view ranks[] = {file, genuine[1 - rank]};
      for (const World& world : {World{0, 2, {}}, World{0, 3, {}}}) {
        OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
        const Status status = iterator->initialize(
            document, {.params = one.params, .rank_checkpoints = ranks, .world = &world});
        if (!status.ok() && !is_refusal(status.code())) FAIL(status.error().describe());
      }
    });
  }
}

TEST_CASE("hostile files: graphs forged behind the checksum are refused or built", "[golden]") {
  ThreadsRuntime runtime(1);
  for (const Case& one : cases()) {
    for_each_forgery(file_of(one, "graph"), [&](const std::string& file, size_t at) {
      INFO(one.name << ", byte " << at << " of the content");
      MemoryUse use;
      Result<DocumentRef> read = Status();
      {
        const Metered metered(use);
        read = deserialize_document(*runtime, file);
      }
      if (!read.ok() && !is_refusal(read.status().code())) FAIL(read.status().error().describe());
      if (use.most_bytes > allowed_bytes(file)) FAIL(use.most_bytes << " bytes taken");
      if (!read.ok()) return;
      // What was built is a graph like any other.
      const std::string again = require_value((*read)->serialize());
      CHECK(equal(**read, *require_value(deserialize_document(*runtime, again))));
    });
  }
}

TEST_CASE("hostile files: the position of another graph is refused", "[golden]") {
  ThreadsRuntime runtime(1);
  const std::vector<Case> all = cases();
  for (const Case& one : all) {
    const DocumentRef document = parse_text(*runtime, one.document);
    for (const Case& other : all) {
      const DocumentRef others = parse_text(*runtime, other.document);
      if (document->positional_fingerprint() == others->positional_fingerprint()) continue;
      INFO(other.name << " in the place of " << one.name);
      const std::string file = file_of(other, "checkpoint");
      OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
      CHECK(iterator->initialize(document, beginning_of(one, &file)).code() == Code::failed_precondition);
    }
    const std::string graph = file_of(one, "graph");
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    CHECK(iterator->initialize(document, beginning_of(one, &graph)).code() == Code::data_loss);
    CHECK(deserialize_document(*runtime, file_of(one, "checkpoint")).status().code() == Code::data_loss);
  }
}

// A checkpoint that is valid by itself, and of no dataset.
std::string position_of(std::string stage) {
  Checkpoint checkpoint;
  checkpoint.stage = std::move(stage);
  return checkpoint.to_bytes();
}

// Publishes two generations and returns the names of their files.
std::vector<std::string> two_generations(Runtime& runtime) {
  CheckpointFolder checkpoints = require_value(CheckpointFolder::open(runtime, "dir", 0, 3));
  require_value(checkpoints.save(position_of("one"), "extra one"));
  require_value(checkpoints.save(position_of("two"), "extra two"));
  std::vector<std::string> names = require_value(runtime.files->list_folder("dir"));
  std::erase(names, "README");
  return names;
}

TEST_CASE("hostile files: forged and exchanged generations give whole ones or errors", "[golden]") {
  SimulatedFileSystem files;
  // A simulated folder is there as long as it has a file.
  files.put("dir/README", "");
  Runtime runtime;
  runtime.files = &files;
  const std::vector<std::string> names = two_generations(runtime);
  REQUIRE(names.size() == 2);
  const std::string one = require_value(files.read_file("dir/" + names[0], 1 << 20));
  const std::string two = require_value(files.read_file("dir/" + names[1], 1 << 20));
  const auto load = [&] {
    MemoryUse use;
    const Metered metered(use);
    CheckpointFolder checkpoints = require_value(CheckpointFolder::open(runtime, "dir", 0, 3));
    auto loaded = checkpoints.load();
    if (use.most_bytes > allowed_bytes(one + two)) FAIL(use.most_bytes << " bytes taken");
    return loaded;
  };
  for_each_forgery(two, [&](const std::string& file, size_t at) {
    INFO("byte " << at << " of the content");
    files.put("dir/" + names[1], file);
    REQUIRE(load().ok());
  });
  files.put("dir/" + names[0], two);
  files.put("dir/" + names[1], one);
  // Each has the other's name.
  CHECK(load().status().code() == Code::data_loss);
  files.put("dir/" + names[0], one);
  CHECK(require_value(load()).extra == "extra one");
}

}  // namespace
}  // namespace weir::golden
