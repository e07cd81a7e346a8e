/* Arrow streams as datasets: what becomes of types and batches, streams that are wrong or fail, and who releases
 * what when. */
#include <errno.h>

#include "check.h"

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

/* A type, an array and room for what they point to. */
typedef struct column {
  struct ArrowSchema schema;
  struct ArrowArray array;
  struct ArrowSchema* types[8];
  struct ArrowArray* arrays[8];
  const void* buffers[5];
} column;

static column* typed(column* out, const char* format, const char* name, int64_t length, int64_t buffers,
                     const void* first, const void* second) {
  memset(out, 0, sizeof *out);
  out->schema.format = format;
  out->schema.name = name;
  out->schema.children = out->types;
  out->array.length = length;
  out->array.n_buffers = buffers;
  out->array.buffers = out->buffers;
  out->array.children = out->arrays;
  out->buffers[1] = first;
  out->buffers[2] = second;
  return out;
}

static column* with_child(column* parent, column* child) {
  parent->types[parent->schema.n_children++] = &child->schema;
  parent->arrays[parent->array.n_children++] = &child->array;
  return parent;
}

static column* with_dictionary(column* indices, column* values) {
  indices->schema.dictionary = &values->schema;
  indices->array.dictionary = &values->array;
  return indices;
}

/* Gives the batches of its tables, then fails or ends, and counts what is released. */
typedef struct producer {
  column* batches[4];
  int count;
  int next;
  int error;          /* errno after the last batch */
  int schema_error;   /* errno of get_schema */
  int schema_missing; /* get_schema gives none */
  int released;
  int schemas;
  int arrays;
  struct ArrowArrayStream stream;
} producer;

static void release_schema(struct ArrowSchema* schema) {
  ++((producer*)schema->private_data)->schemas;
  schema->release = NULL;
}

static void release_array(struct ArrowArray* array) {
  ++((producer*)array->private_data)->arrays;
  array->release = NULL;
}

static void release_stream(struct ArrowArrayStream* stream) {
  ++((producer*)stream->private_data)->released;
  stream->release = NULL;
}

static int get_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  producer* from = stream->private_data;
  if (from->schema_error || from->schema_missing) return from->schema_error;
  *out = from->batches[0]->schema;
  out->release = release_schema;
  out->private_data = from;
  return 0;
}

static int get_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  producer* from = stream->private_data;
  CHECK(from->next <= from->count);
  if (from->next == from->count) {
    ++from->next;
    if (from->error == 0) memset(out, 0, sizeof *out);
    return from->error;
  }
  *out = from->batches[from->next++]->array;
  out->release = release_array;
  out->private_data = from;
  return 0;
}

static const char* get_last_error(struct ArrowArrayStream* stream) {
  (void)stream;
  return "the disk is on fire";
}

static struct ArrowArrayStream* stream_of(producer* from, column* batch) {
  memset(from, 0, sizeof *from);
  from->batches[from->count++] = batch;
  from->stream.get_schema = get_schema;
  from->stream.get_next = get_next;
  from->stream.get_last_error = get_last_error;
  from->stream.release = release_stream;
  from->stream.private_data = from;
  return &from->stream;
}

static weir_dataset rows_of(weir_runtime runtime, producer* from, const char* text) {
  const weir_argument argument = WEIR_ARGUMENT_ARROW("rows", &from->stream);
  weir_dataset out = parse_with(runtime, text, &argument, 1);
  CHECK(from->stream.release == NULL && from->released == 1 && from->schemas == 1);
  return out;
}

