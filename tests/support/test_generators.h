// Generators that every document of a test may name: @squares saves its place, @pure is opened again,
// @unsaved does neither. Each gives {n: int64, text: string} for n from 0 to 29, but fails at 11.
#pragma once

#include "graph/handed.h"

namespace weir {

const Handed& test_generators();
// How many runs are open, and how many elements were made in all.
int open_generator_runs();
int64_t generated_elements();

}  // namespace weir
