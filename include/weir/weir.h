/* weir.h: data loading for programs that train or run models. This header is the manual; read it from the
 * top.
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
 * Terms. A dataset is an immutable description of a sequence. An element is one item of it, a nested
 * structure of components; a component is one tensor. An iterator is a position in a dataset.
 *
 * Results. A function that can fail returns an int32_t: WEIR_OK (0), success; WEIR_END (1), no more elements;
 * WEIR_PENDING (2), nothing yet; WEIR_ELEMENT_FAILED (3), this element failed and the next call continues
 * after it. A negative result is minus the error code: -3 is invalid_argument. The call failed, and repeating
 * it will not help. There is no "last error" and no global option.
 *
 * Errors. Every function that can fail takes a weir_error as its last argument, which may be NULL. It is
 * filled when the result is negative or WEIR_ELEMENT_FAILED, and not touched otherwise. The comments name the
 * errors that are particular to a function; every function can also return invalid_argument for a bad handle
 * or argument, and resource_exhausted when memory runs out.
 *
 * After a failed call its out parameters are zero, and the destroy and release functions that were passed to
 * it have been called. Out parameters must not be NULL.
 *
 * Memory. When memory runs out, or an allocator returns NULL, a call fails with resource_exhausted, "out of
 * memory". For an iterator, this is one failed element, and the next call continues after it. The error takes
 * the place of the element; later elements and their positions are the same as without it, also after saving
 * and restoring. The parts that were gathered for the element are lost: the elements of a batch, the rows of
 * a block, and all elements of a file or dataset that could not be opened. Nothing is tried twice, so a
 * sequence always ends where its input does. After an error in opening a dataset, or in or below filter,
 * ignore_errors, flat_map, interleave, skip or unbatch, positions may differ, since the number of lost
 * elements is unknown.
 *
 * Stack. A call needs up to about 2 KiB of stack for each operator in a row, of which there may be 1,000.
 *
 * Handles. Each kind is a struct of one 64-bit value; zero means none. A stale, foreign or made-up handle is
 * an error (invalid_argument), never a crash. Shared, immutable things have _ref and _unref; things with one
 * owner have _create and _destroy. Release them in any order, such as a dataset before its iterator, or a
 * runtime before both: the library keeps what is still in use. Releasing never fails; zero handles and
 * handles that were already released are ignored. A child process after fork cannot use its parent's handles.
 *
 * A process can have 4,194,304 handles of all kinds at once; one more is resource_exhausted.
 *
 * Structs begin with struct_size, which the WEIR_..._INIT macros set. 0 means the size that the struct has in
 * the first release, so {0} works too. A zero field means its default. Structs only grow at their end, and
 * every earlier size is accepted, in arrays too. Fields named `reserved`, and bytes beyond the fields that
 * this library knows, must be zero.
 *
 * Growth. Within a minor version, until 1.0, things are only added: functions, flags, and fields at the end
 * of structs. A program that was built with an older header works with a newer library. A flag that the
 * library does not know is invalid_argument. A function is retired in two steps: one version says in its
 * comment what replaces it, and a later version removes it. docs/api-changes.md lists every change.
 *
 * Strings are a pointer and a length, and contain UTF-8 or bytes. WEIR_STRLEN as a length means that the
 * string ends at its NUL. NULL with length 0 is the empty string. Strings returned by the library are
 * NUL-terminated as well, except the entries of tensors.
 *
 * Descriptions. weir_schema, weir_dataset_check, weir_dataset_explain, weir_element_format,
 * weir_iterator_stats and weir_checkpoint_describe return JSON (docs/json.md). With WEIR_TEXT in `flags` they
 * return text for a terminal. Unknown flags are invalid_argument. The caller releases `out` with
 * weir_bytes_release.
 *
 * Examples. Short programs in examples/ show one thing each: arrays.c a dataset over the program's memory,
 * write_records.c a TFRecord file, callback.c a function in a pipeline, threads.c an iterator that threads
 * share, events.c an event loop.
 *
 * Functions that the program passes to the library should not throw. If one does, the library catches the
 * exception. If the function returns a result, it counts as failed; an allocation counts as NULL; otherwise
 * the exception is ignored. Callbacks and generators can be nested up to 32 deep on one thread; the next call
 * fails with failed_precondition.
 *
 * Threads. Unless its comment says otherwise, a function may be called on any thread, and several threads
 * may use one handle at once.
 *
 * A thread must not end while it is inside the library. A callback must not call pthread_exit, and a thread
 * must not be cancelled during a call: pthread_setcancelstate can disable cancellation around it. To stop a
 * thread that waits, call weir_iterator_cancel.
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

/* Numbered as in gRPC and TensorFlow. weir_error.code is one of them; a negative result is minus one of
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
/* A nested dataset; it cannot be viewed. */
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
typedef struct weir_checkpoint_manager {
  uint64_t value;
} weir_checkpoint_manager;
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
typedef struct weir_file {
  uint64_t value;
} weir_file;

/* As a length: the string ends at its NUL. */
#define WEIR_STRLEN UINT64_MAX

/* A borrowed string; also the entry of a string tensor. */
typedef struct weir_string {
  const char* data;
  uint64_t size;
} weir_string;

/* Bytes owned by the caller, who releases them with weir_bytes_release. A NUL follows them. */
typedef struct weir_bytes {
  const char* data;
  uint64_t size;
  uint64_t owner; /* a handle; leave it alone */
} weir_bytes;

#define WEIR_BYTES_INIT \
  { NULL, 0, 0 }

/* What went wrong and where. The strings live until the error is filled again or cleared. */
typedef struct weir_error {
  uint32_t struct_size;
  int32_t code;        /* WEIR_CODE_... */
  weir_string message; /* what is wrong and what to do; may have several lines */
  weir_string path;    /* the operator, from the root: "batch/map"; empty if unknown */
  weir_string file;    /* empty if unknown */
  int64_t offset;      /* in the file, in decompressed bytes; -1 if unknown */
  int64_t record;      /* in the file, from 0; -1 if unknown */
  weir_string line;    /* all of this except the code in one line, for logs */
  uint64_t owner;      /* a handle; leave it alone */
} weir_error;

#define WEIR_ERROR_INIT \
  { sizeof(weir_error), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, -1, -1, {NULL, 0}, 0 }

/* One tensor, row-major, read in place. */
typedef struct weir_view {
  uint32_t struct_size;
  int32_t dtype; /* WEIR_DTYPE_... */
  int32_t rank;  /* 0 to 8 */
  int32_t reserved;
  const int64_t* dims; /* `rank` of them */
  const void* data;    /* aligned for its dtype; a bool is a byte, 0 or 1 */
  uint64_t byte_size;  /* of the entries; 16 for each string, without its bytes */
  int32_t device_type; /* WEIR_DEVICE_...; where `data` is */
  int32_t device_id;   /* the number of the device; 0 for the CPU */
  void* ready;         /* a CUevent after the copy to the device; NULL for the CPU */
} weir_view;

#define WEIR_VIEW_INIT \
  { sizeof(weir_view), 0, 0, 0, NULL, NULL, 0, 0, 0, NULL }

/* As in DLPack. */
#define WEIR_DEVICE_CPU 1
#define WEIR_DEVICE_CUDA 2

/* ---- Library ------------------------------------------------------------------------------------------- */

/* Returns "MAJOR.MINOR.PATCH" of the loaded library. The string is never freed. */
WEIR_API const char* weir_version(void);

/* Returns the name of a code with either sign, such as "invalid_argument"; "ok" for 0, and "unknown" for any
 * other number. The string is never freed. */
WEIR_API const char* weir_code_name(int32_t code);

/* Releases the strings of an error and empties it for the next use. NULL is allowed. One thread at a time may
 * use an error. */
WEIR_API void weir_error_clear(weir_error* error);

/* Releases bytes and sets the struct to zero. NULL and empty bytes are allowed. */
WEIR_API void weir_bytes_release(weir_bytes* bytes);

/* A flag of every function that returns JSON: text for a terminal instead. */
#define WEIR_TEXT 1u

/* Describes the operators and functions called `name`, or all of them if it is NULL, as JSON. With
 * WEIR_TEXT: the page of the name, or one line per name. Names that only extensions provide are found by
 * loading the extensions (see Extensions for their folders). In the list of all, an entry whose extension
 * can't be loaded has the error as its description; "(an extension)" is one with a damaged index. Errors:
 * not_found, with the nearest name; those of the extension. */
WEIR_API int32_t weir_schema(const char* name, uint64_t name_size, uint32_t flags, weir_bytes* out,
                             weir_error* error);

/* ---- Runtime: threads, memory and logging that iterators share ----------------------------------------- */

/* Allocates batch buffers of 64 KiB and more, for example in pinned memory. The functions may be called on
 * any thread, and even after weir_runtime_destroy, as long as such a buffer is in use. Iterators of documents
 * with to_device don't use it: their buffers are pinned memory of the library's own. */
