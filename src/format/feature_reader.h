// Reads a serialized Feature: its kind and its list of values, decoded or only counted. Private to
// src/format.
//
// A sink takes the values: `found` counts them, add() takes one that is written by itself, add_delimited() a
// packed list, or one string.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "format/feature.h"
#include "format/wire.h"

namespace weir {

// Decodes up to `count` values; those beyond are only counted.
template <class T>
struct DecodedValues {
  T* out;
  size_t count;
  size_t found = 0;

  void add(T value) {
    if (found < count) out[found] = value;
    ++found;
  }
  bool add_delimited(WireCursor content) {
    if constexpr (std::is_same_v<T, Str>) {
      add({reinterpret_cast<const char*>(content.data()), content.size()});
    } else if constexpr (std::is_same_v<T, float>) {
      if (content.size() % sizeof(float) != 0) return false;
      const size_t room = count - std::min(found, count);
      const size_t size = std::min(content.size(), room * sizeof(float));
      if (size != 0) std::memcpy(out + found, content.data(), size);
      found += content.size() / sizeof(float);
    } else {
      uint64_t value;
      while (!content.done()) {
        if (!content.read_varint(value)) return false;
        add(static_cast<int64_t>(value));
      }
    }
    return true;
  }
};

// Adds the number of varints that fill `content`; false if a varint is cut short or has more than ten bytes.
inline bool count_varints(WireCursor content, size_t& count) {
  constexpr uint64_t kTopBits = 0x8080808080808080u;
  constexpr int kMostContinued = 9;
  const uint8_t* at = content.data();
  size_t left = content.size();
  int continued = 0;
  for (; left >= sizeof(uint64_t); at += sizeof(uint64_t), left -= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    // A bit for each byte that ends a varint; the first byte is the lowest.
    const uint64_t ends = ~word & kTopBits;
    const int leading = ends == 0 ? 8 : std::countr_zero(ends) / 8;
    if (continued + leading > kMostContinued) return false;
    continued = ends == 0 ? continued + 8 : std::countl_zero(ends) / 8;
    count += static_cast<size_t>(std::popcount(ends));
  }
  for (; left > 0; ++at, --left) {
    if (*at < 0x80) {
      ++count;
      continued = 0;
    } else if (++continued > kMostContinued) {
      return false;
    }
  }
  return continued == 0;
}

// Counts the values that DecodedValues<T> finds, and refuses what it refuses.
template <class T>
struct CountedValues {
  size_t found = 0;

  void add(T) { ++found; }
  bool add_delimited(WireCursor content) {
    if constexpr (std::is_same_v<T, int64_t>) return count_varints(content, found);
    found += std::is_same_v<T, float> ? content.size() / sizeof(float) : 1;
    return !std::is_same_v<T, float> || content.size() % sizeof(float) == 0;
  }
};

// Reads an Int64List, FloatList or BytesList; numbers may be packed or not.
template <class T, class Sink>
bool read_value_list(WireCursor list, Sink& sink) {
  uint32_t tag;
  while (!list.done()) {
    if (!list.read_tag(tag)) return false;
    if (tag == wire_tag(1, WireType::delimited)) {
      WireCursor content;
      if (!list.read_delimited(content) || !sink.add_delimited(content)) return false;
    } else if (std::is_same_v<T, int64_t> && tag == wire_tag(1, WireType::varint)) {
      uint64_t value;
      if (!list.read_varint(value)) return false;
      if constexpr (std::is_same_v<T, int64_t>) sink.add(static_cast<int64_t>(value));
    } else if (std::is_same_v<T, float> && tag == wire_tag(1, WireType::fixed32)) {
      float value;
      if (!list.read_fixed(value)) return false;
      if constexpr (std::is_same_v<T, float>) sink.add(value);
    } else if (!list.skip(tag)) {
      return false;
    }
  }
  return true;
}

// The kind that is set last counts, and lists of that kind form one list, as in any protobuf parser. Gives
// ok, absent, wrong_kind or malformed, and the kind that was found.
template <class T, class Sink>
FeatureOutcome read_feature(WireCursor feature, FeatureType type, Sink& sink, FeatureType& found_type) {
  uint32_t kind = 0;
  while (!feature.done()) {
    uint32_t tag;
    if (!feature.read_tag(tag)) return FeatureOutcome::malformed;
    const uint32_t field = tag >> 3;
    if (field > 3 || tag != wire_tag(field, WireType::delimited)) {
      if (!feature.skip(tag)) return FeatureOutcome::malformed;
      continue;
    }
    WireCursor list;
    if (!feature.read_delimited(list)) return FeatureOutcome::malformed;
    if (kind != field) sink.found = 0;
    kind = field;
    if (kind == static_cast<uint32_t>(type) && !read_value_list<T>(list, sink)) {
      return FeatureOutcome::malformed;
    }
  }
  if (kind == 0) return FeatureOutcome::absent;
  found_type = static_cast<FeatureType>(kind);
  return found_type == type ? FeatureOutcome::ok : FeatureOutcome::wrong_kind;
}

}  // namespace weir
