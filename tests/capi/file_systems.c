/* File systems of the host: files are read through them, and what they do wrong is an error. */
#include <pthread.h>
#include <sched.h>

#include "check.h"

/* One file, "t://a", and one that may be written, "t://new". */
typedef struct store {
  const char* bytes;
  uint64_t size;
  int short_by;  /* reads answer with fewer bytes */
  int long_by;   /* ... with more than were asked for */
  int twice;     /* ... twice */
  int refuses;   /* read fails at once */
  int fails;     /* read fails through its call */
  int late;      /* another thread answers */
  int no_reason; /* open fails and does not say why */
  int stalls;    /* 1: open waits until it is cancelled; 2: read does */
  int waits;     /* one that waits was begun */
  int bad_entry;
  int has_all; /* stat succeeds for every name */
  int write_fails;
  int opened, closed, destroyed, published, abandoned;
  char written[4096];
  uint64_t written_size;
} store;

static int32_t stat_file(void* user_data, weir_string name, weir_file_info* out, weir_call call) {
  store* self = user_data;
  if (!text_is(name, "t://a") && !self->has_all) {
    weir_call_fail(call, 0, WEIR_CODE_NOT_FOUND, "no such thing", WEIR_STRLEN, NULL);
    return 1;
  }
  out->size = self->size;
  out->modified_ns = 7;
  out->version = (weir_string){"v1", 2};
  return WEIR_OK;
}

/* Fails once nobody wants the result any more. */
static void stall(store* self, weir_call call) {
  __atomic_store_n(&self->waits, 1, __ATOMIC_SEQ_CST);
  while (!weir_call_cancelled(call)) sched_yield();
  weir_call_fail(call, 0, WEIR_CODE_CANCELLED, "given up", WEIR_STRLEN, NULL);
}

static int32_t open_file(void* user_data, weir_string name, weir_file_info* out, void** file,
                         weir_call call) {
  store* self = user_data;
  if (self->no_reason) return 42;
  CHECK(weir_call_rows(call) == 0);
  CHECK(weir_call_input(call, 0, &(weir_view)WEIR_VIEW_INIT, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  if (stat_file(user_data, name, out, call) != WEIR_OK) return 1;
  if (self->stalls == 1) return stall(self, call), 1;
  ++self->opened;
  *file = self;
  return WEIR_OK;
}

typedef struct answer {
  store* self;
  uint64_t offset, size;
  void* out;
  weir_call call;
} answer;

static void* give(void* given) {
  const answer* at = given;
  if (at->self->stalls == 2) {
    stall(at->self, at->call);
    weir_call_done(at->call, 0);
    free(given);
    return NULL;
  }
  memcpy(at->out, at->self->bytes + at->offset, at->size);
  weir_call_done(at->call, at->size - (uint64_t)at->self->short_by + (uint64_t)at->self->long_by);
  if (at->self->twice) weir_call_done(at->call, 0);
  free(given);
  return NULL;
}

static int32_t read_file(void* user_data, void* file, uint64_t offset, void* out, uint64_t size,
                         weir_call call) {
  store* self = user_data;
  answer* at = malloc(sizeof *at);
  CHECK(file == user_data);
  CHECK(offset + size <= self->size);
  if (!at) return 1;
  *at = (answer){self, offset, size, out, call};
  if (self->refuses) return free(at), 43;
  if (self->fails) {
    weir_call_fail(call, 0, WEIR_CODE_PERMISSION_DENIED, "the key has expired", WEIR_STRLEN, NULL);
    weir_call_done(call, 0);
    return free(at), WEIR_OK;
  }
  if (self->late) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, give, at) == 0);
    pthread_detach(thread);
    return WEIR_OK;
  }
  give(at);
  return WEIR_OK;
}

static void close_file(void* user_data, void* file) {
  CHECK(file == user_data);
  ++((store*)user_data)->closed;
}

static int32_t list_files(void* user_data, weir_string folder, weir_string prefix, weir_call call) {
  store* self = user_data;
  weir_error error = WEIR_ERROR_INIT;
  CHECK(text_is(folder, "t://"));
  CHECK(text_is(prefix, ""));
  CHECK(weir_call_entry(call, "a", WEIR_STRLEN, NULL, NULL) == WEIR_OK);
  CHECK(weir_call_entry(call, "a", WEIR_STRLEN, NULL, NULL) == WEIR_OK);
  if (self->bad_entry) {
    CHECK(weir_call_entry(call, "../a", WEIR_STRLEN, NULL, &error) == -WEIR_CODE_INVALID_ARGUMENT);
    weir_error_clear(&error);
    return 1;
  }
  return WEIR_OK;
}

