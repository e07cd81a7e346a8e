#include "iterator/element_at.h"

#include "core/exception.h"
#include "core/text.h"
#include "dataset/access.h"
#include "exec/scheduler.h"
#include "iterator/root_key.h"
#include "iterator/session_owner.h"

namespace weir {

namespace {

// A document that was opened to be read by position. One call at a time uses it.
struct OpenedAccess final : RefCounted {
  OpenedAccess(Runtime& runtime, RefPtr<RefCounted> owner, int depth)
      : scheduler(make_ref<Scheduler>(runtime)),
        session(
            make_ref<Session>(runtime, make_ref<SessionOwner>(std::move(owner), scheduler), scheduler.get())),
        epochs(nullptr, depth, 0, true) {}

  const RefPtr<Scheduler> scheduler;
  const RefPtr<Session> session;
  EpochScope epochs;
  std::unique_ptr<Access> access;
};

Status read_at(OpenedAccess& opened, const Document& document, int64_t position, Block& out) {
  Context ctx{*opened.session, opened.scheduler.get(), &opened.epochs};
  if (!opened.access) {
    WEIR_ASSIGN(EnvRef env, bind_params_env(document, {}));
    WEIR_ASSIGN(opened.access, open_access(ctx, {document.rewrites()->written, std::move(env), root_key(0)}));
  }
  Access& access = *opened.access;
  const AccessCount count = access.count();
  if (position < 0 || position >= count.positions) {
    return Status(
        Code::out_of_range,
        expected_found(
            concat("a position of at least 0 and below ", count.positions), concat(position),
            count.more && position >= 0 ? "elements after those can only be reached with an iterator" : ""));
  }
  out.errors.clear();
  access.read(ctx, {&position, 1}, out);
  return Status();
}

}  // namespace

Status element_at(Runtime& runtime, RefPtr<RefCounted> owner, const Document& document, int64_t position,
                  Block& out) {
  auto opened = RefPtr<OpenedAccess>(static_cast<OpenedAccess*>(document.take_kept().get()));
  if (!opened || &opened->session->runtime != &runtime) {
    WEIR_TRY(document.rewrites().status());
    const DatasetRef& root = document.rewrites()->written;
    WEIR_TRY(check_access(*root));
    opened = make_ref<OpenedAccess>(runtime, std::move(owner), root->depth());
  }
  // It is kept only if nothing is wrong, not even with the element, so that files are opened again after they were mended.
  Status status;
  bool failed = true;
  const auto read = [&]() noexcept -> PullResult {
    try {
      status = read_at(*opened, document, position, out);
      failed = !status.ok() || !out.errors.empty();
    } catch (...) {
      status = Status(error_of_exception());
    }
    return PullResult::rows;
  };
  const Result<PullResult> answer = opened->scheduler->drive(read);
  WEIR_TRY(answer.status());
  if (!failed || status.code() == Code::out_of_range) document.keep(std::move(opened));
  return status;
}

}  // namespace weir
