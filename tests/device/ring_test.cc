#include "device/ring.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/text.h"
#include "fake_cuda/fake_cuda.h"

namespace weir {
namespace {

// The fake driver as it was.
struct Fake {
  Fake() {
    fake_cuda_schedule(FAKE_CUDA_SOME, 1);
    fake_cuda_devices(2, size_t{64} << 20);
    fake_cuda_forget();
    (void)fake_cuda_trap();
  }
  ~Fake() {
    fake_cuda_plant(0);
    fake_cuda_fail("", 0, 0, 0);
    fake_cuda_finish();
    (void)fake_cuda_trap();
  }
};

std::string trapped() {
  const char* trap = fake_cuda_trap();
  return trap ? trap : "";
}

DeviceContext& device(int ordinal) {
  Result<DeviceContext*> context = DeviceContext::join(ordinal);
  REQUIRE(context.ok());
  return **context;
}

// A batch of bytes in pinned memory, as batch() makes it, or a small one elsewhere.
Tensor batch_of(BufferPool& pool, size_t bytes, int value) {
  Tensor out;
  out.dtype = DType::uint8;
  out.shape = Shape{static_cast<int64_t>(bytes)};
  out.buffer = pool.allocate(bytes);
  out.data = out.buffer->data();
  std::memset(out.data, value, bytes);
  return out;
}

// How a consumer goes through the elements of a ring.
struct Play {
  int devices = 1;
  int elements = 24;
  int64_t depth = 1;
  size_t bytes = 80'000;
  // Each seventh element is larger than all before.
  bool grows = false;
  // Elements that are kept at a time.
  size_t keeps = 1;
  // Every other element is used on the legacy stream, or on that of the thread.
  StreamNumber other = 0;
  // A second consumer uses each element too.
  bool twice = false;
  // Those kept are released in any order.
  bool any_order = false;
  // The first releases cannot be recorded.
  bool fails = false;
};

class Game {
 public:
  Game(const Play& play, uint64_t seed) : play_(play), dice_(seed) {
    fake_cuda_schedule(seed % 3 == 0 ? FAKE_CUDA_LATE : FAKE_CUDA_SOME, seed);
    for (int i = 0; i < play.devices; ++i) {
      DeviceContext& context = device(i);
      pools_.push_back(context.pinned_pool());
      auto ring = DeviceRing::make(context, pools_[0], play.depth, {});
      if (!ring.ok()) return;
      rings_.push_back(*ring);
      streams_.push_back(fake_cuda_stream(i, false));
      more_streams_.push_back(fake_cuda_stream(i, false));
    }
  }
  ~Game() {
    while (!kept_.empty()) release();
    rings_.clear();
    fake_cuda_finish();
    for (void* stream : streams_) fake_cuda_end_stream(stream);
    for (void* stream : more_streams_) fake_cuda_end_stream(stream);
  }

  // Empty, or what went wrong.
  std::string run() {
    if (rings_.size() < static_cast<size_t>(play_.devices)) return "no ring";
    read_.resize(static_cast<size_t>(play_.elements));
    size_t bytes = play_.bytes;
    for (int i = 0; i < play_.elements; ++i) {
      if (play_.grows && i % 7 == 6) bytes += 50'000;
      if (std::string wrong = step(i, bytes); !wrong.empty()) return wrong;
      while (kept_.size() > play_.keeps - 1) release();
    }
    while (!kept_.empty()) release();
    rings_.clear();
    fake_cuda_finish();
    if (std::string trap = trapped(); !trap.empty()) return trap;
    for (int i = 0; i < play_.elements; ++i) {
      for (const uint8_t byte : read_[static_cast<size_t>(i)]) {
        if (byte != (i + 1) % 251) return concat("a wrong byte in element ", i);
      }
    }
    return "";
  }

 private:
  struct Kept {
    RefPtr<Lease> lease;
    Components element;
    std::vector<StreamNumber> streams;
  };

