/* weir.h: feeding data to whoever trains or scores a model. This header is the manual; read it from the top.
 *
 *   weir_runtime runtime = {0};
 *   weir_dataset dataset = {0};
 *   weir_iterator iterator = {0};
 *   weir_element element = {0};
 *   weir_error error = WEIR_ERROR_INIT;
 *   int32_t result = weir_runtime_create(NULL, &runtime, &error);
 *   if (result == WEIR_OK) {
 *     const char* text = "range(10) | map(x -> x * x) | batch(4)";
 *     result = weir_dataset_parse(runtime, text, WEIR_STRLEN, NULL, 0, &dataset, &error);
 *   }
 *   if (result == WEIR_OK) result = weir_iterator_create(runtime, dataset, NULL, &iterator, &error);
 *   if (result == WEIR_OK) result = weir_element_create(&element, &error);
 *   while (result == WEIR_OK && (result = weir_iterator_next(iterator, element, &error)) == WEIR_OK) {
 *     weir_view view = WEIR_VIEW_INIT;
 *     weir_element_view(element, 0, &view, NULL);
 *     for (int64_t i = 0; i < view.dims[0]; ++i) printf("%lld\n", (long long)((const int64_t*)view.data)[i]);
 *   }
 *   if (result != WEIR_END) fprintf(stderr, "%s\n", error.line.data);
 *   weir_error_clear(&error);
 *   weir_element_destroy(element);
 *   weir_iterator_destroy(iterator);
 *   weir_dataset_unref(dataset);
 *   weir_runtime_destroy(runtime);
 *
 * Words. A dataset is an immutable description of a sequence; an element is one item of it, a nested
 * structure of components; a component is one tensor; an iterator is a position in a dataset.
 *
 * Results. A function that can fail returns an int32_t: WEIR_OK (0) a value, WEIR_END (1) no more elements,
 * WEIR_PENDING (2) nothing yet, WEIR_ELEMENT_FAILED (3) this element failed and the next call goes on behind
 * it, negative: the call failed, and repeating it will not help. A negative result is minus the code: -3 is
 * invalid_argument. There is no last error and no global option.
 *
 * Errors. Every function that can fail takes a weir_error as its last argument, which may be NULL. It is
 * filled when the result is negative or WEIR_ELEMENT_FAILED, and left alone otherwise.
 *
 * A failed call leaves nothing behind: its out parameters are zero, and callbacks and release functions that
 * were handed in have run their destroy function. Out parameters must not be NULL.
 *
 * Memory. Where it runs out, also where an allocator answers NULL, a call fails with resource_exhausted, "out
 * of memory". Of an iterator that is the element that could not be made, gone with what was gathered for it:
 * a batch with its elements, a block with its rows, a file or a dataset that could not be opened with its
 * elements. The next call goes on behind it; nothing is tried twice, so that a sequence ends where its input
 * does however long there is no memory. The error counts as the element whose place it has, and elements
 * behind it are the same, at the same positions, also where a position is saved behind it and restored;
 * except where nobody knows how many would have come: behind an error in a filter, ignore_errors, flat_map,
 * interleave or skip, or in opening a dataset.
 *
 * Handles. Each kind is a struct of one 64-bit value, zero for none. A stale, foreign or made-up handle is
 * an error (invalid_argument), never a crash. What is shared and immutable has _ref and _unref, what has one
 * owner _create and _destroy. Everything may be released in any order: a dataset before its iterator, a
 * runtime before both; what is still needed lives on inside. Releases take the zero handle and handles
 * already released, and never fail. In the child of a fork all handles of the parent are refused.
 *
 * At most 4,194,304 handles of all kinds live at once in a process; one more is resource_exhausted.
 *
 * Structs begin with struct_size, which the WEIR_..._INIT macros set; 0 stands for the size that the struct
 * had in its first version, so that {0} is good, too. A zero field means its default; structs only grow at
 * their end. Fields named `reserved`, and bytes beyond what this library knows, must be zero.
 *
 * Strings are pointer and length, UTF-8 or bytes; where a length is asked for, WEIR_STRLEN means that the
 * string ends at its NUL. NULL with length 0 is the empty string. Strings that come out are NUL-terminated
 * as well, save the entries of tensors.
 *
 * Threads. Unless its comment says otherwise, a function may be called on any thread, and several threads
 * may use one handle at once.
 *
 * A thread may end inside a function of the caller's that the library calls, by pthread_exit or because it is
 * cancelled. The elements that it was making fail with cancelled, nothing else is lost, and other threads go
 * on. The thread ends, with its value, as soon as the library returns to the caller. A deferred
 * pthread_cancel acts in functions of the caller's and while weir_iterator_next waits for an element, nowhere
 * else in the library; an asynchronous one must not reach it. A thread of the library's own cannot be ended
 * so: the function fails, and the thread, or another one in its place, goes on.
 */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <stddef.h>
#include <stdint.h>

#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_PATCH 0

#if defined(__GNUC__) || defined(__clang__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Results, codes, handles, strings ------------------------------------------------------------------ */

#define WEIR_OK 0
#define WEIR_END 1
#define WEIR_PENDING 2
#define WEIR_ELEMENT_FAILED 3

/* Numbered as in gRPC and TensorFlow. weir_error.code holds one of them; a negative result is minus one of
 * them. */
