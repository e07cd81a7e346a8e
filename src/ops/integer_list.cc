#include "ops/integer_list.h"

#include "core/text.h"

namespace weir {

Status integer_list(const ValueParam& param, const char* name, std::vector<int64_t>& out) {
  // [] is a list of floats.
  const bool list = param.spec.is_tensor() && param.spec.shape.rank_known() && param.spec.shape.rank() == 1 &&
                    (param.spec.dtype == DType::int64 || param.spec.shape[0] == 0);
  if (!list) {
    return with_parameter(invalid_argument(expected_found("a list of integers", param.spec.to_string())),
                          name);
  }
  out.clear();
  if (param.expression || param.spec.dtype != DType::int64) return Status();
  for (int64_t value : param.values[0].entries<const int64_t>()) out.push_back(value);
  return Status();
}

}  // namespace weir
