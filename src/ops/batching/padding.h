// Padding from parameters: what `shapes` and `values` of padded_batch and its like say about each component.
#pragma once

#include "dataset/dataset.h"
#include "dataset/padded_buffer.h"
#include "dataset/params.h"

namespace weir {

// Per component of `element`. `shapes`: a list of dimensions per tensor, -1 for the largest of the batch; if
// it is left out, the element's own dimensions. `values`: one scalar for all, or one per tensor; numbers
// adapt to the tensor's dtype. Before expressions are bound, dimensions and values that they give are
// unknown. invalid_argument, with the parameter.
Result<std::vector<Padding>> padding_of(const Spec& element, const ValueParam& shapes,
                                        const ValueParam& values);

// A scalar in that dtype; invalid_argument if it doesn't fit.
Result<Tensor> padding_value(const Tensor& given, DType dtype);

// The structure of such padded elements, not joined yet.
Spec padded_spec(const Spec& element, std::span<const Padding> padding);

}  // namespace weir
