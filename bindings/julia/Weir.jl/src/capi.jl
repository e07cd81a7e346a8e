# Written by tools/generate-bindings from include/weir/weir.h; edit that.

const WEIR_VERSION_MAJOR = Int32(0)
const WEIR_VERSION_MINOR = Int32(1)
const WEIR_VERSION_PATCH = Int32(0)
const WEIR_OK = Int32(0)
const WEIR_END = Int32(1)
const WEIR_PENDING = Int32(2)
const WEIR_ELEMENT_FAILED = Int32(3)
const WEIR_CODE_CANCELLED = Int32(1)
const WEIR_CODE_UNKNOWN = Int32(2)
const WEIR_CODE_INVALID_ARGUMENT = Int32(3)
const WEIR_CODE_DEADLINE_EXCEEDED = Int32(4)
const WEIR_CODE_NOT_FOUND = Int32(5)
const WEIR_CODE_ALREADY_EXISTS = Int32(6)
const WEIR_CODE_PERMISSION_DENIED = Int32(7)
const WEIR_CODE_RESOURCE_EXHAUSTED = Int32(8)
const WEIR_CODE_FAILED_PRECONDITION = Int32(9)
const WEIR_CODE_ABORTED = Int32(10)
const WEIR_CODE_OUT_OF_RANGE = Int32(11)
const WEIR_CODE_UNIMPLEMENTED = Int32(12)
const WEIR_CODE_INTERNAL = Int32(13)
const WEIR_CODE_UNAVAILABLE = Int32(14)
const WEIR_CODE_DATA_LOSS = Int32(15)
const WEIR_DTYPE_BOOL = Int32(1)
const WEIR_DTYPE_INT8 = Int32(2)
const WEIR_DTYPE_INT16 = Int32(3)
const WEIR_DTYPE_INT32 = Int32(4)
const WEIR_DTYPE_INT64 = Int32(5)
const WEIR_DTYPE_UINT8 = Int32(6)
const WEIR_DTYPE_UINT16 = Int32(7)
const WEIR_DTYPE_UINT32 = Int32(8)
const WEIR_DTYPE_UINT64 = Int32(9)
const WEIR_DTYPE_FLOAT16 = Int32(10)
const WEIR_DTYPE_BFLOAT16 = Int32(11)
const WEIR_DTYPE_FLOAT32 = Int32(12)
const WEIR_DTYPE_FLOAT64 = Int32(13)
const WEIR_DTYPE_COMPLEX64 = Int32(14)
const WEIR_DTYPE_COMPLEX128 = Int32(15)
const WEIR_DTYPE_STRING = Int32(16)
const WEIR_DTYPE_DATASET = Int32(17)
const WEIR_STRLEN = typemax(UInt64)
const WEIR_TEXT = UInt32(1)
const WEIR_LOG_DEBUG = Int32(1)
const WEIR_LOG_INFO = Int32(2)
const WEIR_LOG_WARNING = Int32(3)
const WEIR_LOG_ERROR = Int32(4)
const WEIR_RUNTIME_TOP = UInt32(1)
const WEIR_SPEC_TENSOR = Int32(0)
const WEIR_SPEC_TUPLE = Int32(1)
const WEIR_SPEC_DICT = Int32(2)
const WEIR_SPEC_SPARSE = Int32(3)
const WEIR_SPEC_RAGGED = Int32(4)
const WEIR_SPEC_OPTIONAL = Int32(5)
const WEIR_SPEC_DATASET = Int32(6)
const WEIR_CALLBACK_CONCURRENT = UInt32(1)
const WEIR_CALLBACK_BLOCKING = UInt32(2)
const WEIR_CALLBACK_BLOCK = UInt32(4)
const WEIR_CALLBACK_PURE = UInt32(8)
const WEIR_CALLBACK_ON_CALLER = UInt32(16)
const WEIR_VALUE_STRING = UInt32(1)
const WEIR_VALUE_FLOAT32 = UInt32(2)
const WEIR_VALUE_FLOAT64 = UInt32(3)
const WEIR_VALUE_LIST = UInt32(4)
const WEIR_VALUE_TUPLE = UInt32(5)
const WEIR_VALUE_DICT = UInt32(6)
const WEIR_VALUE_CALL = UInt32(7)
const WEIR_VALUE_JOINED = UInt32(8)
const WEIR_CARDINALITY_INFINITE = Int32(-1)
const WEIR_CARDINALITY_UNKNOWN = Int32(-2)
const WEIR_AT_TRY = Int64(-4611686018427387904)
const WEIR_EXPLAIN_CHECKPOINT = UInt32(2)
const WEIR_DLPACK_WRITABLE = UInt32(1)
const WEIR_ITERATOR_UNINITIALIZED = UInt32(1)
const WEIR_ITERATOR_SHARE_CACHES = UInt32(2)
const WEIR_CHECKPOINT_REFUSE = UInt32(1)
const WEIR_CHECKPOINT_BY_VALUE = UInt32(2)
const WEIR_CHECKPOINT_IGNORE = UInt32(3)
const WEIR_BLOCK_TRY = Int32(1073741824)
const WEIR_STATS_PROMETHEUS = UInt32(2)
const WEIR_OWN_RANK = Int32(-1)
const WEIR_DESCRIBE_FOLDER = UInt32(2)
const WEIR_COMPRESSION_NONE = Int32(0)
const WEIR_COMPRESSION_GZIP = Int32(1)
const WEIR_COMPRESSION_ZLIB = Int32(2)

struct weir_runtime
    value::UInt64
end
weir_runtime() = weir_runtime(0)

struct weir_dataset
    value::UInt64
end
weir_dataset() = weir_dataset(0)

struct weir_spec
    value::UInt64
end
weir_spec() = weir_spec(0)

struct weir_tensor
    value::UInt64
end
weir_tensor() = weir_tensor(0)

struct weir_iterator
    value::UInt64
end
weir_iterator() = weir_iterator(0)

struct weir_checkpoint_manager
    value::UInt64
end
weir_checkpoint_manager() = weir_checkpoint_manager(0)

struct weir_element
    value::UInt64
end
weir_element() = weir_element(0)

struct weir_call
    value::UInt64
end
weir_call() = weir_call(0)

struct weir_record_writer
    value::UInt64
end
weir_record_writer() = weir_record_writer(0)

struct weir_example
    value::UInt64
end
weir_example() = weir_example(0)

struct weir_string
    data::Ptr{UInt8}
    size::UInt64
end

struct weir_bytes
    data::Ptr{UInt8}
    size::UInt64
    owner::UInt64
end
weir_bytes() = weir_bytes(C_NULL, 0, 0)

struct weir_error
    struct_size::UInt32
    code::Int32
    message::weir_string
    path::weir_string
    file::weir_string
    offset::Int64
    record::Int64
    line::weir_string
    owner::UInt64
