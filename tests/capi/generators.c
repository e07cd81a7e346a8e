/* Generators: sources of the host, opened, read, saved and closed. */
#include <pthread.h>

#include "check.h"

/* Gives n * n for n below `count`. Where n is `fails_at` it fails once, and goes on behind it. */
typedef struct squares {
  int64_t count;
  int64_t fails_at;
  int32_t open_fails;
  int32_t save_fails;
  int32_t wrong_shape;
  int opened;
  int closed;
  int destroyed;
  int made;
  int saved;
  int restored;
  pthread_t caller;
  int elsewhere; /* calls of next on another thread than `caller` */
  int64_t kept;  /* what save shows */
} squares;

typedef struct run {
  int64_t n;
} run;

static int32_t open_run(void* user_data, void** state) {
  squares* self = user_data;
  if (self->open_fails == 2)
    weir_call_fail((weir_call){0}, 0, WEIR_CODE_NOT_FOUND, "no such squares", WEIR_STRLEN, NULL);
  if (self->open_fails) return 5;
  ++self->opened;
  *state = calloc(1, sizeof(run));
  return *state ? WEIR_OK : 1;
}

static int32_t next_square(void* user_data, void* state, weir_call call) {
  squares* self = user_data;
  run* at = state;
  void* out = NULL;
  const int64_t n = at->n;
  const int64_t dims[1] = {2};
  if (!pthread_equal(self->caller, pthread_self())) ++self->elsewhere;
  CHECK(weir_call_rows(call) == 1);
  if (n == self->count) return WEIR_END;
  ++at->n;
  ++self->made;
  if (n == self->fails_at) {
    weir_call_fail(call, 0, WEIR_CODE_DATA_LOSS, "this square is lost", WEIR_STRLEN, NULL);
    return 1;
  }
  if (self->wrong_shape && weir_call_output(call, 0, 1, dims, &out, NULL) != WEIR_OK) return 2;
  if (weir_call_output(call, 0, 0, NULL, &out, NULL) != WEIR_OK) return 3;
  *(int64_t*)out = n * n;
  return WEIR_OK;
}

static void close_run(void* user_data, void* state) {
  ++((squares*)user_data)->closed;
  free(state);
}

static int32_t start_run(void* user_data, weir_call arguments, int64_t position, void** state) {
  (void)arguments, (void)position;
  return open_run(user_data, state);
}

static void destroy_squares(void* user_data) { ++((squares*)user_data)->destroyed; }

static int32_t save_run(void* user_data, void* state, const void** data, uint64_t* size) {
  squares* self = user_data;
  ++self->saved;
  if (self->save_fails) {
    CHECK(weir_call_fail((weir_call){0}, 1, WEIR_CODE_UNKNOWN, "", 0, NULL) == -WEIR_CODE_OUT_OF_RANGE);
    weir_call_fail((weir_call){0}, 0, WEIR_CODE_ABORTED, "cannot save", WEIR_STRLEN, NULL);
    return 6;
  }
  self->kept = ((run*)state)->n;
  *data = &self->kept;
  *size = sizeof self->kept;
  return WEIR_OK;
}

static int32_t restore_run(void* user_data, const void* data, uint64_t size, void** state) {
  squares* self = user_data;
  if (self->open_fails) return open_run(user_data, state);
  run* at = calloc(1, sizeof(run));
  ++self->restored;
  if (!at || size != sizeof at->n) return free(at), 8;
  memcpy(&at->n, data, size);
  *state = at;
  return WEIR_OK;
}

static squares squares_of(int64_t count) {
  squares out;
  memset(&out, 0, sizeof out);
  out.count = count;
  out.fails_at = -1;
  out.caller = pthread_self();
  return out;
}

static weir_generator generator_of(squares* user_data, uint32_t flags, int saves) {
  weir_generator generator = WEIR_GENERATOR_INIT;
  generator.flags = flags;
  generator.open = open_run;
  generator.next = next_square;
  generator.close = close_run;
  generator.destroy = destroy_squares;
  generator.user_data = user_data;
  generator.save = saves ? save_run : NULL;
  generator.restore = saves ? restore_run : NULL;
  return generator;
}

