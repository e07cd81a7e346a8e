#include "core/bias.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "core/once.h"

namespace weir {

namespace {

// From linux/membarrier.h, which old systems lack.
constexpr int kPrivateExpedited = 1 << 3;
constexpr int kRegisterPrivateExpedited = 1 << 4;

// More threads than this do without.
constexpr uint32_t kRecords = 256;
constinit BiasedThread g_records[kRecords];

bool membarrier(int command) noexcept {
  const int before = errno;
  const bool done = syscall(SYS_membarrier, command, 0, 0) == 0;
  errno = before;
  return done;
}

// Every thread of this process passes a full barrier.
void pass_barrier() noexcept {
  if (membarrier(kPrivateExpedited)) return;
  if (membarrier(kRegisterPrivateExpedited) && membarrier(kPrivateExpedited)) return;
  // Forbidden since. No processor keeps a store to itself for so long. Signals must not shorten it.
  const int before = errno;
  timespec left{0, 10'000'000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  errno = before;
}

// Set while the child of a fork decides for threads that it lacks.
bool g_deciders_are_gone = false;

}  // namespace

constinit thread_local BiasedThread* BiasedThread::thread_record = nullptr;

// Gives the record back when its thread ends; the next thread that gets it takes over its biases. A thread
// that ends while it is inside, as one does that calls exit() in a callback, keeps its record, so that nobody
// enters after it.
class BiasedThreadOwner {
 public:
  BiasedThreadOwner() {
    if (!has_membarrier()) return;
    for (BiasedThread& record : g_records) {
      if (record.taken_.load(std::memory_order_relaxed) || record.taken_.exchange(true)) continue;
      BiasedThread::thread_record = &record;
      return;
    }
  }
  BiasedThreadOwner(const BiasedThreadOwner&) = delete;
  BiasedThreadOwner& operator=(const BiasedThreadOwner&) = delete;
  ~BiasedThreadOwner() {
    BiasedThread* record = BiasedThread::thread_record;
    BiasedThread::thread_record = nullptr;
    if (record && record->depth_ == 0) record->taken_.store(false, std::memory_order_release);
  }

 private:
  static constinit Once asked;
  static constinit bool has;

  // Once for the process.
  static bool has_membarrier() noexcept {
    asked.call([] {
      has = membarrier(kRegisterPrivateExpedited) && pthread_atfork(nullptr, nullptr, settle_in_child) == 0;
    });
    return has;
  }
  // A thread that was deciding about this one is gone in the child, where this one would wait for it. It held
  // the real one, or had closed it, so this thread gets what it had.
  static void settle_in_child() {
    const BiasedThread* me = BiasedThread::thread_record;
    if (!me) return;
    g_deciders_are_gone = true;
    for (uint32_t i = 0; i < me->depth_; ++i) {
      auto* bias = const_cast<Bias*>(me->inside_[i].load(std::memory_order_relaxed));
      if (!bias->mine() && !bias->given()) bias->revoke([] {});
    }
    g_deciders_are_gone = false;
  }
};

constinit Once BiasedThreadOwner::asked;
constinit bool BiasedThreadOwner::has = false;

BiasedThread* BiasedThread::make_current() noexcept {
  static thread_local const BiasedThreadOwner owner;
  static_cast<void>(owner);
  return thread_record;
}

// What happens to the thread that has the bias. If it is inside, pronounce(true) must follow. Of several
// threads one decides, and the others wait for it.
Bias::Verdict Bias::decide() noexcept {
  uintptr_t owner = owner_.load(std::memory_order_acquire);
  for (;;) {
    if (owner == kNobody) return Verdict::outside;
    if ((owner & kGiven) != 0) return Verdict::given_before;
    if ((owner & kDeciding) == 0) {
      if (owner_.compare_exchange_strong(owner, owner | kDeciding)) break;
    } else if (g_deciders_are_gone) {
      break;
    } else {
      sched_yield();
      owner = owner_.load(std::memory_order_acquire);
    }
  }
  revocations_.fetch_add(1, std::memory_order_relaxed);
  last_.store(0, std::memory_order_relaxed);
  const auto* thread = reinterpret_cast<const BiasedThread*>(owner & ~kDeciding);
  if (thread != BiasedThread::current()) pass_barrier();
  if (thread->inside(this)) return Verdict::inside;
  pronounce(false);
  return Verdict::outside;
}

void Bias::pronounce(bool inside) noexcept {
  const uintptr_t owner = owner_.load(std::memory_order_relaxed) & ~kDeciding;
  owner_.store(inside ? owner | kGiven : kNobody);
}

bool Bias::was_given(const BiasedThread& me) const noexcept {
  uintptr_t owner = owner_.load(std::memory_order_acquire);
  for (; owner == (token(&me) | kDeciding); owner = owner_.load(std::memory_order_acquire)) sched_yield();
  return owner == (token(&me) | kGiven);
}

bool Bias::enter_late(BiasedThread& me) noexcept {
  if (was_given(me)) return true;
  me.pop();
  return false;
}

bool Bias::leave_late(const BiasedThread& me) noexcept {
  if (!was_given(me)) return false;
  owner_.store(kNobody);
  return true;
}

void Bias::offer_late() noexcept {
  // Any address will do that no other thread has.
  static thread_local char identity;
  const auto me = reinterpret_cast<uintptr_t>(&identity);
  if (last_.load(std::memory_order_relaxed) != me) {
    last_.store(me, std::memory_order_relaxed);
    runs_.store(0, std::memory_order_relaxed);
    return;
  }
  const uint32_t runs = runs_.load(std::memory_order_relaxed) + 1;
  runs_.store(runs, std::memory_order_relaxed);
  if (runs < kRunsForBias || sync_hooks() != nullptr) return;
  const BiasedThread* record = BiasedThread::make_current();
  uintptr_t nobody = kNobody;
  if (record) owner_.compare_exchange_strong(nobody, token(record));
}

void BiasedMutex::keep() noexcept {
  while (!mutex_.try_lock()) {
    // Who holds it is about to give it to this thread.
    if (bias_.given()) break;
    sched_yield();
  }
  bias_.leave();
}

}  // namespace weir
