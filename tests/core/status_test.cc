#include "core/status.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

namespace weir {
namespace {

TEST_CASE("status: success is empty and holds no error") {
  Status status;
  CHECK(status.ok());
  CHECK(status.code() == Code::ok);
  CHECK(status.pointer() == nullptr);
}

TEST_CASE("status: every code has a name of its own") {
  std::set<std::string_view> names;
  for (int code = 0; code <= 15; ++code) names.insert(code_name(static_cast<Code>(code)));
  CHECK(names.size() == 16);
  CHECK(code_name(Code::ok) == "ok");
  CHECK(code_name(Code::invalid_argument) == "invalid_argument");
  CHECK(code_name(Code::data_loss) == "data_loss");
  CHECK(code_name(static_cast<Code>(16)) == "unknown");
  CHECK(code_name(static_cast<Code>(-1)) == "unknown");
}

TEST_CASE("status: the makers carry their code") {
  CHECK(invalid_argument("x").code() == Code::invalid_argument);
  CHECK(failed_precondition("x").code() == Code::failed_precondition);
  CHECK(data_loss("x").code() == Code::data_loss);
  CHECK(not_found("x").code() == Code::not_found);
  CHECK(internal_error("x").code() == Code::internal);
  CHECK(resource_exhausted("x").code() == Code::resource_exhausted);
  CHECK(unimplemented("x").code() == Code::unimplemented);
  CHECK(not_found("nowhere").error().message == "nowhere");
}

TEST_CASE("status: copies share one error") {
  Status first = data_loss("damaged");
  Status second = first;
  CHECK(first.pointer() == second.pointer());
}

TEST_CASE("error: describe is one line with what is known") {
  Error error{.code = Code::data_loss, .message = "bad\ncrc\r", .path = {}, .file = {}};
  CHECK(error.describe() == "bad\\ncrc\\r");
  error.file = "a.tfrecord";
  CHECK(error.describe() == "bad\\ncrc\\r (a.tfrecord)");
  error.offset = 0;
  error.record = 3;
  error.path = "batch/zip[1]/tfrecord[0]";
  CHECK(error.describe() ==
        "tfrecord: bad\\ncrc\\r (a.tfrecord, offset 0, record 3, in batch/zip[1]/tfrecord[0])");
  error.parts.parameter = "files";
  CHECK(error.describe().starts_with("tfrecord: files: bad"));
}

Result<int> half(int n) {
  if (n % 2 != 0) return invalid_argument("odd");
  return n / 2;
}

Result<int> quarter(int n) {
  WEIR_ASSIGN(int first, half(n));
  WEIR_ASSIGN(int second, half(first));
  return second;
}

Status check(int n) {
  WEIR_TRY(quarter(n).status());
  return {};
}

TEST_CASE("result: a value or the status in its way") {
  CHECK(*quarter(8) == 2);
  CHECK(quarter(8).status().ok());
  CHECK(quarter(6).status().code() == Code::invalid_argument);
  CHECK(check(4).ok());
  CHECK(check(3).error().message == "odd");
}

}  // namespace
}  // namespace weir
