// read_fields: the fields of jsonl, parse_json, webdataset and parquet, read from the notation:
// {id: int64, box: float32[4], words: string[?], kind: string = "none", user: {name: string},
//  tags: list({name: string, ids: ragged(int64)}), score: optional(float32), raw: json,
//  image: member("jpg", "png")}
#pragma once

#include <functional>
#include <vector>

#include "core/status.h"
#include "format/fields.h"
#include "syntax/tree.h"

namespace weir {

// The constant that a part of the text stands for; literals adapt to the dtype.
using ConstantOf = std::function<Result<Tensor>(const syntax::Node& node, DType dtype)>;

// In the order written. invalid_argument, with the place in the text, for what no source knows; which forms
// and dtypes it has itself, a source checks by check_field().
Result<std::vector<FieldType>> read_fields(const syntax::Node& node, const ConstantOf& constant_of);

// Refuses fields for which `refuses` gives a Mistake, also those of objects and lists; the error names the
// field.
using RefusesField = std::optional<Mistake> (*)(const FieldType& field);
Status check_fields(const std::vector<FieldType>& fields, RefusesField refuses);
// Refuses what is no column of a table in text form: a dtype, with or without a default.
std::optional<Mistake> refuse_no_column(const FieldType& field);

}  // namespace weir
