// Files of NumPy's formats, made by hand: npy_bytes() is one array, zip_bytes() an archive of members.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::test {

inline std::string little_endian(uint64_t number, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> 8 * i);
  return out;
}

// An array whose header has this text; version 1 has room for 65,535 bytes of it.
inline std::string npy_of_header(std::string_view text, std::string_view entries = "", int version = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  out += little_endian(text.size(), version == 1 ? 2 : 4);
  return out.append(text).append(entries);
}

// `shape` as Python writes it: "(2, 3)".
inline std::string npy_bytes(std::string_view descr, std::string_view shape, std::string_view entries) {
  return npy_of_header("{'descr': '" + std::string(descr) +
                           "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }\n",
                       entries);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

struct Member {
  std::string name;
  std::string bytes;
  bool deflated = false;
};

inline std::string raw_deflated(std::string_view text) {
  z_stream zlib = {};
  deflateInit2(&zlib, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&zlib, text.size()), '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);
  out.resize(out.size() - zlib.avail_out);
  deflateEnd(&zlib);
  return out;
}

// `large`: all sizes and offsets where zip64 has them, whatever they are.
inline std::string zip_bytes(const std::vector<Member>& members, bool large = false) {
  std::string out;
  std::string directory;
  for (const Member& member : members) {
    const uint32_t crc = static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(member.bytes.data()),
                                                     static_cast<uInt>(member.bytes.size())));
    const std::string data = member.deflated ? raw_deflated(member.bytes) : member.bytes;
    const auto size_of = [&](uint64_t size) { return little_endian(large ? 0xffffffff : size, 4); };
    const std::string sizes = little_endian(member.bytes.size(), 8) + little_endian(data.size(), 8);
    // Of both headers: flags, method, time, checksum, sizes, and the size of the name.
    const std::string shared = little_endian(0, 2) + little_endian(member.deflated ? 8 : 0, 2) +
                               little_endian(0, 4) + little_endian(crc, 4) + size_of(data.size()) +
                               size_of(member.bytes.size()) + little_endian(member.name.size(), 2);
    const std::string extra =
        large ? little_endian(1, 2) + little_endian(24, 2) + sizes + little_endian(out.size(), 8) : "";
    directory += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + shared +
                 little_endian(extra.size(), 2) + std::string(2 + 2 + 2 + 4, '\0') + size_of(out.size()) +
                 member.name + extra;
    const std::string local = large ? little_endian(1, 2) + little_endian(16, 2) + sizes : "";
    out += "PK\x03\x04" + little_endian(20, 2) + shared + little_endian(local.size(), 2) + member.name +
           local + data;
  }
  const uint64_t at = out.size();
  out += directory;
  if (large) {
    const uint64_t end = out.size();
    out += "PK\x06\x06" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) +
           little_endian(0, 8) + little_endian(members.size(), 8) + little_endian(members.size(), 8) +
           little_endian(directory.size(), 8) + little_endian(at, 8);
    out += "PK\x06\x07" + little_endian(0, 4) + little_endian(end, 8) + little_endian(1, 4);
  }
  const uint64_t count = large ? 0xffff : members.size();
  return out + "PK\x05\x06" + little_endian(0, 4) + little_endian(count, 2) + little_endian(count, 2) +
         little_endian(large ? 0xffffffff : directory.size(), 4) + little_endian(large ? 0xffffffff : at, 4) +
         little_endian(0, 2);
}

}  // namespace weir::test