#define WEIR_CODE_CANCELLED 1
#define WEIR_CODE_UNKNOWN 2
#define WEIR_CODE_INVALID_ARGUMENT 3
#define WEIR_CODE_DEADLINE_EXCEEDED 4
#define WEIR_CODE_NOT_FOUND 5
#define WEIR_CODE_ALREADY_EXISTS 6
#define WEIR_CODE_PERMISSION_DENIED 7
#define WEIR_CODE_RESOURCE_EXHAUSTED 8
#define WEIR_CODE_FAILED_PRECONDITION 9
#define WEIR_CODE_ABORTED 10
#define WEIR_CODE_OUT_OF_RANGE 11
#define WEIR_CODE_UNIMPLEMENTED 12
#define WEIR_CODE_INTERNAL 13
#define WEIR_CODE_UNAVAILABLE 14
#define WEIR_CODE_DATA_LOSS 15

/* The type of a component's entries. A string entry is a weir_string. */
#define WEIR_DTYPE_BOOL 1
#define WEIR_DTYPE_INT8 2
#define WEIR_DTYPE_INT16 3
#define WEIR_DTYPE_INT32 4
#define WEIR_DTYPE_INT64 5
#define WEIR_DTYPE_UINT8 6
#define WEIR_DTYPE_UINT16 7
#define WEIR_DTYPE_UINT32 8
#define WEIR_DTYPE_UINT64 9
#define WEIR_DTYPE_FLOAT16 10
#define WEIR_DTYPE_BFLOAT16 11
#define WEIR_DTYPE_FLOAT32 12
#define WEIR_DTYPE_FLOAT64 13
#define WEIR_DTYPE_COMPLEX64 14
#define WEIR_DTYPE_COMPLEX128 15
#define WEIR_DTYPE_STRING 16
/* A nested dataset; its entries cannot be viewed. */
#define WEIR_DTYPE_DATASET 17

typedef struct weir_runtime {
  uint64_t value;
} weir_runtime;
typedef struct weir_dataset {
  uint64_t value;
} weir_dataset;
typedef struct weir_spec {
  uint64_t value;
} weir_spec;
typedef struct weir_tensor {
  uint64_t value;
} weir_tensor;
typedef struct weir_iterator {
  uint64_t value;
} weir_iterator;
typedef struct weir_element {
  uint64_t value;
} weir_element;
typedef struct weir_call {
  uint64_t value;
} weir_call;
typedef struct weir_record_writer {
  uint64_t value;
} weir_record_writer;
typedef struct weir_example {
  uint64_t value;
} weir_example;

/* As a length: the string ends at its NUL. */
#define WEIR_STRLEN UINT64_MAX

/* A string that somebody else owns; also the entry of a string tensor. */
typedef struct weir_string {
  const char* data;
  uint64_t size;
} weir_string;

/* Bytes that the library made and the caller releases with weir_bytes_release. A NUL stands behind them. */
typedef struct weir_bytes {
  const char* data;
  uint64_t size;
  uint64_t owner; /* a handle; leave it alone */
} weir_bytes;

#define WEIR_BYTES_INIT \
  { NULL, 0, 0 }

/* What went wrong and where. Strings live until the error is filled again or cleared. */
typedef struct weir_error {
  uint32_t struct_size;
  int32_t code;        /* WEIR_CODE_... */
  weir_string message; /* what was expected, what was found, what to do; may have several lines */
  weir_string path;    /* the operator, from the root: "batch/map"; empty where unknown */
  weir_string file;    /* empty where unknown */
  int64_t offset;      /* in the file, in decompressed bytes; -1 where unknown */
  int64_t record;      /* in the file, from 0; -1 where unknown */
  weir_string line;    /* all of this but the code as one line, for logs */
  uint64_t owner;      /* a handle; leave it alone */
} weir_error;

#define WEIR_ERROR_INIT \
  { sizeof(weir_error), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, -1, -1, {NULL, 0}, 0 }

/* One tensor, row-major, to be read in place. */
typedef struct weir_view {
  uint32_t struct_size;
  int32_t dtype; /* WEIR_DTYPE_... */
  int32_t rank;  /* 0 to 8 */
  int32_t reserved;
  const int64_t* dims; /* `rank` of them */
  const void* data;    /* aligned for its dtype at least; a bool is a byte 0 or 1 */
  uint64_t byte_size;  /* of the entries; 16 for each string, whose bytes lie elsewhere */
} weir_view;

#define WEIR_VIEW_INIT \
  { sizeof(weir_view), 0, 0, 0, NULL, NULL, 0 }

/* ---- Library ------------------------------------------------------------------------------------------- */

/* Yields "MAJOR.MINOR.PATCH" of the library that is running; lives for ever. Cost: none. */
WEIR_API const char* weir_version(void);

/* Yields the word of a code, given with either sign ("invalid_argument"), "ok" for 0 and "unknown" for what
 * is no code; lives for ever. Cost: none. */
WEIR_API const char* weir_code_name(int32_t code);

/* Releases the strings of an error and empties it for the next use. Takes NULL. Threads: one at a time for
 * one error. Cost: a few free(). */
WEIR_API void weir_error_clear(weir_error* error);

/* Releases bytes and sets all to zero. Takes NULL and empty bytes. Cost: one free(). Threads: one at a time
 * for one weir_bytes. */
WEIR_API void weir_bytes_release(weir_bytes* bytes);

/* ---- Runtime: threads, memory and logging that iterators share ----------------------------------------- */

/* Where batch buffers of 64 KiB and more come from: pinned memory, say. The functions may be called on any
 * thread, also after weir_runtime_destroy, as long as somebody holds such a buffer. */
typedef struct weir_allocator {
  uint32_t struct_size;
  uint32_t reserved;
  /* NULL: no memory left, which fails the element (see Memory above). */
  void* (*allocate)(void* user_data, uint64_t size, uint64_t alignment);
  void (*release)(void* user_data, void* data, uint64_t size);
  void (*destroy)(void* user_data); /* once, after the last release; may be NULL */
  void* user_data;
} weir_allocator;

