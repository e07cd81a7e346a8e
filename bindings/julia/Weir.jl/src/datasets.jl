# Runtimes, datasets, and iterators over them.

"Threads, memory and logging that iterators share. Most programs need one."
mutable struct Runtime
    handle::weir_runtime
    function Runtime(; threads=0, pool_bytes=0, record_bytes=0, memory_bytes=0, extensions=String[])
        folders = join(extensions, ':')
        out = Ref(weir_runtime())
        GC.@preserve folders begin
            options = Ref(weir_runtime_options(sizeof(weir_runtime_options), threads, pool_bytes, 0, 0, C_NULL, C_NULL,
                record_bytes, memory_bytes, C_NULL, 0, pointer(folders), sizeof(folders)))
            checked(slot -> weir_runtime_create(options, out, slot))
        end
        runtime = new(out[])
        finalizer(runtime -> weir_runtime_destroy(runtime.handle), runtime)
        return runtime
    end
end

"""
    load_extension(runtime, file)

Loads an extension, a shared library with an absolute name.
"""
function load_extension(runtime::Runtime, file::AbstractString)
    name = String(file)
    GC.@preserve name checked(slot -> weir_runtime_load_extension(runtime.handle, pointer(name), sizeof(name), slot))
    return nothing
end

const shared_runtime = Ref{Union{Nothing,Runtime}}(nothing)

"The runtime that is used where none is given."
function default_runtime()
    if isnothing(shared_runtime[])
        shared_runtime[] = Runtime()
    end
    return shared_runtime[]
end

"""
An immutable description of a sequence, for loops and comprehensions. `L` is `:known`, `:infinite` or `:unknown`: whether it
has a length.
"""
mutable struct Dataset{L}
    handle::weir_dataset
    runtime::Runtime
    count::Int64
    loops::Threads.Atomic{UInt64}
end

function Dataset(handle::weir_dataset, runtime::Runtime)
    info = Ref(weir_dataset_info())
    checked(slot -> weir_dataset_view(handle, info, slot))
    count = info[].cardinality
    size = count == WEIR_CARDINALITY_INFINITE ? :infinite : count == WEIR_CARDINALITY_UNKNOWN ? :unknown : :known
    out = Dataset{size}(handle, runtime, count, Threads.Atomic{UInt64}(0))
    finalizer(dataset -> weir_dataset_unref(dataset.handle), out)
    return out
end

"Arguments as the library takes them; `run` gets a vector of them."
function with_arguments(run, arguments::Vector{Pair{String,Node}})
    lists = Vector{weir_argument}[]
    GC.@preserve arguments lists run(raw_list(arguments, lists))
end

function raw_list(arguments, lists)
    list = weir_argument[raw_argument(name, node, lists) for (name, node) in arguments]
    push!(lists, list)
    return list
end

function raw_argument(name, node, lists)
    members = raw_list(node.members, lists)
    text = node.kind == 0 ? isnothing(node.handed) : !isempty(node.text)
    return weir_argument(sizeof(weir_argument), node.kind, pointer(name), sizeof(name), text ? pointer(node.text) : C_NULL,
        text ? sizeof(node.text) : 0, C_NULL, node.handed isa Dataset ? node.handed.handle : weir_dataset(),
        node.handed isa Tensor ? node.handed.handle : weir_tensor(), C_NULL, pointer(members), length(members), node.number,
        C_NULL)
end

"What is passed by name: strings, tensors, datasets."
named(arguments) =
    Pair{String,Node}[String(name) => value isa AbstractString ? Node(value) : handed_node(value) for (name, value) in arguments]

"""
    parse_dataset(text; runtime, arguments...)

Makes a dataset from a text such as `range(10) | batch(4)`. It may refer to arguments (strings, tensors, datasets) as @NAME.
"""
parse_dataset(text::AbstractString; runtime=default_runtime(), arguments...) =
    parsed(runtime, text, named(pairs(arguments)))

function parsed(runtime, text, arguments)
    out = Ref(weir_dataset())
    with_arguments(arguments) do list
        checked(slot -> weir_dataset_parse(runtime.handle, String(text), sizeof(text), list, length(list), out, slot))
    end
    return Dataset(out[], runtime)
end

"""
    apply(operator, inputs...; runtime, arguments...)

Makes a dataset by applying one operator, by its name, to others: `apply("batch", dataset; n="32")`. A string among the
arguments is a value of the notation.
"""
apply(operator::AbstractString, inputs::Dataset...; runtime=default_runtime(), arguments...) =
    applied(runtime, String(operator), inputs, named(pairs(arguments)))