typedef struct weir_allocator {
  uint32_t struct_size;
  uint32_t reserved;
  /* NULL means out of memory and fails the element; see Memory above. */
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

/* Receives the library's few log lines in place of standard error. May be called on any thread, and before
 * weir_runtime_create returns. It must not call into the library. */
typedef struct weir_logger {
  uint32_t struct_size;
  uint32_t reserved;
  void (*log)(void* user_data, int32_t level, const char* line, uint64_t line_size);
  void (*destroy)(void* user_data); /* once, after the last line; may be NULL */
  void* user_data;
} weir_logger;

#define WEIR_LOGGER_INIT \
  { sizeof(weir_logger), 0, NULL, NULL, NULL }

/* Publishes the state of the runtime's iterators for `weir top`, in a page of shared memory that a separate
 * thread rewrites twice a second. The environment variable WEIR_TOP=1 does the same. */
#define WEIR_RUNTIME_TOP 1u

typedef struct weir_runtime_options {
  uint32_t struct_size;
  int32_t thread_count; /* for computing, at most 1024; 0: one per CPU that the process may use, by its
                           affinity and the quota of its control group */
  int64_t pool_bytes;   /* free batch buffers kept for reuse; 0: 256 MiB, or an eighth of the memory that its
                           control group allows, if that is less; negative: none */
  int32_t log_level;    /* WEIR_LOG_...: lines below it are dropped; 0: warning */
  uint32_t flags;       /* WEIR_RUNTIME_... */
  const weir_allocator* allocator; /* copied; NULL: the library's own */
  const weir_logger* logger;       /* copied; NULL: standard error */
  int64_t record_bytes;            /* the longest record that is read; 0: 256 MiB */
  /* The limit for all shuffles, memory caches, windows and batches together; 0: no limit. Beyond it, errors
   * (resource_exhausted) take the place of elements. It is exceeded by a block of rows at most. In addition,
   * iterators run ahead by up to a quarter of this limit, or, if it is 0, of the memory that the process may
   * use. They share that quarter fairly, and wait when it is used up. */
  int64_t memory_bytes;
  /* NULL, or a file for a timeline of the runtime's threads in Chrome's trace event format, which Perfetto
   * opens: pulls, calls, reads and waits. It is written when the runtime ends, with the newest 262,144
   * events, which take 10 MB until then. If it can't be written, that is logged as an error. */
  const char* trace_file;
  uint64_t trace_file_size;
  /* Folders with extensions, separated by colons, which come before those of the environment variable
   * WEIR_EXTENSIONS and the folder `weir` beside the library; see Extensions. NULL: none. */
  const char* extensions;
  uint64_t extensions_size;
} weir_runtime_options;

#define WEIR_RUNTIME_OPTIONS_INIT \
  { sizeof(weir_runtime_options), 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, 0, NULL, 0 }

/* Creates a runtime owned by the caller and starts its threads. `options` may be NULL. Most programs need
 * one; runtimes share nothing. Errors: failed_precondition inside exit(), once it has come to the handlers
 * and destructors that were registered before the process's first runtime was created. */
WEIR_API int32_t weir_runtime_create(const weir_runtime_options* options, weir_runtime* out,
                                     weir_error* error);

/* Closes the runtime, so that nothing new can be created with it. Its iterators, datasets and buffers stay
 * usable, and its threads end with its last iterator. */
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
  int32_t rank;             /* -1 if unknown */
  const int64_t* dims;      /* `rank` of them, -1 if unknown; they live as long as the spec */
  uint32_t child_count;     /* members of a tuple or dict; 1 for optional and dataset */
  uint32_t component_count; /* of the flat list */
} weir_spec_info;

#define WEIR_SPEC_INFO_INIT \
  { sizeof(weir_spec_info), 0, 0, 0, NULL, 0, 0 }

/* Creates a spec from a text such as "{image: uint8[28, 28], label: int64}", owned by the caller. Errors:
 * invalid_argument, with line and column. */
WEIR_API int32_t weir_spec_parse(const char* text, uint64_t text_size, weir_spec* out, weir_error* error);

/* Adds an owner, who must unref as well. Errors: resource_exhausted at 32,767 owners. */
WEIR_API int32_t weir_spec_ref(weir_spec spec, weir_error* error);
/* Releases one owner; the last one frees the spec. */
WEIR_API void weir_spec_unref(weir_spec spec);

/* Describes the top of a spec. No allocation. */
WEIR_API int32_t weir_spec_view(weir_spec spec, weir_spec_info* out, weir_error* error);

/* Returns child `index`, owned by the caller, and its key, which is empty except in dicts and lives as long
 * as `spec`. `key` may be NULL. Errors: out_of_range. */
WEIR_API int32_t weir_spec_child(weir_spec spec, uint32_t index, weir_spec* out, weir_string* key,
                                 weir_error* error);

/* Finds a component by its path and returns its index, for weir_element_view. A path joins keys and positions
 * with dots: "image", "1", "pair.0"; a key that is not an identifier may be quoted, "\"a.b\".x". Parts of a
 * sparse tensor are `indices`, `values` and `shape`, of a ragged one `values` and `row_splits`. "" is the
 * component of a spec that has only one. Errors: not_found, with the nearest part; invalid_argument if the
 * path leads to several components. */
WEIR_API int32_t weir_spec_component(weir_spec spec, const char* path, uint64_t path_size, uint32_t* out,
                                     weir_error* error);

/* Returns the text of a spec. */
WEIR_API int32_t weir_spec_format(weir_spec spec, weir_bytes* out, weir_error* error);

/* ---- Tensors: memory that comes in --------------------------------------------------------------------- */

/* Creates a tensor over the caller's memory, without a copy: `rank` dimensions at `dims` (copied), entries at
 * `data`. The memory must not change until `release(user_data)` is called. That happens exactly once, on any
 * thread, when nothing uses the tensor any more, possibly long after all handles were released; if this call
 * fails, before it returns. `release` may be NULL for memory that is never freed. Strings are an array of
 * weir_string, and their bytes are borrowed as well. Errors: invalid_argument if byte_size does not fit dtype
 * and dims, the rank is above 8, `data` is not aligned for its dtype, or a bool is a byte above 1 (copy it
 * then, which makes 1 of those). Cost: a few small allocations, whatever the size; strings and bools are
 * checked one by one. */
WEIR_API int32_t weir_tensor_wrap(int32_t dtype, int32_t rank, const int64_t* dims, const void* data,
                                  uint64_t byte_size, void (*release)(void* user_data), void* user_data,
                                  weir_tensor* out, weir_error* error);

/* The same with a copy of everything, including the bytes of strings. The memory may be reused at once. */
WEIR_API int32_t weir_tensor_copy(int32_t dtype, int32_t rank, const int64_t* dims, const void* data,
                                  uint64_t byte_size, weir_tensor* out, weir_error* error);

/* Creates a tensor from a versioned DLPack tensor (weir/dlpack.h) and takes ownership of it: its deleter runs
 * exactly once; if this call fails, before it returns. A tensor that is empty, not contiguous or not aligned
 * is copied. Errors: invalid_argument for NULL, memory that is not the CPU's, another major version, an
 * unsupported dtype, or strides that leave the address space; resource_exhausted above 64 GiB. */
struct DLManagedTensorVersioned;
WEIR_API int32_t weir_tensor_from_dlpack(struct DLManagedTensorVersioned* managed, weir_tensor* out,
                                         weir_error* error);

/* Returns a view, valid as long as the tensor has an owner. No allocation. */
WEIR_API int32_t weir_tensor_view(weir_tensor tensor, weir_view* out, weir_error* error);

/* Adds an owner, who must unref as well. Errors: resource_exhausted at 32,767 owners. */
WEIR_API int32_t weir_tensor_ref(weir_tensor tensor, weir_error* error);
/* Releases one owner; the last one frees the tensor. */
WEIR_API void weir_tensor_unref(weir_tensor tensor);

/* ---- Callbacks: the caller's own functions in a pipeline ----------------------------------------------- */

/* May be called on several threads at once. Without this flag, calls come one at a time, wherever the
 * callback is used. Callbacks with the same function and the same user_data count as one, unless that is
 * NULL. */
#define WEIR_CALLBACK_CONCURRENT 1u
/* It waits (for a disk, a lock, another process), so it must not occupy a computing thread. Before a prefetch
 * or in a parallel map it gets its own thread. Elsewhere it runs on the thread inside weir_iterator_next, as
 * every callback does; for weir_iterator_try_next it may run on a thread of the runtime. */
#define WEIR_CALLBACK_BLOCKING 2u
/* It takes a block of rows: every view and output has the rows as its first dimension. Each row must get the
 * value that it would get alone. */
#define WEIR_CALLBACK_BLOCK 4u
/* Equal inputs give equal results. Without this flag, weir_iterator_options.checkpoint_policy says whether
 * and how the position of an iterator can be saved. */
#define WEIR_CALLBACK_PURE 8u
/* It runs only on a thread that is inside weir_iterator_next or _try_next of its iterator. For languages that
 * cannot be called on foreign threads. */
#define WEIR_CALLBACK_ON_CALLER 16u

/* A function for map, filter and others to call. It reads its inputs with weir_call_input and writes every
 * output into memory from weir_call_output. It returns WEIR_OK, or any other number to fail with the error of
 * weir_call_fail, or `unknown` without one. The outputs of a failed row need not be filled; if all rows
 * failed, no outputs are needed. It may call any function of this header, including weir_iterator_next on
 * another iterator. */
typedef struct weir_callback {
  uint32_t struct_size;
  uint32_t flags; /* WEIR_CALLBACK_... */
  int32_t (*function)(void* user_data, weir_call call);
  void (*destroy)(void* user_data); /* exactly once, after the last call, on any thread; may be NULL */
  void* user_data;
  const char* result_spec; /* of one result: "(float32[28, 28], int64)"; NULL: that of the input */
  uint64_t result_spec_size;
  /* The state that a callback that is not pure keeps from call to call; both or neither. A checkpoint then
   * contains that state, and the elements that were made and not delivered by value, as with
   * WEIR_CHECKPOINT_BY_VALUE. `save` sets `data` and `size`: bytes that stay valid until the next call of any
   * of these functions; no other call runs meanwhile. `restore` gets them before the first call of an
   * iterator that starts from the checkpoint. Both return WEIR_OK, or any other number to fail, with the
   * error of weir_call_fail. The state belongs to the callback, not to an iterator: use it in one iterator at
   * a time, and destroy that iterator before another one starts from its checkpoint. */
  int32_t (*save)(void* user_data, const void** data, uint64_t* size);
  int32_t (*restore)(void* user_data, const void* data, uint64_t size);
  /* Lets texts call it as NAME(…), like a built-in function: a dict of its arguments, such as
   * "{image: uint8[?, ?, 3], scale: float32}". Arguments are given by position or by name, and literals take
   * the dtypes of this dict. Shapes that are unknown when the dataset is built are checked at each element: a
   * row whose shapes don't fit fails. With WEIR_CALLBACK_BLOCK it is called once for all rows of a block
   * whose shapes agree. */
  const char* signature;
  uint64_t signature_size;
  /* Computes the structure of the result if it depends on the arguments; then result_spec is not given. It
   * gets the structure of the arguments, a tuple, and sets `result` to a spec that it created
   * (weir_spec_parse, _child); the library unrefs both. It returns WEIR_OK, or any other number to refuse the
   * arguments. It is called while a dataset is built, on any thread, and may be called again for the same
   * arguments. May be NULL. */
  int32_t (*infer)(void* user_data, weir_spec arguments, weir_spec* result);
  /* What `weir help` prints of a callback with a signature: a paragraph; the first sentence says what it
   * does. May be NULL. */
  const char* doc;
  uint64_t doc_size;
} weir_callback;

