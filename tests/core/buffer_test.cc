#include "core/buffer.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

namespace weir {
namespace {

bool is_aligned(const BufferRef& buffer, size_t alignment) {
  return reinterpret_cast<uintptr_t>(buffer->data()) % alignment == 0;
}

// An allocator that counts and can be told to refuse.
struct Counting {
  int allocated = 0;
  int released = 0;
  bool refuses = false;

  Allocator allocator() {
    return {[](void* context, size_t size, size_t alignment) -> void* {
              auto* self = static_cast<Counting*>(context);
              if (self->refuses) return nullptr;
              ++self->allocated;
              return std::aligned_alloc(alignment, size);
            },
            [](void* context, void* data, size_t) {
              ++static_cast<Counting*>(context)->released;
              std::free(data);
            },
            this};
  }
};

TEST_CASE("buffer: bytes are aligned, writable and of the size asked for") {
  for (size_t alignment : {size_t{64}, size_t{256}, size_t{4096}}) {
    for (size_t size : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{1000}, size_t{100000}}) {
      const BufferRef buffer = Buffer::allocate(size, alignment);
      CHECK(buffer->size() == size);
      CHECK(is_aligned(buffer, alignment));
      std::memset(buffer->data(), 0xab, size);
    }
  }
}

TEST_CASE("buffer: a size that can't be is bad_alloc") {
  CHECK_THROWS_AS(Buffer::allocate(SIZE_MAX), std::bad_alloc);
  CHECK_THROWS_AS(Buffer::allocate(SIZE_MAX - 100), std::bad_alloc);
  CHECK_THROWS_AS(BufferPool(0).allocate(SIZE_MAX), std::bad_alloc);
  CHECK_THROWS_AS(BufferPool(0).allocate((size_t{1} << 47) + 1), std::bad_alloc);
}

TEST_CASE("buffer: lent memory is released once, by the last owner") {
  int released = 0;
  char bytes[4] = {};
  BufferRef first = Buffer::wrap(
      bytes, 4, [](void* count) { ++*static_cast<int*>(count); }, &released);
  BufferRef second = first;
  CHECK(first->data() == reinterpret_cast<uint8_t*>(bytes));
  first = nullptr;
  CHECK(released == 0);
  second = nullptr;
  CHECK(released == 1);
  CHECK(Buffer::wrap(bytes, 4, nullptr, nullptr)->size() == 4);
}

TEST_CASE("buffer pool: sizes are rounded up by at most a quarter and aligned") {
  BufferPool pool(0);
  for (size_t size = 64 * 1024; size < 40'000'000; size += size / 7 + 1) {
    const BufferRef buffer = pool.allocate(size);
    CHECK(buffer->size() >= size);
    CHECK(buffer->size() <= size + size / 4 + 1);
    CHECK(is_aligned(buffer, kBatchAlignment));
    buffer->data()[0] = buffer->data()[buffer->size() - 1] = 1;
    CHECK(pool.used_bytes() == buffer->size());
  }
  CHECK(pool.used_bytes() == 0);
}

TEST_CASE("buffer pool: a size class takes its own size as it is") {
  BufferPool pool(0);
  for (size_t size :
       {size_t{65536}, size_t{81920}, size_t{98304}, size_t{114688}, size_t{131072}, size_t{163840}}) {
    CHECK(pool.allocate(size)->size() == size);
    CHECK(pool.allocate(size + 1)->size() > size);
  }
}

TEST_CASE("buffer pool: small sizes come from malloc and are not counted") {
  BufferPool pool(1 << 20);
  const BufferRef buffer = pool.allocate(1000);
  CHECK(is_aligned(buffer, kBatchAlignment));
  CHECK(pool.used_bytes() == 0);
}

TEST_CASE("buffer pool: a buffer that came back is lent again") {
  Counting counting;
  BufferPool pool(1 << 20, counting.allocator());
  const uint8_t* data = pool.allocate(100'000)->data();
  CHECK(pool.free_bytes() == 114'688);
  CHECK(pool.allocate(110'000)->data() == data);
  CHECK(counting.allocated == 1);
  CHECK(counting.released == 0);
}

TEST_CASE("buffer: lasting is what somebody lends, or says so") {
  BufferPool pool(1 << 20);
  int lent = 0;
  CHECK(Buffer::wrap(&lent, sizeof(lent), nullptr, nullptr)->lasting());
  BufferRef buffer = pool.allocate(100'000);
  CHECK(!buffer->lasting());
  buffer->set_lasting();
  CHECK(buffer->lasting());
  const uint8_t* data = buffer->data();
  buffer = nullptr;
  buffer = pool.allocate(100'000);
  REQUIRE(buffer->data() == data);
  CHECK(!buffer->lasting());
}

TEST_CASE("buffer pool: what waits stays within the limit, sizes out of use go first") {
  Counting counting;
  BufferPool pool(300'000, counting.allocator());
  std::vector<BufferRef> lent;
  for (int i = 0; i < 3; ++i) lent.push_back(pool.allocate(65536));
  lent.push_back(pool.allocate(131072));
  CHECK(pool.used_bytes() == 3 * 65536 + 131072);
  lent.pop_back();
  CHECK(pool.free_bytes() == 131072);
  lent.clear();
  CHECK(pool.used_bytes() == 0);
  CHECK(pool.free_bytes() == 3 * 65536);
  CHECK(counting.released == 1);
  const BufferRef huge = pool.allocate(400'000);
  CHECK(pool.free_bytes() == 3 * 65536);
}

TEST_CASE("buffer pool: the size that came back last is kept, a larger one too") {
  BufferPool pool(300'000);
  std::vector<BufferRef> small;
  for (int i = 0; i < 3; ++i) small.push_back(pool.allocate(65536));
  BufferRef large = pool.allocate(131072);
  small.clear();
  large = nullptr;
  CHECK(pool.free_bytes() == 131072 + 2 * 65536);
}

TEST_CASE("buffer pool: a buffer above the limit is freed at once") {
  Counting counting;
  BufferPool pool(100'000, counting.allocator());
  pool.allocate(200'000);
  CHECK(pool.free_bytes() == 0);
  CHECK(counting.released == 1);
}

TEST_CASE("buffer pool: buffers outlive the pool and are freed when they come back") {
  Counting counting;
  BufferRef kept;
  {
    BufferPool pool(1 << 24, counting.allocator());
    kept = pool.allocate(100'000);
    pool.allocate(200'000);
    CHECK(counting.released == 0);
  }
  CHECK(counting.released == 1);
  std::memset(kept->data(), 1, kept->size());
  kept = nullptr;
  CHECK(counting.released == 2);
}

TEST_CASE("buffer pool: an allocator that refuses is bad_alloc and leaves the counts right") {
  Counting counting;
  counting.refuses = true;
  BufferPool pool(1 << 20, counting.allocator());
  CHECK_THROWS_AS(pool.allocate(100'000), std::bad_alloc);
  CHECK(pool.used_bytes() == 0);
}

TEST_CASE("buffer pool: buffers go and come on many threads", "[threads]") {
  BufferPool pool(2'000'000);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      std::vector<BufferRef> held(8);
      for (size_t i = 0; i < 2000; ++i) {
        BufferRef& slot = held[(i * 7 + t) % held.size()];
        slot = pool.allocate(65536 + (i * 13 + t) % 5 * 20'000);
        slot->data()[0] = slot->data()[slot->size() - 1] = static_cast<uint8_t>(t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(pool.used_bytes() == 0);
  CHECK(pool.free_bytes() <= 2'000'000);
}

}  // namespace
}  // namespace weir
