/* Arrow streams as datasets: what becomes of types and batches, and who releases them when. */
#include "arrow_producer.h"

static weir_dataset rows_of(weir_runtime runtime, producer* from, const char* text) {
  const weir_argument argument = WEIR_ARGUMENT_ARROW("rows", &from->stream);
  weir_dataset out = parse_with(runtime, text, &argument, 1);
  CHECK(from->stream.release == NULL && from->released == 1 && from->schemas == 1);
  return out;
}

/* True if the elements print as these texts. */
static int gives(weir_runtime runtime, weir_dataset dataset, const char* const* expected, int count) {
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  int64_t known = 0;
  int same = count_of(dataset, &known) == WEIR_OK && known == count;
  for (int i = 0; i < count && same; ++i)
    same = weir_iterator_next(iterator, element, NULL) == WEIR_OK && prints(element, WEIR_TEXT, expected[i]);
  same = same && weir_iterator_next(iterator, element, NULL) == WEIR_END;
  for (int i = count - 1; i >= 0 && same; --i)
    same = weir_dataset_at(runtime, dataset, i, element, NULL) == WEIR_OK &&
           prints(element, WEIR_TEXT, expected[i]);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  return same;
}

static const char* const kEverything[] = {
    "{x: 2, \"a b\": \"bc\", on: true, l: [2, 3], e: [1.0, 1.5], d: \"X\", o: {n: [2, 3]}, s: {t: 1000000000}}",
    "{x: 3, \"a b\": \"\", on: false, l: [], e: [2.0, 2.5], d: \"no\", o: {n: []}, s: {t: -1000000000}}",
    "{x: 4, \"a b\": \"def\", on: true, l: [4], e: [3.0, 3.5], d: \"yes\", o: {n: [4]}, s: {t: 2000000000}}"};

static void every_type(weir_runtime runtime) {
  everything table;
  producer from;
  weir_dataset dataset, copy = {0};
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_dataset_info first = WEIR_DATASET_INFO_INIT;
  weir_dataset_info second = WEIR_DATASET_INFO_INIT;
  make_everything(&table);
  stream_of(&from, &table.table);
  dataset = rows_of(runtime, &from, "@rows");
  CHECK(gives(runtime, dataset, kEverything, 3));
  CHECK(from.arrays == 0);
  REQUIRE(weir_dataset_serialize(dataset, &bytes, NULL) == WEIR_OK);
  REQUIRE(weir_dataset_view(dataset, &first, NULL) == WEIR_OK);
  weir_dataset_unref(dataset);
  CHECK(from.arrays == 1);
  REQUIRE(weir_dataset_deserialize(runtime, bytes.data, bytes.size, NULL, 0, &copy, NULL) == WEIR_OK);
  CHECK(gives(runtime, copy, kEverything, 3));
  REQUIRE(weir_dataset_view(copy, &second, NULL) == WEIR_OK);
  CHECK(memcmp(first.fingerprint, second.fingerprint, sizeof first.fingerprint) == 0);
  weir_bytes_release(&bytes);
  weir_dataset_unref(copy);
}

/* The same rows in several batches, of which one is empty, are the same dataset. */
static void several_batches(weir_runtime runtime) {
  everything whole, parts[3];
  producer from;
  weir_dataset dataset;
  weir_dataset_info first = WEIR_DATASET_INFO_INIT;
  weir_dataset_info second = WEIR_DATASET_INFO_INIT;
  make_everything(&whole);
  stream_of(&from, &whole.table);
  dataset = rows_of(runtime, &from, "@rows");
  REQUIRE(weir_dataset_view(dataset, &first, NULL) == WEIR_OK);
  weir_dataset_unref(dataset);
  for (int i = 0; i < 3; ++i) make_everything(&parts[i]);
  parts[0].table.array.length = 1;
  parts[1].table.array.length = 0;
  parts[2].table.array.offset = 2;
  parts[2].table.array.length = 2;
  stream_of(&from, &parts[0].table);
  from.batches[from.count++] = &parts[1].table;
  from.batches[from.count++] = &parts[2].table;
  dataset = rows_of(runtime, &from, "@rows");
  CHECK(gives(runtime, dataset, kEverything, 3));
  REQUIRE(weir_dataset_view(dataset, &second, NULL) == WEIR_OK);
  CHECK(memcmp(first.fingerprint, second.fingerprint, sizeof first.fingerprint) == 0);
  weir_dataset_unref(dataset);
  CHECK(from.arrays == 3);
  /* No rows. */
  stream_of(&from, &parts[1].table);
  dataset = rows_of(runtime, &from, "@rows");
  CHECK(gives(runtime, dataset, NULL, 0));
  weir_dataset_unref(dataset);
}

