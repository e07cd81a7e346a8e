// Decoders of gzip and zlib data: zlib's own, and that of ISA-L, which takes a third of the time.
//
// ISA-L is looked up when it is first needed; it need not be there. Memory: 8 to 100 KiB.
#pragma once

#include "format/codec.h"

namespace weir {

// Null if there is no memory.
std::unique_ptr<Decoder> make_zlib_inflater(bool gzip);
// Null also if ISA-L is not there.
std::unique_ptr<Decoder> make_isal_inflater(bool gzip);

}  // namespace weir