  std::string step(int i, size_t bytes) {
    const int on = i % play_.devices;
    const auto ring = static_cast<size_t>(on);
    const int value = (i + 1) % 251;
    const Components rows{batch_of(*pools_[0], bytes, value), batch_of(*pools_[0], 64, value)};
    Result<Components> element = rings_[ring]->copy(rows);
    if (!element.ok()) return element.status().error().message;
    Kept kept{*lease_of((*element)[0]), *element, {}};
    auto stream = reinterpret_cast<StreamNumber>(streams_[ring]);
    if (play_.other != 0 && i % 2 == 1) stream = play_.other;
    kept.streams.push_back(stream);
    if (play_.twice) kept.streams.push_back(reinterpret_cast<StreamNumber>(more_streams_[ring]));
    std::vector<uint8_t>& out = read_[static_cast<size_t>(i)];
    out.assign(kept.streams.size() * (bytes + 64), 0);
    uint8_t* at = out.data();
    kept_.push_back(kept);
    for (const StreamNumber used : kept.streams) {
      const Status waits = kept.lease->wait_on(used);
      if (!waits.ok()) return waits.error().message;
      for (const Tensor& tensor : *element) {
        fake_cuda_read(on, reinterpret_cast<void*>(used), tensor.data, tensor.byte_size(), at);
        at += tensor.byte_size();
      }
    }
    return "";
  }

  void release() {
    const size_t which =
        play_.any_order ? (dice_ = dice_ * 6364136223846793005u + 1442695040888963407u) >> 33 : 0;
    const auto at = kept_.begin() + static_cast<int64_t>(which % kept_.size());
    Kept& oldest = *at;
    if (play_.fails && released_++ < 4) fake_cuda_fail("cuEventRecord", 0, 1, 1);
    for (const StreamNumber stream : oldest.streams) oldest.lease->release_on(stream, this_thread());
    kept_.erase(at);
  }

  const Play play_;
  std::vector<std::shared_ptr<BufferPool>> pools_;
  std::vector<RefPtr<DeviceRing>> rings_;
  std::vector<void*> streams_;
  std::vector<void*> more_streams_;
  std::vector<Kept> kept_;
  std::vector<std::vector<uint8_t>> read_;
  int released_ = 0;
  uint64_t dice_;
};

std::vector<Play> plays() {
  std::vector<Play> out(10);
  out[1].depth = 3;
  out[2].grows = true;
  out[3].keeps = 4;
  out[4].other = kLegacyStream;
  out[5].other = kPerThreadStream;
  out[6].twice = true;
  out[7].devices = 2;
  out[8].devices = 2;
  out[8].twice = out[8].grows = true;
  out[8].keeps = 2;
  out[9].fails = true;
  out[3].any_order = true;
  return out;
}

TEST_CASE("elements are on the device as they were made, whatever the order of streams") {
  const Fake fake;
  for (const Play& play : plays()) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      INFO("seed " << seed << ", devices " << play.devices << ", keeps " << play.keeps);
      CHECK(Game(play, seed).run() == "");
    }
  }
  fake_cuda_finish();
  CHECK(trapped() == "");
  CHECK(fake_cuda_device_bytes() == 0);
  CHECK(fake_cuda_pinned_bytes() == 0);
}

TEST_CASE("each planted mistake of order turns bytes wrong or is trapped") {
  const Fake fake;
  CHECK(fake_cuda_plants() >= 40);
  const std::vector<Play> list = plays();
  for (int plant = 1; plant <= fake_cuda_plants(); ++plant) {
    std::string wrong;
    for (uint64_t seed = 0; seed < 60 && wrong.empty(); ++seed) {
      for (const Play& play : list) {
        fake_cuda_plant(plant);
        wrong = Game(play, seed).run();
        fake_cuda_plant(0);
        fake_cuda_finish();
        (void)trapped();
        if (!wrong.empty()) break;
      }
    }
    INFO(fake_cuda_plant_name(plant));
    CHECK(wrong != "");
  }
}

TEST_CASE("consumers of any kind read the right bytes") {
  const Fake fake;
  for (uint64_t games = 1; games <= 12; ++games) {
    const uint64_t seed = games * 2654435761u;
    Play play;
    play.devices = 1 + static_cast<int>(seed >> 3 & 1);
    play.elements = 200;
    play.depth = 1 + static_cast<int64_t>(seed >> 5 & 3);
    play.bytes = 64 + (seed >> 7 & 0x1ffff);
    play.grows = seed >> 9 & 1;
    play.keeps = 1 + (seed >> 11 & 7);
    play.other = static_cast<StreamNumber>((seed >> 13) % 3);
    play.twice = seed >> 15 & 1;
    play.any_order = seed >> 17 & 1;
    INFO("game " << games);
    REQUIRE(Game(play, seed).run() == "");
  }
}

