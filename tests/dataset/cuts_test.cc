#include "dataset/cuts.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "core/exception.h"
#include "dataset/port.h"
#include "support/no_params.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

constexpr int64_t kEnd = 200;

// Gives its position, row by row. Where reading fails it gives an error in that row's place and goes on three
// rows later, as at the next file; or at the next row, where `fails_alone` says so.
std::set<int64_t> g_fails;
std::set<int64_t> g_fails_alone;

ErrorPtr failed_read(int64_t value) {
  Error error;
  error.code = Code::unavailable;
  error.message = std::to_string(value);
  error.read_failed = true;
  return std::make_shared<Error>(error);
}

class Flaky final : public Cursor {
 public:
  Flaky(Opening&, const NoParams&) {}
  Step next(Context&, const Demand& demand, Block& out) override {
    if (at_ >= kEnd) return PullResult::end;
    out.reset(1);
    out.rows = static_cast<int>(std::min<int64_t>(demand.rows, kEnd - at_));
    int64_t* values = out.columns[0].make_dense<int64_t>(Shape(), out.rows);
    for (int i = 0; i < out.rows; ++i) {
      values[i] = at_++;
      const bool alone = g_fails_alone.contains(values[i]);
      if (!alone && !g_fails.contains(values[i])) continue;
      out.fail_row(i, failed_read(values[i]));
      if (alone) continue;
      at_ += 2;
      out.rows = i + 1;
    }
    return PullResult::rows;
  }
  void state(Archive& archive) override { archive("at", at_, 0, kEnd + 2); }

 private:
  int64_t at_ = 0;
};

DatasetRef flaky() {
  static const OperatorDef def = define<NoParams, Flaky>({
      .name = "flaky",
      .kind = OperatorKind::source,
      .typing = {.spec = [](const ParamsBase&, std::span<const DatasetRef>) -> Result<Spec> {
                   return Spec::tensor(DType::int64);
                 },
                 .cardinality = unknown_cardinality},
  });
  return Build(def).node();
}

struct CutsDriver {
  CutsDriver() : ctx(runtime.context()), port(ctx, {flaky(), nullptr, 0}, Port::Mode::keep) {}
  explicit CutsDriver(const std::string& saved) : CutsDriver() {
    Archive archive(saved);
    port.state(archive);
    archive.finish();
    REQUIRE(archive.status().ok());
  }
  // The rows of the next `count`, errors as their negative numbers; they stay unconsumed.
  std::vector<int64_t> take(int64_t count, int rows = 1) {
    std::vector<int64_t> out;
    Demand demand;
    while (static_cast<int64_t>(out.size()) < count) {
      demand.rows = rows;
      if (port.fill(ctx, demand) != PullResult::rows) break;
      const int row = port.begin();
      const ErrorPtr* error = port.block().error_of(row);
      out.push_back(error ? -std::stoll((*error)->message) : *port.block().columns[0].row(row).as<int64_t>());
      port.take(1);
    }
    return out;
  }
  std::string save() {
    Archive archive;
    port.state(archive);
    return archive.take();
  }

  TestRuntime runtime;
  Context ctx;
  Port port;
};

struct Fails {
  Fails(std::set<int64_t> files, std::set<int64_t> alone = {}) {
    g_fails = std::move(files);
    g_fails_alone = std::move(alone);
  }
  ~Fails() { g_fails = g_fails_alone = {}; }
};

TEST_CASE("a replay answers the error of a cut and goes on after it") {
  for (const int rows : {1, 4, 7}) {
    for (const std::set<int64_t>& alone : {std::set<int64_t>{}, std::set<int64_t>{3, 44, 46, 90}}) {
      std::vector<int64_t> whole;
      std::string saved;
      std::vector<std::string> positions;
      {
        const Fails fails({5, 8, 40, 77}, alone);
        whole = CutsDriver().take(kEnd, rows);
        CutsDriver driver;
        driver.take(100, rows);
        for (int64_t consumed = 0; consumed <= driver.port.position(); ++consumed) {
          driver.port.consume_to(consumed);
          positions.push_back(driver.save());
        }
      }
      REQUIRE(positions.size() > 90);
      for (size_t consumed = 0; consumed < positions.size(); ++consumed) {
        INFO("consumed " << consumed << ", " << rows << " rows");
        const std::vector<int64_t> tail(whole.begin() + static_cast<int64_t>(consumed), whole.end());
        CutsDriver restored(positions[consumed]);
        CHECK(restored.save() == positions[consumed]);
        restored.take(1);
        // The position has not moved, whatever has been made again.
        CHECK(CutsDriver(restored.save()).take(kEnd, 3) == tail);
        CHECK(CutsDriver(positions[consumed]).take(kEnd, rows) == tail);
      }
    }
  }
}

TEST_CASE("an error that was pulled and not taken comes again, though the file can be read") {
  std::string saved;
  {
    const Fails fails({5});
    CutsDriver driver;
    CHECK(driver.take(3, 8) == std::vector<int64_t>{0, 1, 2});
    CHECK(driver.port.buffered() == 3);
    driver.port.consume_all();
    saved = driver.save();
  }
  CHECK(CutsDriver(saved).take(5, 8) == std::vector<int64_t>{3, 4, -5, 8, 9});
}

