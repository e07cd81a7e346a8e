// The databases of LMDB as tables: two columns of bytes, key and value, in the order of the keys.
//
// Only what the pages of one snapshot say is read, with reads of the file, since LMDB's own library trusts
// the file that it maps. The layout is that of LMDB 0.9 (mdb.c) on machines of 64 bits, little-endian.
#pragma once

#include "format/tables/table_format.h"

namespace weir {

RefPtr<const TableFormat> lmdb_format();

}  // namespace weir
