#include "iterator/generation.h"

#include <catch2/catch_test_macros.hpp>

#include "core/text.h"
#include "graph/envelope.h"
#include "iterator/checkpoint.h"
#include "support/damage.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

constexpr int64_t kLimitBytes = 1 << 20;
const GenerationName kName{3, 12};

Result<Generation> read(FileSystem& files, const std::string& name, int64_t limit_bytes = kLimitBytes) {
  WEIR_ASSIGN(const auto file, files.open(name));
  return read_generation(*file, limit_bytes);
}

bool says(const Status& status, std::string_view part) {
  return status.error().message.find(part) != std::string::npos;
}

TEST_CASE("generation: names have rank and number, padded, and are read back") {
  const auto name_of = [](uint32_t rank, int64_t number) { return GenerationName{rank, number}.to_string(); };
  CHECK(kName.to_string() == "r00003-000000000012.ckpt");
  CHECK(name_of(UINT32_MAX, INT64_MAX) == "r4294967295-9223372036854775807.ckpt");
  for (const GenerationName name :
       {kName, GenerationName{0, 1}, GenerationName{99999, 999999999999},
        GenerationName{100000, 1000000000000}, GenerationName{UINT32_MAX, INT64_MAX}}) {
    CHECK(GenerationName::parse(name.to_string()) == name);
  }
}

TEST_CASE("generation: no other name is taken for one") {
  for (const char* name : {"",
                           "r",
                           "r-",
                           "r00003-000000000012",
                           "r00003-000000000012.ckpt.tmp",
                           "r00003-000000000012.ckp",
                           "00003-000000000012.ckpt",
                           "R00003-000000000012.ckpt",
                           "r00003-000000000000.ckpt",
                           "r00003-00000000012.ckpt",
                           "r0003-000000000012.ckpt",
                           "r000003-000000000012.ckpt",
                           "r00003-0000000000012.ckpt",
                           "r+0003-000000000012.ckpt",
                           "r00003--00000000012.ckpt",
                           "r00003-000000000012.ckptx",
                           "r00003_000000000012.ckpt",
                           "r4294967296-000000000012.ckpt",
                           "r00003-9223372036854775808.ckpt",
                           " r00003-000000000012.ckpt",
                           "r00003-000000000012.ckpt\n"}) {
    CAPTURE(name);
    CHECK_FALSE(GenerationName::parse(name).has_value());
  }
}

TEST_CASE("generation: a folder lists those of all ranks by rank and number, and nothing else") {
  SimulatedFileSystem files;
  for (const char* name : {"r00001-000000000001.ckpt", "r00000-000000000010.ckpt", "r00000-000000000009.ckpt",
                           "r00000-000000000009.ckpt.tmp", "notes"}) {
    files.put(path_in("dir", name), "");
  }
  const std::vector<GenerationName> expected = {{0, 9}, {0, 10}, {1, 1}};
  CHECK(*list_generations(files, "dir") == expected);
  CHECK(*list_generations(files, "dir/") == expected);
  CHECK(list_generations(files, "elsewhere").status().code() == Code::not_found);
}