#define WEIR_ALLOCATOR_INIT \
  { sizeof(weir_allocator), 0, NULL, NULL, NULL, NULL }

#define WEIR_LOG_DEBUG 1
#define WEIR_LOG_INFO 2
#define WEIR_LOG_WARNING 3
#define WEIR_LOG_ERROR 4

/* Who gets the library's few log lines instead of standard error. May be called on any thread, also before
 * weir_runtime_create returns; must not call into the library. */
typedef struct weir_logger {
  uint32_t struct_size;
  uint32_t reserved;
  void (*log)(void* user_data, int32_t level, const char* line, uint64_t line_size);
  void (*destroy)(void* user_data); /* once, after the last line; may be NULL */
  void* user_data;
} weir_logger;

#define WEIR_LOGGER_INIT \
  { sizeof(weir_logger), 0, NULL, NULL, NULL }

typedef struct weir_runtime_options {
  uint32_t struct_size;
  int32_t thread_count; /* for computing; 0: as many as the process may use CPUs; at most 1024 */
  int64_t pool_bytes;   /* free batch buffers kept for reuse; 0: 256 MiB; negative: none */
  int32_t log_level;    /* WEIR_LOG_...: lines below it are dropped; 0: warning */
  uint32_t reserved;
  const weir_allocator* allocator; /* copied; NULL: the library's own */
  const weir_logger* logger;       /* copied; NULL: standard error */
  int64_t record_bytes;            /* the longest record that is read; 0: 256 MiB */
} weir_runtime_options;

#define WEIR_RUNTIME_OPTIONS_INIT \
  { sizeof(weir_runtime_options), 0, 0, 0, 0, NULL, NULL, 0 }

/* Yields a runtime of the caller's. `options` may be NULL. One a process is the rule; several are legal and
 * share nothing. Errors: invalid_argument. Cost: starting its threads. */
WEIR_API int32_t weir_runtime_create(const weir_runtime_options* options, weir_runtime* out,
                                     weir_error* error);

/* Closes the runtime: nothing new can be made with it; iterators, datasets and buffers made with it stay
 * usable, and its threads go when the last iterator goes. Cost: ending its threads, unless an iterator keeps
 * them. */
WEIR_API void weir_runtime_destroy(weir_runtime runtime);

/* ---- Spec: the structure of an element ----------------------------------------------------------------- */

#define WEIR_SPEC_TENSOR 0
#define WEIR_SPEC_TUPLE 1
#define WEIR_SPEC_DICT 2
#define WEIR_SPEC_SPARSE 3   /* components: indices, values, shape */
#define WEIR_SPEC_RAGGED 4   /* components: values, row splits */
#define WEIR_SPEC_OPTIONAL 5 /* one child */
#define WEIR_SPEC_DATASET 6  /* one child: the element of the nested dataset */

typedef struct weir_spec_info {
  uint32_t struct_size;
  int32_t kind;             /* WEIR_SPEC_... */
  int32_t dtype;            /* of a tensor, sparse or ragged, else 0 */
  int32_t rank;             /* -1 where unknown */
  const int64_t* dims;      /* `rank` of them, -1 where unknown; they live as long as the spec */
  uint32_t child_count;     /* members of a tuple or dict; 1 for optional and dataset */
  uint32_t component_count; /* of the flat list */
} weir_spec_info;

#define WEIR_SPEC_INFO_INIT \
  { sizeof(weir_spec_info), 0, 0, 0, NULL, 0, 0 }

/* Yields the spec that a text like "{image: uint8[28, 28], label: int64}" means; the caller's, to unref.
 * Errors: invalid_argument with line and column. Cost: one pass over the text. */
WEIR_API int32_t weir_spec_parse(const char* text, uint64_t text_size, weir_spec* out, weir_error* error);

/* Adds an owner; each has to unref. Errors: invalid_argument; resource_exhausted at 32,767 owners. Cost:
 * constant; an atomic operation, no allocation. */
WEIR_API int32_t weir_spec_ref(weir_spec spec, weir_error* error);
WEIR_API void weir_spec_unref(weir_spec spec);

/* Yields what a spec is. Errors: invalid_argument. Cost: constant; no allocation. */
WEIR_API int32_t weir_spec_view(weir_spec spec, weir_spec_info* out, weir_error* error);

/* Yields child `index`, the caller's to unref, and its key, which lives as long as `spec` and is empty but in
 * dicts; `key` may be NULL. Errors: out_of_range. Cost: proportional to its components. */
WEIR_API int32_t weir_spec_child(weir_spec spec, uint32_t index, weir_spec* out, weir_string* key,
                                 weir_error* error);

/* Yields the text of a spec. Errors: invalid_argument. Cost: proportional to the text. */
WEIR_API int32_t weir_spec_format(weir_spec spec, weir_bytes* out, weir_error* error);

/* ---- Tensors: memory that comes in --------------------------------------------------------------------- */

/* Yields a tensor over the caller's memory, without a copy: dtype, `rank` dimensions at `dims` (copied),
 * entries at `data`. The memory must not change until `release(user_data)` is called: exactly once, on any
 * thread, when nobody uses the tensor any more, perhaps long after everything was destroyed; at once if this
 * call fails. `release` may be NULL for memory that lives for ever. Strings are an array of weir_string, and
 * their bytes are lent as well. Errors: invalid_argument: byte_size does not fit dtype and dims, the rank is
 * above 8, or `data` is not aligned for its dtype (copy it then). Cost: a few small allocations, whatever the
 * size; for strings a look at each. */
