/* One rank of a job that may be killed at any moment and goes on from what its group saved.
 *
 *   killed_rank FOLDER RANK RANKS THREADS    runs it
 *   killed_rank FOLDER                       prints the numbers that all ranks have delivered, a line each
 *
 * Saves the numbers that it has delivered beside its position; rank 0 takes over those of the ranks before.
 * Prints a line for each. */
#define _GNU_SOURCE
#include <sched.h>

#include "capi/check.h"

static const char kPipeline[] =
    "range(600) | partition(24, p -> p | shuffle(64, seed: 7) | map(x -> x + 1, num_parallel_calls: 2) | batch(2)) | "
    "prefetch(2)";
enum { kMostRanks = 8, kMostNumbers = 4096 };

typedef struct delivered {
  int64_t numbers[kMostNumbers];
  size_t count;
} delivered;

static void add(delivered* all, weir_bytes numbers) {
  REQUIRE(all->count * sizeof all->numbers[0] + numbers.size <= sizeof all->numbers);
  memcpy(all->numbers + all->count, numbers.data, numbers.size);
  all->count += numbers.size / sizeof all->numbers[0];
}

static weir_checkpoint_manager manage(weir_runtime runtime, const char* folder, uint32_t rank,
                                      uint32_t ranks) {
  weir_checkpoint_manager_options options = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  weir_checkpoint_manager manager = {0};
  options.rank = rank;
  options.world_size = ranks;
  options.every_elements = 3;
  REQUIRE(weir_checkpoint_manager_create(runtime, folder, WEIR_STRLEN, &options, &manager, NULL) == WEIR_OK);
  return manager;
}

/* The iterator where this rank goes on, and what it counts as delivered by it. */
static weir_iterator begin(weir_runtime runtime, weir_checkpoint_manager manager, uint32_t rank,
                           uint32_t ranks, delivered* done) {
  weir_dataset dataset = parse(runtime, kPipeline);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_iterator iterator = {0};
  weir_error error = WEIR_ERROR_INIT;
  weir_bytes positions[kMostRanks] = {0};
  weir_string given[kMostRanks];
  uint32_t saved = 0;
  options.rank = rank;
  options.world_size = ranks;
  REQUIRE(weir_checkpoint_manager_ranks(manager, &saved, NULL, NULL) == WEIR_OK && saved <= kMostRanks);
  for (uint32_t i = 0; i < saved; ++i) {
    weir_bytes extra = WEIR_BYTES_INIT;
    REQUIRE(weir_checkpoint_manager_load(manager, i, &positions[i], &extra, NULL, NULL) == WEIR_OK);
    given[i].data = positions[i].data;
    given[i].size = positions[i].size;
    if (saved == ranks ? i == rank : rank == 0) add(done, extra);
    weir_bytes_release(&extra);
  }
  if (saved == ranks) {
    options.checkpoint = positions[rank].data;
    options.checkpoint_size = positions[rank].size;
  } else {
    options.rank_checkpoints = given;
    options.rank_checkpoint_count = saved;
  }
  if (weir_iterator_create(runtime, dataset, &options, &iterator, &error) != WEIR_OK)
    fprintf(stderr, "%s\n", error.line.data);
  REQUIRE(iterator.value != 0);
  for (uint32_t i = 0; i < saved; ++i) weir_bytes_release(&positions[i]);
  weir_dataset_unref(dataset);
  return iterator;
}

static void save(weir_checkpoint_manager manager, weir_iterator iterator, const delivered* done) {
  REQUIRE(weir_checkpoint_manager_save(manager, iterator, done->numbers,
                                       done->count * sizeof done->numbers[0], NULL) == WEIR_OK);
}

static void run(weir_runtime runtime, const char* folder, uint32_t rank, uint32_t ranks) {
  static delivered done;
  weir_checkpoint_manager manager = manage(runtime, folder, rank, ranks);
  weir_iterator iterator = begin(runtime, manager, rank, ranks, &done);
  weir_element element = make_element();
  int32_t complete = 0;
  int32_t result;
  save(manager, iterator, &done);
  while (!complete) {
    REQUIRE(weir_checkpoint_manager_ranks(manager, NULL, &complete, NULL) == WEIR_OK);
    sched_yield();
  }
  while ((result = weir_iterator_next(iterator, element, NULL)) == WEIR_OK) {
    weir_view view = WEIR_VIEW_INIT;
    int32_t due = 0;
    REQUIRE(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
    {
      weir_bytes numbers = WEIR_BYTES_INIT;
      numbers.data = view.data;
      numbers.size = view.byte_size;
      add(&done, numbers);
    }
    printf("line\n");
    REQUIRE(weir_checkpoint_manager_step(manager, 1, &due, NULL) == WEIR_OK);
    if (due) save(manager, iterator, &done);
  }
  REQUIRE(result == WEIR_END);
  save(manager, iterator, &done);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_checkpoint_manager_destroy(manager);
}

static void report(weir_runtime runtime, const char* folder) {
  weir_checkpoint_manager manager = manage(runtime, folder, 0, 1);
  uint32_t saved = 0;
  REQUIRE(weir_checkpoint_manager_ranks(manager, &saved, NULL, NULL) == WEIR_OK);
  for (uint32_t i = 0; i < saved; ++i) {
    static delivered of_rank;
    weir_bytes position = WEIR_BYTES_INIT;
    weir_bytes extra = WEIR_BYTES_INIT;
    of_rank.count = 0;
    REQUIRE(weir_checkpoint_manager_load(manager, i, &position, &extra, NULL, NULL) == WEIR_OK);
    add(&of_rank, extra);
    for (size_t k = 0; k < of_rank.count; ++k) printf("%" PRId64 "\n", of_rank.numbers[k]);
    weir_bytes_release(&position);
    weir_bytes_release(&extra);
  }
  weir_checkpoint_manager_destroy(manager);
}

int main(int count, char** words) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  REQUIRE(count == 2 || count == 5);
  setvbuf(stdout, NULL, _IOLBF, 0);
  options.thread_count = count == 5 ? atoi(words[4]) : 1;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  if (count == 5) {
    run(runtime, words[1], (uint32_t)atoi(words[2]), (uint32_t)atoi(words[3]));
  } else {
    report(runtime, words[1]);
  }
  weir_runtime_destroy(runtime);
  return failures();
}
