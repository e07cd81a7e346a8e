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
const WEIR_DEVICE_CPU = Int32(1)
const WEIR_DEVICE_CUDA = Int32(2)
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
const WEIR_FILE_FOLDER = UInt32(1)
const WEIR_EXTENSION_ABI = UInt32(1)
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
const WEIR_EXPLAIN_PARTS = UInt32(4)
const WEIR_STREAM_NONE = Int32(-1)
const WEIR_STREAM_LEGACY = Int32(1)
const WEIR_STREAM_PER_THREAD = Int32(2)
const WEIR_DLPACK_WRITABLE = UInt32(1)
const WEIR_DLPACK_READ_ONLY = UInt32(2)
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
const WEIR_RECORD_WRITER_PLAIN = UInt32(1)

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

struct weir_file
    value::UInt64
end
weir_file() = weir_file(0)

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
    device_type::Int32
    device_id::Int32
    ready::Ptr{Cvoid}
end
weir_view() = weir_view(sizeof(weir_view), 0, 0, 0, C_NULL, C_NULL, 0, 0, 0, C_NULL)

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
    extensions::Ptr{UInt8}
    extensions_size::UInt64
end
weir_runtime_options() = weir_runtime_options(sizeof(weir_runtime_options), 0, 0, 0, 0, C_NULL, C_NULL, 0, 0, C_NULL, 0, C_NULL, 0)

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
    doc::Ptr{UInt8}
    doc_size::UInt64
end
weir_callback() = weir_callback(sizeof(weir_callback), 0, C_NULL, C_NULL, C_NULL, C_NULL, 0, C_NULL, C_NULL, C_NULL, 0, C_NULL, C_NULL, 0)

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
    signature::Ptr{UInt8}
    signature_size::UInt64
    defaults::Ptr{UInt8}
    defaults_size::UInt64
    infer::Ptr{Cvoid}
    start::Ptr{Cvoid}
    count::Ptr{Cvoid}
    doc::Ptr{UInt8}
    doc_size::UInt64
    table::Ptr{weir_table_format}
end
weir_generator() = weir_generator(sizeof(weir_generator), 0, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, 0, C_NULL, 0, C_NULL, C_NULL, C_NULL, C_NULL, 0, C_NULL)

struct weir_file_info
    struct_size::UInt32
    flags::UInt32
    size::UInt64
    modified_ns::Int64
    version::weir_string
end
weir_file_info() = weir_file_info(sizeof(weir_file_info), 0, 0, 0, weir_string(C_NULL, 0))

struct weir_file_system
    struct_size::UInt32
    flags::UInt32
    schemes::Ptr{UInt8}
    schemes_size::UInt64
    stat::Ptr{Cvoid}
    list::Ptr{Cvoid}
    open::Ptr{Cvoid}
    read::Ptr{Cvoid}
    close::Ptr{Cvoid}
    create::Ptr{Cvoid}
    write::Ptr{Cvoid}
    finish::Ptr{Cvoid}
    remove::Ptr{Cvoid}
    destroy::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
end
weir_file_system() = weir_file_system(sizeof(weir_file_system), 0, C_NULL, 0, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL)

struct weir_table_format
    struct_size::UInt32
    flags::UInt32
    open::Ptr{Cvoid}
    select::Ptr{Cvoid}
    read::Ptr{Cvoid}
    close::Ptr{Cvoid}
    destroy::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
end
weir_table_format() = weir_table_format(sizeof(weir_table_format), 0, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, C_NULL)

struct weir_extension
    struct_size::UInt32
    abi::UInt32
    name::Ptr{UInt8}
    version::Ptr{UInt8}
end
weir_extension() = weir_extension(sizeof(weir_extension), 0, C_NULL, C_NULL)

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
    arrow::Ptr{Cvoid}
