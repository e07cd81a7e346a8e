#include "dataset/stage.h"

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

#include "core/exception.h"
#include "support/failing_new.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

enum Mood : int64_t { kGives, kFails, kThrows, kWaits, kEnds };

// Does what it is told, call after call: one digit of `moods` each, the lowest first.
struct MoodyParams : ParamsOf<MoodyParams> {
  IntParam moods{0};
  BoolParam opens{true};
  void fields(Fields& f) override {
    f("moods", moods, "");
    f("opens", opens, "");
  }
};

int g_open = 0;

class Moody final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening&, const MoodyParams& params) {
    if (!*params.opens) return invalid_argument("closed today");
    return std::unique_ptr<Cursor>(std::make_unique<Moody>(*params.moods));
  }
  explicit Moody(int64_t moods) : moods_(moods) { ++g_open; }
  ~Moody() override { --g_open; }

  Step next(Context&, const Demand&, Block& out) override {
    const int64_t mood = moods_ % 10;
    moods_ /= 10;
    switch (mood) {
      case kGives:
        out.reset(1);
        *out.columns[0].make_dense<int64_t>(Shape(), 1) = 7;
        out.rows = 1;
        return PullResult::rows;
      case kFails:
        return data_loss("failed");
      case kThrows:
        throw std::runtime_error("thrown");
      case kWaits:
        return PullResult::pending;
      default:
        return PullResult::end;
    }
  }
  void state(Archive& archive) override { archive("moods", moods_); }
  Step resume(Context&) override {
    if (moods_ % 10 == kThrows) throw std::runtime_error("thrown");
    return moods_ % 10 == kEnds ? PullResult::end : PullResult::rows;
  }

 private:
  int64_t moods_;
};

const OperatorDef& moody_operator() {
  static const OperatorDef def = define<MoodyParams, Moody>({
      .name = "moody",
      .kind = OperatorKind::source,
      .typing = {.spec = [](const ParamsBase&,
                            std::span<const DatasetRef>) { return Result<Spec>(Spec::tensor(DType::int64)); },
                 .cardinality = unknown_cardinality},
  });
  return def;
}

DatasetRef moody(int64_t moods, bool opens = true) {
  return Build(moody_operator()).set<IntParam>("moods", moods).set<BoolParam>("opens", opens).node();
}

struct StageDriver {
  explicit StageDriver(const DatasetRef& node) : stage(runtime.open(node)) {}
  PullResult next() {
    Context ctx = runtime.context();
    return stage->next(ctx, Demand{}, block);
  }
  // The error of the row that next() gave, or "".
  std::string error() const { return block.errors.empty() ? "" : block.errors[0].error->message; }
  std::string save() {
    Archive archive;
    stage->state(archive);
    return archive.take();
  }
  void load(const std::string& bytes) {
    Archive archive(bytes);
    stage->state(archive);
    REQUIRE(archive.status().ok());
  }

  TestRuntime runtime;
  std::unique_ptr<Stage> stage;
  Block block;
};

TEST_CASE("a returned and a thrown error are one row each, and the sequence goes on") {
  StageDriver driver(moody(40201));
  CHECK(driver.next() == PullResult::rows);
  CHECK(driver.error() == "failed");
  CHECK(driver.block.errors[0].error->path == "moody");
  CHECK(driver.next() == PullResult::rows);
  CHECK(driver.error().empty());
  CHECK(driver.next() == PullResult::rows);
  CHECK(driver.error() == "unexpected exception: thrown");
  CHECK(driver.block.errors[0].error->code == Code::internal);
  CHECK(driver.next() == PullResult::rows);
  CHECK(driver.next() == PullResult::end);
}

TEST_CASE("the end is final and lets the cursor go") {
  StageDriver driver(moody(4));
  CHECK(g_open == 1);
  CHECK(driver.next() == PullResult::end);
  CHECK(g_open == 0);
  CHECK(driver.next() == PullResult::end);
  StageDriver restored(moody(0));
  restored.load(driver.save());
  CHECK(restored.next() == PullResult::end);
}

TEST_CASE("a failure to open is the only row, also after a save before it was given") {
  StageDriver driver(moody(0, false));
  StageDriver restored(moody(0, false));
  restored.load(driver.save());
  for (StageDriver* each : {&driver, &restored}) {
    CHECK(each->next() == PullResult::rows);
    CHECK(each->error() == "closed today");
    CHECK(each->next() == PullResult::end);
  }
  StageDriver late(moody(0, false));
  late.load(driver.save());
  CHECK(late.next() == PullResult::end);
}

TEST_CASE("until it is resumed a stage writes what it loaded") {
  StageDriver driver(moody(41));
  CHECK(driver.next() == PullResult::rows);
  const std::string saved = driver.save();
  StageDriver restored(moody(41));
  restored.load(saved);
  CHECK(restored.save() == saved);
}

TEST_CASE("a resume that finds too few rows is one error and the end") {
  StageDriver driver(moody(40));
  CHECK(driver.next() == PullResult::rows);
  StageDriver restored(moody(40));
  restored.load(driver.save());
  CHECK(restored.next() == PullResult::rows);
  CHECK(restored.block.errors[0].error->code == Code::data_loss);
  CHECK(restored.next() == PullResult::end);
}

TEST_CASE("an error is told where there is no memory, and the sequence goes on") {
  StageDriver driver(moody(2));
  fail_allocations(1000);
  const PullResult answer = driver.next();
  fail_allocations(0);
  CHECK(answer == PullResult::rows);
  CHECK(driver.block.errors[0].error == out_of_memory());
  CHECK(driver.next() == PullResult::rows);
  CHECK(driver.error().empty());
}

TEST_CASE("a resume that throws is one error and the end") {
  StageDriver driver(moody(20));
  CHECK(driver.next() == PullResult::rows);
  StageDriver restored(moody(20));
  restored.load(driver.save());
  CHECK(restored.next() == PullResult::rows);
  CHECK(restored.error() == "unexpected exception: thrown");
  CHECK(restored.block.errors[0].error->position_lost);
  CHECK(restored.next() == PullResult::end);
}

TEST_CASE("a foreign state is an error") {
  StageDriver driver(moody(0));
  Archive archive(std::string_view("foreign"));
  driver.stage->state(archive);
  CHECK(archive.status().code() == Code::data_loss);
}

TEST_CASE("a cancelled session answers so before the cursor is asked, but not behind the end") {
  StageDriver driver(moody(0));
  driver.runtime.session->cancelled = true;
  CHECK(driver.next() == PullResult::cancelled);
  driver.runtime.session->cancelled = false;
  CHECK(driver.next() == PullResult::rows);
}

TEST_CASE("a path names the operators from the root, and the input where there are several") {
  PathRef root = make_ref<PathNode>(nullptr, "batch", -1);
  PathRef zip = make_ref<PathNode>(root, "zip", -1);
  CHECK(PathNode(zip, "map", 1).to_string() == "batch/zip[1]/map");
}

TEST_CASE("keys of different rows and parents differ") {
  CHECK(derive_key(1, 2) != derive_key(1, 3));
  CHECK(derive_key(1, 2) != derive_key(2, 2));
  CHECK(derive_key(1, 2) == derive_key(1, 2));
}

}  // namespace
}  // namespace weir::test
