// field_in: one parameter of an operator, where it is only read. A clone of all of them would copy their
// constants.
#pragma once

#include <string_view>
#include <variant>

#include "dataset/params.h"

namespace weir {

// The parameter of that name; null if there is none of this type. It lives as long as `params`.
template <class T>
const T* field_in(const ParamsBase& params, std::string_view name) {
  Fields fields;
  // Lists the members and changes none; parameters are never made const.
  const_cast<ParamsBase&>(params).fields(fields);
  for (const Field& field : fields.list) {
    T* const* slot = std::get_if<T*>(&field.slot);
    if (slot && field.name == name) return *slot;
  }
  return nullptr;
}

}  // namespace weir
