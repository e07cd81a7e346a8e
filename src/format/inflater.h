// Inflater: decompresses the members of gzip and zlib data, by zlib, or by ISA-L where it is there, which
// takes a third of the time.
//
// ISA-L is looked up when it is first needed; it need not be there. It is trusted with whole data only: where
// it fails, the caller begins again with zlib, which gives everything before the damage and says what is
// wrong. Not thread-safe. Memory: 8 to 100 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace weir {

class Inflater {
 public:
  // What is to be read, and where to write; both are moved along.
  struct Io {
    const uint8_t* next_in = nullptr;
    size_t avail_in = 0;
    uint8_t* next_out = nullptr;
    size_t avail_out = 0;
  };
  enum class Answer : uint8_t { more, end, damaged, no_memory };

  virtual ~Inflater() = default;
  // A member begins.
  virtual void begin() = 0;
  // Continues until input or room are used up. At the end of a member, the input is after it; up to
  // kInflaterBack of the following bytes may have been read before, and are written in front of the input
  // again.
  virtual Answer run(Io& io) = 0;
  // What is damaged, in the library's words.
  virtual std::string_view fault() const = 0;
};

// As many bytes before the input must belong to the caller.
inline constexpr size_t kInflaterBack = 8;

// Null if there is no memory.
std::unique_ptr<Inflater> make_zlib_inflater(bool gzip);
// Null also if ISA-L is not there.
std::unique_ptr<Inflater> make_isal_inflater(bool gzip);

}  // namespace weir
