#include "format/npy.h"

#include <catch2/catch_test_macros.hpp>

#include "format/npz.h"
#include "support/npy_files.h"
#include "support/simulated_files.h"

namespace weir::test {
namespace {

Code code_of(std::string_view bytes) { return parse_npy(bytes).status().code(); }
Code code_of_header(std::string_view text) { return code_of(npy_of_header(text)); }

TEST_CASE("npy: a header is a Python dict with three keys in any order and nothing else") {
  for (const char* good : {
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }",
           "{'descr':'<f4','fortran_order':False,'shape':(3,2)}",
           "  {\"shape\" : (3L , 2L, ), 'fortran_order': False,\n'descr': \"<f4\"}   \n",
       }) {
    INFO(good);
    const auto header = parse_npy(npy_of_header(good));
    REQUIRE(header.ok());
    CHECK(header->type.dtype == DType::float32);
    CHECK(header->shape == Shape({3, 2}));
  }
  for (const char* bad : {
           "",
           "{}",
           "{'descr': '<f4', 'fortran_order': False}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': [3]}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3 2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)} x",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), 'more': 1}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 2)}",
           "{'descr': '<f4' 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': '<f4, 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': '', 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': '<', 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': '<q4', 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': '<i3', 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': '<S99999999999', 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': f(), 'fortran_order': False, 'shape': (3, 2)}",
       }) {
    INFO(bad);
    CHECK(code_of_header(bad) == Code::data_loss);
  }
}

TEST_CASE("npy: what has no tensor is refused by name") {
  const auto refused = [](const std::string& descr, const std::string& shape = "(2, 2)",
                          const std::string& fortran = "False") {
    const Status status = parse_npy(npy_of_header("{'descr': " + descr + ", 'fortran_order': " + fortran +
                                                  ", 'shape': " + shape + "}"))
                              .status();
    CHECK(status.code() == Code::invalid_argument);
    return status.ok() ? std::string() : status.error().message;
  };
  const auto says = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(says(refused("'|O'"), "Python objects"));
  CHECK(says(refused("'<M8[ns]'"), "dates"));
  CHECK(says(refused("'<m8[D]'"), "durations"));
  CHECK(says(refused("'|V8'"), "raw bytes"));
  CHECK(says(refused("'|T16'"), "strings of any length"));
  CHECK(says(refused("'<f16'"), "floats of this size"));
  CHECK(says(refused("'<c32'"), "floats of this size"));
  CHECK(says(refused("[('a', '<i4'), ('b', '<f8')]"), "a structure"));
  CHECK(says(refused("'<i4'", "(2, 2)", "True"), "Fortran order"));
  CHECK(says(refused("'<i4'", "(1,1,1,1,1,1,1,1,1)"), "at most 8 dimensions"));
  CHECK(code_of_header("{'descr': '<i4', 'fortran_order': True, 'shape': (2,)}") == Code::ok);
}

TEST_CASE("npy: versions 1 to 3 are read, and text of at most 1 MiB") {
  const std::string text = "{'descr': '<i4', 'fortran_order': False, 'shape': (0,)}";
  for (int version : {1, 2, 3}) CHECK(code_of(npy_of_header(text, "", version)) == Code::ok);
  for (int version : {0, 4, 9}) CHECK(code_of(npy_of_header(text, "", version)) == Code::data_loss);
  const std::string most = text + std::string((1 << 20) - text.size(), ' ');
  CHECK(code_of(npy_of_header(most, "", 2)) == Code::ok);
  CHECK(code_of(npy_of_header(most + " ", "", 2)) == Code::data_loss);
  SimulatedFileSystem files;
  files.put("long", npy_of_header(most, "", 3));
  CHECK(read_npy(**open_stream(files, "long", Compression::none)).ok());
}

TEST_CASE("npy: a header that is cut or changed is read, or refused with the file's name") {
  const std::string whole = npy_bytes("<i4", "(2, 2)", std::string(16, 'x'));
  SimulatedFileSystem files;
  const auto read = [&](std::string_view bytes) -> Status {
    files.put("f", bytes);
    auto stream = open_stream(files, "f", Compression::none);
    const Result<NpyHeader> header = read_npy(**stream);
    if (!header.ok()) {
      CHECK(header.status().error().file == "f");
      return header.status();
    }
    return npy_rows(*header, bytes.size()).status();
  };
  CHECK(read(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size)
    CHECK(read(whole.substr(0, size)).code() == Code::data_loss);
  for (size_t at = 0; at < whole.size() - 16; ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = whole;
      changed[at] = static_cast<char>(byte);
      const Code code = read(changed).code();
      CHECK((code == Code::ok || code == Code::data_loss || code == Code::invalid_argument));
    }
  }
}

