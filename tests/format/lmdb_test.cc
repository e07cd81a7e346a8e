#include "format/tables/lmdb.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "support/sanitized.h"
#include "support/table_text.h"

namespace weir {
namespace {

class Bytes final : public RandomAccessFile {
 public:
  explicit Bytes(const std::string& bytes) : RandomAccessFile("words.mdb"), bytes_(bytes) {}
  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    if (offset >= bytes_.size()) return size_t{0};
    const size_t size = std::min<size_t>(out.size(), bytes_.size() - offset);
    std::memcpy(out.data(), bytes_.data() + offset, size);
    return size;
  }
  Result<uint64_t> do_size() override { return uint64_t{bytes_.size()}; }

 private:
  const std::string& bytes_;
};

// "KEY=VALUE\n" of the rows in these ranges, or nothing and the error.
struct Outcome {
  std::string text;
  Status status;
};

Outcome read(const std::string& bytes, std::optional<std::vector<TableRange>> ranges = {},
             const std::vector<std::string>& columns = {"key", "value"}) {
  const auto file = lmdb_format()->open(make_ref<Bytes>(bytes));
  if (!file.ok()) return {"", file.status()};
  if (!ranges) ranges.emplace({TableRange{0, (*file)->rows()}});
  const auto stream = (*file)->read(columns, *ranges);
  if (!stream.ok()) return {"", stream.status()};
  Outcome out;
  for (;;) {
    auto batch = (*stream)->next();
    if (!batch.ok()) return {out.text, batch.status()};
    if (!batch->there()) return out;
    for (int64_t row = 0; row < (*batch)->length; ++row) {
      for (int64_t column = 0; column < (*batch)->n_children; ++column) {
        out.text += test::text_entry(*(*batch)->children[column], row);
        out.text += column == 0 ? '=' : '\n';
      }
    }
  }
}

std::string words() {
  std::ifstream file(WEIR_SOURCE_DIR "/tests/golden/data/words.mdb", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("LMDB: rows in order and by their numbers") {
  const std::string bytes = words();
  const Outcome all = read(bytes);
  REQUIRE(all.status.ok());
  CHECK(std::count(all.text.begin(), all.text.end(), '\n') == 254);
  CHECK(all.text.starts_with("a=1\naaefgdfbjahjfijbf=\n"));
  CHECK(all.text.ends_with("zz=\n"));
  std::string single;
  for (int64_t row = 0; row < 254; ++row) single += read(bytes, {{{row, 1}}}).text;
  CHECK(single == all.text);
  CHECK(read(bytes, {{{0, 1}, {253, 1}}}).text == "a=1\nzz=\n");
  CHECK(read(bytes, {{{0, 254}, {254, 1}}}).status.code() == Code::data_loss);
}

TEST_CASE("LMDB: large values are not read where only keys are used") {
  std::string bytes = words();
  // The page of the value of "long".
  const size_t page = bytes.find("==========") / 4096 * 4096;
  std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(page), 16, '\xff');
  CHECK(read(bytes).status.code() == Code::data_loss);
  const Outcome keys = read(bytes, {}, {"key"});
  CHECK(keys.status.ok());
  CHECK(keys.text.ends_with("=long=zz="));
}

TEST_CASE("LMDB: every byte changed and every length cut") {
  const std::string bytes = words();
  const auto check = [&](const std::string& damaged, size_t where) {
    for (const Outcome& got : {read(damaged), read(damaged, {{{120, 30}, {250, 3}}})}) {
      INFO(where);
      // A database has no checksums: other bytes may be other keys and values.
      const bool told = got.status.ok() || got.status.error().file == "words.mdb";
      CHECK(told);
    }
  };
  for (size_t at = 0; at < bytes.size(); at += sanitized_step(5)) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at * 7 % 8)));
    check(damaged, at);
  }
  for (size_t size = 0; size < bytes.size(); size += 37) {
    check(bytes.substr(0, size), size);
    // The root is page 6.
    if (size <= 6 * 4096) CHECK_FALSE(read(bytes.substr(0, size)).status.ok());
  }
}

// Where the newer of the two pages that describe the database is.
size_t newest(const std::string& bytes) {
  uint64_t transactions[2];
  std::memcpy(&transactions[0], &bytes[144], 8);
  std::memcpy(&transactions[1], &bytes[4096 + 144], 8);
  return transactions[1] > transactions[0] ? 4096 : 0;
}

TEST_CASE("LMDB: what is not supported, and trees that are none") {
  const std::string bytes = words();
  const size_t meta = newest(bytes);
  const auto with = [&](size_t at, const auto& value) {
    std::string changed = bytes;
    std::memcpy(&changed[at], &value, sizeof value);
    return read(changed).status;
  };
  uint64_t root = 0;
  std::memcpy(&root, &bytes[meta + 128], 8);
  CHECK(with(meta + 20, uint32_t{999}).code() == Code::unimplemented);
  CHECK(with(meta + 92, uint16_t{4}).code() == Code::unimplemented);
  // More levels, fewer, and so many that no stack has them.
  for (const uint16_t levels : {uint16_t{3}, uint16_t{1}, uint16_t{0}, uint16_t{33}})
    CHECK(with(meta + 94, levels).code() == Code::data_loss);
  // One entry more than there are.
  CHECK(with(meta + 120, uint64_t{255}).code() == Code::data_loss);
  CHECK(with(meta + 120, UINT64_MAX).code() == Code::data_loss);
  // Pages beyond all files.
  CHECK(with(meta + 136, UINT64_MAX).code() == Code::data_loss);
  CHECK(with(meta + 136, uint64_t{1} << 50).ok());
  // A branch whose first child is itself.
  uint16_t node = 0;
  std::memcpy(&node, &bytes[root * 4096 + 16], 2);
  CHECK(with(root * 4096 + node, static_cast<uint32_t>(root)).code() == Code::data_loss);
}

}  // namespace
}  // namespace weir
