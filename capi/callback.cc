#include "capi/callback.h"

#include <pthread.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "capi/call.h"
#include "capi/spec.h"
#include "core/sync.h"
#include "expr/run/row_callback.h"
#include "expr/types/kernel.h"
#include "ops/list.h"
#include "syntax/lexer.h"
#include "syntax/parser.h"
#include "syntax/spec.h"

namespace weir::capi {

namespace {

constexpr uint32_t kKnownFlags = WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_BLOCKING | WEIR_CALLBACK_BLOCK |
                                 WEIR_CALLBACK_PURE | WEIR_CALLBACK_ON_CALLER;
constexpr uint64_t kMaxSpecBytes = 1 << 16;

CallbackFlags flags_of(uint32_t bits) {
  CallbackFlags flags;
  flags.concurrent = bits & WEIR_CALLBACK_CONCURRENT;
  flags.blocking = bits & WEIR_CALLBACK_BLOCKING;
  flags.block = bits & WEIR_CALLBACK_BLOCK;
  flags.pure = bits & WEIR_CALLBACK_PURE;
  flags.on_caller = bits & WEIR_CALLBACK_ON_CALLER;
  return flags;
}

// The turns of callbacks that are in use. Those with the same function and data are one to the host.
struct Turns {
  struct Shared {
    RefPtr<HostTurn> turn;
    int64_t owners = 0;
  };
  Mutex mutex;
  std::map<std::pair<decltype(weir_callback::function), void*>, Shared> shared;
};

// Made when the library is loaded, and never destroyed: callbacks may go while the process ends.
Turns& turns = *new Turns;

[[maybe_unused]] const int turns_watch_forks =
    pthread_atfork([] { turns.mutex.lock(); }, [] { turns.mutex.unlock(); }, [] { turns.mutex.unlock(); });

RefPtr<HostTurn> take_turn(const weir_callback& host) {
  auto turn = make_ref<HostTurn>();
  if (!host.user_data) return turn;
  MutexLock lock(turns.mutex);
  Turns::Shared& shared = turns.shared[{host.function, host.user_data}];
  if (shared.owners++ == 0) shared.turn = std::move(turn);
  return shared.turn;
}

void drop_turn(const weir_callback& host) {
  if (!host.user_data) return;
  MutexLock lock(turns.mutex);
  const auto found = turns.shared.find({host.function, host.user_data});
  if (--found->second.owners == 0) turns.shared.erase(found);
}

class HostCallback final : public RowCallback {
 public:
  HostCallback(const weir_callback& host, std::optional<Spec> result, std::optional<Spec> signature,
               std::string doc)
      : RowCallback(flags_of(host.flags), take_turn(host)),
        host_(host),
        result_(std::move(result)),
        signature_(std::move(signature)),
        doc_(std::move(doc)) {
    if (result_) components_ = result_->components();
    if (signature_) expected_ = signature_->components();
  }
  // For arguments that give this result. The function is destroyed with `whole`.
  HostCallback(const HostCallback& whole, const Spec& result)
      : RowCallback(whole.flags, whole.turn),
        host_(whole.host_),
        result_(result),
        signature_(whole.signature_),
        components_(result_->components()),
        expected_(whole.expected_),
        whole_(&whole) {}
  ~HostCallback() override {
    if (whole_) return;
    drop_turn(host_);
    if (host_.destroy) notify_host([this] { host_.destroy(host_.user_data); });
  }

  const Spec* signature() const override { return signature_ ? &*signature_ : nullptr; }
  std::string_view doc() const override { return doc_; }
  Result<Spec> result(const Spec& input) const override;
  Status call(Session& session, const Block& in, Block& out) const override;
  Status call_each(Session& session, const Block& in, Block& out) const override;
  RefPtr<const Callback> with_result(const Spec& result) const override {
    return host_.infer == nullptr ? nullptr
                                  : RefPtr<const Callback>(make_ref<const HostCallback>(*this, result));
  }
  bool has_state() const override { return host_.save != nullptr; }
  Result<std::string> save_state() const override;
  Status restore_state(std::string_view bytes) const override;

