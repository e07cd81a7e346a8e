#include "iterator/checkpoint.h"

#include <catch2/catch_test_macros.hpp>

#include "core/version.h"

namespace weir {
namespace {

Checkpoint sample() {
  Checkpoint checkpoint;
  checkpoint.fingerprint.words = {1, 2};
  checkpoint.params = {{"n", 7}};
  checkpoint.seeds = {3, 4};
  checkpoint.opening = 5;
  checkpoint.epochs = {6};
  checkpoint.histories = {{Fingerprint{{8, 9}}, 10, {11}}};
  checkpoint.held = "held";
  checkpoint.stage = "stage";
  return checkpoint;
}

TEST_CASE("checkpoint: every field comes back") {
  auto loaded = Checkpoint::from_bytes(sample().to_bytes());
  REQUIRE(loaded.ok());
  CHECK(loaded->fingerprint == sample().fingerprint);
  REQUIRE(loaded->params.size() == 1);
  CHECK(loaded->params[0].name == "n");
  CHECK(loaded->params[0].hash == 7);
  CHECK(loaded->seeds == sample().seeds);
  CHECK(loaded->opening == 5);
  CHECK(loaded->epochs == sample().epochs);
  REQUIRE(loaded->histories.size() == 1);
  CHECK(loaded->histories[0].openings == 10);
  CHECK(loaded->histories[0].epochs == std::vector<uint64_t>{11});
  CHECK(loaded->held == "held");
  CHECK(loaded->stage == "stage");
  CHECK(loaded->library_version == library_version());
}

TEST_CASE("checkpoint: equal positions give equal bytes") {
  CHECK(sample().to_bytes() == sample().to_bytes());
}

TEST_CASE("checkpoint: every flipped bit and every cut is an error") {
  std::string bytes = sample().to_bytes();
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    CHECK_FALSE(Checkpoint::from_bytes(damaged).ok());
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    CHECK(Checkpoint::from_bytes(std::string_view(bytes).substr(0, size)).status().code() == Code::data_loss);
  }
  CHECK(Checkpoint::from_bytes(bytes + '\0').status().code() == Code::data_loss);
}

TEST_CASE("checkpoint: digests tell values apart, also in the middle of small tensors") {
  auto digest = [](std::vector<std::string_view> values) {
    return digest_of({Tensor::strings(values, Shape{static_cast<int64_t>(values.size())})});
  };
  CHECK(digest({"ab", "c"}) == digest({"ab", "c"}));
  CHECK(digest({"ab", "c"}) != digest({"a", "bc"}));
  CHECK(digest_of({Tensor::scalar<int64_t>(1)}) != digest_of({Tensor::scalar<int64_t>(2)}));
  CHECK(digest_of({Tensor::scalar<int32_t>(1)}) != digest_of({Tensor::scalar<uint32_t>(1)}));
}

}  // namespace
}  // namespace weir
