#include "weirgo.h"

#include "_cgo_export.h"

weirgo_element* weirgo_element_new(weir_error* error) {
  weirgo_element* out = calloc(1, sizeof *out);
  if (!out) abort(); /* as Go does when there is no memory */
  out->error = (weir_error)WEIR_ERROR_INIT;
  // The first version, for which the library refuses memory of a device: Go cannot read that.
  weir_view first = WEIR_VIEW_INIT;
  first.struct_size = offsetof(weir_view, byte_size) + sizeof(first.byte_size);
  for (int i = 0; i < WEIRGO_VIEWS; ++i) out->views[i] = first;
  out->other = first;
  if (weir_element_create(&out->handle, error) != WEIR_OK) {
    free(out);
    return NULL;
  }
  return out;
}

void weirgo_element_free(weirgo_element* element) {
  weir_element_destroy(element->handle);
  weir_error_clear(&element->error);
  free(element);
}

static int32_t with_views(int32_t result, weirgo_element* element, uint32_t views) {
  element->viewed = 0;
  if (result != WEIR_OK) return result;
  while (element->viewed < views && weir_element_view(element->handle, element->viewed,
                                                      &element->views[element->viewed], NULL) == WEIR_OK)
    ++element->viewed;
  return WEIR_OK;
}

int32_t weirgo_next(weir_iterator iterator, weirgo_element* element, uint32_t views) {
  return with_views(weir_iterator_next(iterator, element->handle, &element->error), element, views);
}

int32_t weirgo_try_next(weir_iterator iterator, weirgo_element* element, uint32_t views) {
  return with_views(weir_iterator_try_next(iterator, element->handle, &element->error), element, views);
}

int32_t weirgo_next_within(weir_iterator iterator, int64_t timeout_ns, weirgo_element* element,
                           uint32_t views) {
  return with_views(weir_iterator_next_within(iterator, timeout_ns, element->handle, &element->error),
                    element, views);
}

int32_t weirgo_next_block(weir_iterator iterator, int64_t max_rows, weirgo_element* element, uint32_t views,
                          int64_t* rows) {
  return with_views(weir_iterator_next_block(iterator, max_rows, element->handle, rows, &element->error),
                    element, views);
}

int32_t weirgo_at(weir_runtime runtime, weir_dataset dataset, int64_t position, weirgo_element* element) {
  /* Further below it would be one with WEIR_AT_TRY. */
  if (position < WEIR_AT_TRY / 2) position = WEIR_AT_TRY / 2;
  return with_views(weir_dataset_at(runtime, dataset, position, element->handle, &element->error), element,
                    0);
}

/* A cgo.Handle is a number, which travels as the user data. */

static int32_t callback_call(void* user_data, weir_call call) {
  return weirgoCall((uintptr_t)user_data, call);
}
static void callback_destroy(void* user_data) { weirgoDelete((uintptr_t)user_data); }
static int32_t callback_save(void* user_data, const void** data, uint64_t* size) {
  return weirgoSave((uintptr_t)user_data, (void**)data, size);
}
static int32_t callback_restore(void* user_data, const void* data, uint64_t size) {
  return weirgoRestore((uintptr_t)user_data, (void*)data, size);
}

void weirgo_callback(weir_callback* out, uintptr_t handle, int32_t saves) {
  *out = (weir_callback)WEIR_CALLBACK_INIT;
  out->function = callback_call;
  out->destroy = callback_destroy;
  out->user_data = (void*)handle;
  if (!saves) return;
  out->save = callback_save;
  out->restore = callback_restore;
}

static int32_t generator_open(void* user_data, void** state) {
  uintptr_t run = 0;
  const int32_t result = weirgoOpen((uintptr_t)user_data, &run);
  *state = (void*)run;
  return result;
}
static int32_t generator_next(void* user_data, void* state, weir_call call) {
  (void)user_data;
  return weirgoRunNext((uintptr_t)state, call);
}
static void generator_close(void* user_data, void* state) {
  (void)user_data;
  weirgoDelete((uintptr_t)state);
}
static int32_t generator_save(void* user_data, void* state, const void** data, uint64_t* size) {
  (void)user_data;
  return weirgoSave((uintptr_t)state, (void**)data, size);
}
static int32_t generator_restore(void* user_data, const void* data, uint64_t size, void** state) {
  uintptr_t run = 0;
  const int32_t result = weirgoReopen((uintptr_t)user_data, (void*)data, size, &run);
  *state = (void*)run;
  return result;
}

void weirgo_generator(weir_generator* out, uintptr_t handle, int32_t saves) {
  *out = (weir_generator)WEIR_GENERATOR_INIT;
  out->open = generator_open;
  out->next = generator_next;
  out->close = generator_close;
  out->destroy = callback_destroy;
  out->user_data = (void*)handle;
  if (!saves) return;
  out->save = generator_save;
  out->restore = generator_restore;
}

static void log_line(void* user_data, int32_t level, const char* line, uint64_t size) {
  weirgoLog((uintptr_t)user_data, level, (char*)line, size);
}

void weirgo_logger(weir_logger* out, uintptr_t handle) {
  *out = (weir_logger)WEIR_LOGGER_INIT;
  out->log = log_line;
  out->destroy = callback_destroy;
  out->user_data = (void*)handle;
}

int32_t weirgo_wrap(int32_t dtype, int32_t rank, const int64_t* dims, void* data, uint64_t size,
                    weir_tensor* out, weir_error* error) {
  return weir_tensor_wrap(dtype, rank, dims, data, size, free, data, out, error);
}

int32_t weirgo_wrap_pinned(int32_t dtype, int32_t rank, const int64_t* dims, const void* data, uint64_t size,
                           uintptr_t handle, weir_tensor* out, weir_error* error) {
  return weir_tensor_wrap(dtype, rank, dims, data, size, callback_destroy, (void*)handle, out, error);
}

void weirgo_delete_dlpack(DLManagedTensorVersioned* managed) {
  if (managed->deleter) managed->deleter(managed);
}