 private:
  Status call_once(Session& session, const Block& in, Block& out) const;
  Status check_arguments(const Block& in, int row) const;
  // Of one call; `same` has room for it where it is that of the input.
  std::span<const Component> results(const Block& in, std::vector<Component>& same) const;

  const weir_callback host_;
  // If absent, the structure of the input.
  const std::optional<Spec> result_;
  const std::optional<Spec> signature_;
  const std::string doc_;
  std::vector<Component> components_;
  // The components of the signature.
  std::vector<Component> expected_;
  const RefPtr<const HostCallback> whole_;
};

Result<Spec> HostCallback::result(const Spec& input) const {
  if (host_.infer == nullptr) return result_ ? *result_ : input;
  const weir_spec given = publish_spec(std::make_shared<const Spec>(input));
  weir_spec made{};
  int32_t verdict = WEIR_OK;
  const Status ran(call_host([&] { verdict = host_.infer(host_.user_data, given, &made); }));
  weir_spec_unref(given);
  auto spec = spec_of(made);
  weir_spec_unref(made);
  WEIR_TRY(ran);
  if (verdict != WEIR_OK)
    return invalid_argument(
        expected_found("other arguments", concat(input.to_string(), ", which it refuses")));
  if (!spec.ok()) {
    return invalid_argument(expected_found("infer of a weir_callback to set the result's spec", "none"));
  }
  return **spec;
}

// The shapes of rows, as far as they were unknown when the dataset was built.
Status HostCallback::check_arguments(const Block& in, int row) const {
  for (size_t i = 0; i < expected_.size() && i < in.columns.size(); ++i) {
    const Column& column = in.columns[i];
    const Shape shape =
        column.dense() ? column.tensor().shape.tail() : column.list()[static_cast<size_t>(row)].shape;
    if (expected_[i].shape.compatible(shape)) continue;
    return invalid_argument(
        expected_found(concat(dtype_name(expected_[i].dtype), expected_[i].shape.to_string(),
                              " as component ", i, " of the arguments"),
                       concat("the shape ", shape.to_string())));
  }
  return Status();
}

bool is_dense(const Block& block) {
  return std::all_of(block.columns.begin(), block.columns.end(), [](const Column& c) { return c.dense(); });
}

std::span<const Component> HostCallback::results(const Block& in, std::vector<Component>& same) const {
  if (result_) return components_;
  for (const Column& column : in.columns) same.push_back({column.dtype(), Shape::unknown_rank()});
  return same;
}

Status HostCallback::call(Session& session, const Block& in, Block& out) const {
  if (is_dense(in)) return call_once(session, in, out);
  // Rows of different shapes have no common view: each becomes a block of its own.
  out.reset(0);
  for (int i = 0; i < in.rows; ++i) {
    Block row = in.slice(i, 1);
    for (Column& column : row.columns) column.densify();
    Block result;
    Status status = call_once(session, row, result);
    if (!status.ok()) result.set_error(status.pointer(), result_ ? components_.size() : in.columns.size());
    out.append(result, 0, 1);
  }
  return Status();
}

Status HostCallback::call_once(Session& session, const Block& in, Block& out) const {
  WEIR_TRY(check_arguments(in, 0));
  std::vector<Component> same;
  RunningCall call(
      std::make_unique<CallObject>(session, in, out, results(in, same), CallObject::Form::by_block));
  int32_t result = WEIR_OK;
  WEIR_TRY(Status(call_host([&] { result = host_.function(host_.user_data, call.handle()); })));
  return call.close().finish(result);
}

// One call stands for all rows, one after the other, and the host's thread is watched once for all of them.
Status HostCallback::call_each(Session& session, const Block& in, Block& out) const {
  std::vector<Component> same;
  RunningCall call(
      std::make_unique<CallObject>(session, in, out, results(in, same), CallObject::Form::by_row));
  CallObject& object = call.object();
  const bool checked_once = is_dense(in) && check_arguments(in, 0).ok();
  bool closed = false;
  int row = 0;
  const auto run_rows = [&] {
    for (; row < in.rows; ++row) {
      object.begin_row(row);
      if (!checked_once) {
        if (const Status status = check_arguments(in, row); !status.ok()) {
          object.fail_row(row, status);
          continue;
        }
      }
      if (closed) call.reopen();
      int32_t result = WEIR_OK;
      const ErrorPtr thrown = notify_host([&] { result = host_.function(host_.user_data, call.handle()); });
      call.close();
      closed = true;
      if (thrown) {
        object.fail_row(row, Status(thrown));
      } else {
        object.end_row(result);
      }
    }
  };
  if (const ErrorPtr error = call_host(run_rows)) {
    call.close();
    for (; row < in.rows; ++row) object.fail_row(row, Status(error));
  }
  object.finish_rows();
  return Status();
}

Result<std::string> HostCallback::save_state() const {
  const void* data = nullptr;
  uint64_t size = 0;
  int32_t result = WEIR_OK;
  const UnnamedCall call;
  WEIR_TRY(Status(call_host([&] { result = host_.save(host_.user_data, &data, &size); })));
  WEIR_TRY(call.outcome("save of a callback with a state", result));
  WEIR_ASSIGN(const std::string_view bytes, read_bytes(data, size, "the state of a callback"));
  return std::string(bytes);
}

Status HostCallback::restore_state(std::string_view bytes) const {
  int32_t result = WEIR_OK;
  const UnnamedCall call;
  WEIR_TRY(Status(call_host([&] { result = host_.restore(host_.user_data, bytes.data(), bytes.size()); })));
  return call.outcome("restore of a callback with a state", result);
}

// The first version of weir_callback.
constexpr size_t kCallbackBytes = offsetof(weir_callback, save);

}  // namespace

Result<CallbackRef> take_callback(const weir_callback* given) {
  if (!given) return invalid_argument("expected a callback, found NULL");
  weir_callback known = WEIR_CALLBACK_INIT;
  const Status status = read_struct("weir_callback", given, kCallbackBytes, known);
  DestroyGuard guard(known.destroy, known.user_data);
  WEIR_TRY(status);
  if (!known.function) return invalid_argument("expected weir_callback to have a function, found NULL");
  if (known.flags & ~kKnownFlags) {
    return invalid_argument(expected_found("flags WEIR_CALLBACK_...", concat(known.flags)));
  }
  if ((known.save == nullptr) != (known.restore == nullptr)) {
    return invalid_argument(expected_found("save and restore of a weir_callback, or neither",
                                           known.save ? "save only" : "restore only"));
  }
  if (known.save != nullptr && (known.flags & WEIR_CALLBACK_PURE)) {
    return invalid_argument("expected a pure callback to have no state, found save and restore");
  }
  WEIR_ASSIGN(std::string_view text,
              read_string(known.result_spec, known.result_spec_size, "a result_spec", kMaxSpecBytes));
  std::optional<Spec> result;
  if (!text.empty()) {
    WEIR_ASSIGN(result, syntax::read_spec(text));
  }
  if (known.infer != nullptr && result) {
    return invalid_argument("expected result_spec or infer of a weir_callback, found both");
  }
  WEIR_ASSIGN(std::string_view arguments,
              read_string(known.signature, known.signature_size, "a signature", kMaxSpecBytes));
  std::optional<Spec> signature;
  if (!arguments.empty()) {
    WEIR_ASSIGN(signature, syntax::read_spec(arguments));
    if (signature->kind != Spec::Kind::dict || signature->has_dataset()) {
      return invalid_argument(expected_found(
          "a dict of arguments as a signature, such as {image: uint8[?, ?, 3]}", signature->to_string()));
    }
  }
  WEIR_ASSIGN(const std::string_view doc, read_string(known.doc, known.doc_size, "a doc", kMaxSpecBytes));
  auto callback = make_ref<HostCallback>(known, std::move(result), std::move(signature), std::string(doc));
  guard.dismiss();
  return CallbackRef(std::move(callback));
}

Status check_function_name(std::string_view name) {
  if (syntax::is_reserved(name) || name == "_") {
    return invalid_argument(expected_found(
        "the name of a function", concat(name, ", a reserved word of the notation"), "choose another"));
  }
  if (find_kernel(name) == nullptr && find_operator(name) == nullptr && !dtype_from_name(name))
    return Status();
  return Status(Code::already_exists,
                expected_found("a name that no function, operator or dtype has", name, "choose another"));
}

}  // namespace weir::capi
