#include "core/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/text.h"

namespace weir {

namespace {

// More would not fit the text that a graph is written in.
constexpr int64_t kMaxDigested = int64_t{1} << 20;

std::string place(size_t index, const NodeDigest& node) {
  return concat("operator ", index + 1, ", ", node.name);
}

const ParameterDigest* find(const NodeDigest& node, const std::string& name) {
  for (const ParameterDigest& parameter : node.parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

// Returns "" if all of `a` is in `b` with the same values.
std::string first_difference(size_t index, const NodeDigest& a, const NodeDigest& b) {
  for (const ParameterDigest& parameter : a.parameters) {
    const ParameterDigest* other = find(b, parameter.name);
    if (!other)
      return concat(place(index, a), ": parameter ", parameter.name, " is given in one of the two only");
    if (other->hash != parameter.hash)
      return concat(place(index, a), ": parameter ", parameter.name, " differs");
  }
  return "";
}

}  // namespace

uint64_t hash_of(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Fingerprint fingerprint_of(std::string_view bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {{hash.high64, hash.low64}};
}

std::string Fingerprint::to_string() const {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (uint64_t word : words) {
    for (int shift = 60; shift >= 0; shift -= 4) out += kHex[(word >> shift) & 15];
  }
  return out;
}

void GraphDigest::state(Archive& archive) {
  auto node_count = static_cast<int64_t>(nodes.size());
  archive("operators", node_count, 0, kMaxDigested);
  if (archive.loading()) nodes.clear();
  for (int64_t i = 0; i < node_count && archive.status().ok(); ++i) {
    if (archive.loading()) nodes.emplace_back();
    NodeDigest& node = nodes[static_cast<size_t>(i)];
    archive("operator", node.name);
    auto parameter_count = static_cast<int64_t>(node.parameters.size());
    archive("parameters", parameter_count, 0, kMaxDigested);
    for (int64_t j = 0; j < parameter_count && archive.status().ok(); ++j) {
      if (archive.loading()) node.parameters.emplace_back();
      ParameterDigest& parameter = node.parameters[static_cast<size_t>(j)];
      archive("parameter", parameter.name);
      archive("hash", parameter.hash);
    }
  }
}

std::string difference(const GraphDigest& here, const GraphDigest& there) {
  for (size_t i = 0; i < here.nodes.size() && i < there.nodes.size(); ++i) {
    const NodeDigest& a = here.nodes[i];
    const NodeDigest& b = there.nodes[i];
    if (a.name != b.name) return concat("operator ", i + 1, " is ", a.name, " here and ", b.name, " there");
    std::string text = first_difference(i, a, b);
    if (text.empty()) text = first_difference(i, b, a);
    if (!text.empty()) return text;
  }
  if (here.nodes.size() == there.nodes.size()) {
    return "operators and parameters are the same, but the names or lets are written differently; use the text that it was saved with";
  }
  bool longer = here.nodes.size() > there.nodes.size();
  const GraphDigest& more = longer ? here : there;
  size_t at = std::min(here.nodes.size(), there.nodes.size());
  return concat(place(at, more.nodes[at]), ", is ", longer ? "here only" : "there only");
}

}  // namespace weir
