#include "simulation/timed.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "support/pipeline.h"

namespace weir::sim {

// Holds the world of the run by a pointer, since functions are made before it.
class Timed::Function final : public Callback {
 public:
  Function(std::shared_ptr<Calls> calls, SimWorld& world)
      : Callback(calls->flags), calls_(std::move(calls)), world_(world) {}

  Result<Spec> result(const Spec& input) const override { return input; }
  Status call(Session&, const Block& in, Block& out) const override {
    calls_->most = std::max(calls_->most, ++calls_->now);
    const Components row = in.row(0);
    calls_->body(world_, *row[0].as<int64_t>());
    --calls_->now;
    out.set_row(row);
    return Status();
  }

 private:
  const std::shared_ptr<Calls> calls_;
  SimWorld& world_;
};

Timed& Timed::with(const std::string& name, CallbackFlags flags, Body body) {
  calls_[name] = std::make_shared<Calls>(Calls{flags, std::move(body)});
  return *this;
}

Timed& Timed::consumed_by(Consumer consumer) {
  consumer_ = std::move(consumer);
  return *this;
}

SimWorld timed_world(const TimedOptions& options) {
  return SimWorld(options.seed, {.compute_threads = options.processors,
                                 .blocking_threads = options.blocking_threads,
                                 .ahead_bytes = options.ahead_bytes,
                                 .exact_time = true,
                                 .max_steps = 50'000'000});
}

int64_t Timed::run(const std::string& text) {
  SimWorld world = timed_world(options_);
  read_in(world, text);
  const std::string failure = world.run();
  if (!failure.empty()) throw std::runtime_error(failure);
  return took_ns_;
}

void Timed::read_in(SimWorld& world, const std::string& text, int64_t begin_ns) {
  times_.clear();
  world.client("the reader", [this, &world, text, begin_ns] {
    Handed handed;
    for (const auto& [name, calls] : calls_) handed[name] = CallbackRef(make_ref<Function>(calls, world));
    const DocumentRef document = require_value(parse_document(world.runtime(), text, handed));
    OpenIterator iterator(new Iterator(world.runtime(), nullptr, document->spec()));
    require_ok(iterator->initialize(document, {{}, nullptr}));
    Clock& clock = *world.runtime().clock;
    if (options_.pause_ns > 0) world.sleep(options_.pause_ns);
    const int64_t zero_ns = clock.now_ns();
    if (begin_ns > 0) world.sleep(begin_ns);
    Block block;
    while (require_value(iterator->next(1, block)) == PullResult::rows) {
      if (block.error_of(0)) throw std::runtime_error((*block.error_of(0))->message);
      times_.push_back(clock.now_ns() - zero_ns);
      if (consumer_ && !consumer_(world, *iterator, static_cast<int64_t>(times_.size()) - 1)) break;
    }
    took_ns_ = clock.now_ns() - zero_ns;
    stats_ = iterator->stats();
  });
}

double Timed::rate(int64_t from_ns, int64_t until_ns) const {
  const auto count =
      std::count_if(times_.begin(), times_.end(), [&](int64_t at) { return at >= from_ns && at < until_ns; });
  return static_cast<double>(count) * 1e9 / static_cast<double>(until_ns - from_ns);
}

std::string Timed::tuned() const {
  const std::string key = R"("tuned": ")";
  const std::string json = stats_json(stats_);
  const size_t begin = json.find(key) + key.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

}  // namespace weir::sim
