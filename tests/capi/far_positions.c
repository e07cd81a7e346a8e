/* Elements far from the first, where products and sums of positions no longer fit 63 bits: the right element,
 * or out_of_range, for every operator that can be read by position. */
#include "check.h"

__extension__ typedef unsigned __int128 wide;

#define MOST INT64_MAX
#define HALF (INT64_C(1) << 62)
#define TENS "from_tensor_slices([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])"

/* Element i begins with (first + i * step) % period + offset; positions from `limit` on are out of range. */
typedef struct row {
  const char* text;
  int64_t first;
  int64_t step;
  int64_t period;
  int64_t offset;
  int64_t limit;
} row;

static const row kRows[] = {
    {"range(10) | repeat()", 0, 1, 10, 0, MOST},
    {"range(10) | repeat() | batch(32)", 0, 32, 10, 0, MOST / 32},
    {"range(10) | repeat() | batch(2)", 0, 2, 10, 0, MOST / 2},
    {"range(10) | repeat() | batch(2, drop_remainder: true)", 0, 2, 10, 0, MOST / 2},
    {"range(10) | repeat() | batch(2) | batch(2)", 0, 4, 10, 0, MOST / 4},
    {"range(10) | repeat() | map(x -> [x]) | batch(3)", 0, 3, 10, 0, MOST / 3},
    {TENS " | repeat() | shard(3, 2)", 2, 3, 10, 0, (MOST - 3) / 3 + 1},
    {TENS " | repeat() | shard(7, 0) | shard(3, 1)", 7, 21, 10, 0, ((MOST - 1) / 7 - 1) / 3 + 1},
    {TENS " | repeat() | shard(9223372036854775807, 2)", 2, 0, 10, 0, 1},
    {"range(10) | repeat() | skip(4611686018427387904)", HALF, 1, 10, 0, MOST - HALF},
    {"range(10) | repeat() | skip(9223372036854775807)", 0, 0, 10, 0, 0},
    {"range(10) | repeat() | skip(9223372036854775806) | skip(9223372036854775807)", 0, 0, 10, 0, 0},
    {"range(10) | repeat() | take(4611686018427387904)", 0, 1, 10, 0, HALF},
    {"range(10) | repeat() | take(-1) | skip(3) | batch(5)", 3, 5, 10, 0, (MOST - 3) / 5},
    {"range(10) | repeat() | skip(1) | take(9223372036854775807)", 1, 1, 10, 0, MOST - 1},
    {"range(10) | repeat() | prefetch(3) | map(x -> x + 5)", 0, 1, 10, 5, MOST},
    {"range(10) | repeat() | enumerate()", 0, 1, MOST, 0, MOST},
    {"range(10) | repeat() | enumerate(1)", 0, 1, MOST, 1, MOST},
    {"range(10) | repeat(4611686018427387904)", 0, 1, 10, 0, MOST},
    {"range(10) | repeat(4611686018427387904) | batch(4)", 0, 4, 10, 0, MOST / 4},
    {"range(10) | repeat(1000000000000) | batch(4)", 0, 4, 10, 0, INT64_C(2500000000000)},
    {"range(20) | map(x -> x % 10) | concatenate(range(10) | repeat())", 0, 1, 10, 0, MOST},
    {"range(10) | repeat() | concatenate(range(3)) | batch(6)", 0, 6, 10, 0, MOST / 6},
    {"range(4611686018427387904) | concatenate(range(4611686018427387904)) | batch(2)", 0, 2, HALF, 0,
     MOST / 2},
    {"zip(range(10) | repeat(), range(10) | repeat() | shard(4, 3))", 0, 1, 10, 0, (MOST - 4) / 4 + 1},
    {"zip(range(10) | repeat() | shard(4, 3), range(9223372036854775807)) | batch(3)", 3, 12, 10, 0,
     ((MOST - 4) / 4 + 1) / 3},
    {"zip(range(10) | repeat(), range(5)) | batch(2)", 0, 2, 10, 0, 3},
    {"range(9223372036854775807)", 0, 1, MOST, 0, MOST},
    {"range(9223372036854775807) | batch(2)", 0, 2, MOST, 0, HALF},
    {"range(-9223372036854775808, -1)", 0, 1, MOST, INT64_MIN, MOST},
    {"from_list([4, 5, 6]) | repeat() | batch(9)", 0, 9, 3, 4, MOST / 9},
    {"from_tensors(6) | repeat() | batch(2)", 0, 2, 1, 6, MOST / 2},
    {"from_sparse_tensor_slices(sparse([[0, 2], [1, 0]], [5, 7], [2, 3])) | map((i, v, s) -> v[0]) | repeat() | "
     "batch(5) | map(v -> (v[0] - 5) // 2)",
     0, 5, 2, 0, MOST / 5},
};