end
weir_error() = weir_error(sizeof(weir_error), 0, weir_string(C_NULL, 0), weir_string(C_NULL, 0), weir_string(C_NULL, 0), -1, -1, weir_string(C_NULL, 0), 0)

struct weir_view
    struct_size::UInt32
    dtype::Int32
    rank::Int32
    reserved::Int32
    dims::Ptr{Int64}
    data::Ptr{Cvoid}
    byte_size::UInt64
end
weir_view() = weir_view(sizeof(weir_view), 0, 0, 0, C_NULL, C_NULL, 0)

struct weir_allocator
    struct_size::UInt32
    reserved::UInt32
    allocate::Ptr{Cvoid}
    release::Ptr{Cvoid}
    destroy::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
end
weir_allocator() = weir_allocator(sizeof(weir_allocator), 0, C_NULL, C_NULL, C_NULL, C_NULL)

struct weir_logger
    struct_size::UInt32
    reserved::UInt32
    log::Ptr{Cvoid}
    destroy::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
end
weir_logger() = weir_logger(sizeof(weir_logger), 0, C_NULL, C_NULL, C_NULL)

struct weir_runtime_options
    struct_size::UInt32
    thread_count::Int32
    pool_bytes::Int64
    log_level::Int32
    flags::UInt32
    allocator::Ptr{weir_allocator}
    logger::Ptr{weir_logger}
    record_bytes::Int64
    memory_bytes::Int64
    trace_file::Ptr{UInt8}
    trace_file_size::UInt64
end
weir_runtime_options() = weir_runtime_options(sizeof(weir_runtime_options), 0, 0, 0, 0, C_NULL, C_NULL, 0, 0, C_NULL, 0)

struct weir_spec_info
    struct_size::UInt32
    kind::Int32
    dtype::Int32
    rank::Int32
    dims::Ptr{Int64}
    child_count::UInt32
    component_count::UInt32
end
weir_spec_info() = weir_spec_info(sizeof(weir_spec_info), 0, 0, 0, C_NULL, 0, 0)

struct weir_callback
    struct_size::UInt32
    flags::UInt32
    function_::Ptr{Cvoid}
    destroy::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
    result_spec::Ptr{UInt8}
    result_spec_size::UInt64
    save::Ptr{Cvoid}
    restore::Ptr{Cvoid}
    signature::Ptr{UInt8}
    signature_size::UInt64
    infer::Ptr{Cvoid}
end
weir_callback() = weir_callback(sizeof(weir_callback), 0, C_NULL, C_NULL, C_NULL, C_NULL, 0, C_NULL, C_NULL, C_NULL, 0, C_NULL)

struct weir_generator
    struct_size::UInt32
    flags::UInt32
    open::Ptr{Cvoid}
    next::Ptr{Cvoid}
    close::Ptr{Cvoid}
    destroy::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
    save::Ptr{Cvoid}
    restore::Ptr{Cvoid}
end
weir_generator() = weir_generator(sizeof(weir_generator), 0, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL)

struct weir_argument
    struct_size::UInt32
    kind::UInt32
    name::Ptr{UInt8}
    name_size::UInt64
    text::Ptr{UInt8}
    text_size::UInt64
    callback::Ptr{weir_callback}
    dataset::weir_dataset
    tensor::weir_tensor
    generator::Ptr{weir_generator}
    members::Ptr{weir_argument}
    member_count::UInt64
    number::Float64
end
weir_argument() = weir_argument(sizeof(weir_argument), 0, C_NULL, 0, C_NULL, 0, C_NULL, weir_dataset(0), weir_tensor(0), C_NULL, C_NULL, 0, 0)

struct weir_dataset_info
    struct_size::UInt32
    reserved::UInt32
    cardinality::Int64
    fingerprint::NTuple{2, UInt64}
end
weir_dataset_info() = weir_dataset_info(sizeof(weir_dataset_info), 0, 0, (0, 0))

struct weir_origin
    struct_size::UInt32
    reserved::UInt32
    file::weir_string
    record::Int64
end
weir_origin() = weir_origin(sizeof(weir_origin), 0, weir_string(C_NULL, 0), -1)

struct weir_iterator_options
    struct_size::UInt32
    flags::UInt32
    params::Ptr{weir_argument}
    param_count::UInt64
    checkpoint::Ptr{Cvoid}
    checkpoint_size::UInt64
    checkpoint_file::Ptr{UInt8}
    checkpoint_file_size::UInt64
    epoch::UInt64
    rank::UInt32
    world_size::UInt32
    rank_checkpoints::Ptr{weir_string}
    rank_checkpoint_count::UInt64
    checkpoint_policy::UInt32
    reserved::UInt32
    spec::weir_spec
    string_handle::Ptr{UInt8}
    string_handle_size::UInt64
end
weir_iterator_options() = weir_iterator_options(sizeof(weir_iterator_options), 0, C_NULL, 0, C_NULL, 0, C_NULL, 0, 0, 0, 0, C_NULL, 0, 0, 0, weir_spec(0), C_NULL, 0)

struct weir_buffer
    struct_size::UInt32
    dtype::Int32
    data::Ptr{Cvoid}
    capacity::UInt64
    used::UInt64
end
weir_buffer() = weir_buffer(sizeof(weir_buffer), 0, C_NULL, 0, 0)

struct weir_checkpoint_manager_options
    struct_size::UInt32
    keep::Int32
    rank::UInt32
    world_size::UInt32
    every_elements::Int64
    every_ns::Int64
end
weir_checkpoint_manager_options() = weir_checkpoint_manager_options(sizeof(weir_checkpoint_manager_options), 0, 0, 0, 0, 0)

struct weir_record_writer_options
    struct_size::UInt32
    compression::Int32
    level::Int32
    reserved::UInt32
end
weir_record_writer_options() = weir_record_writer_options(sizeof(weir_record_writer_options), 0, 0, 0)

"""
    weir_version()

Returns "MAJOR.MINOR.PATCH" of the loaded library. The string is never freed.
"""
weir_version() =
    @ccall libweir.weir_version()::Ptr{UInt8}

"""
    weir_code_name(code)

Returns the name of a code with either sign, such as "invalid_argument"; "ok" for 0, and "unknown" for any
other number. The string is never freed.
"""
weir_code_name(code) =
    @ccall libweir.weir_code_name(code::Int32)::Ptr{UInt8}

"""
    weir_error_clear(error)

Releases the strings of an error and empties it for the next use. NULL is allowed. One thread at a time may
use an error.
"""
weir_error_clear(error) =
    @ccall libweir.weir_error_clear(error::Ptr{weir_error})::Cvoid

