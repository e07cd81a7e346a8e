#include "format/inflate.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstring>
#include <utility>

#include "core/str.h"
#include "deflated.h"
#include "support/simulated_files.h"
#include "support/test_data.h"

namespace weir {
namespace {

// Hard to compress, so that compressed bytes fill more than one buffer.
std::string noise_text(size_t size) {
  std::string text(size, '\0');
  uint64_t state = 1;
  for (char& c : text) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    c = static_cast<char>(state >> 57);
  }
  return text;
}

// All that a stream gives, read `step` bytes at a time, and how it ended.
std::pair<std::string, Code> drain(ByteStream& stream, size_t step) {
  std::string text;
  std::string out(step, '\0');
  for (;;) {
    const Result<size_t> got = stream.read({reinterpret_cast<uint8_t*>(out.data()), step});
    if (!got.ok()) return {text, got.status().code()};
    if (*got == 0) return {text, Code::ok};
    text.append(out, 0, *got);
  }
}

std::pair<std::string, Code> drain(std::string_view bytes, Compression compression, size_t step = 1000) {
  SimulatedFileSystem files;
  files.put("f", bytes);
  auto stream = open_stream(files, "f", compression);
  REQUIRE(stream.ok());
  return drain(**stream, step);
}

using Drained = std::pair<std::string, Code>;

TEST_CASE("inflate: plain, gzip and zlib give the same bytes in steps of any size") {
  const std::string text = noise_text(300'000);
  for (size_t step : {size_t{7}, size_t{4096}, size_t{1 << 20}}) {
    CHECK(drain(text, Compression::none, step) == Drained{text, Code::ok});
    CHECK(drain(deflated(text, Compression::gzip), Compression::gzip, step) == Drained{text, Code::ok});
    CHECK(drain(deflated(text, Compression::zlib), Compression::zlib, step) == Drained{text, Code::ok});
  }
  CHECK(drain("", Compression::gzip) == Drained{"", Code::ok});
  CHECK(drain(deflated("", Compression::zlib), Compression::zlib) == Drained{"", Code::ok});
}

TEST_CASE("inflate: gzip members follow one another, zeros may follow the last, nothing else") {
  const std::string one = deflated("one ", Compression::gzip), two = deflated("two", Compression::gzip);
  CHECK(drain(one + two, Compression::gzip) == Drained{"one two", Code::ok});
  CHECK(drain(one + std::string(512, '\0'), Compression::gzip) == Drained{"one ", Code::ok});
  CHECK(drain(one + std::string(512, '\0') + "x", Compression::gzip) == Drained{"one ", Code::data_loss});
  CHECK(drain(one + "junk that is none", Compression::gzip) == Drained{"one ", Code::data_loss});
  CHECK(drain(deflated("z", Compression::zlib) + "x", Compression::zlib) == Drained{"z", Code::data_loss});
  auto stream = open_stream(local_file_system(), test_data("records/twomembers.txt.gz"), Compression::gzip);
  REQUIRE(stream.ok());
  CHECK(drain(**stream, 5) == Drained{"one\ntwo\nthree\nfour\n", Code::ok});
}

TEST_CASE("inflate: a cut at any place is data_loss behind the bytes that were there") {
  const std::string text = noise_text(2000);
  for (Compression compression : {Compression::gzip, Compression::zlib}) {
    const std::string whole = deflated(text, compression);
    for (size_t size = 1; size < whole.size(); ++size) {
      const auto [got, code] = drain(whole.substr(0, size), compression);
      REQUIRE(code == Code::data_loss);
      REQUIRE(text.starts_with(got));
    }
  }
}

TEST_CASE("inflate: a file that becomes shorter while it is read is data_loss, also if nothing is left") {
  class Shrinking final : public RandomAccessFile {
   public:
    explicit Shrinking(std::string bytes) : RandomAccessFile("f"), bytes(std::move(bytes)) {}
    Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
      return bytes.copy(reinterpret_cast<char*>(out.data()), out.size(), std::min(offset, bytes.size()));
    }
    Result<uint64_t> do_size() override { return bytes.size(); }
    std::string bytes;
  };
  const std::string text = noise_text(300'000);
  const std::string first = deflated(text.substr(0, 9), Compression::gzip);
  for (const Compression compression : {Compression::gzip, Compression::zlib}) {
    const std::string whole = compression == Compression::gzip ? first + deflated(text.substr(9), compression)
                                                               : deflated(text, compression);
    for (const size_t left : {size_t{0}, size_t{1}, first.size()}) {
      INFO(left);
      const auto file = make_ref<Shrinking>(whole);
      auto stream = open_stream(file, compression);
      REQUIRE(stream.ok());
      std::string begun(70'000, '\0');
      const auto got = (*stream)->read({reinterpret_cast<uint8_t*>(begun.data()), begun.size()});
      REQUIRE((got.ok() && *got > 0));
      file->bytes.resize(left);
      const Drained rest = drain(**stream, 1000);
      CHECK(rest.second == Code::data_loss);
      CHECK(begun.substr(0, *got) + rest.first == text.substr(0, *got + rest.first.size()));
    }
  }
}

TEST_CASE("inflate: a flipped bit behind the header is data_loss") {
  const std::string text = noise_text(300);
  for (Compression compression : {Compression::gzip, Compression::zlib}) {
    const std::string whole = deflated(text, compression);
    int undetected = 0;
    for (size_t bit = 8 * (compression == Compression::gzip ? 10 : 0); bit < 8 * whole.size(); ++bit) {
      std::string damaged = whole;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      INFO(bit);
      const auto [got, code] = drain(damaged, compression);
      // The padding bits of the last byte mean nothing.
      CHECK((code == Code::data_loss || got == text));
      undetected += code == Code::ok;
    }
    CHECK(undetected < 8);
  }
}

TEST_CASE("inflate: an error names file and offset, and comes again") {
  SimulatedFileSystem files;
  const std::string whole = deflated(noise_text(1000), Compression::gzip);
  files.put("f", whole.substr(0, whole.size() - 2));
  auto stream = open_stream(files, "f", Compression::gzip);
  REQUIRE(stream.ok());
  CHECK(drain(**stream, 333).second == Code::data_loss);
  uint8_t out[1];
  const Status again = (*stream)->read(out).status();
  CHECK(again.error().file == "f");
  CHECK(again.error().offset == 1000);
  CHECK(again.error().message.find("ends too early") != std::string::npos);
}

TEST_CASE("inflate: a file that can't be read further gives its own error") {
  SimulatedFileSystem files;
  const std::string text = noise_text(200'000);
  files.put("f", deflated(text, Compression::gzip));
  files.set_faults("f", {.read_error_offset = 70'000, .longest_read = 1000});
  auto stream = open_stream(files, "f", Compression::gzip);
  REQUIRE(stream.ok());
  const auto [got, code] = drain(**stream, 1000);
  CHECK(code == Code::data_loss);
  CHECK(got.size() > 60'000);
  CHECK(text.starts_with(got));
}

TEST_CASE("inflate: seek goes anywhere, also after an error") {
  const std::string text = noise_text(200'000);
  for (Compression compression : {Compression::none, Compression::gzip, Compression::zlib}) {
    SimulatedFileSystem files;
    const std::string whole = compression == Compression::none ? text : deflated(text, compression);
    files.put("f", whole);
    auto stream = open_stream(files, "f", compression);
    REQUIRE(stream.ok());
    for (uint64_t offset :
         {uint64_t{150'000}, uint64_t{3}, uint64_t{100'000}, uint64_t{200'000}, uint64_t{0}}) {
      REQUIRE((*stream)->seek(offset).ok());
      CHECK(drain(**stream, 4096).first == text.substr(offset));
    }
    REQUIRE((*stream)->seek(1'000'000).ok());
    CHECK(drain(**stream, 10) == Drained{"", Code::ok});
  }
}

TEST_CASE("inflate: auto decides by the first bytes") {
  const auto guess = [](std::string_view bytes) {
    return guess_compression({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  };
  for (int level : {0, 1, 6, 9}) {
    CHECK(guess(deflated(noise_text(500), Compression::gzip, level)) == Compression::gzip);
    CHECK(guess(deflated(noise_text(500), Compression::zlib, level)) == Compression::zlib);
    CHECK(guess(deflated(noise_text(500), Compression::zlib, level).substr(0, 64)) == Compression::zlib);
  }
  CHECK(guess(deflated("", Compression::zlib)) == Compression::zlib);
  CHECK(guess("") == Compression::none);
  CHECK(guess("\x1f") == Compression::none);
  CHECK(guess("plain text") == Compression::none);
  // Too short for zlib data, though nothing in it says that it is none.
  CHECK(guess("Xfff") == Compression::none);
  CHECK(guess("x\x9cyz, which has zlib's magic and is text") == Compression::none);
  // A record of 376 bytes: its length has zlib's magic, but its checksum identifies it.
  CHECK(guess(std::string("\x78\x01\0\0\0\0\0\0\xa4\x55\x91\x1d", 12)) == Compression::none);
  auto stream =
      open_stream(local_file_system(), test_data("records/five.tfrecord.zlib"), Compression::automatic);
  REQUIRE(stream.ok());
  CHECK(drain(**stream, 100).first.size() == 120);
}

TEST_CASE("inflate: names of compressions") {
  CHECK(*parse_compression("") == Compression::none);
  // Only in lower case, as in the notation.
  CHECK(parse_compression("GZIP").status().error().message.find("did you mean \"gzip\"?") !=
        std::string::npos);
  CHECK(parse_compression("zlip").status().error().message.find("did you mean \"zlib\"?") !=
        std::string::npos);
  CHECK(*parse_compression("zlib") == Compression::zlib);
  CHECK(*parse_compression("auto") == Compression::automatic);
  CHECK(parse_compression("snappy").status().code() == Code::invalid_argument);
  CHECK(parse_compression("gzi").status().code() == Code::invalid_argument);
}

TEST_CASE("block reader: runs of any length from short reads, and views stay while their buffer is held") {
  SimulatedFileSystem files;
  const std::string text = noise_text(50'000);
  files.put("f", text);
  for (size_t longest : {size_t{1}, size_t{77}, size_t{0}}) {
    files.set_faults("f", {.longest_read = longest});
    auto stream = open_stream(files, "f", Compression::none);
    REQUIRE(stream.ok());
    BlockReader reader(std::move(*stream), 1000);
    std::vector<std::pair<Str, size_t>> views;
    std::vector<BufferRef> owners;
    for (size_t at = 0, size = 0; at + size <= text.size(); at += size, size = (size * 7 + 13) % 4001) {
      const auto run = reader.peek(size);
      REQUIRE(run.size() >= size);
      views.push_back({{reinterpret_cast<const char*>(run.data()), size}, at});
      owners.push_back(reader.buffer());
      reader.advance(size);
      REQUIRE(reader.offset() == at + size);
    }
    size_t wrong = 0;
    for (const auto& [view, at] : views) wrong += text.compare(at, view.size, view.data, view.size) != 0;
    CHECK(wrong == 0);
  }
}

// Has its bytes in memory, in pieces of 3,000, and counts those that are copied all the same.
class SharingStream final : public ByteStream {
 public:
  SharingStream(std::string text, size_t& copied) : text_(std::move(text)), copied_(copied) {}

  Result<size_t> read(std::span<uint8_t> out) override {
    const size_t size = std::min(out.size(), text_.size() - at_);
    std::memcpy(out.data(), text_.data() + at_, size);
    at_ += size;
    copied_ += size;
    return size;
  }
  Result<SharedBytes> share() override {
    if (at_ == fails_at) return file_error(Code::unavailable, "it is gone", "f");
    if (at_ == text_.size()) return SharedBytes{};
    const size_t begin = at_ / kPiece * kPiece;
    const BufferRef piece = Buffer::allocate(std::min(kPiece, text_.size() - begin));
    std::memcpy(piece->data(), text_.data() + begin, piece->size());
    return SharedBytes{piece, std::exchange(at_, begin + piece->size()) - begin, piece->size()};
  }
  Status seek(uint64_t offset) override {
    at_ = std::min<size_t>(offset, text_.size());
    return {};
  }
  const std::string& file() const override { return name_; }

  static constexpr size_t kPiece = 3000;
  size_t fails_at = SIZE_MAX;

 private:
  const std::string text_;
  const std::string name_ = "f";
  size_t& copied_;
  size_t at_ = 0;
};

TEST_CASE("block reader: of bytes that the stream shares, only runs across two pieces are copied") {
  const std::string text = noise_text(100'000);
  size_t copied = 0, across = 0;
  BlockReader reader(std::make_unique<SharingStream>(text, copied), 1000);
  REQUIRE(reader.seek(7).ok());
  std::vector<std::pair<Str, size_t>> views;
  std::vector<BufferRef> owners;
  for (size_t at = 7, size = 0; at + size <= text.size(); at += size, size = (size * 7 + 13) % 4001) {
    REQUIRE(reader.peek(size).size() >= size);
    views.push_back({{reinterpret_cast<const char*>(reader.peek(size).data()), size}, at});
    owners.push_back(reader.buffer());
    reader.advance(size);
    REQUIRE(reader.offset() == at + size);
    const size_t piece_end = (at / SharingStream::kPiece + 1) * SharingStream::kPiece;
    if (at + size > piece_end) across += at + size - piece_end;
  }
  size_t wrong = 0;
  for (const auto& [view, at] : views) wrong += text.compare(at, view.size, view.data, view.size) != 0;
  CHECK(wrong == 0);
  CHECK(across > 0);
  CHECK(copied == across);
}

TEST_CASE("block reader: shared bytes are sought in, end, fail, and are extended like others") {
  const std::string text = noise_text(8000);
  size_t copied = 0;
  auto stream = std::make_unique<SharingStream>(text, copied);
  stream->fails_at = 6000;
  BlockReader reader(std::move(stream), 1000);
  const auto is_text = [&](std::span<const uint8_t> run, size_t at) {
    return text.compare(at, run.size(), reinterpret_cast<const char*>(run.data()), run.size()) == 0;
  };
  // What is sought within a piece is still there.
  REQUIRE(reader.seek(3100).ok());
  REQUIRE(reader.peek(1).size() == 2900);
  CHECK(is_text(reader.peek(1), 3100));
  reader.advance(2000);
  REQUIRE(reader.seek(3000).ok());
  CHECK(is_text(reader.peek(3000), 3000));
  CHECK(copied == 0);
  reader.advance(3000);
  CHECK(reader.peek(1).empty());
  CHECK(reader.status().code() == Code::unavailable);
  REQUIRE(reader.seek(6500).ok());

  BlockReader other(std::make_unique<SharingStream>(text, copied), 1000);
  REQUIRE(other.seek(2990).ok());
  for (size_t have = other.peek(1).size(), last = 0; have != last; have = other.extend(5010).size())
    last = have;
  CHECK(other.peek(5010).size() == 5010);
  CHECK(is_text(other.peek(5010), 2990));
  other.advance(5010);
  CHECK(other.peek(1).empty());
  CHECK(other.status().ok());
}

TEST_CASE("block reader: of long runs of one size, no part is moved to the next buffer") {
  constexpr size_t kRun = 40'000;
  SimulatedFileSystem files;
  const std::string text = noise_text(50 * kRun);
  files.put("f", text);
  // A header that belongs to the run, as of a record, and one before which the run's length is only likely.
  const auto [header, likely] =
      GENERATE(std::pair<size_t, size_t>{12, 0}, std::pair<size_t, size_t>{512, 40'000});
  auto stream = open_stream(files, "f", Compression::none);
  REQUIRE(stream.ok());
  BlockReader reader(std::move(*stream));
  size_t wrong = 0;
  size_t moved = 0;
  size_t there = 0;
  BufferRef buffer;
  const auto read_run = [&](size_t at, size_t size, size_t next) {
    const auto run = reader.peek(size, next);
    REQUIRE(run.size() >= size);
    // The first buffer is filled before anything is known.
    if (buffer && buffer->data() != reader.buffer()->data() && at >= kBlockBytes)
      moved = std::max(moved, there);
    buffer = reader.buffer();
    there = run.size();
    wrong += text.compare(at, size, reinterpret_cast<const char*>(run.data()), size) != 0;
  };
  for (size_t at = 0; at < text.size(); at += kRun) {
    read_run(at, header, likely);
    read_run(at, kRun, 0);
    reader.advance(kRun);
    there -= kRun;
  }
  CHECK(wrong == 0);
  CHECK(moved <= 16);
  CHECK(reader.peek(1).empty());
}

TEST_CASE("block reader: asking for more than there is takes no memory for it") {
  SimulatedFileSystem files;
  files.put("f", "short");
  auto stream = open_stream(files, "f", Compression::none);
  REQUIRE(stream.ok());
  BlockReader reader(std::move(*stream));
  CHECK(reader.peek(size_t{1} << 45).size() == 5);
  CHECK(reader.status().ok());
  CHECK(reader.buffer()->size() <= 8 << 20);
}

TEST_CASE("block reader: a run longer than is believed at first arrives whole") {
  SimulatedFileSystem files;
  const std::string text = noise_text(11'000'000);
  files.put("f", text);
  auto stream = open_stream(files, "f", Compression::none);
  REQUIRE(stream.ok());
  BlockReader reader(std::move(*stream));
  reader.peek(10);
  reader.advance(10);
  const auto run = reader.peek(10'900'000);
  REQUIRE(run.size() >= 10'900'000);
  CHECK(text.compare(10, 10'900'000, reinterpret_cast<const char*>(run.data()), 10'900'000) == 0);
}

}  // namespace
}  // namespace weir
