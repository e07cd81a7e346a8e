// Long runs are folded 256 bytes at a time by carry-less multiplication, where the processor multiplies 512
// bits. Others go through the crc32 instruction in three interleaved streams, because it takes three cycles
// and one can start each cycle. Streams are joined, and folds made, by multiplying with powers of x modulo
// the polynomial.
#include "format/crc32c.h"

#include <array>
#include <atomic>
#include <cstring>

#if defined(__x86_64__)
// GCC warns about undefined operands that its own header makes on purpose.
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

#include "core/once.h"

namespace weir {

namespace {

// The polynomial with the coefficient of x^31 in bit 0, as everywhere here.
constexpr uint32_t kPolynomial = 0x82f63b78u;

constexpr uint32_t times_x(uint32_t value) { return (value >> 1) ^ ((value & 1) ? kPolynomial : 0); }

constexpr std::array<uint32_t, 256> make_byte_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = times_x(value);
    table[byte] = value;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kByteTable = make_byte_table();

// A product modulo the polynomial.
constexpr uint32_t times(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t bit = 0x80000000u; bit != 0; bit >>= 1, b = times_x(b)) {
    if (a & bit) product ^= b;
  }
  return product;
}

// x to the powers 8, 16, 32 …: what moves a remainder over 1, 2, 4 … bytes.
constexpr std::array<uint32_t, 64> make_moves() {
  std::array<uint32_t, 64> moves{};
  uint32_t value = 0x80000000u;
  for (int i = 0; i < 8; ++i) value = times_x(value);
  for (uint32_t& move : moves) {
    move = value;
    value = times(value, value);
  }
  return moves;
}

constexpr std::array<uint32_t, 64> kMoves = make_moves();

using Function = uint32_t (*)(const void* data, size_t size, uint32_t crc);

#if defined(__x86_64__)

constexpr uint32_t power_of_x(int exponent) {
  uint32_t value = 0x80000000u;
  for (int i = 0; i < exponent; ++i) value = times_x(value);
  return value;
}

// A product of two 32-bit remainders that goes through the crc32 instruction comes out multiplied by x^33.
// kShift[n] moves a remainder over n words of 8 bytes that way.
constexpr size_t kStreamWords = 128;

constexpr std::array<uint32_t, 2 * kStreamWords + 1> make_shifts() {
  std::array<uint32_t, 2 * kStreamWords + 1> shifts{};
  uint32_t value = power_of_x(64 - 33);
  for (size_t words = 1; words < shifts.size(); ++words) {
    shifts[words] = value;
    for (int bit = 0; bit < 64; ++bit) value = times_x(value);
  }
  return shifts;
}

constexpr std::array<uint32_t, 2 * kStreamWords + 1> kShift = make_shifts();

inline uint64_t load64(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

[[gnu::target("sse4.2")]] inline uint64_t crc_of_tail(const uint8_t* bytes, size_t size, uint64_t crc) {
  for (; size >= 8; size -= 8, bytes += 8) crc = _mm_crc32_u64(crc, load64(bytes));
  uint32_t narrow = static_cast<uint32_t>(crc);
  if (size & 4) {
    uint32_t word;
    std::memcpy(&word, bytes, sizeof(word));
    narrow = _mm_crc32_u32(narrow, word);
    bytes += 4;
  }
  if (size & 2) {
    uint16_t word;
    std::memcpy(&word, bytes, sizeof(word));
    narrow = _mm_crc32_u16(narrow, word);
    bytes += 2;
  }
  if (size & 1) narrow = _mm_crc32_u8(narrow, *bytes);
  return narrow;
}

[[gnu::target("sse4.2,pclmul")]] inline uint64_t shifted(uint64_t crc, size_t words) {
  const __m128i factor = _mm_cvtsi32_si128(static_cast<int>(kShift[words]));
  const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<int64_t>(crc)), factor, 0);
  return static_cast<uint64_t>(_mm_cvtsi128_si64(product));
}

