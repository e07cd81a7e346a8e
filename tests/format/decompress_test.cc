#include "format/decompress.h"

#include <catch2/catch_test_macros.hpp>

#include "deflated.h"

namespace weir {

namespace {

constexpr Compression kBoth[] = {Compression::gzip, Compression::zlib};

// What a run gives, and how it ends.
std::pair<std::string, Code> run(Decompressor& decompressor, std::string_view data) {
  const std::string kept(data);
  const Result<std::string_view> out = decompressor.run(data);
  CHECK(data == kept);
  if (!out.ok()) return {"", out.status().code()};
  return {std::string(*out), Code::ok};
}

std::pair<std::string, Code> run(std::string_view data, Compression compression, size_t limit = 1 << 20) {
  Decompressor decompressor(codec_of(compression), limit);
  return run(decompressor, data);
}

using Ran = std::pair<std::string, Code>;

std::string text_of(size_t size) {
  std::string text(size, '\0');
  uint64_t state = 1;
  for (char& c : text) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    c = static_cast<char>(state >> 60);
  }
  return text;
}

}  // namespace

TEST_CASE("decompress: one string after the other") {
  for (Compression compression : kBoth) {
    Decompressor decompressor(codec_of(compression));
    for (size_t size : {0, 1, 5, 4095, 4096, 4097, 300000, 3, 0, 70000}) {
      const std::string text = text_of(size);
      CHECK(run(decompressor, deflated(text, compression)) == Ran{text, Code::ok});
      CHECK(run(decompressor, "") == Ran{"", Code::ok});
      CHECK(run(decompressor, "no such data").second == Code::data_loss);
    }
    // Much larger than its data.
    const std::string zeros(3 << 20, '\0');
    CHECK(run(decompressor, deflated(zeros, compression)) == Ran{zeros, Code::ok});
  }
}

TEST_CASE("decompress: gzip members, zeros after its last, and nothing else") {
  const std::string one = deflated("one ", Compression::gzip), two = deflated("two", Compression::gzip);
  CHECK(run(one + two, Compression::gzip) == Ran{"one two", Code::ok});
  CHECK(run(one + two + std::string(9, '\0'), Compression::gzip) == Ran{"one two", Code::ok});
  CHECK(run(one + std::string(9, '\0') + "x", Compression::gzip).second == Code::data_loss);
  CHECK(run(one + "x", Compression::gzip).second == Code::data_loss);
  const std::string zlib = deflated("z", Compression::zlib);
  CHECK(run(zlib + std::string(9, '\0'), Compression::zlib).second == Code::data_loss);
  CHECK(run(zlib + "x", Compression::zlib).second == Code::data_loss);
  CHECK(run(zlib + zlib, Compression::zlib).second == Code::data_loss);
  CHECK(run(zlib, Compression::gzip).second == Code::data_loss);
  CHECK(run(one, Compression::zlib).second == Code::data_loss);
}

TEST_CASE("decompress: data cut short or changed are data_loss") {
  const std::string text = text_of(300);
  for (Compression compression : kBoth) {
    const std::string whole = deflated(text, compression);
    Decompressor decompressor(codec_of(compression));
    for (size_t size = 1; size < whole.size(); ++size) {
      INFO(size);
      CHECK(run(decompressor, whole.substr(0, size)).second == Code::data_loss);
    }
    for (size_t bit = compression == Compression::gzip ? 80 : 0; bit < 8 * whole.size(); ++bit) {
      std::string damaged = whole;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      INFO(bit);
      const auto [got, code] = run(decompressor, damaged);
      // The padding bits of the last byte mean nothing.
      CHECK((code == Code::data_loss || got == text));
    }
  }
}

TEST_CASE("decompress: the limit holds for all members together") {
  const std::string text = text_of(10000);
  for (Compression compression : kBoth) {
    const std::string data = deflated(text, compression);
    CHECK(run(data, compression, 10000) == Ran{text, Code::ok});
    CHECK(run(data, compression, 9999).second == Code::resource_exhausted);
    CHECK(run(data, compression, 1).second == Code::resource_exhausted);
    CHECK(run(deflated("", compression), compression, 0) == Ran{"", Code::ok});
    Decompressor decompressor(codec_of(compression), 100);
    CHECK(run(decompressor, data).second == Code::resource_exhausted);
    CHECK(run(decompressor, deflated("short", compression)) == Ran{"short", Code::ok});
  }
  const std::string member = deflated(text, Compression::gzip);
  CHECK(run(member + member, Compression::gzip, 20000) == Ran{text + text, Code::ok});
  CHECK(run(member + member, Compression::gzip, 19999).second == Code::resource_exhausted);
}

TEST_CASE("decompress: errors say what is wrong and where") {
  Decompressor decompressor(codec_of(Compression::zlib));
  const std::string data = deflated("hello", Compression::zlib);
  CHECK(decompressor.run("not zlib").status().error().message ==
        "damaged zlib data: incorrect header check; it was read up to byte 2 of 8");
  CHECK(decompressor.run(data.substr(0, 6)).status().error().message ==
        "damaged zlib data: it ends too early; it was read up to byte 6 of 6");
  CHECK(decompressor.run(data + "more").status().error().message.find("more bytes follow its end") !=
        std::string::npos);
}

}  // namespace weir
