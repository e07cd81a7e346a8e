// RunTimeParams: a copy of parameters in which expressions are replaced by their values again and again, for
// what is opened for each row. Only its owner may use it.
#pragma once

#include <memory>
#include <vector>

#include "dataset/params.h"

namespace weir {

class RunTimeParams {
 public:
  explicit RunTimeParams(const ParamsBase& params);
  // As bind_params().
  Status bind(Session& session, const Env* env, uint64_t key);
  // REQUIRES: bind() succeeded last
  const ParamsBase& operator*() const { return *params_; }

 private:
  struct Expression {
    Field field;
    ParamExpressionRef value;
  };
  std::unique_ptr<ParamsBase> params_;
  std::vector<Expression> expressions_;
};

}  // namespace weir
