// A text compressed by zlib itself, as gzip or zlib.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

#include "format/inflate.h"

namespace weir {

// REQUIRES: `compression` is gzip or zlib
inline std::string deflated(std::string_view text, Compression compression, int level = 6) {
  z_stream zlib = {};
  deflateInit2(&zlib, level, Z_DEFLATED, 15 + (compression == Compression::gzip ? 16 : 0), 8, 0);
  std::string out(deflateBound(&zlib, text.size()) + 64, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

}  // namespace weir
