#include "format/signature.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>

namespace weir {
namespace {

using std::string_view_literals::operator""sv;

std::string_view name_of(std::string_view bytes) {
  const Signature* const found = find_signature(bytes);
  return found ? found->name : "";
}

TEST_CASE("signature: a format is known by its first bytes, wherever in the file they lie") {
  CHECK(name_of("\x1f\x8b\x08"sv) == "gzip");
  CHECK(name_of("PAR1") == "a Parquet file");
  CHECK(name_of("BZh91AY&SY") == "bzip2");
  CHECK(name_of(std::string(257, 'x') + "ustar") == "a tar archive");
  CHECK(name_of("RIFF1234WAVEfmt ") == "a WAV sound");
  CHECK(name_of("weirckpt") == "a saved position");
  CHECK(name_of("version https://git-lfs.github.com/spec/v1") == "a pointer of Git LFS");
}

TEST_CASE("signature: fewer bytes than a format needs are none") {
  for (const std::string_view whole :
       {"\x89PNG\r\n\x1a\n"sv, "PK\x03\x04"sv, "\x93NUMPY"sv, "BZh91AY&SY"sv}) {
    REQUIRE(!name_of(whole).empty());
    for (size_t size = 0; size < whole.size(); ++size) CHECK(name_of(whole.substr(0, size)).empty());
  }
  CHECK(name_of(std::string(257, 'x') + "usta").empty());
}

TEST_CASE("signature: letters that begin texts are no format") {
  for (const std::string_view text :
       {"BM and other words", "PK,name", "ID3", "<p>", "MM*", "x^2 + 1", "OggS", "[1, 2]"})
    CHECK(name_of(text).empty());
  CHECK(name_of("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28"sv) == "a BMP image");
}

TEST_CASE("signature: an Arrow stream begins with a message") {
  CHECK(name_of("ARROW1\0\0"sv) == "an Arrow file");
  CHECK(name_of("\xff\xff\xff\xff\x78\0\0\0\x10\0\0\0"sv) == "an Arrow stream");
  CHECK(name_of("\xff\xff\xff\xff\xf8\x04\0\0\x14\0\0\0"sv) == "an Arrow stream");
  for (const std::string_view other :
       {"\xff\xff\xff\xff\x78\0\0\0\x10\0\0"sv, "\xff\xff\xff\xff\xff\xff\xff\xff\x10\0\0\0"sv,
        "\xff\xff\xff\xff\0\0\0\0\0\0\0\0"sv, "\xff\xff\xff\xff\x78\0\0\0\x78\0\0\0"sv})
    CHECK(name_of(other).empty());
}

TEST_CASE("signature: a text may begin with the letters of a format") {
  for (const std::string_view text : {"PAR1 and PAR2\tare tapes\r\n", "%PDF-", "GGUF \xc3\xa9", "FEA1\f"}) {
    CHECK_FALSE(name_of(text).empty());
    CHECK_FALSE(holds_controls(text));
  }
  for (const std::string_view other : {"PAR1\x15"sv, "GIF89a\0"sv, "\x1f\x8b"sv})
    CHECK(holds_controls(other));
}

TEST_CASE("signature: an archive of arrays is told from others") {
  const auto zip = [](std::string_view member) {
    std::string bytes("PK\x03\x04", 4);
    bytes += std::string(22, '\0');
    bytes += static_cast<char>(member.size());
    return bytes + std::string(3, '\0') + std::string(member);
  };
  CHECK(name_of(zip("x.npy")) == "arrays of NumPy (.npz)");
  CHECK(name_of(zip("x.txt")) == "a zip archive");
  CHECK(name_of(zip("x.npy").substr(0, 33)) == "a zip archive");
}

TEST_CASE("signature: a hint says what to do") {
  CHECK(signature_hint("\x1f\x8b\x08"sv) == "the file begins like gzip: add compression: \"auto\"");
  CHECK(signature_hint("plain").empty());
}

}  // namespace
}  // namespace weir
