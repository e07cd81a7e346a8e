// table_condition: the part of a condition on columns that statistics can tell about, as weir_table_format
// takes it.
#pragma once

#include <span>
#include <string>

#include "format/fields.h"
#include "syntax/tree.h"

namespace weir {

// Of a lambda over a dict of columns of which every row has a value, or fails; those that have defaults are
// not among them. "true" if it says nothing. It holds wherever the lambda does, if that doesn't fail.
std::string table_condition(const syntax::Node& lambda, std::span<const FieldType> columns);

}  // namespace weir
