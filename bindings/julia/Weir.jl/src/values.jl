# What elements are in Julia.

const TYPES = Dict{Int32,DataType}(
    WEIR_DTYPE_BOOL => Bool, WEIR_DTYPE_INT8 => Int8, WEIR_DTYPE_INT16 => Int16, WEIR_DTYPE_INT32 => Int32,
    WEIR_DTYPE_INT64 => Int64, WEIR_DTYPE_UINT8 => UInt8, WEIR_DTYPE_UINT16 => UInt16, WEIR_DTYPE_UINT32 => UInt32,
    WEIR_DTYPE_UINT64 => UInt64, WEIR_DTYPE_FLOAT16 => Float16, WEIR_DTYPE_FLOAT32 => Float32,
    WEIR_DTYPE_FLOAT64 => Float64, WEIR_DTYPE_COMPLEX64 => ComplexF32, WEIR_DTYPE_COMPLEX128 => ComplexF64,
    # Their bits, since Base has no such float.
    WEIR_DTYPE_BFLOAT16 => UInt16)

const NUMBERS = Dict{DataType,Int32}(type => dtype for (dtype, type) in TYPES if dtype != WEIR_DTYPE_BFLOAT16)

# The dtypes that Julia calls something else.
const DTYPE_NAMES = Dict{DataType,String}(ComplexF32 => "complex64", ComplexF64 => "complex128")

"The name of a dtype in the notation."
dtype_name(type::DataType) = get(DTYPE_NAMES, type, lowercase(string(type)))

"The structure of an element."
mutable struct Spec
    handle::weir_spec
    function Spec(handle::weir_spec)
        out = new(handle)
        finalizer(spec -> weir_spec_unref(spec.handle), out)
        return out
    end
end

"Reads a text such as \"{image: uint8[28, 28], label: int64}\"."
function Spec(text::AbstractString)
    out = Ref(weir_spec())
    checked(slot -> weir_spec_parse(String(text), sizeof(text), out, slot))
    return Spec(out[])
end

"The text of a structure."
function spec_text(spec::Spec)
    out = Ref(weir_bytes())
    GC.@preserve spec checked(slot -> weir_spec_format(spec.handle, out, slot))
    return String(taken_bytes(out))
end

Base.show(io::IO, spec::Spec) = print(io, "Spec(", spec_text(spec), ")")

function info(spec::Spec)
    out = Ref(weir_spec_info())
    GC.@preserve spec checked(slot -> weir_spec_view(spec.handle, out, slot))
    return out[]
end

"The members of a tuple or dict, or what an optional or dataset holds: pairs of a key and a spec."
function members(spec::Spec)
    out = Pair{String,Spec}[]
    for index in 0:Int(info(spec).child_count)-1
        child = Ref(weir_spec())
        key = Ref(weir_string(C_NULL, 0))
        GC.@preserve spec begin
            checked(slot -> weir_spec_child(spec.handle, index, child, key, slot))
            push!(out, text_of(key[]) => Spec(child[]))
        end
    end
    return out
end

"Memory that pipelines read, or that an element had."
mutable struct Tensor
    handle::weir_tensor
    function Tensor(handle::weir_tensor)
        out = new(handle)
        finalizer(tensor -> weir_tensor_unref(tensor.handle), out)
        return out
    end
end

"A tensor with the entries of an array, copied; its dimensions are those of the array in reverse."
function Tensor(array::Array{T}) where {T<:Union{keys(NUMBERS)...}}
    dims = Int64[reverse(size(array))...]
    out = Ref(weir_tensor())
    checked(slot -> weir_tensor_copy(NUMBERS[T], length(dims), dims, array, sizeof(array), out, slot))
    return Tensor(out[])
end

function view_of(tensor::Tensor)
    out = Ref(weir_view())
    checked(slot -> weir_tensor_view(tensor.handle, out, slot))
    return out[]
end

"An array over the library's memory, which it keeps."
struct TensorArray{T,N} <: DenseArray{T,N}
    data::Array{T,N}
    tensor::Tensor
end

Base.size(array::TensorArray) = size(array.data)
Base.strides(array::TensorArray) = strides(array.data)
Base.IndexStyle(::Type{<:TensorArray}) = IndexLinear()
Base.@propagate_inbounds Base.getindex(array::TensorArray, index::Int) = array.data[index]
Base.unsafe_convert(::Type{Ptr{T}}, array::TensorArray{T}) where {T} = Base.unsafe_convert(Ptr{T}, array.data)

"A tensor as a number, a string, or an array with the dimensions in reverse."
function value_of(tensor::Tensor)
    GC.@preserve tensor begin
        view = view_of(tensor)
        dims = ntuple(i -> Int(unsafe_load(view.dims, view.rank - i + 1)), Int(view.rank))
        if view.dtype == WEIR_DTYPE_STRING
            entries = Ptr{weir_string}(view.data)
            texts = String[text_of(unsafe_load(entries, i)) for i in 1:prod(dims; init=1)]
            return isempty(dims) ? texts[1] : reshape(texts, dims)
        end
        type = TYPES[view.dtype]
        isempty(dims) && return unsafe_load(Ptr{type}(view.data))
        prod(dims) == 0 && return Array{type}(undef, dims)
        return TensorArray(unsafe_wrap(Array, Ptr{type}(view.data), dims; own=false), tensor)
    end
end

"A sparse value: the positions, counted from 0, one a column; the values; the shape."
struct Sparse
    indices
    values
    shape
end

"A ragged value: all entries in a row, and where each row begins, counted from 0."
struct Ragged
    values
    row_splits
end
