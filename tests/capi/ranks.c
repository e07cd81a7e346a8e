/* Shards by rank: from the options and from the environment, and ranks that go on from what all saved. */
#define _GNU_SOURCE
#include "check.h"

static const char kPipeline[] =
    "range(100) | shuffle(16, seed: 3) | shard(auto, auto) | map(x -> x + 1, num_parallel_calls: 2) | prefetch(2)";
enum { kBad = -WEIR_CODE_INVALID_ARGUMENT, kRefused = -WEIR_CODE_FAILED_PRECONDITION };

static weir_iterator begin(weir_runtime runtime, const weir_iterator_options* options) {
  weir_dataset dataset = parse(runtime, kPipeline);
  weir_iterator iterator = {0};
  weir_error error = WEIR_ERROR_INIT;
  if (weir_iterator_create(runtime, dataset, options, &iterator, &error) != WEIR_OK)
    fprintf(stderr, "%s\n", error.line.data);
  REQUIRE(iterator.value != 0);
  weir_dataset_unref(dataset);
  return iterator;
}

/* Marks what the iterator delivers, at most `count` elements. */
static void take(weir_iterator iterator, int count, int* delivered) {
  weir_element element = make_element();
  for (int i = 0; i < count; ++i) {
    int32_t result = weir_iterator_next(iterator, element, NULL);
    REQUIRE(result == WEIR_OK || result == WEIR_END);
    if (result == WEIR_END) break;
    delivered[int64_of(element, 0)] += 1;
  }
  weir_element_destroy(element);
}

static void goes_on(weir_runtime runtime) {
  enum { kRanks = 3, kLives = 4 };
  weir_bytes saved[kRanks];
  weir_string given[kRanks];
  int delivered[101] = {0};
  for (int life = 0; life < kLives; ++life) {
    weir_iterator ranks[kRanks];
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
    options.world_size = kRanks;
    options.rank_checkpoints = given;
    options.rank_checkpoint_count = life == 0 ? 0 : kRanks;
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      options.rank = rank;
      ranks[rank] = begin(runtime, &options);
    }
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      const weir_bytes none = WEIR_BYTES_INIT;
      if (life > 0) weir_bytes_release(&saved[rank]);
      take(ranks[rank], life == kLives - 1 ? 1000 : (int)(rank * 3 + 1), delivered);
      saved[rank] = none;
      CHECK(weir_iterator_save(ranks[rank], &saved[rank], NULL) == WEIR_OK);
      given[rank].data = saved[rank].data;
      given[rank].size = saved[rank].size;
      weir_iterator_destroy(ranks[rank]);
    }
  }
  for (uint32_t rank = 0; rank < kRanks; ++rank) weir_bytes_release(&saved[rank]);
  for (int i = 1; i <= 100; ++i) CHECK(delivered[i] == 1);
}

static int32_t created(weir_runtime runtime, const weir_iterator_options* options) {
  weir_dataset dataset = parse(runtime, kPipeline);
  weir_iterator iterator = {0};
  int32_t result = weir_iterator_create(runtime, dataset, options, &iterator, NULL);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  return result;
}