WEIR_API int32_t weir_tensor_wrap(int32_t dtype, int32_t rank, const int64_t* dims, const void* data,
                                  uint64_t byte_size, void (*release)(void* user_data), void* user_data,
                                  weir_tensor* out, weir_error* error);

/* The same, but everything is copied, bytes of strings too; the memory may be reused at once. Errors: also
 * resource_exhausted. Cost: the copy. */
WEIR_API int32_t weir_tensor_copy(int32_t dtype, int32_t rank, const int64_t* dims, const void* data,
                                  uint64_t byte_size, weir_tensor* out, weir_error* error);

/* Yields a tensor over a versioned DLPack tensor (weir/dlpack.h), which is taken over: its deleter runs
 * exactly once, at once if this call fails. One that is empty, not contiguous or not aligned is copied.
 * Errors: invalid_argument: NULL, not in CPU memory, another major version, an unsupported dtype, strides or
 * a byte_offset that leave the address space; resource_exhausted: more than 64 GiB. Cost: a few small
 * allocations, or the copy. */
struct DLManagedTensorVersioned;
WEIR_API int32_t weir_tensor_from_dlpack(struct DLManagedTensorVersioned* managed, weir_tensor* out,
                                         weir_error* error);

/* Yields a view that lives as long as the tensor has an owner. Errors: invalid_argument. Cost: constant; no
 * allocation. */
WEIR_API int32_t weir_tensor_view(weir_tensor tensor, weir_view* out, weir_error* error);

/* Adds an owner; each has to unref. Errors: invalid_argument; resource_exhausted at 32,767 owners. Cost:
 * constant; an atomic operation, no allocation. */
WEIR_API int32_t weir_tensor_ref(weir_tensor tensor, weir_error* error);
WEIR_API void weir_tensor_unref(weir_tensor tensor);

/* ---- Callbacks: the caller's own functions in a pipeline ----------------------------------------------- */

/* Calls may come from several threads at once. Without it they come one at a time. */
#define WEIR_CALLBACK_CONCURRENT 1u
/* It waits (for a disk, a lock, another process), so it must not run where computing is done: behind a
 * prefetch or a parallel map it gets a thread of its own. Without one, nothing runs ahead, and it runs on the
 * thread that is inside weir_iterator_next or _try_next, as every callback does. */
#define WEIR_CALLBACK_BLOCKING 2u
/* It takes a block of rows: every view and output has the rows as its first dimension. Each row must get the
 * value that it would get alone. */
#define WEIR_CALLBACK_BLOCK 4u
/* Equal inputs give equal results. Only datasets whose callbacks are pure can be saved. */
#define WEIR_CALLBACK_PURE 8u
/* It runs only on a thread that is inside weir_iterator_next or _try_next of its iterator; for hosts that
 * cannot serve foreign threads. */
#define WEIR_CALLBACK_ON_CALLER 16u

/* A function that map, filter … call. It reads its inputs with weir_call_input, and writes every output into
 * memory from weir_call_output. It returns WEIR_OK, or anything else to fail: the error is that of
 * weir_call_fail, else `unknown`, whatever the number. Outputs of a row that failed need not be filled, nor
 * asked for where all rows failed. It may call any function of this header, weir_iterator_next on another
 * iterator included. */
typedef struct weir_callback {
  uint32_t struct_size;
  uint32_t flags; /* WEIR_CALLBACK_... */
  int32_t (*function)(void* user_data, weir_call call);
  void (*destroy)(void* user_data); /* exactly once, after the last call, on any thread; may be NULL */
  void* user_data;
  const char* result_spec; /* of one result: "(float32[28, 28], int64)"; NULL: that of the input */
  uint64_t result_spec_size;
} weir_callback;

#define WEIR_CALLBACK_INIT \
  { sizeof(weir_callback), 0, NULL, NULL, NULL, NULL, 0 }

/* Registers a callback under a name, which every text parsed with this runtime may then call @NAME, and which
 * stays in serialized graphs. Taken over: destroyed when the runtime and all datasets that use it are gone,
 * at once if this call fails. Errors: invalid_argument; already_exists. Cost: a few small allocations, and
 * reading the result spec. */
WEIR_API int32_t weir_runtime_register(weir_runtime runtime, const char* name, uint64_t name_size,
                                       const weir_callback* callback, weir_error* error);

/* The following may be called only inside a callback, with the call that it was given; afterwards the call
 * is a stale handle. Threads: those of the callback, one at a time. */

/* Yields the number of rows: 1 but for WEIR_CALLBACK_BLOCK; 0 for a stale call. Cost: constant; no
 * allocation. */
WEIR_API int64_t weir_call_rows(weir_call call);

/* Yields input component `index` (the flat list of the element's components), to be read until the callback
 * returns. Errors: out_of_range. Cost: constant; no allocation. */
WEIR_API int32_t weir_call_input(weir_call call, uint32_t index, weir_view* out, weir_error* error);

/* Yields uninitialised memory for result component `index` with these dimensions, all of which the callback
 * must fill. Strings are filled with weir_string whose bytes come from weir_call_allocate or from an input.
 * Errors: out_of_range; invalid_argument: the dimensions do not fit the result spec; resource_exhausted.
 * Cost: an allocation, or none where memory can be reused. */
WEIR_API int32_t weir_call_output(weir_call call, uint32_t index, int32_t rank, const int64_t* dims,
                                  void** out, weir_error* error);

/* Yields bytes that live as long as the results of this call. Errors: resource_exhausted. Cost: an
 * allocation. */
WEIR_API int32_t weir_call_allocate(weir_call call, uint64_t size, void** out, weir_error* error);

