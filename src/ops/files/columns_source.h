// ColumnsSource: a source whose files have columns, of which it reads those that are used, by a format that
// the library has or an extension. OperatorTyping::columns_source.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dataset/dataset.h"
#include "format/tables/table_format.h"
#include "syntax/tree.h"

namespace weir {

struct ColumnsSource {
  // The library's own; null: an extension has that of the operator's name.
  RefPtr<const TableFormat> (*own)();
  // Gives the parameters the format, before anything else is asked.
  void (*use)(const ParamsBase& params, RefPtr<const TableFormat> format);
  // What a function that it has as a parameter takes: a dict of columns, according to the other parameters.
  Result<Spec> (*columns_of)(Runtime& runtime, const ParamsBase& params, std::span<const DatasetRef> inputs,
                             const syntax::Node& function);
  // The parameters of one that gives only this part of its structure, and reads no more.
  std::unique_ptr<ParamsBase> (*narrowed)(const ParamsBase& params, const Spec& part);
  // Changes parameters to those of one whose structure stays, and that reads no more than the components
  // `used`: the others have default values. Returns false, and does nothing, if that is not possible.
  bool (*leave_unread)(ParamsBase& params, const Marks& used);
};

}  // namespace weir
