// Rules of the small parts of this floor that pipelines seldom come to: pieces of blocks, parts of work,
// circles of waiting and shares that go on.
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "exec/fair_queue.h"
#include "exec/feeds.h"
#include "exec/fork_join.h"
#include "exec/partial_block.h"
#include "exec/threads.h"
#include "exec/wait_graph.h"

namespace weir {
namespace {

struct SomeObject : RefCounted {};

PartialBlock block_of(int rows) {
  PartialBlock out;
  out.block.reset(1);
  out.block.rows = rows;
  int64_t* numbers = out.block.columns[0].make_dense<int64_t>(Shape(), rows);
  for (int i = 0; i < rows; ++i) numbers[i] = i;
  out.bytes = rows * 8;
  out.mark.ordinal = 100;
  out.mark.opened = make_ref<const SomeObject>();
  return out;
}

Demand rows_wanted(int rows) {
  Demand demand;
  demand.rows = rows;
  return demand;
}

TEST_CASE("small rules: what was opened for a block is told with its first rows only") {
  PartialBlock block = block_of(5);
  Block out;
  Mark mark;
  block.take_rows(rows_wanted(2), out, mark);
  CHECK(mark.opened);
  CHECK(mark.ordinal == 100);
  block.take_rows(rows_wanted(2), out, mark);
  CHECK_FALSE(mark.opened);
  CHECK(mark.ordinal == 102);
  block.take_rows(rows_wanted(9), out, mark);
  CHECK(out.rows == 1);
  CHECK_FALSE(mark.opened);
  CHECK(block.exhausted());
  PartialBlock whole = block_of(5);
  whole.take_rows(rows_wanted(9), out, mark);
  CHECK(mark.opened);
}

TEST_CASE("small rules: of rows that were lost, those that were not given yet are saved, each by itself") {
  PartialBlock block = block_of(5);
  block.rows_lost = true;
  Block out;
  Mark mark;
  for (int i = 0; i < 2; ++i) {
    block.take_rows(rows_wanted(9), out, mark);
    REQUIRE(out.rows == 1);
    CHECK(out.errors.size() == 1);
  }
  std::vector<Block> saved;
  block.copy_rest(saved);
  CHECK(saved.size() == 3);
  for (const Block& one : saved) CHECK(one.errors.size() == 1);
  PartialBlock usual = block_of(5);
  usual.take_rows(rows_wanted(2), out, mark);
  saved.clear();
  usual.copy_rest(saved);
  REQUIRE(saved.size() == 1);
  CHECK(saved[0].rows == 3);
  CHECK(saved[0].columns[0].tensor().as<int64_t>()[0] == 2);
}

TEST_CASE("small rules: an idle place keeps no more memory than it may") {
  for (const int64_t kept : {79, 80}) {
    PartialBlock block = block_of(10);
    block.recycle(kept);
    CHECK(block.block.columns.empty() == (kept < 80));
    CHECK(block.exhausted());
    CHECK(block.bytes == 0);
    CHECK_FALSE(block.mark.opened);
  }
}

// Counts jobs, and runs none.
class CountedJobs final : public Executor {
 public:
  bool submit(Lane, RefPtr<Job>) noexcept override { return ++count > 0; }
  int parallelism() const noexcept override { return 4; }
  RefPtr<Parker> make_parker() noexcept override { return parkers_->make_parker(); }
  int count = 0;

 private:
  std::unique_ptr<Executor> parkers_ = make_threads({.probe = no_threads});
};

TEST_CASE("small rules: parts of work want no more threads than there are, are asked for, or have a part") {
  const auto helpers = [](int threads, int parts) {
    CountedJobs executor;
    int called = 0;
    run_parts(executor, threads, parts, [&](int) { ++called; });
    CHECK(called == parts);
    return executor.count;
  };
  CHECK(helpers(10, 10) == 3);
  CHECK(helpers(3, 10) == 2);
  CHECK(helpers(10, 2) == 1);
  CHECK(helpers(1, 10) == 0);
  CHECK(helpers(10, 1) == 0);
  CHECK(helpers(10, 0) == 0);
}

struct SomeIterator final : Waker {
  void wake() override {}
};

TEST_CASE("small rules: a circle of waiting is refused, however long it is") {
  std::vector<RefPtr<SomeIterator>> all;
  for (int i = 0; i < 5; ++i) all.push_back(make_ref<SomeIterator>());
  for (size_t i = 0; i < 4; ++i) REQUIRE(add_wait(all[i].get(), all[i + 1].get()));
  for (size_t from = 0; from < 5; ++from) {
    for (size_t to = 0; to < 5; ++to) {
      CAPTURE(from, to);
      const bool circle = to <= from;
      CHECK(add_wait(all[from].get(), all[to].get()) != circle);
      if (!circle) remove_wait(all[from].get(), all[to].get());
    }
  }
  for (size_t i = 0; i < 4; ++i) remove_wait(all[i].get(), all[i + 1].get());
  CHECK(add_wait(all[4].get(), all[0].get()));
  remove_wait(all[4].get(), all[0].get());
}

class NamedJob final : public Job {
 public:
  NamedJob(JobShare* share, char letter) : Job(share), name(letter) {}
  void run() noexcept override {}
  const char name;
};

TEST_CASE("small rules: a share that never was idle is owed what others had meanwhile") {
  JobShare goes_on;
  JobShare other;
  FairQueue queue;
  const auto push = [&](JobShare& share, char name) { queue.push(make_ref<NamedJob>(&share, name)); };
  const auto pop = [&] { return RefPtr<NamedJob>(static_cast<NamedJob*>(queue.pop().get())); };
  push(goes_on, 'a');
  const RefPtr<NamedJob> long_one = pop();
  for (int i = 0; i < 2; ++i) {
    push(other, 'b');
    const RefPtr<NamedJob> job = pop();
    queue.ended(*job, 100);
  }
  push(other, 'b');
  const RefPtr<NamedJob> third = pop();
  // Both have one job at work. The other one has been served, and comes first by its place in the line.
  push(other, 'b');
  push(goes_on, 'a');
  const RefPtr<NamedJob> next = pop();
  CHECK(next->name == 'a');
  const RefPtr<NamedJob> last = pop();
  CHECK(last->name == 'b');
  for (const RefPtr<NamedJob>& job : {long_one, third, next, last}) queue.ended(*job, 1);
}

}  // namespace
}  // namespace weir
