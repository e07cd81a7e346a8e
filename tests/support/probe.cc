#include "support/probe.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/sync.h"
#include "dataset/operator.h"
#include "ops/list.h"

namespace weir {

ProbeCounters& probe_counters() {
  static ProbeCounters counters;
  return counters;
}

namespace {

struct ProbeParams : ParamsOf<ProbeParams> {
  IntParam n;
  StringParam errors{std::string()};
  IntParam pending{0};
  BoolParam once{false};
  void fields(Fields& f) override {
    f("n", n, "Rows.", at_least(0));
    f("errors", errors, "Rows that fail.");
    f("pending", pending, "Seed of pending answers.", at_least(0));
    f("once", once, "Says that its rows cannot be made again.");
  }
};

class Probe final : public Cursor {
 public:
  Probe(Opening&, const ProbeParams& params)
      : n_(*params.n), random_(static_cast<uint64_t>(*params.pending)) {
    std::istringstream in(*params.errors);
    for (std::string number; std::getline(in, number, ',');) errors_.push_back(std::stoll(number));
    ++probe_counters().open;
    let_others_go();
  }
  ~Probe() override { --probe_counters().open; }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (random_ != 0 && (draw() & 1)) {
      ++probe_counters().pending;
      ctx.waker->wake();
      return PullResult::pending;
    }
    probe_counters().least_bytes = std::min(probe_counters().least_bytes.load(), demand.bytes);
    if (given_ == n_) return PullResult::end;
    int rows = demand.at_most(n_ - given_).rows;
    // Fewer rows than wanted are allowed.
    if (random_ != 0) rows = 1 + static_cast<int>(draw() % static_cast<uint64_t>(rows));
    probe_counters().pulled += rows;
    out.reset(demand.drop ? 0 : 1);
    out.rows = rows;
    if (!demand.drop) {
      int64_t* values = out.columns[0].make_dense<int64_t>(Shape(), rows);
      for (int i = 0; i < rows; ++i) values[i] = given_ + i;
    }
    for (int i = 0; i < rows; ++i) {
      if (std::find(errors_.begin(), errors_.end(), given_ + i) != errors_.end()) {
        out.fail_row(i, data_loss("planted").pointer());
      }
    }
    let_others_go();
    given_ += rows;
    return PullResult::rows;
  }

  // Up to the next row that fails.
  int64_t assured() const noexcept override {
    int64_t end = n_;
    for (int64_t error : errors_) end = error >= given_ ? std::min(end, error) : end;
    return random_ != 0 ? 0 : end - given_;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    ++given_;
    return 1;
  }
  void state(Archive& archive) override { archive("given", given_, 0, n_); }

 private:
  // Callers that come meanwhile must not see an intermediate state, since the simulation runs others here.
  static void let_others_go() {
    if (SyncHooks* hooks = sync_hooks()) hooks->switch_point();
  }
  uint64_t draw() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_ >> 20;
  }

  int64_t n_;
  int64_t given_ = 0;
  uint64_t random_;
  std::vector<int64_t> errors_;
};

Result<Spec> spec(const ProbeParams&, std::span<const DatasetRef>) { return Spec::tensor(DType::int64); }
int64_t cardinality(const ProbeParams& params, std::span<const DatasetRef>) { return *params.n; }

const OperatorDef& probe_operator() {
  static const OperatorDef def = define<ProbeParams, Probe>({
      .name = "probe",
      .kind = OperatorKind::source,
      .page = {.doc = "Rows that misbehave as told."},
      .typing = {.spec = spec_of<ProbeParams, spec>, .cardinality = cardinality_of<ProbeParams, cardinality>},
      .position = {.not_replayable = [](const ParamsBase& base) -> const char* {
        return *static_cast<const ProbeParams&>(base).once ? "gives each row once" : nullptr;
      }},
  });
  return def;
}

}  // namespace

void register_probe() {
  static const bool once = [] {
    add_operator(probe_operator());
    return true;
  }();
  (void)once;
}

}  // namespace weir