/* Lists of lists are ragged, or tensors if all have one length; a stream may be of a column alone. */
static void nested_lists(weir_runtime runtime) {
  static const int32_t kOuter[] = {0, 2, 2, 3};
  static const int32_t kInner[] = {0, 1, 3, 4};
  static const int32_t kPairs[] = {0, 2, 4};
  static const int32_t kSingles[] = {0, 1, 2};
  static const char* const kRagged[] = {"{\"a b\": ragged([[1], [2, 3]])}", "{\"a b\": ragged([])}",
                                        "{\"a b\": ragged([[4]])}"};
  static const char* const kDense[] = {"[[1, 2]]", "[[3, 4]]"};
  column table, outer, inner, entries;
  producer from;
  weir_dataset dataset;
  typed(&table, "+s", "", 3, 1, NULL, NULL);
  typed(&outer, "+l", "a b", 3, 2, kOuter, NULL);
  typed(&inner, "+l", "item", 3, 2, kInner, NULL);
  typed(&entries, "l", "item", 4, 2, kNumbers, NULL);
  with_child(&table, with_child(&outer, with_child(&inner, &entries)));
  stream_of(&from, &table);
  dataset = rows_of(runtime, &from, "@rows");
  CHECK(gives(runtime, dataset, kRagged, 3));
  weir_dataset_unref(dataset);
  outer.array.length = inner.array.length = 2;
  outer.buffers[1] = kSingles;
  inner.buffers[1] = kPairs;
  stream_of(&from, &outer);
  dataset = rows_of(runtime, &from, "@rows");
  CHECK(gives(runtime, dataset, kDense, 2));
  weir_dataset_unref(dataset);
}

static void views(weir_runtime runtime) {
  static const char kLong[] = "0123456789abcdefghij";
  static const int64_t kSizes[] = {20};
  static const char* const kExpected[] = {"\"\"", "\"hi\"", "\"123456789abcdef\""};
  int32_t words[12] = {0};
  column texts;
  producer from;
  weir_dataset dataset;
  words[4] = 2;
  memcpy(&words[5], "hi", 2);
  words[8] = 15;
  memcpy(&words[9], kLong, 4);
  words[11] = 1;
  typed(&texts, "vu", "", 3, 4, words, kLong);
  texts.buffers[3] = kSizes;
  stream_of(&from, &texts);
  dataset = rows_of(runtime, &from, "@rows");
  CHECK(gives(runtime, dataset, kExpected, 3));
  weir_dataset_unref(dataset);
  words[11] = 6;
  stream_of(&from, &texts);
  fails(runtime, &from, -WEIR_CODE_DATA_LOSS, "batch 0 of the Arrow stream is broken");
  words[11] = -1;
  stream_of(&from, &texts);
  fails(runtime, &from, -WEIR_CODE_DATA_LOSS, "broken");
  words[11] = 1;
  words[10] = 1;
  stream_of(&from, &texts);
  fails(runtime, &from, -WEIR_CODE_DATA_LOSS, "broken");
}

/* Memory is used where it is, and released after the last element that needs it. */
static void owners(weir_runtime runtime) {
  everything table;
  producer from;
  weir_view view = WEIR_VIEW_INIT;
  weir_element element = make_element();
  weir_dataset dataset;
  weir_iterator iterator;
  make_everything(&table);
  stream_of(&from, &table.table);
  dataset = rows_of(runtime, &from, "@rows | skip(1)");
  iterator = iterate(runtime, dataset);
  weir_dataset_unref(dataset);
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  REQUIRE(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
  CHECK(view.data == &kNumbers[2]);
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  REQUIRE(weir_element_view(element, 1, &view, NULL) == WEIR_OK);
  CHECK(((const weir_string*)view.data)->data == (const char*)table.texts.buffers[2] + 3);
  weir_iterator_destroy(iterator);
  CHECK(from.arrays == 0);
  weir_element_destroy(element);
  CHECK(from.arrays == 1);
}

/* An iterator over the rows goes on from where another was saved, over the rows of another stream. */
static void checkpoints(weir_runtime runtime) {
  everything table;
  producer from;
  weir_element element = make_element();
  make_everything(&table);
  for (int taken = 0; taken <= 3; ++taken) {
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
    weir_bytes saved = WEIR_BYTES_INIT;
    weir_dataset dataset;
    weir_iterator iterator;
    stream_of(&from, &table.table);
    dataset = rows_of(runtime, &from, "@rows | global_shuffle(3) | map(e -> {x: e.x, s: e.\"a b\"})");
    iterator = iterate(runtime, dataset);
    int64_t sum = 0;
    for (int i = 0; i < taken; ++i) sum += next_int64(iterator, element);
    REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
    stream_of(&from, &table.table);
    dataset = rows_of(runtime, &from, "@rows | global_shuffle(3) | map(e -> {x: e.x, s: e.\"a b\"})");
    options.checkpoint = saved.data;
    options.checkpoint_size = saved.size;
    REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, NULL) == WEIR_OK);
    for (int i = taken; i < 3; ++i) sum += next_int64(iterator, element);
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END && sum == 9);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
    weir_bytes_release(&saved);
  }
  weir_element_destroy(element);
}

/* As the input of an operator, and inside a call. */
static void applied(weir_runtime runtime) {
  everything t;
  producer from;
  weir_dataset dataset = {0};
  weir_argument arguments[2] = {WEIR_ARGUMENT_ARROW("", &from.stream), WEIR_ARGUMENT_TEXT("", "2")};
  weir_argument call = WEIR_ARGUMENT_INIT;
  make_everything(&t);
  stream_of(&from, &t.table);
  call.kind = WEIR_VALUE_CALL;
  call.text = "take";
  call.text_size = 4;
  call.members = arguments;
  call.member_count = 2;
  REQUIRE(weir_dataset_apply(runtime, "", 0, NULL, 0, &call, 1, &dataset, NULL) == WEIR_OK);
  CHECK(from.released == 1 && gives(runtime, dataset, kEverything, 2));
  weir_dataset_unref(dataset);
  CHECK(from.arrays == 1);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  every_type(runtime);
  several_batches(runtime);
  nested_lists(runtime);
  views(runtime);
  owners(runtime);
  checkpoints(runtime);
  applied(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