#define WEIR_CALLBACK_INIT \
  { sizeof(weir_callback), 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, 0, NULL, NULL, 0 }

/* Registers a callback under a name. Every text parsed with this runtime may then use it as @NAME, or as
 * NAME(…) if it has a signature, and serialized graphs keep the name. The library takes ownership of the
 * callback: it destroys it with the runtime and the last dataset that uses it; if this call fails, before it
 * returns. Errors: already_exists, also if a callback with a signature has the name of an operator, function
 * or dtype of the notation; invalid_argument if its name is a reserved word, such as "let". */
WEIR_API int32_t weir_runtime_register(weir_runtime runtime, const char* name, uint64_t name_size,
                                       const weir_callback* callback, weir_error* error);

/* A source of elements for from_generator(@NAME, spec). Each opening of the dataset, one per epoch and
 * iterator, is a separate run: `open` starts it and sets its state, `next` produces its elements one by one,
 * `close` ends it. The calls of one run come one at a time; so do those of all runs, unless the generator is
 * concurrent. */
typedef struct weir_generator {
  uint32_t struct_size;
  uint32_t flags; /* WEIR_CALLBACK_CONCURRENT, _BLOCKING, _PURE, _ON_CALLER, _BLOCK */
  /* Starts a run; may be NULL. Returns WEIR_OK, or any other number to fail, with the error of
   * weir_call_fail: the run is then one error, and is not closed. */
  int32_t (*open)(void* user_data, void** state);
  /* Writes the next element into memory from weir_call_output and returns WEIR_OK. WEIR_END ends the run,
   * which is then closed. It may fail as a callback does: an error takes the place of an element, and it is
   * called again. The call has no inputs and one row. With WEIR_CALLBACK_BLOCK it may write several elements
   * at once, up to weir_call_rows: the first dimension of the first output says how many, and that of the
   * others is the same. Rows of them that failed are told by weir_call_fail. */
  int32_t (*next)(void* user_data, void* state, weir_call call);
  /* Exactly once for each run that began, on any thread; may be NULL. */
  void (*close)(void* user_data, void* state);
  void (*destroy)(void* user_data); /* exactly once, after every run was closed, on any thread; may be NULL */
  void* user_data;
  /* The position of a run; both or neither. `save` sets `data` and `size`: bytes that stay valid until the
   * next call of any of these functions. It is called between two elements, and often: operators that keep
   * rows call it, not only saving. If it fails, saving the iterator fails, unless an earlier position can be
   * used. `restore` starts a run at such a position. Both return WEIR_OK, or any other number to fail, with
   * the error of weir_call_fail. Without them, a pure generator produces its elements again, up to the
   * position; for others weir_iterator_options.checkpoint_policy says what happens. */
  int32_t (*save)(void* user_data, void* state, const void** data, uint64_t* size);
  int32_t (*restore)(void* user_data, const void* data, uint64_t size, void** state);
  /* Lets texts call a registered generator as NAME(...), like a built-in source: a dict of its parameters,
   * such as "{files: string[?], rows: int64}". Arguments are given by position or by name; literals take the
   * dtypes of this dict, and one string may stand for a string[?]. The functions below get them as a call
   * whose inputs are the components of this dict. */
  const char* signature;
  uint64_t signature_size;
  /* The values of parameters that may be left out: "{rows: 10}". */
  const char* defaults;
  uint64_t defaults_size;
  /* Sets `spec` to the structure of the elements, a spec that it created and the library unrefs. Returns
   * WEIR_OK, or any other number to refuse the arguments; weir_call_fail says why. It is called while a
   * dataset is built, on any thread, and may be called again for the same arguments, which must be known
   * then. Needs a signature; the text then leaves the spec out. */
  int32_t (*infer)(void* user_data, weir_call arguments, weir_spec* spec);
  /* Starts a run in place of `open`, with these arguments; needs a signature. `position` is that of the
   * element to give first: 0, or if there is `count`, any up to what that says. */
  int32_t (*start)(void* user_data, weir_call arguments, int64_t position, void** state);
  /* Sets `count` to the number of elements, errors included; -1 if unknown. If it is known, elements also
   * have positions: datasets are shuffled, cut into parts and resumed by starting runs at them, and `save` is
   * not needed. It is called while a dataset is built, and when it is opened, and must say the same each
   * time. Needs `start`. */
  int32_t (*count)(void* user_data, weir_call arguments, int64_t* count);
  /* What `weir help` prints: a paragraph; the first sentence says what it does. May be NULL. */
  const char* doc;
  uint64_t doc_size;
  /* The format of the tables that the library's own source of this name reads, such as "parquet". The library
   * takes ownership of it; the fields above are then not given. May be NULL. */
  const struct weir_table_format* table;
} weir_generator;

#define WEIR_GENERATOR_INIT                                                                                  \
  {                                                                                                          \
    sizeof(weir_generator), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL, \
        NULL, 0, NULL                                                                                        \
  }

/* Registers a generator under a name. Every text that is parsed with this runtime may then use it as @NAME,
 * or as NAME(...) if it has a signature. The library takes ownership, as of a callback. Errors: those of
 * weir_runtime_register. */
WEIR_API int32_t weir_runtime_register_source(weir_runtime runtime, const char* name, uint64_t name_size,
                                              const weir_generator* source, weir_error* error);

/* The following may be called only inside a callback, a generator's next or a function of a file system, by
 * one thread at a time, with its weir_call. Afterwards the call is a stale handle. */

/* Returns the number of rows: 1 without WEIR_CALLBACK_BLOCK; 0 for a stale call. */
WEIR_API int64_t weir_call_rows(weir_call call);

/* Returns input component `index` of the element's flat list, valid until the callback returns. Errors:
 * out_of_range. No allocation. */
WEIR_API int32_t weir_call_input(weir_call call, uint32_t index, weir_view* out, weir_error* error);

/* Added to the rank of weir_call_output: the caller takes the component for one of this dtype. */
#define WEIR_CALL_DTYPE(dtype) ((int32_t)(dtype)*256)

/* Returns uninitialised memory for result component `index` with these dimensions. The callback must fill all
 * of it; strings are weir_string whose bytes come from weir_call_allocate or from an input. With
 * WEIR_CALL_DTYPE(dtype) added to the rank, another dtype is refused. The memory is aligned for its
 * dtype. Errors: out_of_range; invalid_argument if the dimensions or the dtype do not fit the result spec. */
WEIR_API int32_t weir_call_output(weir_call call, uint32_t index, int32_t rank, const int64_t* dims,
                                  void** out, weir_error* error);

/* Allocates `size` bytes, aligned to 64, that live as long as the results of this call. */
WEIR_API int32_t weir_call_allocate(weir_call call, uint64_t size, void** out, weir_error* error);

/* Fails one row, row 0 without WEIR_CALLBACK_BLOCK. A row that fails twice keeps its first error. The
 * callback may continue and return WEIR_OK. `open`, `save` and `restore` get no call: inside them, pass the
 * call 0 and row 0 to say why they fail. `code` is a WEIR_CODE_... Errors: out_of_range; failed_precondition
 * if no such function runs. */
WEIR_API int32_t weir_call_fail(weir_call call, int64_t row, int32_t code, const char* message,
                                uint64_t message_size, weir_error* error);

/* Returns 1 if the result is no longer needed, else 0. A long callback should ask, and return on 1. */
WEIR_API int32_t weir_call_cancelled(weir_call call);

/* ---- Files elsewhere ----------------------------------------------------------------------------------- */

/* What is known of a file or a folder. */
typedef struct weir_file_info {
  uint32_t struct_size;
  uint32_t flags; /* WEIR_FILE_FOLDER */
  uint64_t size;
  int64_t modified_ns; /* since 1970; 0 if unknown */
  weir_string version; /* another one for other contents, such as an ETag; empty if unknown. The library
                          copies it before the call ends; weir_call_allocate has memory for it */
} weir_file_info;

#define WEIR_FILE_FOLDER 1u

#define WEIR_FILE_INFO_INIT                      \
  {                                              \
    sizeof(weir_file_info), 0, 0, 0, { NULL, 0 } \
  }

/* A file system: where files with names such as "s3://bucket/key" are. Its functions get the whole name. They
 * may be called on any thread, several at once, and all but `read` may block. They return WEIR_OK, or any
 * other number to fail; why is said with weir_call_fail(call, 0, ...), for which not_found,
 * permission_denied, unavailable (it may succeed later), failed_precondition (the file was replaced) and
 * data_loss are the usual codes. If weir_call_cancelled says 1, the result is no longer needed. Of the other
 * functions that take a call, weir_call_allocate may be used as well.
 *
 * The library keeps blocks of files in memory, asks for several at once while a file is read in order, and
 * tries nothing twice: that is left to the file system, which knows what may succeed. */
