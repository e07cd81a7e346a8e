#include "core/bias.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <latch>
#include <thread>
#include <vector>

namespace weir {
namespace {

// Takes the lock as a thread that drives an iterator does; true if by bias.
bool take(BiasedMutex& mutex) {
  if (mutex.enter()) return true;
  mutex.lock();
  return false;
}

void let_go(BiasedMutex& mutex, bool biased) {
  if (biased) {
    mutex.leave();
  } else {
    mutex.unlock_and_offer();
  }
}

// False where the system has no membarrier.
bool get_bias(BiasedMutex& mutex) {
  for (int i = 0; i < 100; ++i) let_go(mutex, take(mutex));
  if (!mutex.enter()) return false;
  mutex.leave();
  return true;
}

template <class Work>
void elsewhere(Work work) {
  std::thread(work).join();
}

TEST_CASE("a thread that takes a mutex again and again enters without it", "[bias][threads]") {
  BiasedMutex mutex;
  CHECK_FALSE(mutex.enter());
  if (!get_bias(mutex)) return;
  REQUIRE(mutex.enter());
  CHECK_FALSE(mutex.enter());
  mutex.leave();
  elsewhere([&] { CHECK_FALSE(mutex.enter()); });
}

TEST_CASE("a mutex entered by bias is held against other threads until it is left", "[bias][threads]") {
  BiasedMutex mutex;
  if (!get_bias(mutex)) return;
  REQUIRE(mutex.enter());
  elsewhere([&] { CHECK_FALSE(mutex.try_lock()); });
  elsewhere([&] { CHECK_FALSE(mutex.try_lock()); });
  mutex.leave();
  elsewhere([&] {
    REQUIRE(mutex.try_lock());
    mutex.unlock();
  });
  CHECK_FALSE(mutex.enter());
}

TEST_CASE("what was entered by bias can be kept as a lock", "[bias][threads]") {
  BiasedMutex mutex;
  if (!get_bias(mutex)) return;
  for (const bool noticed : {false, true}) {
    REQUIRE(mutex.enter());
    if (noticed) elsewhere([&] { CHECK_FALSE(mutex.try_lock()); });
    mutex.keep();
    elsewhere([&] { CHECK_FALSE(mutex.try_lock()); });
    mutex.unlock();
    elsewhere([&] {
      REQUIRE(mutex.try_lock());
      mutex.unlock();
    });
    if (!noticed) REQUIRE(get_bias(mutex));
  }
}

TEST_CASE("a bias that was taken away often does not come back", "[bias][threads]") {
  BiasedMutex mutex;
  int times = 0;
  for (; times < 100 && get_bias(mutex); ++times) {
    elsewhere([&] {
      mutex.lock();
      mutex.unlock();
    });
  }
  CHECK(times < 100);
}

// As if this thread held the real one. False where the system has no membarrier.
bool get_bias(Bias& bias) {
  for (int i = 0; i < 100; ++i) bias.offer();
  return bias.mine();
}

// True if a child in which only this thread is left comes to the end of `work` with true.
template <class Work>
bool works_in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Ends a child that hangs.
    alarm(60);
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

// Lets each further membarrier of this process fail.
bool forbid_membarrier() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_CASE("an entry is seen by who takes the bias away until it is left", "[bias][threads]") {
  Bias bias;
  Bias other;
  if (!get_bias(bias) || !get_bias(other)) return;
  REQUIRE(other.enter());
  REQUIRE(bias.enter());
  int given = 0;
  elsewhere([&] {
    CHECK(bias.revoke([&] { ++given; }));
    CHECK(bias.revoke([&] { ++given; }));
  });
  CHECK(given == 1);
  CHECK(bias.given());
  CHECK_FALSE(bias.enter());
  CHECK_FALSE(bias.leave());
  CHECK_FALSE(bias.present());
  elsewhere([&] { CHECK(other.revoke([&] { ++given; })); });
  CHECK(given == 2);
  CHECK_FALSE(other.leave());
  elsewhere([&] { CHECK_FALSE(other.revoke([&] { ++given; })); });
  CHECK(given == 2);
}

TEST_CASE("who takes the bias away gives before the thread inside can leave", "[bias][threads]") {
  Bias bias;
  if (!get_bias(bias)) return;
  REQUIRE(bias.enter());
  std::atomic<int> given{0};
  std::latch deciding(1);
  std::latch looked(1);
  std::thread first([&] {
    bias.revoke([&] {
      deciding.count_down();
      looked.wait();
      ++given;
    });
  });
  deciding.wait();
  CHECK(bias.present());
  CHECK_FALSE(bias.mine());
  CHECK_FALSE(bias.given());
  // Another one waits for the first, or finds nobody inside any more.
  std::thread second([&] { bias.revoke([&] { ++given; }); });
  looked.count_down();
  CHECK_FALSE(bias.leave());
  CHECK(given == 1);
  first.join();
  second.join();
  CHECK(given == 1);
}

TEST_CASE("a bias is had after 64 runs by one thread, and by no other before", "[bias][threads]") {
  Bias bias;
  if (Bias probe; !get_bias(probe)) return;
  for (int i = 0; i < 64; ++i) {
    bias.offer();
    REQUIRE_FALSE(bias.present());
  }
  elsewhere([&] {
    bias.offer();
    CHECK_FALSE(bias.present());
  });
  for (int i = 0; i < 64; ++i) {
    bias.offer();
    REQUIRE_FALSE(bias.present());
  }
  bias.offer();
  CHECK(bias.mine());
}

TEST_CASE("a thread that ends inside keeps others out", "[bias][threads]") {
  BiasedMutex mutex;
  std::atomic<bool> inside{false};
  elsewhere([&] { inside = get_bias(mutex) && mutex.enter(); });
  if (!inside) return;
  elsewhere([&] {
    BiasedMutex other;
    REQUIRE(get_bias(other));
    CHECK_FALSE(mutex.try_lock());
  });
}

TEST_CASE("the child of a fork does not wait for who was taking a bias away", "[bias][threads][fork]") {
  Bias bias;
  if (!get_bias(bias)) return;
  REQUIRE(bias.enter());
  std::latch deciding(1);
  std::latch forked(1);
  std::thread decider([&] {
    bias.revoke([&] {
      deciding.count_down();
      forked.wait();
    });
  });
  deciding.wait();
  // The child was given what the decider held.
  CHECK(works_in_child([&] { return bias.given() && !bias.leave() && !bias.present(); }));
  forked.count_down();
  decider.join();
  CHECK(bias.given());
  CHECK_FALSE(bias.leave());
}

TEST_CASE("the child of a fork keeps the bias that its thread had", "[bias][threads][fork]") {
  Bias bias;
  if (!get_bias(bias)) return;
  REQUIRE(bias.enter());
  CHECK(works_in_child([&] { return bias.mine() && bias.leave() && bias.enter() && bias.leave(); }));
  CHECK(bias.leave());
}

// Not among [threads]: the thread sanitizer ends a child of a fork that starts a thread.
TEST_CASE("without membarrier a bias is taken away all the same", "[bias][fork]") {
  BiasedMutex mutex;
  if (!get_bias(mutex)) return;
  CHECK(works_in_child([&] {
    if (!forbid_membarrier()) return true;
    errno = 0;
    const bool failed = syscall(SYS_membarrier, 0, 0, 0) != 0 && errno == EPERM;
    bool locked = false;
    elsewhere([&] {
      mutex.lock();
      mutex.unlock();
      locked = true;
    });
    return failed && locked && !mutex.enter();
  }));
}

TEST_CASE("threads that get and lose the bias never meet inside", "[bias][threads]") {
  constexpr int kThreads = 3;
  constexpr int kRounds = 3000;
  constexpr int kMutexes = 8;
  struct Guarded {
    BiasedMutex mutex;
    int64_t count = 0;
  };
  std::vector<Guarded> guarded(kMutexes);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int m = 0; m < kMutexes; ++m) {
        Guarded& mine = guarded[static_cast<size_t>((m + t) % kMutexes)];
        for (int i = 0; i < kRounds; ++i) {
          const bool biased = take(mine.mutex);
          ++mine.count;
          let_go(mine.mutex, biased);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Guarded& each : guarded) CHECK(each.count == kThreads * kRounds);
}

}  // namespace
}  // namespace weir