static weir_dataset dataset_of(weir_runtime runtime, const char* text, squares* user_data, uint32_t flags,
                               int saves) {
  const weir_generator generator = generator_of(user_data, flags, saves);
  const weir_argument argument = WEIR_ARGUMENT_GENERATOR("g", &generator);
  return parse_with(runtime, text, &argument, 1);
}

/* The next element's number; -1 at the end, -2 for one that failed with `code`. */
static int64_t next_of(weir_iterator iterator, weir_element element, int32_t code) {
  weir_error error = WEIR_ERROR_INIT;
  const int32_t result = weir_iterator_next(iterator, element, &error);
  if (result == WEIR_END) return -1;
  if (result == WEIR_ELEMENT_FAILED && error.code == code) return -2;
  if (result != WEIR_OK) fprintf(stderr, "%d %s\n", result, error.line.data);
  REQUIRE(result == WEIR_OK);
  return int64_of(element, 0);
}

static void all_of(weir_runtime runtime, const char* text, uint32_t flags) {
  squares data = squares_of(100);
  weir_dataset dataset = dataset_of(runtime, text, &data, flags, 0);
  weir_element element = make_element();
  for (int epoch = 0; epoch < 2; ++epoch) {
    weir_iterator iterator = iterate(runtime, dataset);
    for (int64_t n = 0; n < 100; ++n) CHECK(next_of(iterator, element, 0) == n * n);
    CHECK(next_of(iterator, element, 0) == -1);
    CHECK(next_of(iterator, element, 0) == -1);
    weir_iterator_destroy(iterator);
    CHECK(data.opened == epoch + 1);
  }
  CHECK(data.made == 200 && data.destroyed == 0);
  if (flags & WEIR_CALLBACK_ON_CALLER) CHECK(data.elsewhere == 0);
  weir_dataset_unref(dataset);
  /* Whoever read ahead may still hold it for a moment; nobody does without. */
  if (!strstr(text, "prefetch")) CHECK(data.closed == 2 && data.destroyed == 1);
  weir_element_destroy(element);
  weir_runtime_destroy(runtime);
  CHECK(data.closed == 2 && data.destroyed == 1);
}

static void errors(weir_runtime runtime) {
  squares data = squares_of(5);
  weir_dataset dataset = dataset_of(runtime, "from_generator(@g, int64)", &data, 0, 0);
  weir_element element = make_element();
  weir_iterator iterator;
  weir_error error = WEIR_ERROR_INIT;
  data.fails_at = 2;
  iterator = iterate(runtime, dataset);
  CHECK(next_of(iterator, element, 0) == 0 && next_of(iterator, element, 0) == 1);
  CHECK(next_of(iterator, element, WEIR_CODE_DATA_LOSS) == -2);
  CHECK(next_of(iterator, element, 0) == 9 && next_of(iterator, element, 0) == 16);
  CHECK(next_of(iterator, element, 0) == -1);
  weir_iterator_destroy(iterator);

  data.wrong_shape = 1;
  iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
  CHECK(error.code == WEIR_CODE_UNKNOWN && strstr(error.line.data, "returned 2") != NULL);
  weir_iterator_destroy(iterator);

  data.wrong_shape = 0;
  data.open_fails = 1;
  iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
  CHECK(strstr(error.line.data, "WEIR_OK from open of a generator, found 5") != NULL);
  CHECK(next_of(iterator, element, 0) == -1);
  weir_iterator_destroy(iterator);
  CHECK(data.opened == 2 && data.closed == 2);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
  CHECK(data.destroyed == 1);
}

static weir_iterator restored_at(weir_runtime runtime, weir_dataset dataset, const weir_bytes* saved,
                                 uint32_t policy) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_iterator iterator = {0};
  options.checkpoint = saved ? saved->data : NULL;
  options.checkpoint_size = saved ? saved->size : 0;
  options.checkpoint_policy = policy;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, NULL) == WEIR_OK);
  return iterator;
}

