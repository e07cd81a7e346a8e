// TarMembers: the regular files of a tar archive, one after the other, under the names that long names of GNU
// and pax records give them. Other members are passed over. Not thread-safe.
//
//   while (members.next(member) == TarMembers::Next::member) { …; members.skip() }
//
// An archive ends with a block of zeros, or with the bytes between two members. Names and records of more
// than 1 MiB are damage. Pax records for all members are checked, and give none a name or size: no program
// writes such.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "format/tar/tar_header.h"

namespace weir {

// The bytes of an archive.
class TarBytes {
 public:
  // At least `size` bytes from here on, fewer only if the archive ends or can't be read.
  virtual std::span<const uint8_t> peek(size_t size) = 0;
  // REQUIRES: peek() gave as many
  virtual void advance(size_t size) = 0;
  // False if the archive ends before, or can't be read.
  virtual bool skip(uint64_t size) = 0;
  // Counted from its beginning.
  virtual uint64_t offset() const = 0;

 protected:
  ~TarBytes() = default;
};

struct TarMember {
  std::string name;
  uint64_t size = 0;
  // Where its first header is: that of its long name, if it has one.
  uint64_t offset = 0;
};

class TarMembers {
 public:
  enum class Next : uint8_t {
    member,   // what follows in the bytes are those of the member
    end,      // there is no other
    cut,      // the archive ends within it, or can't be read
    damaged,  // see damage()
  };

  explicit TarMembers(TarBytes& bytes) : bytes_(bytes) {}

  // REQUIRES: the bytes are at a header
  Next next(TarMember& out);
  const char* damage() const { return damage_; }

 private:
  // What records say of the member that follows.
  struct Records {
    std::optional<std::string> path;
    std::optional<uint64_t> size;
    bool sparse = false;
  };

  Next fail(const char* damage);
  // The bytes of a member that says something of others.
  Next read_text(uint64_t size, std::string& out);
  Next read_records(uint64_t size, Records& out);
  Next skip_map();

  TarBytes& bytes_;
  const char* damage_ = nullptr;
};

// The key of the element that a member belongs to, and its extension in lower case; false if it belongs to
// none.
bool split_member_path(std::string_view path, std::string_view& key, std::string& extension);

}  // namespace weir
