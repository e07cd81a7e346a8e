#include "core/philox.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace weir {
namespace {

TEST_CASE("Philox gives the published samples") {
  // The known answers of the Random123 distribution for philox4x32-10.
  CHECK(Philox::block({0, 0, 0, 0}, 0) == Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(Philox::block({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff) ==
        Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(Philox::block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
        Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("The seeds are the key and the upper half of the counter") {
  Philox generator(0x299f31d0a4093822, 0x0370734413198a2e);
  CHECK(generator.block(0x85a308d3243f6a88) == Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("A stream has any sample at once, in any order") {
  Philox generator(42, 7);
  std::vector<uint32_t> in_order;
  for (uint64_t block = 0; block < 8; ++block) {
    for (uint32_t sample : generator.block(block)) in_order.push_back(sample);
  }
  PhiloxStream stream(generator);
  for (uint64_t i = 32; i-- > 0;) CHECK(stream.at(i) == in_order[i]);
  for (uint64_t i = 0; i < 32; i += 5) CHECK(stream.at(i) == in_order[i]);
}

TEST_CASE("An epoch takes two samples of the seed generator") {
  PhiloxStream stream(Philox(87654321, 42));
  auto first = epoch_seeds({87654321, 42}, 0);
  auto fourth = epoch_seeds({87654321, 42}, 3);
  CHECK(first.first == stream.at(0));
  CHECK(first.second == stream.at(1));
  CHECK(fourth.first == stream.at(6));
  CHECK(fourth.second == stream.at(7));
}

}  // namespace
}  // namespace weir
