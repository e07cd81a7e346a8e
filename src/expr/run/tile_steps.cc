// The steps for the baseline.
#include "expr/run/tile_steps.h"

#include "core/cpu.h"

namespace weir {

const Tiles& tiles_baseline() { return made_tiles(); }

const Tiles& tiles() { return cpu_level() >= CpuLevel::avx2 ? tiles_avx2() : tiles_baseline(); }

}  // namespace weir
