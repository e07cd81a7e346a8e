/* Memory runs out on any thread, the library's own included, once the runtime is warm: for eleven pipelines,
 * the n-th allocation of creating an iterator, reading it, saving it and restoring it fails, for every n,
 * once, twenty times in a row and from then on. Two of them are restored from the positions of two ranks.
 * Each call answers with an error or a result, nothing hangs or leaks, and what is read with memory again is
 * what was due, but for what the errors stand for. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <malloc.h>

#include "check.h"

#define DATA WEIR_SOURCE_DIR "/tests/data/records/"

/* ---- Memory that fails --------------------------------------------------------------------------------- */

static int64_t g_first = -1; /* the number of the allocation that fails; negative: none does */
static int64_t g_last = -1;  /* the number of the last one that does */
static int64_t g_made;
static int64_t g_failed;
static int64_t g_live;

static void arm(int64_t first, int64_t count) {
  __atomic_store_n(&g_made, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&g_failed, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&g_last, count == INT64_MAX ? INT64_MAX : first + count - 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&g_first, first, __ATOMIC_SEQ_CST);
}
/* Returns how many failed. */
static int64_t disarm(void) {
  __atomic_store_n(&g_first, -1, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&g_failed, __ATOMIC_SEQ_CST);
}

static int fails(void) {
  const int64_t first = __atomic_load_n(&g_first, __ATOMIC_RELAXED);
  int64_t number;
  if (first < 0) return 0;
  number = __atomic_fetch_add(&g_made, 1, __ATOMIC_RELAXED);
  if (number < first || number > __atomic_load_n(&g_last, __ATOMIC_RELAXED)) return 0;
  __atomic_fetch_add(&g_failed, 1, __ATOMIC_RELAXED);
  return 1;
}

static void count_live(int64_t change) { __atomic_fetch_add(&g_live, change, __ATOMIC_RELAXED); }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* A sanitizer keeps malloc to itself, and finds leaks, so only operator new fails. */
#include "support/failing_operator_new.h"
static void prepare(void) { REQUIRE(find_throw()); }
#else
/* The C library's own, which operator new and everybody else call. */
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* memory, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void* memory);

static void* refused(void) {
  errno = ENOMEM;
  return NULL;
}
static void* counted(void* memory) {
  if (memory) count_live(1);
  return memory;
}

void* malloc(size_t size) { return fails() ? refused() : counted(__libc_malloc(size)); }
void* calloc(size_t count, size_t size) { return fails() ? refused() : counted(__libc_calloc(count, size)); }
void* realloc(void* memory, size_t size) {
  void* out = fails() ? refused() : __libc_realloc(memory, size);
  return memory ? out : counted(out);
}
void* memalign(size_t alignment, size_t size) {
  return fails() ? refused() : counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, size_t alignment, size_t size) {
  void* out = memalign(alignment, size);
  if (out) *memory = out;
  return out ? 0 : ENOMEM;
}
void free(void* memory) {
  if (memory) count_live(-1);
  __libc_free(memory);
}
static void prepare(void) {}
#endif

/* ---- What is read -------------------------------------------------------------------------------------- */

enum { kMaxRows = 256 };
static const uint64_t kFailed = 1;

/* Elements as hashes, in order; kFailed for an error. */
typedef struct rows {
  uint64_t at[kMaxRows];
  int count;
} rows;

