#include "dataset/found_names.h"

#include <algorithm>

#include "core/text.h"
#include "format/crc32c.h"

namespace weir {

namespace {

constexpr size_t kMostSums = 1023;

size_t run_length(size_t names) { return std::max<size_t>(1, (names + kMostSums - 1) / kMostSums); }

uint32_t add_name(uint32_t sum, std::string_view name) {
  // Its size tells where one name ends and the next begins.
  const uint64_t size = name.size();
  return crc32c(name.data(), name.size(), crc32c(&size, sizeof size, sum));
}

}  // namespace

FoundNames::FoundNames(std::string what, const std::vector<std::string>& names, std::string_view place)
    : what_(std::move(what)), digest_{names.size()} {
  for (const std::string& name : names) checksum_ = add_name(checksum_, name);
  const auto placeless = [place](std::string_view name) {
    return name.substr(name.starts_with(place) ? place.size() : 0);
  };
  const size_t length = run_length(names.size());
  for (size_t i = 0; i < names.size(); i += length) {
    uint32_t sum = 0;
    for (size_t k = i; k < std::min(i + length, names.size()); ++k) sum = add_name(sum, placeless(names[k]));
    digest_.push_back(sum);
    firsts_.push_back(names[i]);
  }
}

std::string FoundNames::difference(std::span<const uint64_t> saved) const {
  if (std::equal(saved.begin(), saved.end(), digest_.begin(), digest_.end())) return "";
  const uint64_t count = saved.empty() ? 0 : saved[0];
  std::string out = concat("expected the ", count, " names that ", what_,
                           " gave when the position was saved, found ", digest_[0]);
  if (!saved.empty() && run_length(count) == run_length(digest_[0])) {
    auto [there, here] = std::mismatch(saved.begin() + 1, saved.end(), digest_.begin() + 1, digest_.end());
    const auto at = static_cast<size_t>(here - digest_.begin()) - 1;
    out += at < firsts_.size() ? concat(", the first difference at ", quote(firsts_[at]))
                               : ", with those at the end missing";
  }
  return out +
         "; restore the files that were removed and remove those that were added, or start from the beginning";
}

}  // namespace weir
