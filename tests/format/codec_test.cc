// What all codecs have in common, over the table, and what each has of its own.
#include "format/codec.h"

#include <zlib.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "core/text.h"
#include "encoded.h"
#include "format/codecs/zstd_frames.h"
#include "format/decompress.h"
#include "format/inflate.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

using std::string_view_literals::operator""sv;

struct Ending {
  std::string text;
  Status status;
  bool operator==(const Ending& other) const {
    return text == other.text && status.code() == other.status.code();
  }
};

Compression compression_named(const Codec& codec) { return *parse_compression(codec.marks->name); }
const Codec& named(std::string_view name) { return codec_of(*parse_compression(name)); }

// What a file of these bytes gives, read `step` bytes at a time, and as a string.
Ending decode(std::string_view bytes, Compression compression, size_t step = 1000, size_t read_bytes = 0) {
  SimulatedFileSystem files;
  files.put("f", bytes);
  auto stream = open_stream(files, "f", compression, read_bytes);
  REQUIRE(stream.ok());
  Ending out;
  std::string buffer(step, '\0');
  for (;;) {
    const Result<size_t> got = (*stream)->read({reinterpret_cast<uint8_t*>(buffer.data()), step});
    if (!got.ok()) out.status = got.status();
    if (!got.ok() || *got == 0) break;
    out.text.append(buffer, 0, *got);
  }
  if (compression == Compression::automatic) return out;
  Decompressor decompressor(codec_of(compression));
  const auto whole = decompressor.run(bytes);
  CHECK(whole.status().code() == out.status.code());
  if (whole.ok()) CHECK(*whole == out.text);
  return out;
}
Ending decode(std::string_view bytes, const Codec& codec, size_t step = 1000, size_t read_bytes = 0) {
  return decode(bytes, compression_named(codec), step, read_bytes);
}

Ending whole_text(std::string text) { return {std::move(text), Status()}; }
Ending broken(std::string text, Code code = Code::data_loss) {
  return {std::move(text), Status(code, "failed")};
}

