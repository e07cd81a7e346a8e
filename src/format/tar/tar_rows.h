// TarRows: the elements of a tar archive as rows of fields. Members that follow one another with one key make
// an element: the key is the path up to the first dot of its last part, what comes after that dot is the
// extension. Strings are views of the archive's bytes. Not thread-safe.
//
//   rows.begin(n, file);
//   rows.start_element(key);
//   if (rows.wants(extension)) rows.add_member(bytes);       // for each of its members
//   if (!rows.finish_element()) rows.columns().add_failed(error of rows.mistake());
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/field_columns.h"
#include "format/tar/tar_members.h"

namespace weir {

class TarRows {
 public:
  // REQUIRES: refuse_tar_field() refuses none of them
  explicit TarRows(const std::vector<FieldType>& fields);

  FieldColumns& columns() { return columns_; }

  // Forgets the rows. `file` is the name of the archive.
  void begin(size_t max_rows, std::string_view file);
  // The elements that follow are in another one.
  void set_file(std::string_view file) { file_ = urls_.empty() ? file : keep(file); }
  // An element begins.
  void start_element(std::string_view key);
  // Whether a field may take a member of this extension: it belongs to the element.
  bool wants(const std::string& extension);
  // The bytes of the member that is wanted.
  void add_member(std::string_view bytes);
  // Adds the row; if something is wrong, says what, and columns().add_failed() must follow.
  bool finish_element();
  Mistake mistake() const;

  // Gives up the memory of keys and names.
  void give_owners(std::vector<RefPtr<RefCounted>>& owners);

 private:
  // A field that takes members of an extension, and how many others it would rather have.
  struct Taker {
    FieldNode* node;
    size_t rank;
  };

  std::string_view keep(std::string_view text);
  void put(FieldNode& node, std::string_view text);

  FieldColumns columns_;
  std::unordered_map<std::string, std::vector<Taker>> takers_;
  const std::vector<Taker>* takers_now_ = nullptr;
  std::vector<FieldNode*> keys_;
  std::vector<FieldNode*> urls_;
  // By FieldNode::number, of this element: the rank of the member that it has.
  std::vector<size_t> ranks_;
  std::vector<std::string> extensions_;
  size_t extension_count_ = 0;
  std::string repeated_;
  uint64_t stamp_ = 0;
  FieldFault fault_;
  std::string_view file_;

  std::vector<BufferRef> copies_;
  size_t copied_ = 0;
};

// What archives don't have.
std::optional<Mistake> refuse_tar_field(const FieldType& field);

}  // namespace weir
