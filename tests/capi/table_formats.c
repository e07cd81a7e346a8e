/* Table formats of an extension that make mistakes: each is an error of the file, after the rows that are
 * right, and what was handed over is released. */
#include <errno.h>
#include <unistd.h>

#include "arrow_producer.h"

enum { kRows = 11, kBatch = 4 };

/* What the format does wrong. */
typedef enum mistake {
  kNone,
  kLongBatch,
  kMoreBatches,
  kFewer,
  kNoStream,
  kNoGetNext,
  kNoSchema,
  kSchemaUnowned,
  kBatchUnfilled,
  kNoColumns,
  kShortColumn,
  kNoBuffers,
  kNoMemory,
} mistake;

typedef struct format {
  mistake wrong;
  int tables;
  int streams;
  int schemas;
  int arrays;
} format;

typedef struct reading {
  format* from;
  int64_t rows[kRows + 1];
  int64_t count;
  int64_t next;
} reading;

typedef struct batch {
  format* from;
  struct ArrowArray column;
  struct ArrowArray* columns[1];
  const void* none[1];
  const void* buffers[2];
  int64_t values[kRows + 2];
} batch;

static struct ArrowSchema g_column = {"l", "id", NULL, 0, 0, NULL, NULL, NULL, NULL};
static struct ArrowSchema* g_columns[] = {&g_column};

static void end_schema(struct ArrowSchema* schema) {
  --((format*)schema->private_data)->schemas;
  schema->release = NULL;
}

static void fill_schema(format* from, struct ArrowSchema* out) {
  const struct ArrowSchema table = {"+s", "", NULL, 0, 1, g_columns, NULL, end_schema, from};
  *out = table;
  ++from->schemas;
}

static void end_array(struct ArrowArray* array) {
  batch* ended = array->private_data;
  --ended->from->arrays;
  free(ended);
  array->release = NULL;
}

static int stream_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  format* from = ((reading*)stream->private_data)->from;
  if (from->wrong == kNoSchema) return 0;
  fill_schema(from, out);
  if (from->wrong != kSchemaUnowned) return 0;
  --from->schemas;
  out->release = NULL;
  return 0;
}

static int stream_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  reading* self = stream->private_data;
  format* from = self->from;
  int64_t count = self->count - self->next < kBatch ? self->count - self->next : kBatch;
  const int last = self->next + count == self->count;
  memset(out, 0, sizeof *out);
  if (from->wrong == kFewer && last) return 0;
  if (from->wrong == kNoMemory && last) return ENOMEM;
  if (from->wrong == kMoreBatches && self->next == self->count) count = 1;
  if (count == 0) return 0;
  batch* made = calloc(1, sizeof *made);
  REQUIRE(made != NULL);
  made->from = from;
  for (int64_t i = 0; i < count; ++i) made->values[i] = 5 * self->rows[self->next + i] + 1;
  self->next = self->next + count < self->count ? self->next + count : self->count;
  if (from->wrong == kLongBatch && last) ++count;
  made->column.length = from->wrong == kShortColumn && last ? count - 1 : count;
  made->column.n_buffers = from->wrong == kNoBuffers && last ? 0 : 2;
  made->column.buffers = made->buffers;
  made->buffers[1] = made->values;
  made->columns[0] = &made->column;
  out->length = count;
  out->n_buffers = 1;
  out->buffers = made->none;
  out->n_children = from->wrong == kNoColumns && last ? 0 : 1;
  out->children = made->columns;
  out->release = end_array;
  out->private_data = made;
  ++from->arrays;
  if (from->wrong == kBatchUnfilled && last) end_array(out);
  return 0;
}

static void end_stream(struct ArrowArrayStream* stream) {
  --((reading*)stream->private_data)->from->streams;
  free(stream->private_data);
  stream->release = NULL;
}

static int32_t open_table(void* user_data, weir_file file, uint64_t size, weir_call call,
                          struct ArrowSchema* schema, int64_t* rows, void** table) {
  (void)file, (void)size, (void)call;
  fill_schema(user_data, schema);
  *rows = kRows;
  *table = user_data;
  ++((format*)user_data)->tables;
  return WEIR_OK;
}

static int32_t read_table(void* user_data, void* table, const weir_string* columns, uint64_t column_count,
                          const int64_t* ranges, uint64_t range_count, weir_call call,
                          struct ArrowArrayStream* stream) {
  (void)table, (void)columns, (void)column_count, (void)call;
  format* from = user_data;
  if (from->wrong == kNoStream) return WEIR_OK;
  reading* self = calloc(1, sizeof *self);
  REQUIRE(self != NULL);
  self->from = from;
  for (uint64_t r = 0; r < range_count; ++r) {
    CHECK(ranges[2 * r] >= 0 && ranges[2 * r] + ranges[2 * r + 1] <= kRows);
    for (int64_t i = 0; i < ranges[2 * r + 1]; ++i) self->rows[self->count++] = ranges[2 * r] + i;
  }
  stream->get_schema = stream_schema;
  stream->get_next = from->wrong == kNoGetNext ? NULL : stream_next;
  stream->get_last_error = get_last_error;
  stream->release = end_stream;
  stream->private_data = self;
  ++from->streams;
  return WEIR_OK;
}

