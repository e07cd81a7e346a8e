#include "iterator/checkpoint_folder.h"

#include <catch2/catch_test_macros.hpp>

#include "core/text.h"
#include "graph/envelope.h"
#include "iterator/positions.h"
#include "support/damage.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

struct KeptLines final : Logger {
  void log(Level level, std::string_view line) override {
    CHECK(level == Level::warning);
    lines.emplace_back(line);
  }
  std::vector<std::string> lines;
};

struct FolderFixture {
  FolderFixture() {
    runtime.files = &files;
    runtime.logger = &logger;
    // A simulated folder is there as long as it has a file.
    files.put("dir/README", "");
  }

  CheckpointFolder open(uint32_t rank = 0, int keep = 3) {
    auto folder = CheckpointFolder::open(runtime, "dir", rank, keep);
    REQUIRE(folder.ok());
    return *std::move(folder);
  }
  // Publishes `count` generations whose position and extra bytes tell their numbers.
  void save(CheckpointFolder& folder, int count) {
    for (int i = 0; i < count; ++i) {
      const int number = ++saved;
      auto published = folder.save(position_of(concat(number)), concat("extra ", number));
      REQUIRE(published.ok());
      CHECK(*published == number);
    }
  }
  std::vector<std::string> names() {
    auto names = files.list_folder("dir");
    REQUIRE(names.ok());
    std::erase(*names, "README");
    return *names;
  }
  std::string bytes_of(const std::string& name) {
    auto bytes = files.read_file("dir/" + name, 1 << 20);
    REQUIRE(bytes.ok());
    return *bytes;
  }
  void cut(const std::string& name, size_t size) { files.put("dir/" + name, bytes_of(name).substr(0, size)); }
  void flip(const std::string& name, size_t bit) {
    std::string bytes = bytes_of(name);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    files.put("dir/" + name, bytes);
  }

  SimulatedFileSystem files;
  KeptLines logger;
  Runtime runtime;
  int saved = 0;
};

using Names = std::vector<std::string>;

std::string generation_name(int number, int rank = 0) {
  return concat("r0000", rank, "-00000000000", number, ".ckpt");
}

void check_loads(CheckpointFolder& folder, int number) {
  auto loaded = folder.load();
  REQUIRE(loaded.ok());
  CHECK(loaded->name.number == number);
  CHECK(loaded->position == position_of(concat(number)));
  CHECK(loaded->extra == concat("extra ", number));
}

TEST_CASE("checkpoint folder: generations are numbered and the newest ones are kept") {
  FolderFixture f;
  CheckpointFolder folder = f.open();
  CHECK(folder.load().status().code() == Code::not_found);
  f.save(folder, 2);
  CHECK(f.names() == Names{generation_name(1), generation_name(2)});
  f.save(folder, 3);
  CHECK(f.names() == Names{generation_name(3), generation_name(4), generation_name(5)});
  check_loads(folder, 5);
  // Another process goes on where this one ended, and keeps what it was told to.
  CheckpointFolder next = f.open(0, 1);
  check_loads(next, 5);
  f.save(next, 1);
  CHECK(f.names() == Names{generation_name(6)});
  CHECK(f.logger.lines.empty());
}

TEST_CASE("checkpoint folder: empty and binary bytes come back") {
  FolderFixture f;
  CheckpointFolder folder = f.open();
  for (const std::string& extra : {std::string("\0\xff\n", 3), std::string()}) {
    REQUIRE(folder.save(position_of(extra), extra).ok());
    CHECK(folder.load()->position == position_of(extra));
    CHECK(folder.load()->extra == extra);
  }
}

TEST_CASE("checkpoint folder: a damaged newest generation is passed over, and the log says why") {
  FolderFixture f;
  CheckpointFolder folder = f.open();
  f.save(folder, 3);
  std::string why;
  SECTION("empty") {
    f.cut(generation_name(3), 0);
    why = "found nothing";
  }
  SECTION("cut in the header") {
    f.cut(generation_name(3), 20);
    why = "it was cut short";
  }
  SECTION("cut in what follows") {
    f.cut(generation_name(3), 50);
    why = "it was cut short";
  }
  SECTION("one bit") {
    f.flip(generation_name(3), 8 * 40);
    why = "checksum";
  }
  SECTION("something else") {
    f.files.put("dir/" + generation_name(3), "nothing like a generation at all, really");
    why = "weirgenr";
  }
  check_loads(folder, 2);
  REQUIRE(f.logger.lines.size() == 1);
  INFO(f.logger.lines[0]);
  CHECK(f.logger.lines[0].find("skipped \"dir/" + generation_name(3) + "\": ") != std::string::npos);
  CHECK(f.logger.lines[0].find(why) != std::string::npos);
}