// Reads three streams of this many words of 8 bytes each.
// REQUIRES: `words` >= 1
[[gnu::target("sse4.2,pclmul")]] inline uint64_t crc_of_streams(const uint8_t* bytes, size_t words,
                                                                uint64_t crc) {
  const uint8_t* second = bytes + 8 * words;
  const uint8_t* third = second + 8 * words;
  uint64_t a = crc, b = 0, c = 0;
  for (size_t i = 0; i + 1 < words; ++i) {
    a = _mm_crc32_u64(a, load64(bytes + 8 * i));
    b = _mm_crc32_u64(b, load64(second + 8 * i));
    c = _mm_crc32_u64(c, load64(third + 8 * i));
  }
  const size_t last = 8 * (words - 1);
  a = _mm_crc32_u64(a, load64(bytes + last));
  b = _mm_crc32_u64(b, load64(second + last));
  // The products ride on the third stream's last word, so that joining takes no step of its own.
  return _mm_crc32_u64(c, load64(third + last) ^ shifted(a, 2 * words) ^ shifted(b, words));
}

[[gnu::target("sse4.2,pclmul")]] uint32_t crc32c_streams(const void* data, size_t size, uint32_t crc) {
  const uint8_t* bytes = static_cast<const uint8_t*>(data);
  uint64_t value = ~crc;
  while (size >= 96) {
    const size_t words = size / 24 < kStreamWords ? size / 24 : kStreamWords;
    value = crc_of_streams(bytes, words, value);
    bytes += 24 * words;
    size -= 24 * words;
  }
  return ~static_cast<uint32_t>(crc_of_tail(bytes, size, value));
}

[[gnu::target("sse4.2")]] uint32_t crc32c_instruction(const void* data, size_t size, uint32_t crc) {
  return ~static_cast<uint32_t>(crc_of_tail(static_cast<const uint8_t*>(data), size, ~crc));
}

#define WEIR_FOLDING gnu::target("avx512f,avx512vl,avx512dq,avx512bw,vpclmulqdq,pclmul,sse4.2")

// The factors that move 128 bits over `Bits` further bits: for the first eight bytes and for the second.
template <int Bits>
inline constexpr uint64_t kFirstFactor = power_of_x(Bits + 31);
template <int Bits>
inline constexpr uint64_t kSecondFactor = power_of_x(Bits - 33);

template <int Bits>
[[WEIR_FOLDING]] inline __m128i factors() {
  return _mm_set_epi64x(static_cast<int64_t>(kSecondFactor<Bits>), static_cast<int64_t>(kFirstFactor<Bits>));
}

[[WEIR_FOLDING]] inline __m512i fold(__m512i value, __m512i factors, __m512i onto) {
  const __m512i first = _mm512_clmulepi64_epi128(value, factors, 0x00);
  const __m512i second = _mm512_clmulepi64_epi128(value, factors, 0x11);
  return _mm512_ternarylogic_epi64(first, second, onto, 0x96);
}

[[WEIR_FOLDING]] inline __m128i fold(__m128i value, __m128i factors, __m128i onto) {
  const __m128i first = _mm_clmulepi64_si128(value, factors, 0x00);
  const __m128i second = _mm_clmulepi64_si128(value, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(first, second), onto);
}

constexpr size_t kFoldFrom = 512;