static uint64_t add_to_hash(uint64_t hash, const void* data, uint64_t size) {
  const unsigned char* bytes = data;
  for (uint64_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t hash_of(weir_element element) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  weir_view view = WEIR_VIEW_INIT;
  for (uint32_t i = 0; weir_element_view(element, i, &view, NULL) == WEIR_OK; ++i) {
    const weir_string* texts = view.data;
    hash = add_to_hash(hash, view.dims, sizeof *view.dims * (uint64_t)view.rank);
    if (view.dtype != WEIR_DTYPE_STRING) hash = add_to_hash(hash, view.data, view.byte_size);
    for (uint64_t k = 0; view.dtype == WEIR_DTYPE_STRING && k < view.byte_size / sizeof *texts; ++k) {
      hash = add_to_hash(hash, texts[k].data, texts[k].size);
    }
  }
  return hash | 2;
}

/* An answer must be a result, or say that memory ran out. */
static void check_answer(const char* what, int32_t result, const weir_error* error) {
  int fine = result >= 0 || result == -WEIR_CODE_RESOURCE_EXHAUSTED;
  if (result < 0 || result == WEIR_ELEMENT_FAILED) {
    fine =
        fine && error->code == WEIR_CODE_RESOURCE_EXHAUSTED && strstr(error->message.data, "out of memory");
  }
  if (!fine) fprintf(stderr, "%s answered %d: %s\n", what, result, error->line.data);
  CHECK(fine);
}

/* Appends up to `count` rows. Returns 1 at the end. */
static int read_rows(weir_iterator iterator, weir_element element, int count, rows* out) {
  weir_error error = WEIR_ERROR_INIT;
  int32_t result = WEIR_OK;
  for (int i = 0; i < count && result != WEIR_END; ++i) {
    result = weir_iterator_next(iterator, element, &error);
    check_answer("next", result, &error);
    /* What lacked memory stands in the place of an element. */
    CHECK(result >= 0);
    if (result == WEIR_END) break;
    if (out->count == kMaxRows) fprintf(stderr, "no end after %d rows\n", out->count);
    REQUIRE(out->count < kMaxRows);
    out->at[out->count++] = result == WEIR_OK ? hash_of(element) : kFailed;
  }
  weir_error_clear(&error);
  return result == WEIR_END;
}

/* ---- The pipelines ------------------------------------------------------------------------------------- */

typedef struct graph {
  const char* text;
  /* Nobody knows how many elements the lost one would have become. */
  int loose;
  /* Its parameter is computed by the first next. */
  int late;
  /* It is rank 0 of several, and restored from what all of them saved. */
  int by_rank;
  weir_dataset dataset;
  rows clean;
  rows after;          /* due after a restore */
  weir_bytes saved[2]; /* after kBefore rows, or by each rank */
} graph;

enum { kBefore = 3, kRanks = 2 };

static graph g_graphs[] = {
    {.text = "tfrecord([\"" DATA "people.tfrecord\", \"" DATA
             "people.tfrecord\"]) | map(r -> parse_example(r, {name: string, age: int64}))"},
    {.text = "range(40) | shuffle(7, seed: 3) | batch(4)"},
    {.text = "range(24) | map(x -> [x, x * x], num_parallel_calls: 3) | prefetch(2)"},
    {.text = "range(6) | interleave(x -> range(x * 10, x * 10 + 4), cycle_length: 3)", .loose = 1},
    {.text = "range(4) | flat_map(x -> range(x + 4) | skip(3))", .loose = 1},
    {.text = "range(12) | repeat(2) | shard(2, 1) | skip(1)", .loose = 1},
    {.text = "range(5) | flat_map(x -> range(x + 1) | map(y -> [x, y]) | batch(2))", .loose = 1},
    {.text =
         "let d = range(12) | shuffle(5, seed: 1)\nzip((d, d | map(x -> x * x), range(12) | map(x -> full([x % 3], x))))"},
    {.text = "range(20) | take(range(5) | reduce(0, (a, b) -> a + b))", .late = 1},
    {.text = "range(40) | shuffle(5, seed: 2) | shard(auto, auto) | map(x -> x * 3) | batch(2) | prefetch(1)",
     .by_rank = 1},
    {.text = "range(40) | shard(auto, auto) | prefetch(2) | filter(x -> x % 3 != 0)",
     .loose = 1,
     .by_rank = 1},
};
enum { kGraphs = sizeof g_graphs / sizeof g_graphs[0] };

static int errors_in(const rows* found) {
  int count = 0;
  for (int i = 0; i < found->count; ++i) count += found->at[i] == kFailed;
  return count;
}

/* True if errors stand in the place of some rows, and all others are there. */
static int keeps_places(const rows* found, const rows* due) {
  if (found->count != due->count) return 0;
  for (int i = 0; i < due->count; ++i) {
    if (found->at[i] != kFailed && found->at[i] != due->at[i]) return 0;
  }
  return 1;
}

/* True if one run of errors stands in place of one run of rows. */
static int lacks_one_run(const rows* found, const rows* due) {
  const int least = found->count < due->count ? found->count : due->count;
  int before = 0;
  int after = 0;
  while (before < least && found->at[before] == due->at[before]) ++before;
  while (before + after < least && found->at[found->count - 1 - after] == due->at[due->count - 1 - after])
    ++after;
  for (int i = before; i < found->count - after; ++i) {
    if (found->at[i] != kFailed) return 0;
  }
  return 1;
}

/* True if each row is one that was due, at most as often as it was. */
static int invents_nothing(const rows* found, const rows* due) {
  char used[kMaxRows] = {0};
  for (int i = 0; i < found->count; ++i) {
    int at = 0;
    if (found->at[i] == kFailed) continue;
    while (at < due->count && (used[at] || due->at[at] != found->at[i])) ++at;
    if (at == due->count) return 0;
    used[at] = 1;
  }
  return 1;
}

static int same(const rows* found, const rows* due) {
  return found->count == due->count && memcmp(found->at, due->at, sizeof *due->at * (size_t)due->count) == 0;
}

/* The rows without the first kBefore. */
static rows without_first(const rows* all) {
  rows out = {{0}, 0};
  for (int i = kBefore; i < all->count; ++i) out.at[out.count++] = all->at[i];
  return out;
}

/* `count` allocations failed in a row. */
static void check_rows(const graph* one, const char* what, const rows* found, const rows* due, int64_t first,
                       int64_t count) {
  int fine = same(found, due);
  /* What is missing without an error was lost in silence. */
  if (!fine && errors_in(found) > 0) {
    fine = one->loose || count > 1 ? invents_nothing(found, due)
                                   : keeps_places(found, due) || lacks_one_run(found, due);
  }
  if (!fine) {
    fprintf(stderr, "%s: %s, allocation %d + %d: %d rows with %d errors, expected %d\n", one->text, what,
            (int)first, count == INT64_MAX ? -1 : (int)count, found->count, errors_in(found), due->count);
  }
  CHECK(fine);
}

/* ---- What is done without memory ----------------------------------------------------------------------- */

typedef struct world {
  weir_runtime runtime;
  weir_element element;
} world;

static int32_t create(const world* w, const graph* one, int restored, weir_iterator* out, weir_error* error) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_string ranks[kRanks];
  options.world_size = one->by_rank ? kRanks : 1;
  if (restored && one->by_rank) {
    for (int i = 0; i < kRanks; ++i) {
      ranks[i].data = one->saved[i].data;
      ranks[i].size = one->saved[i].size;
    }
    options.rank_checkpoints = ranks;
    options.rank_checkpoint_count = kRanks;
  } else if (restored) {
    options.checkpoint = one->saved[0].data;
    options.checkpoint_size = one->saved[0].size;
  }
  return weir_iterator_create(w->runtime, one->dataset, &options, out, error);
}

