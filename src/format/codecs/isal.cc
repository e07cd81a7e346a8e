#include "format/codecs/deflate.h"

#ifdef WEIR_HAVE_ISAL

#include <dlfcn.h>
#include <isa-l/igzip_lib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "core/load_library.h"
#include "core/once.h"

namespace weir {

namespace {

constexpr const char* kLibrary = "libisal.so.2";

struct Isal {
  decltype(&isal_inflate_init) init = nullptr;
  decltype(&isal_inflate_reset) reset = nullptr;
  decltype(&isal_inflate) inflate = nullptr;

  bool load() {
    void* library = load_library(kLibrary);
    if (!library) return false;
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    return find("isal_inflate_init", init) && find("isal_inflate_reset", reset) &&
           find("isal_inflate", inflate);
  }
};

Isal isal_functions;
constinit Once looked_up_isal;
bool has_isal = false;

// Null if the library is missing.
const Isal* isal() {
  looked_up_isal.call([] { has_isal = isal_functions.load(); });
  return has_isal ? &isal_functions : nullptr;
}

// Its assembler leaves something in the upper halves of registers, for which code without AVX would wait.
#if defined(__x86_64__)
[[gnu::target("avx")]] void clear_upper_halves() { _mm256_zeroupper(); }
bool has_upper_halves() { return __builtin_cpu_supports("avx"); }
#else
void clear_upper_halves() {}
bool has_upper_halves() { return false; }
#endif

class IsalInflater final : public Decoder {
 public:
  IsalInflater(const Isal& functions, bool gzip) : isal_(functions), wrapper_(gzip ? ISAL_GZIP : ISAL_ZLIB) {
    isal_.init(&state_);
    state_.crc_flag = wrapper_;
  }

  void begin() override {
    isal_.reset(&state_);
    state_.crc_flag = wrapper_;
  }

  Answer run(Io& io) override {
    const auto in = static_cast<uint32_t>(std::min<size_t>(io.avail_in, UINT32_MAX));
    const auto out = static_cast<uint32_t>(std::min<size_t>(io.avail_out, UINT32_MAX));
    state_.next_in = const_cast<uint8_t*>(io.next_in);
    state_.avail_in = in;
    state_.next_out = io.next_out;
    state_.avail_out = out;
    const int result = isal_.inflate(&state_);
    if (has_upper_halves()) clear_upper_halves();
    io.next_in += in - state_.avail_in;
    io.avail_in -= in - state_.avail_in;
    io.next_out += out - state_.avail_out;
    io.avail_out -= out - state_.avail_out;
    if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT) return Answer::damaged;
    if (state_.block_state != ISAL_BLOCK_FINISH) return Answer::more;
    return give_back(io);
  }
  std::string_view fault() const override { return "ISA-L could not read it"; }

 private:
  // Bytes behind the member that it has read already.
  Answer give_back(Io& io) {
    const auto bytes = static_cast<size_t>(std::max(state_.read_in_length, 0) / 8);
    if (bytes > kDecoderBack) return Answer::damaged;
    const uint64_t read = state_.read_in >> (state_.read_in_length % 8);
    io.next_in -= bytes;
    io.avail_in += bytes;
    // They may have come from the caller's memory before it was filled again.
    std::memcpy(const_cast<uint8_t*>(io.next_in), &read, bytes);
    state_.read_in_length = 0;
    return Answer::end;
  }

  const Isal& isal_;
  const uint32_t wrapper_;
  inflate_state state_;
};

}  // namespace

std::unique_ptr<Decoder> make_isal_inflater(bool gzip) {
  const Isal* functions = isal();
  return std::unique_ptr<Decoder>(functions ? new (std::nothrow) IsalInflater(*functions, gzip) : nullptr);
}

}  // namespace weir

#else

namespace weir {

std::unique_ptr<Decoder> make_isal_inflater(bool) { return nullptr; }

}  // namespace weir

#endif