[[WEIR_FOLDING]] uint32_t crc32c_folding(const void* data, size_t size, uint32_t crc) {
  if (size < kFoldFrom) return crc32c_streams(data, size, crc);
  const uint8_t* bytes = static_cast<const uint8_t*>(data);
  const __m512i start = _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(~crc)));
  __m512i a = _mm512_xor_si512(_mm512_loadu_si512(bytes), start);
  __m512i b = _mm512_loadu_si512(bytes + 64);
  __m512i c = _mm512_loadu_si512(bytes + 128);
  __m512i d = _mm512_loadu_si512(bytes + 192);
  const __m512i over_256 = _mm512_broadcast_i64x2(factors<2048>());
  for (bytes += 256, size -= 256; size >= 256; bytes += 256, size -= 256) {
    a = fold(a, over_256, _mm512_loadu_si512(bytes));
    b = fold(b, over_256, _mm512_loadu_si512(bytes + 64));
    c = fold(c, over_256, _mm512_loadu_si512(bytes + 128));
    d = fold(d, over_256, _mm512_loadu_si512(bytes + 192));
  }
  b = fold(a, _mm512_broadcast_i64x2(factors<512>()), b);
  d = fold(c, _mm512_broadcast_i64x2(factors<512>()), d);
  d = fold(b, _mm512_broadcast_i64x2(factors<1024>()), d);

  __m128i rest = _mm512_extracti64x2_epi64(d, 3);
  rest = fold(_mm512_extracti64x2_epi64(d, 2), factors<128>(), rest);
  rest = fold(_mm512_extracti64x2_epi64(d, 1), factors<256>(), rest);
  rest = fold(_mm512_castsi512_si128(d), factors<384>(), rest);
  uint64_t value = _mm_crc32_u64(0, static_cast<uint64_t>(_mm_extract_epi64(rest, 0)));
  value = _mm_crc32_u64(value, static_cast<uint64_t>(_mm_extract_epi64(rest, 1)));
  // The compiler leaves it out before a call in place of a return. Code without AVX would wait for the upper
  // halves.
  _mm256_zeroupper();
  return crc32c_streams(bytes, size, ~static_cast<uint32_t>(value));
}

#endif

struct Levels {
  Crc32cLevel entries[4];
  size_t count = 0;
  void add(const char* name, Function function) { entries[count++] = {name, function}; }
};

Levels find_levels() {
  Levels levels;
  levels.add("portable", crc32c_portable);
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("sse4.2")) return levels;
  levels.add("instruction", crc32c_instruction);
  if (!__builtin_cpu_supports("pclmul")) return levels;
  levels.add("streams", crc32c_streams);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("vpclmulqdq")) {
    levels.add("folding", crc32c_folding);
  }
#endif
  return levels;
}

constinit Once found_levels;
Levels levels;

uint32_t choose_and_run(const void* data, size_t size, uint32_t crc);

// Starts as the function that replaces it, so that it works before static initialisers have run.
constinit std::atomic<Function> g_crc32c{choose_and_run};

uint32_t choose_and_run(const void* data, size_t size, uint32_t crc) {
  const Function best = crc32c_levels().back().function;
  g_crc32c.store(best, std::memory_order_relaxed);
  return best(data, size, crc);
}

}  // namespace

uint32_t crc32c_portable(const void* data, size_t size, uint32_t crc) {
  const uint8_t* bytes = static_cast<const uint8_t*>(data);
  crc = ~crc;
  for (size_t i = 0; i < size; ++i) crc = (crc >> 8) ^ kByteTable[(crc ^ bytes[i]) & 0xff];
  return ~crc;
}

std::span<const Crc32cLevel> crc32c_levels() {
  found_levels.call([] { levels = find_levels(); });
  return {levels.entries, levels.count};
}

uint32_t crc32c_joined(uint32_t front, uint32_t back, uint64_t back_size) {
  for (size_t bit = 0; back_size != 0; ++bit, back_size >>= 1) {
    if (back_size & 1) front = times(front, kMoves[bit]);
  }
  return front ^ back;
}

uint32_t crc32c_without(uint32_t whole, uint32_t front, uint64_t back_size) {
  return crc32c_joined(front, whole, back_size);
}

uint32_t crc32c(const void* data, size_t size, uint32_t crc) {
  return g_crc32c.load(std::memory_order_relaxed)(data, size, crc);
}

}  // namespace weir