TEST_CASE("codec: each gives what it was given, in steps and reads of any size") {
  for (const Codec* codec : codecs()) {
    INFO(codec->marks->name);
    for (const size_t size : {0, 1, 1000, 300'000, 1'100'000}) {
      const std::string text = words(size);
      const std::string bytes = encoded(*codec, text);
      CHECK(decode(bytes, *codec, 4096) == whole_text(text));
      CHECK(decode(bytes, *codec, 1 << 20, 100'000) == whole_text(text));
      if (size < 10'000) CHECK(decode(bytes, *codec, 7, 1) == whole_text(text));
      CHECK(decode(encoded(*codec, text, kDefaultLevel, Codec::Use::piece), *codec) == whole_text(text));
    }
  }
}

TEST_CASE("codec: an encoder goes on after a flush, and begins again after an end") {
  for (const Codec* codec : codecs()) {
    INFO(codec->marks->name);
    const auto encoder = codec->encoder(kDefaultLevel, Codec::Use::file);
    const auto write = [&](std::string_view text, Encoder::Flush flush, std::vector<uint8_t>& out) {
      REQUIRE(encoder->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, flush, out));
      return std::string(out.begin(), out.end());
    };
    std::vector<uint8_t> first;
    write("one ", Encoder::Flush::none, first);
    const std::string flushed = write("two ", Encoder::Flush::whole, first);
    CHECK(decode(flushed, *codec).text == "one two ");
    const std::string whole = write("three", Encoder::Flush::end, first);
    CHECK(decode(whole, *codec) == whole_text("one two three"));
    std::vector<uint8_t> second;
    CHECK(decode(write("four", Encoder::Flush::end, second), *codec) == whole_text("four"));
    std::vector<uint8_t> none;
    CHECK(!write("", Encoder::Flush::end, none).empty());
  }
}

TEST_CASE("codec: frames follow one another, garbage does not, and no bytes are no elements") {
  for (const Codec* codec : codecs()) {
    INFO(codec->marks->name);
    const std::string one = encoded(*codec, "one "), two = encoded(*codec, "two");
    CHECK(decode("", *codec) == whole_text(""));
    CHECK(decode("no such data at all", *codec) == broken(""));
    CHECK(decode(one + "garbage", *codec) == broken("one "));
    CHECK(decode(one + "g", *codec) == broken("one "));
    if (codec->several)
      CHECK(decode(one + two + encoded(*codec, "") + two, *codec) == whole_text("one twotwo"));
    if (!codec->several) CHECK(decode(one + two, *codec) == broken("one "));
    const std::string zeros(8, '\0');
    CHECK(decode(one + zeros, *codec) == (codec->padding > 0 ? whole_text("one ") : broken("one ")));
  }
  const Codec& xz = named("xz");
  const std::string one = encoded(xz, "one "), two = encoded(xz, "two");
  CHECK(decode(one + std::string(4, '\0') + two, xz) == whole_text("one two"));
  CHECK(decode(one + std::string(5, '\0') + two, xz) == broken("one "));
  CHECK(decode(one + std::string(5, '\0'), xz) == broken("one "));
}

TEST_CASE("codec: a cut at any place is data_loss that names file and offset, behind what was there") {
  const std::string text = words(700);
  for (const Codec* codec : codecs()) {
    const std::string whole = encoded(*codec, text, kDefaultLevel, Codec::Use::piece);
    for (size_t size = 1; size < whole.size(); ++size) {
      INFO(codec->marks->name << " " << size);
      const Ending got = decode(whole.substr(0, size), *codec, 100);
      REQUIRE(got.status.code() == Code::data_loss);
      CHECK(got.status.error().file == "f");
      CHECK(got.status.error().offset == static_cast<int64_t>(got.text.size()));
      CHECK(got.status.error().message.find(concat("read up to byte ", size)) != std::string::npos);
      CHECK(text.starts_with(got.text));
    }
  }
}

TEST_CASE("codec: a flipped bit is an error, or changes nothing") {
  const std::string text = words(200);
  for (const Codec* codec : codecs()) {
    const std::string whole = encoded(*codec, text, kDefaultLevel, Codec::Use::piece);
    int undetected = 0;
    for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      INFO(codec->marks->name << " " << bit);
      std::string damaged = whole;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      const Ending got = decode(damaged, *codec);
      CHECK((!got.status.ok() || got.text == text));
      undetected += got.status.ok();
    }
    // Those of gzip's header that say when and where.
    INFO(codec->marks->name << " " << undetected);
    CHECK(undetected < (codec->marks->name == "gzip" ? 70 : 16));
  }
}

TEST_CASE("codec: frames to pass over are passed over, and tell nothing of the codec") {
  const std::string skipped("\x5a\x2a\x4d\x18\x03\0\0\0abc", 11);
  for (const std::string_view name : {"zstd", "lz4"}) {
    const Codec& codec = named(name);
    const std::string bytes = skipped + encoded(codec, "one ") + skipped + skipped + encoded(codec, "two");
    CHECK(decode(bytes, codec) == whole_text("one two"));
    CHECK(decode(bytes, Compression::automatic) == whole_text("one two"));
    CHECK(decode(skipped, codec) == whole_text(""));
  }
  CHECK(decode(skipped, Compression::automatic) == whole_text(""));
}

TEST_CASE("codec: windows beyond the bound are refused before there is memory for them") {
  // A frame header that claims a window of 2 GiB, and one of 128 MiB, which fits; then a block of one byte.
  const auto zstd = [](char window) {
    return std::string("\x28\xb5\x2f\xfd\x00", 5) + window + std::string("\x09\0\0x", 4);
  };
  const Ending large = decode(zstd(21 << 3), named("zstd"));
  CHECK(large.status.code() == Code::resource_exhausted);
  CHECK(large.status.error().message.find("128 MiB") != std::string::npos);
  CHECK(decode(zstd(17 << 3), named("zstd")) == whole_text("x"));
  // The dictionary's size is a byte of the block's header, which has a checksum.
  const auto xz = [](char dictionary) {
    std::string bytes = encoded(named("xz"), "x");
    bytes[16] = dictionary;
    const size_t size = 4 * static_cast<size_t>(bytes[12]);
    const auto sum = static_cast<uint32_t>(crc32(0, reinterpret_cast<Bytef*>(&bytes[12]), uInt(size)));
    std::memcpy(&bytes[12 + size], &sum, sizeof sum);
    return bytes;
  };
  CHECK(decode(xz(38), named("xz")).status.code() == Code::resource_exhausted);
  CHECK(decode(xz(30), named("xz")) == whole_text("x"));
}

TEST_CASE("codec: a bomb ends at the limit of who reads it") {
  const std::string zeros(4 << 20, '\0');
  for (const Codec* codec : codecs()) {
    INFO(codec->marks->name);
    Decompressor decompressor(*codec, 1 << 20);
    const std::string bytes = encoded(*codec, zeros);
    CHECK(zeros.size() / codec->most_expansion <= bytes.size());
    CHECK(decompressor.run(bytes).status().code() == Code::resource_exhausted);
  }
}

TEST_CASE("codec: a level acts") {
  // More than the smallest blocks of bzip2.
  std::string text;
  for (const char* page : {"operators.md", "functions.md"})
    text += *local_file_system().read_file(concat(WEIR_SOURCE_DIR "/docs/", page), 1 << 24);
  for (const Codec* codec : codecs()) {
    INFO(codec->marks->name);
    const std::string least = encoded(*codec, text, std::max(1, codec->least_level));
    const std::string most = encoded(*codec, text, codec->most_level);
    CHECK(most.size() < least.size());
    CHECK(decode(most, *codec, 1 << 20) == whole_text(text));
  }
}

TEST_CASE("codec: first bytes and suffixes tell it") {
  for (const Codec* codec : codecs()) {
    INFO(codec->marks->name);
    for (const std::string& text : {std::string("some text"), std::string()}) {
      if (text.empty() && codec->marks->name == "zlib") continue;
      const std::string bytes = encoded(*codec, text);
      CHECK(decode(bytes, Compression::automatic) == whole_text(text));
    }
    CHECK(marks_of_file(concat("a.tfrecord", codec->marks->suffixes[0])) == codec->marks);
    CHECK(marks_of_file(codec->marks->suffixes[0]) == nullptr);
  }
  CHECK(marks_of_file("a.csv") == nullptr);
  CHECK(decode("BZh9 is no block", Compression::automatic) == whole_text("BZh9 is no block"));
  CHECK(decode("BZh9\n", Compression::automatic) == whole_text("BZh9\n"));
}

TEST_CASE("codec: what was cut within the letters that tell it") {
  for (const std::string& text : {std::string("some text"), std::string()}) {
    const std::string bytes = encoded(named("bz2"), text);
    for (size_t size = 7; size <= 10; ++size) {
      INFO(size);
      CHECK(decode(bytes.substr(0, size), Compression::automatic) == broken(""));
    }
  }
}

TEST_CASE("codec: names that are written are those that are read, without auto") {
  CHECK(
      parse_compression("lzma").status().error().message ==
      "expected a compression of \"\", \"gzip\", \"zlib\", \"zstd\", \"lz4\", \"bz2\", \"xz\" or \"auto\", found \"lzma\"");
  CHECK(parse_compression("ZSTD").status().error().message.find("did you mean \"zstd\"?") !=
        std::string::npos);
  CHECK(parse_written_compression("auto").status().code() == Code::invalid_argument);
  CHECK(*parse_written_compression("xz") == Compression::xz);
}

// ---- zstd's frames

RefPtr<RandomAccessFile> open_frames(SimulatedFileSystem& files, std::string_view bytes) {
  files.put("f", bytes);
  auto file = open_decoded(files, "f", Compression::zstd);
  REQUIRE(file.ok());
  return *std::move(file);
}

Code code_of(std::string_view bytes) {
  SimulatedFileSystem files;
  files.put("f", bytes);
  return open_decoded(files, "f", Compression::zstd).status().code();
}

TEST_CASE("zstd frames: any part is read by its position") {
  const std::string text = words(3 * kZstdFrameBytes + 1000);
  const std::string bytes = encoded(named("zstd"), text);
  SimulatedFileSystem files;
  const auto file = open_frames(files, bytes);
  CHECK(*file->size() == text.size());
  CHECK(file->name() == "f");
  for (const size_t at : {size_t{0}, kZstdFrameBytes - 1, kZstdFrameBytes, text.size() - 5, size_t{77}}) {
    for (const size_t size : {size_t{1}, size_t{10}, 2 * kZstdFrameBytes}) {
      INFO(at << " " << size);
      auto got = read_up_to(*file, at, size);
      REQUIRE(got.ok());
      CHECK(*got == text.substr(at, size));
    }
  }
  uint8_t byte;
  CHECK(*file->read_at(text.size(), {&byte, 1}) == 0);
  CHECK(*file->read_at(UINT64_MAX, {&byte, 1}) == 0);
  // Nothing has no frames, with a table and without.
  CHECK(*open_frames(files, encoded(named("zstd"), ""))->size() == 0);
  CHECK(*open_frames(files, "")->size() == 0);
}

TEST_CASE("zstd frames: data without a table has no positions") {
  CHECK(code_of(encoded(named("zstd"), "text", 3, Codec::Use::piece)) == Code::failed_precondition);
  CHECK(code_of("text") == Code::failed_precondition);
  CHECK(code_of(encoded(named("zstd"), "text") + encoded(named("zstd"), "more")) == Code::data_loss);
  SimulatedFileSystem files;
  files.put("f", encoded(named("gzip"), "text"));
  CHECK(open_decoded(files, "f", Compression::gzip).status().code() == Code::invalid_argument);
}

TEST_CASE("zstd frames: a flipped byte or a cut gives the text or an error, and little memory") {
  const std::string text = words(kZstdFrameBytes + 500);
  const std::string whole = encoded(named("zstd"), text, 1);
  const size_t table = whole.size() - 8 - 2 * 8 - 9;
  const auto check = [&](const std::string& bytes) {
    SimulatedFileSystem files;
    files.put("f", bytes);
    const auto file = open_decoded(files, "f", Compression::zstd);
    if (!file.ok()) return;
    const auto got = read_up_to(**file, 0, 2 * text.size());
    CHECK((!got.ok() || *got == text));
    if (!got.ok()) CHECK(got.status().error().file == "f");
  };
  for (size_t at = 0; at < whole.size(); at += at < 30 || at + 60 > table ? 1 : 997) {
    INFO(at);
    for (const int flip : {1, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      check(damaged);
    }
    if (at > 0) check(whole.substr(0, at));
  }
  // It claims as many frames as fit into its number.
  std::string damaged = whole;
  std::memset(&damaged[whole.size() - 9], 0xff, 4);
  CHECK(code_of(damaged) == Code::data_loss);
}

}  // namespace
}  // namespace weir
