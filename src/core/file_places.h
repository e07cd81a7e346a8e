// What a position leaves out of the names of files: where the files are. It continues over copies of them in
// another folder or store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weir {

// What a string names.
enum class Naming : uint8_t {
  nothing,
  files,
  patterns,  // globs
  folders,   // what the names of files in them are appended to
};

// How many bytes of all the names say where the files are: the folder that they share, with its scheme and
// its last slash. It ends before the first character that a glob matches by, and before the query of a URL.
size_t place_size(std::span<const std::string_view> names, Naming what = Naming::files);

// The name without its folder.
std::string_view placeless_name(std::string_view name);

}  // namespace weir
