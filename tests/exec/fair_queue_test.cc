#include "exec/fair_queue.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "exec/feeds.h"

namespace weir {
namespace {

class Named final : public Job {
 public:
  Named(JobShare* share, char name) : Job(share), name(name) {}
  void run() noexcept override {}
  const char name;

 private:
  LiveObject counted_;
};

// A lane with a few threads, all of whose jobs take as long as said.
struct Lanes {
  FairQueue queue;
  std::vector<RefPtr<Named>> at_work;

  void push(JobShare* share, char name, int count = 1) {
    for (int i = 0; i < count; ++i) queue.push(make_ref<Named>(share, name));
  }
  char pop() {
    const RefPtr<Job> job = queue.pop();
    at_work.emplace_back(static_cast<Named*>(job.get()));
    return at_work.back()->name;
  }
  // Ends the oldest job of that name.
  void end(char name, int64_t took_ns) {
    for (auto job = at_work.begin(); job != at_work.end(); ++job) {
      if ((*job)->name != name) continue;
      queue.ended(**job, took_ns);
      at_work.erase(job);
      return;
    }
    FAIL("no such job");
  }
  std::string pops(int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += pop();
    return out;
  }
};

TEST_CASE("fair queue: jobs of one share come in their order") {
  JobShare share;
  Lanes lanes;
  for (const char name : {'a', 'b', 'c'}) lanes.push(&share, name);
  CHECK(lanes.queue.size() == 3);
  CHECK(lanes.pops(3) == "abc");
  CHECK(lanes.queue.empty());
}

TEST_CASE("fair queue: the share with the fewest jobs at work is next, however many of others wait") {
  JobShare many, few;
  Lanes lanes;
  lanes.push(&many, 'm', 100);
  CHECK(lanes.pops(4) == "mmmm");
  // One that comes late has the next thread, up to as many as the other.
  lanes.push(&few, 'f', 100);
  lanes.end('m', 1000);
  CHECK(lanes.pop() == 'f');
  lanes.end('m', 1000);
  CHECK(lanes.pop() == 'f');
  // Each has two: who ends one has the next.
  for (const char name : {'m', 'f', 'f', 'm'}) {
    lanes.end(name, 1000);
    CHECK(lanes.pop() == name);
  }
}

TEST_CASE("fair queue: what one leaves the others have") {
  JobShare many, few, idle;
  Lanes lanes;
  lanes.push(&many, 'm', 100);
  lanes.push(&few, 'f', 1);
  // Jobs without a share have one together.
  lanes.push(nullptr, 'n', 2);
  CHECK(lanes.pops(8) == "mfnmnmmm");
}

TEST_CASE("fair queue: one thread serves shares for the same time, whatever their jobs take") {
  JobShare slow, quick;
  Lanes lanes;
  lanes.push(&slow, 's', 100);
  lanes.push(&quick, 'q', 1000);
  int64_t served[2] = {};
  for (int i = 0; i < 200; ++i) {
    const char name = lanes.pop();
    const int64_t took_ns = name == 's' ? 9000 : 1000;
    served[name == 's' ? 0 : 1] += took_ns;
    lanes.end(name, took_ns);
  }
  CHECK(served[0] - served[1] <= 9000);
  CHECK(served[1] - served[0] <= 9000);
}

TEST_CASE("fair queue: a share that was idle does not catch up") {
  JobShare busy, late;
  Lanes lanes;
  lanes.push(&late, 'l');
  lanes.push(&busy, 'b', 1000);
  lanes.pop();
  lanes.end('l', 10);
  for (int i = 0; i < 500; ++i) {
    CHECK(lanes.pop() == 'b');
    lanes.end('b', 1000);
  }
  lanes.push(&late, 'l', 1000);
  int late_ones = 0;
  for (int i = 0; i < 100; ++i) {
    const char name = lanes.pop();
    late_ones += name == 'l' ? 1 : 0;
    lanes.end(name, 1000);
  }
  CHECK(late_ones >= 49);
  CHECK(late_ones <= 51);
}

TEST_CASE("fair queue: jobs are taken out and dropped, once each") {
  const int live = live_objects;
  {
    JobShare one, other;
    DroppedJobs dropped;
    Lanes lanes;
    const RefPtr<Job> first = make_ref<Named>(&one, 'a');
    const RefPtr<Job> last = make_ref<Named>(&one, 'z');
    lanes.queue.push(first);
    lanes.push(&one, 'b');
    lanes.push(&other, 'c');
    lanes.queue.push(last);
    CHECK(lanes.queue.remove(*last));
    CHECK(lanes.queue.remove(*first));
    CHECK_FALSE(lanes.queue.remove(*first));
    CHECK(lanes.queue.size() == 2);
    lanes.queue.push(first);
    CHECK(lanes.pops(3) == "bca");
    lanes.push(&other, 'd', 3);
    lanes.push(&one, 'e', 2);
    lanes.queue.drop(dropped);
    CHECK(lanes.queue.empty());
    lanes.push(&other, 'f');
    CHECK(lanes.pop() == 'f');
  }
  CHECK(live_objects == live);
}

}  // namespace
}  // namespace weir