end
weir_argument() = weir_argument(sizeof(weir_argument), 0, C_NULL, 0, C_NULL, 0, C_NULL, weir_dataset(0), weir_tensor(0), C_NULL, C_NULL, 0, 0, C_NULL)

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
    flags::UInt32
    compression_name::Ptr{UInt8}
    compression_name_size::UInt64
end
weir_record_writer_options() = weir_record_writer_options(sizeof(weir_record_writer_options), 0, 0, 0, C_NULL, 0)

weir_version() =
    @ccall libweir.weir_version()::Ptr{UInt8}

weir_code_name(code) =
    @ccall libweir.weir_code_name(code::Int32)::Ptr{UInt8}

weir_error_clear(error) =
    @ccall libweir.weir_error_clear(error::Ptr{weir_error})::Cvoid

weir_bytes_release(bytes) =
    @ccall libweir.weir_bytes_release(bytes::Ptr{weir_bytes})::Cvoid

weir_schema(name, name_size, flags, out, error) =
    @ccall libweir.weir_schema(name::Ptr{UInt8}, name_size::UInt64, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_runtime_create(options, out, error) =
    @ccall libweir.weir_runtime_create(options::Ptr{weir_runtime_options}, out::Ptr{weir_runtime}, error::Ptr{weir_error})::Int32

weir_runtime_destroy(runtime) =
    @ccall libweir.weir_runtime_destroy(runtime::weir_runtime)::Cvoid

weir_spec_parse(text, text_size, out, error) =
    @ccall libweir.weir_spec_parse(text::Ptr{UInt8}, text_size::UInt64, out::Ptr{weir_spec}, error::Ptr{weir_error})::Int32

weir_spec_ref(spec, error) =
    @ccall libweir.weir_spec_ref(spec::weir_spec, error::Ptr{weir_error})::Int32

weir_spec_unref(spec) =
    @ccall libweir.weir_spec_unref(spec::weir_spec)::Cvoid

weir_spec_view(spec, out, error) =
    @ccall libweir.weir_spec_view(spec::weir_spec, out::Ptr{weir_spec_info}, error::Ptr{weir_error})::Int32

weir_spec_child(spec, index, out, key, error) =
    @ccall libweir.weir_spec_child(spec::weir_spec, index::UInt32, out::Ptr{weir_spec}, key::Ptr{weir_string}, error::Ptr{weir_error})::Int32

weir_spec_component(spec, path, path_size, out, error) =
    @ccall libweir.weir_spec_component(spec::weir_spec, path::Ptr{UInt8}, path_size::UInt64, out::Ptr{UInt32}, error::Ptr{weir_error})::Int32

weir_spec_format(spec, out, error) =
    @ccall libweir.weir_spec_format(spec::weir_spec, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_tensor_wrap(dtype, rank, dims, data, byte_size, release, user_data, out, error) =
    @ccall libweir.weir_tensor_wrap(dtype::Int32, rank::Int32, dims::Ptr{Int64}, data::Ptr{Cvoid}, byte_size::UInt64, release::Ptr{Cvoid}, user_data::Ptr{Cvoid}, out::Ptr{weir_tensor}, error::Ptr{weir_error})::Int32

weir_tensor_copy(dtype, rank, dims, data, byte_size, out, error) =
    @ccall libweir.weir_tensor_copy(dtype::Int32, rank::Int32, dims::Ptr{Int64}, data::Ptr{Cvoid}, byte_size::UInt64, out::Ptr{weir_tensor}, error::Ptr{weir_error})::Int32

weir_tensor_from_dlpack(managed, out, error) =
    @ccall libweir.weir_tensor_from_dlpack(managed::Ptr{Cvoid}, out::Ptr{weir_tensor}, error::Ptr{weir_error})::Int32

weir_tensor_view(tensor, out, error) =
    @ccall libweir.weir_tensor_view(tensor::weir_tensor, out::Ptr{weir_view}, error::Ptr{weir_error})::Int32

weir_tensor_ref(tensor, error) =
    @ccall libweir.weir_tensor_ref(tensor::weir_tensor, error::Ptr{weir_error})::Int32

weir_tensor_unref(tensor) =
    @ccall libweir.weir_tensor_unref(tensor::weir_tensor)::Cvoid

weir_runtime_register(runtime, name, name_size, callback, error) =
    @ccall libweir.weir_runtime_register(runtime::weir_runtime, name::Ptr{UInt8}, name_size::UInt64, callback::Ptr{weir_callback}, error::Ptr{weir_error})::Int32

weir_runtime_register_source(runtime, name, name_size, source, error) =
    @ccall libweir.weir_runtime_register_source(runtime::weir_runtime, name::Ptr{UInt8}, name_size::UInt64, source::Ptr{weir_generator}, error::Ptr{weir_error})::Int32

weir_call_rows(call) =
    @ccall libweir.weir_call_rows(call::weir_call)::Int64

weir_call_input(call, index, out, error) =
    @ccall libweir.weir_call_input(call::weir_call, index::UInt32, out::Ptr{weir_view}, error::Ptr{weir_error})::Int32

weir_call_output(call, index, rank, dims, out, error) =
    @ccall libweir.weir_call_output(call::weir_call, index::UInt32, rank::Int32, dims::Ptr{Int64}, out::Ptr{Ptr{Cvoid}}, error::Ptr{weir_error})::Int32

weir_call_allocate(call, size, out, error) =
    @ccall libweir.weir_call_allocate(call::weir_call, size::UInt64, out::Ptr{Ptr{Cvoid}}, error::Ptr{weir_error})::Int32

weir_call_fail(call, row, code, message, message_size, error) =
    @ccall libweir.weir_call_fail(call::weir_call, row::Int64, code::Int32, message::Ptr{UInt8}, message_size::UInt64, error::Ptr{weir_error})::Int32

weir_call_cancelled(call) =
    @ccall libweir.weir_call_cancelled(call::weir_call)::Int32

weir_runtime_register_file_system(runtime, files, error) =
    @ccall libweir.weir_runtime_register_file_system(runtime::weir_runtime, files::Ptr{weir_file_system}, error::Ptr{weir_error})::Int32

weir_call_done(call, size) =
    @ccall libweir.weir_call_done(call::weir_call, size::UInt64)::Cvoid

weir_call_entry(call, name, name_size, info, error) =
    @ccall libweir.weir_call_entry(call::weir_call, name::Ptr{UInt8}, name_size::UInt64, info::Ptr{weir_file_info}, error::Ptr{weir_error})::Int32

weir_file_open(runtime, name, name_size, info, out, error) =
    @ccall libweir.weir_file_open(runtime::weir_runtime, name::Ptr{UInt8}, name_size::UInt64, info::Ptr{weir_file_info}, out::Ptr{weir_file}, error::Ptr{weir_error})::Int32

weir_file_read(file, offset, out, size, read, error) =
    @ccall libweir.weir_file_read(file::weir_file, offset::UInt64, out::Ptr{Cvoid}, size::UInt64, read::Ptr{UInt64}, error::Ptr{weir_error})::Int32

weir_file_release(file) =
    @ccall libweir.weir_file_release(file::weir_file)::Cvoid

weir_runtime_load_extension(runtime, file, file_size, error) =
    @ccall libweir.weir_runtime_load_extension(runtime::weir_runtime, file::Ptr{UInt8}, file_size::UInt64, error::Ptr{weir_error})::Int32

weir_dataset_parse(runtime, text, text_size, arguments, argument_count, out, error) =
    @ccall libweir.weir_dataset_parse(runtime::weir_runtime, text::Ptr{UInt8}, text_size::UInt64, arguments::Ptr{weir_argument}, argument_count::UInt64, out::Ptr{weir_dataset}, error::Ptr{weir_error})::Int32

weir_dataset_apply(runtime, operator_name, operator_name_size, inputs, input_count, arguments, argument_count, out, error) =
    @ccall libweir.weir_dataset_apply(runtime::weir_runtime, operator_name::Ptr{UInt8}, operator_name_size::UInt64, inputs::Ptr{weir_dataset}, input_count::UInt64, arguments::Ptr{weir_argument}, argument_count::UInt64, out::Ptr{weir_dataset}, error::Ptr{weir_error})::Int32

weir_dataset_ref(dataset, error) =
    @ccall libweir.weir_dataset_ref(dataset::weir_dataset, error::Ptr{weir_error})::Int32

weir_dataset_unref(dataset) =
    @ccall libweir.weir_dataset_unref(dataset::weir_dataset)::Cvoid

weir_dataset_spec(dataset, out, error) =
    @ccall libweir.weir_dataset_spec(dataset::weir_dataset, out::Ptr{weir_spec}, error::Ptr{weir_error})::Int32

weir_dataset_view(dataset, out, error) =
    @ccall libweir.weir_dataset_view(dataset::weir_dataset, out::Ptr{weir_dataset_info}, error::Ptr{weir_error})::Int32

weir_dataset_format(dataset, out, error) =
    @ccall libweir.weir_dataset_format(dataset::weir_dataset, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_dataset_at(runtime, dataset, position, element, error) =
    @ccall libweir.weir_dataset_at(runtime::weir_runtime, dataset::weir_dataset, position::Int64, element::weir_element, error::Ptr{weir_error})::Int32

weir_dataset_explain(dataset, flags, out, error) =
    @ccall libweir.weir_dataset_explain(dataset::weir_dataset, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_dataset_serialize(dataset, out, error) =
    @ccall libweir.weir_dataset_serialize(dataset::weir_dataset, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_dataset_check(runtime, text, text_size, arguments, argument_count, flags, out, error) =
    @ccall libweir.weir_dataset_check(runtime::weir_runtime, text::Ptr{UInt8}, text_size::UInt64, arguments::Ptr{weir_argument}, argument_count::UInt64, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_dataset_deserialize(runtime, bytes, byte_size, arguments, argument_count, out, error) =
    @ccall libweir.weir_dataset_deserialize(runtime::weir_runtime, bytes::Ptr{Cvoid}, byte_size::UInt64, arguments::Ptr{weir_argument}, argument_count::UInt64, out::Ptr{weir_dataset}, error::Ptr{weir_error})::Int32

weir_element_create(out, error) =
    @ccall libweir.weir_element_create(out::Ptr{weir_element}, error::Ptr{weir_error})::Int32

weir_element_destroy(element) =
    @ccall libweir.weir_element_destroy(element::weir_element)::Cvoid

weir_element_clear(element) =
    @ccall libweir.weir_element_clear(element::weir_element)::Cvoid

weir_element_view(element, index, out, error) =
    @ccall libweir.weir_element_view(element::weir_element, index::UInt32, out::Ptr{weir_view}, error::Ptr{weir_error})::Int32

weir_iterator_next_on(iterator, stream, element, error) =
    @ccall libweir.weir_iterator_next_on(iterator::weir_iterator, stream::Int64, element::weir_element, error::Ptr{weir_error})::Int32

weir_element_release_on(element, stream, error) =
    @ccall libweir.weir_element_release_on(element::weir_element, stream::Int64, error::Ptr{weir_error})::Int32

weir_element_origin(element, row, out, error) =
    @ccall libweir.weir_element_origin(element::weir_element, row::UInt32, out::Ptr{weir_origin}, error::Ptr{weir_error})::Int32

weir_element_tensor(element, index, out, error) =
    @ccall libweir.weir_element_tensor(element::weir_element, index::UInt32, out::Ptr{weir_tensor}, error::Ptr{weir_error})::Int32

weir_element_dlpack(element, index, flags, out, error) =
    @ccall libweir.weir_element_dlpack(element::weir_element, index::UInt32, flags::UInt32, out::Ptr{Ptr{Cvoid}}, error::Ptr{weir_error})::Int32

weir_element_dlpack_on(element, index, flags, stream, out, error) =
    @ccall libweir.weir_element_dlpack_on(element::weir_element, index::UInt32, flags::UInt32, stream::Int64, out::Ptr{Ptr{Cvoid}}, error::Ptr{weir_error})::Int32

weir_element_dataset(element, index, out, error) =
    @ccall libweir.weir_element_dataset(element::weir_element, index::UInt32, out::Ptr{weir_dataset}, error::Ptr{weir_error})::Int32

weir_element_format(element, flags, out, error) =
    @ccall libweir.weir_element_format(element::weir_element, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_iterator_create(runtime, dataset, options, out, error) =
    @ccall libweir.weir_iterator_create(runtime::weir_runtime, dataset::weir_dataset, options::Ptr{weir_iterator_options}, out::Ptr{weir_iterator}, error::Ptr{weir_error})::Int32

weir_iterator_initialize(iterator, dataset, options, error) =
    @ccall libweir.weir_iterator_initialize(iterator::weir_iterator, dataset::weir_dataset, options::Ptr{weir_iterator_options}, error::Ptr{weir_error})::Int32

weir_iterator_destroy(iterator) =
    @ccall libweir.weir_iterator_destroy(iterator::weir_iterator)::Cvoid

weir_iterator_spec(iterator, out, error) =
    @ccall libweir.weir_iterator_spec(iterator::weir_iterator, out::Ptr{weir_spec}, error::Ptr{weir_error})::Int32

weir_iterator_next(iterator, element, error) =
    @ccall libweir.weir_iterator_next(iterator::weir_iterator, element::weir_element, error::Ptr{weir_error})::Int32

weir_iterator_next_block(iterator, max_rows, element, out_rows, error) =
    @ccall libweir.weir_iterator_next_block(iterator::weir_iterator, max_rows::Int64, element::weir_element, out_rows::Ptr{Int64}, error::Ptr{weir_error})::Int32

weir_iterator_next_into(iterator, buffers, buffer_count, error) =
    @ccall libweir.weir_iterator_next_into(iterator::weir_iterator, buffers::Ptr{weir_buffer}, buffer_count::UInt64, error::Ptr{weir_error})::Int32

weir_iterator_try_next(iterator, element, error) =
    @ccall libweir.weir_iterator_try_next(iterator::weir_iterator, element::weir_element, error::Ptr{weir_error})::Int32

weir_iterator_next_within(iterator, timeout_ns, element, error) =
    @ccall libweir.weir_iterator_next_within(iterator::weir_iterator, timeout_ns::Int64, element::weir_element, error::Ptr{weir_error})::Int32

weir_iterator_ready_fd(iterator, out, error) =
    @ccall libweir.weir_iterator_ready_fd(iterator::weir_iterator, out::Ptr{Int32}, error::Ptr{weir_error})::Int32

weir_iterator_cancel(iterator) =
    @ccall libweir.weir_iterator_cancel(iterator::weir_iterator)::Cvoid

weir_iterator_save(iterator, out, error) =
    @ccall libweir.weir_iterator_save(iterator::weir_iterator, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_iterator_save_file(iterator, file, file_size, error) =
    @ccall libweir.weir_iterator_save_file(iterator::weir_iterator, file::Ptr{UInt8}, file_size::UInt64, error::Ptr{weir_error})::Int32

weir_iterator_share(iterator, name, name_size, out, error) =
    @ccall libweir.weir_iterator_share(iterator::weir_iterator, name::Ptr{UInt8}, name_size::UInt64, out::Ptr{weir_iterator}, error::Ptr{weir_error})::Int32

weir_iterator_string_handle(iterator, out, error) =
    @ccall libweir.weir_iterator_string_handle(iterator::weir_iterator, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_iterator_stats(iterator, flags, out, error) =
    @ccall libweir.weir_iterator_stats(iterator::weir_iterator, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_checkpoint_manager_create(runtime, folder, folder_size, options, out, error) =
    @ccall libweir.weir_checkpoint_manager_create(runtime::weir_runtime, folder::Ptr{UInt8}, folder_size::UInt64, options::Ptr{weir_checkpoint_manager_options}, out::Ptr{weir_checkpoint_manager}, error::Ptr{weir_error})::Int32

weir_checkpoint_manager_destroy(manager) =
    @ccall libweir.weir_checkpoint_manager_destroy(manager::weir_checkpoint_manager)::Cvoid

weir_checkpoint_manager_save(manager, iterator, extra, extra_size, error) =
    @ccall libweir.weir_checkpoint_manager_save(manager::weir_checkpoint_manager, iterator::weir_iterator, extra::Ptr{Cvoid}, extra_size::UInt64, error::Ptr{weir_error})::Int32

weir_checkpoint_manager_step(manager, elements, due, error) =
    @ccall libweir.weir_checkpoint_manager_step(manager::weir_checkpoint_manager, elements::Int64, due::Ptr{Int32}, error::Ptr{weir_error})::Int32

weir_checkpoint_manager_load(manager, rank, position, extra, generation, error) =
    @ccall libweir.weir_checkpoint_manager_load(manager::weir_checkpoint_manager, rank::Int64, position::Ptr{weir_bytes}, extra::Ptr{weir_bytes}, generation::Ptr{Int64}, error::Ptr{weir_error})::Int32

weir_checkpoint_manager_ranks(manager, saved_ranks, complete, error) =
    @ccall libweir.weir_checkpoint_manager_ranks(manager::weir_checkpoint_manager, saved_ranks::Ptr{UInt32}, complete::Ptr{Int32}, error::Ptr{weir_error})::Int32

weir_checkpoint_describe(runtime, name, name_size, flags, out, error) =
    @ccall libweir.weir_checkpoint_describe(runtime::weir_runtime, name::Ptr{UInt8}, name_size::UInt64, flags::UInt32, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32

weir_record_writer_create(runtime, file, file_size, options, out, error) =
    @ccall libweir.weir_record_writer_create(runtime::weir_runtime, file::Ptr{UInt8}, file_size::UInt64, options::Ptr{weir_record_writer_options}, out::Ptr{weir_record_writer}, error::Ptr{weir_error})::Int32

weir_record_writer_write(writer, record, record_size, error) =
    @ccall libweir.weir_record_writer_write(writer::weir_record_writer, record::Ptr{Cvoid}, record_size::UInt64, error::Ptr{weir_error})::Int32

weir_record_writer_close(writer, error) =
    @ccall libweir.weir_record_writer_close(writer::weir_record_writer, error::Ptr{weir_error})::Int32

weir_record_writer_destroy(writer) =
    @ccall libweir.weir_record_writer_destroy(writer::weir_record_writer)::Cvoid

weir_example_create(out, error) =
    @ccall libweir.weir_example_create(out::Ptr{weir_example}, error::Ptr{weir_error})::Int32

weir_example_destroy(example) =
    @ccall libweir.weir_example_destroy(example::weir_example)::Cvoid

weir_example_set(example, name, name_size, dtype, values, count, error) =
    @ccall libweir.weir_example_set(example::weir_example, name::Ptr{UInt8}, name_size::UInt64, dtype::Int32, values::Ptr{Cvoid}, count::UInt64, error::Ptr{weir_error})::Int32

weir_example_serialize(example, out, error) =
    @ccall libweir.weir_example_serialize(example::weir_example, out::Ptr{weir_bytes}, error::Ptr{weir_error})::Int32