/* Fails one row (0 but for WEIR_CALLBACK_BLOCK); of a row failed twice the first error stays. The callback
 * may go on and return WEIR_OK. `code` is a WEIR_CODE_... Errors: out_of_range. Cost: copying the message. */
WEIR_API int32_t weir_call_fail(weir_call call, int64_t row, int32_t code, const char* message,
                                uint64_t message_size, weir_error* error);

/* Yields 1 if nobody waits for the result any more, so that a long callback should return; else 0. Cost:
 * constant; no allocation. */
WEIR_API int32_t weir_call_cancelled(weir_call call);

/* ---- Datasets ------------------------------------------------------------------------------------------ */

/* Something handed over by name: a text, a callback, a dataset or a tensor. Exactly one of the last four is
 * set. A callback is taken over and destroyed even when the call fails; the rest stays the caller's. The
 * macros below are initialisers, `name` and `text` ending at their NUL:
 *
 *   weir_argument arguments[] = {WEIR_ARGUMENT_TEXT("file", path), WEIR_ARGUMENT_CALLBACK("f", &callback)};
 */
typedef struct weir_argument {
  uint32_t struct_size;
  uint32_t reserved;
  const char* name;
  uint64_t name_size;
  const char* text;
  uint64_t text_size;
  const weir_callback* callback;
  weir_dataset dataset;
  weir_tensor tensor;
} weir_argument;

#define WEIR_ARGUMENT_INIT                                       \
  {                                                              \
    sizeof(weir_argument), 0, NULL, 0, NULL, 0, NULL, {0}, { 0 } \
  }
#define WEIR_ARGUMENT_TEXT(name, text)                                                   \
  {                                                                                      \
    sizeof(weir_argument), 0, (name), WEIR_STRLEN, (text), WEIR_STRLEN, NULL, {0}, { 0 } \
  }
#define WEIR_ARGUMENT_CALLBACK(name, callback)                                     \
  {                                                                                \
    sizeof(weir_argument), 0, (name), WEIR_STRLEN, NULL, 0, (callback), {0}, { 0 } \
  }
#define WEIR_ARGUMENT_DATASET(name, dataset)                                               \
  {                                                                                        \
    sizeof(weir_argument), 0, (name), WEIR_STRLEN, NULL, 0, NULL, {(dataset).value}, { 0 } \
  }
#define WEIR_ARGUMENT_TENSOR(name, tensor)                                                \
  {                                                                                       \
    sizeof(weir_argument), 0, (name), WEIR_STRLEN, NULL, 0, NULL, {0}, { (tensor).value } \
  }

/* Yields the dataset that a text means; the caller's, to unref. `arguments` are `argument_count` things that
 * the text calls @NAME; a text among them is a string, byte for byte: tfrecord(@file) needs no quotes and no
 * escapes. Everything is checked now but what only elements show: opening
 * files, unknown dimensions. Errors: invalid_argument with line, column and a caret below the place. Cost:
 * proportional to the text, and listing folders where it has list_files. */
WEIR_API int32_t weir_dataset_parse(weir_runtime runtime, const char* text, uint64_t text_size,
                                    const weir_argument* arguments, uint64_t argument_count,
                                    weir_dataset* out, weir_error* error);

/* Yields one operator applied to datasets, without a text for the whole: apply(runtime, "batch", &input, 1,
 * {name "n", text "32"}, 1). Arguments are the operator's parameters by name; an empty name means the next
 * positional one, and a text is a value of the notation. A transformation takes the first of `inputs` from
 * its left, further ones (concatenate) and those of a source (zip) as its first positional arguments. Errors
 * and cost as weir_dataset_parse. */
WEIR_API int32_t weir_dataset_apply(weir_runtime runtime, const char* operator_name,
                                    uint64_t operator_name_size, const weir_dataset* inputs,
                                    uint64_t input_count, const weir_argument* arguments,
                                    uint64_t argument_count, weir_dataset* out, weir_error* error);

/* Adds an owner; each has to unref. Errors: invalid_argument; resource_exhausted at 32,767 owners. Cost:
 * constant; an atomic operation, no allocation. */
WEIR_API int32_t weir_dataset_ref(weir_dataset dataset, weir_error* error);
WEIR_API void weir_dataset_unref(weir_dataset dataset);

/* Yields the structure of the elements; the caller's, to unref. Errors: invalid_argument. Cost:
 * proportional to the parts of the spec. */
WEIR_API int32_t weir_dataset_spec(weir_dataset dataset, weir_spec* out, weir_error* error);

#define WEIR_CARDINALITY_INFINITE (-1)
#define WEIR_CARDINALITY_UNKNOWN (-2)

/* Yields the number of elements, or one of the two above. Errors: invalid_argument. Cost: constant; no
 * allocation. */
WEIR_API int32_t weir_dataset_cardinality(weir_dataset dataset, int64_t* out, weir_error* error);

/* Yields the canonical text; parsing it gives an equal dataset. Callbacks without a name and large tensors
 * print as @1, @2 … Errors: invalid_argument. Cost: proportional to the text. */
WEIR_API int32_t weir_dataset_format(weir_dataset dataset, weir_bytes* out, weir_error* error);

/* Yields the graph as bytes for another process or another day. Errors: failed_precondition: it has a
 * callback without a name. Cost: proportional to the graph and its tensors. */
WEIR_API int32_t weir_dataset_serialize(weir_dataset dataset, weir_bytes* out, weir_error* error);