static void refuses(weir_runtime runtime) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_bytes saved = WEIR_BYTES_INIT;
  weir_string twice[2];
  weir_iterator iterator;
  options.rank = 1;
  CHECK(created(runtime, &options) == kBad);
  options.world_size = 1;
  CHECK(created(runtime, &options) == kBad);
  options.world_size = 2;
  iterator = begin(runtime, &options);
  CHECK(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  twice[0].data = saved.data;
  twice[0].size = saved.size;
  twice[1] = twice[0];
  options.checkpoint = saved.data;
  options.checkpoint_size = saved.size;
  CHECK(created(runtime, &options) == WEIR_OK);
  options.rank = 0;
  CHECK(created(runtime, &options) == kRefused);
  options.rank_checkpoints = twice;
  options.rank_checkpoint_count = 2;
  CHECK(created(runtime, &options) == kBad);
  options.checkpoint = NULL;
  options.checkpoint_size = 0;
  CHECK(created(runtime, &options) == kRefused);
  options.rank_checkpoint_count = 1;
  CHECK(created(runtime, &options) == kRefused);
  options.rank = 1;
  CHECK(created(runtime, &options) == WEIR_OK);
  options.world_size = 3;
  CHECK(created(runtime, &options) == kRefused);
  options.world_size = 2;
  options.rank = 0;
  options.rank_checkpoint_count = UINT64_MAX;
  CHECK(created(runtime, &options) == kBad);
  options.rank_checkpoints = NULL;
  options.rank_checkpoint_count = 1;
  CHECK(created(runtime, &options) == kBad);
  twice[0].data = NULL;
  options.rank_checkpoints = twice;
  CHECK(created(runtime, &options) == kBad);
  twice[0].data = "nothing like a checkpoint, not even as long as one";
  twice[0].size = 50;
  CHECK(created(runtime, &options) == -WEIR_CODE_DATA_LOSS);
  /* An iterator of a structure has no dataset to go on with. */
  {
    weir_spec spec = {0};
    twice[0].data = saved.data;
    twice[0].size = saved.size;
    CHECK(weir_iterator_spec(iterator, &spec, NULL) == WEIR_OK);
    weir_iterator empty = iterator_of(runtime, spec);
    options.rank_checkpoint_count = 1;
    CHECK(weir_iterator_initialize(empty, (weir_dataset){0}, &options, NULL) == kRefused);
    weir_iterator_destroy(empty);
    weir_spec_unref(spec);
  }
  weir_iterator_destroy(iterator);
  weir_bytes_release(&saved);
}

static void reads_the_environment(void) {
  int delivered[101] = {0};
  int count = 0;
  weir_runtime runtime;
  weir_iterator iterator;
  weir_element element = make_element();
  REQUIRE(setenv("RANK", "0", 1) == 0 && setenv("WORLD_SIZE", "3", 1) == 0);
  runtime = make_runtime();
  /* Read once, when the runtime was created. */
  REQUIRE(setenv("RANK", "2", 1) == 0);
  iterator = begin(runtime, NULL);
  take(iterator, 1000, delivered);
  for (int i = 0; i <= 100; ++i) count += delivered[i];
  CHECK(count == 34);
  weir_iterator_destroy(iterator);
  weir_runtime_destroy(runtime);
  REQUIRE(unsetenv("RANK") == 0);
  runtime = make_runtime();
  iterator = begin(runtime, NULL);
  {
    weir_error error = WEIR_ERROR_INIT;
    REQUIRE(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
    CHECK(strstr(error.message.data, "WORLD_SIZE") != NULL);
    weir_error_clear(&error);
  }
  weir_iterator_destroy(iterator);
  weir_runtime_destroy(runtime);
  REQUIRE(setenv("RANK", "3", 1) == 0);
  runtime = make_runtime();
  iterator = begin(runtime, NULL);
  {
    weir_error error = WEIR_ERROR_INIT;
    REQUIRE(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
    CHECK(strstr(error.message.data, "a larger number of ranks, found RANK=\"3\" and WORLD_SIZE=\"3\"") !=
          NULL);
    weir_error_clear(&error);
  }
  weir_iterator_destroy(iterator);
  weir_runtime_destroy(runtime);
  REQUIRE(unsetenv("RANK") == 0);
  /* Without a launcher, this process has all of them. */
  REQUIRE(unsetenv("WORLD_SIZE") == 0);
  runtime = make_runtime();
  iterator = begin(runtime, NULL);
  for (int i = 0; i <= 100; ++i) delivered[i] = 0;
  take(iterator, 1000, delivered);
  for (int i = 1; i <= 100; ++i) CHECK(delivered[i] == 1);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
  weir_runtime_destroy(runtime);
}

int main(void) {
  weir_runtime runtime;
  static const char* const kOthers[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID",
                                        "JOB_COMPLETION_INDEX"};
  for (int i = 0; i < 4; ++i) unsetenv(kOthers[i]);
  unsetenv("RANK");
  unsetenv("WORLD_SIZE");
  runtime = make_runtime();
  goes_on(runtime);
  refuses(runtime);
  weir_runtime_destroy(runtime);
  reads_the_environment();
  return failures();
}
