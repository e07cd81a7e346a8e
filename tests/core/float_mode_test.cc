#include "core/float_mode.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "support/host_float_mode.h"

namespace weir {
namespace {

// Sensitive to each mode, and not computed by the compiler.
template <class T>
[[gnu::noinline]] T value(T x) {
  volatile T out = x;
  return out;
}

[[gnu::noinline]] std::vector<double> computed_in_long_double() {
  const long double third = 1.0L / value(3.0L);
  const long double half = value(1e-4945L) * 0.5L;
  return {static_cast<double>((third - static_cast<double>(third)) * 0x1p70L), half == 0 ? 0.0 : 1.0,
          static_cast<double>(value(1.0L) / value(0.0L))};
}

[[gnu::noinline]] std::vector<double> computed() {
  return {value(1.0) / 3.0,
          value(-1.0) / 3.0,
          value(1e-310) * 0.5,
          static_cast<double>(value(1e-40f) * 0.5f),
          static_cast<double>(static_cast<float>(value(16777217))),
          value(1.0) / value(0.0),
          std::nearbyint(value(2.5))};
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST_CASE("A float mode computes as IEEE 754 begins, and leaves the mode that was set") {
  const std::vector<double> short_ones = computed();
  std::vector<double> expected = computed_in_long_double();
  expected.insert(expected.begin(), short_ones.begin(), short_ones.end());
  const uint64_t usual = float_control() >> 16;
  for (const HostFloatMode& mode : host_float_modes()) {
    INFO(mode.name);
    HostFloatScope host(mode);
    std::vector<double> inside;
    uint64_t control = 0;
    {
      FloatMode scope;
      inside = computed();
      control = float_control() >> 16;
      FloatMode within;
      LongDoubleMode in_long_double;
      if (!same_bits(computed(), inside)) inside.clear();
      std::vector<double> rest = computed_in_long_double();
      inside.insert(inside.end(), rest.begin(), rest.end());
    }
    const uint64_t after = float_control();
    std::vector<double> called = in_float_mode([] { return computed(); });
    const uint64_t last = float_control();
    mode.set();
    CHECK(control == usual);
    CHECK(after == host.control());
    CHECK(last == host.control());
    CHECK(same_bits(inside, expected));
    CHECK(same_bits(called, short_ones));
  }
}

TEST_CASE("The modes that tests set make a difference without one") {
  const auto all = [] {
    std::vector<double> out = computed();
    for (double each : computed_in_long_double()) out.push_back(each);
    return out;
  };
  const std::vector<double> expected = all();
  for (const HostFloatMode& mode : host_float_modes()) {
    if (mode.set == host_float::trap) continue;
    INFO(mode.name);
    std::vector<double> made;
    {
      HostFloatScope host(mode);
      made = all();
    }
    CHECK_FALSE(same_bits(made, expected));
  }
}

TEST_CASE("What a host has pending in its mode is not lost, and traps nothing") {
  HostFloatScope host({"traps", host_float::trap});
  ::fedisableexcept(FE_ALL_EXCEPT);
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_INEXACT);
  host_float::round_up();
  {
    FloatMode scope;
    LongDoubleMode long_scope;
    CHECK(std::isinf(value(1.0) / value(0.0)));
    CHECK(std::isnan(value(0.0L) / value(0.0L)));
  }
  CHECK(std::fetestexcept(FE_ALL_EXCEPT) == FE_INEXACT);
}

#if defined(__x86_64__)
TEST_CASE("Long doubles leave nothing that traps who unmasks exceptions later") {
  HostFloatScope host({"traps", host_float::trap});
  ::fedisableexcept(FE_ALL_EXCEPT);
  {
    LongDoubleMode scope;
    value(value(0.0L) / value(0.0L));
  }
  ::feenableexcept(FE_INVALID);
  CHECK(value(1.0L) + value(2.0L) == 3.0L);
}
#endif

}  // namespace
}  // namespace weir
