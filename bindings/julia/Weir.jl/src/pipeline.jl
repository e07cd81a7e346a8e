# Documents written as chained calls: W.range(10) |> W.map("x -> x * 2") |> W.batch(4)

"A text of the notation where a value is due: `Expression(\"\\\$n * 2\")`."
struct Expression
    text::String
end

"What an operator is given, or a call of one, by the `WEIR_VALUE_...` of its kind: the library writes the document."
struct Node
    kind::UInt32
    text::String
    number::Float64
    handed::Any # a tensor or dataset, or nothing
    members::Vector{Pair{String,Node}}
end

Node(text::AbstractString) = Node(0, text, 0, nothing, [])
Node(kind::Integer, members; text="") = Node(kind, text, 0, nothing, members)
handed_node(value) = Node(0, "", 0, value, [])

"The kind of several arguments in a row."
const SPREAD = typemax(UInt32)

"""
A document under construction. Nothing is checked before `build`. One that is used twice is written twice; to share one, with
its epochs, build it and use the dataset.
"""
struct Pipeline
    call::Node
end

"What stands after `|>`: a call without its input."
struct Transformation
    call::Node
end

(transformation::Transformation)(pipeline::Pipeline) =
    Pipeline(Node(WEIR_VALUE_CALL, ["" => pipeline.call; transformation.call.members]; text=transformation.call.text))

"Declares a parameter that gets its value when an iterator begins. Expressions and lambdas call it \$NAME."
param(name, spec) = Transformation(Node(WEIR_VALUE_CALL, ["\$$name" => Node(String(spec))]))

"A call of an operator; what is `nothing` was not given."
function call(name, arguments...)
    members = Pair{String,Node}[]
    for argument in arguments
        isnothing(argument) && continue
        argument.second.kind == SPREAD ? append!(members, argument.second.members) : push!(members, argument)
    end
    return Node(WEIR_VALUE_CALL, members; text=name)
end

"An argument, by the type of its parameter."
argument(kind, value, name) = isnothing(value) ? nothing : name => given(Val(kind), value)
argument(kind, value) = "" => given(Val(kind), value)

# The types whose values are texts of the notation.
const NOTATION = Union{Val{:function},Val{:spec},Val{:dtype},Val{:list_of_values_and_dtypes}}

given(kind, value::Expression) = Node(value.text)
given(kind::NOTATION, value::Expression) = Node(value.text)
given(kind::NOTATION, value::AbstractString) = Node(value)
given(kind::Val{:dtype}, value::DataType) = Node(dtype_name(value))
given(kind::Val{:spec}, value::Spec) = Node(spec_text(value))
given(kind, value::Pipeline) = value.call
given(kind, value::Integer) = Node(string(value))
given(kind, value::AbstractFloat) =
    Node(value isa Float64 ? WEIR_VALUE_FLOAT64 : WEIR_VALUE_FLOAT32, "", value, nothing, [])
given(kind, value::AbstractString) = Node(WEIR_VALUE_STRING, value, 0, nothing, [])
given(kind, value::Symbol) = Node(string(value))
given(kind, value::Tensor) = handed_node(value)
given(kind, value::Array) =
    eltype(value) <: Number ? handed_node(Tensor(value)) : Node(WEIR_VALUE_LIST, unnamed(kind, value))
given(kind::Val{:list_of_values}, value::Array) = Node(WEIR_VALUE_LIST, unnamed(kind, value))
given(kind, value::Tuple) = Node(WEIR_VALUE_TUPLE, unnamed(kind, value))
given(kind::Val{:datasets}, value::Tuple) = Node(SPREAD, unnamed(kind, value))
given(kind, value::NamedTuple) =
    Node(WEIR_VALUE_DICT, Pair{String,Node}[string(key) => given(kind, member) for (key, member) in pairs(value)])

unnamed(kind, members) = Pair{String,Node}["" => given(kind, member) for member in members]