typedef struct weir_file_system {
  uint32_t struct_size;
  uint32_t flags;      /* 0 */
  const char* schemes; /* what its names begin with, without "://", separated by spaces: "s3" */
  uint64_t schemes_size;
  /* Sets the fields of `out` after struct_size. */
  int32_t (*stat)(void* user_data, weir_string name, weir_file_info* out, weir_call call);
  /* Calls weir_call_entry for each file and folder in `folder`, which ends with a slash, whose name there
   * begins with `prefix`. NULL if names cannot be listed. */
  int32_t (*list)(void* user_data, weir_string folder, weir_string prefix, weir_call call);
  /* Opens a file for reading: sets `file`, and `out` like stat. */
  int32_t (*open)(void* user_data, weir_string name, weir_file_info* out, void** file, weir_call call);
  /* Begins to read `size` bytes from `offset` on, and returns without waiting for them. If it returns
   * WEIR_OK, it calls weir_call_done once, on any thread, now or later: `call` and `out` are valid until
   * then. A read that fails later calls weir_call_fail first. The library asks for nothing beyond the size
   * that `open` told, so fewer bytes than asked for are an error (data_loss). All reads of a file see the
   * contents that were there when it was opened. */
  int32_t (*read)(void* user_data, void* file, uint64_t offset, void* out, uint64_t size, weir_call call);
  /* Exactly once for each file that was opened, after its last read; perhaps inside weir_call_done. */
  void (*close)(void* user_data, void* file);
  /* Begins a new file, in place of one that may be there and stays until `finish`. NULL if files cannot be
   * written. */
  int32_t (*create)(void* user_data, weir_string name, void** writer, weir_call call);
  int32_t (*write)(void* user_data, void* writer, const void* data, uint64_t size, weir_call call);
  /* Exactly once for each writer. If `publish` is 1, readers see the whole file from now on; else, and if it
   * fails, they see what they saw before. */
  int32_t (*finish)(void* user_data, void* writer, int32_t publish, weir_call call);
  /* NULL if files cannot be removed. */
  int32_t (*remove)(void* user_data, weir_string name, weir_call call);
  /* Exactly once, after everything was closed, on any thread, perhaps inside weir_call_done. May be NULL. */
  void (*destroy)(void* user_data);
  void* user_data;
} weir_file_system;