static weir_iterator create_now(const world* w, const graph* one, int restored) {
  weir_iterator iterator = {0};
  REQUIRE(create(w, one, restored, &iterator, NULL) == WEIR_OK);
  return iterator;
}

/* Creating, at the start or where it was saved: an iterator that gives everything, or an error and no
 * iterator. */
static int64_t try_create(const world* w, const graph* one, int restored, int64_t first, int64_t count) {
  weir_error error = WEIR_ERROR_INIT;
  weir_iterator iterator = {0};
  rows found = {{0}, 0};
  int32_t result;
  int64_t failed;
  arm(first, count);
  result = create(w, one, restored, &iterator, &error);
  failed = disarm();
  check_answer("create", result, &error);
  weir_error_clear(&error);
  CHECK((result == WEIR_OK) == (iterator.value != 0));
  if (result != WEIR_OK) iterator = create_now(w, one, restored);
  CHECK(read_rows(iterator, w->element, kMaxRows, &found) == 1);
  /* What a parameter lacked may also be the first element of the iterator that was restored. */
  CHECK((one->late && restored) || errors_in(&found) == 0);
  check_rows(one, restored ? "restore" : "create", &found, restored ? &one->after : &one->clean, first,
             count);
  weir_iterator_destroy(iterator);
  return failed;
}
static int64_t try_fresh(const world* w, const graph* one, int64_t first, int64_t count) {
  return try_create(w, one, 0, first, count);
}
static int64_t try_restore(const world* w, const graph* one, int64_t first, int64_t count) {
  return try_create(w, one, 1, first, count);
}