/* Checks a text as weir_dataset_parse does, and yields its mistakes as a JSON array in the order of the text: `[]`
 * if it builds, else up to ten objects with `code`, `message`, where known `operator`, `parameter`, `expected`,
 * `found`, `hint` and `notes`, and `span`: `offset` and `size` in bytes, `line`, `column`, `end_line` and `end_column`
 * counted from 1 in characters. Returns WEIR_OK whether or not there are mistakes. `arguments` as in
 * weir_dataset_parse. Errors: invalid_argument: the arguments themselves are wrong. Cost: as weir_dataset_parse. */
WEIR_API int32_t weir_dataset_check(weir_runtime runtime, const char* text, uint64_t text_size,
                                    const weir_argument* arguments, uint64_t argument_count, weir_bytes* out,
                                    weir_error* error);

/* Creates the dataset that weir_dataset_serialize wrote. `arguments` as in weir_dataset_parse. Errors:
 * data_loss: the bytes are damaged, in whatever bit; failed_precondition: another version of the library
 * wrote them; not_found: a callback is not registered under its name; those of weir_dataset_parse. Cost: as
 * weir_dataset_parse. */
WEIR_API int32_t weir_dataset_deserialize(weir_runtime runtime, const void* bytes, uint64_t byte_size,
                                          const weir_argument* arguments, uint64_t argument_count,
                                          weir_dataset* out, weir_error* error);

typedef struct weir_fingerprint {
  uint64_t words[2];
} weir_fingerprint;

/* Yields 128 bits that equal graphs share, in every process and on every machine. Errors: invalid_argument.
 * Cost: constant: it was computed with the dataset. */
WEIR_API int32_t weir_dataset_fingerprint(weir_dataset dataset, weir_fingerprint* out, weir_error* error);

/* ---- Elements: what an iterator fills ------------------------------------------------------------------ */

/* Yields an empty element, to be filled any number of times; it keeps memory for the next filling. Errors:
 * resource_exhausted. Cost: a small allocation. Threads: one at a time use one element, for all functions
 * here. */
WEIR_API int32_t weir_element_create(weir_element* out, weir_error* error);
WEIR_API void weir_element_destroy(weir_element element);

/* Lets go of the values, so that their memory can be reused elsewhere. Takes an empty element. Cost:
 * proportional to its components, and to the buffers that nobody else holds. */
WEIR_API void weir_element_clear(weir_element element);

/* Yields component `index` of the flat list (a dict's in written order). The view, dims included, lives until
 * the element is filled again, cleared or destroyed. Errors: out_of_range, which an empty element gives for
 * every index. Cost: constant; no allocation, and no lock. */
WEIR_API int32_t weir_element_view(weir_element element, uint32_t index, weir_view* out, weir_error* error);

/* A record of a file: where an element came from. */
typedef struct weir_origin {
  uint32_t struct_size;
  uint32_t reserved;
  weir_string file; /* empty where it is not known */
  int64_t record;   /* counted from 0, -1 where it is not known */
} weir_origin;
#define WEIR_ORIGIN_INIT \
  { sizeof(weir_origin), 0, {NULL, 0}, -1 }

/* Tells which record of which file element `row` came from: 0, or a row of what weir_iterator_next_block gave. A
 * batch or another group has the origin of its first member; elements of sources without records have none. The
 * file's name lives until the next call for this element, or until the element is filled again, cleared or
 * destroyed. Errors: out_of_range: the element has no such row; invalid_argument. Cost: a copy of the name. */
WEIR_API int32_t weir_element_origin(weir_element element, uint32_t row, weir_origin* out, weir_error* error);

/* Yields the component as a tensor of the caller's, sharing its memory (which the element then leaves to it).
 * Errors: out_of_range. Cost: a small allocation, whatever the size. */
WEIR_API int32_t weir_element_tensor(weir_element element, uint32_t index, weir_tensor* out,
                                     weir_error* error);

/* The library may hand out memory that others still read: the DLPack tensor carries the read-only flag then.
 * With this flag it is copied instead, so that the caller may write. */
#define WEIR_DLPACK_WRITABLE 1u

/* Yields the component as a versioned DLPack tensor (weir/dlpack.h) that shares its memory; the receiver
 * calls its deleter, on any thread and at any time, also after the runtime is gone. Errors: out_of_range;
 * invalid_argument: strings and nested datasets have no DLPack type. Cost: a few small allocations, or the
 * copy. */
WEIR_API int32_t weir_element_dlpack(weir_element element, uint32_t index, uint32_t flags,
                                     struct DLManagedTensorVersioned** out, weir_error* error);

/* Instead of the notation: one JSON value. Tuples are arrays, dicts objects, tensors nested arrays; a float
 * is a number or "NaN", "Infinity", "-Infinity"; a complex number [re, im]; a string that is no UTF-8 is
 * {"base64": "..."}; a sparse tensor {"indices": x, "values": x, "shape": x}; a ragged one {"values": x,
 * "row_splits": x}; a nested dataset an array. */
#define WEIR_FORMAT_JSON 1u

/* Yields the element as one line of text. A nested dataset is drained for it, and its error is this call's.
 * Errors: failed_precondition: the element is empty; resource_exhausted: the text would be longer than 1 GiB.
 * Cost: proportional to the text. */
WEIR_API int32_t weir_element_format(weir_element element, uint32_t flags, weir_bytes* out,
                                     weir_error* error);

/* ---- Iterators ----------------------------------------------------------------------------------------- */

/* Leaves the new iterator uninitialised although the dataset needs no parameters. */
#define WEIR_ITERATOR_UNINITIALIZED 1u

/* What a position begins with. At most one of checkpoint and checkpoint_file is set; NULL with a size is
 * invalid_argument. */
