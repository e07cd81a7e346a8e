#include "iterator/element_at.h"

#include <memory>
#include <optional>

#include "core/exception.h"
#include "core/text.h"
#include "dataset/access.h"
#include "exec/scheduler.h"
#include "iterator/fetcher.h"
#include "iterator/root_key.h"
#include "iterator/session_owner.h"

namespace weir {

namespace {

// A document that was opened to be read by position. One call at a time uses it.
struct OpenedAccess final : RefCounted {
  OpenedAccess(Runtime& runtime, RefPtr<RefCounted> owner, const Dataset& root)
      : scheduler(make_ref<Scheduler>(runtime)),
        session(
            make_ref<Session>(runtime, make_ref<SessionOwner>(std::move(owner), scheduler), scheduler.get())),
        epochs(nullptr, root.depth(), 0, true) {
    choice.work = work_of(root);
    choice.may_fetch = root.lane() != Lane::caller;
    choice.slow = root.lane() == Lane::blocking;  // until files turn out to be quick
  }

  const RefPtr<Scheduler> scheduler;
  const RefPtr<Session> session;
  EpochScope epochs;
  std::unique_ptr<Access> access;
  FetchChoice choice;
};

// What came of a read.
struct Outcome {
  Status status;
  bool failed = true;
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

Outcome read(OpenedAccess& opened, const Document& document, int64_t position, Block& out) noexcept {
  Outcome outcome;
  try {
    outcome.status = read_at(opened, document, position, out);
    outcome.failed = !outcome.status.ok() || !out.errors.empty();
  } catch (...) {
    outcome.status = Status(error_of_exception());
  }
  return outcome;
}

// What the document keeps, or a new one.
Result<RefPtr<OpenedAccess>> take(Runtime& runtime, RefPtr<RefCounted> owner, const Document& document) {
  auto opened = RefPtr<OpenedAccess>(static_cast<OpenedAccess*>(document.take_kept().get()));
  if (opened && &opened->session->runtime == &runtime) return opened;
  WEIR_TRY(document.rewrites().status());
  const DatasetRef& root = document.rewrites()->written;
  WEIR_TRY(check_access(*root, "read the elements in order, with an iterator"));
  return make_ref<OpenedAccess>(runtime, std::move(owner), *root);
}

// It is kept only if nothing is wrong, not even with the element, so that files are opened again after they
// were mended.
Status finish(RefPtr<OpenedAccess> opened, const Document& document, const Outcome& outcome) {
  if (!outcome.failed || outcome.status.code() == Code::out_of_range) document.keep(std::move(opened));
  return outcome.status;
}

// An element that a fetcher makes.
struct Fetched {
  const RefPtr<OpenedAccess> opened;
  const DocumentRef document;
  const int64_t position;
  Block out;
  std::optional<Outcome> outcome;

  Fetched(RefPtr<OpenedAccess> access, DocumentRef tree, int64_t at)
      : opened(std::move(access)), document(std::move(tree)), position(at) {}
  // REQUIRES: this thread drives
  void fetch() noexcept {
    // A wake may come late, when others use what was opened.
    if (outcome || opened->session->cancelled.load(std::memory_order_relaxed)) return;
    FetchChoice& choice = opened->choice;
    choice.asks = 0;
    Clock& clock = *opened->session->runtime.clock;
    const int64_t begin_ns = clock.now_ns();
    outcome = read(*opened, *document, position, out);
    choice.slow = clock.now_ns() - begin_ns > FetchChoice::kQuickNs;
  }
};

// The fetcher's work, as long as somebody may ask for the element.
class Reading final : public RefCounted {
 public:
  Reading(RefPtr<OpenedAccess> opened, DocumentRef document, int64_t position)
      : fetched_(std::make_shared<Fetched>(std::move(opened), std::move(document), position)),
        fetcher_(make_ref<Fetcher<std::shared_ptr<Fetched>>>(*fetched_->opened->session,
                                                             fetched_->document->root()->lane(), fetched_)) {}
  ~Reading() override {
    if (fetched_) {
      fetched_->opened->session->cancelled.store(true);
      fetched_->opened->scheduler->interrupt();
    }
    fetcher_->close();
  }
  bool is_of(const Runtime& runtime, const Document& document, int64_t position) const {
    return &fetched_->opened->session->runtime == &runtime && fetched_->document.get() == &document &&
           fetched_->position == position;
  }
  Result<PullResult> wait() { return fetched_->opened->scheduler->drive_within(kReadSliceNs, *this); }
  Status take(Block& out) {
    const std::shared_ptr<Fetched> done = std::exchange(fetched_, nullptr);
    out = std::move(done->out);
    return finish(done->opened, *done->document, *done->outcome);
  }

  PullResult operator()() noexcept {
    if (!fetched_->outcome && !fetched_->opened->choice.may_ask(*fetched_->opened->session->runtime.clock))
      fetched_->fetch();
    return fetched_->outcome ? PullResult::rows : PullResult::pending;
  }
  void after_pending() noexcept { fetcher_->wake(); }

 private:
  std::shared_ptr<Fetched> fetched_;
  const RefPtr<Pump> fetcher_;
};

Status read_here(RefPtr<OpenedAccess> opened, const Document& document, int64_t position, bool measures,
                 Block& out) {
  Clock* const clock = measures ? opened->session->runtime.clock : nullptr;
  const int64_t begin_ns = clock ? clock->now_ns() : 0;
  Outcome outcome;
  const Result<PullResult> answer = opened->scheduler->drive([&]() noexcept {
    outcome = read(*opened, document, position, out);
    return PullResult::rows;
  });
  WEIR_TRY(answer.status());
  if (clock) opened->choice.slow = clock->now_ns() - begin_ns > FetchChoice::kSlowNs;
  return finish(std::move(opened), document, outcome);
}

}  // namespace

Result<PullResult> element_at(Runtime& runtime, RefPtr<RefCounted> owner, const DocumentRef& document,
                              int64_t position, RefPtr<RefCounted>* reading, Block& out) {
  auto* begun = reading ? static_cast<Reading*>(reading->get()) : nullptr;
  if (!begun || !begun->is_of(runtime, *document, position)) {
    if (reading) *reading = nullptr;
    WEIR_ASSIGN(RefPtr<OpenedAccess> opened, take(runtime, std::move(owner), *document));
    const FetchChoice& choice = opened->choice;
    // A callback that asks may have the only thread.
    const bool apart = reading && choice.may_fetch && !Scheduler::inside_any() &&
                       (choice.work.runs_datasets || (choice.measures() && choice.slow));
    if (!apart) {
      WEIR_TRY(read_here(std::move(opened), *document, position, reading && choice.measures(), out));
      return PullResult::rows;
    }
    *reading = make_ref<Reading>(std::move(opened), document, position);
    begun = static_cast<Reading*>(reading->get());
  }
  const Result<PullResult> answer = begun->wait();
  if (answer.ok() && *answer != PullResult::rows) return PullResult::pending;
  const RefPtr<RefCounted> ended = std::exchange(*reading, nullptr);
  WEIR_TRY(answer.status());
  WEIR_TRY(begun->take(out));
  return PullResult::rows;
}

}  // namespace weir
