#include "format/signature.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "core/text.h"

namespace weir {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kNotRead =
    "this version does not read this format; write TFRecords, CSV or text from it";
constexpr std::string_view kParquet =
    "read it by parquet(files), for which the extension weir-parquet is needed";
constexpr std::string_view kArrayRecord =
    "read it by array_record(files), for which the extension weir-parquet is needed";
constexpr std::string_view kHdf5 = "read it by hdf5(files), for which the extension weir-parquet is needed";
constexpr std::string_view kArrow = "read it by arrow(files), for which the extension weir-parquet is needed";
constexpr std::string_view kNumbers =
    "this version does not read this format; load it elsewhere and pass the array to from_tensor_slices";
constexpr std::string_view kIdx =
    "to read it, write fixed_length_record(files, …, header_bytes: 16), or 8 for a vector";
constexpr std::string_view kPickle = "load it with Python and pass it to from_generator";
constexpr std::string_view kUnpack = "unpack it, and list its files by list_files";
constexpr std::string_view kImage =
    "to read one, write map(f -> decode_image(read_file(f))) over names of files";
constexpr std::string_view kBytes = "read_file gives the bytes of such a file, in a map over names of files";
constexpr std::string_view kDownload = "a server may have sent it in place of the data; get the file again";

// Those with the longest bytes first where one begins like another.
constexpr std::array kSignatures = {
    Signature{0, "PAR1"sv, "a Parquet file", kParquet},
    Signature{0, "PARE"sv, "an encrypted Parquet file", kNotRead},
    Signature{0, "ARROW1\0\0"sv, "an Arrow file", kArrow},
    Signature{0, "FEA1"sv, "a Feather file", kNotRead},
    Signature{0, "Obj\x01"sv, "an Avro file", kNotRead},
    Signature{0, "\x93NUMPY"sv, "a NumPy array (.npy)", "read it by npy(files), without compression"},
    Signature{0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kHdf5},
    Signature{512, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kHdf5},
    Signature{0, "\0\0\x08\x01"sv, "an IDX file", kIdx},
    Signature{0, "\0\0\x08\x03"sv, "an IDX file", kIdx},
    Signature{0, "MATLAB 5.0 MAT-file"sv, "a MATLAB file", kNumbers},
    Signature{0, "\x80\x02"sv, "a pickle", kPickle},
    Signature{0, "\x80\x03"sv, "a pickle", kPickle},
    Signature{0, "\x80\x04\x95"sv, "a pickle", kPickle},
    Signature{0, "\x80\x05\x95"sv, "a pickle", kPickle},
    Signature{0, "\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"sv, "an ArrayRecord file (Riegeli)", kArrayRecord},
    Signature{0, "BS\x01\0\0\0\0\0"sv, "a blob sequence of Yggdrasil", kNotRead},
    Signature{0, "\x0a\x23\xd7\xce"sv, "a RecordIO file of MXNet", kNotRead},
    Signature{0, "SQLite format 3\0"sv, "an SQLite database", "read it by sql(\"sqlite\", file, query, …)"},
    Signature{16, "\xde\xc0\xef\xbe\x01\0\0\0"sv, "an LMDB database", "read it by lmdb(files)"},
    Signature{257, "ustar"sv, "a tar archive", "read it by webdataset(files, fields)"},
    Signature{0, "PK\x03\x04"sv, "a zip archive", kUnpack},
    Signature{0, "PK\x05\x06"sv, "an empty zip archive", "get the file again"},
    Signature{0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive", kUnpack},
    Signature{0,
              "\x7f"
              "ELF"sv,
              "an ELF program or library", "name the file with the data"},
    Signature{0, "\x89PNG\r\n\x1a\n"sv, "a PNG image", kImage},
    Signature{0, "\xff\xd8\xff"sv, "a JPEG image", kImage},
    Signature{0, "GIF8"sv, "a GIF image", kImage},
    Signature{0, "\0\0\x01\0"sv, "an icon", kBytes},
    Signature{8, "WEBPVP8"sv, "a WebP image", kBytes},
    Signature{0, "II*\0"sv, "a TIFF image", kBytes},
    Signature{0, "MM\0*"sv, "a TIFF image", kBytes},
    Signature{8, "WAVEfmt "sv, "a WAV sound", kBytes},
    Signature{0, "fLaC\0"sv, "a FLAC sound", kBytes},
    Signature{0, "OggS\0"sv, "an Ogg file", kBytes},
    Signature{4, "ftyp"sv, "an MP4 file", kBytes},
    Signature{0, "\x1a\x45\xdf\xa3"sv, "a Matroska or WebM file", kBytes},
    Signature{0, "%PDF-"sv, "a PDF document", kBytes},
    Signature{0, "GGUF"sv, "a GGUF model", "name the file with the data"},
    Signature{0, "weirdata"sv, "the manifest of saved elements", "name its folder, as in load(folder)"},
    Signature{0, "weirindx"sv, "the index of a TFRecord file", "name the file that it belongs to"},
    Signature{0, "weirckpt"sv, "a saved position", "`weir checkpoint show` prints it"},
    Signature{0, "weirgenr"sv, "a saved position", "`weir checkpoint show` prints it"},
    Signature{0, "weirgrph"sv, "a serialized dataset", "weir_dataset_deserialize makes it again"},
    Signature{0, "version https://git-lfs.github.com/"sv, "a pointer of Git LFS",
              "fetch the file itself: git lfs pull", true},
    Signature{0, "<!DOCTYPE html"sv, "an HTML page", kDownload, true},
    Signature{0, "<!doctype html"sv, "an HTML page", kDownload, true},
    Signature{0, "<html"sv, "an HTML page", kDownload, true},
    Signature{0, "<HTML"sv, "an HTML page", kDownload, true},
    Signature{0, "<?xml "sv, "an XML document", kDownload, true},
};

constexpr Signature kArrowStream{0, "", "an Arrow stream", kArrow};
constexpr Signature kBmp{0, "BM", "a BMP image", kImage};
constexpr Signature kNpz{0, "", "arrays of NumPy (.npz)", "read it by npz(file), without compression"};

// A mark, the size of the first message, and where its root is, soon after.
bool begins_like_arrow_stream(std::string_view bytes) {
  struct {
    uint32_t mark;
    uint32_t size;
    uint32_t root;
  } header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.mark == UINT32_MAX && header.size < 1u << 28 && header.size % 8 == 0 &&
         header.root >= sizeof(uint32_t) && header.root < std::min(header.size, 256u);
}

// Two letters may begin any text; four reserved bytes of 0 follow the size of an image.
bool begins_like_bmp(std::string_view bytes) {
  return bytes.starts_with("BM") && bytes.size() > 14 && bytes.substr(6, 4) == "\0\0\0\0"sv;
}

// Whether the first member of a zip archive is an array.
bool begins_like_npz(std::string_view bytes) {
  constexpr size_t kNameSizeAt = 26;
  constexpr size_t kNameAt = 30;
  if (bytes.size() < kNameAt) return false;
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  return bytes.substr(kNameAt, byte(kNameSizeAt) + 256 * byte(kNameSizeAt + 1)).ends_with(".npy");
}

}  // namespace

bool has_signature(std::string_view first_bytes, const Signature& signature) {
  return first_bytes.size() >= signature.offset &&
         first_bytes.substr(signature.offset).starts_with(signature.bytes);
}

const CodecMarks* marks_of_file(std::string_view name) {
  for (const CodecMarks* marks : kCodecMarks) {
    for (const std::string_view suffix : marks->suffixes) {
      if (!suffix.empty() && name.size() > suffix.size() && name.ends_with(suffix)) return marks;
    }
  }
  return nullptr;
}

std::string_view after_skippable_frames(std::string_view bytes) {
  constexpr uint32_t kSkippable = 0x184d2a50;
  struct {
    uint32_t magic;
    uint32_t size;
  } header;
  while (bytes.size() >= sizeof header) {
    std::memcpy(&header, bytes.data(), sizeof header);
    if ((header.magic & 0xfffffff0) != kSkippable) break;
    bytes.remove_prefix(std::min<uint64_t>(bytes.size(), sizeof header + uint64_t{header.size}));
  }
  return bytes;
}

const Signature* find_signature(std::string_view first_bytes) {
  for (const CodecMarks* marks : kCodecMarks) {
    if (!marks->signature.bytes.empty() && has_signature(first_bytes, marks->signature))
      return &marks->signature;
  }
  for (const Signature& each : kSignatures) {
    if (!has_signature(first_bytes, each)) continue;
    return each.name == "a zip archive" && begins_like_npz(first_bytes) ? &kNpz : &each;
  }
  if (begins_like_arrow_stream(first_bytes)) return &kArrowStream;
  return begins_like_bmp(first_bytes) ? &kBmp : nullptr;
}

bool holds_controls(std::string_view first_bytes) {
  return std::any_of(first_bytes.begin(), first_bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f';
  });
}

std::string signature_hint(std::string_view first_bytes) {
  const Signature* const found = find_signature(first_bytes);
  return found == nullptr ? "" : concat("the file begins like ", found->name, ": ", found->hint);
}

}  // namespace weir
