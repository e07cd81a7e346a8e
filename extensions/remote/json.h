// What servers and files of credentials say in JSON, read-only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weir_remote {

class Json {
 public:
  // Without a value if `text` isn't JSON; then, as where a member is missing, everything is empty.
  static Json parse(std::string_view text);

  bool is_object() const;
  bool is_array() const;
  Json at(std::string_view name) const;
  std::vector<Json> items() const;
  // The strings of an array.
  std::vector<std::string> strings() const;
  // Strings as they are, numbers and booleans as they are written, else empty.
  std::string text(std::string_view name) const;

 private:
  struct Tree;
  std::shared_ptr<const Tree> tree_;  // the document that node_ is in
  const void* node_ = nullptr;
};

// `text` as a JSON string, with its quotes.
std::string json_string(std::string_view text);

}  // namespace weir_remote
