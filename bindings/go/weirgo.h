/* What the Go package has in C: structs that live outside Go's memory, and functions that make two calls in
 * one, since a call from Go costs more than most of those here. */
#ifndef WEIRGO_H
#define WEIRGO_H

#include <stdint.h>
#include <stdlib.h>
#include <weir/dlpack.h>
#include <weir/weir.h>

#define WEIRGO_VIEWS 8

/* An element, the error of the last call for it, and views of its first components. */
typedef struct weirgo_element {
  weir_element handle;
  weir_error error;
  uint32_t viewed;
  weir_view views[WEIRGO_VIEWS];
  weir_view other;
} weirgo_element;

weirgo_element* weirgo_element_new(weir_error* error);
void weirgo_element_free(weirgo_element* element);

/* Fills the element, and its first `views` views. */
int32_t weirgo_next(weir_iterator iterator, weirgo_element* element, uint32_t views);
int32_t weirgo_try_next(weir_iterator iterator, weirgo_element* element, uint32_t views);
int32_t weirgo_next_within(weir_iterator iterator, int64_t timeout_ns, weirgo_element* element,
                           uint32_t views);
int32_t weirgo_next_block(weir_iterator iterator, int64_t max_rows, weirgo_element* element, uint32_t views,
                          int64_t* rows);
int32_t weirgo_at(weir_runtime runtime, weir_dataset dataset, int64_t position, weirgo_element* element);

/* Fills in what calls the Go function of this handle. */
void weirgo_callback(weir_callback* out, uintptr_t handle, int32_t saves);
void weirgo_generator(weir_generator* out, uintptr_t handle, int32_t saves);
void weirgo_logger(weir_logger* out, uintptr_t handle);
int32_t weirgo_wrap(int32_t dtype, int32_t rank, const int64_t* dims, void* data, uint64_t size,
                    weir_tensor* out, weir_error* error);
int32_t weirgo_wrap_pinned(int32_t dtype, int32_t rank, const int64_t* dims, const void* data, uint64_t size,
                           uintptr_t handle, weir_tensor* out, weir_error* error);
/* Calls the deleter, if there is one. */
void weirgo_delete_dlpack(DLManagedTensorVersioned* managed);

#endif