typedef struct weir_iterator_options {
  uint32_t struct_size;
  uint32_t flags; /* WEIR_ITERATOR_... */
  /* Values for `param NAME: spec`, each a text ("5"; that of a string stands for itself) or a tensor. */
  const weir_argument* params;
  uint64_t param_count;
  const void* checkpoint; /* what weir_iterator_save gave; copied */
  uint64_t checkpoint_size;
  const char* checkpoint_file; /* what weir_iterator_save_file wrote */
  uint64_t checkpoint_file_size;
} weir_iterator_options;

#define WEIR_ITERATOR_OPTIONS_INIT \
  { sizeof(weir_iterator_options), 0, NULL, 0, NULL, 0, NULL, 0 }

/* Yields an iterator at the beginning of `dataset`, or where the checkpoint was taken; the caller's, to
 * destroy. The dataset may be another runtime's: threads, memory, logger and limits are those of `runtime`,
 * callbacks those that the dataset was made with. If the dataset has parameters and `options` (may be NULL)
 * brings none, it is uninitialised, and so is one with the flag. Errors: those of weir_iterator_initialize.
 * Cost: proportional to the operators, and to the checkpoint if there is one; no file of data is opened and
 * no element made before the first next. */
WEIR_API int32_t weir_iterator_create(weir_runtime runtime, weir_dataset dataset,
                                      const weir_iterator_options* options, weir_iterator* out,
                                      weir_error* error);

/* Yields an uninitialised iterator for any dataset whose elements have this structure; initialise it from one
 * after another, training and validation, say. Errors: invalid_argument. Cost: proportional to the parts of
 * the spec. */
WEIR_API int32_t weir_iterator_create_from_spec(weir_runtime runtime, weir_spec spec, weir_iterator* out,
                                                weir_error* error);

/* Begins `dataset` (a zero handle: the one it has), anew or from a checkpoint. The flag
 * WEIR_ITERATOR_UNINITIALIZED is refused. The new position is built and
 * checked first, so a failure leaves the old one in service. How often a shuffle was opened goes on counting,
 * so that every epoch has another order, also with other datasets in between. Lifts a cancellation. Errors:
 * invalid_argument: the structure is not that of the iterator, a parameter is missing, unknown or of another
 * spec; data_loss: the checkpoint is damaged; failed_precondition: it belongs to another graph (the error
 * names the operator and parameter that differ), to other parameters or to another version of the library,
 * or there is no dataset; resource_exhausted: its file is larger than 4 GiB. Cost: as weir_iterator_create;
 * what a checkpoint has to read again is read in the next call of next. Threads: any; waits for a next that
 * is being worked on. */
WEIR_API int32_t weir_iterator_initialize(weir_iterator iterator, weir_dataset dataset,
                                          const weir_iterator_options* options, weir_error* error);

/* Cancels, and releases what the iterator holds. Waits for callbacks and kernels of this iterator that are
 * running, but never for reads; inside one of its own callbacks it waits for nothing, and the last to leave
 * releases. Cost: that wait, and releasing what the operators hold: buffers, open files, rows kept by a
 * shuffle. */
WEIR_API void weir_iterator_destroy(weir_iterator iterator);

/* Yields the structure of the elements; the caller's, to unref. Errors: invalid_argument. Cost:
 * proportional to the parts of the spec. */
WEIR_API int32_t weir_iterator_spec(weir_iterator iterator, weir_spec* out, weir_error* error);

/* Fills `element` with the next element. WEIR_END at the end and from then on; WEIR_ELEMENT_FAILED: this one
 * failed, `error` says why, the next call goes on. In both cases the element is empty. Errors: cancelled;
 * failed_precondition: it is not initialised, or this call would wait for itself; invalid_argument. Cost:
 * what the pipeline costs, and some 50 ns a call with one weir_element_view, as bench/ measures it. Threads:
 * one drives, others wait their turn. While it waits, the calling thread works for this iterator. */
WEIR_API int32_t weir_iterator_next(weir_iterator iterator, weir_element element, weir_error* error);

/* Fills `element` with up to `max_rows` (1 to 1,024) elements at once: every component gets one dimension in
 * front. It gives fewer when that is cheaper, or where shapes change, before a failed element, and at the
 * end. `out_rows` says how many. Results and errors as weir_iterator_next; also unimplemented for nested
 * datasets and for tensors of rank 8, which have no room for one more dimension. Cost: what the pipeline
 * costs, and one call for all rows; a copy where the rows do not lie behind one another yet. Threads: as
 * weir_iterator_next. */
WEIR_API int32_t weir_iterator_next_block(weir_iterator iterator, int64_t max_rows, weir_element element,
                                          int64_t* out_rows, weir_error* error);

/* Memory that the caller lends for one component. */
typedef struct weir_buffer {
  uint32_t struct_size;
  int32_t dtype;     /* must be that of the component; 0: whatever it is */
  void* data;        /* may be NULL if capacity is 0 */
  uint64_t capacity; /* bytes */
  uint64_t used;     /* out: bytes written, or needed */
} weir_buffer;

#define WEIR_BUFFER_INIT \
  { sizeof(weir_buffer), 0, NULL, 0, 0 }

/* Copies the next element into the caller's memory: one buffer a component, `buffer_count` of them, written
 * as far as `used` says. Results and errors as weir_iterator_next; also invalid_argument: strings, another
 * dtype or count; out_of_range: a buffer is too small: then `used` says what is needed, and the element is
 * kept for the next call. Cost: as weir_iterator_next, and the copy. Threads: as weir_iterator_next; the
 * buffers are the call's until it returns. */
WEIR_API int32_t weir_iterator_next_into(weir_iterator iterator, weir_buffer* buffers, uint64_t buffer_count,
                                         weir_error* error);

