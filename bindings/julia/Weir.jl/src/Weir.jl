"""
Loads data for programs that train or run models: the pipelines of tf.data as a library, with exact checkpoints.

    using Weir
    import Weir.Operators as W
    dataset = build(W.range(10) |> W.map("x -> x * 2") |> W.batch(4))
    for batch in dataset
        println(batch)
    end

A dataset is an immutable description of a sequence. Its elements are numbers, strings, arrays, and tuples and named tuples
of them. Arrays are read-only, over the library's memory, with their dimensions in Julia's order: `float32[batch, 28, 28]` is
a 28×28×batch array.
"""
module Weir

using FileWatching: poll_fd

export Runtime, Dataset, DatasetIterator, Spec, Tensor, WeirError
export build, parse_dataset, apply, param, next!, initialize!, save, save_file, cancel, numobs, getobs, spec_text

# The folder is looked up when the package is compiled; without one, the loader's own rules hold.
const libweir = haskey(ENV, "WEIR_LIB_DIR") ? joinpath(ENV["WEIR_LIB_DIR"], "libweir.so") : "libweir.so.0"

include("capi.jl")
include("errors.jl")
include("values.jl")
include("pipeline.jl")
include("datasets.jl")

"The operators. Most have the names of functions of Base, so they stay in a module of their own."
module Operators
import ..Pipeline, ..Transformation, ..call, ..argument
include("operators.jl")
end

end
