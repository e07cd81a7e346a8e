// Port, where one cursor reads an input in place of several that only pass its rows on.
#include <algorithm>
#include <string>

#include "core/checked.h"
#include "dataset/port.h"

namespace weir {

// What the Port of an operator and the Stage below it write between two calls, one inside the other for each
// of `between`.
bool Port::state_through(Archive& archive, std::span<const char* const> between) {
  if (between.empty()) {
    state(archive);
    return archive.status().ok();
  }
  const char* const name = between[0];
  int64_t pulled = pulled_;
  int64_t values = std::min(values_, pulled);
  int64_t standing = 0;
  std::string bytes;
  if (!archive.loading()) {
    Archive inner(archive.holding());
    state_through(inner, between.subspan(1));
    bytes = inner.take();
  } else if (!archive.next_is("pulled")) {
    return false;
  }
  archive("pulled", pulled, 0, kMostCounted);
  archive("values", values, 0, pulled);
  if (archive.loading() && !archive.next_is(name)) return false;
  archive(name, standing, 0, 0);
  if (archive.loading() && !archive.next_is("state")) return false;
  archive("state", bytes);
  if (!archive.loading() || !archive.status().ok()) return archive.status().ok();
  Archive inner(bytes);
  if (!state_through(inner, between.subspan(1))) return false;
  inner.finish();
  return inner.status().ok() && position() == pulled;
}

}  // namespace weir