/* Reading: to the end while memory fails, or to the first errors and then with memory. */
static int64_t try_next(const world* w, const graph* one, int restored, int64_t first, int64_t count) {
  weir_iterator iterator = create_now(w, one, restored);
  rows found = {{0}, 0};
  int64_t failed;
  arm(first, count);
  CHECK(read_rows(iterator, w->element, kMaxRows, &found) == 1);
  failed = disarm();
  check_rows(one, restored ? "next after a restore" : "next", &found, restored ? &one->after : &one->clean,
             first, count);
  /* Begun again, with memory, it gives as many elements as ever. */
  if (failed > 0) {
    REQUIRE(weir_iterator_initialize(iterator, one->dataset, NULL, NULL) == WEIR_OK);
    found.count = 0;
    CHECK(read_rows(iterator, w->element, kMaxRows, &found) == 1);
    CHECK(found.count == one->clean.count && errors_in(&found) == 0);
  }
  weir_iterator_destroy(iterator);
  return failed;
}
static int64_t try_read(const world* w, const graph* one, int64_t first, int64_t count) {
  return try_next(w, one, 0, first, count);
}
static int64_t try_read_restored(const world* w, const graph* one, int64_t first, int64_t count) {
  return try_next(w, one, 1, first, count);
}

/* Saving: a position that goes on as it should, or an error; the iterator goes on in any case. */
static int64_t try_save(const world* w, const graph* one, int64_t first, int64_t count) {
  weir_iterator iterator = create_now(w, one, 0);
  weir_iterator restored = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_error error = WEIR_ERROR_INIT;
  weir_bytes saved = WEIR_BYTES_INIT;
  const rows due = without_first(&one->clean);
  rows found = {{0}, 0};
  int32_t result;
  int64_t failed;
  read_rows(iterator, w->element, kBefore, &found);
  arm(first, count);
  result = weir_iterator_save(iterator, &saved, &error);
  failed = disarm();
  check_answer("save", result, &error);
  weir_error_clear(&error);
  if (result != WEIR_OK) REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  found.count = 0;
  CHECK(read_rows(iterator, w->element, kMaxRows, &found) == 1);
  check_rows(one, "after a save", &found, &due, first, count);
  options.world_size = one->by_rank ? kRanks : 1;
  options.checkpoint = saved.data;
  options.checkpoint_size = saved.size;
  REQUIRE(weir_iterator_create(w->runtime, one->dataset, &options, &restored, NULL) == WEIR_OK);
  found.count = 0;
  CHECK(read_rows(restored, w->element, kMaxRows, &found) == 1);
  CHECK(errors_in(&found) == 0);
  check_rows(one, "saved", &found, &due, first, count);
  weir_bytes_release(&saved);
  weir_iterator_destroy(restored);
  weir_iterator_destroy(iterator);
  return failed;
}

