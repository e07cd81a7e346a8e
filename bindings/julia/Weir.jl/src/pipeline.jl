# Documents written as chained calls: W.range(10) |> W.map("x -> x * 2") |> W.batch(4)

"A text of the notation where a value is due: `Expression(\"\\\$n * 2\")`."
struct Expression
    text::String
end

"Part of a document: text, with tensors and datasets between, which get their names when it is complete."
struct Fragment
    pieces::Vector{Any}
    params::Vector{String}
end

Fragment(pieces...) = joined(pieces)

"Pieces in a row: texts, fragments, and what is handed in."
function joined(parts; separator="")
    out = Fragment(Any[], String[])
    for (i, part) in enumerate(parts)
        i > 1 && !isempty(separator) && push!(out.pieces, separator)
        if part isa Fragment
            append!(out.pieces, part.pieces)
            union!(out.params, part.params)
        else
            push!(out.pieces, part)
        end
    end
    return out
end

"""
A document under construction. Nothing is checked before `build`. One that is used twice is written twice; to share one, with
its epochs, build it and use the dataset.
"""
struct Pipeline
    fragment::Fragment
end

"What stands after `|>`."
struct Transformation
    fragment::Fragment
end

(transformation::Transformation)(pipeline::Pipeline) =
    Pipeline(joined((pipeline.fragment, " | ", transformation.fragment)))

"Declares a parameter that gets its value when an iterator begins. Expressions and lambdas call it \$NAME."
param(name, spec) = Parameter("param $name: $spec\n")

struct Parameter
    statement::String
end

(parameter::Parameter)(pipeline::Pipeline) =
    Pipeline(joined((pipeline.fragment, Fragment(Any[], [parameter.statement]))))

"A call of an operator; what is `nothing` was not given."
call(name, arguments...) =
    joined((name, "(", joined(filter(!isnothing, collect(arguments)); separator=", "), ")"))

function quoted(text)
    out = IOBuffer()
    print(out, '"')
    for byte in codeunits(text)
        if byte == UInt8('"') || byte == UInt8('\\')
            print(out, '\\', Char(byte))
        elseif 0x20 <= byte < 0x7f
            print(out, Char(byte))
        else
            print(out, "\\x", string(byte; base=16, pad=2))
        end
    end
    print(out, '"')
    return String(take!(out))
end

"An argument as a value of the notation, by the type of its parameter."
argument(kind, value, name) = isnothing(value) ? nothing : joined((name, ": ", argument(kind, value)))
argument(kind, value) = written(Val(kind), value)

# The types whose values are texts of the notation.
const NOTATION = Union{Val{:function},Val{:spec},Val{:dtype},Val{:list_of_values_and_dtypes}}

written(kind, value::Expression) = Fragment(value.text)
written(kind::NOTATION, value::Expression) = Fragment(value.text)
written(kind::NOTATION, value::AbstractString) = Fragment(String(value))
written(kind::Val{:dtype}, value::DataType) = Fragment(lowercase(string(value)))
written(kind::Val{:spec}, value::Spec) = Fragment(spec_text(value))
written(kind, value::Pipeline) = value.fragment
written(kind, value::Bool) = Fragment(string(value))
written(kind, value::Integer) = Fragment(string(value))
written(kind, value::AbstractString) = Fragment(quoted(value))
written(kind, value::Symbol) = Fragment(string(value))
written(kind::Val{:seed}, value::Tuple{Integer,Integer}) = Fragment("($(value[1]), $(value[2]))")
written(kind, value::Tensor) = joined((value,))
written(kind, value::Array{<:Number}) = joined((Tensor(value),))
written(kind, value::Tuple) = joined(("(", joined(map(member -> joined((written(kind, member), ",")), value)), ")"))
written(kind::Val{:datasets}, value::Tuple) = joined(map(member -> written(kind, member), value); separator=", ")
written(kind, value::Vector) = joined(("[", joined([written(kind, member) for member in value]; separator=", "), "]"))

function written(kind, value::AbstractFloat)
    isnan(value) && return Fragment("nan")
    isinf(value) && return Fragment(value < 0 ? "-inf" : "inf")
    return Fragment(replace(string(Float64(value)), "f" => "e"))
end

function written(kind, value::NamedTuple)
    parts = [joined((string(key), ": ", written(kind, member))) for (key, member) in pairs(value)]
    return joined(("{", joined(parts; separator=", "), "}"))
end
