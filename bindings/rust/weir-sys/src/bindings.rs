// Written by tools/generate-bindings from include/weir/weir.h; edit that.

use std::os::raw::{c_char, c_void};

pub const WEIR_VERSION_MAJOR: i32 = 0;
pub const WEIR_VERSION_MINOR: i32 = 1;
pub const WEIR_VERSION_PATCH: i32 = 0;
pub const WEIR_OK: i32 = 0;
pub const WEIR_END: i32 = 1;
pub const WEIR_PENDING: i32 = 2;
pub const WEIR_ELEMENT_FAILED: i32 = 3;
/// Numbered as in gRPC and TensorFlow. weir_error.code is one of them; a negative result is minus one of
/// them.
pub const WEIR_CODE_CANCELLED: i32 = 1;
pub const WEIR_CODE_UNKNOWN: i32 = 2;
pub const WEIR_CODE_INVALID_ARGUMENT: i32 = 3;
pub const WEIR_CODE_DEADLINE_EXCEEDED: i32 = 4;
pub const WEIR_CODE_NOT_FOUND: i32 = 5;
pub const WEIR_CODE_ALREADY_EXISTS: i32 = 6;
pub const WEIR_CODE_PERMISSION_DENIED: i32 = 7;
pub const WEIR_CODE_RESOURCE_EXHAUSTED: i32 = 8;
pub const WEIR_CODE_FAILED_PRECONDITION: i32 = 9;
pub const WEIR_CODE_ABORTED: i32 = 10;
pub const WEIR_CODE_OUT_OF_RANGE: i32 = 11;
pub const WEIR_CODE_UNIMPLEMENTED: i32 = 12;
pub const WEIR_CODE_INTERNAL: i32 = 13;
pub const WEIR_CODE_UNAVAILABLE: i32 = 14;
pub const WEIR_CODE_DATA_LOSS: i32 = 15;
/// The type of a component's entries. A string entry is a weir_string.
pub const WEIR_DTYPE_BOOL: i32 = 1;
pub const WEIR_DTYPE_INT8: i32 = 2;
pub const WEIR_DTYPE_INT16: i32 = 3;
pub const WEIR_DTYPE_INT32: i32 = 4;
pub const WEIR_DTYPE_INT64: i32 = 5;
pub const WEIR_DTYPE_UINT8: i32 = 6;
pub const WEIR_DTYPE_UINT16: i32 = 7;
pub const WEIR_DTYPE_UINT32: i32 = 8;
pub const WEIR_DTYPE_UINT64: i32 = 9;
pub const WEIR_DTYPE_FLOAT16: i32 = 10;
pub const WEIR_DTYPE_BFLOAT16: i32 = 11;
pub const WEIR_DTYPE_FLOAT32: i32 = 12;
pub const WEIR_DTYPE_FLOAT64: i32 = 13;
pub const WEIR_DTYPE_COMPLEX64: i32 = 14;
pub const WEIR_DTYPE_COMPLEX128: i32 = 15;
pub const WEIR_DTYPE_STRING: i32 = 16;
/// A nested dataset; it cannot be viewed.
pub const WEIR_DTYPE_DATASET: i32 = 17;
/// As a length: the string ends at its NUL.
pub const WEIR_STRLEN: u64 = u64::MAX;
/// As in DLPack.
pub const WEIR_DEVICE_CPU: i32 = 1;
pub const WEIR_DEVICE_CUDA: i32 = 2;
/// A flag of every function that returns JSON: text for a terminal instead.
pub const WEIR_TEXT: u32 = 1;
pub const WEIR_LOG_DEBUG: i32 = 1;
pub const WEIR_LOG_INFO: i32 = 2;
pub const WEIR_LOG_WARNING: i32 = 3;
pub const WEIR_LOG_ERROR: i32 = 4;
/// Publishes the state of the runtime's iterators for `weir top`, in a page of shared memory that a separate
/// thread rewrites twice a second. The environment variable WEIR_TOP=1 does the same.
pub const WEIR_RUNTIME_TOP: u32 = 1;
pub const WEIR_SPEC_TENSOR: i32 = 0;
pub const WEIR_SPEC_TUPLE: i32 = 1;
pub const WEIR_SPEC_DICT: i32 = 2;
pub const WEIR_SPEC_SPARSE: i32 = 3;
pub const WEIR_SPEC_RAGGED: i32 = 4;
pub const WEIR_SPEC_OPTIONAL: i32 = 5;
pub const WEIR_SPEC_DATASET: i32 = 6;
/// May be called on several threads at once. Without this flag, calls come one at a time, wherever the
/// callback is used. Callbacks with the same function and the same user_data count as one, unless that is
/// NULL.
pub const WEIR_CALLBACK_CONCURRENT: u32 = 1;
/// It waits (for a disk, a lock, another process), so it must not occupy a computing thread. Before a prefetch
/// or in a parallel map it gets its own thread. Elsewhere it runs on the thread inside weir_iterator_next, as
/// every callback does; for weir_iterator_try_next it may run on a thread of the runtime.
pub const WEIR_CALLBACK_BLOCKING: u32 = 2;
/// It takes a block of rows: every view and output has the rows as its first dimension. Each row must get the
/// value that it would get alone.
pub const WEIR_CALLBACK_BLOCK: u32 = 4;
/// Equal inputs give equal results. Without this flag, weir_iterator_options.checkpoint_policy says whether
/// and how the position of an iterator can be saved.
pub const WEIR_CALLBACK_PURE: u32 = 8;
/// It runs only on a thread that is inside weir_iterator_next or _try_next of its iterator. For languages that
/// cannot be called on foreign threads.
pub const WEIR_CALLBACK_ON_CALLER: u32 = 16;
pub const WEIR_FILE_FOLDER: u32 = 1;
pub const WEIR_EXTENSION_ABI: u32 = 1;
/// The `kind` of a weir_argument; 0: the member that is set tells. A string is the bytes of `text`. A float is
/// `number` as a literal, which takes the dtype of its context, with the digits of a float or a double. The
/// others have `members`: \[a, b\], (a, b), {x: a, "y z": b}, where the name of a member is its key, and the
/// operator or function `text` applied to its members as weir_dataset_apply does. A joined value is one text
/// made of its members, such as the text "x -> x + " and a string; its own `text` is a label, by which
/// weir_dataset_check says what is around a mistake.
pub const WEIR_VALUE_STRING: u32 = 1;
pub const WEIR_VALUE_FLOAT32: u32 = 2;
pub const WEIR_VALUE_FLOAT64: u32 = 3;
pub const WEIR_VALUE_LIST: u32 = 4;
pub const WEIR_VALUE_TUPLE: u32 = 5;
pub const WEIR_VALUE_DICT: u32 = 6;
pub const WEIR_VALUE_CALL: u32 = 7;
pub const WEIR_VALUE_JOINED: u32 = 8;
pub const WEIR_CARDINALITY_INFINITE: i32 = -1;
pub const WEIR_CARDINALITY_UNKNOWN: i32 = -2;
/// Added to `position` of weir_dataset_at, which must then be below 2^61: returns WEIR_PENDING if the element
/// takes longer than about 50 milliseconds.
pub const WEIR_AT_TRY: i64 = -4611686018427387904;
/// Only what a checkpoint takes.
pub const WEIR_EXPLAIN_CHECKPOINT: u32 = 2;
/// Also what each part of the partition has, as far as it is known. With no other flag.
pub const WEIR_EXPLAIN_PARTS: u32 = 4;
/// The memory of such an element belongs to a ring (`weir help to_device`). It is filled on a stream of the
/// library's, so it may be read on a stream that waits for the view's `ready` event: weir_iterator_next_on and
/// weir_element_dlpack_on let one wait, and return at once. It is used again when everybody has released it,
/// the element and the receivers of its DLPack tensors, and what their streams had to do at those moments is
/// done. So release an element when its last use is queued; there is no need to wait for that use.
///
/// A stream is a CUstream of the element's device as a number, or one of these. 0 is invalid_argument. An
/// element of another function than weir_iterator_next_on counts as one of the legacy stream.
pub const WEIR_STREAM_NONE: i32 = -1;
pub const WEIR_STREAM_LEGACY: i32 = 1;
pub const WEIR_STREAM_PER_THREAD: i32 = 2;
/// Without a flag, memory that others may still read has DLPack's read-only flag. Memory that only the element
/// uses does not: until the deleter runs the receiver may write to it, views of the element show what it
/// writes, and further tensors of the component, DLPack's too, are copies. With WEIR_DLPACK_WRITABLE the
/// tensor is a copy, so that the receiver may always write; with WEIR_DLPACK_READ_ONLY it may never write.
pub const WEIR_DLPACK_WRITABLE: u32 = 1;
pub const WEIR_DLPACK_READ_ONLY: u32 = 2;
/// Leave the new iterator uninitialised even if the dataset needs no parameters.
pub const WEIR_ITERATOR_UNINITIALIZED: u32 = 1;
/// Shares memory caches, cache() without a file, among all iterators of this dataset handle that have this
/// flag. The first iterator to finish a pass fills the cache; later ones read it and leave out errors. The
/// elements stay in memory as long as the dataset. An iterator with other parameters or another rank than the
/// first, or restored with other drawn seeds or from all ranks' checkpoints, has its own caches.
pub const WEIR_ITERATOR_SHARE_CACHES: u32 = 2;
/// The position is not saved: failed_precondition.
pub const WEIR_CHECKPOINT_REFUSE: u32 = 1;
/// Elements that were made and not delivered are saved by value. No element is lost or comes twice, and no
/// call is repeated, except those of an unfinished reduce. Saving waits for the calls in progress; on a
/// cancelled iterator it fails with cancelled. Each element takes its own bytes and about 30 more. Nested
/// datasets cannot be saved by value: failed_precondition.
pub const WEIR_CHECKPOINT_BY_VALUE: u32 = 2;
/// The position is saved as if all elements could be made again. If they come out differently, some are lost
/// or come twice.
pub const WEIR_CHECKPOINT_IGNORE: u32 = 3;
/// Added to `max_rows` of weir_iterator_next_block: returns WEIR_PENDING instead of waiting.
pub const WEIR_BLOCK_TRY: i32 = 1073741824;
/// In Prometheus' text exposition format, instead of JSON.
pub const WEIR_STATS_PROMETHEUS: u32 = 2;
/// For `rank` of weir_checkpoint_manager_load: the manager's own.
pub const WEIR_OWN_RANK: i32 = -1;
/// The generations of all ranks in a folder, and of the groups of ranks in it, instead of one file.
pub const WEIR_DESCRIBE_FOLDER: u32 = 2;
pub const WEIR_COMPRESSION_NONE: i32 = 0;
pub const WEIR_COMPRESSION_GZIP: i32 = 1;
pub const WEIR_COMPRESSION_ZLIB: i32 = 2;
/// The bytes of the records follow one another, and nothing else is in the file: for formats whose records the
/// program makes itself, such as lines.
pub const WEIR_RECORD_WRITER_PLAIN: u32 = 1;

