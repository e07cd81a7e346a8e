#include "capi/generator.h"

#include "capi/call.h"
#include "capi/callback.h"
#include "exec/host_turn.h"

namespace weir::capi {

namespace {

constexpr uint32_t kGeneratorFlags =
    WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_BLOCKING | WEIR_CALLBACK_PURE | WEIR_CALLBACK_ON_CALLER;

CallbackFlags generator_flags(uint32_t bits) {
  CallbackFlags flags;
  flags.concurrent = bits & WEIR_CALLBACK_CONCURRENT;
  flags.blocking = bits & WEIR_CALLBACK_BLOCKING;
  flags.pure = bits & WEIR_CALLBACK_PURE;
  flags.on_caller = bits & WEIR_CALLBACK_ON_CALLER;
  return flags;
}

Status failed(const char* which, int32_t result) {
  return Status(Code::unknown,
                expected_found(concat("WEIR_OK from ", which, " of a generator"), concat(result)));
}

class HostGenerator final : public Generator {
 public:
  explicit HostGenerator(const weir_generator& host) : Generator(generator_flags(host.flags)), host_(host) {}
  ~HostGenerator() override {
    if (host_.destroy) notify_host([this] { host_.destroy(host_.user_data); });
  }

  Result<std::unique_ptr<GeneratorRun>> open() const override;
  bool saves() const override { return host_.save != nullptr; }
  Result<std::unique_ptr<GeneratorRun>> restore(std::string_view bytes) const override;

  const weir_generator& host() const { return host_; }
  // Calls a function of the host, one at a time unless it takes several. Fails if that would wait for ever.
  template <class F>
  Status call_in_turn(F&& f) const {
    if (flags.concurrent) return Status(call_host(f));
    const SchedulerFrame* frame = SchedulerFrame::innermost();
    if (!frame) {
      Status status;
      turn_->run([&] { status = Status(call_host(f)); });
      return status;
    }
    const HostTurn::Hold hold(*turn_, frame->scheduler());
    return hold.status().ok() ? Status(call_host(f)) : hold.status();
  }
  // Ends a run, in turn as well.
  void close(void* state) const {
    const auto close_run = [&] { host_.close(host_.user_data, state); };
    if (flags.concurrent) {
      notify_host(close_run);
      return;
    }
    turn_->run([&] { notify_host(close_run); });
  }

 private:
  const weir_generator host_;
  const RefPtr<HostTurn> turn_ = make_ref<HostTurn>();
};

class HostRun final : public GeneratorRun {
 public:
  explicit HostRun(RefPtr<const HostGenerator> generator) : generator_(std::move(generator)) {}
  // Closing is owed whatever becomes of the thread.
  ~HostRun() override {
    if (begun_ && generator_->host().close) generator_->close(state_);
  }

  // Begins it by `begin(&state)`, the host's function `which`.
  template <class F>
  Status begin(const char* which, F&& begin) {
    int32_t result = WEIR_OK;
    WEIR_TRY(generator_->call_in_turn([&] { result = begin(&state_); }));
    if (result != WEIR_OK) return failed(which, result);
    begun_ = true;
    return Status();
  }

  Result<bool> next(Session& session, const std::vector<Component>& components, Block& out) override {
    const weir_generator& host = generator_->host();
    Block none;
    none.rows = 1;
    RunningCall call(std::make_unique<CallObject>(session, none, out, components, false));
    int32_t result = WEIR_OK;
    WEIR_TRY(generator_->call_in_turn([&] { result = host.next(host.user_data, state_, call.handle()); }));
    CallObject& made = call.close();
    if (result == WEIR_END && out.errors.empty()) return false;
    made.end_row(result);
    made.finish_rows();
    if (!out.errors.empty()) return Status(out.errors[0].error);
    return true;
  }

  Result<std::string> save() override {
    const weir_generator& host = generator_->host();
    const void* data = nullptr;
    uint64_t size = 0;
    int32_t result = WEIR_OK;
    std::string out;
    Status read;
    const auto call = [&] {
      result = host.save(host.user_data, state_, &data, &size);
      if (result != WEIR_OK) return;
      const Result<std::string_view> bytes = read_bytes(data, size, "the place of a generator");
      read = bytes.status();
      if (bytes.ok()) out = *bytes;
    };
    WEIR_TRY(generator_->call_in_turn(call));
    if (result != WEIR_OK) return failed("save", result);
    WEIR_TRY(read);
    return out;
  }

 private:
  const RefPtr<const HostGenerator> generator_;
  void* state_ = nullptr;
  bool begun_ = false;
};

Result<std::unique_ptr<GeneratorRun>> HostGenerator::open() const {
  auto run = std::make_unique<HostRun>(RefPtr<const HostGenerator>(this));
  const auto begin = [this](void** state) {
    return host_.open ? host_.open(host_.user_data, state) : int32_t{WEIR_OK};
  };
  WEIR_TRY(run->begin("open", begin));
  return std::unique_ptr<GeneratorRun>(std::move(run));
}

Result<std::unique_ptr<GeneratorRun>> HostGenerator::restore(std::string_view bytes) const {
  auto run = std::make_unique<HostRun>(RefPtr<const HostGenerator>(this));
  const auto begin = [&](void** state) {
    return host_.restore(host_.user_data, bytes.data(), bytes.size(), state);
  };
  WEIR_TRY(run->begin("restore", begin));
  return std::unique_ptr<GeneratorRun>(std::move(run));
}

}  // namespace

Result<CallbackRef> take_generator(const weir_generator* given) {
  if (!given) return invalid_argument("expected a generator, found NULL");
  weir_generator known = WEIR_GENERATOR_INIT;
  const Status status = read_struct("weir_generator", given, sizeof(weir_generator), known);
  DestroyGuard guard(known.destroy, known.user_data);
  WEIR_TRY(status);
  if (!known.next) return invalid_argument("expected weir_generator to have next, found NULL");
  if (known.flags & ~kGeneratorFlags) {
    return invalid_argument(expected_found("flags WEIR_CALLBACK_CONCURRENT, _BLOCKING, _PURE and _ON_CALLER",
                                           concat(known.flags)));
  }
  if ((known.save == nullptr) != (known.restore == nullptr)) {
    return invalid_argument(expected_found("save and restore of a weir_generator, or neither",
                                           known.save ? "save only" : "restore only"));
  }
  auto generator = make_ref<HostGenerator>(known);
  guard.dismiss();
  return CallbackRef(std::move(generator));
}

}  // namespace weir::capi