/* The call fails, its message has `part`, and everything is released. */
static void fails(weir_runtime runtime, producer* from, int32_t code, const char* part) {
  const weir_argument argument = WEIR_ARGUMENT_ARROW("rows", &from->stream);
  weir_dataset out = {0};
  weir_error error = WEIR_ERROR_INIT;
  const int expected_schemas = from->schema_error || from->schema_missing ? 0 : 1;
  CHECK(weir_dataset_parse(runtime, "@rows", WEIR_STRLEN, &argument, 1, &out, &error) == code);
  if (!error.line.data || !strstr(error.line.data, part)) {
    fprintf(stderr, "expected \"%s\" in: %s\n", part, error.line.data ? error.line.data : "");
    CHECK(0);
  }
  CHECK(from->stream.release == NULL && from->released == 1 && from->schemas == expected_schemas &&
        from->arrays == (from->next < from->count ? from->next : from->count));
  weir_error_clear(&error);
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

/* A table of all forms, whose first row is left out by an offset. */
typedef struct everything {
  column table, numbers, texts, bits, lists, list_entries, even, even_entries, fixed, fixed_entries, chosen, words,
      object, member, objects, each, first, times, days;
} everything;

static const int64_t kNumbers[] = {1, 2, 3, 4};
static const int32_t kTextEnds[] = {0, 1, 3, 3, 6};
static const uint8_t kBits[] = {0x0a};
static const int32_t kListEnds[] = {0, 1, 3, 3, 4};
static const int64_t kEvenEnds[] = {0, 2, 4, 6, 8};
static const int64_t kSeconds[] = {0, 1, -1, 2};
static const float kFloats[] = {0, 0.5f, 1, 1.5f, 2, 2.5f, 3, 3.5f};
static const uint8_t kChosen[] = {1, 1, 0, 2};
static const int32_t kWordEnds[] = {0, 2, 3, 6};

static void make_everything(everything* t) {
  typed(&t->table, "+s", "", 3, 1, NULL, NULL)->array.offset = 1;
  with_child(&t->table, typed(&t->numbers, "l", "x", 4, 2, kNumbers, NULL));
  with_child(&t->table, typed(&t->texts, "u", "a b", 4, 3, kTextEnds, "abcdef"));
  with_child(&t->table, typed(&t->bits, "b", "on", 4, 2, kBits, NULL));
  with_child(&t->table, with_child(typed(&t->lists, "+l", "l", 4, 2, kListEnds, NULL),
                                   typed(&t->list_entries, "l", "item", 4, 2, kNumbers, NULL)));
  with_child(&t->table, with_child(typed(&t->even, "+L", "e", 4, 2, kEvenEnds, NULL),
                                   typed(&t->even_entries, "f", "item", 8, 2, kFloats, NULL)));
  with_child(&t->table, with_dictionary(typed(&t->chosen, "C", "d", 4, 2, kChosen, NULL),
                                        typed(&t->words, "u", "", 3, 3, kWordEnds, "noXyes")));
  with_child(&t->table, with_child(typed(&t->objects, "+l", "o", 4, 2, kListEnds, NULL),
                                   with_child(typed(&t->each, "+s", "item", 4, 1, NULL, NULL),
                                              typed(&t->first, "l", "n", 4, 2, kNumbers, NULL))));
  with_child(&t->table, with_child(typed(&t->object, "+s", "s", 4, 1, NULL, NULL),
                                   typed(&t->times, "tss:", "t", 4, 2, kSeconds, NULL)));
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

/* What a column cannot have. */
static void refused_columns(weir_runtime runtime) {
  static const uint8_t kValid[] = {0xfb};
  static const int64_t kFar[] = {0, 0, INT64_MAX, 0};
  static const uint8_t kOutside[] = {1, 1, 3, 2};
  everything table;
  column extra;
  producer from;
  make_everything(&table);
  table.texts.buffers[0] = kValid;
  table.texts.array.null_count = -1;
  stream_of(&from, &table.table);
  fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT, "the column \"a b\" has 1 missing values");
  make_everything(&table);
  table.first.buffers[0] = kValid;
  table.first.array.null_count = 1;
  stream_of(&from, &table.table);
  fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT, "the column o.n has 1 missing values");
  make_everything(&table);
  table.numbers.schema.format = "n";
  stream_of(&from, &table.table);
  fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT, "the column x has 3 missing values");
  make_everything(&table);
  table.numbers.schema.format = "tiM";
  stream_of(&from, &table.table);
  fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT, "the column x is the Arrow type \"tiM\"");
  make_everything(&table);
  table.times.buffers[1] = kFar;
  stream_of(&from, &table.table);
  fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT, "the column s.t has a time, entry 1");
  make_everything(&table);
  table.chosen.buffers[1] = kOutside;
  stream_of(&from, &table.table);
  fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT, "the column d has the entry 3 of a dictionary of 3");
  make_everything(&table);
  table.chosen.schema.name = "x";
  stream_of(&from, &table.table);
  fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT, "has the name x twice");
  make_everything(&table);
  table.chosen.schema.name = "\xff";
  stream_of(&from, &table.table);
  fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT, "not UTF-8");
  typed(&extra, "+s", "", 2, 1, NULL, NULL);
  stream_of(&from, &extra);
  fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT, "no columns");
}

