#include "core/archive_fields.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "core/archive.h"

namespace weir {
namespace {

std::string sample_fields() {
  int64_t number = INT64_MIN;
  uint64_t large = UINT64_MAX;
  bool flag = true;
  std::string text("a\0b", 3);
  std::vector<int64_t> list = {-1, 0, INT64_MAX};
  std::vector<int64_t> many(1000, 7);
  Archive archive;
  archive("number", number);
  archive("large", large);
  archive("flag", flag);
  archive("text", text);
  archive("list", list);
  archive("many", many);
  return archive.take();
}

// The fields up to the first bytes that are none.
std::vector<ArchiveField> fields_of(std::string_view bytes) {
  std::vector<ArchiveField> out;
  ArchiveFields fields(bytes);
  for (ArchiveField field; fields.next(field);) out.push_back(field);
  return out;
}

TEST_CASE("archive fields: what an archive wrote comes back without its keys being known") {
  const std::string bytes = sample_fields();
  const std::vector<ArchiveField> fields = fields_of(bytes);
  REQUIRE(fields.size() == 6);
  CHECK(fields[0].key == "number");
  CHECK(std::get<int64_t>(fields[0].value) == INT64_MIN);
  CHECK(fields[1].key == "large");
  CHECK(std::get<uint64_t>(fields[1].value) == UINT64_MAX);
  CHECK(fields[2].key == "flag");
  CHECK(std::get<int64_t>(fields[2].value) == 1);
  CHECK(fields[3].key == "text");
  CHECK(std::get<std::string_view>(fields[3].value) == std::string_view("a\0b", 3));
  CHECK(fields[4].key == "list");
  CHECK(std::get<ArchiveList>(fields[4].value).size == 3);
  CHECK(std::get<ArchiveList>(fields[4].value).first == std::vector<int64_t>{-1, 0, INT64_MAX});
  CHECK(std::get<ArchiveList>(fields[5].value).size == 1000);
  CHECK(std::get<ArchiveList>(fields[5].value).first == std::vector<int64_t>(ArchiveList::kShown, 7));
  CHECK(is_archive(bytes));
  CHECK(is_archive(""));
}

TEST_CASE("archive fields: a cut archive is none unless it is cut between two fields") {
  const std::string bytes = sample_fields();
  size_t whole = 0;
  for (size_t size = 1; size < bytes.size(); ++size) whole += is_archive(bytes.substr(0, size)) ? 1 : 0;
  CHECK(whole == 5);
}

TEST_CASE("archive fields: bytes that are no fields") {
  for (const std::string& bytes : {
           std::string("\0", 1),                           // no key
           std::string("\1a", 2),                          // no type
           std::string("\1ai", 3),                         // no value
           std::string("\1ax\1", 4),                       // another type
           std::string("\2a i\1", 5),                      // no key has a space
           std::string("\1as\5four", 8),                   // a string longer than what is left
           std::string("\1al\xff\xff\xff\xff\7", 8),       // and a list
           std::string("\1ai") + std::string(11, '\x80'),  // a number without end
       }) {
    CHECK_FALSE(is_archive(bytes));
    CHECK(fields_of(bytes).empty());
  }
}

}  // namespace
}  // namespace weir