/* Two iterators give the elements of one: `saves` says how the second finds its place. */
static void positions(weir_runtime runtime, const char* text, uint32_t flags, int saves, uint32_t policy) {
  for (int64_t taken = 0; taken <= 20; taken += 5) {
    squares first = squares_of(20);
    squares second = squares_of(20);
    weir_dataset dataset = dataset_of(runtime, text, &first, flags, saves);
    weir_dataset other = dataset_of(runtime, text, &second, flags, saves);
    weir_iterator iterator = restored_at(runtime, dataset, NULL, policy);
    weir_element element = make_element();
    weir_bytes saved = WEIR_BYTES_INIT;
    for (int64_t n = 0; n < taken; ++n) CHECK(next_of(iterator, element, 0) == n * n);
    REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
    weir_iterator_destroy(iterator);
    iterator = restored_at(runtime, other, &saved, policy);
    for (int64_t n = taken; n < 20; ++n) CHECK(next_of(iterator, element, 0) == n * n);
    CHECK(next_of(iterator, element, 0) == -1);
    if (saves && !strstr(text, "prefetch")) {
      CHECK(second.restored == (taken > 0));
      CHECK(second.made == 20 - taken);
    }
    weir_iterator_destroy(iterator);
    weir_bytes_release(&saved);
    weir_element_destroy(element);
    weir_dataset_unref(dataset);
    weir_dataset_unref(other);
  }
}

/* A run that cannot begin where a position is taken up is an error, and no element is passed over for it. */
static void begins_no_more(weir_runtime runtime, const char* text, int saves) {
  for (int taken = 1; taken <= 3; ++taken) {
    squares data = squares_of(9);
    weir_dataset dataset = dataset_of(runtime, text, &data, WEIR_CALLBACK_PURE, saves);
    weir_iterator iterator = iterate(runtime, dataset);
    weir_element element = make_element();
    weir_bytes saved = WEIR_BYTES_INIT;
    weir_error error = WEIR_ERROR_INIT;
    for (int n = 0; n < taken; ++n) REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
    REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
    weir_iterator_destroy(iterator);
    data.open_fails = 2;
    iterator = restored_at(runtime, dataset, &saved, 0);
    CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
    CHECK(error.code == WEIR_CODE_NOT_FOUND && strstr(error.line.data, "no such squares") != NULL);
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
    weir_iterator_destroy(iterator);
    weir_bytes_release(&saved);

    /* One that did not begin before doesn't begin now, and is not told again. */
    iterator = iterate(runtime, dataset);
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_ELEMENT_FAILED);
    REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
    weir_iterator_destroy(iterator);
    data.open_fails = 0;
    iterator = restored_at(runtime, dataset, &saved, 0);
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
    weir_iterator_destroy(iterator);
    weir_bytes_release(&saved);
    weir_element_destroy(element);
    weir_dataset_unref(dataset);
  }
}

static void refused_positions(weir_runtime runtime) {
  squares data = squares_of(9);
  weir_bytes saved = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  weir_dataset dataset = dataset_of(runtime, "from_generator(@g, int64)", &data, 0, 0);
  weir_iterator iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_save(iterator, &saved, &error) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(strstr(error.line.data, "reads a generator that is not declared pure") != NULL);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);

  data = squares_of(9);
  data.save_fails = 1;
  dataset = dataset_of(runtime, "from_generator(@g, int64)", &data, 0, 1);
  iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  CHECK(next_of(iterator, element, 0) == 0);
  CHECK(weir_iterator_save(iterator, &saved, &error) < 0);
  CHECK(error.code == WEIR_CODE_ABORTED && strstr(error.line.data, "cannot save") != NULL);
  /* It goes on, and can be saved later. */
  data.save_fails = 0;
  CHECK(next_of(iterator, element, 0) == 1);
  CHECK(weir_iterator_save(iterator, &saved, &error) == WEIR_OK);
  weir_bytes_release(&saved);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
}