pub use crate::dlpack::DLManagedTensorVersioned;

#[repr(C)]
pub struct ArrowSchema {
    _private: [u8; 0],
}

#[repr(C)]
pub struct ArrowArrayStream {
    _private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_runtime {
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_dataset {
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_spec {
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_tensor {
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_iterator {
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_checkpoint_manager {
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_element {
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_call {
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_record_writer {
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_example {
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct weir_file {
    pub value: u64,
}

/// A borrowed string; also the entry of a string tensor.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_string {
    pub data: *const c_char,
    pub size: u64,
}

/// Bytes owned by the caller, who releases them with weir_bytes_release. A NUL follows them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_bytes {
    pub data: *const c_char,
    pub size: u64,
    pub owner: u64,
}

impl weir_bytes {
    /// What `WEIR_BYTES_INIT` says.
    pub const INIT: Self = weir_bytes { data: core::ptr::null(), size: 0, owner: 0 };
}

/// What went wrong and where. The strings live until the error is filled again or cleared.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_error {
    pub struct_size: u32,
    pub code: i32,
    pub message: weir_string,
    pub path: weir_string,
    pub file: weir_string,
    pub offset: i64,
    pub record: i64,
    pub line: weir_string,
    pub owner: u64,
}

impl weir_error {
    /// What `WEIR_ERROR_INIT` says.
    pub const INIT: Self = weir_error { struct_size: core::mem::size_of::<weir_error>() as u32, code: 0, message: weir_string { data: core::ptr::null(), size: 0 }, path: weir_string { data: core::ptr::null(), size: 0 }, file: weir_string { data: core::ptr::null(), size: 0 }, offset: -1, record: -1, line: weir_string { data: core::ptr::null(), size: 0 }, owner: 0 };
}

/// One tensor, row-major, read in place.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_view {
    pub struct_size: u32,
    pub dtype: i32,
    pub rank: i32,
    pub reserved: i32,
    pub dims: *const i64,
    pub data: *const c_void,
    pub byte_size: u64,
    pub device_type: i32,
    pub device_id: i32,
    pub ready: *mut c_void,
}

impl weir_view {
    /// What `WEIR_VIEW_INIT` says.
    pub const INIT: Self = weir_view { struct_size: core::mem::size_of::<weir_view>() as u32, dtype: 0, rank: 0, reserved: 0, dims: core::ptr::null(), data: core::ptr::null(), byte_size: 0, device_type: 0, device_id: 0, ready: core::ptr::null_mut() };
}

/// Allocates batch buffers of 64 KiB and more, for example in pinned memory. The functions may be called on
/// any thread, and even after weir_runtime_destroy, as long as such a buffer is in use. Iterators of documents
/// with to_device don't use it: their buffers are pinned memory of the library's own.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_allocator {
    pub struct_size: u32,
    pub reserved: u32,
    pub allocate: Option<unsafe extern "C" fn(user_data: *mut c_void, size: u64, alignment: u64) -> *mut c_void>,
    pub release: Option<unsafe extern "C" fn(user_data: *mut c_void, data: *mut c_void, size: u64)>,
    pub destroy: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    pub user_data: *mut c_void,
}

impl weir_allocator {
    /// What `WEIR_ALLOCATOR_INIT` says.
    pub const INIT: Self = weir_allocator { struct_size: core::mem::size_of::<weir_allocator>() as u32, reserved: 0, allocate: None, release: None, destroy: None, user_data: core::ptr::null_mut() };
}

/// Receives the library's few log lines in place of standard error. May be called on any thread, and before
/// weir_runtime_create returns. It must not call into the library.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_logger {
    pub struct_size: u32,
    pub reserved: u32,
    pub log: Option<unsafe extern "C" fn(user_data: *mut c_void, level: i32, line: *const c_char, line_size: u64)>,
    pub destroy: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    pub user_data: *mut c_void,
}

impl weir_logger {
    /// What `WEIR_LOGGER_INIT` says.
    pub const INIT: Self = weir_logger { struct_size: core::mem::size_of::<weir_logger>() as u32, reserved: 0, log: None, destroy: None, user_data: core::ptr::null_mut() };
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_runtime_options {
    pub struct_size: u32,
    pub thread_count: i32,
    pub pool_bytes: i64,
    pub log_level: i32,
    pub flags: u32,
    pub allocator: *const weir_allocator,
    pub logger: *const weir_logger,
    pub record_bytes: i64,
    pub memory_bytes: i64,
    pub trace_file: *const c_char,
    pub trace_file_size: u64,
    pub extensions: *const c_char,
    pub extensions_size: u64,
}

impl weir_runtime_options {
    /// What `WEIR_RUNTIME_OPTIONS_INIT` says.
    pub const INIT: Self = weir_runtime_options { struct_size: core::mem::size_of::<weir_runtime_options>() as u32, thread_count: 0, pool_bytes: 0, log_level: 0, flags: 0, allocator: core::ptr::null(), logger: core::ptr::null(), record_bytes: 0, memory_bytes: 0, trace_file: core::ptr::null(), trace_file_size: 0, extensions: core::ptr::null(), extensions_size: 0 };
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_spec_info {
    pub struct_size: u32,
    pub kind: i32,
    pub dtype: i32,
    pub rank: i32,
    pub dims: *const i64,
    pub child_count: u32,
    pub component_count: u32,
}

impl weir_spec_info {
    /// What `WEIR_SPEC_INFO_INIT` says.
    pub const INIT: Self = weir_spec_info { struct_size: core::mem::size_of::<weir_spec_info>() as u32, kind: 0, dtype: 0, rank: 0, dims: core::ptr::null(), child_count: 0, component_count: 0 };
}

/// A function for map, filter and others to call. It reads its inputs with weir_call_input and writes every
/// output into memory from weir_call_output. It returns WEIR_OK, or any other number to fail with the error of
/// weir_call_fail, or `unknown` without one. The outputs of a failed row need not be filled; if all rows
/// failed, no outputs are needed. It may call any function of this header, including weir_iterator_next on
/// another iterator.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_callback {
    pub struct_size: u32,
    pub flags: u32,
    pub function: Option<unsafe extern "C" fn(user_data: *mut c_void, call: weir_call) -> i32>,
    pub destroy: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    pub user_data: *mut c_void,
    pub result_spec: *const c_char,
    pub result_spec_size: u64,
    pub save: Option<unsafe extern "C" fn(user_data: *mut c_void, data: *mut *const c_void, size: *mut u64) -> i32>,
    pub restore: Option<unsafe extern "C" fn(user_data: *mut c_void, data: *const c_void, size: u64) -> i32>,
    pub signature: *const c_char,
    pub signature_size: u64,
    pub infer: Option<unsafe extern "C" fn(user_data: *mut c_void, arguments: weir_spec, result: *mut weir_spec) -> i32>,
    pub doc: *const c_char,
    pub doc_size: u64,
}

impl weir_callback {
    /// What `WEIR_CALLBACK_INIT` says.
    pub const INIT: Self = weir_callback { struct_size: core::mem::size_of::<weir_callback>() as u32, flags: 0, function: None, destroy: None, user_data: core::ptr::null_mut(), result_spec: core::ptr::null(), result_spec_size: 0, save: None, restore: None, signature: core::ptr::null(), signature_size: 0, infer: None, doc: core::ptr::null(), doc_size: 0 };
}

/// A source of elements for from_generator(@NAME, spec). Each opening of the dataset, one per epoch and
/// iterator, is a separate run: `open` starts it and sets its state, `next` produces its elements one by one,
/// `close` ends it. The calls of one run come one at a time; so do those of all runs, unless the generator is
/// concurrent.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_generator {
    pub struct_size: u32,
    pub flags: u32,
    pub open: Option<unsafe extern "C" fn(user_data: *mut c_void, state: *mut *mut c_void) -> i32>,
    pub next: Option<unsafe extern "C" fn(user_data: *mut c_void, state: *mut c_void, call: weir_call) -> i32>,
    pub close: Option<unsafe extern "C" fn(user_data: *mut c_void, state: *mut c_void)>,
    pub destroy: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    pub user_data: *mut c_void,
    pub save: Option<unsafe extern "C" fn(user_data: *mut c_void, state: *mut c_void, data: *mut *const c_void, size: *mut u64) -> i32>,
    pub restore: Option<unsafe extern "C" fn(user_data: *mut c_void, data: *const c_void, size: u64, state: *mut *mut c_void) -> i32>,
    pub signature: *const c_char,
    pub signature_size: u64,
    pub defaults: *const c_char,
    pub defaults_size: u64,
    pub infer: Option<unsafe extern "C" fn(user_data: *mut c_void, arguments: weir_call, spec: *mut weir_spec) -> i32>,
    pub start: Option<unsafe extern "C" fn(user_data: *mut c_void, arguments: weir_call, position: i64, state: *mut *mut c_void) -> i32>,
    pub count: Option<unsafe extern "C" fn(user_data: *mut c_void, arguments: weir_call, count: *mut i64) -> i32>,
    pub doc: *const c_char,
    pub doc_size: u64,
    pub table: *const weir_table_format,
}

impl weir_generator {
    /// What `WEIR_GENERATOR_INIT` says.
    pub const INIT: Self = weir_generator { struct_size: core::mem::size_of::<weir_generator>() as u32, flags: 0, open: None, next: None, close: None, destroy: None, user_data: core::ptr::null_mut(), save: None, restore: None, signature: core::ptr::null(), signature_size: 0, defaults: core::ptr::null(), defaults_size: 0, infer: None, start: None, count: None, doc: core::ptr::null(), doc_size: 0, table: core::ptr::null() };
}

/// What is known of a file or a folder.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_file_info {
    pub struct_size: u32,
    pub flags: u32,
    pub size: u64,
    pub modified_ns: i64,
    pub version: weir_string,
}

impl weir_file_info {
    /// What `WEIR_FILE_INFO_INIT` says.
    pub const INIT: Self = weir_file_info { struct_size: core::mem::size_of::<weir_file_info>() as u32, flags: 0, size: 0, modified_ns: 0, version: weir_string { data: core::ptr::null(), size: 0 } };
}

/// A file system: where files with names such as "s3://bucket/key" are. Its functions get the whole name. They
/// may be called on any thread, several at once, and all but `read` may block. They return WEIR_OK, or any
/// other number to fail; why is said with weir_call_fail(call, 0, ...), for which not_found,
/// permission_denied, unavailable (it may succeed later), failed_precondition (the file was replaced) and
/// data_loss are the usual codes. If weir_call_cancelled says 1, the result is no longer needed. Of the other
/// functions that take a call, weir_call_allocate may be used as well.
///
/// The library keeps blocks of files in memory, asks for several at once while a file is read in order, and
/// tries nothing twice: that is left to the file system, which knows what may succeed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_file_system {
    pub struct_size: u32,
    pub flags: u32,
    pub schemes: *const c_char,
    pub schemes_size: u64,
    pub stat: Option<unsafe extern "C" fn(user_data: *mut c_void, name: weir_string, out: *mut weir_file_info, call: weir_call) -> i32>,
    pub list: Option<unsafe extern "C" fn(user_data: *mut c_void, folder: weir_string, prefix: weir_string, call: weir_call) -> i32>,
    pub open: Option<unsafe extern "C" fn(user_data: *mut c_void, name: weir_string, out: *mut weir_file_info, file: *mut *mut c_void, call: weir_call) -> i32>,
    pub read: Option<unsafe extern "C" fn(user_data: *mut c_void, file: *mut c_void, offset: u64, out: *mut c_void, size: u64, call: weir_call) -> i32>,
    pub close: Option<unsafe extern "C" fn(user_data: *mut c_void, file: *mut c_void)>,
    pub create: Option<unsafe extern "C" fn(user_data: *mut c_void, name: weir_string, writer: *mut *mut c_void, call: weir_call) -> i32>,
    pub write: Option<unsafe extern "C" fn(user_data: *mut c_void, writer: *mut c_void, data: *const c_void, size: u64, call: weir_call) -> i32>,
    pub finish: Option<unsafe extern "C" fn(user_data: *mut c_void, writer: *mut c_void, publish: i32, call: weir_call) -> i32>,
    pub remove: Option<unsafe extern "C" fn(user_data: *mut c_void, name: weir_string, call: weir_call) -> i32>,
    pub destroy: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    pub user_data: *mut c_void,
}

impl weir_file_system {
    /// What `WEIR_FILE_SYSTEM_INIT` says.
    pub const INIT: Self = weir_file_system { struct_size: core::mem::size_of::<weir_file_system>() as u32, flags: 0, schemes: core::ptr::null(), schemes_size: 0, stat: None, list: None, open: None, read: None, close: None, create: None, write: None, finish: None, remove: None, destroy: None, user_data: core::ptr::null_mut() };
}

/// A format of files that hold tables, which an extension reads for a source, such as "parquet", and
/// registers as `table` of a weir_generator. The source does the rest: fields, conditions, positions, several
/// files. Its functions may be called on any thread, those of one table one at a time; they may block, and
/// return WEIR_OK, or any other number to fail; why is said with weir_call_fail(call, 0, ...), for which
/// data_loss (the file is damaged) and unimplemented are the usual codes. Of the other functions that take a
/// call, weir_call_allocate and weir_call_cancelled may be used.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_table_format {
    pub struct_size: u32,
    pub flags: u32,
    pub open: Option<unsafe extern "C" fn(user_data: *mut c_void, file: weir_file, size: u64, call: weir_call, schema: *mut ArrowSchema, rows: *mut i64, table: *mut *mut c_void) -> i32>,
    pub select: Option<unsafe extern "C" fn(user_data: *mut c_void, table: *mut c_void, condition: weir_string, call: weir_call, ranges: *mut *const i64, range_count: *mut u64) -> i32>,
    pub read: Option<unsafe extern "C" fn(user_data: *mut c_void, table: *mut c_void, columns: *const weir_string, column_count: u64, ranges: *const i64, range_count: u64, call: weir_call, stream: *mut ArrowArrayStream) -> i32>,
    pub close: Option<unsafe extern "C" fn(user_data: *mut c_void, table: *mut c_void)>,
    pub destroy: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    pub user_data: *mut c_void,
}

impl weir_table_format {
    /// What `WEIR_TABLE_FORMAT_INIT` says.
    pub const INIT: Self = weir_table_format { struct_size: core::mem::size_of::<weir_table_format>() as u32, flags: 0, open: None, select: None, read: None, close: None, destroy: None, user_data: core::ptr::null_mut() };
}

/// An extension is a shared library that uses this header alone and registers functions, sources and file
/// systems. It exports one function:
///
/// ```text
///   WEIR_API int32_t weir_extension_load(weir_runtime runtime, weir_extension* out, weir_error* error) {
///     out->abi = WEIR_EXTENSION_ABI;
///     out->name = "weir-example";
///     out->version = "1.0.0";
///     return weir_runtime_register(runtime, "example", WEIR_STRLEN, &callback, error);
///   }
///
/// ```
/// It is called once for each runtime that loads the extension, possibly on several threads at once, and may
/// only register. If it fails, what it registered stays, and later loads give its error. It is never unloaded.
///
/// A document that uses a name or scheme that is not there makes the library look for it in the extensions'
/// folders: those of weir_runtime_options, then of the environment variable WEIR_EXTENSIONS (unless the
/// process has more rights than its caller), then `weir` beside the library. Each extension has an index
/// there, a file whose name ends with ".weir.json":
///
/// ```text
///   {"library": "libweir-example.so", "schemes": [], "functions": ["example"], "sources": [], "tables": []}
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_extension {
    pub struct_size: u32,
    pub abi: u32,
    pub name: *const c_char,
    pub version: *const c_char,
}

impl weir_extension {
    /// What `WEIR_EXTENSION_INIT` says.
    pub const INIT: Self = weir_extension { struct_size: core::mem::size_of::<weir_extension>() as u32, abi: 0, name: core::ptr::null(), version: core::ptr::null() };
}

/// A value passed by name: a text, a callback, a dataset, a tensor, a generator, an Arrow stream, or a value
/// of a `kind`. Exactly one of them is set. The library takes ownership of callbacks, generators and streams,
/// even if the call fails; everything else stays the caller's. The macros below are initialisers, with `name`
/// and `text` ending at their NUL:
///
/// ```text
///   weir_argument arguments[] = {WEIR_ARGUMENT_TEXT("file", path), WEIR_ARGUMENT_CALLBACK("f", &callback)};
///
/// ```
/// A stream of the C stream interface of Arrow is a dataset of its rows: dicts if it is one of tables, whose
/// type is a struct, else the values. The call moves the stream out of `arrow`, whose `release` is NULL
/// afterwards, reads it to its end and releases it. Batches are released when no dataset and no element needs
/// them. Numbers that lie in one piece are used where they are, as are the bytes of strings; all else is
/// copied. Types become dtypes as in "parquet"; dictionaries are decoded; lists of one length are tensors,
/// other lists have an unknown dimension, lists of such lists are ragged. The dataset is one of
/// from_tensor_slices, with a "map" if there are ragged rows, and is serialized with its rows. Errors:
/// invalid_argument, with the column, for missing values (nulls) and other types; data_loss for batches that
/// are not what their schema says; unknown, with what the stream says, if it fails (resource_exhausted for
/// ENOMEM, unimplemented for ENOTSUP). The sizes of buffers, which Arrow does not give, are not checked.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_argument {
    pub struct_size: u32,
    pub kind: u32,
    pub name: *const c_char,
    pub name_size: u64,
    pub text: *const c_char,
    pub text_size: u64,
    pub callback: *const weir_callback,
    pub dataset: weir_dataset,
    pub tensor: weir_tensor,
    pub generator: *const weir_generator,
    pub members: *const weir_argument,
    pub member_count: u64,
    pub number: f64,
    pub arrow: *mut ArrowArrayStream,
}

impl weir_argument {
    /// What `WEIR_ARGUMENT_INIT` says.
    pub const INIT: Self = weir_argument { struct_size: core::mem::size_of::<weir_argument>() as u32, kind: 0, name: core::ptr::null(), name_size: 0, text: core::ptr::null(), text_size: 0, callback: core::ptr::null(), dataset: weir_dataset { value: 0 }, tensor: weir_tensor { value: 0 }, generator: core::ptr::null(), members: core::ptr::null(), member_count: 0, number: 0.0, arrow: core::ptr::null_mut() };
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_dataset_info {
    pub struct_size: u32,
    pub reserved: u32,
    pub cardinality: i64,
    pub fingerprint: [u64; 2],
}

impl weir_dataset_info {
    /// What `WEIR_DATASET_INFO_INIT` says.
    pub const INIT: Self = weir_dataset_info { struct_size: core::mem::size_of::<weir_dataset_info>() as u32, reserved: 0, cardinality: 0, fingerprint: [0; 2] };
}

/// A record of a file: where an element came from.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_origin {
    pub struct_size: u32,
    pub reserved: u32,
    pub file: weir_string,
    pub record: i64,
}

impl weir_origin {
    /// What `WEIR_ORIGIN_INIT` says.
    pub const INIT: Self = weir_origin { struct_size: core::mem::size_of::<weir_origin>() as u32, reserved: 0, file: weir_string { data: core::ptr::null(), size: 0 }, record: -1 };
}

/// Where an iterator begins. At most one of checkpoint, checkpoint_file, rank_checkpoints and epoch is
/// set.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_iterator_options {
    pub struct_size: u32,
    pub flags: u32,
    pub params: *const weir_argument,
    pub param_count: u64,
    pub checkpoint: *const c_void,
    pub checkpoint_size: u64,
    pub checkpoint_file: *const c_char,
    pub checkpoint_file_size: u64,
    pub epoch: u64,
    pub rank: u32,
    pub world_size: u32,
    pub rank_checkpoints: *const weir_string,
    pub rank_checkpoint_count: u64,
    pub checkpoint_policy: u32,
    pub reserved: u32,
    pub spec: weir_spec,
    pub string_handle: *const c_char,
    pub string_handle_size: u64,
}

