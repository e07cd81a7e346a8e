// CallSpread: the ratio of the longest recent calls to the usual ones.
//
// An ordered window returns nothing while the call at its head runs. For the other calls to continue
// meanwhile, it needs room for their results: for each call in flight, as many as the ratio of the longest
// call to the mean.
//
// Guarded by its owner's lock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir {

class CallSpread {
 public:
  void add(int64_t took_ns) {
    const auto took = static_cast<double>(took_ns);
    mean_ns_ = mean_ns_ == 0 ? took : mean_ns_ + (took - mean_ns_) / kCalls;
    longest_ns_ = std::max(took, longest_ns_ - longest_ns_ / kRemembered);
  }
  // The length of the longest call in mean ones, with a margin for those that come.
  double factor() const { return mean_ns_ <= 0 ? 1 : kMargin * longest_ns_ / mean_ns_; }

 private:
  // The mean is that of about so many calls; of a long one half is forgotten after some 700 calls.
  static constexpr double kCalls = 64;
  static constexpr double kRemembered = 1024;
  static constexpr double kMargin = 2;

  double mean_ns_ = 0;
  double longest_ns_ = 0;
};

}  // namespace weir