static int32_t twice(void* user_data, weir_call call) {
  (void)user_data;
  (void)call;
  return 1;
}

static int32_t parses(weir_runtime runtime, const weir_argument* argument, weir_error* error) {
  weir_dataset dataset = {0};
  return weir_dataset_parse(runtime, "from_generator(@g, int64)", WEIR_STRLEN, argument, 1, &dataset, error);
}

static void refused(weir_runtime runtime) {
  squares data = squares_of(3);
  weir_generator generator = generator_of(&data, 0, 0);
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument argument = WEIR_ARGUMENT_GENERATOR("g", &generator);
  weir_dataset dataset = {0};
  weir_error error = WEIR_ERROR_INIT;
  callback.function = twice;
  callback.destroy = destroy_squares;
  callback.user_data = &data;

  CHECK(weir_dataset_parse(runtime, "range(3) | map(@g)", WEIR_STRLEN, &argument, 1, &dataset, &error) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.line.data, "expected a function, found a generator") != NULL && data.destroyed == 1);
  argument.callback = &callback;
  CHECK(weir_dataset_parse(runtime, "from_generator(@g, int64)", WEIR_STRLEN, &argument, 1, &dataset,
                           &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.line.data, "found 2 of them") != NULL && data.destroyed == 3);
  argument.generator = NULL;
  CHECK(weir_dataset_parse(runtime, "from_generator(@g, int64)", WEIR_STRLEN, &argument, 1, &dataset,
                           &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.line.data, "expected a generator, found a function") != NULL && data.destroyed == 4);
  argument = (weir_argument)WEIR_ARGUMENT_GENERATOR("g", &generator);
  generator.flags = 1u << 20;
  CHECK(parses(runtime, &argument, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.line.data, "expected flags") != NULL);
  generator.flags = 0;
  generator.save = save_run;
  CHECK(parses(runtime, &argument, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.line.data, "save only") != NULL);
  generator.save = NULL;
  generator.signature = "{n: int64}";
  generator.signature_size = WEIR_STRLEN;
  CHECK(parses(runtime, &argument, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.line.data, "expected start") != NULL);
  generator.start = start_run;
  generator.defaults = "{m: 1}";
  generator.defaults_size = WEIR_STRLEN;
  CHECK(parses(runtime, &argument, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.line.data, "no parameter \"m\"") != NULL);
  generator.defaults = NULL;
  generator.defaults_size = 0;
  generator.signature = "int64";
  CHECK(parses(runtime, &argument, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.line.data, "expected a dict of tensors") != NULL);
  generator.signature = NULL;
  generator.signature_size = 0;
  CHECK(parses(runtime, &argument, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.line.data, "expected a signature") != NULL);
  generator.start = NULL;
  generator.next = NULL;
  CHECK(parses(runtime, &argument, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(data.destroyed == 11);
}

static void serialized(void) {
  weir_runtime runtime = make_runtime();
  squares data = squares_of(3);
  weir_generator generator = generator_of(&data, 0, 0);
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_dataset dataset;
  weir_dataset again = {0};
  weir_iterator iterator;
  weir_element element = make_element();
  const weir_argument argument = WEIR_ARGUMENT_GENERATOR("g", &generator);
  /* A serialized graph keeps the name. */
  dataset = parse_with(runtime, "from_generator(@g, int64) | map(x -> x + 1)", &argument, 1);
  REQUIRE(weir_dataset_serialize(dataset, &bytes, NULL) == WEIR_OK);
  weir_dataset_unref(dataset);
  REQUIRE(weir_dataset_deserialize(runtime, bytes.data, bytes.size, &argument, 1, &again, NULL) == WEIR_OK);
  weir_bytes_release(&bytes);
  iterator = iterate(runtime, again);
  CHECK(next_of(iterator, element, 0) == 1 && next_of(iterator, element, 0) == 2);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(again);
  weir_element_destroy(element);
  CHECK(data.destroyed == 2 && data.closed == 1);
  weir_runtime_destroy(runtime);
}

/* Writes its number as an int64, whatever the text says of it. */
static int32_t next_int64_only(void* user_data, void* state, weir_call call) {
  void* out = NULL;
  weir_error error = WEIR_ERROR_INIT;
  const int32_t rank = 0 + WEIR_CALL_DTYPE(WEIR_DTYPE_INT64);
  (void)state;
  if (++*(int*)user_data > 2) return WEIR_END;
  if (weir_call_output(call, 0, rank, NULL, &out, &error) == WEIR_OK) {
    *(int64_t*)out = *(int*)user_data;
    return WEIR_OK;
  }
  CHECK(out == NULL);
  CHECK(weir_call_output(call, 0, WEIR_CALL_DTYPE(1000000), NULL, &out, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_call_output(call, 0, -1, NULL, &out, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_call_fail(call, 0, error.code, error.message.data, error.message.size, NULL);
  weir_error_clear(&error);
  return 1;
}

/* What a generator writes is checked against the text's structure if it says its dtype. */
static void dtypes(weir_runtime runtime) {
  int count = 0;
  weir_error error = WEIR_ERROR_INIT;
  weir_element element = make_element();
  weir_generator generator = WEIR_GENERATOR_INIT;
  const weir_argument argument = WEIR_ARGUMENT_GENERATOR("g", &generator);
  weir_dataset dataset;
  weir_iterator iterator;
  generator.next = next_int64_only;
  generator.user_data = &count;
  dataset = parse_with(runtime, "from_generator(@g, int64)", &argument, 1);
  iterator = iterate(runtime, dataset);
  CHECK(next_int64(iterator, element) == 1 && next_int64(iterator, element) == 2);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  count = 0;
  dataset = parse_with(runtime, "from_generator(@g, int8)", &argument, 1);
  iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
  CHECK(error.code == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.message.data, "expected int8") && strstr(error.message.data, "found int64"));
  weir_error_clear(&error);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  all_of(make_runtime(), "from_generator(@g, int64)", 0);
  all_of(make_runtime(), "from_generator(@g, int64) | batch(7) | unbatch()", WEIR_CALLBACK_CONCURRENT);
  all_of(make_runtime(), "from_generator(@g, int64) | prefetch(4)", WEIR_CALLBACK_BLOCKING);
  all_of(make_runtime(), "from_generator(@g, int64) | prefetch(4)", WEIR_CALLBACK_ON_CALLER);
  errors(runtime);
  positions(runtime, "from_generator(@g, int64)", 0, 1, 0);
  positions(runtime, "from_generator(@g, int64)", WEIR_CALLBACK_PURE, 0, 0);
  positions(runtime, "from_generator(@g, int64) | batch(3) | unbatch() | prefetch(2)", 0, 1, 0);
  positions(runtime, "from_generator(@g, int64) | prefetch(4)", WEIR_CALLBACK_BLOCKING, 1, 0);
  positions(runtime, "from_generator(@g, int64) | prefetch(4)", 0, 0, WEIR_CHECKPOINT_BY_VALUE);
  positions(runtime, "from_generator(@g, int64) | batch(3) | unbatch()", 0, 0, WEIR_CHECKPOINT_BY_VALUE);
  positions(runtime, "from_generator(@g, int64) | prefetch(4)", 0, 0, WEIR_CHECKPOINT_IGNORE);
  for (int saves = 0; saves < 2; ++saves) {
    begins_no_more(runtime, "from_generator(@g, int64)", saves);
    begins_no_more(runtime, "from_generator(@g, int64) | prefetch(2)", saves);
    begins_no_more(runtime, "from_generator(@g, int64) | map(x -> x + 1, num_parallel_calls: 2)", saves);
    begins_no_more(runtime, "from_generator(@g, int64) | batch(2)", saves);
    begins_no_more(runtime, "from_generator(@g, int64) | shuffle(3, seed: 1)", saves);
  }
  refused_positions(runtime);
  refused(runtime);
  dtypes(runtime);
  serialized();
  weir_runtime_destroy(runtime);
  return failures();
}