impl weir_iterator_options {
    /// What `WEIR_ITERATOR_OPTIONS_INIT` says.
    pub const INIT: Self = weir_iterator_options { struct_size: core::mem::size_of::<weir_iterator_options>() as u32, flags: 0, params: core::ptr::null(), param_count: 0, checkpoint: core::ptr::null(), checkpoint_size: 0, checkpoint_file: core::ptr::null(), checkpoint_file_size: 0, epoch: 0, rank: 0, world_size: 0, rank_checkpoints: core::ptr::null(), rank_checkpoint_count: 0, checkpoint_policy: 0, reserved: 0, spec: weir_spec { value: 0 }, string_handle: core::ptr::null(), string_handle_size: 0 };
}

/// The caller's memory for one component.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_buffer {
    pub struct_size: u32,
    pub dtype: i32,
    pub data: *mut c_void,
    pub capacity: u64,
    pub used: u64,
}

impl weir_buffer {
    /// What `WEIR_BUFFER_INIT` says.
    pub const INIT: Self = weir_buffer { struct_size: core::mem::size_of::<weir_buffer>() as u32, dtype: 0, data: core::ptr::null_mut(), capacity: 0, used: 0 };
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_checkpoint_manager_options {
    pub struct_size: u32,
    pub keep: i32,
    pub rank: u32,
    pub world_size: u32,
    pub every_elements: i64,
    pub every_ns: i64,
}

impl weir_checkpoint_manager_options {
    /// What `WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT` says.
    pub const INIT: Self = weir_checkpoint_manager_options { struct_size: core::mem::size_of::<weir_checkpoint_manager_options>() as u32, keep: 0, rank: 0, world_size: 0, every_elements: 0, every_ns: 0 };
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct weir_record_writer_options {
    pub struct_size: u32,
    pub compression: i32,
    pub level: i32,
    pub flags: u32,
    pub compression_name: *const c_char,
    pub compression_name_size: u64,
}

impl weir_record_writer_options {
    /// What `WEIR_RECORD_WRITER_OPTIONS_INIT` says.
    pub const INIT: Self = weir_record_writer_options { struct_size: core::mem::size_of::<weir_record_writer_options>() as u32, compression: 0, level: 0, flags: 0, compression_name: core::ptr::null(), compression_name_size: 0 };
}

// The sizes on a machine with pointers of 64 bits, the only kind that the library is built for.
const _: () = assert!(core::mem::size_of::<weir_runtime>() == 8);
const _: () = assert!(core::mem::size_of::<weir_dataset>() == 8);
const _: () = assert!(core::mem::size_of::<weir_spec>() == 8);
const _: () = assert!(core::mem::size_of::<weir_tensor>() == 8);
const _: () = assert!(core::mem::size_of::<weir_iterator>() == 8);
const _: () = assert!(core::mem::size_of::<weir_checkpoint_manager>() == 8);
const _: () = assert!(core::mem::size_of::<weir_element>() == 8);
const _: () = assert!(core::mem::size_of::<weir_call>() == 8);
const _: () = assert!(core::mem::size_of::<weir_record_writer>() == 8);
const _: () = assert!(core::mem::size_of::<weir_example>() == 8);
const _: () = assert!(core::mem::size_of::<weir_file>() == 8);
const _: () = assert!(core::mem::size_of::<weir_string>() == 16);
const _: () = assert!(core::mem::size_of::<weir_bytes>() == 24);
const _: () = assert!(core::mem::size_of::<weir_error>() == 96);
const _: () = assert!(core::mem::size_of::<weir_view>() == 56);
const _: () = assert!(core::mem::size_of::<weir_allocator>() == 40);
const _: () = assert!(core::mem::size_of::<weir_logger>() == 32);
const _: () = assert!(core::mem::size_of::<weir_runtime_options>() == 88);
const _: () = assert!(core::mem::size_of::<weir_spec_info>() == 32);
const _: () = assert!(core::mem::size_of::<weir_callback>() == 104);
const _: () = assert!(core::mem::size_of::<weir_generator>() == 144);
const _: () = assert!(core::mem::size_of::<weir_file_info>() == 40);
const _: () = assert!(core::mem::size_of::<weir_file_system>() == 112);
const _: () = assert!(core::mem::size_of::<weir_table_format>() == 56);
const _: () = assert!(core::mem::size_of::<weir_extension>() == 24);
const _: () = assert!(core::mem::size_of::<weir_argument>() == 104);
const _: () = assert!(core::mem::size_of::<weir_dataset_info>() == 32);
const _: () = assert!(core::mem::size_of::<weir_origin>() == 32);
const _: () = assert!(core::mem::size_of::<weir_iterator_options>() == 120);
const _: () = assert!(core::mem::size_of::<weir_buffer>() == 32);
const _: () = assert!(core::mem::size_of::<weir_checkpoint_manager_options>() == 32);
const _: () = assert!(core::mem::size_of::<weir_record_writer_options>() == 32);

extern "C" {
    /// Returns "MAJOR.MINOR.PATCH" of the loaded library. The string is never freed.
    pub fn weir_version() -> *const c_char;

    /// Returns the name of a code with either sign, such as "invalid_argument"; "ok" for 0, and "unknown" for any
    /// other number. The string is never freed.
    pub fn weir_code_name(code: i32) -> *const c_char;

    /// Releases the strings of an error and empties it for the next use. NULL is allowed. One thread at a time may
    /// use an error.
    pub fn weir_error_clear(error: *mut weir_error);

    /// Releases bytes and sets the struct to zero. NULL and empty bytes are allowed.
    pub fn weir_bytes_release(bytes: *mut weir_bytes);

    /// Describes the operators and functions called `name`, or all of them if it is NULL, as JSON. With
    /// WEIR_TEXT: the page of the name, or one line per name. Names that only extensions provide are found by
    /// loading the extensions (see Extensions for their folders). In the list of all, an entry whose extension
    /// can't be loaded has the error as its description; "(an extension)" is one with a damaged index. Errors:
    /// not_found, with the nearest name; those of the extension.
    pub fn weir_schema(name: *const c_char, name_size: u64, flags: u32, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Creates a runtime owned by the caller and starts its threads. `options` may be NULL. Most programs need
    /// one; runtimes share nothing. Errors: failed_precondition inside exit(), once it has come to the handlers
    /// and destructors that were registered before the process's first runtime was created.
    pub fn weir_runtime_create(options: *const weir_runtime_options, out: *mut weir_runtime, error: *mut weir_error) -> i32;

    /// Closes the runtime, so that nothing new can be created with it. Its iterators, datasets and buffers stay
    /// usable, and its threads end with its last iterator.
    pub fn weir_runtime_destroy(runtime: weir_runtime);

    /// Creates a spec from a text such as "{image: uint8\[28, 28\], label: int64}", owned by the caller. Errors:
    /// invalid_argument, with line and column.
    pub fn weir_spec_parse(text: *const c_char, text_size: u64, out: *mut weir_spec, error: *mut weir_error) -> i32;

    /// Adds an owner, who must unref as well. Errors: resource_exhausted at 32,767 owners.
    pub fn weir_spec_ref(spec: weir_spec, error: *mut weir_error) -> i32;

    /// Releases one owner; the last one frees the spec.
    pub fn weir_spec_unref(spec: weir_spec);

    /// Describes the top of a spec. No allocation.
    pub fn weir_spec_view(spec: weir_spec, out: *mut weir_spec_info, error: *mut weir_error) -> i32;

    /// Returns child `index`, owned by the caller, and its key, which is empty except in dicts and lives as long
    /// as `spec`. `key` may be NULL. Errors: out_of_range.
    pub fn weir_spec_child(spec: weir_spec, index: u32, out: *mut weir_spec, key: *mut weir_string, error: *mut weir_error) -> i32;

    /// Finds a component by its path and returns its index, for weir_element_view. A path joins keys and positions
    /// with dots: "image", "1", "pair.0"; a key that is not an identifier may be quoted, "\"a.b\".x". Parts of a
    /// sparse tensor are `indices`, `values` and `shape`, of a ragged one `values` and `row_splits`. "" is the
    /// component of a spec that has only one. Errors: not_found, with the nearest part; invalid_argument if the
    /// path leads to several components.
    pub fn weir_spec_component(spec: weir_spec, path: *const c_char, path_size: u64, out: *mut u32, error: *mut weir_error) -> i32;

    /// Returns the text of a spec.
    pub fn weir_spec_format(spec: weir_spec, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Creates a tensor over the caller's memory, without a copy: `rank` dimensions at `dims` (copied), entries at
    /// `data`. The memory must not change until `release(user_data)` is called. That happens exactly once, on any
    /// thread, when nothing uses the tensor any more, possibly long after all handles were released; if this call
    /// fails, before it returns. `release` may be NULL for memory that is never freed. Strings are an array of
    /// weir_string, and their bytes are borrowed as well. Errors: invalid_argument if byte_size does not fit dtype
    /// and dims, the rank is above 8, `data` is not aligned for its dtype, or a bool is a byte above 1 (copy it
    /// then, which makes 1 of those). Cost: a few small allocations, whatever the size; strings and bools are
    /// checked one by one.
    pub fn weir_tensor_wrap(dtype: i32, rank: i32, dims: *const i64, data: *const c_void, byte_size: u64, release: Option<unsafe extern "C" fn(user_data: *mut c_void)>, user_data: *mut c_void, out: *mut weir_tensor, error: *mut weir_error) -> i32;

    /// The same with a copy of everything, including the bytes of strings. The memory may be reused at once.
    pub fn weir_tensor_copy(dtype: i32, rank: i32, dims: *const i64, data: *const c_void, byte_size: u64, out: *mut weir_tensor, error: *mut weir_error) -> i32;

    pub fn weir_tensor_from_dlpack(managed: *mut DLManagedTensorVersioned, out: *mut weir_tensor, error: *mut weir_error) -> i32;

    /// Returns a view, valid as long as the tensor has an owner. No allocation.
    pub fn weir_tensor_view(tensor: weir_tensor, out: *mut weir_view, error: *mut weir_error) -> i32;

    /// Adds an owner, who must unref as well. Errors: resource_exhausted at 32,767 owners.
    pub fn weir_tensor_ref(tensor: weir_tensor, error: *mut weir_error) -> i32;

    /// Releases one owner; the last one frees the tensor.
    pub fn weir_tensor_unref(tensor: weir_tensor);

    /// Registers a callback under a name. Every text parsed with this runtime may then use it as @NAME, or as
    /// NAME(…) if it has a signature, and serialized graphs keep the name. The library takes ownership of the
    /// callback: it destroys it with the runtime and the last dataset that uses it; if this call fails, before it
    /// returns. Errors: already_exists, also if a callback with a signature has the name of an operator, function
    /// or dtype of the notation; invalid_argument if its name is a reserved word, such as "let".
    pub fn weir_runtime_register(runtime: weir_runtime, name: *const c_char, name_size: u64, callback: *const weir_callback, error: *mut weir_error) -> i32;

    /// Registers a generator under a name. Every text that is parsed with this runtime may then use it as @NAME,
    /// or as NAME(...) if it has a signature. The library takes ownership, as of a callback. Errors: those of
    /// weir_runtime_register.
    pub fn weir_runtime_register_source(runtime: weir_runtime, name: *const c_char, name_size: u64, source: *const weir_generator, error: *mut weir_error) -> i32;

    /// Returns the number of rows: 1 without WEIR_CALLBACK_BLOCK; 0 for a stale call.
    pub fn weir_call_rows(call: weir_call) -> i64;

    /// Returns input component `index` of the element's flat list, valid until the callback returns. Errors:
    /// out_of_range. No allocation.
    pub fn weir_call_input(call: weir_call, index: u32, out: *mut weir_view, error: *mut weir_error) -> i32;

    /// Returns uninitialised memory for result component `index` with these dimensions. The callback must fill all
    /// of it; strings are weir_string whose bytes come from weir_call_allocate or from an input. With
    /// WEIR_CALL_DTYPE(dtype) added to the rank, another dtype is refused. The memory is aligned for its
    /// dtype. Errors: out_of_range; invalid_argument if the dimensions or the dtype do not fit the result spec.
    pub fn weir_call_output(call: weir_call, index: u32, rank: i32, dims: *const i64, out: *mut *mut c_void, error: *mut weir_error) -> i32;

    /// Allocates `size` bytes, aligned to 64, that live as long as the results of this call.
    pub fn weir_call_allocate(call: weir_call, size: u64, out: *mut *mut c_void, error: *mut weir_error) -> i32;

    /// Fails one row, row 0 without WEIR_CALLBACK_BLOCK. A row that fails twice keeps its first error. The
    /// callback may continue and return WEIR_OK. `open`, `save` and `restore` get no call: inside them, pass the
    /// call 0 and row 0 to say why they fail. `code` is a WEIR_CODE_... Errors: out_of_range; failed_precondition
    /// if no such function runs.
    pub fn weir_call_fail(call: weir_call, row: i64, code: i32, message: *const c_char, message_size: u64, error: *mut weir_error) -> i32;

    /// Returns 1 if the result is no longer needed, else 0. A long callback should ask, and return on 1.
    pub fn weir_call_cancelled(call: weir_call) -> i32;

    /// Registers a file system, which then serves all names with its schemes, wherever a file is named. The
    /// library takes ownership: it destroys the file system with the runtime and everything that uses it; if this
    /// call fails, before it returns. Errors: already_exists if a scheme is taken; invalid_argument.
    pub fn weir_runtime_register_file_system(runtime: weir_runtime, files: *const weir_file_system, error: *mut weir_error) -> i32;

    /// Ends a read of a file system: `size` bytes are there. The call is a stale handle afterwards.
    pub fn weir_call_done(call: weir_call, size: u64);

    /// Adds an entry to a list: its name in the folder, without slashes. `info` may be NULL; else its flags say
    /// whether the entry is a folder, and patterns look for nothing below a file. Errors: invalid_argument for
    /// such a name; resource_exhausted beyond 16,777,216 entries.
    pub fn weir_call_entry(call: weir_call, name: *const c_char, name_size: u64, info: *const weir_file_info, error: *mut weir_error) -> i32;

    /// Opens a file as the library itself does, by its name with or without a scheme, for a source or function of
    /// the program's that reads files. `info` may be NULL; its version lives as long as the file. Blocks. Errors:
    /// those of the file system.
    pub fn weir_file_open(runtime: weir_runtime, name: *const c_char, name_size: u64, info: *mut weir_file_info, out: *mut weir_file, error: *mut weir_error) -> i32;

    /// Reads up to `size` bytes from `offset` on, fewer only at the end, and sets `read` to how many. Blocks;
    /// several threads may read one file at once.
    pub fn weir_file_read(file: weir_file, offset: u64, out: *mut c_void, size: u64, read: *mut u64, error: *mut weir_error) -> i32;

    /// Closes the file.
    pub fn weir_file_release(file: weir_file);

    /// Loads an extension from a file. An extension that the runtime has already loaded is not loaded again.
    /// Errors: not_found; failed_precondition if it was built for another ABI; invalid_argument if it is no
    /// extension; those of its registrations.
    pub fn weir_runtime_load_extension(runtime: weir_runtime, file: *const c_char, file_size: u64, error: *mut weir_error) -> i32;

    /// Creates a dataset from a text, owned by the caller. The text refers to `arguments` as @NAME; a text among
    /// them is a string, byte for byte, so tfrecord(@file) needs no quotes and no escapes. Checks everything now
    /// except what depends on the data, such as files and unknown dimensions. list_files reads its folders here.
    /// Errors: invalid_argument, with line, column and a caret below the place.
    pub fn weir_dataset_parse(runtime: weir_runtime, text: *const c_char, text_size: u64, arguments: *const weir_argument, argument_count: u64, out: *mut weir_dataset, error: *mut weir_error) -> i32;

    /// Creates a dataset by applying one operator to others: apply(runtime, "batch", &input, 1, {name "n", text
    /// "32"}, 1). Arguments are the operator's parameters by name, or by position if the name is empty; a text is
    /// a value of the notation. The first of `inputs` is the input of a transformation. Further ones
    /// (concatenate), and those of a source (zip), become its first positional arguments.
    ///
    /// A whole pipeline can be one call, with nothing to quote: an argument may be a list, a dict or another call
    /// (WEIR_VALUE_...) at any depth, and without `inputs` the first positional argument is the input. The
    /// operator "" is its one input; if that is joined, it is a document as weir_dataset_parse takes it. In any
    /// call, an argument called "$n" declares that parameter, with a spec as its text, and one called "@name" is
    /// what texts of the pipeline call by that name, as in weir_dataset_parse.
    ///
    /// Errors: those of weir_dataset_parse, for the text that was written; invalid_argument if a text among the
    /// arguments is not one value, or for more than 65,536 arguments or 1,000 levels of calls.
    pub fn weir_dataset_apply(runtime: weir_runtime, operator_name: *const c_char, operator_name_size: u64, inputs: *const weir_dataset, input_count: u64, arguments: *const weir_argument, argument_count: u64, out: *mut weir_dataset, error: *mut weir_error) -> i32;

    /// Adds an owner, who must unref as well. Errors: resource_exhausted at 32,767 owners.
    pub fn weir_dataset_ref(dataset: weir_dataset, error: *mut weir_error) -> i32;

    /// Releases one owner; the last one frees the dataset.
    pub fn weir_dataset_unref(dataset: weir_dataset);

    /// Returns the structure of the elements, owned by the caller.
    pub fn weir_dataset_spec(dataset: weir_dataset, out: *mut weir_spec, error: *mut weir_error) -> i32;

    /// Describes a dataset. No allocation.
    pub fn weir_dataset_view(dataset: weir_dataset, out: *mut weir_dataset_info, error: *mut weir_error) -> i32;

    /// Returns the canonical text; parsing it gives an equal dataset. Callbacks without a name and large tensors
    /// print as @1, @2 …
    pub fn weir_dataset_format(dataset: weir_dataset, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Fills `element` with the element at that index of the first epoch, counted from 0, without reading those
    /// before it. All operators of the dataset must be able to: their weir_schema has "by_position". Returns
    /// WEIR_ELEMENT_FAILED if this element failed: `error` says why. Any number of
    /// threads may call it, each with its own element; the calling thread does the work. The files that the first
    /// call opens, and the runtime, stay open as long as the dataset lives, unless an element fails; changes of a
    /// file are not noticed. Errors: out_of_range beyond the last element; failed_precondition, with its name, for
    /// another operator; invalid_argument for a dataset with $params.
    ///
    /// With WEIR_AT_TRY a thread of the runtime makes slow elements, as for weir_iterator_next_within. After
    /// WEIR_PENDING it continues; the same call with the same `element` waits for it again. weir_element_clear,
    /// weir_element_destroy and a weir_dataset_at of another element end the work.
    pub fn weir_dataset_at(runtime: weir_runtime, dataset: weir_dataset, position: i64, element: weir_element, error: *mut weir_error) -> i32;

    /// Returns what the dataset will do, as far as the graph tells, and what saving an iterator takes, as JSON.
    /// Nothing is opened. `flags` are WEIR_TEXT and WEIR_EXPLAIN_....
    pub fn weir_dataset_explain(dataset: weir_dataset, flags: u32, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Returns the graph as bytes, for another process or a later run, with the seeds that were drawn when it was
    /// built. Errors: failed_precondition if it has a callback without a name.
    pub fn weir_dataset_serialize(dataset: weir_dataset, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Checks a text as weir_dataset_parse does, and returns its mistakes, at most ten, as a JSON array in the
    /// order of the text: `\[\]` if it builds. With WEIR_TEXT: the message of weir_dataset_parse, empty if it
    /// builds. Returns WEIR_OK whether or not there are mistakes. `arguments` as in weir_dataset_parse. If `text`
    /// is NULL, the one argument is a pipeline that is checked as weir_dataset_apply does. Errors:
    /// invalid_argument if the arguments themselves are wrong.
    pub fn weir_dataset_check(runtime: weir_runtime, text: *const c_char, text_size: u64, arguments: *const weir_argument, argument_count: u64, flags: u32, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Creates the dataset that weir_dataset_serialize wrote, owned by the caller. Its elements have the same
    /// order, even if no seed was given. `arguments` as in weir_dataset_parse. Errors: data_loss if any bit of the
    /// bytes is damaged; failed_precondition if a later version of the library wrote them; not_found if a callback
    /// is not registered under its name; those of weir_dataset_parse.
    pub fn weir_dataset_deserialize(runtime: weir_runtime, bytes: *const c_void, byte_size: u64, arguments: *const weir_argument, argument_count: u64, out: *mut weir_dataset, error: *mut weir_error) -> i32;

    /// Creates an empty element owned by the caller. It can be filled any number of times and reuses its memory.
    /// One thread at a time may use an element.
    pub fn weir_element_create(out: *mut weir_element, error: *mut weir_error) -> i32;

    /// Clears and frees the element.
    pub fn weir_element_destroy(element: weir_element);

    /// Releases the values, so that their memory can be reused elsewhere. Ends what weir_dataset_at has not
    /// finished.
    pub fn weir_element_clear(element: weir_element);

    /// Returns component `index` of the flat list, in which a dict's components have their written order;
    /// weir_spec_component finds it by name. The view, dims included, is valid until the element is filled again,
    /// cleared or destroyed. Errors: out_of_range, for every index if the element is empty; invalid_argument if
    /// the memory is a device's and the view has no device_type. No allocation and no lock.
    pub fn weir_element_view(element: weir_element, index: u32, out: *mut weir_view, error: *mut weir_error) -> i32;

    /// As weir_iterator_next, and lets `stream` wait for the element's copy. The element is released on that
    /// stream, which must exist until then: when it is filled again, cleared or destroyed. With WEIR_STREAM_NONE
    /// nothing waits, and it is released on the legacy stream. Elements in the memory of the CPU are as those of
    /// weir_iterator_next. Where the driver fails, that is the error of the element (WEIR_ELEMENT_FAILED).
    pub fn weir_iterator_next_on(iterator: weir_iterator, stream: i64, element: weir_element, error: *mut weir_error) -> i32;

    /// Clears the element when its last use was on `stream`, in place of the stream that it was taken on. Errors:
    /// invalid_argument for the stream 0 and numbers below WEIR_STREAM_NONE.
    pub fn weir_element_release_on(element: weir_element, stream: i64, error: *mut weir_error) -> i32;

    /// Returns the record and file that element `row` came from: 0, or a row of weir_iterator_next_block. A batch
    /// or another group has the origin of its first member. When it is split again, only that first row has an
    /// origin. Elements of sources without records have none. The file's name is valid until the element's next
    /// call, or it is filled again, cleared or destroyed. Errors: out_of_range without such a row. Cost: a copy of
    /// it.
    pub fn weir_element_origin(element: weir_element, row: u32, out: *mut weir_origin, error: *mut weir_error) -> i32;

    /// Returns the component as a tensor owned by the caller, without a copy unless the receiver of a DLPack
    /// tensor may write to the memory. It stays valid when the element is filled again. Errors: out_of_range;
    /// failed_precondition for memory of a device. Cost: a small allocation, whatever the size.
    pub fn weir_element_tensor(element: weir_element, index: u32, out: *mut weir_tensor, error: *mut weir_error) -> i32;

    /// Returns the component as a versioned DLPack tensor (weir/dlpack.h) that shares its memory. The receiver
    /// calls its deleter, on any thread and at any time, even after the runtime is gone. Errors: out_of_range;
    /// invalid_argument for strings and nested datasets, for which DLPack has no type.
    pub fn weir_element_dlpack(element: weir_element, index: u32, flags: u32, out: *mut *mut DLManagedTensorVersioned, error: *mut weir_error) -> i32;

    /// The same for a component on a device: lets `stream` wait for its copy, unless that is WEIR_STREAM_NONE. The
    /// deleter releases it on that stream. weir_element_dlpack is this with WEIR_STREAM_NONE. For the CPU it is as
    /// weir_element_dlpack. Errors: also failed_precondition for WEIR_DLPACK_WRITABLE if others have the memory as
    /// well; those of the driver.
    pub fn weir_element_dlpack_on(element: weir_element, index: u32, flags: u32, stream: i64, out: *mut *mut DLManagedTensorVersioned, error: *mut weir_error) -> i32;

    /// Returns the dataset in component `index`, such as one of window, owned by the caller. It shares the values
    /// that it needs and outlives the element: iterate over it, or apply operators to it. Its text is
    /// `from_tensors(@1) | flat_map(d -> d)`, where @1 is the value, so it can't be serialized; a checkpoint of an
    /// iterator over it fits the dataset of the same element. Errors: out_of_range; invalid_argument for a tensor,
    /// and for the rows of weir_iterator_next_block. Cost: about 40 us.
    pub fn weir_element_dataset(element: weir_element, index: u32, out: *mut weir_dataset, error: *mut weir_error) -> i32;

    /// Returns the element as one JSON value, or with WEIR_TEXT as one line of the notation. It reads a nested
    /// dataset to its end, and returns its error. In the rows of weir_iterator_next_block, parts that are sparse,
    /// ragged or optional are lists. Errors: failed_precondition if the element is empty; resource_exhausted if
    /// the text would be longer than 1 GiB.
    pub fn weir_element_format(element: weir_element, flags: u32, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Creates an iterator at the beginning of `dataset`, or at the position of a checkpoint, owned by the caller.
    /// The dataset may come from another runtime: threads, memory, logger and limits are those of `runtime`,
    /// callbacks those of the dataset. `options` may be NULL. The iterator is uninitialised if the dataset has
    /// parameters and no values are given, or if the flag says so. No data file is opened and no element made
    /// before the first next. Errors: those of weir_iterator_initialize.
    ///
    /// `dataset` is zero if the options have a spec. All functions take a feedable iterator: weir_iterator_spec
    /// returns its own structure, weir_iterator_destroy ends it alone, and every other function acts on the
    /// iterator that it names. Errors of these: also not_found if that one is gone; invalid_argument if its
    /// elements don't fit when it is named: dtypes must be equal and shapes compatible, and the error names the
    /// part that differs.
    pub fn weir_iterator_create(runtime: weir_runtime, dataset: weir_dataset, options: *const weir_iterator_options, out: *mut weir_iterator, error: *mut weir_error) -> i32;

    /// Starts `dataset` from its beginning or from a checkpoint; a zero handle means the iterator's current
    /// dataset. The new position is built and checked first, so after a failure the old one still works. Epochs
    /// continue to count, so every shuffle has a new order, even with other datasets in between. Ends a
    /// cancellation. The flags are refused: they are for weir_iterator_create. Waits for a next in progress;
    /// the following next reads what a checkpoint must read again. Errors: invalid_argument if the structure is
    /// not the iterator's, or a parameter is missing, unknown or of another spec; data_loss if the checkpoint is
    /// damaged; failed_precondition if it belongs to another graph (the error names the operator and parameter
    /// that differ), to other parameters or to a later version of the library, or if there is no dataset;
    /// resource_exhausted if its file is larger than 4 GiB. num_parallel_calls and the depth of a prefetch may
    /// differ from those that the checkpoint was saved with, except between 1, or 0, and more where a shuffle
    /// below is opened more than once. With shard(auto, auto), `checkpoint` must come from the same rank of as
    /// many ranks; failed_precondition otherwise, and for rank_checkpoints that don't fit or need a partition.
    pub fn weir_iterator_initialize(iterator: weir_iterator, dataset: weir_dataset, options: *const weir_iterator_options, error: *mut weir_error) -> i32;

    /// Gives up one owner of the iterator; there are several only after weir_iterator_share. The last one cancels
    /// it and releases its buffers, open files and rows. It waits for running callbacks and kernels of this
    /// iterator, and for list_files while it lists local folders, but never for reads of records: nothing can
    /// interrupt those of local files, so their thread keeps the file, its buffer and the runtime until the read
    /// returns. It also waits for a callback that waits for a pipe or a socket; such a callback should ask
    /// weir_call_cancelled. Inside one of the iterator's own callbacks it waits for nothing; the last callback to
    /// return releases everything.
    pub fn weir_iterator_destroy(iterator: weir_iterator);

    /// Returns the structure of the elements, owned by the caller.
    pub fn weir_iterator_spec(iterator: weir_iterator, out: *mut weir_spec, error: *mut weir_error) -> i32;

    /// Fills `element` with the next element. Returns WEIR_END at the end and from then on; WEIR_ELEMENT_FAILED if
    /// this element failed: `error` says why, and the next call continues. In both cases the element is empty.
    /// Several threads may call it; they take turns. While it waits, the calling thread works for this iterator.
    /// Errors: cancelled; failed_precondition if the iterator is not initialised, or if the call would wait for
    /// itself. Row range_c_abi of bench/README.md has its cost beyond the pipeline's.
    pub fn weir_iterator_next(iterator: weir_iterator, element: weir_element, error: *mut weir_error) -> i32;

    /// Fills `element` with up to `max_rows` (1 to 1,024) elements at once: every component gets a new first
    /// dimension. Sets `out_rows` to their number: fewer if that is cheaper, if shapes change, before a failed
    /// element, and at the end. Rows that are not contiguous yet are copied. Otherwise like
    /// weir_iterator_next, or, for `max_rows` + WEIR_BLOCK_TRY, like weir_iterator_try_next. Errors: also
    /// unimplemented for nested datasets, and for tensors of rank 8, which have no room for another dimension.
    pub fn weir_iterator_next_block(iterator: weir_iterator, max_rows: i64, element: weir_element, out_rows: *mut i64, error: *mut weir_error) -> i32;

    /// Copies the next element into the caller's memory: one buffer per component, `buffer_count` of them. `used`
    /// is the size written. Otherwise like weir_iterator_next. Errors: also invalid_argument for strings, elements
    /// on a device, or another dtype or count; out_of_range if a buffer is too small: then `used` is the size
    /// needed, and the next call returns the same element.
    pub fn weir_iterator_next_into(iterator: weir_iterator, buffers: *mut weir_buffer, buffer_count: u64, error: *mut weir_error) -> i32;

    /// Like weir_iterator_next, but returns WEIR_PENDING instead of waiting for other threads, also for one in a
    /// next of this iterator. The calling thread works for up to 10 milliseconds, or until the current function,
    /// callback or read returns. A thread of the runtime takes over if the time for an element has no bound: if a
    /// function or parameter runs a dataset to its end, as in `x -> range(x) | reduce(...)`, or if this thread
    /// would read files, unless those are local and turn out to be quick. That thread then runs everything
    /// after the last prefetch, and calls callbacks too, except those with WEIR_CALLBACK_ON_CALLER. After
    /// weir_iterator_ready_fd it also makes elements without callbacks once one has taken more than a millisecond.
    /// It finishes an element that it has begun even if no call asks for it; weir_iterator_cancel and
    /// weir_iterator_destroy end it early, and weir_iterator_save waits for it.
    pub fn weir_iterator_try_next(iterator: weir_iterator, element: weir_element, error: *mut weir_error) -> i32;

    /// Like weir_iterator_next, but returns WEIR_PENDING if there is no element after `timeout_ns` nanoseconds;
    /// nothing is lost, and the next call continues. A thread of the runtime makes slow elements, as for
    /// weir_iterator_try_next, even if weir_iterator_ready_fd was not called. A callback or a single function on
    /// the calling thread is not interrupted. Errors: also invalid_argument for a negative timeout.
    pub fn weir_iterator_next_within(iterator: weir_iterator, timeout_ns: i64, element: weir_element, error: *mut weir_error) -> i32;

    /// Returns a file descriptor that is readable while weir_iterator_try_next should be called: at first, until a
    /// try_next returns WEIR_PENDING, and again when an element or the end is there, when the iterator is
    /// cancelled or initialised, or when another thread has left a next. Spurious readiness is possible. Poll it,
    /// but never read from it: it belongs to the iterator and is closed with it. examples/events.c shows a loop.
    /// Errors: resource_exhausted if the process has no more descriptors; a later call may succeed.
    pub fn weir_iterator_ready_fd(iterator: weir_iterator, out: *mut i32, error: *mut weir_error) -> i32;

    /// Makes every next fail with cancelled, including one in progress, until the iterator is initialised again.
    /// A weir_iterator_initialize in progress may fail with cancelled too, if it is computing parameters. A
    /// read of a remote file ends early, which may be the error of the element that a next in progress makes
    /// (WEIR_ELEMENT_FAILED). A read of a local file ends first. Waits for nothing. Stale handles are ignored.
    pub fn weir_iterator_cancel(iterator: weir_iterator);

    /// Returns the position, before the first element, after any, or at the end. An iterator that starts there
    /// yields the same elements as this one from now on, bit for bit. Size and time depend on the operators, not
    /// on their buffers; see `weir help shuffle` for the cost of restoring. Waits for a next in progress.
    /// Errors: failed_precondition if the iterator is not initialised, or if an operator, which the error names,
    /// cannot be saved; resource_exhausted above 4 GiB.
    pub fn weir_iterator_save(iterator: weir_iterator, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Saves the position to a file. After a crash at any moment, the file has its old contents or all of the new
    /// checkpoint. Symbolic links are followed: the link stays, and its target is replaced or created. While it
    /// writes, there is a file with ".tmp" added to the name. Calls fsync twice. Errors: also those of the file;
    /// invalid_argument if the name belongs to a folder, pipe, socket or device.
    pub fn weir_iterator_save_file(iterator: weir_iterator, file: *const c_char, file_size: u64, error: *mut weir_error) -> i32;

    /// Names the iterator within its runtime, and returns the iterator of that name with one more owner: this one,
    /// or an older one that still exists. Parts of a program that each create an iterator and share it under one
    /// name all get the iterator of the first; each calls weir_iterator_destroy for both handles. Errors:
    /// invalid_argument if the other one's elements have another structure (the error names the difference);
    /// resource_exhausted at 32,767 owners.
    pub fn weir_iterator_share(iterator: weir_iterator, name: *const c_char, name_size: u64, out: *mut weir_iterator, error: *mut weir_error) -> i32;

    /// Returns a text that names this iterator to feedable ones (`string_handle` of weir_iterator_options):
    /// printable, the same at each call and after weir_iterator_initialize, valid on every thread of the process
    /// while the iterator lives. It ends in 128 random bits, so it cannot be guessed. Errors: invalid_argument.
    pub fn weir_iterator_string_handle(iterator: weir_iterator, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Returns what the iterator has done since it was initialised, stage by stage, and what bounds its
    /// throughput, as JSON. Waits for nothing and may be called at any time, also at the end. `flags` is 0,
    /// WEIR_TEXT or WEIR_STATS_PROMETHEUS.
    pub fn weir_iterator_stats(iterator: weir_iterator, flags: u32, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Creates a manager of the checkpoints in a folder, owned by the caller. A missing folder is created. Each
    /// save is a generation: a file such as r00003-000000000012.ckpt for rank 3, number 12. Processes may share
    /// the folder if each has its own rank: a manager neither reads nor removes the files of other ranks. Removes
    /// the half-written files of a killed process of this rank. `options` may be NULL. One thread at a time may
    /// use a manager. Errors: invalid_argument; those of the folder.
    ///
    /// With a world size, the ranks of a job form a group with its own folder, such as g00002-of-00008 for 8
    /// ranks. A job with another number of ranks starts a new group where the newest complete one stopped:
    ///
    /// ```text
    ///   1. Ask weir_checkpoint_manager_ranks how many ranks saved that one. If it is as many as this job has,
    ///      continue from this rank's own position: `checkpoint` of weir_iterator_options. If it is another
    ///      number, pass the positions of all of them as `rank_checkpoints`. weir_checkpoint_manager_load returns
    ///      each. If it is 0, start from the beginning.
    ///   2. Save with weir_checkpoint_manager_save before taking anything from the iterator.
    ///   3. Take nothing before all ranks have saved: wait until `complete` is 1, or at a barrier of the job.
    ///
    /// ```
    /// An incomplete group does not count, so a job may be killed at any moment. Rank 0 removes older groups when
    /// it saves in a complete one; their processes must have ended. A manager does not read the environment: give
    /// it the rank and the world size.
    pub fn weir_checkpoint_manager_create(runtime: weir_runtime, folder: *const c_char, folder_size: u64, options: *const weir_checkpoint_manager_options, out: *mut weir_checkpoint_manager, error: *mut weir_error) -> i32;

    /// Releases the manager. The generations stay.
    pub fn weir_checkpoint_manager_destroy(manager: weir_checkpoint_manager);

    /// Publishes the iterator's position as the next generation, with `extra_size` bytes of the caller's, such as
    /// a step count or the state of a model. Then removes the oldest generations beyond `keep`, and those that
    /// weir_checkpoint_manager_load found damaged; others that it skipped don't count. After a crash at any moment
    /// each generation is complete or absent; after a failure all older ones still exist. Waits for a next in
    /// progress. Calls fsync twice. Errors: those of weir_iterator_save and of the file; resource_exhausted if
    /// both parts together exceed 4 GiB.
    pub fn weir_checkpoint_manager_save(manager: weir_checkpoint_manager, iterator: weir_iterator, extra: *const c_void, extra_size: u64, error: *mut weir_error) -> i32;

    /// Counts `elements` that the caller has taken from the iterator. Sets `due` to 1 if every_elements of them
    /// were taken, or every_ns nanoseconds have passed, since the manager was created or last saved; else to 0. A
    /// save stays due until weir_checkpoint_manager_save succeeds, so prepare the extra bytes only then. Touches
    /// no file. Errors: invalid_argument for negative `elements`, which are not counted.
    pub fn weir_checkpoint_manager_step(manager: weir_checkpoint_manager, elements: i64, due: *mut i32, error: *mut weir_error) -> i32;

    /// Returns the newest valid generation: the position, for `checkpoint` of weir_iterator_options, the extra
    /// bytes, and the number; `extra` and `generation` may be NULL. Skips generations that are damaged, were
    /// renamed, or were saved by a later version of the library, and logs a warning that says why. Errors:
    /// not_found if there is none at all, as in a first run; data_loss if there are some and none is valid;
    /// failed_precondition if it was saved by a group of another number of ranks. A file that can't be read now
    /// and may be intact (no permission, too many open files, larger than 4 GiB, unavailable if the device reports
    /// an error) is an error too, since an older generation would lose work; weir_checkpoint_manager_save does not
    /// remove it.
    ///
    /// `rank` is WEIR_OWN_RANK for the manager's own. With a world size it may also be a rank of the newest
    /// complete group, as weir_checkpoint_manager_ranks counts them. Errors then: also invalid_argument if the
    /// group has no such rank; failed_precondition without a world size.
    pub fn weir_checkpoint_manager_load(manager: weir_checkpoint_manager, rank: i64, position: *mut weir_bytes, extra: *mut weir_bytes, generation: *mut i64, error: *mut weir_error) -> i32;

    /// For a manager with a world size. Sets `saved_ranks` to the number of ranks of the newest group that was
    /// complete when the manager was created, or to 0 if there was none; sets `complete` to 1 if all ranks of this
    /// manager's group have saved by now, else to 0. Either may be NULL. `complete` takes listing a folder.
    /// Errors: failed_precondition without a world size.
    pub fn weir_checkpoint_manager_ranks(manager: weir_checkpoint_manager, saved_ranks: *mut u32, complete: *mut i32, error: *mut weir_error) -> i32;

    /// Describes a file that weir_iterator_save_file or a checkpoint manager wrote, as JSON. `flags`
    /// are WEIR_TEXT and WEIR_DESCRIBE_.... Errors: invalid_argument; those of the file; data_loss if it is
    /// damaged, failed_precondition if a later version of the library wrote it.
    pub fn weir_checkpoint_describe(runtime: weir_runtime, name: *const c_char, name_size: u64, flags: u32, out: *mut weir_bytes, error: *mut weir_error) -> i32;

    /// Creates an empty TFRecord file, replacing any of that name, and a writer for it, owned by the caller.
    /// `options` may be NULL. One thread at a time may use a writer. Errors: those of the file.
    pub fn weir_record_writer_create(runtime: weir_runtime, file: *const c_char, file_size: u64, options: *const weir_record_writer_options, out: *mut weir_record_writer, error: *mut weir_error) -> i32;

    /// Appends a record of up to 1 GiB; one above 256 MiB can be read only by a runtime whose record_bytes allows
    /// it. After an error the file is damaged, and every further call returns the same error.
    pub fn weir_record_writer_write(writer: weir_record_writer, record: *const c_void, record_size: u64, error: *mut weir_error) -> i32;

    /// Writes the rest of the buffer and closes the file. The writer can then only be destroyed. Errors: those of
    /// the file; those of an earlier write.
    pub fn weir_record_writer_close(writer: weir_record_writer, error: *mut weir_error) -> i32;

    /// Releases the writer. A file that was not closed with weir_record_writer_close is incomplete.
    pub fn weir_record_writer_destroy(writer: weir_record_writer);

    /// Creates an empty tf.Example owned by the caller. One thread at a time may use an example.
    pub fn weir_example_create(out: *mut weir_example, error: *mut weir_error) -> i32;

    /// Frees the example.
    pub fn weir_example_destroy(example: weir_example);

    /// Sets a feature to `count` values, which are copied: of int64_t for WEIR_DTYPE_INT64, float for _FLOAT32,
    /// weir_string for _STRING. Setting a name again replaces its values. Errors: invalid_argument for another
    /// dtype.
    pub fn weir_example_set(example: weir_example, name: *const c_char, name_size: u64, dtype: i32, values: *const c_void, count: u64, error: *mut weir_error) -> i32;

    /// Returns the serialized message, with features sorted by name: equal features give equal bytes. The example
    /// stays as it is. Errors: resource_exhausted above 2 GiB.
    pub fn weir_example_serialize(example: weir_example, out: *mut weir_bytes, error: *mut weir_error) -> i32;
}
