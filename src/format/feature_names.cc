#include "format/feature_names.h"

#include <algorithm>
#include <iterator>

#include "core/spec.h"
#include "core/text.h"

namespace weir {

std::vector<std::string> feature_names(Str record, uint32_t outer) {
  std::vector<std::string> names;
  each_content({record.data, record.size}, outer, [&](WireCursor features) {
    return each_content(features, kFirstField, [&](WireCursor entry) {
      return each_content(entry, kFirstField, [&](WireCursor key) {
        std::string name(reinterpret_cast<const char*>(key.data()), key.size());
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
        return true;
      });
    });
  });
  return names;
}

Mistake not_among(std::string_view what, std::string_view name, const std::vector<std::string>& present,
                  const std::vector<std::string>& wanted, std::string_view hint) {
  constexpr size_t kMostShown = 20;
  std::string list;
  for (size_t i = 0; i < std::min(present.size(), kMostShown); ++i)
    list += concat(i == 0 ? "" : ", ", key_text(present[i]));
  if (present.size() > kMostShown) list += concat(", … (", present.size(), " in all)");
  std::vector<std::string> others;
  std::ranges::copy_if(present, std::back_inserter(others), [&](const std::string& one) {
    return std::ranges::find(wanted, one) == wanted.end();
  });
  const std::string near = nearest(name, others);
  return {concat(what, " ", list.empty() ? "none" : list),
          near.empty() ? std::string(hint) : concat("did you mean ", key_text(near), "?")};
}

}  // namespace weir
