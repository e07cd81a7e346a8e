"""
What went wrong and where. `element` says that one element failed, after which the iterator goes on. `file` is empty, and
`offset` and `record` are -1, where they are not known.
"""
struct WeirError <: Exception
    code::Int32
    message::String
    path::String
    file::String
    offset::Int64
    record::Int64
    element::Bool
end

function Base.showerror(io::IO, error::WeirError)
    print(io, unsafe_string(weir_code_name(error.code)), ": ", error.message)
    place = String[]
    isempty(error.file) || push!(place, error.file)
    error.offset < 0 || push!(place, "offset $(error.offset)")
    error.record < 0 || push!(place, "record $(error.record)")
    isempty(error.path) || push!(place, "in $(error.path)")
    isempty(place) || print(io, occursin('\n', error.message) ? "\n(" : " (", join(place, ", "), ")")
end

text_of(from::weir_string) = from.size == 0 ? "" : unsafe_string(from.data, from.size)

function taken(slot::Ref{weir_error}, result::Integer)
    from = slot[]
    out = WeirError(from.code, text_of(from.message), text_of(from.path), text_of(from.file), from.offset, from.record,
        result == WEIR_ELEMENT_FAILED)
    weir_error_clear(slot)
    return out
end

"Runs a function of the library, which gets a place for its error, and throws that."
function checked(run)
    slot = Ref(weir_error())
    result = run(slot)
    if result < 0 || result == WEIR_ELEMENT_FAILED
        throw(taken(slot, result))
    end
    return result
end

"A copy of bytes that the library made."
function taken_bytes(slot::Ref{weir_bytes})
    out = copy(unsafe_wrap(Array, Ptr{UInt8}(slot[].data), Int(slot[].size)))
    weir_bytes_release(slot)
    return out
end