static int32_t create_file(void* user_data, weir_string name, void** writer, weir_call call) {
  (void)call;
  /* The index of the other file may be written, and is not found later. */
  CHECK(text_is(name, "t://new") || text_is(name, "t://a.weir-index"));
  ((store*)user_data)->written_size = 0;
  *writer = user_data;
  return WEIR_OK;
}

static int32_t write_file(void* user_data, void* writer, const void* data, uint64_t size, weir_call call) {
  store* self = writer;
  CHECK(user_data == writer);
  if (self->write_fails) {
    weir_call_fail(call, 0, WEIR_CODE_RESOURCE_EXHAUSTED, "the bucket is full", WEIR_STRLEN, NULL);
    return 1;
  }
  if (self->written_size + size > sizeof self->written) return 1;
  memcpy(self->written + self->written_size, data, size);
  self->written_size += size;
  return WEIR_OK;
}

static int32_t finish_file(void* user_data, void* writer, int32_t publish, weir_call call) {
  (void)user_data, (void)call;
  ++*(publish ? &((store*)writer)->published : &((store*)writer)->abandoned);
  return WEIR_OK;
}

static void destroy_store(void* user_data) {
  __atomic_add_fetch(&((store*)user_data)->destroyed, 1, __ATOMIC_SEQ_CST);
}

static weir_file_system functions_of(store* self) {
  weir_file_system files = WEIR_FILE_SYSTEM_INIT;
  files.schemes = "t u";
  files.schemes_size = WEIR_STRLEN;
  files.stat = stat_file;
  files.list = list_files;
  files.open = open_file;
  files.read = read_file;
  files.close = close_file;
  files.create = create_file;
  files.write = write_file;
  files.finish = finish_file;
  files.destroy = destroy_store;
  files.user_data = self;
  return files;
}

/* What the first element of text_line("t://a") is: "" and the error's code, or the line. */
static int first_line_is(store* self, int32_t code, const char* message_has, const char* line) {
  weir_runtime runtime = make_runtime();
  weir_file_system files = functions_of(self);
  weir_error error = WEIR_ERROR_INIT;
  weir_view view = WEIR_VIEW_INIT;
  int same;
  CHECK(weir_runtime_register_file_system(runtime, &files, NULL) == WEIR_OK);
  weir_dataset dataset = parse(runtime, "text_line(\"t://a\")");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  const int32_t result = weir_iterator_next(iterator, element, &error);
  if (code == 0) {
    same = result == WEIR_OK && weir_element_view(element, 0, &view, NULL) == WEIR_OK &&
           text_is(*(const weir_string*)view.data, line);
  } else {
    same = result == WEIR_ELEMENT_FAILED && error.code == code && text_is(error.file, "t://a") &&
           strstr(error.message.data, message_has) != NULL;
  }
  if (!same) fprintf(stderr, "result %d, code %d: %s\n", result, error.code, error.line.data);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  CHECK(self->opened == self->closed);
  CHECK(self->destroyed == 1);
  return same;
}

static store small(void) {
  store out = {0};
  out.bytes = "one\ntwo\n";
  out.size = 8;
  return out;
}

static void test_reading(void) {
  store plain = small(), late = small(), shorter = small(), longer = small(), twice = small(),
        refuses = small(), fails = small(), no_reason = small();
  CHECK(first_line_is(&plain, 0, "", "one"));
  late.late = 1;
  CHECK(first_line_is(&late, 0, "", "one"));
  shorter.short_by = 1;
  CHECK(first_line_is(&shorter, WEIR_CODE_DATA_LOSS, "expected 8 bytes at offset 0, found 7", ""));
  longer.long_by = 1;
  CHECK(first_line_is(&longer, WEIR_CODE_INTERNAL, "expected at most 8 bytes", ""));
  twice.twice = 1;
  CHECK(first_line_is(&twice, 0, "", "one"));
  refuses.refuses = 1;
  CHECK(first_line_is(&refuses, WEIR_CODE_UNKNOWN, "from read of a file system, found 43", ""));
  fails.fails = 1;
  CHECK(first_line_is(&fails, WEIR_CODE_PERMISSION_DENIED, "the key has expired", ""));
  no_reason.no_reason = 1;
  CHECK(first_line_is(&no_reason, WEIR_CODE_UNKNOWN, "from open of a file system, found 42", ""));
}

typedef struct next_call {
  weir_iterator iterator;
  weir_element element;
  int32_t result, code;
} next_call;

static void* call_next(void* given) {
  next_call* self = given;
  weir_error error = WEIR_ERROR_INIT;
  self->result = weir_iterator_next(self->iterator, self->element, &error);
  self->code = error.code;
  weir_error_clear(&error);
  return NULL;
}

/* A file that does not answer keeps nobody: not who creates the iterator, nor a next that is cancelled, nor
 * one with a deadline. */