/* Batches that are not what their schema says. */
static void broken(weir_runtime runtime) {
  static const int32_t kFalling[] = {0, 3, 2, 3, 4};
  static const int32_t kNegative[] = {-1, 1, 3, 3, 4};
  static const int32_t kBeyond[] = {0, 1, 3, 3, 5};
  enum { kCases = 19 };
  for (int i = 0; i < kCases; ++i) {
    everything t;
    producer from;
    make_everything(&t);
    switch (i) {
      case 0: t.table.array.length = -1; break;
      case 1: t.table.array.offset = -1; break;
      case 2: t.table.array.length = 4; break;
      case 3: t.table.array.offset = INT64_MAX; break;
      case 4: t.table.array.n_children = 0; break;
      case 5: t.table.array.children = NULL; break;
      case 6: t.table.arrays[2] = NULL; break;
      case 7: t.numbers.array.n_buffers = 1; break;
      case 8: t.numbers.buffers[1] = NULL; break;
      case 9: t.texts.array.buffers = NULL; break;
      case 10: t.texts.buffers[2] = NULL; break;
      case 11: t.lists.buffers[1] = kFalling; break;
      case 12: t.lists.buffers[1] = kNegative; break;
      case 13: t.lists.buffers[1] = kBeyond; break;
      case 14: t.lists.buffers[1] = (const char*)kListEnds + 2; break;
      case 15: t.chosen.array.dictionary = NULL; break;
      case 16: t.words.buffers[1] = NULL; break;
      case 17: t.texts.schema.format = "w:9223372036854775807"; break;
      default: t.even.schema.format = "+w:4611686018427387904"; break;
    }
    stream_of(&from, &t.table);
    fails(runtime, &from, -WEIR_CODE_DATA_LOSS, "batch 0 of the Arrow stream is broken");
  }
  for (int i = 0; i < 4; ++i) {
    everything t;
    producer from;
    make_everything(&t);
    if (i == 0) t.table.schema.children = NULL;
    if (i == 1) t.table.types[3] = NULL;
    if (i == 2) t.texts.schema.format = NULL;
    if (i == 3) t.table.types[3] = &t.table.schema;
    stream_of(&from, &t.table);
    fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT, "the Arrow schema is broken");
  }
}

/* Streams that fail, and calls that refuse them. */
static void failing(weir_runtime runtime) {
  everything t;
  producer from;
  weir_dataset out = {0};
  weir_iterator iterator = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_dataset numbers = parse(runtime, "param n: int64\nrange($n)");
  weir_argument given[2] = {WEIR_ARGUMENT_ARROW("n", &from.stream), WEIR_ARGUMENT_TEXT("word", "x")};
  make_everything(&t);
  stream_of(&from, &t.table)->get_last_error = NULL;
  from.error = EIO;
  fails(runtime, &from, -WEIR_CODE_UNKNOWN, "the Arrow stream failed: error 5");
  stream_of(&from, &t.table);
  from.error = EIO;
  fails(runtime, &from, -WEIR_CODE_UNKNOWN, "the Arrow stream failed: the disk is on fire");
  CHECK(from.arrays == 1);
  stream_of(&from, &t.table);
  from.error = ENOTSUP;
  fails(runtime, &from, -WEIR_CODE_UNIMPLEMENTED, "on fire");
  stream_of(&from, &t.table);
  from.error = ENOMEM;
  fails(runtime, &from, -WEIR_CODE_RESOURCE_EXHAUSTED, "memory");
  stream_of(&from, &t.table);
  from.schema_error = EINVAL;
  fails(runtime, &from, -WEIR_CODE_UNKNOWN, "on fire");
  stream_of(&from, &t.table);
  from.schema_missing = 1;
  fails(runtime, &from, -WEIR_CODE_DATA_LOSS, "no schema");
  /* A text that doesn't build, no place for the result, no runtime, one argument too much, and a parameter. */
  stream_of(&from, &t.table);
  CHECK(weir_dataset_parse(runtime, "@n | tak(1)", WEIR_STRLEN, given, 1, &out, NULL) < 0);
  CHECK(from.released == 1 && from.arrays == 1 && from.stream.release == NULL);
  stream_of(&from, &t.table);
  CHECK(weir_dataset_parse(runtime, "@n", WEIR_STRLEN, given, 1, NULL, NULL) < 0 && from.released == 1);
  stream_of(&from, &t.table);
  CHECK(weir_dataset_parse((weir_runtime){0}, "@n", WEIR_STRLEN, given, 1, &out, NULL) < 0);
  CHECK(from.released == 1 && from.next == 0);
  stream_of(&from, &t.table);
  given[0].text = "x";
  given[0].text_size = 1;
  CHECK(weir_dataset_parse(runtime, "@n", WEIR_STRLEN, given, 1, &out, NULL) < 0 && from.released == 1);
  given[0].text = NULL;
  given[0].text_size = 0;
  stream_of(&from, &t.table);
  options.params = given;
  options.param_count = 1;
  CHECK(weir_iterator_create(runtime, numbers, &options, &iterator, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(from.released == 1 && from.next == 0);
  /* It was handed over before. */
  CHECK(weir_dataset_parse(runtime, "@n", WEIR_STRLEN, given, 1, &out, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(from.released == 1);
  weir_dataset_unref(numbers);
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
  refused_columns(runtime);
  broken(runtime);
  failing(runtime);
  applied(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