TEST_CASE("checkpoint folder: of several damaged generations each is logged; without a valid one data_loss") {
  FolderFixture f;
  CheckpointFolder folder = f.open();
  f.save(folder, 3);
  f.cut(generation_name(3), 1);
  f.cut(generation_name(2), 0);
  check_loads(folder, 1);
  CHECK(f.logger.lines.size() == 2);
  f.flip(generation_name(1), 0);
  CHECK(folder.load().status().code() == Code::data_loss);
  CHECK(f.logger.lines.size() == 5);
}

TEST_CASE("checkpoint folder: every flipped bit, every cut and every appended byte falls back") {
  FolderFixture f;
  CheckpointFolder folder = f.open();
  f.save(folder, 2);
  const size_t wrong = damages_not_refused(f.bytes_of(generation_name(2)), [&](std::string_view bytes) {
    f.files.put("dir/" + generation_name(2), bytes);
    f.logger.lines.clear();
    auto loaded = folder.load();
    const bool refused = loaded.ok() && loaded->name.number == 1 && f.logger.lines.size() == 1;
    return refused ? data_loss("refused") : Status();
  });
  CHECK(wrong == 0);
}

TEST_CASE("checkpoint folder: a damaged generation goes once a newer one is there, and doesn't count") {
  FolderFixture f;
  CheckpointFolder folder = f.open(0, 2);
  f.save(folder, 2);
  f.cut(generation_name(2), 10);
  check_loads(folder, 1);
  CHECK(f.names() == Names{generation_name(1), generation_name(2)});
  f.saved = 2;
  f.save(folder, 1);
  CHECK(f.names() == Names{generation_name(1), generation_name(3)});
}

TEST_CASE("checkpoint folder: intact bytes of another version and foreign fields are passed over") {
  FolderFixture f;
  CheckpointFolder folder = f.open();
  f.save(folder, 1);
  const EnvelopeKind later{.magic = "weirgenr", .version = 2, .name = "later", .origin = ""};
  f.files.put("dir/" + generation_name(2), enclose(later, "fields"));
  const EnvelopeKind same{.magic = "weirgenr", .version = 1, .name = "same", .origin = ""};
  f.files.put("dir/" + generation_name(3), enclose(same, "fields"));
  check_loads(folder, 1);
  REQUIRE(f.logger.lines.size() == 2);
  CHECK(f.logger.lines[1].find("format version 1, found 2") != std::string::npos);
  // The other version may be what a newer library goes on with.
  f.saved = 3;
  f.save(folder, 1);
  CHECK(f.names() == Names{generation_name(1), generation_name(2), generation_name(4)});
}

TEST_CASE("checkpoint folder: a position that can't be used is passed over, and its generation stays") {
  FolderFixture f;
  CheckpointFolder folder = f.open(0, 2);
  f.save(folder, 1);
  std::string position = position_of("2");
  std::string why;
  SECTION("damaged") {
    position.back() ^= 1;
    why = "checksum";
  }
  SECTION("cut") {
    position.pop_back();
    why = "cut short";
  }
  SECTION("empty") {
    position.clear();
    why = "found nothing";
  }
  SECTION("of another version") {
    position = enclose({.magic = "weirckpt", .version = 5, .name = "later", .origin = ""}, "fields");
    why = "format version 4, found 5";
  }
  REQUIRE(folder.save(position, "extra 2").ok());
  f.saved = 2;
  check_loads(folder, 1);
  REQUIRE(f.logger.lines.size() == 1);
  INFO(f.logger.lines[0]);
  CHECK(f.logger.lines[0].find("skipped \"dir/" + generation_name(2) + "\": ") != std::string::npos);
  CHECK(f.logger.lines[0].find(why) != std::string::npos);
  // It doesn't count, so there are always two that load.
  f.save(folder, 1);
  CHECK(f.names() == Names{generation_name(1), generation_name(2), generation_name(3)});
  f.save(folder, 1);
  CHECK(f.names() == Names{generation_name(3), generation_name(4)});
}

TEST_CASE("checkpoint folder: a generation that was copied or renamed is passed over, and stays") {
  FolderFixture f;
  CheckpointFolder folder = f.open();
  CheckpointFolder other = f.open(1);
  f.save(folder, 2);
  SECTION("one of the same rank") {
    f.files.put("dir/" + generation_name(7), f.bytes_of(generation_name(1)));
  }
  SECTION("one of another rank") {
    for (int i = 0; i < 7; ++i) REQUIRE(other.save(position_of("other"), "").ok());
    f.files.put("dir/" + generation_name(7), f.bytes_of(generation_name(7, 1)));
    for (int i = 5; i < 8; ++i) REQUIRE(f.files.remove("dir/" + generation_name(i, 1)).ok());
  }
  check_loads(folder, 2);
  REQUIRE(f.logger.lines.size() == 1);
  INFO(f.logger.lines[0]);
  CHECK(f.logger.lines[0].find("expected the generation " + generation_name(7) + ", found r0000") !=
        std::string::npos);
  f.saved = 7;
  f.save(folder, 1);
  CHECK(f.names() == Names{generation_name(1), generation_name(2), generation_name(7), generation_name(8)});
  check_loads(folder, 8);
}

