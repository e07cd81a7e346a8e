#include "capi/generator.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "capi/call.h"
#include "capi/callback.h"
#include "capi/spec.h"
#include "capi/view.h"
#include "syntax/parser.h"
#include "syntax/spec.h"

namespace weir::capi {

namespace {

constexpr uint32_t kGeneratorFlags = WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_BLOCKING | WEIR_CALLBACK_PURE |
                                     WEIR_CALLBACK_ON_CALLER | WEIR_CALLBACK_BLOCK;
// The first version of weir_generator.
constexpr size_t kGeneratorBytes = offsetof(weir_generator, signature);

CallbackFlags generator_flags(uint32_t bits) {
  CallbackFlags flags;
  flags.concurrent = bits & WEIR_CALLBACK_CONCURRENT;
  flags.blocking = bits & WEIR_CALLBACK_BLOCKING;
  flags.pure = bits & WEIR_CALLBACK_PURE;
  flags.on_caller = bits & WEIR_CALLBACK_ON_CALLER;
  flags.block = bits & WEIR_CALLBACK_BLOCK;
  return flags;
}

// The arguments of a source, as its functions see them, and why one of these failed.
class ArgumentsCall final : public AnyCall {
 public:
  explicit ArgumentsCall(const Components& arguments) : arguments_(arguments) {}
  bool cancelled() const override { return false; }
  Status input(uint32_t index, weir_view& view) const override {
    if (index >= arguments_.size()) {
      return {Code::out_of_range,
              expected_found(concat("the number of a component below ", arguments_.size()), concat(index))};
    }
    fill_view(view, arguments_[index], 0, 0);
    return {};
  }
  Status fail(int64_t row, int32_t code, std::string_view message) override {
    return failure_.fail(row, code, message);
  }
  const Status& failure() const { return failure_.why; }

 private:
  const Components& arguments_;
  HostFailure failure_;
};

class HostGenerator final : public Generator {
 public:
  HostGenerator(const weir_generator& host, std::optional<Spec> signature, std::string defaults,
                std::string doc)
      : Generator(generator_flags(host.flags)),
        host_(host),
        signature_(std::move(signature)),
        defaults_(std::move(defaults)),
        doc_(std::move(doc)) {}
  ~HostGenerator() override {
    if (host_.destroy) notify_host([this] { host_.destroy(host_.user_data); });
  }

  const Spec* signature() const override { return signature_ ? &*signature_ : nullptr; }
  std::string_view defaults() const override { return defaults_; }
  std::string_view doc() const override { return doc_; }
  bool infers() const override { return host_.infer != nullptr; }
  bool counts() const override { return host_.count != nullptr; }
  Result<Spec> infer(const Components& arguments) const override;
  Result<int64_t> count(const Components& arguments) const override;
  Result<std::unique_ptr<GeneratorRun>> open(const Components& arguments, int64_t position) const override;
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
      turn->run([&] { status = Status(call_host(f)); });
      return status;
    }
    const HostTurn::Hold hold(*turn, frame->scheduler());
    return hold.status().ok() ? Status(call_host(f)) : hold.status();
  }
  // Calls a function of the host that gets the arguments. Other codes than WEIR_OK are errors.
  template <class F>
  Status call_with(const Components& arguments, const char* which, F&& f) const {
    OpenCall<ArgumentsCall> call(std::make_unique<ArgumentsCall>(arguments));
    // `open` and `restore` don't get that one.
    const UnnamedCall unnamed;
    int32_t result = WEIR_OK;
    const Status ran = call_in_turn([&] { result = f(call.handle()); });
    Status failure = call.close().failure();
    WEIR_TRY(ran);
    WEIR_TRY(std::move(failure));
    return unnamed.outcome(concat(which, " of a generator"), result);
  }
  // Ends a run, in turn as well.
  void close(void* state) const {
    const auto close_run = [&] { host_.close(host_.user_data, state); };
    if (flags.concurrent) {
      notify_host(close_run);
      return;
    }
    turn->run([&] { notify_host(close_run); });
  }

 private:
  const weir_generator host_;
  const std::optional<Spec> signature_;
  const std::string defaults_;
  const std::string doc_;
};

class HostRun final : public GeneratorRun {
 public:
  explicit HostRun(RefPtr<const HostGenerator> generator) : generator_(std::move(generator)) {}
  // Closing is owed whatever becomes of the thread.
  ~HostRun() override {
    if (begun_ && generator_->host().close) generator_->close(state_);
  }

  // Begins it by `begin(call, &state)`, the host's function `which`.
  template <class F>
  Status begin(const Components& arguments, const char* which, F&& begin) {
    WEIR_TRY(generator_->call_with(arguments, which, [&](weir_call call) { return begin(call, &state_); }));
    begun_ = true;
    return Status();
  }

  Result<bool> next(Session& session, const std::vector<Component>& components, int most,
                    Block& out) override {
    const weir_generator& host = generator_->host();
    const bool by_block = generator_->flags.block;
    Block none;
    none.rows = by_block ? most : 1;
    RunningCall call(
        std::make_unique<CallObject>(session, none, out, components,
                                     by_block ? CallObject::Form::source_block : CallObject::Form::by_row));
    int32_t result = WEIR_OK;
    WEIR_TRY(generator_->call_in_turn([&] { result = host.next(host.user_data, state_, call.handle()); }));
    CallObject& made = call.close();
    if (result == WEIR_END && out.errors.empty()) return false;
    if (by_block) {
      WEIR_TRY(made.finish(result));
      return true;
    }
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
    const UnnamedCall unnamed;
    const auto call = [&] {
      result = host.save(host.user_data, state_, &data, &size);
      if (result != WEIR_OK) return;
      const Result<std::string_view> bytes = read_bytes(data, size, "the place of a generator");
      read = bytes.status();
      if (bytes.ok()) out = *bytes;
    };
    WEIR_TRY(generator_->call_in_turn(call));
    WEIR_TRY(unnamed.outcome("save of a generator", result));
    WEIR_TRY(read);
    return out;
  }

