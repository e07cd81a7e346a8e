// Codec: a compression: how its data begins, what decodes and encodes it. All code that deals with compressed
// bytes asks this table.
//
// Adding one touches two places: its file in codecs/, which defines NAME_codec, and its line in
// codecs/list.inc. Decoders and encoders are not thread-safe. No size that data claims is trusted: a decoder
// that would need a window of more than kMaxWindowBytes says so instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/ref.h"
#include "core/status.h"
#include "format/signature.h"
#include "fs/file_system.h"

namespace weir {

// `automatic` decides by the first bytes; it is "auto" in the notation.
enum class Compression : uint8_t {
  none,
  automatic,
#define WEIR_CODEC(name, ...) name,
#include "format/codecs/list.inc"
#undef WEIR_CODEC
};

// What help pages say of a compression to read, and of one to write.
#define WEIR_CODEC(name, ...) ", \"" #name "\""
inline constexpr const char* kCompressionDoc =
    "\"\""
#include "format/codecs/list.inc"
    ", or \"auto\": by the first bytes.";
inline constexpr const char* kWrittenCompressionDoc =
    "\"\""
#include "format/codecs/list.inc"
    ".";
inline constexpr const char* kSnapshotCompressionDoc =
    "\"\""
#include "format/codecs/list.inc"
    ", or \"auto\": the fastest, which is \"\".";
#undef WEIR_CODEC

inline constexpr uint64_t kMaxWindowBytes = uint64_t{128} << 20;
// Chooses a codec's own default.
inline constexpr int kDefaultLevel = -1;

class Decoder {
 public:
  // What is to be read, and where to write; both are moved along.
  struct Io {
    const uint8_t* next_in = nullptr;
    size_t avail_in = 0;
    uint8_t* next_out = nullptr;
    size_t avail_out = 0;
  };
  enum class Answer : uint8_t { more, end, damaged, too_large, no_memory };

  virtual ~Decoder() = default;
  // A frame begins.
  virtual void begin() = 0;
  // Continues until input or room are used up. At the end of a frame, the input is after it; up to
  // kDecoderBack of the following bytes may have been read before, and are written in front of the input
  // again.
  virtual Answer run(Io& io) = 0;
  // What is damaged or too large, in the library's words.
  virtual std::string_view fault() const = 0;
};

// As many bytes before the input must belong to the caller.
inline constexpr size_t kDecoderBack = 8;

class Encoder {
 public:
  // `whole`: what was written can be read; `end`: so does the frame, and the next bytes begin another file.
  enum class Flush : uint8_t { none, whole, end };

  virtual ~Encoder() = default;
  // Appends the compressed bytes that there are to `out`. False if there is no memory.
  // REQUIRES: at most 1 GiB
  virtual bool write(std::span<const uint8_t> bytes, Flush flush, std::vector<uint8_t>& out) = 0;
};

struct Codec {
  const CodecMarks* marks;
  // Whether data begins so; null: if its signature is there.
  bool (*begins)(std::string_view first_bytes) = nullptr;
  // Whether frames may follow one another.
  bool several = true;
  // Of how many zeros what follows the last frame is a multiple; 0: nothing may follow it. If it is more than
  // one, frames may follow the zeros.
  size_t padding = 0;
  // How many times larger than its data the result can be.
  uint64_t most_expansion;
  int least_level;
  int most_level;
  // Null if there is no memory.
  std::unique_ptr<Decoder> (*decoder)();
  // A faster one, null if it isn't there. It is trusted with whole data only: where it fails, the caller
  // begins again with the other, which gives everything before the damage and says what is wrong.
  std::unique_ptr<Decoder> (*fast_decoder)() = nullptr;
  // For a file, or for a piece that is only read as a whole. Null if there is no memory.
  enum class Use : uint8_t { file, piece };
  std::unique_ptr<Encoder> (*encoder)(int level, Use use);
  // The decompressed bytes of a file by their positions, which need a table in it: failed_precondition if
  // there is none. Null: no file has one.
  Result<RefPtr<RandomAccessFile>> (*open_decoded)(RefPtr<RandomAccessFile> file) = nullptr;
};

std::span<const Codec* const> codecs();
// REQUIRES: neither none nor automatic
const Codec& codec_of(Compression compression);

// "", a codec's name or "auto"; the error lists them.
Result<Compression> parse_compression(std::string_view name);
// The same for what is written: "auto" is refused.
Result<Compression> parse_written_compression(std::string_view name);
std::string_view compression_name(Compression compression);
// The compression of a file that begins with these bytes; pass the first 256 if there are as many.
Compression guess_compression(std::span<const uint8_t> first_bytes);

// The bytes of a file by their positions, decompressed if need be. invalid_argument for a compression without
// positions, failed_precondition if the file is in another state than `seen`, if that is not null.
Result<RefPtr<RandomAccessFile>> open_decoded(FileSystem& files, const std::string& name,
                                              Compression compression, const FileInfo* seen = nullptr);
// Whether files of this compression may have positions.
bool may_have_positions(Compression compression);

// Makes room for `size` bytes at the end, and returns it.
uint8_t* grow(std::vector<uint8_t>& out, size_t size);

}  // namespace weir
