#include "format/fields.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weir {

namespace {

void leave_unread(FieldType& field) {
  field.unread = true;
  for (FieldType& member : field.members) leave_unread(member);
  if (field.optional || field.fallback || field.form == FieldType::Form::object) return;
  Tensor value;
  value.dtype = field.dtype;
  value.shape = field.form == FieldType::Form::ragged ? Shape{0, 0} : field.shape;
  for (int d = 0; d < value.shape.rank(); ++d) value.shape.set_dim(d, std::max<int64_t>(value.shape[d], 0));
  value.buffer = Buffer::allocate(value.byte_size());
  value.data = value.buffer->data();
  if (value.byte_size() > 0) std::memset(value.data, 0, value.byte_size());
  field.fallback = std::move(value);
}

}  // namespace

Spec FieldType::spec(bool in_list) const {
  Spec out;
  switch (form) {
    case Form::ragged:
      out = Spec::ragged(dtype, Shape{kUnknownDim, kUnknownDim});
      break;
    case Form::object:
      out = spec_of_fields(members, in_list);
      break;
    case Form::list:
      out = spec_of_fields(members, true);
      break;
    default:
      out = Spec::tensor(dtype, in_list ? shape.prepended(kUnknownDim) : shape);
  }
  return optional ? Spec::optional(std::move(out)) : out;
}

Spec spec_of_fields(const std::vector<FieldType>& fields, bool in_list) {
  std::vector<std::string> keys;
  std::vector<Spec> children;
  for (const FieldType& field : fields) {
    keys.push_back(field.name);
    children.push_back(field.spec(in_list));
  }
  return Spec::dict(std::move(keys), std::move(children));
}

void leave_fields_unread(std::vector<FieldType>& fields, const std::vector<bool>& used, size_t& at) {
  for (FieldType& field : fields) {
    const auto first = used.begin() + static_cast<ptrdiff_t>(at);
    const auto end = first + field.spec().component_count();
    const bool whole = field.optional || field.form != FieldType::Form::object;
    if (std::find(first, end, true) == end) {
      leave_unread(field);
    } else if (!whole) {
      leave_fields_unread(field.members, used, at);
    }
    at = static_cast<size_t>(end - used.begin());
  }
}

}  // namespace weir