static void one_that_stalls(const char* text, int stalls, int within) {
  store self = small();
  self.late = 1;
  self.stalls = stalls;
  weir_runtime runtime = make_runtime();
  weir_file_system files = functions_of(&self);
  CHECK(weir_runtime_register_file_system(runtime, &files, NULL) == WEIR_OK);
  weir_dataset dataset = parse(runtime, text);
  next_call next = {iterate(runtime, dataset), make_element(), 0, 0};
  pthread_t thread;
  if (within) {
    CHECK(weir_iterator_next_within(next.iterator, 1000000, next.element, NULL) == WEIR_PENDING);
  } else {
    REQUIRE(pthread_create(&thread, NULL, call_next, &next) == 0);
  }
  while (!__atomic_load_n(&self.waits, __ATOMIC_SEQ_CST)) sched_yield();
  weir_iterator_cancel(next.iterator);
  if (!within) {
    REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK(next.result == -WEIR_CODE_CANCELLED || next.result == WEIR_ELEMENT_FAILED);
    CHECK(next.code == WEIR_CODE_CANCELLED);
  }
  CHECK(weir_iterator_next(next.iterator, next.element, NULL) == -WEIR_CODE_CANCELLED);
  /* Begun again it reads what there is. */
  __atomic_store_n(&self.stalls, 0, __ATOMIC_SEQ_CST);
  CHECK(weir_iterator_initialize(next.iterator, dataset, NULL, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(next.iterator, next.element, NULL) == WEIR_OK);
  weir_element_destroy(next.element);
  weir_iterator_destroy(next.iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  while (!__atomic_load_n(&self.destroyed, __ATOMIC_SEQ_CST)) sched_yield();
  CHECK(self.opened == self.closed);
}

static void test_what_stalls(void) {
  static const char* const kTexts[] = {"from_list([\"t://a\"]) | map(f -> read_file(f))",
                                       "text_line(\"t://a\")",
                                       "text_line(\"t://a\") | global_shuffle(seed: 1)"};
  for (size_t i = 0; i < sizeof kTexts / sizeof *kTexts; ++i) {
    for (int stalls = 1; stalls <= 2; ++stalls) {
      one_that_stalls(kTexts[i], stalls, 0);
      one_that_stalls(kTexts[i], stalls, 1);
    }
  }
}

/* A file that the program itself reads. */
static void test_files_of_the_program(void) {
  weir_runtime runtime = make_runtime();
  store self = small();
  weir_file_system files = functions_of(&self);
  weir_file file = {0}, other = {0};
  weir_file_info info = WEIR_FILE_INFO_INIT;
  weir_error error = WEIR_ERROR_INIT;
  char bytes[16];
  uint64_t read = 99;
  CHECK(weir_file_open(runtime, "t://a", WEIR_STRLEN, NULL, &file, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_runtime_register_file_system(runtime, &files, NULL) == WEIR_OK);
  CHECK(weir_file_open(runtime, "t://a", WEIR_STRLEN, &info, &file, NULL) == WEIR_OK);
  CHECK(info.size == 8 && info.modified_ns == 7 && info.flags == 0 && text_is(info.version, "v1"));
  CHECK(weir_file_read(file, 2, bytes, sizeof bytes, &read, NULL) == WEIR_OK);
  CHECK(read == 6 && memcmp(bytes, "e\ntwo\n", 6) == 0);
  CHECK(weir_file_read(file, 8, bytes, sizeof bytes, &read, NULL) == WEIR_OK && read == 0);
  CHECK(weir_file_read(file, 900, bytes, sizeof bytes, &read, NULL) == WEIR_OK && read == 0);
  CHECK(weir_file_read(file, 0, NULL, 1, &read, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_file_open(runtime, "t://b", WEIR_STRLEN, NULL, &other, &error) == -WEIR_CODE_NOT_FOUND);
  CHECK(text_is(error.file, "t://b") && text_is(error.message, "no such thing"));
  weir_error_clear(&error);
  weir_file_release(file);
  self.size = (uint64_t)1 << 63;
  CHECK(weir_file_open(runtime, "t://a", WEIR_STRLEN, NULL, &other, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(text_is(error.file, "t://a") &&
        text_is(error.message, "expected a size below 2^63, found 9223372036854775808"));
  weir_error_clear(&error);
  self.size = 8;
  CHECK(weir_file_read(file, 0, bytes, 1, &read, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_file_release(file);
  CHECK(self.closed == 2 && self.destroyed == 0);
  /* A local one. */
  CHECK(weir_file_open(runtime, WEIR_SOURCE_DIR "/tests/capi/file_systems.c", WEIR_STRLEN, &info, &file,
                       NULL) == WEIR_OK);
  CHECK(weir_file_read(file, 0, bytes, 2, &read, NULL) == WEIR_OK && read == 2 &&
        memcmp(bytes, "/*", 2) == 0);
  weir_runtime_destroy(runtime);
  CHECK(self.destroyed == 0);
  weir_file_release(file);
  CHECK(self.destroyed == 1);
}

static void test_writing_and_listing(void) {
  weir_runtime runtime = make_runtime();
  store self = small();
  weir_file_system files = functions_of(&self);
  weir_record_writer writer = {0};
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_runtime_register_file_system(runtime, &files, NULL) == WEIR_OK);
  CHECK(weir_record_writer_create(runtime, "t://new", WEIR_STRLEN, NULL, &writer, NULL) == WEIR_OK);
  CHECK(weir_record_writer_write(writer, "abc", 3, NULL) == WEIR_OK);
  CHECK(self.published == 0);
  CHECK(weir_record_writer_close(writer, NULL) == WEIR_OK);
  weir_record_writer_destroy(writer);
  CHECK(self.published == 1 && self.abandoned == 0 && self.written_size == 19);
  self.write_fails = 1;
  CHECK(weir_record_writer_create(runtime, "t://new", WEIR_STRLEN, NULL, &writer, NULL) == WEIR_OK);
  CHECK(weir_record_writer_write(writer, "abc", 3, NULL) == WEIR_OK);
  CHECK(weir_record_writer_close(writer, &error) == -WEIR_CODE_RESOURCE_EXHAUSTED);
  CHECK(text_is(error.message, "the bucket is full"));
  weir_error_clear(&error);
  weir_record_writer_destroy(writer);
  CHECK(self.published == 1 && self.abandoned == 1);

  weir_dataset other = {0};
  weir_dataset dataset = parse(runtime, "list_files(\"t://*\")");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(prints(element, WEIR_TEXT, "\"t://a\""));
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_iterator_destroy(iterator);
  self.bad_entry = 1;
  CHECK(weir_dataset_parse(runtime, "list_files(\"t://*\")", WEIR_STRLEN, NULL, 0, &other, &error) ==
        -WEIR_CODE_UNKNOWN);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  CHECK(self.destroyed == 1);
}

static void test_saving_where_every_name_exists_and_nothing_is_written(void) {
  weir_runtime runtime = make_runtime();
  store self = small();
  weir_file_system files = functions_of(&self);
  weir_error error = WEIR_ERROR_INIT;
  self.has_all = 1;
  files.create = NULL;
  files.write = NULL;
  files.finish = NULL;
  CHECK(weir_runtime_register_file_system(runtime, &files, NULL) == WEIR_OK);
  weir_dataset dataset = parse(runtime, "range(2) | save(\"t://folder\")");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  CHECK(weir_iterator_next(iterator, element, &error) != WEIR_OK);
  CHECK(error.code == WEIR_CODE_UNIMPLEMENTED);
  CHECK(strstr(error.message.data, "cannot write \"t://folder/") != NULL);
  CHECK(strstr(error.message.data, "its file system does not") != NULL);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
}

static void test_what_is_refused(void) {
  weir_runtime runtime = make_runtime();
  store self = small(), wrong = small();
  weir_file_system files = functions_of(&self), other;
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_runtime_register_file_system(runtime, &files, NULL) == WEIR_OK);
  other = functions_of(&wrong);
  CHECK(weir_runtime_register_file_system(runtime, &other, &error) == -WEIR_CODE_ALREADY_EXISTS);
  CHECK(strstr(error.message.data, "\"t://\"") != NULL);
  weir_error_clear(&error);
  other.schemes = "v";
  other.finish = NULL;
  CHECK(weir_runtime_register_file_system(runtime, &other, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  other = functions_of(&wrong);
  other.read = NULL;
  CHECK(weir_runtime_register_file_system(runtime, &other, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  other = functions_of(&wrong);
  other.schemes = "V";
  CHECK(weir_runtime_register_file_system(runtime, &other, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  other.schemes = "";
  CHECK(weir_runtime_register_file_system(runtime, &other, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  other = functions_of(&wrong);
  other.flags = 1;
  CHECK(weir_runtime_register_file_system(runtime, &other, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_runtime_register_file_system(runtime, NULL, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(wrong.destroyed == 6);
  weir_call_done((weir_call){12345}, 0);
  weir_file_release((weir_file){0});
  weir_runtime_destroy(runtime);
  CHECK(self.destroyed == 1);
}

int main(void) {
  test_reading();
  test_what_stalls();
  test_files_of_the_program();
  test_writing_and_listing();
  test_saving_where_every_name_exists_and_nothing_is_written();
  test_what_is_refused();
  return failures();
}