TEST_CASE("batches in pinned memory are copied from where they are") {
  const Fake fake;
  DeviceContext& context = device(0);
  const auto pool = context.pinned_pool();
  auto ring = DeviceRing::make(context, pool, 1, {});
  REQUIRE(ring.ok());
  const Tensor batch = batch_of(*pool, 200'000, 7);
  CHECK(DeviceContext::is_pinned(batch.data, batch.byte_size()));
  const size_t used = pool->used_bytes();
  const auto element = (*ring)->copy({batch});
  REQUIRE(element.ok());
  CHECK(pool->used_bytes() == used);
  CHECK((*element)[0].buffer->on_device());
  const Tensor small = batch_of(*pool, 10, 3);
  CHECK_FALSE(DeviceContext::is_pinned(small.data, small.byte_size()));
  const auto copied = (*ring)->copy({small});
  REQUIRE(copied.ok());
  CHECK(pool->used_bytes() > used);
  const auto back = on_host((*copied)[0]);
  REQUIRE(back.ok());
  CHECK(bit_equal(*back, small));
}

TEST_CASE("a device without memory for an element says how much it needs") {
  const Fake fake;
  fake_cuda_devices(1, 1 << 20);
  DeviceContext& context = device(0);
  const auto pool = context.pinned_pool();
  auto ring = DeviceRing::make(context, pool, 2, {});
  REQUIRE(ring.ok());
  const auto refused = (*ring)->copy({batch_of(*pool, 2'000'000, 1)});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().code() == Code::resource_exhausted);
  const std::string message = refused.status().error().message;
  CHECK(message.find("2000128 bytes of the memory of cuda:0") != std::string::npos);
  CHECK(message.find("1048576 free of 1048576") != std::string::npos);
  // Smaller ones still fit.
  CHECK((*ring)->copy({batch_of(*pool, 100'000, 1)}).ok());
}

TEST_CASE("each call of the driver may fail, and what follows is right") {
  const Fake fake;
  for (const char* function :
       {"cuMemAlloc", "cuMemFree", "cuMemcpyHtoDAsync", "cuStreamWaitEvent", "cuEventCreate", "cuEventRecord",
        "cuEventQuery", "cuEventSynchronize", "cuStreamCreate", "cuMemHostRegister", "cuCtxSynchronize"}) {
    for (int after = 0; after < 20; ++after) {
      INFO(function << " fails after " << after);
      Play play;
      play.grows = play.twice = true;
      {
        fake_cuda_fail(function, after, 1, 1);
        Game game(play, static_cast<uint64_t>(after));
        std::string wrong;
        try {
          wrong = game.run();
        } catch (const std::bad_alloc&) {
          // Memory that cannot be pinned.
          wrong = "no memory";
        }
        CHECK(wrong.find("wrong byte") == std::string::npos);
        CHECK(wrong.find("memory under") == std::string::npos);
        fake_cuda_fail("", 0, 0, 0);
      }
      fake_cuda_finish();
      CHECK(trapped() == "");
    }
  }
  CHECK(Game(Play(), 5).run() == "");
}

TEST_CASE("what may be in use outlives a ring that cannot wait for it") {
  const Fake fake;
  DeviceContext& context = device(0);
  const size_t before = fake_cuda_device_bytes();
  for (const char* function : {"cuEventSynchronize", "cuMemHostUnregister", "cuCtxPushCurrent"}) {
    for (const int count : {1, 1'000}) {
      INFO(function << " fails " << count << " times");
      {
        const auto pool = context.pinned_pool();
        auto ring = DeviceRing::make(context, pool, 2, {});
        REQUIRE(ring.ok());
        fake_cuda_schedule(FAKE_CUDA_LATE, 1);
        for (int i = 1; i <= 3; ++i) {
          REQUIRE((*ring)->copy({batch_of(*pool, static_cast<size_t>(i) * 70'000, i)}).ok());
        }
        fake_cuda_fail(function, 0, count, 999);
      }
      fake_cuda_fail("", 0, 0, 0);
      fake_cuda_finish();
      CHECK(trapped() == "");
      // The whole device tells it as well as events do.
      if (function != std::string_view("cuCtxPushCurrent")) CHECK(fake_cuda_device_bytes() == before);
    }
  }
  CHECK(Game(Play(), 6).run() == "");
  CHECK(trapped() == "");
}

TEST_CASE("the host's current context is left alone") {
  const Fake fake;
  void* const host = fake_cuda_use(1);
  CHECK(Game(Play(), 3).run() == "");
  int depth = 0;
  CHECK(fake_cuda_current(&depth) == host);
  CHECK(depth == 1);
}

TEST_CASE("a context that was destroyed is an error, and the next iterator has a new one") {
  const Fake fake;
  DeviceContext& context = device(0);
  const auto pool = context.pinned_pool();
  auto ring = DeviceRing::make(context, pool, 2, {});
  REQUIRE(ring.ok());
  const Tensor batch = batch_of(*pool, 100'000, 9);
  auto kept = (*ring)->copy({batch});
  REQUIRE(kept.ok());
  fake_cuda_device_reset(0);
  const auto refused = (*ring)->copy({batch});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().code() == Code::failed_precondition);
  CHECK(refused.status().error().message.find("was destroyed") != std::string::npos);
  const RefPtr<Lease> lease = *lease_of((*kept)[0]);
  CHECK_FALSE(lease->wait_on(kLegacyStream).ok());
  lease->release_on(kLegacyStream, this_thread());
  CHECK(&device(0) != &context);
  CHECK(trapped() == "");
  CHECK(Game(Play(), 4).run() == "");
}

TEST_CASE("streams are named as DLPack names them") {
  CHECK(check_stream(1).ok());
  CHECK(check_stream(2).ok());
  CHECK(check_stream(-1).ok());
  CHECK(check_stream(0x7f0000001000).ok());
  CHECK(check_stream(0).code() == Code::invalid_argument);
  CHECK(check_stream(-2).code() == Code::invalid_argument);
}

TEST_CASE("a device that is not there is named") {
  const Fake fake;
  const auto refused = DeviceContext::join(7);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().code() == Code::not_found);
  CHECK(refused.status().error().message.find("expected the device cuda:7, found 2 devices") !=
        std::string::npos);
}

TEST_CASE("leases are released on threads while elements are copied", "[threads]") {
  const Fake fake;
  DeviceContext& context = device(0);
  const auto pool = context.pinned_pool();
  auto ring = DeviceRing::make(context, pool, 2, {});
  REQUIRE(ring.ok());
  void* const stream = fake_cuda_stream(0, false);
  constexpr int kElements = 300;
  std::vector<std::vector<uint8_t>> read(kElements, std::vector<uint8_t>(70'000));
  std::vector<std::thread> threads;
  Mutex mutex;
  std::deque<std::pair<int, Components>> queue;
  bool over = false;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (;;) {
        std::pair<int, Components> mine;
        {
          MutexLock lock(mutex);
          if (queue.empty()) {
            if (over) return;
            lock.unlock();
            std::this_thread::yield();
            continue;
          }
          mine = std::move(queue.front());
          queue.pop_front();
        }
        const auto number = mine.first % 3 == 0   ? kLegacyStream
                            : mine.first % 3 == 1 ? kPerThreadStream
                                                  : reinterpret_cast<StreamNumber>(stream);
        const RefPtr<Lease> lease = *lease_of(mine.second[0]);
        if (!lease->wait_on(number).ok()) std::abort();
        fake_cuda_read(0, reinterpret_cast<void*>(number), mine.second[0].data, 70'000,
                       read[static_cast<size_t>(mine.first)].data());
        lease->release_on(number, this_thread());
      }
    });
  }
  for (int i = 0; i < kElements; ++i) {
    auto element = (*ring)->copy({batch_of(*pool, 70'000, i % 251)});
    REQUIRE(element.ok());
    MutexLock lock(mutex);
    queue.emplace_back(i, *std::move(element));
  }
  {
    MutexLock lock(mutex);
    over = true;
  }
  for (std::thread& thread : threads) thread.join();
  fake_cuda_finish();
  CHECK(trapped() == "");
  for (int i = 0; i < kElements; ++i) {
    INFO(i);
    CHECK(read[static_cast<size_t>(i)] == std::vector<uint8_t>(70'000, static_cast<uint8_t>(i % 251)));
  }
  fake_cuda_end_stream(stream);
}

}  // namespace
}  // namespace weir
