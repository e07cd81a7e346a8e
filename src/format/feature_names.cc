#include "format/feature_names.h"

#include <algorithm>

#include "format/wire.h"

namespace weir {

namespace {

// Calls `found` with each field 1 of a message, until one is unreadable.
template <class Found>
void each_first(WireCursor message, Found&& found) {
  while (!message.done()) {
    uint32_t tag;
    WireCursor inner;
    if (!message.read_tag(tag)) return;
    if (tag == kFirstField ? !message.read_delimited(inner) : !message.skip(tag)) return;
    if (tag == kFirstField) found(inner);
  }
}

}  // namespace

std::vector<std::string> feature_names(Str record) {
  std::vector<std::string> names;
  each_first({record.data, record.size}, [&](WireCursor features) {
    each_first(features, [&](WireCursor entry) {
      each_first(entry, [&](WireCursor key) {
        std::string name(reinterpret_cast<const char*>(key.data()), key.size());
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
      });
    });
  });
  return names;
}

}  // namespace weir
