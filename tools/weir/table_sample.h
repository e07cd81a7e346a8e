// What the first bytes of a table tell of its columns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files.h"

namespace weir::command {

// How many bytes of a table tell what its columns are.
inline constexpr size_t kSampleBytes = size_t{256} << 10;

// Sets how the fields of the table are written, its columns and what its first row is: as `header` says, else
// by what is in the rows. `bytes` are the whole file if `last`. Returns the number of columns.
size_t sample_columns(std::string_view bytes, bool last, std::optional<bool> header, DataFile& file);

// The byte between fields if the text is a table: several rows of as many fields each, and more than one. 0:
// no table.
char delimiter_of(std::string_view contents, bool last);

// The first row of a table of these columns, which sample_columns() takes for a header, whatever the rows
// are.
std::string header_row(const std::vector<std::string>& names, char delim);
// A field as RFC 4180 writes it; in quotes if it needs them, or all are to be.
std::string csv_field(std::string_view text, char delim, bool quoted = false);

}  // namespace weir::command
