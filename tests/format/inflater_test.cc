// zlib and ISA-L, if it is there, give the same of whole data, however it is cut.
#include <zlib.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

#include "format/codecs/deflate.h"

namespace weir {
namespace {

std::string deflated(const std::string& data, bool gzip, int level) {
  z_stream zlib = {};
  REQUIRE(deflateInit2(&zlib, level, Z_DEFLATED, MAX_WBITS + (gzip ? 16 : 0), 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&zlib, data.size()) + 64, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  zlib.avail_in = static_cast<uInt>(data.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&zlib, Z_FINISH) == Z_STREAM_END);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

// Words, and bytes that don't compress.
std::string data_of(size_t size) {
  std::mt19937_64 random(size);
  std::string out;
  while (out.size() < size) {
    if (random() % 4 == 0) {
      for (int i = 0; i < 20; ++i) out += static_cast<char>(random());
    } else {
      out += "word" + std::to_string(random() % 50) + " ";
    }
  }
  out.resize(size);
  return out;
}

// All of a member, given `in` bytes at a time in memory that is used again, with room for `out` bytes at a
// time. `left` is what stands behind it.
std::string inflated(Decoder& inflater, const std::string& bytes, size_t in, size_t out, std::string& left) {
  inflater.begin();
  std::string memory(kDecoderBack + in, '\xee');
  std::string room(out, '\0');
  std::string result;
  Decoder::Io io;
  size_t at = 0;
  for (int idle = 0; idle < 3;) {
    if (io.avail_in == 0) {
      const size_t size = std::min(in, bytes.size() - at);
      std::copy_n(bytes.data() + at, size, memory.data() + kDecoderBack);
      io.next_in = reinterpret_cast<uint8_t*>(memory.data()) + kDecoderBack;
      io.avail_in = size;
      at += size;
    }
    io.next_out = reinterpret_cast<uint8_t*>(room.data());
    io.avail_out = room.size();
    const Decoder::Answer answer = inflater.run(io);
    result.append(room, 0, room.size() - io.avail_out);
    if (at == bytes.size() && io.avail_out == room.size()) ++idle;
    if (answer == Decoder::Answer::end) {
      left = std::string(reinterpret_cast<const char*>(io.next_in), io.avail_in) + bytes.substr(at);
      return result;
    }
    REQUIRE(answer == Decoder::Answer::more);
  }
  FAIL("it does not end");
  return result;
}

TEST_CASE("inflaters give what was deflated, and stop behind it") {
  for (bool gzip : {false, true}) {
    const auto zlib = make_zlib_inflater(gzip);
    const auto isal = make_isal_inflater(gzip);
    REQUIRE(zlib);
    if (!isal) WARN("ISA-L is not there");
    for (size_t size : {0u, 1u, 100u, 65536u, 300000u}) {
      for (int level : {0, 1, 9}) {
        const std::string data = data_of(size);
        const std::string behind = deflated("another member", gzip, 6) + "and more";
        for (const std::string& more : {std::string(), behind}) {
          const std::string bytes = deflated(data, gzip, level) + more;
          for (size_t in : {size_t{1}, size_t{13}, size_t{65536}}) {
            for (size_t out : {size_t{7}, size_t{4096}, size_t{1} << 20}) {
              if (size > 100 && (in == 1 || out == 7)) continue;
              for (Decoder* inflater : {zlib.get(), isal.get()}) {
                if (!inflater) continue;
                std::string left;
                INFO(gzip << " " << size << " " << level << " " << in << " " << out << " "
                          << (inflater == isal.get()));
                CHECK((inflated(*inflater, bytes, in, out, left) == data && left == more));
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("inflaters refuse a wrong checksum and what is none") {
  for (bool gzip : {false, true}) {
    for (const auto& inflater : {make_zlib_inflater(gzip), make_isal_inflater(gzip)}) {
      if (!inflater) continue;
      std::string bytes = deflated(data_of(1000), gzip, 6);
      for (size_t at : {size_t{0}, bytes.size() - 1, bytes.size() - (gzip ? 6 : 2)}) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        inflater->begin();
        std::string memory = std::string(kDecoderBack, '\0') + damaged;
        std::string room(4096, '\0');
        Decoder::Io io{reinterpret_cast<uint8_t*>(memory.data()) + kDecoderBack, damaged.size(),
                       reinterpret_cast<uint8_t*>(room.data()), room.size()};
        Decoder::Answer answer = Decoder::Answer::more;
        for (int i = 0; i < 3 && answer == Decoder::Answer::more; ++i) answer = inflater->run(io);
        CHECK(answer == Decoder::Answer::damaged);
        CHECK_FALSE(inflater->fault().empty());
      }
    }
  }
}

}  // namespace
}  // namespace weir