static void close_table(void* user_data, void* table) {
  (void)table;
  --((format*)user_data)->tables;
}

static char g_file[64];

/* Reads `text` from a checkpoint after `saved` elements or errors on. Returns how many elements there are,
 * which must be those of the rows in order unless `shuffled`, and how many errors, which must say `has`. */
static int read_from(format* wrong, const char* text, int saved, int shuffled, const char* has, int* errors) {
  weir_runtime runtime = make_runtime();
  weir_table_format table = WEIR_TABLE_FORMAT_INIT;
  table.open = open_table;
  table.read = read_table;
  table.close = close_table;
  table.user_data = wrong;
  weir_generator source = WEIR_GENERATOR_INIT;
  source.table = &table;
  REQUIRE(weir_runtime_register_source(runtime, "parquet", WEIR_STRLEN, &source, NULL) == WEIR_OK);
  char whole[160];
  snprintf(whole, sizeof whole, text, g_file);
  weir_dataset dataset = parse(runtime, whole);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  for (int i = 0; i < saved; ++i) CHECK(weir_iterator_next(iterator, element, NULL) != WEIR_END);
  iterator = resumed(runtime, dataset, iterator);
  int elements = 0;
  int32_t result;
  *errors = 0;
  while ((result = weir_iterator_next(iterator, element, &error)) != WEIR_END) {
    if (result == WEIR_OK) {
      const int64_t value = int64_of(element, 0);
      CHECK(shuffled ? value % 5 == 1 && value < 5 * kRows : value == 5 * (saved + elements) + 1);
      ++elements;
      continue;
    }
    CHECK(result == WEIR_ELEMENT_FAILED);
    if (!strstr(error.line.data, has)) {
      fprintf(stderr, "expected \"%s\" in: %s\n", has, error.line.data);
      CHECK(0);
    }
    REQUIRE(++*errors <= kRows);
  }
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  return elements;
}

int main(void) {
  static const struct {
    mistake wrong;
    int elements; /* before the error */
    const char* says;
  } kRuns[] = {
      {kNone, 11, "none"},
      {kLongBatch, 8, "expected at most 3 more rows from the extension, found a batch of 4"},
      {kMoreBatches, 11, "expected at most 0 more rows from the extension, found others"},
      {kFewer, 8, "expected 11 rows, found the end after 8"},
      {kNoStream, 0, "a table format gave no stream"},
      {kNoGetNext, 0, "a table format gave no stream, or one without get_schema or get_next"},
      {kNoSchema, 0, "a table format gave no schema"},
      {kSchemaUnowned, 0, "a table format gave no schema"},
      {kBatchUnfilled, 8, "expected 11 rows, found the end after 8"},
      {kNoColumns, 8, "without the columns of its schema"},
      {kShortColumn, 8, "without the columns of its schema"},
      {kNoBuffers, 8, "without the columns of its schema"},
      {kNoMemory, 8, "out of memory"},
  };
  snprintf(g_file, sizeof g_file, "/tmp/weir_table_formats_%d.parquet", (int)getpid());
  FILE* file = fopen(g_file, "w");
  REQUIRE(file != NULL && fputs("a table", file) >= 0 && fclose(file) == 0);
  for (size_t i = 0; i < sizeof kRuns / sizeof *kRuns; ++i) {
    format wrong = {kRuns[i].wrong, 0, 0, 0, 0};
    const int fails = wrong.wrong != kNone;
    int errors = 0;
    CHECK(read_from(&wrong, "parquet(\"%s\")", 0, 0, kRuns[i].says, &errors) == kRuns[i].elements);
    CHECK(errors == fails);
    /* After the error, nothing is left. */
    CHECK(read_from(&wrong, "parquet(\"%s\")", kRuns[i].elements + fails, 0, "none", &errors) == 0);
    CHECK(errors == 0);
    if (wrong.wrong == kNone || wrong.wrong == kMoreBatches) {
      for (int saved = 1; saved <= kRows; saved += 3) {
        CHECK(read_from(&wrong, "parquet(\"%s\")", saved, 0, kRuns[i].says, &errors) == kRows - saved);
        CHECK(errors == fails);
      }
    }
    /* Rows by position, where each is an element or an error. */
    const int elements = read_from(&wrong, "parquet(\"%s\") | global_shuffle(seed: 1)", 0, 1, "", &errors);
    CHECK(elements + errors == kRows);
    CHECK(wrong.tables == 0 && wrong.streams == 0 && wrong.schemas == 0 && wrong.arrays == 0);
  }
  unlink(g_file);
  return failures();
}