 private:
  const RefPtr<const HostGenerator> generator_;
  void* state_ = nullptr;
  bool begun_ = false;
};

Result<std::unique_ptr<GeneratorRun>> HostGenerator::open(const Components& arguments,
                                                          int64_t position) const {
  auto run = std::make_unique<HostRun>(RefPtr<const HostGenerator>(this));
  const auto begin = [&](weir_call call, void** state) {
    if (host_.start) return host_.start(host_.user_data, call, position, state);
    return host_.open ? host_.open(host_.user_data, state) : int32_t{WEIR_OK};
  };
  WEIR_TRY(run->begin(arguments, host_.start ? "start" : "open", begin));
  return std::unique_ptr<GeneratorRun>(std::move(run));
}

Result<Spec> HostGenerator::infer(const Components& arguments) const {
  weir_spec made{};
  const Status ran = call_with(arguments, "infer",
                               [&](weir_call call) { return host_.infer(host_.user_data, call, &made); });
  auto spec = spec_of(made);
  weir_spec_unref(made);
  WEIR_TRY(ran);
  if (!spec.ok())
    return invalid_argument(expected_found("infer of a weir_generator to set the elements' spec", "none"));
  return **spec;
}

Result<int64_t> HostGenerator::count(const Components& arguments) const {
  int64_t count = -1;
  if (!host_.count) return count;
  WEIR_TRY(call_with(arguments, "count",
                     [&](weir_call call) { return host_.count(host_.user_data, call, &count); }));
  if (count >= -1) return count;
  return Status(Code::internal,
                expected_found("a count of 0 or more from a generator, or -1", concat(count)));
}

Result<std::unique_ptr<GeneratorRun>> HostGenerator::restore(std::string_view bytes) const {
  auto run = std::make_unique<HostRun>(RefPtr<const HostGenerator>(this));
  const auto begin = [&](weir_call, void** state) {
    return host_.restore(host_.user_data, bytes.data(), bytes.size(), state);
  };
  WEIR_TRY(run->begin({}, "restore", begin));
  return std::unique_ptr<GeneratorRun>(std::move(run));
}

}  // namespace

namespace {

constexpr uint64_t kMaxSignatureBytes = 1 << 16;

Result<std::optional<Spec>> read_signature(const weir_generator& known) {
  WEIR_ASSIGN(const std::string_view text,
              read_string(known.signature, known.signature_size, "a signature", kMaxSignatureBytes));
  if (text.empty()) {
    if (!known.infer && !known.start && !known.count && known.defaults_size == 0)
      return std::optional<Spec>();
    return invalid_argument(
        expected_found("a signature with infer, start, count and defaults of a weir_generator", "none"));
  }
  if (!known.start)
    return invalid_argument(expected_found("start with a signature of a weir_generator", "NULL"));
  WEIR_ASSIGN(Spec signature, syntax::read_spec(text));
  const bool tensors =
      signature.kind == Spec::Kind::dict &&
      std::ranges::all_of(signature.children, [](const Spec& child) { return child.is_tensor(); });
  if (tensors) return std::optional<Spec>(std::move(signature));
  return invalid_argument(expected_found(
      "a dict of tensors as a signature, such as {files: string[?], rows: int64}", signature.to_string()));
}

Status check_defaults(const std::optional<Spec>& signature, std::string_view defaults) {
  const Result<syntax::Tree> tree = syntax::parse_value(std::string(defaults));
  if (!tree.ok() || tree->root->kind != syntax::Kind::dict)
    return invalid_argument(
        expected_found("a dict of defaults, such as {rows: 10}", concat(quote(defaults))));
  for (const syntax::Item& item : tree->root->items) {
    if (signature->find(item.name) < 0)
      return invalid_argument(
          concat("the signature has no parameter ", quote(item.name), ", which has a default"));
  }
  return {};
}

}  // namespace

Result<CallbackRef> take_generator(const weir_generator* given) {
  if (!given) return invalid_argument("expected a generator, found NULL");
  weir_generator known = WEIR_GENERATOR_INIT;
  const Status status = read_struct("weir_generator", given, kGeneratorBytes, known);
  DestroyGuard guard(known.destroy, known.user_data);
  WEIR_TRY(status);
  if (!known.next) return invalid_argument("expected weir_generator to have next, found NULL");
  if (known.flags & ~kGeneratorFlags) {
    return invalid_argument(expected_found(
        "flags WEIR_CALLBACK_CONCURRENT, _BLOCKING, _PURE, _ON_CALLER and _BLOCK", concat(known.flags)));
  }
  if ((known.save == nullptr) != (known.restore == nullptr)) {
    return invalid_argument(expected_found("save and restore of a weir_generator, or neither",
                                           known.save ? "save only" : "restore only"));
  }
  WEIR_ASSIGN(std::optional<Spec> signature, read_signature(known));
  WEIR_ASSIGN(const std::string_view defaults,
              read_string(known.defaults, known.defaults_size, "defaults", kMaxSignatureBytes));
  if (!defaults.empty()) WEIR_TRY(check_defaults(signature, defaults));
  WEIR_ASSIGN(const std::string_view doc,
              read_string(known.doc, known.doc_size, "a doc", kMaxSignatureBytes));
  auto generator =
      make_ref<HostGenerator>(known, std::move(signature), std::string(defaults), std::string(doc));
  guard.dismiss();
  return CallbackRef(std::move(generator));
}

}  // namespace weir::capi
