#include "core/file_places.h"

#include <algorithm>

namespace weir {

namespace {

std::string_view folder_of(std::string_view name) { return name.substr(0, name.rfind('/') + 1); }

// The part in which the last slash ends a folder.
std::string_view path_of(std::string_view name, Naming what) {
  if (what == Naming::patterns) return name.substr(0, name.find_first_of("*?[\\"));
  return name.find("://") == std::string_view::npos ? name : name.substr(0, name.find('?'));
}

}  // namespace

size_t place_size(std::span<const std::string_view> names, Naming what) {
  if (names.empty()) return 0;
  std::string_view shared = folder_of(path_of(names[0], what));
  for (const std::string_view name : names.subspan(1)) {
    const std::string_view folder = folder_of(path_of(name, what));
    const auto differ = std::mismatch(shared.begin(), shared.end(), folder.begin(), folder.end()).first;
    shared = folder_of(shared.substr(0, static_cast<size_t>(differ - shared.begin())));
  }
  return shared.size();
}

std::string_view placeless_name(std::string_view name) { return name.substr(place_size({&name, 1})); }

}  // namespace weir