TEST_CASE("a read that fails in a replay only is an error and the end") {
  CutsDriver driver;
  driver.take(30, 4);
  driver.port.consume_all();
  const std::string saved = driver.save();
  const Fails fails({11});
  CutsDriver restored(saved);
  CHECK(restored.take(3) == std::vector<int64_t>{-11});
  CHECK(restored.port.fill(restored.ctx, Demand()) == PullResult::end);
}

TEST_CASE("more cuts than a position may hold refuse to be saved, until they are consumed") {
  std::set<int64_t> many;
  for (int64_t i = 0; i < 3 * 65; i += 3) many.insert(i);
  const Fails fails(many);
  CutsDriver driver;
  driver.take(64);
  const std::string saved = driver.save();
  driver.take(2);
  try {
    driver.save();
    FAIL("saved");
  } catch (const StatusException& refused) {
    CHECK(refused.error()->code == Code::failed_precondition);
    CHECK(refused.error()->message.find("more than 64 reads") == 0);
  }
  driver.port.consume_all();
  const std::string later = driver.save();
  g_fails = {};
  CHECK(CutsDriver(later).take(3) == std::vector<int64_t>{196, 197, 198});
  CHECK(CutsDriver(saved).take(66).back() == 193);
}

TEST_CASE("a cut without memory for its anchor must fail again in a replay") {
  Cuts cuts;
  cuts.add({9, failed_read(9), nullptr});
  cuts.add_without_memory({5, failed_read(5), nullptr});
  AnchorFields fields;
  fields.fresh = true;
  cuts.write(fields, [](const Anchor&) { return AnchorRef(); });
  REQUIRE(fields.cuts.size() == 2);
  CHECK(fields.cuts[0].ordinal == 5);
  CHECK(fields.cuts[0].again);
  CHECK(!fields.cuts[1].again);
  Archive archive;
  Port::save_position(archive, Anchor(fields), 7);
  const std::string saved = archive.take();
  {
    const Fails fails({5});
    CHECK(CutsDriver(saved).take(4) == std::vector<int64_t>{9, 10, -9, 12});
  }
  CutsDriver restored(saved);
  REQUIRE(restored.port.fill(restored.ctx, Demand()) == PullResult::rows);
  REQUIRE(restored.port.block().failed(0));
  CHECK(restored.port.block().errors[0].error->code == Code::failed_precondition);
  restored.port.take(1);
  CHECK(restored.port.fill(restored.ctx, Demand()) == PullResult::end);
  // There is room for one.
  cuts.add_without_memory({7, failed_read(7), nullptr});
  AnchorFields more;
  CHECK_THROWS_AS(cuts.write(more, [](const Anchor&) { return AnchorRef(); }), StatusException);
}

// Writes a position with one cut, changed by `change`, and returns how loading it fails.
template <class Change>
Status loaded(Change change) {
  AnchorFields fields;
  fields.fresh = true;
  AnchorFields after;
  after.ordinal = 8;
  after.values = 7;
  fields.cuts = {{3, failed_read(3), nullptr}, {7, failed_read(7), make_ref<Anchor>(after)}};
  change(fields, after);
  Archive archive;
  fields.state(archive);
  const std::string bytes = archive.take();
  Archive in(bytes);
  AnchorFields out;
  out.state(in);
  in.finish();
  if (in.status().ok()) {
    Archive again;
    out.state(again);
    CHECK(again.take() == bytes);
  }
  return in.status();
}

TEST_CASE("cuts that contradict each other or their anchors are damage") {
  CHECK(loaded([](AnchorFields&, AnchorFields&) {}).ok());
  const auto damaged = [](auto change) { return loaded(change).code() == Code::data_loss; };
  CHECK(damaged([](AnchorFields& fields, AnchorFields&) { std::swap(fields.cuts[0], fields.cuts[1]); }));
  CHECK(damaged([](AnchorFields& fields, AnchorFields&) { fields.ordinal = 4; }));
  CHECK(damaged([](AnchorFields& fields, AnchorFields&) { fields.cuts[0].error = nullptr; }));
  CHECK(damaged([](AnchorFields& fields, AnchorFields&) {
    fields.cuts[1].error = nullptr;
    fields.cuts[1].ordinal = INT64_MAX;
  }));
  CHECK(damaged([](AnchorFields& fields, AnchorFields& after) {
    after.ordinal = 9;
    fields.cuts[1].anchor = make_ref<Anchor>(after);
  }));
  CHECK(damaged([](AnchorFields& fields, AnchorFields& after) {
    after.fresh = true;
    fields.cuts[1].anchor = make_ref<Anchor>(after);
  }));
  CHECK(damaged([](AnchorFields& fields, AnchorFields&) {
    fields.cuts.assign(AnchorFields::kMostCuts + 1, fields.cuts[0]);
    for (size_t i = 0; i < fields.cuts.size(); ++i) fields.cuts[i].ordinal = static_cast<int64_t>(i);
  }));
}

}  // namespace
}  // namespace weir::test