"""
    weir_bytes_release(bytes)

Releases bytes and sets the struct to zero. NULL and empty bytes are allowed.
"""
weir_bytes_release(bytes) =
    @ccall libweir.weir_bytes_release(bytes::Ptr{weir_bytes})::Cvoid

"""
    weir_schema(name, name_size, flags, out, error)

Describes the operators and functions called `name`, or all of them if it is NULL, as JSON. With
WEIR_TEXT: the page of the name, or one line per name. Errors: not_found, with the nearest name.
"""
weir_schema(name, name_size, flags, out, error) =
    @ccall libweir.weir_schema(name::Ptr{UInt8}, name_size::UInt64, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_runtime_create(options, out, error)

Creates a runtime owned by the caller and starts its threads. `options` may be NULL. Most programs need
one; runtimes share nothing. Errors: failed_precondition in a destructor that runs inside exit().
"""
weir_runtime_create(options, out, error) =
    @ccall libweir.weir_runtime_create(options::Ptr{weir_runtime_options}, out::Ptr{weir_runtime}, error::Ptr{weir_error})::Int32

"""
    weir_runtime_destroy(runtime)

Closes the runtime, so that nothing new can be created with it. Its iterators, datasets and buffers stay
usable, and its threads end with its last iterator.
"""
weir_runtime_destroy(runtime) =
    @ccall libweir.weir_runtime_destroy(runtime::weir_runtime)::Cvoid

"""
    weir_spec_parse(text, text_size, out, error)

Creates a spec from a text such as "{image: uint8[28, 28], label: int64}", owned by the caller. Errors:
invalid_argument, with line and column.
"""
weir_spec_parse(text, text_size, out, error) =
    @ccall libweir.weir_spec_parse(text::Ptr{UInt8}, text_size::UInt64, out::Ptr{weir_spec}, error::Ptr{weir_error})::Int32

"""
    weir_spec_ref(spec, error)

Adds an owner, who must unref as well. Errors: resource_exhausted at 32,767 owners.
"""
weir_spec_ref(spec, error) =
    @ccall libweir.weir_spec_ref(spec::weir_spec, error::Ptr{weir_error})::Int32

weir_spec_unref(spec) =
    @ccall libweir.weir_spec_unref(spec::weir_spec)::Cvoid

"""
    weir_spec_view(spec, out, error)

Describes the top of a spec. No allocation.
"""
weir_spec_view(spec, out, error) =
    @ccall libweir.weir_spec_view(spec::weir_spec, out::Ptr{weir_spec_info}, error::Ptr{weir_error})::Int32

"""
    weir_spec_child(spec, index, out, key, error)

Returns child `index`, owned by the caller, and its key, which is empty except in dicts and lives as long
as `spec`. `key` may be NULL. Errors: out_of_range.
"""
weir_spec_child(spec, index, out, key, error) =
    @ccall libweir.weir_spec_child(spec::weir_spec, index::UInt32, out::Ptr{weir_spec}, key::Ptr{weir_string}, error::Ptr{weir_error})::Int32

"""
    weir_spec_component(spec, path, path_size, out, error)

Finds a component by its path and returns its index, for weir_element_view. A path joins keys and positions
with dots: "image", "1", "pair.0"; a key that is not an identifier may be quoted, "\\"a.b\\".x". Parts of a
sparse tensor are `indices`, `values` and `shape`, of a ragged one `values` and `row_splits`. "" is the
component of a spec that has only one. Errors: not_found, with the nearest part; invalid_argument if the
path leads to several components.
"""
weir_spec_component(spec, path, path_size, out, error) =
    @ccall libweir.weir_spec_component(spec::weir_spec, path::Ptr{UInt8}, path_size::UInt64, out::Ptr{UInt32}, error::Ptr{weir_error})::Int32

"""
    weir_spec_format(spec, out, error)

Returns the text of a spec.
"""
weir_spec_format(spec, out, error) =
    @ccall libweir.weir_spec_format(spec::weir_spec, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_tensor_wrap(dtype, rank, dims, data, byte_size, release, user_data, out, error)

Creates a tensor over the caller's memory, without a copy: `rank` dimensions at `dims` (copied), entries at
`data`. The memory must not change until `release(user_data)` is called. That happens exactly once, on any
thread, when nothing uses the tensor any more, possibly long after all handles were released; if this call
fails, before it returns. `release` may be NULL for memory that is never freed. Strings are an array of
weir_string, and their bytes are borrowed as well. Errors: invalid_argument if byte_size does not fit dtype
and dims, the rank is above 8, or `data` is not aligned for its dtype (copy it then). Cost: a few small
allocations, whatever the size; strings are checked one by one.
"""
weir_tensor_wrap(dtype, rank, dims, data, byte_size, release, user_data, out, error) =
    @ccall libweir.weir_tensor_wrap(dtype::Int32, rank::Int32, dims::Ptr{Int64}, data::Ptr{Cvoid}, byte_size::UInt64, release::Ptr{Cvoid}, user_data::Ptr{Cvoid}, out::Ptr{weir_tensor}, error::Ptr{weir_error})::Int32

"""
    weir_tensor_copy(dtype, rank, dims, data, byte_size, out, error)

The same with a copy of everything, including the bytes of strings. The memory may be reused at once.
"""
weir_tensor_copy(dtype, rank, dims, data, byte_size, out, error) =
    @ccall libweir.weir_tensor_copy(dtype::Int32, rank::Int32, dims::Ptr{Int64}, data::Ptr{Cvoid}, byte_size::UInt64, out::Ptr{weir_tensor}, error::Ptr{weir_error})::Int32

weir_tensor_from_dlpack(managed, out, error) =
    @ccall libweir.weir_tensor_from_dlpack(managed::Ptr{Cvoid}, out::Ptr{weir_tensor}, error::Ptr{weir_error})::Int32

"""
    weir_tensor_view(tensor, out, error)

Returns a view, valid as long as the tensor has an owner. No allocation.
"""
weir_tensor_view(tensor, out, error) =
    @ccall libweir.weir_tensor_view(tensor::weir_tensor, out::Ptr{weir_view}, error::Ptr{weir_error})::Int32

"""
    weir_tensor_ref(tensor, error)

Adds an owner, who must unref as well. Errors: resource_exhausted at 32,767 owners.
"""
weir_tensor_ref(tensor, error) =
    @ccall libweir.weir_tensor_ref(tensor::weir_tensor, error::Ptr{weir_error})::Int32

weir_tensor_unref(tensor) =
    @ccall libweir.weir_tensor_unref(tensor::weir_tensor)::Cvoid

"""
    weir_runtime_register(runtime, name, name_size, callback, error)

Registers a callback under a name. Every text parsed with this runtime may then use it as @NAME, or as
NAME(…) if it has a signature, and serialized graphs keep the name. The library takes ownership of the
callback: it destroys it with the runtime and the last dataset that uses it; if this call fails, before it
returns. Errors: already_exists, also if a callback with a signature has the name of an operator, function
or dtype of the notation; invalid_argument if its name is a reserved word, such as "let".
"""
weir_runtime_register(runtime, name, name_size, callback, error) =
    @ccall libweir.weir_runtime_register(runtime::weir_runtime, name::Ptr{UInt8}, name_size::UInt64, callback::Ptr{weir_callback}, error::Ptr{weir_error})::Int32

"""
    weir_call_rows(call)

Returns the number of rows: 1 without WEIR_CALLBACK_BLOCK; 0 for a stale call.
"""
weir_call_rows(call) =
    @ccall libweir.weir_call_rows(call::weir_call)::Int64

"""
    weir_call_input(call, index, out, error)

Returns input component `index` of the element's flat list, valid until the callback returns. Errors:
out_of_range. No allocation.
"""
weir_call_input(call, index, out, error) =
    @ccall libweir.weir_call_input(call::weir_call, index::UInt32, out::Ptr{weir_view}, error::Ptr{weir_error})::Int32

"""
    weir_call_output(call, index, rank, dims, out, error)

Returns uninitialised memory for result component `index` with these dimensions. The callback must fill all
of it; strings are weir_string whose bytes come from weir_call_allocate or from an input. Errors:
out_of_range; invalid_argument if the dimensions do not fit the result spec.
"""
weir_call_output(call, index, rank, dims, out, error) =
    @ccall libweir.weir_call_output(call::weir_call, index::UInt32, rank::Int32, dims::Ptr{Int64}, out::Ptr{Ptr{Cvoid}}, error::Ptr{weir_error})::Int32

"""
    weir_call_allocate(call, size, out, error)

Returns bytes that live as long as the results of this call.
"""
weir_call_allocate(call, size, out, error) =
    @ccall libweir.weir_call_allocate(call::weir_call, size::UInt64, out::Ptr{Ptr{Cvoid}}, error::Ptr{weir_error})::Int32

"""
    weir_call_fail(call, row, code, message, message_size, error)

Fails one row, row 0 without WEIR_CALLBACK_BLOCK. A row that fails twice keeps its first error. The
callback may continue and return WEIR_OK. `code` is a WEIR_CODE_... Errors: out_of_range.
"""
weir_call_fail(call, row, code, message, message_size, error) =
    @ccall libweir.weir_call_fail(call::weir_call, row::Int64, code::Int32, message::Ptr{UInt8}, message_size::UInt64, error::Ptr{weir_error})::Int32

"""
    weir_call_cancelled(call)

Returns 1 if the result is no longer needed, else 0. A long callback should ask, and return on 1.
"""
weir_call_cancelled(call) =
    @ccall libweir.weir_call_cancelled(call::weir_call)::Int32

"""
    weir_dataset_parse(runtime, text, text_size, arguments, argument_count, out, error)

Creates a dataset from a text, owned by the caller. The text refers to `arguments` as @NAME; a text among
them is a string, byte for byte, so tfrecord(@file) needs no quotes and no escapes. Checks everything now
except what depends on the data, such as files and unknown dimensions. list_files reads its folders here.
Errors: invalid_argument, with line, column and a caret below the place.
"""
weir_dataset_parse(runtime, text, text_size, arguments, argument_count, out, error) =
    @ccall libweir.weir_dataset_parse(runtime::weir_runtime, text::Ptr{UInt8}, text_size::UInt64, arguments::Ptr{weir_argument}, argument_count::UInt64, out::Ptr{weir_dataset}, error::Ptr{weir_error})::Int32

"""
    weir_dataset_apply(runtime, operator_name, operator_name_size, inputs, input_count, arguments, argument_count, out, error)

Creates a dataset by applying one operator to others: apply(runtime, "batch", &input, 1, {name "n", text
"32"}, 1). Arguments are the operator's parameters by name, or by position if the name is empty; a text is
a value of the notation. The first of `inputs` is the input of a transformation. Further ones
(concatenate), and those of a source (zip), become its first positional arguments.

A whole pipeline can be one call, with nothing to quote: an argument may be a list, a dict or another call
(WEIR_VALUE_...) at any depth, and without `inputs` the first positional argument is the input. The
operator "" is its one input; if that is joined, it is a document as weir_dataset_parse takes it. In any
call, an argument called "\$n" declares that parameter, with a spec as its text, and one called "@name" is
what texts of the pipeline call by that name, as in weir_dataset_parse.

Errors: those of weir_dataset_parse, for the text that was written; invalid_argument if a text among the
arguments is not one value, or for more than 65,536 arguments or 1,000 levels of calls.
"""
weir_dataset_apply(runtime, operator_name, operator_name_size, inputs, input_count, arguments, argument_count, out, error) =
    @ccall libweir.weir_dataset_apply(runtime::weir_runtime, operator_name::Ptr{UInt8}, operator_name_size::UInt64, inputs::Ptr{weir_dataset}, input_count::UInt64, arguments::Ptr{weir_argument}, argument_count::UInt64, out::Ptr{weir_dataset}, error::Ptr{weir_error})::Int32

"""
    weir_dataset_ref(dataset, error)

Adds an owner, who must unref as well. Errors: resource_exhausted at 32,767 owners.
"""
weir_dataset_ref(dataset, error) =
    @ccall libweir.weir_dataset_ref(dataset::weir_dataset, error::Ptr{weir_error})::Int32

weir_dataset_unref(dataset) =
    @ccall libweir.weir_dataset_unref(dataset::weir_dataset)::Cvoid

"""
    weir_dataset_spec(dataset, out, error)

Returns the structure of the elements, owned by the caller.
"""
weir_dataset_spec(dataset, out, error) =
    @ccall libweir.weir_dataset_spec(dataset::weir_dataset, out::Ptr{weir_spec}, error::Ptr{weir_error})::Int32

"""
    weir_dataset_view(dataset, out, error)

Describes a dataset. No allocation.
"""
weir_dataset_view(dataset, out, error) =
    @ccall libweir.weir_dataset_view(dataset::weir_dataset, out::Ptr{weir_dataset_info}, error::Ptr{weir_error})::Int32

"""
    weir_dataset_format(dataset, out, error)

Returns the canonical text; parsing it gives an equal dataset. Callbacks without a name and large tensors
print as @1, @2 …
"""
weir_dataset_format(dataset, out, error) =
    @ccall libweir.weir_dataset_format(dataset::weir_dataset, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_dataset_at(runtime, dataset, position, element, error)

Fills `element` with the element at that index of the first epoch, counted from 0, without reading those
before it. All operators of the dataset must be able to: their weir_schema has "by_position". Returns
WEIR_ELEMENT_FAILED if this element failed: `error` says why. Any number of
threads may call it, each with its own element; the calling thread does the work. The files that the first
call opens, and the runtime, stay open as long as the dataset lives, unless an element fails; changes of a
file are not noticed. Errors: out_of_range beyond the last element; failed_precondition, with its name, for
another operator; invalid_argument for a dataset with \$params.

With WEIR_AT_TRY a thread of the runtime makes slow elements, as for weir_iterator_next_within. After
WEIR_PENDING it continues; the same call with the same `element` waits for it again. weir_element_clear,
weir_element_destroy and a weir_dataset_at of another element end the work.
"""
weir_dataset_at(runtime, dataset, position, element, error) =
    @ccall libweir.weir_dataset_at(runtime::weir_runtime, dataset::weir_dataset, position::Int64, element::weir_element, error::Ptr{weir_error})::Int32

"""
    weir_dataset_explain(dataset, flags, out, error)

Returns what the dataset will do, as far as the graph tells, and what saving an iterator takes, as JSON.
Nothing is opened. `flags` are WEIR_TEXT and WEIR_EXPLAIN_....
"""
weir_dataset_explain(dataset, flags, out, error) =
    @ccall libweir.weir_dataset_explain(dataset::weir_dataset, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_dataset_serialize(dataset, out, error)

Returns the graph as bytes, for another process or a later run, with the seeds that were drawn when it was
built. Errors: failed_precondition if it has a callback without a name.
"""
weir_dataset_serialize(dataset, out, error) =
    @ccall libweir.weir_dataset_serialize(dataset::weir_dataset, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_dataset_check(runtime, text, text_size, arguments, argument_count, flags, out, error)

Checks a text as weir_dataset_parse does, and returns its mistakes, at most ten, as a JSON array in the
order of the text: `[]` if it builds. With WEIR_TEXT: the message of weir_dataset_parse, empty if it
builds. Returns WEIR_OK whether or not there are mistakes. `arguments` as in weir_dataset_parse. If `text`
is NULL, the one argument is a pipeline that is checked as weir_dataset_apply does. Errors:
invalid_argument if the arguments themselves are wrong.
"""
weir_dataset_check(runtime, text, text_size, arguments, argument_count, flags, out, error) =
    @ccall libweir.weir_dataset_check(runtime::weir_runtime, text::Ptr{UInt8}, text_size::UInt64, arguments::Ptr{weir_argument}, argument_count::UInt64, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_dataset_deserialize(runtime, bytes, byte_size, arguments, argument_count, out, error)

Creates the dataset that weir_dataset_serialize wrote, owned by the caller. Its elements have the same
order, even if no seed was given. `arguments` as in weir_dataset_parse. Errors: data_loss if any bit of the
bytes is damaged; failed_precondition if a later version of the library wrote them; not_found if a callback
is not registered under its name; those of weir_dataset_parse.
"""
weir_dataset_deserialize(runtime, bytes, byte_size, arguments, argument_count, out, error) =
    @ccall libweir.weir_dataset_deserialize(runtime::weir_runtime, bytes::Ptr{Cvoid}, byte_size::UInt64, arguments::Ptr{weir_argument}, argument_count::UInt64, out::Ptr{weir_dataset}, error::Ptr{weir_error})::Int32

"""
    weir_element_create(out, error)

Creates an empty element owned by the caller. It can be filled any number of times and reuses its memory.
One thread at a time may use an element.
"""
weir_element_create(out, error) =
    @ccall libweir.weir_element_create(out::Ptr{weir_element}, error::Ptr{weir_error})::Int32

weir_element_destroy(element) =
    @ccall libweir.weir_element_destroy(element::weir_element)::Cvoid

"""
    weir_element_clear(element)

Releases the values, so that their memory can be reused elsewhere. Ends what weir_dataset_at has not
finished.
"""
weir_element_clear(element) =
    @ccall libweir.weir_element_clear(element::weir_element)::Cvoid

"""
    weir_element_view(element, index, out, error)

Returns component `index` of the flat list, in which a dict's components have their written order;
weir_spec_component finds it by name. The view, dims included, is valid until the element is filled again,
cleared or destroyed. Errors: out_of_range, for every index if the element is empty. No allocation and no
lock.
"""
weir_element_view(element, index, out, error) =
    @ccall libweir.weir_element_view(element::weir_element, index::UInt32, out::Ptr{weir_view}, error::Ptr{weir_error})::Int32

"""
    weir_element_origin(element, row, out, error)

Returns the record and file that element `row` came from: 0, or a row of weir_iterator_next_block. A
batch or another group has the origin of its first member; elements of sources without records have none.
The file's name is valid until the next call for this element, or until the element is filled again,
cleared or destroyed. Errors: out_of_range if the element has no such row. Cost: a copy of the name.
"""
weir_element_origin(element, row, out, error) =
    @ccall libweir.weir_element_origin(element::weir_element, row::UInt32, out::Ptr{weir_origin}, error::Ptr{weir_error})::Int32

"""
    weir_element_tensor(element, index, out, error)

Returns the component as a tensor owned by the caller, without a copy. It stays valid when the element is
filled again. Errors: out_of_range. Cost: a small allocation, whatever the size.
"""
weir_element_tensor(element, index, out, error) =
    @ccall libweir.weir_element_tensor(element::weir_element, index::UInt32, out::Ptr{weir_tensor}, error::Ptr{weir_error})::Int32

"""
    weir_element_dlpack(element, index, flags, out, error)

Returns the component as a versioned DLPack tensor (weir/dlpack.h) that shares its memory. The receiver
calls its deleter, on any thread and at any time, even after the runtime is gone. Errors: out_of_range;
invalid_argument for strings and nested datasets, for which DLPack has no type.
"""
weir_element_dlpack(element, index, flags, out, error) =
    @ccall libweir.weir_element_dlpack(element::weir_element, index::UInt32, flags::UInt32, out::Ptr{Ptr{Cvoid}}, error::Ptr{weir_error})::Int32

"""
    weir_element_dataset(element, index, out, error)

Returns the dataset in component `index`, such as one of window, owned by the caller. It shares the values
that it needs and outlives the element: iterate over it, or apply operators to it. Its text is
`from_tensors(@1) | flat_map(d -> d)`, where @1 is the value, so it can't be serialized; a checkpoint of an
iterator over it fits the dataset of the same element. Errors: out_of_range; invalid_argument for a tensor,
and for the rows of weir_iterator_next_block. Cost: about 40 us.
"""
weir_element_dataset(element, index, out, error) =
    @ccall libweir.weir_element_dataset(element::weir_element, index::UInt32, out::Ptr{weir_dataset}, error::Ptr{weir_error})::Int32

"""
    weir_element_format(element, flags, out, error)

Returns the element as one JSON value, or with WEIR_TEXT as one line of the notation. It reads a nested
dataset to its end, and returns its error. In the rows of weir_iterator_next_block, parts that are sparse,
ragged or optional are lists. Errors: failed_precondition if the element is empty; resource_exhausted if
the text would be longer than 1 GiB.
"""
weir_element_format(element, flags, out, error) =
    @ccall libweir.weir_element_format(element::weir_element, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_iterator_create(runtime, dataset, options, out, error)

Creates an iterator at the beginning of `dataset`, or at the position of a checkpoint, owned by the caller.
The dataset may come from another runtime: threads, memory, logger and limits are those of `runtime`,
callbacks those of the dataset. `options` may be NULL. The iterator is uninitialised if the dataset has
parameters and no values are given, or if the flag says so. No data file is opened and no element made
before the first next. Errors: those of weir_iterator_initialize.

`dataset` is zero if the options have a spec. All functions take a feedable iterator: weir_iterator_spec
returns its own structure, weir_iterator_destroy ends it alone, and every other function acts on the
iterator that it names. Errors of these: also not_found if that one is gone; invalid_argument if its
elements don't fit when it is named: dtypes must be equal and shapes compatible, and the error names the
part that differs.
"""
weir_iterator_create(runtime, dataset, options, out, error) =
    @ccall libweir.weir_iterator_create(runtime::weir_runtime, dataset::weir_dataset, options::Ptr{weir_iterator_options}, out::Ptr{weir_iterator}, error::Ptr{weir_error})::Int32

"""
    weir_iterator_initialize(iterator, dataset, options, error)

Starts `dataset` from its beginning or from a checkpoint; a zero handle means the iterator's current
dataset. The new position is built and checked first, so after a failure the old one still works. Epochs
continue to count, so every shuffle has a new order, even with other datasets in between. Ends a
cancellation. The flags are refused: they are for weir_iterator_create. Waits for a next in progress;
the following next reads what a checkpoint must read again. Errors: invalid_argument if the structure is
not the iterator's, or a parameter is missing, unknown or of another spec; data_loss if the checkpoint is
damaged; failed_precondition if it belongs to another graph (the error names the operator and parameter
that differ), to other parameters or to a later version of the library, or if there is no dataset;
resource_exhausted if its file is larger than 4 GiB. num_parallel_calls and the depth of a prefetch may
differ from those that the checkpoint was saved with, except between 1, or 0, and more where a shuffle
below is opened more than once. With shard(auto, auto), `checkpoint` must come from the same rank of as
many ranks; failed_precondition otherwise, and for rank_checkpoints that do not belong together.
"""
weir_iterator_initialize(iterator, dataset, options, error) =
    @ccall libweir.weir_iterator_initialize(iterator::weir_iterator, dataset::weir_dataset, options::Ptr{weir_iterator_options}, error::Ptr{weir_error})::Int32

"""
    weir_iterator_destroy(iterator)

Gives up one owner of the iterator; there are several only after weir_iterator_share. The last one cancels
it and releases its buffers, open files and rows. It waits for running callbacks and kernels of this
iterator, and for list_files while it lists folders, but never for reads of records: nothing can interrupt
those, so their thread keeps the file, its buffer and the runtime until the read returns. It also waits for
a callback that waits for a pipe or a socket; such a callback should ask weir_call_cancelled. Inside one of
the iterator's own callbacks it waits for nothing; the last callback to return releases everything.
"""
weir_iterator_destroy(iterator) =
    @ccall libweir.weir_iterator_destroy(iterator::weir_iterator)::Cvoid

"""
    weir_iterator_spec(iterator, out, error)

Returns the structure of the elements, owned by the caller.
"""
weir_iterator_spec(iterator, out, error) =
    @ccall libweir.weir_iterator_spec(iterator::weir_iterator, out::Ptr{weir_spec}, error::Ptr{weir_error})::Int32

"""
    weir_iterator_next(iterator, element, error)

Fills `element` with the next element. Returns WEIR_END at the end and from then on; WEIR_ELEMENT_FAILED if
this element failed: `error` says why, and the next call continues. In both cases the element is empty.
Several threads may call it; they take turns. While it waits, the calling thread works for this iterator.
Errors: cancelled; failed_precondition if the iterator is not initialised, or if the call would wait for
itself. Row range_c_abi of bench/README.md has its cost beyond the pipeline's.
"""
weir_iterator_next(iterator, element, error) =
    @ccall libweir.weir_iterator_next(iterator::weir_iterator, element::weir_element, error::Ptr{weir_error})::Int32

"""
    weir_iterator_next_block(iterator, max_rows, element, out_rows, error)

Fills `element` with up to `max_rows` (1 to 1,024) elements at once: every component gets a new first
dimension. Sets `out_rows` to their number: fewer if that is cheaper, if shapes change, before a failed
element, and at the end. Rows that are not contiguous yet are copied. Otherwise like
weir_iterator_next, or, for `max_rows` + WEIR_BLOCK_TRY, like weir_iterator_try_next. Errors: also
unimplemented for nested datasets, and for tensors of rank 8, which have no room for another dimension.
"""
weir_iterator_next_block(iterator, max_rows, element, out_rows, error) =
    @ccall libweir.weir_iterator_next_block(iterator::weir_iterator, max_rows::Int64, element::weir_element, out_rows::Ptr{Int64}, error::Ptr{weir_error})::Int32

"""
    weir_iterator_next_into(iterator, buffers, buffer_count, error)

Copies the next element into the caller's memory: one buffer per component, `buffer_count` of them. `used`
is the size written. Otherwise like weir_iterator_next. Errors: also invalid_argument for strings, or for
another dtype or count; out_of_range if a buffer is too small: then `used` is the size needed, and the next
call returns the same element.
"""
weir_iterator_next_into(iterator, buffers, buffer_count, error) =
    @ccall libweir.weir_iterator_next_into(iterator::weir_iterator, buffers::Ptr{weir_buffer}, buffer_count::UInt64, error::Ptr{weir_error})::Int32

"""
    weir_iterator_try_next(iterator, element, error)

Like weir_iterator_next, but returns WEIR_PENDING instead of waiting for other threads, also for one in a
next of this iterator. The calling thread works for up to 10 milliseconds, or until the current function,
callback or read returns. A thread of the runtime takes over if the time for an element has no bound: if a
function or parameter runs a dataset to its end, as in `x -> range(x) | reduce(...)`. That thread then runs
everything after the last prefetch, and calls callbacks too, except those with WEIR_CALLBACK_ON_CALLER.
After weir_iterator_ready_fd it also makes elements without callbacks once one has taken more than a
millisecond. It finishes an element that it has begun even if no call asks for it; weir_iterator_cancel and
weir_iterator_destroy end it early, and weir_iterator_save waits for it.
"""
weir_iterator_try_next(iterator, element, error) =
    @ccall libweir.weir_iterator_try_next(iterator::weir_iterator, element::weir_element, error::Ptr{weir_error})::Int32

"""
    weir_iterator_next_within(iterator, timeout_ns, element, error)

Like weir_iterator_next, but returns WEIR_PENDING if there is no element after `timeout_ns` nanoseconds;
nothing is lost, and the next call continues. A thread of the runtime makes slow elements, as for
weir_iterator_try_next, even if weir_iterator_ready_fd was not called. A callback or a single function on
the calling thread is not interrupted. Errors: also invalid_argument for a negative timeout.
"""
weir_iterator_next_within(iterator, timeout_ns, element, error) =
    @ccall libweir.weir_iterator_next_within(iterator::weir_iterator, timeout_ns::Int64, element::weir_element, error::Ptr{weir_error})::Int32

"""
    weir_iterator_ready_fd(iterator, out, error)

Returns a file descriptor that is readable while weir_iterator_try_next should be called: at first, until a
try_next returns WEIR_PENDING, and again when an element or the end is there, when the iterator is
cancelled or initialised, or when another thread has left a next. Spurious readiness is possible. Poll it,
but never read from it: it belongs to the iterator and is closed with it. examples/events.c shows a loop.
Errors: unavailable.
"""
weir_iterator_ready_fd(iterator, out, error) =
    @ccall libweir.weir_iterator_ready_fd(iterator::weir_iterator, out::Ptr{Int32}, error::Ptr{weir_error})::Int32

"""
    weir_iterator_cancel(iterator)

Makes every next fail with cancelled, including one in progress, until the iterator is initialised again.
So may a weir_iterator_initialize in progress fail, where it computes parameters. Waits for nothing. Stale
handles are ignored.
"""
weir_iterator_cancel(iterator) =
    @ccall libweir.weir_iterator_cancel(iterator::weir_iterator)::Cvoid

"""
    weir_iterator_save(iterator, out, error)

Returns the position, before the first element, after any, or at the end. An iterator that starts there
yields the same elements as this one from now on, bit for bit. Size and time depend on the operators, not
on their buffers; see `weir help shuffle` for the cost of restoring. Waits for a next in progress.
Errors: failed_precondition if the iterator is not initialised, or if an operator, which the error names,
cannot be saved; resource_exhausted above 4 GiB.
"""
weir_iterator_save(iterator, out, error) =
    @ccall libweir.weir_iterator_save(iterator::weir_iterator, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_iterator_save_file(iterator, file, file_size, error)

Saves the position to a file. After a crash at any moment, the file has its old contents or all of the new
checkpoint. Symbolic links are followed: the link stays, and its target is replaced or created. While it
writes, there is a file with ".tmp" added to the name. Calls fsync twice. Errors: also those of the file;
invalid_argument if the name belongs to a folder, pipe, socket or device.
"""
weir_iterator_save_file(iterator, file, file_size, error) =
    @ccall libweir.weir_iterator_save_file(iterator::weir_iterator, file::Ptr{UInt8}, file_size::UInt64, error::Ptr{weir_error})::Int32

"""
    weir_iterator_share(iterator, name, name_size, out, error)

Names the iterator within its runtime, and returns the iterator of that name with one more owner: this one,
or an older one that still exists. Parts of a program that each create an iterator and share it under one
name all get the iterator of the first; each calls weir_iterator_destroy for both handles. Errors:
invalid_argument if the other one's elements have another structure (the error names the difference);
resource_exhausted at 32,767 owners.
"""
weir_iterator_share(iterator, name, name_size, out, error) =
    @ccall libweir.weir_iterator_share(iterator::weir_iterator, name::Ptr{UInt8}, name_size::UInt64, out::Ptr{weir_iterator}, error::Ptr{weir_error})::Int32

"""
    weir_iterator_string_handle(iterator, out, error)

Returns a text that names this iterator to feedable ones (`string_handle` of weir_iterator_options):
printable, the same at each call and after weir_iterator_initialize, valid on every thread of the process
while the iterator lives. It ends in 128 random bits, so it cannot be guessed.
"""
weir_iterator_string_handle(iterator, out, error) =
    @ccall libweir.weir_iterator_string_handle(iterator::weir_iterator, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_iterator_stats(iterator, flags, out, error)

Returns what the iterator has done since it was initialised, stage by stage, and what bounds its
throughput, as JSON. Waits for nothing and may be called at any time, also at the end. `flags` is 0,
WEIR_TEXT or WEIR_STATS_PROMETHEUS.
"""
weir_iterator_stats(iterator, flags, out, error) =
    @ccall libweir.weir_iterator_stats(iterator::weir_iterator, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_checkpoint_manager_create(runtime, folder, folder_size, options, out, error)

Creates a manager of the checkpoints in a folder, owned by the caller. A missing folder is created. Each
save is a generation: a file such as r00003-000000000012.ckpt for rank 3, number 12. Processes may share
the folder if each has its own rank: a manager neither reads nor removes the files of other ranks. Removes
the half-written files of a killed process of this rank. `options` may be NULL. One thread at a time may
use a manager. Errors: invalid_argument; those of the folder.

With a world size, the ranks of a job form a group with its own folder, such as g00002-of-00008 for 8
ranks. A job with another number of ranks starts a new group where the newest complete one stopped:

  1. Ask weir_checkpoint_manager_ranks how many ranks saved that one. If it is as many as this job has,
     continue from this rank's own position: `checkpoint` of weir_iterator_options. If it is another
number, pass the positions of all of them as `rank_checkpoints`. weir_checkpoint_manager_load returns each.
If it is 0, start from the beginning.
  2. Save with weir_checkpoint_manager_save before taking anything from the iterator.
  3. Take nothing before all ranks have saved: wait until `complete` is 1, or at a barrier of the job.

An incomplete group does not count, so a job may be killed at any moment. Rank 0 removes older groups when
it saves in a complete one; their processes must have ended. A manager does not read the environment: give
it the rank and the world size.
"""
weir_checkpoint_manager_create(runtime, folder, folder_size, options, out, error) =
    @ccall libweir.weir_checkpoint_manager_create(runtime::weir_runtime, folder::Ptr{UInt8}, folder_size::UInt64, options::Ptr{weir_checkpoint_manager_options}, out::Ptr{weir_checkpoint_manager}, error::Ptr{weir_error})::Int32

"""
    weir_checkpoint_manager_destroy(manager)

Releases the manager. The generations stay.
"""
weir_checkpoint_manager_destroy(manager) =
    @ccall libweir.weir_checkpoint_manager_destroy(manager::weir_checkpoint_manager)::Cvoid

"""
    weir_checkpoint_manager_save(manager, iterator, extra, extra_size, error)

Publishes the iterator's position as the next generation, with `extra_size` bytes of the caller's, such as
a step count or the state of a model. Then removes the oldest generations beyond `keep`, and those that
weir_checkpoint_manager_load found damaged; others that it skipped don't count. After a crash at any moment
each generation is complete or absent; after a failure all older ones still exist. Waits for a next in
progress. Calls fsync twice. Errors: those of weir_iterator_save and of the file; resource_exhausted if
both parts together exceed 4 GiB.
"""
weir_checkpoint_manager_save(manager, iterator, extra, extra_size, error) =
    @ccall libweir.weir_checkpoint_manager_save(manager::weir_checkpoint_manager, iterator::weir_iterator, extra::Ptr{Cvoid}, extra_size::UInt64, error::Ptr{weir_error})::Int32

"""
    weir_checkpoint_manager_step(manager, elements, due, error)

Counts `elements` that the caller has taken from the iterator. Sets `due` to 1 if every_elements of them
were taken, or every_ns nanoseconds have passed, since the manager was created or last saved; else to 0. A
save stays due until weir_checkpoint_manager_save succeeds, so prepare the extra bytes only then. Touches
no file. Errors: invalid_argument for negative `elements`, which are not counted.
"""
weir_checkpoint_manager_step(manager, elements, due, error) =
    @ccall libweir.weir_checkpoint_manager_step(manager::weir_checkpoint_manager, elements::Int64, due::Ptr{Int32}, error::Ptr{weir_error})::Int32

"""
    weir_checkpoint_manager_load(manager, rank, position, extra, generation, error)

Returns the newest valid generation: the position, for `checkpoint` of weir_iterator_options, the extra
bytes, and the number; `extra` and `generation` may be NULL. Skips generations that are damaged, were
renamed, or were saved by a later version of the library, and logs a warning that says why. Errors:
not_found if there is none at all, as in a first run; data_loss if there are some and none is valid;
failed_precondition if it was saved by a group of another number of ranks. A file that can't be read now
and may be intact (no permission, too many open files, larger than 4 GiB, unavailable if the device reports
an error) is an error too, since an older generation would lose work; weir_checkpoint_manager_save does not
remove it.

`rank` is WEIR_OWN_RANK for the manager's own. With a world size it may also be a rank of the newest
complete group, as weir_checkpoint_manager_ranks counts them. Errors then: also invalid_argument if the
group has no such rank; failed_precondition without a world size.
"""
weir_checkpoint_manager_load(manager, rank, position, extra, generation, error) =
    @ccall libweir.weir_checkpoint_manager_load(manager::weir_checkpoint_manager, rank::Int64, position::Ptr{weir_bytes}, extra::Ptr{weir_bytes}, generation::Ptr{Int64}, error::Ptr{weir_error})::Int32

"""
    weir_checkpoint_manager_ranks(manager, saved_ranks, complete, error)

For a manager with a world size. Sets `saved_ranks` to the number of ranks of the newest group that was
complete when the manager was created, or to 0 if there was none; sets `complete` to 1 if all ranks of this
manager's group have saved by now, else to 0. Either may be NULL. `complete` takes listing a folder.
Errors: failed_precondition without a world size.
"""
weir_checkpoint_manager_ranks(manager, saved_ranks, complete, error) =
    @ccall libweir.weir_checkpoint_manager_ranks(manager::weir_checkpoint_manager, saved_ranks::Ptr{UInt32}, complete::Ptr{Int32}, error::Ptr{weir_error})::Int32

"""
    weir_checkpoint_describe(runtime, name, name_size, flags, out, error)

Describes a file that weir_iterator_save_file or a checkpoint manager wrote, as JSON. `flags`
are WEIR_TEXT and WEIR_DESCRIBE_.... Errors: invalid_argument; those of the file; data_loss if it is
damaged, failed_precondition if a later version of the library wrote it.
"""
weir_checkpoint_describe(runtime, name, name_size, flags, out, error) =
    @ccall libweir.weir_checkpoint_describe(runtime::weir_runtime, name::Ptr{UInt8}, name_size::UInt64, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

"""
    weir_record_writer_create(runtime, file, file_size, options, out, error)

Creates an empty TFRecord file, replacing any of that name, and a writer for it, owned by the caller.
`options` may be NULL. One thread at a time may use a writer. Errors: those of the file.
"""
weir_record_writer_create(runtime, file, file_size, options, out, error) =
    @ccall libweir.weir_record_writer_create(runtime::weir_runtime, file::Ptr{UInt8}, file_size::UInt64, options::Ptr{weir_record_writer_options}, out::Ptr{weir_record_writer}, error::Ptr{weir_error})::Int32

"""
    weir_record_writer_write(writer, record, record_size, error)

Appends a record of up to 1 GiB; one above 256 MiB can be read only by a runtime whose record_bytes allows
it. After an error the file is damaged, and every further call returns the same error.
"""
weir_record_writer_write(writer, record, record_size, error) =
    @ccall libweir.weir_record_writer_write(writer::weir_record_writer, record::Ptr{Cvoid}, record_size::UInt64, error::Ptr{weir_error})::Int32

"""
    weir_record_writer_close(writer, error)

Writes the rest of the buffer and closes the file. The writer can then only be destroyed. Errors: those of
the file; those of an earlier write.
"""
weir_record_writer_close(writer, error) =
    @ccall libweir.weir_record_writer_close(writer::weir_record_writer, error::Ptr{weir_error})::Int32

"""
    weir_record_writer_destroy(writer)

Releases the writer. A file that was not closed with weir_record_writer_close is incomplete.
"""
weir_record_writer_destroy(writer) =
    @ccall libweir.weir_record_writer_destroy(writer::weir_record_writer)::Cvoid

"""
    weir_example_create(out, error)

Creates an empty tf.Example owned by the caller. One thread at a time may use an example.
"""
weir_example_create(out, error) =
    @ccall libweir.weir_example_create(out::Ptr{weir_example}, error::Ptr{weir_error})::Int32

weir_example_destroy(example) =
    @ccall libweir.weir_example_destroy(example::weir_example)::Cvoid

"""
    weir_example_set(example, name, name_size, dtype, values, count, error)

Sets a feature to `count` values, which are copied: of int64_t for WEIR_DTYPE_INT64, float for _FLOAT32,
weir_string for _STRING. Setting a name again replaces its values. Errors: invalid_argument for another
dtype.
"""
weir_example_set(example, name, name_size, dtype, values, count, error) =
    @ccall libweir.weir_example_set(example::weir_example, name::Ptr{UInt8}, name_size::UInt64, dtype::Int32, values::Ptr{Cvoid}, count::UInt64, error::Ptr{weir_error})::Int32

"""
    weir_example_serialize(example, out, error)

Returns the serialized message, with features sorted by name: equal features give equal bytes. The example
stays as it is. Errors: resource_exhausted above 2 GiB.
"""
weir_example_serialize(example, out, error) =
    @ccall libweir.weir_example_serialize(example::weir_example, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32