#define WEIR_FILE_SYSTEM_INIT \
  { sizeof(weir_file_system), 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

/* Registers a file system, which then serves all names with its schemes, wherever a file is named. The
 * library takes ownership: it destroys the file system with the runtime and everything that uses it; if this
 * call fails, before it returns. Errors: already_exists if a scheme is taken; invalid_argument. */
WEIR_API int32_t weir_runtime_register_file_system(weir_runtime runtime, const weir_file_system* files,
                                                   weir_error* error);

/* Ends a read of a file system: `size` bytes are there. The call is a stale handle afterwards. */
WEIR_API void weir_call_done(weir_call call, uint64_t size);

/* Adds an entry to a list: its name in the folder, without slashes. `info` may be NULL; else its flags say
 * whether the entry is a folder, and patterns look for nothing below a file. Errors: invalid_argument for
 * such a name; resource_exhausted beyond 16,777,216 entries. */
WEIR_API int32_t weir_call_entry(weir_call call, const char* name, uint64_t name_size,
                                 const weir_file_info* info, weir_error* error);

/* Opens a file as the library itself does, by its name with or without a scheme, for a source or function of
 * the program's that reads files. `info` may be NULL; its version lives as long as the file. Blocks. Errors:
 * those of the file system. */
WEIR_API int32_t weir_file_open(weir_runtime runtime, const char* name, uint64_t name_size,
                                weir_file_info* info, weir_file* out, weir_error* error);

/* Reads up to `size` bytes from `offset` on, fewer only at the end, and sets `read` to how many. Blocks;
 * several threads may read one file at once. */
WEIR_API int32_t weir_file_read(weir_file file, uint64_t offset, void* out, uint64_t size, uint64_t* read,
                                weir_error* error);

/* Closes the file. */
WEIR_API void weir_file_release(weir_file file);

/* ---- Tables -------------------------------------------------------------------------------------------- */

/* Of Arrow's C data interface (https://arrow.apache.org/docs/format/CDataInterface.html). */
struct ArrowSchema;
struct ArrowArrayStream;

/* A format of files that hold tables, which an extension reads for a source, such as "parquet", and
 * registers as `table` of a weir_generator. The source does the rest: fields, conditions, positions, several
 * files. Its functions may be called on any thread, those of one table one at a time; they may block, and
 * return WEIR_OK, or any other number to fail; why is said with weir_call_fail(call, 0, ...), for which
 * data_loss (the file is damaged) and unimplemented are the usual codes. Of the other functions that take a
 * call, weir_call_allocate and weir_call_cancelled may be used. */
typedef struct weir_table_format {
  uint32_t struct_size;
  uint32_t flags; /* 0 */
  /* Opens a table. It reads `file`, which has `size` bytes, with weir_file_read, until it is closed. Sets
   * `schema` to a struct (the format "+s") with all columns, and `rows` to the number of rows, -1 if unknown.
   * A map's entries are named "map entry"; a time that 64 bits may not hold is a "w:16" with the metadata
   * ARROW:extension:name "weir.nanoseconds", 16 bytes of two's complement, little-endian. A column with the
   * metadata weir.not_read is refused with that reason if it is asked for, and else left out. If columns have
   * different numbers of rows, each says its own by the metadata weir.rows, a decimal number, and `rows` is
   * the largest; only columns with the same number are read together. Lists of fixed sizes are `[?]` unless
   * the column has the metadata weir.shape, of any value; then their sizes are the shape. Dictionaries are
   * not read. */
  int32_t (*open)(void* user_data, weir_file file, uint64_t size, weir_call call, struct ArrowSchema* schema,
                  int64_t* rows, void** table);
  /* Sets `ranges` to pairs of numbers, the first row and how many, in rising order: the rows for which the
   * condition may hold, as far as statistics tell; none, and NULL, is no row. The memory is
   * weir_call_allocate's. A format without statistics has no `select`, which is NULL; then all rows are read.
   * `condition` is in Polish notation, one word a line: "and" or "or" before two conditions; "true"; or one
   * of == != < <= > >=, then a column, then a number or a string. Names and strings have the number of their
   * bytes before them, then a colon: "<\n3:age\n18\n". A column is the names on its path, joined by NUL.
   * Nulls are passed over only where all rows have a value ("null" before a column). */
  int32_t (*select)(void* user_data, void* table, weir_string condition, weir_call call,
                    const int64_t** ranges, uint64_t* range_count);
  /* Begins to read the rows of these ranges, in order, of `columns`, and of all that is inside them; columns
   * that there are not are left out. The batches of `stream` hold rows that follow one another in this order.
   * An error of the stream is EINVAL for a damaged file, ENOMEM, or ENOTSUP; one of weir_file_read passes.
   * The stream is released before the table is closed. */
  int32_t (*read)(void* user_data, void* table, const weir_string* columns, uint64_t column_count,
                  const int64_t* ranges, uint64_t range_count, weir_call call,
                  struct ArrowArrayStream* stream);
  void (*close)(void* user_data, void* table); /* exactly once for each table that was opened */
  void (*destroy)(void* user_data);            /* exactly once, after everything was closed; may be NULL */
  void* user_data;
} weir_table_format;

#define WEIR_TABLE_FORMAT_INIT \
  { sizeof(weir_table_format), 0, NULL, NULL, NULL, NULL, NULL, NULL }

/* ---- Extensions ---------------------------------------------------------------------------------------- */

/* An extension is a shared library that uses this header alone and registers functions, sources and file
 * systems. It exports one function:
 *
 *   WEIR_API int32_t weir_extension_load(weir_runtime runtime, weir_extension* out, weir_error* error) {
 *     out->abi = WEIR_EXTENSION_ABI;
 *     out->name = "weir-example";
 *     out->version = "1.0.0";
 *     return weir_runtime_register(runtime, "example", WEIR_STRLEN, &callback, error);
 *   }
 *
 * It is called once for each runtime that loads the extension, possibly on several threads at once, and may
 * only register. If it fails, what it registered stays, and later loads give its error. It is never unloaded.
 *
 * A document that uses a name or scheme that is not there makes the library look for it in the extensions'
 * folders: those of weir_runtime_options, then of the environment variable WEIR_EXTENSIONS (unless the
 * process has more rights than its caller), then `weir` beside the library. Each extension has an index
 * there, a file whose name ends with ".weir.json":
 *
 *   {"library": "libweir-example.so", "schemes": [], "functions": ["example"], "sources": [], "tables": []}
 */
typedef struct weir_extension {
  uint32_t struct_size;
  uint32_t abi;     /* WEIR_EXTENSION_ABI of the header that it was built with */
  const char* name; /* these two end with a NUL, and live as long as the process */
  const char* version;
} weir_extension;

#define WEIR_EXTENSION_INIT \
  { sizeof(weir_extension), 0, NULL, NULL }

#define WEIR_EXTENSION_ABI 1u

/* Loads an extension from a file. An extension that the runtime has already loaded is not loaded again.
 * Errors: not_found; failed_precondition if it was built for another ABI; invalid_argument if it is no
 * extension; those of its registrations. */
WEIR_API int32_t weir_runtime_load_extension(weir_runtime runtime, const char* file, uint64_t file_size,
                                             weir_error* error);

/* ---- Datasets ------------------------------------------------------------------------------------------ */

/* The `kind` of a weir_argument; 0: the member that is set tells. A string is the bytes of `text`. A float is
 * `number` as a literal, which takes the dtype of its context, with the digits of a float or a double. The
 * others have `members`: [a, b], (a, b), {x: a, "y z": b}, where the name of a member is its key, and the
 * operator or function `text` applied to its members as weir_dataset_apply does. A joined value is one text
 * made of its members, such as the text "x -> x + " and a string; its own `text` is a label, by which
 * weir_dataset_check says what is around a mistake. */
#define WEIR_VALUE_STRING 1u
#define WEIR_VALUE_FLOAT32 2u
#define WEIR_VALUE_FLOAT64 3u
#define WEIR_VALUE_LIST 4u
#define WEIR_VALUE_TUPLE 5u
#define WEIR_VALUE_DICT 6u
#define WEIR_VALUE_CALL 7u
#define WEIR_VALUE_JOINED 8u

/* A value passed by name: a text, a callback, a dataset, a tensor, a generator, an Arrow stream, or a value
 * of a `kind`. Exactly one of them is set. The library takes ownership of callbacks, generators and streams,
 * even if the call fails; everything else stays the caller's. The macros below are initialisers, with `name`
 * and `text` ending at their NUL:
 *
 *   weir_argument arguments[] = {WEIR_ARGUMENT_TEXT("file", path), WEIR_ARGUMENT_CALLBACK("f", &callback)};
 *
 * A stream of the C stream interface of Arrow is a dataset of its rows: dicts if it is one of tables, whose
 * type is a struct, else the values. The call moves the stream out of `arrow`, whose `release` is NULL
 * afterwards, reads it to its end and releases it. Batches are released when no dataset and no element needs
 * them. Numbers that lie in one piece are used where they are, as are the bytes of strings; all else is
 * copied. Types become dtypes as in "parquet"; dictionaries are decoded; lists of one length are tensors,
 * other lists have an unknown dimension, lists of such lists are ragged. The dataset is one of
 * from_tensor_slices, with a "map" if there are ragged rows, and is serialized with its rows. Errors:
 * invalid_argument, with the column, for missing values (nulls) and other types; data_loss for batches that
 * are not what their schema says; unknown, with what the stream says, if it fails (resource_exhausted for
 * ENOMEM, unimplemented for ENOTSUP). The sizes of buffers, which Arrow does not give, are not checked. */
typedef struct weir_argument {
  uint32_t struct_size;
  uint32_t kind; /* WEIR_VALUE_... */
  const char* name;
  uint64_t name_size;
  const char* text;
  uint64_t text_size;
  const weir_callback* callback;
  weir_dataset dataset;
  weir_tensor tensor;
  const weir_generator* generator;
  const struct weir_argument* members; /* with the same struct_size */
  uint64_t member_count;
  double number;
  struct ArrowArrayStream* arrow;
} weir_argument;

#define WEIR_ARGUMENT_INIT \
  { sizeof(weir_argument), 0, NULL, 0, NULL, 0, NULL, {0}, {0}, NULL, NULL, 0, 0, NULL }
#define WEIR_ARGUMENT_TEXT(name, text)                                                                    \
  {                                                                                                       \
    sizeof(weir_argument), 0, (name), WEIR_STRLEN, (text), WEIR_STRLEN, NULL, {0}, {0}, NULL, NULL, 0, 0, \
        NULL                                                                                              \
  }
#define WEIR_ARGUMENT_CALLBACK(name, callback) \
  { sizeof(weir_argument), 0, (name), WEIR_STRLEN, NULL, 0, (callback), {0}, {0}, NULL, NULL, 0, 0, NULL }
#define WEIR_ARGUMENT_DATASET(name, dataset)                                                                \
  {                                                                                                         \
    sizeof(weir_argument), 0, (name), WEIR_STRLEN, NULL, 0, NULL, {(dataset).value}, {0}, NULL, NULL, 0, 0, \
        NULL                                                                                                \
  }
#define WEIR_ARGUMENT_TENSOR(name, tensor)                                                                 \
  {                                                                                                        \
    sizeof(weir_argument), 0, (name), WEIR_STRLEN, NULL, 0, NULL, {0}, {(tensor).value}, NULL, NULL, 0, 0, \
        NULL                                                                                               \
  }
#define WEIR_ARGUMENT_GENERATOR(name, generator) \
  { sizeof(weir_argument), 0, (name), WEIR_STRLEN, NULL, 0, NULL, {0}, {0}, (generator), NULL, 0, 0, NULL }
#define WEIR_ARGUMENT_ARROW(name, arrow) \
  { sizeof(weir_argument), 0, (name), WEIR_STRLEN, NULL, 0, NULL, {0}, {0}, NULL, NULL, 0, 0, (arrow) }

/* Creates a dataset from a text, owned by the caller. The text refers to `arguments` as @NAME; a text among
 * them is a string, byte for byte, so tfrecord(@file) needs no quotes and no escapes. Checks everything now
 * except what depends on the data, such as files and unknown dimensions. list_files reads its folders here.
 * Errors: invalid_argument, with line, column and a caret below the place. */
WEIR_API int32_t weir_dataset_parse(weir_runtime runtime, const char* text, uint64_t text_size,
                                    const weir_argument* arguments, uint64_t argument_count,
                                    weir_dataset* out, weir_error* error);

/* Creates a dataset by applying one operator to others: apply(runtime, "batch", &input, 1, {name "n", text
 * "32"}, 1). Arguments are the operator's parameters by name, or by position if the name is empty; a text is
 * a value of the notation. The first of `inputs` is the input of a transformation. Further ones
 * (concatenate), and those of a source (zip), become its first positional arguments.
 *
 * A whole pipeline can be one call, with nothing to quote: an argument may be a list, a dict or another call
 * (WEIR_VALUE_...) at any depth, and without `inputs` the first positional argument is the input. The
 * operator "" is its one input; if that is joined, it is a document as weir_dataset_parse takes it. In any
 * call, an argument called "$n" declares that parameter, with a spec as its text, and one called "@name" is
 * what texts of the pipeline call by that name, as in weir_dataset_parse.
 *
 * Errors: those of weir_dataset_parse, for the text that was written; invalid_argument if a text among the
 * arguments is not one value, or for more than 65,536 arguments or 1,000 levels of calls. */
WEIR_API int32_t weir_dataset_apply(weir_runtime runtime, const char* operator_name,
                                    uint64_t operator_name_size, const weir_dataset* inputs,
                                    uint64_t input_count, const weir_argument* arguments,
                                    uint64_t argument_count, weir_dataset* out, weir_error* error);

/* Adds an owner, who must unref as well. Errors: resource_exhausted at 32,767 owners. */
WEIR_API int32_t weir_dataset_ref(weir_dataset dataset, weir_error* error);
/* Releases one owner; the last one frees the dataset. */
WEIR_API void weir_dataset_unref(weir_dataset dataset);

/* Returns the structure of the elements, owned by the caller. */
WEIR_API int32_t weir_dataset_spec(weir_dataset dataset, weir_spec* out, weir_error* error);

#define WEIR_CARDINALITY_INFINITE (-1)
#define WEIR_CARDINALITY_UNKNOWN (-2)

typedef struct weir_dataset_info {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t cardinality;     /* the number of elements, or WEIR_CARDINALITY_... */
  uint64_t fingerprint[2]; /* 128 bits that equal graphs share, in every process and on every machine */
} weir_dataset_info;

#define WEIR_DATASET_INFO_INIT                \
  {                                           \
    sizeof(weir_dataset_info), 0, 0, { 0, 0 } \
  }

/* Describes a dataset. No allocation. */
WEIR_API int32_t weir_dataset_view(weir_dataset dataset, weir_dataset_info* out, weir_error* error);

/* Returns the canonical text; parsing it gives an equal dataset. Callbacks without a name and large tensors
 * print as @1, @2 … */
WEIR_API int32_t weir_dataset_format(weir_dataset dataset, weir_bytes* out, weir_error* error);

/* Added to `position` of weir_dataset_at, which must then be below 2^61: returns WEIR_PENDING if the element
 * takes longer than about 50 milliseconds. */
#define WEIR_AT_TRY (-4611686018427387904)

/* Fills `element` with the element at that index of the first epoch, counted from 0, without reading those
 * before it. All operators of the dataset must be able to: their weir_schema has "by_position". Returns
 * WEIR_ELEMENT_FAILED if this element failed: `error` says why. Any number of
 * threads may call it, each with its own element; the calling thread does the work. The files that the first
 * call opens, and the runtime, stay open as long as the dataset lives, unless an element fails; changes of a
 * file are not noticed. Errors: out_of_range beyond the last element; failed_precondition, with its name, for
 * another operator; invalid_argument for a dataset with $params.
 *
 * With WEIR_AT_TRY a thread of the runtime makes slow elements, as for weir_iterator_next_within. After
 * WEIR_PENDING it continues; the same call with the same `element` waits for it again. weir_element_clear,
 * weir_element_destroy and a weir_dataset_at of another element end the work. */
WEIR_API int32_t weir_dataset_at(weir_runtime runtime, weir_dataset dataset, int64_t position,
                                 weir_element element, weir_error* error);

/* Only what a checkpoint takes. */
#define WEIR_EXPLAIN_CHECKPOINT 2u
/* Also what each part of the partition has, as far as it is known. With no other flag. */
#define WEIR_EXPLAIN_PARTS 4u

/* Returns what the dataset will do, as far as the graph tells, and what saving an iterator takes, as JSON.
 * Nothing is opened. `flags` are WEIR_TEXT and WEIR_EXPLAIN_.... */
WEIR_API int32_t weir_dataset_explain(weir_dataset dataset, uint32_t flags, weir_bytes* out,
                                      weir_error* error);

/* Returns the graph as bytes, for another process or a later run, with the seeds that were drawn when it was
 * built. Errors: failed_precondition if it has a callback without a name. */
WEIR_API int32_t weir_dataset_serialize(weir_dataset dataset, weir_bytes* out, weir_error* error);

/* Checks a text as weir_dataset_parse does, and returns its mistakes, at most ten, as a JSON array in the
 * order of the text: `[]` if it builds. With WEIR_TEXT: the message of weir_dataset_parse, empty if it
 * builds. Returns WEIR_OK whether or not there are mistakes. `arguments` as in weir_dataset_parse. If `text`
 * is NULL, the one argument is a pipeline that is checked as weir_dataset_apply does. Errors:
 * invalid_argument if the arguments themselves are wrong. */
WEIR_API int32_t weir_dataset_check(weir_runtime runtime, const char* text, uint64_t text_size,
                                    const weir_argument* arguments, uint64_t argument_count, uint32_t flags,
                                    weir_bytes* out, weir_error* error);

/* Creates the dataset that weir_dataset_serialize wrote, owned by the caller. Its elements have the same
 * order, even if no seed was given. `arguments` as in weir_dataset_parse. Errors: data_loss if any bit of the
 * bytes is damaged; failed_precondition if a later version of the library wrote them; not_found if a callback
 * is not registered under its name; those of weir_dataset_parse. */
WEIR_API int32_t weir_dataset_deserialize(weir_runtime runtime, const void* bytes, uint64_t byte_size,
                                          const weir_argument* arguments, uint64_t argument_count,
                                          weir_dataset* out, weir_error* error);

/* ---- Elements: what an iterator fills ------------------------------------------------------------------ */

/* Creates an empty element owned by the caller. It can be filled any number of times and reuses its memory.
 * One thread at a time may use an element. */
WEIR_API int32_t weir_element_create(weir_element* out, weir_error* error);
/* Clears and frees the element. */
WEIR_API void weir_element_destroy(weir_element element);

/* Releases the values, so that their memory can be reused elsewhere. Ends what weir_dataset_at has not
 * finished. */
WEIR_API void weir_element_clear(weir_element element);

/* Returns component `index` of the flat list, in which a dict's components have their written order;
 * weir_spec_component finds it by name. The view, dims included, is valid until the element is filled again,
 * cleared or destroyed. Errors: out_of_range, for every index if the element is empty; invalid_argument if
 * the memory is a device's and the view has no device_type. No allocation and no lock. */
WEIR_API int32_t weir_element_view(weir_element element, uint32_t index, weir_view* out, weir_error* error);

/* ---- Elements on a device: of datasets that end with to_device ----------------------------------------- */

/* The memory of such an element belongs to a ring (`weir help to_device`). It is filled on a stream of the
 * library's, so it may be read on a stream that waits for the view's `ready` event: weir_iterator_next_on and
 * weir_element_dlpack_on let one wait, and return at once. It is used again when everybody has released it,
 * the element and the receivers of its DLPack tensors, and what their streams had to do at those moments is
 * done. So release an element when its last use is queued; there is no need to wait for that use.
 *
 * A stream is a CUstream of the element's device as a number, or one of these. 0 is invalid_argument. An
 * element of another function than weir_iterator_next_on counts as one of the legacy stream. */
#define WEIR_STREAM_NONE (-1)
#define WEIR_STREAM_LEGACY 1
#define WEIR_STREAM_PER_THREAD 2

/* As weir_iterator_next, and lets `stream` wait for the element's copy. The element is released on that
 * stream, which must exist until then: when it is filled again, cleared or destroyed. With WEIR_STREAM_NONE
 * nothing waits, and it is released on the legacy stream. Elements in the memory of the CPU are as those of
 * weir_iterator_next. Where the driver fails, that is the error of the element (WEIR_ELEMENT_FAILED). */
WEIR_API int32_t weir_iterator_next_on(weir_iterator iterator, int64_t stream, weir_element element,
                                       weir_error* error);

/* Clears the element when its last use was on `stream`, in place of the stream that it was taken on. Errors:
 * invalid_argument for the stream 0 and numbers below WEIR_STREAM_NONE. */
WEIR_API int32_t weir_element_release_on(weir_element element, int64_t stream, weir_error* error);

/* A record of a file: where an element came from. */
typedef struct weir_origin {
  uint32_t struct_size;
  uint32_t reserved;
  weir_string file; /* empty if it is not known */
  int64_t record;   /* counted from 0, -1 if it is not known, or was read as a whole file */
} weir_origin;
#define WEIR_ORIGIN_INIT \
  { sizeof(weir_origin), 0, {NULL, 0}, -1 }

/* Returns the record and file that element `row` came from: 0, or a row of weir_iterator_next_block. A batch
 * or another group has the origin of its first member. When it is split again, only that first row has an
 * origin. Elements of sources without records have none. The file's name is valid until the element's next
 * call, or it is filled again, cleared or destroyed. Errors: out_of_range without such a row. Cost: a copy of
 * it. */
WEIR_API int32_t weir_element_origin(weir_element element, uint32_t row, weir_origin* out, weir_error* error);

/* Returns the component as a tensor owned by the caller, without a copy unless the receiver of a DLPack
 * tensor may write to the memory. It stays valid when the element is filled again. Errors: out_of_range;
 * failed_precondition for memory of a device. Cost: a small allocation, whatever the size. */
WEIR_API int32_t weir_element_tensor(weir_element element, uint32_t index, weir_tensor* out,
                                     weir_error* error);

/* Without a flag, memory that others may still read has DLPack's read-only flag. Memory that only the element
 * uses does not: until the deleter runs the receiver may write to it, views of the element show what it
 * writes, and further tensors of the component, DLPack's too, are copies. With WEIR_DLPACK_WRITABLE the
 * tensor is a copy, so that the receiver may always write; with WEIR_DLPACK_READ_ONLY it may never write. */
#define WEIR_DLPACK_WRITABLE 1u
#define WEIR_DLPACK_READ_ONLY 2u

/* Returns the component as a versioned DLPack tensor (weir/dlpack.h) that shares its memory. The receiver
 * calls its deleter, on any thread and at any time, even after the runtime is gone. Errors: out_of_range;
 * invalid_argument for strings and nested datasets, for which DLPack has no type. */
WEIR_API int32_t weir_element_dlpack(weir_element element, uint32_t index, uint32_t flags,
                                     struct DLManagedTensorVersioned** out, weir_error* error);

/* The same for a component on a device: lets `stream` wait for its copy, unless that is WEIR_STREAM_NONE. The
 * deleter releases it on that stream. weir_element_dlpack is this with WEIR_STREAM_NONE. For the CPU it is as
 * weir_element_dlpack. Errors: also failed_precondition for WEIR_DLPACK_WRITABLE if others have the memory as
 * well; those of the driver. */
WEIR_API int32_t weir_element_dlpack_on(weir_element element, uint32_t index, uint32_t flags, int64_t stream,
                                        struct DLManagedTensorVersioned** out, weir_error* error);

/* Returns the dataset in component `index`, such as one of window, owned by the caller. It shares the values
 * that it needs and outlives the element: iterate over it, or apply operators to it. Its text is
 * `from_tensors(@1) | flat_map(d -> d)`, where @1 is the value, so it can't be serialized; a checkpoint of an
 * iterator over it fits the dataset of the same element. Errors: out_of_range; invalid_argument for a tensor,
 * and for the rows of weir_iterator_next_block. Cost: about 40 us. */
WEIR_API int32_t weir_element_dataset(weir_element element, uint32_t index, weir_dataset* out,
                                      weir_error* error);

/* Returns the element as one JSON value, or with WEIR_TEXT as one line of the notation. It reads a nested
 * dataset to its end, and returns its error. In the rows of weir_iterator_next_block, parts that are sparse,
 * ragged or optional are lists. Errors: failed_precondition if the element is empty; resource_exhausted if
 * the text would be longer than 1 GiB. */
WEIR_API int32_t weir_element_format(weir_element element, uint32_t flags, weir_bytes* out,
                                     weir_error* error);

/* ---- Iterators ----------------------------------------------------------------------------------------- */

/* Leave the new iterator uninitialised even if the dataset needs no parameters. */
#define WEIR_ITERATOR_UNINITIALIZED 1u
/* Shares memory caches, cache() without a file, among all iterators of this dataset handle that have this
 * flag. The first iterator to finish a pass fills the cache; later ones read it and leave out errors. The
 * elements stay in memory as long as the dataset. An iterator with other parameters or another rank than the
 * first, or restored with other drawn seeds or from all ranks' checkpoints, has its own caches. */
#define WEIR_ITERATOR_SHARE_CACHES 2u

/* What saving does if elements cannot be made again: those of a callback that is not pure and saves no state
 * (weir_callback), and those of a map with deterministic: false of which a batch, a shuffle or a prefetch
 * keeps some. weir_dataset_explain says so beforehand. */

/* The position is not saved: failed_precondition. */
#define WEIR_CHECKPOINT_REFUSE 1u
/* Elements that were made and not delivered are saved by value. No element is lost or comes twice, and no
 * call is repeated, except those of an unfinished reduce. Saving waits for the calls in progress; on a
 * cancelled iterator it fails with cancelled. Each element takes its own bytes and about 30 more. Nested
 * datasets cannot be saved by value: failed_precondition. */
#define WEIR_CHECKPOINT_BY_VALUE 2u
/* The position is saved as if all elements could be made again. If they come out differently, some are lost
 * or come twice. */
#define WEIR_CHECKPOINT_IGNORE 3u

/* Where an iterator begins. At most one of checkpoint, checkpoint_file, rank_checkpoints and epoch is
 * set. */
typedef struct weir_iterator_options {
  uint32_t struct_size;
  uint32_t flags; /* WEIR_ITERATOR_... */
  /* Values for `param NAME: spec`, each a text ("5"; for a string, its bytes), a tensor, or a value of a kind
   * (WEIR_VALUE_...) other than a call. */
  const weir_argument* params;
  uint64_t param_count;
  const void* checkpoint; /* from weir_iterator_save; copied */
  uint64_t checkpoint_size;
  const char* checkpoint_file; /* from weir_iterator_save_file, or a generation of a checkpoint manager */
  uint64_t checkpoint_file_size;
  /* The number of epochs before this one. Shuffles and random functions begin with their order of that epoch,
   * so a loop that creates an iterator for each epoch sees a new order each time, as does one iterator that
   * is initialised again. 0: the first epoch, or for weir_iterator_initialize the next one. How often an
   * epoch opens a shuffle is not known where the data decide it: in a function, under a repeat that may not
   * reach its end, or in a dataset that concatenate, zip or a mixture may not come to. A take that follows a
   * repeat of a known number of elements at once, or after a map without parallel calls, makes it known. Its
   * orders differ between epochs all the same, but are not those of one iterator that is initialised again.
   */
  uint64_t epoch;
  /* The iterator's rank and the number of ranks, for partition and shard(auto, auto). If the world size is 0,
   * both come from the environment as it was when the runtime was created: RANK and WORLD_SIZE, or the
   * variables of Open MPI, MPICH, Slurm or an indexed job of Kubernetes (JOB_COMPLETION_INDEX, with
   * WORLD_SIZE). With none of these it is rank 0 of 1. */
  uint32_t rank;
  uint32_t world_size;
  /* Instead of a checkpoint: the checkpoints of all ranks of a run, in any order. The same rank of as many
   * ranks continues from its own, whatever the pipeline. With another number of ranks the pipeline must be
   * divided by partition: each element that no old rank had delivered is delivered by one of the new ranks.
   * The old ranks need not have the same progress. */
  const weir_string* rank_checkpoints;
  uint64_t rank_checkpoint_count;
  uint32_t checkpoint_policy; /* WEIR_CHECKPOINT_...; 0: the iterator's former one, else REFUSE */
  uint32_t reserved;          /* must be 0 */
  /* For weir_iterator_create instead of a dataset: the structure of the elements. The iterator is
   * uninitialised. weir_iterator_initialize starts any dataset of this structure, such as training and
   * validation data one after the other. */
  weir_spec spec;
  /* With `spec`: makes the iterator feedable. It has no position; each next takes from the iterator that this
   * weir_iterator_string_handle names, which keeps its own, so training can pause for validation. Keys of
   * dicts come in the order of `spec`. weir_iterator_initialize with another string_handle, and no other
   * option or dataset, names another iterator. */
  const char* string_handle;
  uint64_t string_handle_size;
} weir_iterator_options;

#define WEIR_ITERATOR_OPTIONS_INIT \
  { sizeof(weir_iterator_options), 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0, NULL, 0, 0, 0, {0}, NULL, 0 }

/* Creates an iterator at the beginning of `dataset`, or at the position of a checkpoint, owned by the caller.
 * The dataset may come from another runtime: threads, memory, logger and limits are those of `runtime`,
 * callbacks those of the dataset. `options` may be NULL. The iterator is uninitialised if the dataset has
 * parameters and no values are given, or if the flag says so. No data file is opened and no element made
 * before the first next. Errors: those of weir_iterator_initialize.
 *
 * `dataset` is zero if the options have a spec. All functions take a feedable iterator: weir_iterator_spec
 * returns its own structure, weir_iterator_destroy ends it alone, and every other function acts on the
 * iterator that it names. Errors of these: also not_found if that one is gone; invalid_argument if its
 * elements don't fit when it is named: dtypes must be equal and shapes compatible, and the error names the
 * part that differs. */
WEIR_API int32_t weir_iterator_create(weir_runtime runtime, weir_dataset dataset,
                                      const weir_iterator_options* options, weir_iterator* out,
                                      weir_error* error);

/* Starts `dataset` from its beginning or from a checkpoint; a zero handle means the iterator's current
 * dataset. The new position is built and checked first, so after a failure the old one still works. Epochs
 * continue to count, so every shuffle has a new order, even with other datasets in between. Ends a
 * cancellation. The flags are refused: they are for weir_iterator_create. Waits for a next in progress;
 * the following next reads what a checkpoint must read again. Errors: invalid_argument if the structure is
 * not the iterator's, or a parameter is missing, unknown or of another spec; data_loss if the checkpoint is
 * damaged; failed_precondition if it belongs to another graph (the error names the operator and parameter
 * that differ), to other parameters or to a later version of the library, or if there is no dataset;
 * resource_exhausted if its file is larger than 4 GiB. num_parallel_calls and the depth of a prefetch may
 * differ from those that the checkpoint was saved with, except between 1, or 0, and more where a shuffle
 * below is opened more than once. With shard(auto, auto), `checkpoint` must come from the same rank of as
 * many ranks; failed_precondition otherwise, and for rank_checkpoints that don't fit or need a partition. */
WEIR_API int32_t weir_iterator_initialize(weir_iterator iterator, weir_dataset dataset,
                                          const weir_iterator_options* options, weir_error* error);

/* Gives up one owner of the iterator; there are several only after weir_iterator_share. The last one cancels
 * it and releases its buffers, open files and rows. It waits for running callbacks and kernels of this
 * iterator, and for list_files while it lists local folders, but never for reads of records: nothing can
 * interrupt those of local files, so their thread keeps the file, its buffer and the runtime until the read
 * returns. It also waits for a callback that waits for a pipe or a socket; such a callback should ask
 * weir_call_cancelled. Inside one of the iterator's own callbacks it waits for nothing; the last callback to
 * return releases everything. */
WEIR_API void weir_iterator_destroy(weir_iterator iterator);

/* Returns the structure of the elements, owned by the caller. */
WEIR_API int32_t weir_iterator_spec(weir_iterator iterator, weir_spec* out, weir_error* error);

/* Fills `element` with the next element. Returns WEIR_END at the end and from then on; WEIR_ELEMENT_FAILED if
 * this element failed: `error` says why, and the next call continues. In both cases the element is empty.
 * Several threads may call it; they take turns. While it waits, the calling thread works for this iterator.
 * Errors: cancelled; failed_precondition if the iterator is not initialised, or if the call would wait for
 * itself. Row range_c_abi of bench/README.md has its cost beyond the pipeline's. */
WEIR_API int32_t weir_iterator_next(weir_iterator iterator, weir_element element, weir_error* error);

/* Added to `max_rows` of weir_iterator_next_block: returns WEIR_PENDING instead of waiting. */
#define WEIR_BLOCK_TRY 1073741824

/* Fills `element` with up to `max_rows` (1 to 1,024) elements at once: every component gets a new first
 * dimension. Sets `out_rows` to their number: fewer if that is cheaper, if shapes change, before a failed
 * element, and at the end. Rows that are not contiguous yet are copied. Otherwise like
 * weir_iterator_next, or, for `max_rows` + WEIR_BLOCK_TRY, like weir_iterator_try_next. Errors: also
 * unimplemented for nested datasets, and for tensors of rank 8, which have no room for another dimension. */
WEIR_API int32_t weir_iterator_next_block(weir_iterator iterator, int64_t max_rows, weir_element element,
                                          int64_t* out_rows, weir_error* error);

/* The caller's memory for one component. */
typedef struct weir_buffer {
  uint32_t struct_size;
  int32_t dtype;     /* must be the component's; 0: any */
  void* data;        /* may be NULL if capacity is 0 */
  uint64_t capacity; /* bytes */
  uint64_t used;     /* out: bytes written, or needed */
} weir_buffer;

#define WEIR_BUFFER_INIT \
  { sizeof(weir_buffer), 0, NULL, 0, 0 }

/* Copies the next element into the caller's memory: one buffer per component, `buffer_count` of them. `used`
 * is the size written. Otherwise like weir_iterator_next. Errors: also invalid_argument for strings, elements
 * on a device, or another dtype or count; out_of_range if a buffer is too small: then `used` is the size
 * needed, and the next call returns the same element. */
WEIR_API int32_t weir_iterator_next_into(weir_iterator iterator, weir_buffer* buffers, uint64_t buffer_count,
                                         weir_error* error);

/* Like weir_iterator_next, but returns WEIR_PENDING instead of waiting for other threads, also for one in a
 * next of this iterator. The calling thread works for up to 10 milliseconds, or until the current function,
 * callback or read returns. A thread of the runtime takes over if the time for an element has no bound: if a
 * function or parameter runs a dataset to its end, as in `x -> range(x) | reduce(...)`, or if this thread
 * would read files, unless those are local and turn out to be quick. That thread then runs everything
 * after the last prefetch, and calls callbacks too, except those with WEIR_CALLBACK_ON_CALLER. After
 * weir_iterator_ready_fd it also makes elements without callbacks once one has taken more than a millisecond.
 * It finishes an element that it has begun even if no call asks for it; weir_iterator_cancel and
 * weir_iterator_destroy end it early, and weir_iterator_save waits for it. */
WEIR_API int32_t weir_iterator_try_next(weir_iterator iterator, weir_element element, weir_error* error);

/* Like weir_iterator_next, but returns WEIR_PENDING if there is no element after `timeout_ns` nanoseconds;
 * nothing is lost, and the next call continues. A thread of the runtime makes slow elements, as for
 * weir_iterator_try_next, even if weir_iterator_ready_fd was not called. A callback or a single function on
 * the calling thread is not interrupted. Errors: also invalid_argument for a negative timeout. */
WEIR_API int32_t weir_iterator_next_within(weir_iterator iterator, int64_t timeout_ns, weir_element element,
                                           weir_error* error);

/* Returns a file descriptor that is readable while weir_iterator_try_next should be called: at first, until a
 * try_next returns WEIR_PENDING, and again when an element or the end is there, when the iterator is
 * cancelled or initialised, or when another thread has left a next. Spurious readiness is possible. Poll it,
 * but never read from it: it belongs to the iterator and is closed with it. examples/events.c shows a loop.
 * Errors: resource_exhausted if the process has no more descriptors; a later call may succeed. */
WEIR_API int32_t weir_iterator_ready_fd(weir_iterator iterator, int32_t* out, weir_error* error);

/* Makes every next fail with cancelled, including one in progress, until the iterator is initialised again.
 * A weir_iterator_initialize in progress may fail with cancelled too, if it is computing parameters. A
 * read of a remote file ends early, which may be the error of the element that a next in progress makes
 * (WEIR_ELEMENT_FAILED). A read of a local file ends first. Waits for nothing. Stale handles are ignored. */
WEIR_API void weir_iterator_cancel(weir_iterator iterator);

/* Returns the position, before the first element, after any, or at the end. An iterator that starts there
 * yields the same elements as this one from now on, bit for bit. Size and time depend on the operators, not
 * on their buffers; see `weir help shuffle` for the cost of restoring. Waits for a next in progress.
 * Errors: failed_precondition if the iterator is not initialised, or if an operator, which the error names,
 * cannot be saved; resource_exhausted above 4 GiB. */
WEIR_API int32_t weir_iterator_save(weir_iterator iterator, weir_bytes* out, weir_error* error);

/* Saves the position to a file. After a crash at any moment, the file has its old contents or all of the new
 * checkpoint. Symbolic links are followed: the link stays, and its target is replaced or created. While it
 * writes, there is a file with ".tmp" added to the name. Calls fsync twice. Errors: also those of the file;
 * invalid_argument if the name belongs to a folder, pipe, socket or device. */
WEIR_API int32_t weir_iterator_save_file(weir_iterator iterator, const char* file, uint64_t file_size,
                                         weir_error* error);

/* Names the iterator within its runtime, and returns the iterator of that name with one more owner: this one,
 * or an older one that still exists. Parts of a program that each create an iterator and share it under one
 * name all get the iterator of the first; each calls weir_iterator_destroy for both handles. Errors:
 * invalid_argument if the other one's elements have another structure (the error names the difference);
 * resource_exhausted at 32,767 owners. */
WEIR_API int32_t weir_iterator_share(weir_iterator iterator, const char* name, uint64_t name_size,
                                     weir_iterator* out, weir_error* error);

/* Returns a text that names this iterator to feedable ones (`string_handle` of weir_iterator_options):
 * printable, the same at each call and after weir_iterator_initialize, valid on every thread of the process
 * while the iterator lives. It ends in 128 random bits, so it cannot be guessed. Errors: invalid_argument. */
WEIR_API int32_t weir_iterator_string_handle(weir_iterator iterator, weir_bytes* out, weir_error* error);

/* In Prometheus' text exposition format, instead of JSON. */
#define WEIR_STATS_PROMETHEUS 2u

/* Returns what the iterator has done since it was initialised, stage by stage, and what bounds its
 * throughput, as JSON. Waits for nothing and may be called at any time, also at the end. `flags` is 0,
 * WEIR_TEXT or WEIR_STATS_PROMETHEUS. */
WEIR_API int32_t weir_iterator_stats(weir_iterator iterator, uint32_t flags, weir_bytes* out,
                                     weir_error* error);

/* ---- Checkpoint managers: a folder with the newest positions ------------------------------------------- */

typedef struct weir_checkpoint_manager_options {
  uint32_t struct_size;
  int32_t keep;  /* generations, 1 to 65536; 0: 3 */
  uint32_t rank; /* whose generations these are; one manager at a time writes those of a rank */
  /* 0: each rank by itself. Else how many ranks there are, for jobs whose number of ranks may change. */
  uint32_t world_size;
  int64_t every_elements; /* elements after which weir_checkpoint_manager_step says that a save is due; 0:
                             never */
  int64_t every_ns;       /* nanoseconds after which it says so; 0: never */
} weir_checkpoint_manager_options;

#define WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT \
  { sizeof(weir_checkpoint_manager_options), 0, 0, 0, 0, 0 }

/* Creates a manager of the checkpoints in a folder, owned by the caller. A missing folder is created. Each
 * save is a generation: a file such as r00003-000000000012.ckpt for rank 3, number 12. Processes may share
 * the folder if each has its own rank: a manager neither reads nor removes the files of other ranks. Removes
 * the half-written files of a killed process of this rank. `options` may be NULL. One thread at a time may
 * use a manager. Errors: invalid_argument; those of the folder.
 *
 * With a world size, the ranks of a job form a group with its own folder, such as g00002-of-00008 for 8
 * ranks. A job with another number of ranks starts a new group where the newest complete one stopped:
 *
 *   1. Ask weir_checkpoint_manager_ranks how many ranks saved that one. If it is as many as this job has,
 *      continue from this rank's own position: `checkpoint` of weir_iterator_options. If it is another
 *      number, pass the positions of all of them as `rank_checkpoints`. weir_checkpoint_manager_load returns
 *      each. If it is 0, start from the beginning.
 *   2. Save with weir_checkpoint_manager_save before taking anything from the iterator.
 *   3. Take nothing before all ranks have saved: wait until `complete` is 1, or at a barrier of the job.
 *
 * An incomplete group does not count, so a job may be killed at any moment. Rank 0 removes older groups when
 * it saves in a complete one; their processes must have ended. A manager does not read the environment: give
 * it the rank and the world size. */
WEIR_API int32_t weir_checkpoint_manager_create(weir_runtime runtime, const char* folder,
                                                uint64_t folder_size,
                                                const weir_checkpoint_manager_options* options,
                                                weir_checkpoint_manager* out, weir_error* error);

/* Releases the manager. The generations stay. */
WEIR_API void weir_checkpoint_manager_destroy(weir_checkpoint_manager manager);

/* Publishes the iterator's position as the next generation, with `extra_size` bytes of the caller's, such as
 * a step count or the state of a model. Then removes the oldest generations beyond `keep`, and those that
 * weir_checkpoint_manager_load found damaged; others that it skipped don't count. After a crash at any moment
 * each generation is complete or absent; after a failure all older ones still exist. Waits for a next in
 * progress. Calls fsync twice. Errors: those of weir_iterator_save and of the file; resource_exhausted if
 * both parts together exceed 4 GiB. */
WEIR_API int32_t weir_checkpoint_manager_save(weir_checkpoint_manager manager, weir_iterator iterator,
                                              const void* extra, uint64_t extra_size, weir_error* error);

/* Counts `elements` that the caller has taken from the iterator. Sets `due` to 1 if every_elements of them
 * were taken, or every_ns nanoseconds have passed, since the manager was created or last saved; else to 0. A
 * save stays due until weir_checkpoint_manager_save succeeds, so prepare the extra bytes only then. Touches
 * no file. Errors: invalid_argument for negative `elements`, which are not counted. */
WEIR_API int32_t weir_checkpoint_manager_step(weir_checkpoint_manager manager, int64_t elements, int32_t* due,
                                              weir_error* error);

/* For `rank` of weir_checkpoint_manager_load: the manager's own. */
#define WEIR_OWN_RANK (-1)

/* Returns the newest valid generation: the position, for `checkpoint` of weir_iterator_options, the extra
 * bytes, and the number; `extra` and `generation` may be NULL. Skips generations that are damaged, were
 * renamed, or were saved by a later version of the library, and logs a warning that says why. Errors:
 * not_found if there is none at all, as in a first run; data_loss if there are some and none is valid;
 * failed_precondition if it was saved by a group of another number of ranks. A file that can't be read now
 * and may be intact (no permission, too many open files, larger than 4 GiB, unavailable if the device reports
 * an error) is an error too, since an older generation would lose work; weir_checkpoint_manager_save does not
 * remove it.
 *
 * `rank` is WEIR_OWN_RANK for the manager's own. With a world size it may also be a rank of the newest
 * complete group, as weir_checkpoint_manager_ranks counts them. Errors then: also invalid_argument if the
 * group has no such rank; failed_precondition without a world size. */
WEIR_API int32_t weir_checkpoint_manager_load(weir_checkpoint_manager manager, int64_t rank,
                                              weir_bytes* position, weir_bytes* extra, int64_t* generation,
                                              weir_error* error);

/* For a manager with a world size. Sets `saved_ranks` to the number of ranks of the newest group that was
 * complete when the manager was created, or to 0 if there was none; sets `complete` to 1 if all ranks of this
 * manager's group have saved by now, else to 0. Either may be NULL. `complete` takes listing a folder.
 * Errors: failed_precondition without a world size. */
WEIR_API int32_t weir_checkpoint_manager_ranks(weir_checkpoint_manager manager, uint32_t* saved_ranks,
                                               int32_t* complete, weir_error* error);

/* The generations of all ranks in a folder, and of the groups of ranks in it, instead of one file. */
#define WEIR_DESCRIBE_FOLDER 2u

/* Describes a file that weir_iterator_save_file or a checkpoint manager wrote, as JSON. `flags`
 * are WEIR_TEXT and WEIR_DESCRIBE_.... Errors: invalid_argument; those of the file; data_loss if it is
 * damaged, failed_precondition if a later version of the library wrote it. */
WEIR_API int32_t weir_checkpoint_describe(weir_runtime runtime, const char* name, uint64_t name_size,
                                          uint32_t flags, weir_bytes* out, weir_error* error);

/* ---- Writing records and examples ---------------------------------------------------------------------- */

#define WEIR_COMPRESSION_NONE 0
#define WEIR_COMPRESSION_GZIP 1
#define WEIR_COMPRESSION_ZLIB 2

/* The bytes of the records follow one another, and nothing else is in the file: for formats whose records the
 * program makes itself, such as lines. */
#define WEIR_RECORD_WRITER_PLAIN 1u

typedef struct weir_record_writer_options {
  uint32_t struct_size;
  int32_t compression; /* WEIR_COMPRESSION_... */
  /* 0: the compressor's default. gzip, zlib, bz2 and xz have 1 to 9, lz4 has 1 to 12, zstd 1 to 22. */
  int32_t level;
  uint32_t flags; /* WEIR_RECORD_WRITER_... */
  /* With WEIR_COMPRESSION_NONE: "gzip", "zlib", "zstd", "lz4", "bz2" or "xz". zstd is written in frames with
   * a table, so that records are also read by their position. Errors: invalid_argument. */
  const char* compression_name;
  uint64_t compression_name_size;
} weir_record_writer_options;

#define WEIR_RECORD_WRITER_OPTIONS_INIT \
  { sizeof(weir_record_writer_options), 0, 0, 0, NULL, 0 }

/* Creates an empty TFRecord file, replacing any of that name, and a writer for it, owned by the caller.
 * `options` may be NULL. One thread at a time may use a writer. Errors: those of the file. */
WEIR_API int32_t weir_record_writer_create(weir_runtime runtime, const char* file, uint64_t file_size,
                                           const weir_record_writer_options* options, weir_record_writer* out,
                                           weir_error* error);

/* Appends a record of up to 1 GiB; one above 256 MiB can be read only by a runtime whose record_bytes allows
 * it. After an error the file is damaged, and every further call returns the same error. */
WEIR_API int32_t weir_record_writer_write(weir_record_writer writer, const void* record, uint64_t record_size,
                                          weir_error* error);

/* Writes the rest of the buffer and closes the file. The writer can then only be destroyed. Errors: those of
 * the file; those of an earlier write. */
WEIR_API int32_t weir_record_writer_close(weir_record_writer writer, weir_error* error);

/* Releases the writer. A file that was not closed with weir_record_writer_close is incomplete. */
WEIR_API void weir_record_writer_destroy(weir_record_writer writer);

/* Creates an empty tf.Example owned by the caller. One thread at a time may use an example. */
WEIR_API int32_t weir_example_create(weir_example* out, weir_error* error);
/* Frees the example. */
WEIR_API void weir_example_destroy(weir_example example);

/* Sets a feature to `count` values, which are copied: of int64_t for WEIR_DTYPE_INT64, float for _FLOAT32,
 * weir_string for _STRING. Setting a name again replaces its values. Errors: invalid_argument for another
 * dtype. */
WEIR_API int32_t weir_example_set(weir_example example, const char* name, uint64_t name_size, int32_t dtype,
                                  const void* values, uint64_t count, weir_error* error);

/* Returns the serialized message, with features sorted by name: equal features give equal bytes. The example
 * stays as it is. Errors: resource_exhausted above 2 GiB. */
WEIR_API int32_t weir_example_serialize(weir_example example, weir_bytes* out, weir_error* error);

#ifdef __cplusplus
}
#endif

#endif /* WEIR_WEIR_H */
