/* Arrow streams that are wrong or fail, and calls that refuse them: a clear error, and all is released once.
 */
#include <errno.h>

#include "arrow_producer.h"

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

enum { kCases = 19 };

static void spoil(everything* t, int how) {
  static const int32_t kFalling[] = {0, 3, 2, 3, 4};
  static const int32_t kNegative[] = {-1, 1, 3, 3, 4};
  static const int32_t kBeyond[] = {0, 1, 3, 3, 5};
  switch (how) {
    case 0:
      t->table.array.length = -1;
      break;
    case 1:
      t->table.array.offset = -1;
      break;
    case 2:
      t->table.array.length = 4;
      break;
    case 3:
      t->table.array.offset = INT64_MAX;
      break;
    case 4:
      t->table.array.n_children = 0;
      break;
    case 5:
      t->table.array.children = NULL;
      break;
    case 6:
      t->table.arrays[2] = NULL;
      break;
    case 7:
      t->numbers.array.n_buffers = 1;
      break;
    case 8:
      t->numbers.buffers[1] = NULL;
      break;
    case 9:
      t->texts.array.buffers = NULL;
      break;
    case 10:
      t->texts.buffers[2] = NULL;
      break;
    case 11:
      t->lists.buffers[1] = kFalling;
      break;
    case 12:
      t->lists.buffers[1] = kNegative;
      break;
    case 13:
      t->lists.buffers[1] = kBeyond;
      break;
    case 14:
      t->lists.buffers[1] = (const char*)kListEnds + 2;
      break;
    case 15:
      t->chosen.array.dictionary = NULL;
      break;
    case 16:
      t->words.buffers[1] = NULL;
      break;
    case 17:
      t->texts.schema.format = "w:9223372036854775807";
      break;
    default:
      t->even.schema.format = "+w:4611686018427387904";
      break;
  }
}

/* Batches that are not what their schema says. */
static void broken(weir_runtime runtime) {
  for (int i = 0; i < kCases; ++i) {
    everything t;
    producer from;
    make_everything(&t);
    spoil(&t, i);
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
    fails(runtime, &from, -WEIR_CODE_INVALID_ARGUMENT,
          i == 3 ? "the Arrow schema is nested more than 200 levels deep" : "the Arrow schema is broken");
  }
}

/* Streams that fail. */
static void failing(weir_runtime runtime) {
  everything t;
  producer from;
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
}

/* Calls that fail for another reason. */
static void refusing(weir_runtime runtime) {
  everything t;
  producer from;
  weir_dataset out = {0};
  weir_iterator iterator = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_dataset numbers = parse(runtime, "param n: int64\nrange($n)");
  weir_argument given[2] = {WEIR_ARGUMENT_ARROW("n", &from.stream), WEIR_ARGUMENT_TEXT("word", "x")};
  make_everything(&t);
  /* A text that doesn't build, no place for the result, no runtime, one argument too much, and a parameter.
   */
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

int main(void) {
  weir_runtime runtime = make_runtime();
  refused_columns(runtime);
  broken(runtime);
  failing(runtime);
  refusing(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
