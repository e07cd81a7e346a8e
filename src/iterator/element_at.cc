#include "iterator/element_at.h"

#include "core/exception.h"
#include "core/text.h"
#include "dataset/access.h"
#include "exec/scheduler.h"
#include "iterator/root_key.h"
#include "iterator/session_owner.h"

namespace weir {

namespace {

Status read_at(Context& ctx, Instance root, int64_t position, Block& out) {
  WEIR_ASSIGN(const std::unique_ptr<Access> access, open_access(ctx, std::move(root)));
  if (position < 0 || position >= access->count()) {
    return Status(Code::out_of_range,
                  expected_found(access->count() == Access::kEndless
                                     ? std::string("a position of at least 0")
                                     : concat("a position of at least 0 and below ", access->count()),
                                 concat(position)));
  }
  out.errors.clear();
  access->read(ctx, {&position, 1}, out);
  return Status();
}

}  // namespace

Status element_at(Runtime& runtime, RefPtr<RefCounted> owner, const Document& document, int64_t position,
                  Block& out) {
  WEIR_TRY(document.rewrites().status());
  const DatasetRef& root = document.rewrites()->written;
  WEIR_TRY(check_access(*root));
  WEIR_ASSIGN(EnvRef env, bind_params_env(document, {}));
  auto scheduler = make_ref<Scheduler>(runtime);
  auto session =
      make_ref<Session>(runtime, make_ref<SessionOwner>(std::move(owner), scheduler), scheduler.get());
  EpochScope epochs(nullptr, root->depth(), 0, true);
  Context context{*session, scheduler.get(), &epochs};
  Status status;
  const auto read = [&]() noexcept -> PullResult {
    try {
      status = read_at(context, {root, env, root_key(0)}, position, out);
    } catch (...) {
      status = Status(error_of_exception());
    }
    return PullResult::rows;
  };
  const Result<PullResult> answer = scheduler->drive(read);
  WEIR_TRY(answer.status());
  return status;
}

}  // namespace weir