/* Powers of two that sums and products pass at: those of int32, uint32, doubles, int64. */
static const int kPowers[] = {0, 31, 32, 53, 57, 58, 60, 61, 62};

static void look(weir_runtime runtime, weir_dataset dataset, const row* row, int64_t position,
                 weir_element element) {
  weir_error error = WEIR_ERROR_INIT;
  const int32_t result = weir_dataset_at(runtime, dataset, position, element, &error);
  if (position < 0 || position >= row->limit) {
    if (result != -WEIR_CODE_OUT_OF_RANGE)
      fprintf(stderr, "%s at %" PRId64 ": %d\n", row->text, position, result);
    CHECK(result == -WEIR_CODE_OUT_OF_RANGE);
    CHECK(error.message.data != NULL && strstr(error.message.data, "a position of at least 0") != NULL);
  } else {
    const wide place = (wide)row->first + (wide)position * (wide)row->step;
    const int64_t expected = (int64_t)(uint64_t)(place % (wide)row->period) + row->offset;
    if (result != WEIR_OK) fprintf(stderr, "%s at %" PRId64 ": %s\n", row->text, position, error.line.data);
    CHECK(result == WEIR_OK);
    if (result == WEIR_OK && int64_of(element, 0) != expected)
      fprintf(stderr, "%s at %" PRId64 ": %" PRId64 "\n", row->text, position, int64_of(element, 0));
    CHECK(result != WEIR_OK || int64_of(element, 0) == expected);
  }
  weir_error_clear(&error);
}

static void far_away(weir_runtime runtime, const row* row) {
  weir_dataset dataset = parse(runtime, row->text);
  weir_element element = make_element();
  for (size_t i = 0; i < sizeof kPowers / sizeof *kPowers; ++i) {
    for (int64_t near = -2; near <= 2; ++near)
      look(runtime, dataset, row, (INT64_C(1) << kPowers[i]) + near, element);
  }
  for (int64_t near = 0; near <= 2; ++near) look(runtime, dataset, row, MOST - near, element);
  for (int64_t near = -2; near <= 2; ++near) {
    if (near <= 0 || row->limit <= MOST - near) look(runtime, dataset, row, row->limit + near, element);
  }
  /* Where a product of 64 bits comes back to a small number. */
  look(runtime, dataset, row, INT64_C(3074457345618258602), element);
  look(runtime, dataset, row, INT64_C(6148914691236517205), element);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
}

/* An element that has no number is an error in its place. */
static void unnumbered(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "range(10) | repeat() | enumerate(5)");
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_dataset_at(runtime, dataset, MOST - 5, element, &error) == WEIR_OK);
  CHECK(int64_of(element, 0) == MOST);
  CHECK(weir_dataset_at(runtime, dataset, MOST - 4, element, &error) == WEIR_ELEMENT_FAILED);
  CHECK(error.code == WEIR_CODE_OUT_OF_RANGE);
  CHECK(strstr(error.message.data, "numbers of at most 9223372036854775807") != NULL);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
}

static int64_t count_in(weir_runtime runtime, const char* text) {
  weir_dataset dataset = parse(runtime, text);
  int64_t count = 0;
  REQUIRE(count_of(dataset, &count) == WEIR_OK);
  weir_dataset_unref(dataset);
  return count;
}

/* A count that no int64 can say is not known. */
static void counts_too_large(weir_runtime runtime) {
  CHECK(count_in(runtime, "range(10) | repeat(922337203685477580)") == INT64_C(9223372036854775800));
  CHECK(count_in(runtime, "range(10) | repeat(922337203685477581)") == WEIR_CARDINALITY_UNKNOWN);
  CHECK(count_in(runtime, "range(10) | repeat(922337203685477581) | batch(2)") == WEIR_CARDINALITY_UNKNOWN);
  CHECK(count_in(runtime, "range(9223372036854775807) | concatenate(range(1))") == WEIR_CARDINALITY_UNKNOWN);
  CHECK(count_in(runtime, "range(9223372036854775806) | concatenate(range(1))") == MOST);
  CHECK(count_in(runtime, "range(10) | shuffle_and_repeat(2, 922337203685477581)") ==
        WEIR_CARDINALITY_UNKNOWN);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  for (size_t i = 0; i < sizeof kRows / sizeof *kRows; ++i) far_away(runtime, &kRows[i]);
  unnumbered(runtime);
  counts_too_large(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
