// FieldType: what one field of a row has, as the sources with fields read it: jsonl, parse_json, webdataset,
// parquet. Immutable once read; copies share the defaults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/spec.h"
#include "core/tensor.h"

namespace weir {

struct FieldType {
  enum class Form : uint8_t {
    tensor,  // int64, float32[4], string[?, 2]
    ragged,  // ragged(int64): a list of lists; inside list(…) a list
    json,    // json: the text of a value
    object,  // {name: string}
    list,    // list({name: string}): objects, as a dict of vectors
    member,  // member("jpg", "jpeg"): the first that is there
  };

  std::string name;
  Form form = Form::tensor;
  // Of a tensor or a ragged one; string for json and member.
  DType dtype = DType::string;
  // Of a tensor; `?` is kUnknownDim.
  Shape shape;
  // optional(…): none where there is no value.
  bool optional = false;
  // What stands in for a missing value. Of a tensor in its shape; of a ragged one [rows, columns], inside a
  // list a vector; of a list its presence means an empty one.
  std::optional<Tensor> fallback;
  // Of an object or a list, in the order written.
  std::vector<FieldType> members;
  // Of member(…).
  std::vector<std::string> alternatives;
  // Of a column: it is not used, so it is not read, and has the value `fallback`.
  bool unread = false;

  // `in_list`: it is a member of list(…).
  Spec spec(bool in_list = false) const;
};

// A dict of all of them.
Spec spec_of_fields(const std::vector<FieldType>& fields, bool in_list = false);

// Leaves the fields unread of which no component is used, `used` from `at` on, down to the members of
// objects.
void leave_fields_unread(std::vector<FieldType>& fields, const std::vector<bool>& used, size_t& at);

}  // namespace weir