TEST_CASE("generation: what was written is read, whatever the bytes") {
  SimulatedFileSystem files;
  const std::string binary("\0\xff\n", 3);
  const std::string texts[] = {"", binary, std::string(100'000, 'x')};
  for (const std::string& position : texts) {
    for (const std::string& extra : texts) {
      REQUIRE(write_generation(files, "dir", kName, position, extra, kLimitBytes).ok());
      auto found = read(files, "dir/r00003-000000000012.ckpt");
      REQUIRE(found.ok());
      CHECK(found->name == kName);
      CHECK(found->position == position);
      CHECK(found->extra == extra);
    }
  }
}

TEST_CASE("generation: every flipped bit, every cut and every appended byte is data_loss") {
  SimulatedFileSystem files;
  REQUIRE(write_generation(files, "dir", kName, "position", "extra", kLimitBytes).ok());
  const std::string bytes = *files.read_file(path_in("dir", kName.to_string()), kLimitBytes);
  CHECK(damages_not_refused(bytes, [&](std::string_view damaged) {
          files.put("damaged", damaged);
          return read(files, "damaged").status();
        }) == 0);
}

TEST_CASE("generation: intact bytes of another version, and fields that cannot be") {
  SimulatedFileSystem files;
  EnvelopeKind kind{.magic = "weirgenr", .version = 2, .name = "later", .origin = ""};
  files.put("later", enclose(kind, "fields"));
  CHECK(read(files, "later").status().code() == Code::failed_precondition);
  kind.version = 1;
  // Number, size of the position, rank, reserved; then four bytes.
  struct Fields {
    int64_t number = 12;
    uint64_t position_size = 4;
    uint32_t rank = 3;
    uint32_t reserved = 0;
  };
  const auto status_of = [&](const Fields& fields, size_t cut = 0) {
    std::string content(reinterpret_cast<const char*>(&fields), sizeof fields);
    files.put("made", enclose(kind, content.append("four").substr(0, content.size() - cut)));
    return read(files, "made").status();
  };
  CHECK(status_of({}).ok());
  CHECK(status_of({}, 4).code() == Code::data_loss);
  CHECK(status_of({}, 5).code() == Code::data_loss);
  CHECK(status_of({.number = 0}).code() == Code::data_loss);
  CHECK(status_of({.number = -1}).code() == Code::data_loss);
  CHECK(status_of({.position_size = 5}).code() == Code::data_loss);
  CHECK(status_of({.position_size = UINT64_MAX}).code() == Code::data_loss);
  CHECK(status_of({.reserved = 1}).code() == Code::data_loss);
}

TEST_CASE("generation: the limit holds for writing and for reading") {
  SimulatedFileSystem files;
  const std::string half(500, 'x');
  const std::string name = path_in("dir", kName.to_string());
  REQUIRE(write_generation(files, "dir", kName, half, half, kLimitBytes).ok());
  const auto size = static_cast<int64_t>(files.stat(name)->size);
  CHECK(read(files, name, size).ok());
  CHECK(read(files, name, size - 1).status().code() == Code::resource_exhausted);
  CHECK(write_generation(files, "dir", {3, 13}, half, half, size).ok());
  CHECK(write_generation(files, "dir", {3, 14}, half, half, size - 1).code() == Code::resource_exhausted);
  CHECK(list_generations(files, "dir")->size() == 2);
}

TEST_CASE("generation: one under another name is data_loss, and the error has both names") {
  const Generation generation{kName, "", ""};
  CHECK(check_name(generation, kName).ok());
  for (const GenerationName other : {GenerationName{3, 13}, GenerationName{2, 12}}) {
    const Status status = check_name(generation, other);
    CHECK(status.code() == Code::data_loss);
    CHECK(says(status, other.to_string()));
    CHECK(says(status, kName.to_string()));
  }
}

TEST_CASE("generation: a file is told by its beginning") {
  SimulatedFileSystem files;
  REQUIRE(write_generation(files, "dir", kName, "position", "extra", kLimitBytes).ok());
  const std::string checkpoint = Checkpoint().to_bytes();
  files.put("checkpoint", checkpoint);
  const auto read_file = [&](const std::string& name) {
    return read_generation_or_checkpoint(**files.open(name), kLimitBytes);
  };
  const auto generation = read_file(path_in("dir", kName.to_string()));
  REQUIRE(generation.ok());
  CHECK(generation->name == kName);
  CHECK(generation->position == "position");
  CHECK(generation->extra == "extra");
  const auto alone = read_file("checkpoint");
  REQUIRE(alone.ok());
  CHECK(alone->name.number == 0);
  CHECK(alone->position == checkpoint);
  files.put("empty", "");
  files.put("short", "weirgen");
  files.put("begins so", "weirgenr");
  CHECK(says(read_file("begins so").status(), "a generation of checkpoints"));
  for (const char* name : {"empty", "short"}) {
    CHECK(read_file(name).status().code() == Code::data_loss);
    CHECK_FALSE(says(read_file(name).status(), "a generation of checkpoints"));
  }
}

}  // namespace
}  // namespace weir
