#include "expr/harness.h"
#include "support/simulated_files.h"
#include "support/test_data.h"

namespace weir::test {

TEST_CASE("read_file gives the bytes of files") {
  Lab lab;
  SimulatedFileSystem files;
  files.put("a", "first");
  files.put("b", std::string("\0\xff", 2));
  files.put("empty", "");
  lab.world.runtime.files = &files;
  lab.check("f -> read_file(f)", {R"("a")", R"("none")", R"("b")", R"("empty")", R"("a")"},
            {R"("first")", "error", R"("\x00\xff")", R"("")", R"("first")"}, "string");
  lab.check("v -> read_file(v)", {R"(["a", "b"])", R"(["a", "none"])", R"(["empty", "a"])"},
            {R"(["first", "\x00\xff"])", "error", R"(["", "first"])"}, "string[2]");
  lab.check("x -> (read_file(\"a\"), x)", {"1", "2"}, {"(\"first\", 1)", "(\"first\", 2)"});
  lab.refuse("n -> read_file(n)", "1", "expected string, found int64");
}

TEST_CASE("read_file says which file, and that it is missing or too large") {
  Lab lab;
  SimulatedFileSystem files;
  files.put("five", "12345");
  lab.world.runtime.files = &files;
  Spec spec;
  const Block in = lab.block({R"("five")", R"("none")"}, &spec);
  Result<FunctionRef> f = lab.compile("name -> read_file(name)", spec);
  REQUIRE(f.ok());
  lab.world.runtime.limits.record_bytes = 5;
  Block out = lab.run(**f, in, 2);
  CHECK_FALSE(out.failed(0));
  REQUIRE(out.failed(1));
  CHECK((*out.error_of(1))->code == Code::not_found);
  CHECK((*out.error_of(1))->file == "none");
  lab.world.runtime.limits.record_bytes = 4;
  out = lab.run(**f, in, 2);
  REQUIRE(out.failed(0));
  CHECK((*out.error_of(0))->code == Code::resource_exhausted);
  CHECK((*out.error_of(0))->message ==
        "expected a file of at most 4 bytes (the limit record_bytes), found more");
}

TEST_CASE("read_file reads files whose size is not known before") {
  Lab lab;
  const std::string name = "\"/proc/self/environ\"";
  lab.check("f -> string_length(read_file(f)) > 0", {name, "\"/proc/version\""}, {"true", "true"});
  Spec spec;
  const Block in = lab.block({"\"/proc/version\""}, &spec);
  Result<FunctionRef> f = lab.compile("name -> read_file(name)", spec);
  REQUIRE(f.ok());
  lab.world.runtime.limits.record_bytes = 3;
  const Block out = lab.run(**f, in, 1);
  REQUIRE(out.failed(0));
  CHECK((*out.error_of(0))->code == Code::resource_exhausted);
}

TEST_CASE("read_file stops when the iterator is cancelled") {
  Lab lab;
  SimulatedFileSystem files;
  files.put("a", "first");
  lab.world.runtime.files = &files;
  Spec spec;
  const Block in = lab.block({R"("a")", R"("a")"}, &spec);
  Result<FunctionRef> f = lab.compile("name -> read_file(name)", spec);
  REQUIRE(f.ok());
  lab.world.session->cancelled = true;
  const Block out = lab.run(**f, in, 2);
  for (int row = 0; row < 2; ++row) {
    REQUIRE(out.failed(row));
    CHECK((*out.error_of(row))->code == Code::cancelled);
  }
}

TEST_CASE("read_file waits on the blocking lane and is not run while building") {
  Lab lab;
  Result<FunctionRef> f = lab.compile("x -> read_file(\"no such file\")", Spec::tensor(DType::int64));
  REQUIRE(f.ok());
  CHECK((*f)->lane() == Lane::blocking);
}

}  // namespace weir::test