TEST_CASE("npy: strings lose the zeros at their end only, and code points become UTF-8") {
  const auto strings = [](const ArrayType& type, std::string bytes, size_t count) {
    std::vector<Str> out(count);
    std::vector<std::string> text;
    const Status status = make_strings(type, reinterpret_cast<uint8_t*>(bytes.data()), count, out.data());
    if (!status.ok())
      return std::vector<std::string>{status.code() == Code::data_loss ? "data_loss" : "invalid"};
    for (const Str& each : out) text.emplace_back(each.view());
    return text;
  };
  using Texts = std::vector<std::string>;
  const ArrayType bytes{.dtype = DType::string, .entry_bytes = 3, .utf32 = false, .big_endian = false};
  CHECK(strings(bytes, std::string("a\0bc\0\0\0\0\0", 9), 3) == Texts{std::string("a\0b", 3), "c", ""});
  const ArrayType little{.dtype = DType::string, .entry_bytes = 8, .utf32 = true, .big_endian = false};
  const ArrayType big{.dtype = DType::string, .entry_bytes = 8, .utf32 = true, .big_endian = true};
  const auto points = [](std::vector<uint32_t> list, bool reverse = false) {
    for (uint32_t& point : list) point = reverse ? __builtin_bswap32(point) : point;
    return bytes_of(list);
  };
  CHECK(strings(little, points({0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff, 0}), 4) ==
        Texts{"\x7f\xc2\x80", "\xdf\xbf\xe0\xa0\x80", "\xef\xbf\xbf\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"});
  CHECK(strings(big, points({0xe9, 0x41}, true), 1) == Texts{"\xc3\xa9"
                                                             "A"});
  CHECK(strings(little, points({0xd7ff, 0xe000}), 1).size() == 1);
  for (uint32_t surrogate : {0xd800u, 0xdfffu})
    CHECK(strings(little, points({surrogate, 0}), 1) == Texts{"invalid"});
  for (uint32_t point : {0x110000u, 0xffffffffu})
    CHECK(strings(little, points({point, 0}), 1) == Texts{"data_loss"});
}

// Opens an archive and checks all its bytes; the rows' bytes if that is good.
Status open_all(std::string_view bytes) {
  SimulatedFileSystem files;
  files.put("f", bytes);
  Result<Npz> npz = open_npz(files, "f", nullptr);
  if (!npz.ok()) return npz.status();
  return check_arrays(*npz, 1 << 20);
}

const std::vector<Member> kMembers = {
    {"a.npy", npy_bytes("<i2", "(3,)", "123456"), true},
    {"b.npy", npy_bytes("|u1", "(3, 4)", "abcdefghijkl"), false},
};

TEST_CASE("npz: archives of zip64 are read as others") {
  for (bool large : {false, true}) {
    INFO(large);
    SimulatedFileSystem files;
    files.put("f", zip_bytes(kMembers, large));
    Result<Npz> npz = open_npz(files, "f", nullptr);
    REQUIRE(npz.ok());
    CHECK(npz->spec().to_string() == "{a: int16, b: uint8[4]}");
    CHECK(npz->rows() == 3);
    CHECK(check_arrays(*npz, 1 << 20).ok());
    CHECK(std::string_view(
              reinterpret_cast<char*>(npz->arrays[0].bytes->data()) + npz->arrays[0].layout.begin, 6) ==
          "123456");
    CHECK(zip_bytes(kMembers, large).substr(npz->arrays[1].layout.begin, 12) == "abcdefghijkl");
  }
}

TEST_CASE("npz: an archive that is cut or changed never gives other bytes") {
  for (bool large : {false, true}) {
    const std::string whole = zip_bytes(kMembers, large);
    REQUIRE(open_all(whole).ok());
    for (size_t size = 0; size < whole.size(); ++size) {
      INFO(large << " " << size);
      CHECK(open_all(whole.substr(0, size)).code() == Code::data_loss);
    }
    for (size_t at = 0; at < whole.size(); ++at) {
      for (int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ change);
        SimulatedFileSystem files;
        files.put("f", changed);
        Result<Npz> npz = open_npz(files, "f", nullptr);
        if (npz.ok() && !check_arrays(*npz, 1 << 20).ok()) continue;
        if (!npz.ok()) {
          CHECK((npz.status().code() == Code::data_loss || npz.status().code() == Code::invalid_argument));
          continue;
        }
        // Dates and what else does not matter for the rows.
        CHECK(npz->spec().to_string() == "{a: int16, b: uint8[4]}");
        for (const NpzArray& array : npz->arrays) {
          INFO(at << " " << change << " " << array.name);
          CHECK((array.bytes != nullptr || changed.substr(array.layout.begin, 12) == "abcdefghijkl"));
        }
      }
    }
  }
}

TEST_CASE("npz: sizes that are not there take no memory") {
  std::string bytes = zip_bytes({{"a.npy", npy_bytes("<i2", "(3,)", "123456"), true}});
  const size_t directory = bytes.rfind("PK\x01\x02");
  // The size of the bytes, once decompressed.
  bytes.replace(directory + 24, 4, "\xff\xff\xff\x7f");
  CHECK(open_all(bytes).code() == Code::data_loss);
  const std::string large =
      zip_bytes({{"a.npy", npy_bytes("|u1", "(2000000,)", std::string(2000000, 'x')), true}});
  CHECK(open_all(large).code() == Code::resource_exhausted);
}

TEST_CASE("npz: members that are encrypted or compressed in another way are refused") {
  for (const auto& [at, value] : {std::pair(8, 1), std::pair(10, 12)}) {
    std::string bytes = zip_bytes({kMembers[1]});
    bytes[bytes.rfind("PK\x01\x02") + static_cast<size_t>(at)] = static_cast<char>(value);
    CHECK(open_all(bytes).code() == Code::invalid_argument);
  }
}

}  // namespace
}  // namespace weir::test
