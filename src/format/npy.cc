#include "format/npy.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/checked.h"
#include "core/text.h"
#include "format/signature.h"

namespace weir {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kNpyMagic = "\x93NUMPY"sv;
// The magic bytes, the version, and the size of the text in the first version and in later ones.
constexpr size_t kVersionAt = 6;
constexpr size_t kSizeAt = 8;
constexpr size_t kMostBefore = 12;
constexpr size_t kMostText = size_t{1} << 20;

Status no_header(std::string_view what) {
  return data_loss(
      Mistake(concat("damaged .npy header: ", what), "restore the file, or write it again with numpy.save"));
}
Status refused(std::string_view what, std::string_view hint) {
  return invalid_argument(expected_found("an array of numbers, bools or strings", what, hint));
}

uint32_t byte_at(std::string_view bytes, size_t i) { return static_cast<unsigned char>(bytes[i]); }

// Where the text lies.
struct Text {
  size_t begin = 0;
  size_t size = 0;
};

// REQUIRES: at least kMostBefore bytes, unless the file has fewer
Result<Text> find_text(std::string_view bytes) {
  if (!bytes.starts_with(kNpyMagic)) {
    const std::string hint = signature_hint(bytes.substr(0, kSignatureBytes));
    return data_loss(expected_found("a .npy file, which begins with \"\\x93NUMPY\"",
                                    bytes.empty() ? "an empty file" : "other bytes", hint));
  }
  if (bytes.size() < kSizeAt + 2) return no_header("the file ends within it");
  const uint32_t version = byte_at(bytes, kVersionAt);
  if (version < 1 || version > 3 || bytes[kVersionAt + 1] != 0) {
    return data_loss(expected_found("version 1.0, 2.0 or 3.0 of the .npy format",
                                    concat(version, '.', byte_at(bytes, kVersionAt + 1))));
  }
  Text out{version == 1 ? kSizeAt + 2 : kMostBefore, 0};
  if (bytes.size() < out.begin) return no_header("the file ends within it");
  for (size_t i = out.begin; i > kSizeAt; --i) out.size = out.size << 8 | byte_at(bytes, i - 1);
  if (out.size > kMostText)
    return no_header(concat("expected at most ", kMostText, " bytes of text, found ", out.size));
  return out;
}

// What there is of Python's notation in such a text. Each function takes white space before what it reads.
class Literals {
 public:
  explicit Literals(std::string_view text) : text_(text) {}

