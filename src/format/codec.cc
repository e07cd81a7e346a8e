#include "format/codec.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/text.h"
#include "format/crc32c.h"

namespace weir {

#define WEIR_CODEC(name, ...) extern const Codec name##_codec;
#include "format/codecs/list.inc"
#undef WEIR_CODEC

namespace {

constexpr const Codec* kCodecs[] = {
#define WEIR_CODEC(name, ...) &name##_codec,
#include "format/codecs/list.inc"
#undef WEIR_CODEC
};
constexpr size_t kFirstCodec = 2;

bool begins_like(const Codec& codec, std::string_view bytes) {
  return codec.begins ? codec.begins(bytes) : has_signature(bytes, codec.marks->signature);
}

// The checksum of a plain TFRecord file's first length identifies it.
bool looks_like_records(std::span<const uint8_t> bytes) {
  uint32_t stored;
  if (bytes.size() < 8 + sizeof(stored)) return false;
  std::memcpy(&stored, bytes.data() + 8, sizeof(stored));
  return mask_crc32c(crc32c(bytes.data(), 8)) == stored;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The names in quotes, `automatic` the last of them: `"", "gzip" or "auto"`.
Result<Compression> parse_name(std::string_view name, bool automatic) {
  if (name.empty()) return Compression::none;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::size(kCodecs); ++i) {
    if (name == kCodecs[i]->marks->name) return static_cast<Compression>(kFirstCodec + i);
    names.emplace_back(kCodecs[i]->marks->name);
  }
  if (automatic) names.emplace_back("auto");
  if (automatic && name == "auto") return Compression::automatic;
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(), lower);
  const std::string near = nearest(small, names);
  std::string expected = "a compression of \"\"";
  for (const std::string& each : names) expected += (&each == &names.back() ? " or " : ", ") + quote(each);
  return invalid_argument(expected_found(std::move(expected), quote(name),
                                         near.empty() ? "" : concat("did you mean ", quote(near), "?")));
}

}  // namespace

std::span<const Codec* const> codecs() { return kCodecs; }

const Codec& codec_of(Compression compression) {
  return *kCodecs[static_cast<size_t>(compression) - kFirstCodec];
}

std::string_view compression_name(Compression compression) {
  if (compression == Compression::none) return "";
  return compression == Compression::automatic ? "auto" : codec_of(compression).marks->name;
}

Result<Compression> parse_compression(std::string_view name) { return parse_name(name, true); }
Result<Compression> parse_written_compression(std::string_view name) { return parse_name(name, false); }

Compression guess_compression(std::span<const uint8_t> first_bytes) {
  if (looks_like_records(first_bytes)) return Compression::none;
  const std::string_view bytes(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  for (size_t i = 0; i < std::size(kCodecs); ++i) {
    if (begins_like(*kCodecs[i], bytes)) return static_cast<Compression>(kFirstCodec + i);
  }
  return Compression::none;
}

bool may_have_positions(Compression compression) {
  return compression == Compression::none ||
         (compression != Compression::automatic && codec_of(compression).open_decoded);
}

Result<RefPtr<RandomAccessFile>> open_decoded(FileSystem& files, const std::string& name,
                                              Compression compression, const FileInfo* seen) {
  if (!may_have_positions(compression)) {
    return file_error(
        Code::invalid_argument,
        concat("records of files compressed as ", quote(compression_name(compression)), " have no positions"),
        name);
  }
  WEIR_ASSIGN(RefPtr<RandomAccessFile> file, files.open(name));
  if (seen) {
    WEIR_ASSIGN(const FileInfo now, file->info());
    WEIR_TRY(check_unchanged(name, now, *seen));
  }
  return compression == Compression::none ? file : codec_of(compression).open_decoded(std::move(file));
}

uint8_t* grow(std::vector<uint8_t>& out, size_t size) {
  const size_t before = out.size();
  out.resize(before + size);
  return out.data() + before;
}

}  // namespace weir
