#include "core/archive.h"

#include <catch2/catch_test_macros.hpp>

namespace weir {
namespace {

struct SavedFields {
  int64_t number = 0;
  uint64_t large = 0;
  bool flag = false;
  std::string text;
  std::vector<int64_t> list;
  std::vector<uint64_t> counts;

  void state(Archive& archive) {
    archive("number", number);
    archive("large", large);
    archive("flag", flag);
    archive("text", text);
    archive("list", list);
    archive("counts", counts);
  }
  bool operator==(const SavedFields&) const = default;
};

SavedFields sample_archive() {
  return {INT64_MIN, UINT64_MAX, true, std::string("a\0b", 3), {-1, 0, INT64_MAX}, {0, UINT64_MAX}};
}

std::string written(SavedFields fields) {
  Archive archive;
  fields.state(archive);
  return archive.take();
}

TEST_CASE("What is written is read back") {
  const std::string bytes = written(sample_archive());
  Archive archive(bytes);
  SavedFields read;
  read.state(archive);
  archive.finish();
  CHECK(archive.status().ok());
  CHECK(read == sample_archive());
}

TEST_CASE("A state cut short anywhere is data_loss") {
  const std::string bytes = written(sample_archive());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    Archive archive(cut);
    SavedFields read;
    read.state(archive);
    CHECK(archive.status().code() == Code::data_loss);
  }
  const std::string longer = bytes + "x";
  Archive archive(longer);
  SavedFields read;
  read.state(archive);
  archive.finish();
  CHECK(archive.status().code() == Code::data_loss);
}

TEST_CASE("Another key or type is refused, and the first error stays") {
  Archive out;
  int64_t number = 5;
  out("number", number);
  const std::string bytes = out.take();
  for (const char* key : {"numbex", "numbe", "numbers", ""}) {
    Archive in(bytes);
    int64_t read = 1;
    in(key, read);
    CHECK(in.status().code() == Code::data_loss);
    CHECK(read == 1);
    in("number", read);
    CHECK(read == 1);
  }
  Archive in(bytes);
  std::string text = "kept";
  in("number", text);
  CHECK(!in.status().ok());
  CHECK(text == "kept");
}

TEST_CASE("A number out of its range is refused") {
  Archive out;
  int64_t number = 11;
  out("n", number);
  const std::string bytes = out.take();
  int64_t read = 0;
  Archive narrow(bytes);
  narrow("n", read, 0, 10);
  CHECK(narrow.status().code() == Code::data_loss);
  CHECK(read == 0);
  Archive wide(bytes);
  wide("n", read, 0, 11);
  CHECK(wide.status().ok());
  CHECK(read == 11);
}

TEST_CASE("A list that claims to be huge allocates nothing") {
  // The key, the type of lists, and a count of 2^62.
  const std::string bytes = std::string("\1kl") + std::string(8, '\x80') + "\x40";
  Archive archive(bytes);
  std::vector<int64_t> list;
  archive("k", list);
  CHECK(archive.status().code() == Code::data_loss);
  CHECK(list.capacity() == 0);
}

}  // namespace
}  // namespace weir