  bool take(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  // Without escapes, which no name of a dtype has.
  std::optional<std::string_view> string() {
    skip_space();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (out.find_first_of("\\\n") != std::string_view::npos) return std::nullopt;
    return out;
  }
  std::optional<bool> boolean() {
    if (take("True")) return true;
    if (take("False")) return false;
    return std::nullopt;
  }
  std::optional<int64_t> number() {
    skip_space();
    const size_t first = at_;
    std::optional<int64_t> out = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      out = checked_add(checked_multiply(out, int64_t{10}), int64_t{text_[at_] - '0'});
    if (at_ == first) return std::nullopt;
    // As Python 2 wrote long numbers.
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return out;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && " \t\n\r"sv.find(text_[at_]) != std::string_view::npos) ++at_;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

// The number of dimensions may be above kMaxRank.
struct Fields {
  std::optional<std::string_view> descr;
  bool structure = false;
  std::optional<bool> fortran;
  std::optional<std::vector<int64_t>> shape;
};

std::optional<std::vector<int64_t>> read_shape(Literals& text) {
  std::vector<int64_t> out;
  if (!text.take("(")) return std::nullopt;
  bool comma = true;
  while (!text.take(")")) {
    const auto extent = comma ? text.number() : std::nullopt;
    if (!extent) return std::nullopt;
    out.push_back(*extent);
    comma = text.take(",");
  }
  // (3) is a number and no shape.
  if (out.size() == 1 && !comma) return std::nullopt;
  return out;
}

// Whether the value of `key` could be read. One of a structure is not read further.
bool read_field(Literals& text, std::string_view key, Fields& out) {
  if (key == "descr" && !out.descr) {
    out.structure = text.take("[");
    if (!out.structure) out.descr = text.string();
    return out.structure || out.descr.has_value();
  }
  if (key == "fortran_order" && !out.fortran) {
    out.fortran = text.boolean();
    return out.fortran.has_value();
  }
  if (key == "shape" && !out.shape) {
    out.shape = read_shape(text);
    return out.shape.has_value();
  }
  return false;
}

Result<Fields> read_fields(std::string_view bytes) {
  Literals text(bytes);
  Fields out;
  bool comma = text.take("{");
  while (!text.take("}")) {
    const auto key = comma ? text.string() : std::nullopt;
    if (!key || !text.take(":") || !read_field(text, *key, out))
      return no_header("expected {'descr': …, 'fortran_order': …, 'shape': …}, found other text");
    if (out.structure) return out;
    comma = text.take(",");
  }
  if (!out.descr || !out.fortran || !out.shape || !text.at_end())
    return no_header("expected {'descr': …, 'fortran_order': …, 'shape': …} and nothing more");
  return out;
}

DType dtype_of_numbers(char kind, size_t size) {
  struct Entry {
    char kind;
    size_t size;
    DType dtype;
  };
  static constexpr Entry kEntries[] = {
      {'b', 1, DType::boolean},   {'i', 1, DType::int8},       {'i', 2, DType::int16},
      {'i', 4, DType::int32},     {'i', 8, DType::int64},      {'u', 1, DType::uint8},
      {'u', 2, DType::uint16},    {'u', 4, DType::uint32},     {'u', 8, DType::uint64},
      {'f', 2, DType::float16},   {'f', 4, DType::float32},    {'f', 8, DType::float64},
      {'c', 8, DType::complex64}, {'c', 16, DType::complex128}};
  for (const Entry& entry : kEntries) {
    if (entry.kind == kind && entry.size == size) return entry.dtype;
  }
  return DType::invalid;
}

Status refuse_kind(char kind, std::string_view descr) {
  const std::string shown = concat(" (", quote(descr), ")");
  switch (kind) {
    case 'O':
      return refused(concat("Python objects", shown), "save an array of another dtype");
    case 'M':
      return refused(concat("dates", shown), "save them as int64");
    case 'm':
      return refused(concat("durations", shown), "save them as int64");
    case 'T':
      return refused(concat("strings of any length", shown), "save them as bytes or str of one length");
    case 'V':
      return refused(concat("raw bytes", shown), "save their view as uint8 or another dtype");
    case 'f':
    case 'c':
      return refused(concat("floats of this size", shown), "save them as float64 or complex128");
    default:
      return no_header(concat("there is no dtype ", quote(descr)));
  }
}

// '<f4', '|S12', …
Result<ArrayType> type_of(std::string_view descr) {
  std::string_view rest = descr;
  ArrayType out;
  if (!rest.empty() && "<>|="sv.find(rest[0]) != std::string_view::npos) {
    out.big_endian = rest[0] == '>';
    rest.remove_prefix(1);
  }
  if (rest.empty()) return no_header(concat("there is no dtype ", quote(descr)));
  const char kind = rest[0];
  rest.remove_prefix(1);
  const bool digits = !rest.empty() && rest.size() <= 9 &&
                      std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return refuse_kind(kind == 'O' || kind == 'M' || kind == 'm' ? kind : '?', descr);
  for (const char c : rest) out.entry_bytes = out.entry_bytes * 10 + static_cast<size_t>(c - '0');
  if (kind == 'S' || kind == 'U') {
    out.dtype = DType::string;
    out.utf32 = kind == 'U';
    if (out.utf32) out.entry_bytes *= 4;
    return out;
  }
  out.dtype = dtype_of_numbers(kind, out.entry_bytes);
  if (out.dtype == DType::invalid) return refuse_kind(kind, descr);
  return out;
}

}  // namespace

Result<NpyHeader> parse_npy(std::string_view bytes) {
  WEIR_ASSIGN(const Text text, find_text(bytes));
  if (bytes.size() - text.begin < text.size) return no_header("the file ends within it");
  WEIR_ASSIGN(const Fields fields, read_fields(bytes.substr(text.begin, text.size)));
  if (fields.structure) return refused("a structure, whose entries have fields", "save each field by itself");
  NpyHeader out;
  WEIR_ASSIGN(out.type, type_of(*fields.descr));
  const std::vector<int64_t>& dims = *fields.shape;
  if (dims.size() > static_cast<size_t>(kMaxRank)) {
    return invalid_argument(expected_found(concat("an array of at most ", kMaxRank, " dimensions"),
                                           concat(dims.size()), "reshape it"));
  }
  if (*fields.fortran && dims.size() > 1)
    return invalid_argument(
        expected_found("an array in C order", "one in Fortran order", "save numpy.ascontiguousarray of it"));
  // Empty dimensions are left out, so that no partial product overflows.
  std::optional<int64_t> bytes_needed = static_cast<int64_t>(std::max<size_t>(out.type.entry_bytes, 1));
  for (const int64_t extent : dims)
    bytes_needed = checked_multiply(bytes_needed, std::max<int64_t>(extent, 1));
  if (!bytes_needed) return no_header("its shape has more entries than can be counted");
  out.shape = Shape(dims);
  out.begin = text.begin + text.size;
  return out;
}

Result<NpyHeader> read_npy(ByteStream& stream) {
  std::string bytes(kSignatureBytes, '\0');
  size_t filled = 0;
  const auto fill = [&]() -> Status {
    while (filled < bytes.size()) {
      WEIR_ASSIGN(const size_t got,
                  stream.read({reinterpret_cast<uint8_t*>(bytes.data()) + filled, bytes.size() - filled}));
      if (got == 0) break;
      filled += got;
    }
    bytes.resize(filled);
    return Status();
  };
  WEIR_TRY(fill());
  const Result<Text> text = find_text(bytes);
  if (!text.ok()) return in_file(text.status(), stream.file());
  if (const size_t whole = text->begin + text->size; whole > filled && filled == kSignatureBytes) {
    bytes.resize(whole);
    WEIR_TRY(fill());
  }
  Result<NpyHeader> header = parse_npy(bytes);
  if (!header.ok()) return in_file(header.status(), stream.file());
  return header;
}

Result<ArrayLayout> npy_rows(const NpyHeader& header, uint64_t size) {
  if (header.shape.rank() == 0)
    return invalid_argument(
        expected_found("an array of at least one dimension", "one without", "reshape it to [1]"));
  ArrayLayout out;
  out.type = header.type;
  out.row = header.shape.tail();
  out.begin = header.begin;
  out.rows = header.shape[0];
  // No product overflows: parse_npy() has seen to that.
  out.row_bytes = static_cast<uint64_t>(out.row.count()) * header.type.entry_bytes;
  out.stride = out.row_bytes;
  const uint64_t needed = out.row_bytes * static_cast<uint64_t>(out.rows);
  if (size < header.begin || size - header.begin < needed) {
    return data_loss(expected_found(concat(needed, " bytes of entries, which ", out.rows, " rows take"),
                                    concat(size - std::min(size, header.begin)), "restore the file"));
  }
  return out;
}

Status in_file(const Status& status, const std::string& file) {
  Error error = status.error();
  if (error.file.empty()) error.file = file;
  return Status(std::move(error));
}

}  // namespace weir