/* Like weir_iterator_next, but WEIR_PENDING instead of waiting for other threads. What no other thread does
 * it does itself: it works for up to a millisecond, or for as long as the one function or read takes that it
 * is in then, callbacks that block included. Only what stands before a prefetch runs elsewhere. Errors: those
 * of weir_iterator_next. Cost: as weir_iterator_next. Threads: as weir_iterator_next; WEIR_PENDING too while
 * another thread is in a next of this iterator. */
WEIR_API int32_t weir_iterator_try_next(weir_iterator iterator, weir_element element, weir_error* error);

/* Yields a file descriptor that is readable while weir_iterator_try_next is worth calling: from the first
 * call on until a try_next answers WEIR_PENDING, and again as soon as another one may get further: when an
 * element or the end has come, when the iterator is cancelled or initialised, or when the thread that was in
 * a next has left it. It may be readable for nothing. Poll for it, never read from it: it stays the
 * iterator's, and closes with it. Errors: unavailable; resource_exhausted. Cost: a system call, once. */
WEIR_API int32_t weir_iterator_ready_fd(weir_iterator iterator, int32_t* out, weir_error* error);

/* Makes every next, the one in progress included, answer cancelled, until the iterator is initialised again.
 * Takes stale handles. Threads: any, at any time. Cost: waking whoever waits in it; waits for nothing. */
WEIR_API void weir_iterator_cancel(weir_iterator iterator);

/* Yields the position: an iterator that begins there gives the same elements as this one would from now on,
 * bit for bit. Also before the first next and after the end. Errors: failed_precondition: it is not
 * initialised, or an operator, which the error names, cannot be saved; resource_exhausted: it would be larger
 * than 4 GiB. Cost: proportional to the operators, not to what they hold; see `shuffle`. Threads: any; waits
 * for a next that is being worked on. */
WEIR_API int32_t weir_iterator_save(weir_iterator iterator, weir_bytes* out, weir_error* error);

/* The same into a file: after a crash at any moment it holds either what it held before or all of the new
 * checkpoint. Symbolic links are followed: the link stays, and what it leads to is replaced, or created if it
 * does not exist. While it writes there is a file with ".tmp" added to the name. Errors: also those of the
 * file; invalid_argument: the name belongs to a folder, pipe, socket or device. Cost: two fsync more. */
WEIR_API int32_t weir_iterator_save_file(weir_iterator iterator, const char* file, uint64_t file_size,
                                         weir_error* error);

/* ---- Writing records and examples ---------------------------------------------------------------------- */

#define WEIR_COMPRESSION_NONE 0
#define WEIR_COMPRESSION_GZIP 1
#define WEIR_COMPRESSION_ZLIB 2

typedef struct weir_record_writer_options {
  uint32_t struct_size;
  int32_t compression; /* WEIR_COMPRESSION_... */
  int32_t level;       /* 1 to 9; 0: the compressor's choice */
  uint32_t reserved;
} weir_record_writer_options;

#define WEIR_RECORD_WRITER_OPTIONS_INIT \
  { sizeof(weir_record_writer_options), 0, 0, 0 }

/* Yields a writer of an empty TFRecord file of that name, in place of any that was there. `options` may be
 * NULL. Errors: those of the file; invalid_argument. Cost: opening a file. Threads: one at a time use one
 * writer. */
WEIR_API int32_t weir_record_writer_create(weir_runtime runtime, const char* file, uint64_t file_size,
                                           const weir_record_writer_options* options, weir_record_writer* out,
                                           weir_error* error);

/* Appends a record of up to 1 GiB; one of more than 256 MiB is read only by a runtime whose record_bytes
 * allows it. After an error the file is damaged, and every further call gives the same error. Cost: the
 * checksum and the copy; may write to the file. */
WEIR_API int32_t weir_record_writer_write(weir_record_writer writer, const void* record, uint64_t record_size,
                                          weir_error* error);

/* Completes the file; the writer then only waits to be destroyed. Errors: those of the file; those of an
 * earlier write. Cost: compressing and writing what is still in the buffer, and closing the file. */
WEIR_API int32_t weir_record_writer_close(weir_record_writer writer, weir_error* error);

/* Releases the writer; a file that was not closed is incomplete. Cost: closing the file, unwritten. */
WEIR_API void weir_record_writer_destroy(weir_record_writer writer);

/* Yields an empty tf.Example to be built. Errors: resource_exhausted. Threads: one at a time use one
 * example. */
WEIR_API int32_t weir_example_create(weir_example* out, weir_error* error);
WEIR_API void weir_example_destroy(weir_example example);

/* Sets a feature to `count` values, which are copied; setting a name again replaces them. Errors:
 * invalid_argument; resource_exhausted. Cost: the copy. */
WEIR_API int32_t weir_example_set_int64(weir_example example, const char* name, uint64_t name_size,
                                        const int64_t* values, uint64_t count, weir_error* error);
WEIR_API int32_t weir_example_set_float(weir_example example, const char* name, uint64_t name_size,
                                        const float* values, uint64_t count, weir_error* error);
WEIR_API int32_t weir_example_set_bytes(weir_example example, const char* name, uint64_t name_size,
                                        const weir_string* values, uint64_t count, weir_error* error);

/* Yields the serialized message, features sorted by name, and leaves the example as it is; equal features
 * give equal bytes. Errors: resource_exhausted at 2 GiB. Cost: the copy. */
WEIR_API int32_t weir_example_serialize(weir_example example, weir_bytes* out, weir_error* error);

#ifdef __cplusplus
}
#endif

#endif /* WEIR_WEIR_H */