TEST_CASE("checkpoint folder: a generation that can't be read now is an error") {
  FolderFixture f;
  CheckpointFolder folder = f.open();
  f.save(folder, 2);
  f.files.set_faults("dir/" + generation_name(2), {.fails_to_open = true});
  CHECK(folder.load().status().code() == Code::unavailable);
  CHECK(f.logger.lines.empty());
}

TEST_CASE("checkpoint folder: what a device could not read is not passed over, and is never removed") {
  FolderFixture f;
  CheckpointFolder folder = f.open(0, 2);
  f.save(folder, 3);
  f.files.set_faults("dir/" + generation_name(3), {.read_error_offset = 10});
  const Status status = folder.load().status();
  CHECK(status.code() == Code::unavailable);
  INFO(status.error().message);
  CHECK(status.error().message.find("the newest generation can't be read now") != std::string::npos);
  CHECK(status.error().message.find("try again, or remove the file") != std::string::npos);
  CHECK(status.error().file == "dir/" + generation_name(3));
  CHECK(f.logger.lines.empty());
  // Whoever goes on all the same finds it later.
  f.save(folder, 3);
  CHECK(f.names() == Names{generation_name(3), generation_name(5), generation_name(6)});
  f.files.set_faults("dir/" + generation_name(3), {});
  check_loads(folder, 6);
  f.save(folder, 1);
  CHECK(f.names() == Names{generation_name(6), generation_name(7)});
}

TEST_CASE("checkpoint folder: ranks don't touch each other's files") {
  FolderFixture f;
  CheckpointFolder first = f.open(0, 1);
  CheckpointFolder second = f.open(1, 1);
  for (int i = 0; i < 3; ++i) REQUIRE(first.save(position_of("first"), "").ok());
  f.save(second, 2);
  CHECK(f.names() == Names{generation_name(3), generation_name(2, 1)});
  f.cut(generation_name(2, 1), 0);
  CHECK(second.load().status().code() == Code::data_loss);
  CHECK(first.load()->position == position_of("first"));
  CHECK(f.logger.lines.size() == 1);
}

TEST_CASE("checkpoint folder: names of any rank are read back") {
  FolderFixture f;
  for (uint32_t rank : {99999u, 100000u, UINT32_MAX}) {
    CheckpointFolder folder = f.open(rank);
    REQUIRE(folder.save(position_of(concat(rank)), "").ok());
    CHECK(folder.load()->position == position_of(concat(rank)));
  }
}

TEST_CASE("checkpoint folder: an opened one removes leftovers of its own rank, and nothing else") {
  FolderFixture f;
  const Names others = {
      "notes.tmp",
      "r00000-000000000000.ckpt.tmp",
      "r00000-12.ckpt.tmp",
      "r00000-99999999999999999999.ckpt.tmp",
      "r000000-000000000001.ckpt.tmp",
      "r00001-000000000001.ckpt.tmp",
  };
  for (const std::string& name : others) f.files.put("dir/" + name, "x");
  for (int number : {3, 7}) f.files.put("dir/" + generation_name(number) + ".tmp", "x");
  CheckpointFolder folder = f.open();
  CHECK(f.names() == others);
  f.save(folder, 1);
  check_loads(folder, 1);
}

TEST_CASE("checkpoint folder: a write that fails leaves the older generations") {
  FolderFixture f;
  CheckpointFolder folder = f.open(0, 1);
  f.save(folder, 1);
  f.files.set_faults("dir/" + generation_name(2), {.append_error_offset = 10});
  CHECK(folder.save("position 2", "").status().code() == Code::resource_exhausted);
  CHECK(f.names() == Names{generation_name(1)});
  check_loads(folder, 1);
  f.files.set_faults("dir/" + generation_name(2), {});
  f.save(folder, 1);
  CHECK(f.names() == Names{generation_name(2)});
}

TEST_CASE("checkpoint folder: the limit of checkpoints holds for both parts together") {
  FolderFixture f;
  CheckpointFolder folder = f.open();
  const std::string half(200, 'x');
  REQUIRE(folder.save(half, half).ok());
  f.runtime.limits.checkpoint_bytes = 400;
  CHECK(folder.save(half, half).status().code() == Code::resource_exhausted);
  CHECK(f.names() == Names{generation_name(1)});
  // It is not damaged: an older one would lose work.
  CHECK(folder.load().status().code() == Code::resource_exhausted);
  CHECK(f.logger.lines.empty());
}

TEST_CASE("checkpoint folder: there is no number after the last one") {
  FolderFixture f;
  CheckpointFolder folder = f.open();
  f.files.put("dir/r00000-9223372036854775807.ckpt", "");
  CHECK(folder.save("", "").status().code() == Code::resource_exhausted);
}

TEST_CASE("checkpoint folder: a folder that isn't one is an error") {
  FolderFixture f;
  CHECK(CheckpointFolder::open(f.runtime, "elsewhere", 0, 1).status().code() == Code::not_found);
}

}  // namespace
}  // namespace weir
