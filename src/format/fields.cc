#include "format/fields.h"

#include <utility>

namespace weir {

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

}  // namespace weir