function applied(runtime, operator, inputs, arguments)
    out = Ref(weir_dataset())
    handles = weir_dataset[input.handle for input in inputs]
    GC.@preserve inputs with_arguments(arguments) do list
        checked(slot -> weir_dataset_apply(runtime.handle, operator, sizeof(operator), handles, length(handles), list,
            length(list), out, slot))
    end
    return Dataset(out[], runtime)
end

"Makes the dataset of a pipeline."
build(pipeline::Pipeline; runtime=default_runtime()) = applied(runtime, "", (), Pair{String,Node}["" => pipeline.call])

given(kind, value::Dataset) = handed_node(value)

"The structure of the elements."
function Spec(dataset::Dataset)
    out = Ref(weir_spec())
    GC.@preserve dataset checked(slot -> weir_dataset_spec(dataset.handle, out, slot))
    return Spec(out[])
end

function Base.show(io::IO, dataset::Dataset)
    out = Ref(weir_bytes())
    GC.@preserve dataset checked(slot -> weir_dataset_format(dataset.handle, out, slot))
    print(io, "Dataset(", String(taken_bytes(out)), ")")
end

"An element of the library's, which is filled again and again."
mutable struct Slot
    handle::weir_element
    function Slot()
        out = Ref(weir_element())
        checked(slot -> weir_element_create(out, slot))
        element = new(out[])
        finalizer(element -> weir_element_destroy(element.handle), element)
        return element
    end
end

"A position in a dataset."
mutable struct DatasetIterator
    handle::weir_iterator
    runtime::Runtime
    spec::Spec
    element::Slot
    ready::RawFD
end

function DatasetIterator(handle::weir_iterator, runtime::Runtime)
    spec = Ref(weir_spec())
    checked(slot -> weir_iterator_spec(handle, spec, slot))
    ready = Ref(Int32(-1))
    checked(slot -> weir_iterator_ready_fd(handle, ready, slot))
    out = DatasetIterator(handle, runtime, Spec(spec[]), Slot(), RawFD(ready[]))
    finalizer(iterator -> weir_iterator_destroy(iterator.handle), out)
    return out
end

"The options of an iterator for one call; `params` are pairs of a name and a value."
function with_options(run; checkpoint=nothing, checkpoint_file="", epoch=0, rank=0, world_size=0, policy=0, params=())
    values = Pair{String,Node}[String(name) => given(Val(:value), value) for (name, value) in params]
    file = String(checkpoint_file)
    # With a byte more it has an address even when it is empty, which the library refuses.
    position = UInt8[something(checkpoint, UInt8[]); 0x00]
    with_arguments(values) do list
        GC.@preserve position file list begin
            options = Ref(weir_iterator_options(sizeof(weir_iterator_options), 0, pointer(list), length(list),
                isnothing(checkpoint) ? C_NULL : pointer(position), length(position) - 1,
                isempty(file) ? C_NULL : pointer(file), sizeof(file), epoch, rank, world_size, C_NULL, 0, policy, 0,
                weir_spec(), C_NULL, 0))
            return run(options)
        end
    end
end

"""
    DatasetIterator(dataset; checkpoint, checkpoint_file, epoch, rank, world_size, policy, params)

Begins a dataset: at its start, at a position that `save` or `save_file` gave, or in an epoch. `params` are pairs such as
`("n" => 5,)`.
"""
function DatasetIterator(dataset::Dataset; options...)
    out = Ref(weir_iterator())
    with_options(; options...) do given
        GC.@preserve dataset checked(slot -> weir_iterator_create(dataset.runtime.handle, dataset.handle, given, out, slot))
    end
    return DatasetIterator(out[], dataset.runtime)
end

"Begins the iterator's dataset again, or another one of the same structure."
function initialize!(iterator::DatasetIterator, dataset=nothing; options...)
    handle = isnothing(dataset) ? weir_dataset() : dataset.handle
    with_options(; options...) do given
        GC.@preserve iterator dataset checked(slot -> weir_iterator_initialize(iterator.handle, handle, given, slot))
    end
    return iterator
end

"""
    next!(iterator)

The next element in `Some`, or `nothing` at the end. Throws the error of an element that failed; the next call goes on. A task
that waits leaves its thread: it never waits inside the library, where it would hold up a collection of garbage.
"""
function next!(iterator::DatasetIterator)
    GC.@preserve iterator begin
        while true
            result = checked(slot -> weir_iterator_try_next(iterator.handle, iterator.element.handle, slot))
            result == WEIR_OK && return Some(element_value(iterator))
            result == WEIR_END && return nothing
            poll_fd(iterator.ready; readable=true)
        end
    end
