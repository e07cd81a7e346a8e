// The steps for AVX2.
#include "expr/run/tile_steps.h"

namespace weir {

const Tiles& tiles_avx2() { return made_tiles(); }

}  // namespace weir