static int64_t (*const kTries[])(const world* w, const graph* one, int64_t first, int64_t count) = {
    try_fresh, try_read, try_save, try_restore, try_read_restored};

static void run_tries(const world* w, const graph* one) {
  static const int64_t kCounts[] = {1, 20, INT64_MAX};
  for (size_t t = 0; t < sizeof kTries / sizeof *kTries; ++t) {
    for (size_t c = 0; c < sizeof kCounts / sizeof *kCounts; ++c) {
      for (int64_t first = 0; kTries[t](w, one, first, kCounts[c]) > 0; ++first) REQUIRE(first < 100000);
    }
  }
}

/* The ranks of a run save after unequal numbers of rows. */
static void save_ranks(const world* w, graph* one) {
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
    weir_iterator iterator = {0};
    rows taken = {{0}, 0};
    options.rank = rank;
    options.world_size = kRanks;
    REQUIRE(weir_iterator_create(w->runtime, one->dataset, &options, &iterator, NULL) == WEIR_OK);
    CHECK(read_rows(iterator, w->element, kBefore - 2 * (int)rank, &taken) == 0);
    weir_bytes_release(&one->saved[rank]);
    REQUIRE(weir_iterator_save(iterator, &one->saved[rank], NULL) == WEIR_OK);
    weir_iterator_destroy(iterator);
  }
}

static void save_in_the_middle(const world* w, graph* one) {
  weir_iterator iterator = create_now(w, one, 0);
  one->clean.count = 0;
  CHECK(read_rows(iterator, w->element, kBefore, &one->clean) == 0);
  weir_bytes_release(&one->saved[0]);
  REQUIRE(weir_iterator_save(iterator, &one->saved[0], NULL) == WEIR_OK);
  CHECK(read_rows(iterator, w->element, kMaxRows, &one->clean) == 1);
  weir_iterator_destroy(iterator);
}

/* Reads everything once and saves, which warms the runtime up. */
static void prepare_graph(const world* w, graph* one) {
  one->dataset = parse(w->runtime, one->text);
  for (int again = 0; again < 3; ++again) {
    weir_iterator iterator;
    save_in_the_middle(w, one);
    if (one->by_rank) save_ranks(w, one);
    iterator = create_now(w, one, 1);
    one->after.count = 0;
    CHECK(read_rows(iterator, w->element, kMaxRows, &one->after) == 1);
    weir_iterator_destroy(iterator);
  }
  CHECK(one->clean.count > 2 * kBefore && errors_in(&one->clean) == 0);
  CHECK(one->after.count > kBefore && errors_in(&one->after) == 0);
  const rows due = without_first(&one->clean);
  CHECK(same(&one->after, &due));
}

/* Everything, from a runtime to its end. Returns how many allocations are left. */
static int64_t run_round(void) {
  world w = {make_runtime(), make_element()};
  for (int i = 0; i < kGraphs; ++i) {
    prepare_graph(&w, &g_graphs[i]);
    run_tries(&w, &g_graphs[i]);
    for (int rank = 0; rank < kRanks; ++rank) weir_bytes_release(&g_graphs[i].saved[rank]);
    weir_dataset_unref(g_graphs[i].dataset);
  }
  weir_element_destroy(w.element);
  weir_runtime_destroy(w.runtime);
  return __atomic_load_n(&g_live, __ATOMIC_SEQ_CST);
}

int main(void) {
  /* A few things are kept for later; what each round leaves is a leak. */
  enum { kKept = 16 };
  int64_t live[3];
  prepare();
  for (int round = 0; round < 3; ++round) live[round] = run_round();
  if (live[1] > live[0] + kKept && live[2] > live[1] + kKept) {
    fprintf(stderr, "%d, %d and %d allocations left after each round\n", (int)live[0], (int)live[1],
            (int)live[2]);
    CHECK(0);
  }
  return failures();
}