end

"The position: an iterator that begins there gives the elements that this one would give from now on."
function save(iterator::DatasetIterator)
    out = Ref(weir_bytes())
    GC.@preserve iterator checked(slot -> weir_iterator_save(iterator.handle, out, slot))
    return taken_bytes(out)
end

"The position as a file, which after a crash at any moment holds what it held before or all of it."
function save_file(iterator::DatasetIterator, file::AbstractString)
    GC.@preserve iterator checked(slot -> weir_iterator_save_file(iterator.handle, String(file), sizeof(file), slot))
    return nothing
end

"Makes every call for an element fail until `initialize!`."
cancel(iterator::DatasetIterator) = GC.@preserve iterator weir_iterator_cancel(iterator.handle)

element_value(iterator::DatasetIterator) = structured(iterator.spec, iterator.element, iterator.runtime, Ref(0))

"The value of a structure whose components begin at `at`, which moves on."
function structured(spec::Spec, element::Slot, runtime::Runtime, at::Ref{Int})
    kind = info(spec).kind
    kind == WEIR_SPEC_TENSOR && return component(element, at)
    kind == WEIR_SPEC_SPARSE && return Sparse(component(element, at), component(element, at), component(element, at))
    kind == WEIR_SPEC_RAGGED && return Ragged(component(element, at), component(element, at))
    if kind == WEIR_SPEC_DATASET
        out = Ref(weir_dataset())
        checked(slot -> weir_element_dataset(element.handle, at[], out, slot))
        at[] += 1
        return Dataset(out[], runtime)
    end
    present = kind != WEIR_SPEC_OPTIONAL || component(element, at)
    parts = members(spec)
    values = map(member -> structured(member.second, element, runtime, at), parts)
    kind == WEIR_SPEC_OPTIONAL && return present ? Some(values[1]) : nothing
    kind == WEIR_SPEC_TUPLE && return Tuple(values)
    return NamedTuple{Tuple(Symbol(member.first) for member in parts)}(Tuple(values))
end

function component(element::Slot, at::Ref{Int})
    out = Ref(weir_tensor())
    checked(slot -> weir_element_tensor(element.handle, at[], out, slot))
    at[] += 1
    return value_of(Tensor(out[]))
end

function Base.iterate(iterator::DatasetIterator, _=nothing)
    next = next!(iterator)
    return isnothing(next) ? nothing : (something(next), nothing)
end

"Each loop begins the next epoch, so that its shuffles have another order."
Base.iterate(dataset::Dataset) = iterate(dataset, DatasetIterator(dataset; epoch=Threads.atomic_add!(dataset.loops, UInt64(1))))

function Base.iterate(dataset::Dataset, iterator::DatasetIterator)
    next = next!(iterator)
    return isnothing(next) ? nothing : (something(next), iterator)
end

Base.IteratorSize(::Type{DatasetIterator}) = Base.SizeUnknown()
Base.IteratorSize(::Type{Dataset{:known}}) = Base.HasLength()
Base.IteratorSize(::Type{Dataset{:infinite}}) = Base.IsInfinite()
Base.IteratorSize(::Type{Dataset{:unknown}}) = Base.SizeUnknown()
Base.IteratorEltype(::Type{<:Dataset}) = Base.EltypeUnknown()
Base.IteratorEltype(::Type{DatasetIterator}) = Base.EltypeUnknown()
Base.length(dataset::Dataset{:known}) = Int(dataset.count)

"How many elements there are."
numobs(dataset::Dataset{:known}) = length(dataset)

"""
    getobs(dataset, index)

The element at an index from 1, without those before it. Throws for operators that don't know where their elements are.
"""
function getobs(dataset::Dataset, index::Integer)
    element = Slot()
    GC.@preserve dataset element begin
        # Further below it would be a position with WEIR_AT_TRY.
        position = max(index - 1, WEIR_AT_TRY ÷ 2)
        checked(slot -> weir_dataset_at(dataset.runtime.handle, dataset.handle, position, element.handle, slot))
        return structured(Spec(dataset), element, dataset.runtime, Ref(0))
    end
end

getobs(dataset::Dataset, indices::AbstractVector{<:Integer}) = [getobs(dataset, index) for index in indices]

Base.getindex(dataset::Dataset, index) = getobs(dataset, index)
Base.firstindex(dataset::Dataset) = 1
Base.lastindex(dataset::Dataset{:known}) = length(dataset)
