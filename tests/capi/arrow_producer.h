/* Arrow streams as the tests make them: columns by hand, and a producer that counts what is released. */
#ifndef WEIR_TESTS_CAPI_ARROW_PRODUCER_H
#define WEIR_TESTS_CAPI_ARROW_PRODUCER_H

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

static inline column* typed(column* out, const char* format, const char* name, int64_t length,
                            int64_t buffers, const void* first, const void* second) {
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

static inline column* with_child(column* parent, column* child) {
  parent->types[parent->schema.n_children++] = &child->schema;
  parent->arrays[parent->array.n_children++] = &child->array;
  return parent;
}

static inline column* with_dictionary(column* indices, column* values) {
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

static inline void release_schema(struct ArrowSchema* schema) {
  ++((producer*)schema->private_data)->schemas;
  schema->release = NULL;
}

static inline void release_array(struct ArrowArray* array) {
  ++((producer*)array->private_data)->arrays;
  array->release = NULL;
}

static inline void release_stream(struct ArrowArrayStream* stream) {
  ++((producer*)stream->private_data)->released;
  stream->release = NULL;
}

static inline int get_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  producer* from = stream->private_data;
  if (from->schema_error || from->schema_missing) return from->schema_error;
  *out = from->batches[0]->schema;
  out->release = release_schema;
  out->private_data = from;
  return 0;
}

static inline int get_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
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

static inline struct ArrowArrayStream* stream_of(producer* from, column* batch) {
  memset(from, 0, sizeof *from);
  from->batches[from->count++] = batch;
  from->stream.get_schema = get_schema;
  from->stream.get_next = get_next;
  from->stream.get_last_error = get_last_error;
  from->stream.release = release_stream;
  from->stream.private_data = from;
  return &from->stream;
}

/* The call fails, its message has `part`, and everything is released. */
static inline void fails(weir_runtime runtime, producer* from, int32_t code, const char* part) {
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

/* A table of all forms, whose first row is left out by an offset. */
typedef struct everything {
  column table, numbers, texts, bits, lists, list_entries, even, even_entries, fixed, fixed_entries, chosen,
      words, object, member, objects, each, first, times, days;
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

static inline void make_everything(everything* t) {
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

#endif
