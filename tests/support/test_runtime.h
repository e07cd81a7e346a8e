// A runtime for tests that drive stages directly: a clock that stands still, one session, one scope of
// epochs. It must outlive what it opens. A dataset that does not build fails the test.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "dataset/operator.h"
#include "dataset/stage.h"
#include "fs/file_system.h"
#include "support/fakes.h"

namespace weir::test {

struct TestRuntime {
  FakeClock clock;
  CountingWaker waker;
  BufferPool pool{0};
  Runtime runtime;
  RefPtr<Session> session;
  EpochScope epochs;

  TestRuntime() {
    runtime.clock = &clock;
    runtime.pool = &pool;
    runtime.files = &local_file_system();
    session = make_ref<Session>(runtime, nullptr, nullptr);
  }
  Context context() { return {*session, &waker, &epochs}; }
  std::unique_ptr<Stage> open(const DatasetRef& node) {
    Context ctx = context();
    return Stage::open(ctx, {node, nullptr, 0});
  }
};

// Builds a node, its parameters set by name. Settings are set(name, value) below.
class Build {
 public:
  explicit Build(const OperatorDef& op) : op_(op), params_(op.make_params()) { params_->fields(fields_); }
  template <class T>
  Build& set(std::string_view name, T value) {
    for (Field& field : fields_.list) {
      if (name == field.name) {
        REQUIRE(std::holds_alternative<T*>(field.slot));
        **std::get_if<T*>(&field.slot) = std::move(value);
        return *this;
      }
    }
    FAIL("no such parameter");
    return *this;
  }
  Build& over(DatasetRef input) {
    inputs_.push_back(std::move(input));
    return *this;
  }
  // The number of lambdas around it.
  Build& inside(int lambdas) {
    site_.depth = lambdas;
    return *this;
  }
  Result<DatasetRef> result() { return Dataset::build(op_, std::move(params_), std::move(inputs_), site_); }
  DatasetRef node() {
    auto built = result();
    REQUIRE(built.ok());
    return *built;
  }

 private:
  const OperatorDef& op_;
  std::unique_ptr<ParamsBase> params_;
  Fields fields_;
  std::vector<DatasetRef> inputs_;
  BuildSite site_;
};

}  // namespace weir::test
