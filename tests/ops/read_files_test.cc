#include "ops/files/read_files.h"

#include "dataset/compose.h"
#include "ops/list.h"
#include "ops/pipelines.h"
#include "support/no_params.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

// Reads a "file": its name, and then one more row per letter of the name; "missing" is an error.
class Letters final : public Cursor {
 public:
  Letters(Opening& opening, const NoParams&) : names_(opening, 0, Port::Mode::pass) {}
  Step next(Context& ctx, const Demand&, Block& out) override {
    if (name_.empty()) {
      PullResult got = names_.pull(ctx, Demand(), out);
      if (got != PullResult::rows) return got;
      name_ = out.columns[0].row(0).as<const Str>()->view();
      if (name_ == "missing") {
        name_.clear();
        return not_found("missing");
      }
      return PullResult::rows;
    }
    out.reset(1);
    out.set_row({Tensor::string(name_.substr(0, 1))});
    name_.erase(0, 1);
    return PullResult::rows;
  }
  void state(Archive& archive) override {
    names_.state(archive);
    archive("name", name_);
  }

 private:
  Port names_;
  std::string name_;
};

const OperatorDef& letters_operator() {
  static const OperatorDef def = define<NoParams, Letters>({
      .name = "letters",
      .kind = OperatorKind::source,
      .typing = {.spec = same_spec, .cardinality = unknown_cardinality},
  });
  return def;
}

DatasetRef names(Runtime& runtime, const std::vector<std::string_view>& list) {
  FromTensorSlicesParams params;
  params.value.set = true;
  params.value.values = {Tensor::strings(list, Shape{static_cast<int64_t>(list.size())})};
  params.value.spec = Spec::tensor(DType::string, params.value.values[0].shape);
  auto built = compose(std::move(params), {}, {&runtime});
  REQUIRE(built.ok());
  return *built;
}

DatasetRef in_turns(Runtime& runtime, const std::vector<std::string_view>& list, const IntParam& count) {
  auto built = interleave_files(names(runtime, list), count, letters_operator(), std::make_unique<NoParams>(),
                                {&runtime});
  REQUIRE(built.ok());
  return *built;
}

// What is left of the stage's rows, errors as "error".
Lines rows_of(TestRuntime& runtime, Stage& stage, size_t most = SIZE_MAX) {
  Lines lines;
  Context ctx = runtime.context();
  Block out;
  while (lines.size() < most && stage.next(ctx, Demand(), out) == PullResult::rows) {
    lines.push_back(out.failed(0) ? "error" : std::string(out.columns[0].row(0).as<const Str>()->view()));
  }
  return lines;
}

TEST_CASE("files are read in turns, a record of each, and so many at a time") {
  TestRuntime runtime;
  auto read = [&](const IntParam& count) {
    return rows_of(runtime, *runtime.open(in_turns(runtime.runtime, {"ab", "c", "de"}, count)));
  };
  CHECK(read(1) == Lines{"ab", "a", "b", "c", "c", "de", "d", "e"});
  CHECK(read(2) == Lines{"ab", "c", "a", "c", "b", "de", "d", "e"});
  CHECK(read(3) == Lines{"ab", "c", "de", "a", "c", "d", "b", "e"});
  CHECK(read(IntParam::automatic()) == read(8));
}

TEST_CASE("a file that fails is an error in its place, and the others go on") {
  TestRuntime runtime;
  CHECK(rows_of(runtime, *runtime.open(in_turns(runtime.runtime, {"a", "missing", "b"}, 2))) ==
        Lines{"a", "error", "a", "b", "b"});
}

TEST_CASE("files read in turns go on where they were saved") {
  TestRuntime runtime;
  const DatasetRef node = in_turns(runtime.runtime, {"ab", "missing", "c", "de"}, 2);
  const Lines whole = rows_of(runtime, *runtime.open(node));
  REQUIRE(whole.size() == 9);
  for (size_t count = 0; count <= whole.size(); ++count) {
    INFO(count << " given");
    auto stage = runtime.open(node);
    rows_of(runtime, *stage, count);
    Archive saved;
    stage->state(saved);
    const std::string bytes = saved.take();
    auto restored = runtime.open(node);
    Archive loaded(bytes);
    restored->state(loaded);
    REQUIRE(loaded.status().ok());
    CHECK(rows_of(runtime, *restored) == Lines(whole.begin() + static_cast<ptrdiff_t>(count), whole.end()));
  }
}

TEST_CASE("what the reader gives is what the files in turns give") {
  TestRuntime runtime;
  CHECK(in_turns(runtime.runtime, {"a"}, 2)->spec().is_scalar(DType::string));
  FromTensorsParams one;
  one.value.set = true;
  one.value.values = {Tensor::scalar<int64_t>(1)};
  one.value.spec = Spec::tensor(DType::int64, Shape());
  auto numbers = compose(std::move(one), {}, {&runtime.runtime});
  REQUIRE(numbers.ok());
  // A reader that refuses its input refuses all of it.
  const OperatorDef& reader = *find_operator("tfrecord");
  std::unique_ptr<ParamsBase> params = reader.make_params();
  Fields fields;
  params->fields(fields);
  std::get<FilesParam*>(fields.list[0].slot)->index = 0;
  auto refused = interleave_files(*numbers, 2, reader, std::move(params), {&runtime.runtime});
  REQUIRE(!refused.ok());
  CHECK(contains(refused.status().error().message,
                 "expected the names of files, which are strings, found int64"));
}

}  // namespace
}  // namespace weir::test
