// ArchiveFields: reads what an Archive wrote without knowing its keys, to show it to a person.
//
// Bytes that another program wrote may pass for fields. Memory: a few numbers, whatever the sizes in the
// bytes say.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace weir {

struct ArchiveList {
  uint64_t size = 0;
  // At most kShown of them.
  std::vector<int64_t> first;

  static constexpr size_t kShown = 8;
};

struct ArchiveField {
  std::string_view key;
  // A string may be the bytes of another archive.
  std::variant<int64_t, uint64_t, std::string_view, ArchiveList> value;
};

class ArchiveFields {
 public:
  // REQUIRES: `bytes` outlives the fields.
  explicit ArchiveFields(std::string_view bytes) : left_(bytes) {}

  // Takes the next field. False after the last one, and where the bytes are no field.
  bool next(ArchiveField& out);
  // Whether all bytes were fields.
  bool done() const { return left_.empty() && !failed_; }

 private:
  bool field(ArchiveField& out);
  bool key(std::string_view& out);
  bool byte(uint8_t& out);
  bool number(uint64_t& out);
  bool text(uint64_t size, std::string_view& out);
  bool list(uint64_t size, ArchiveList& out);

  std::string_view left_;
  bool failed_ = false;
};

// Whether the bytes are fields to their end. An archive may be empty.
bool is_archive(std::string_view bytes);

}  // namespace weir
