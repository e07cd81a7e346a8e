// lower(s), upper(s): ASCII letters in the other case; other bytes stay as they are.
#include "expr/kernels/shared/strings.h"

namespace weir {

namespace {

// Adds 32 to the letters from `first` on, or takes it away: both flip one bit.
template <char kFirst>
void flip_letters(const char* from, size_t size, char* to) {
  for (size_t i = 0; i < size; ++i) {
    const auto c = static_cast<uint8_t>(from[i]);
    const bool letter = static_cast<uint8_t>(c - static_cast<uint8_t>(kFirst)) < 26;
    to[i] = static_cast<char>(c ^ (letter ? 0x20 : 0));
  }
}

template <char kFirst>
void lower_body(KernelRun& run) {
  const Arg& arg = run.arg(0);
  Str* out = run.make<Str>(0, arg.shape);
  if (out == nullptr) return;
  size_t size = 0;
  each_string(run, arg, [&](const Str& s) { size += s.size; });
  char* bytes = run.bytes(size);
  each_string(run, arg, [&](const Str& s) {
    flip_letters<kFirst>(s.data, s.size, bytes);
    *out++ = Str(bytes, s.size);
    bytes += s.size;
  });
}

template <char kFirst>
Status lower_infer(KernelCall& call) {
  call.result(DType::string, call.shape(0));
  call.body(lower_body<kFirst>);
  return Status();
}

}  // namespace

extern constinit const Kernel lower_kernel{
    .name = "lower",
    .params = {{.name = "s", .type = "string"}},
    .infer = lower_infer<'A'>,
    .doc = "Converts the ASCII letters of strings to lower case. Other bytes stay as they are.",
    .result = "string, of the same shape.",
    .cost = "One vectorised pass over the bytes.",
    .example = R"(from_tensors(lower(["AbC", "1!"])))",
    .output = R"(["abc", "1!"])",
    .bench = "lower(s)"};

extern constinit const Kernel upper_kernel{
    .name = "upper",
    .params = {{.name = "s", .type = "string"}},
    .infer = lower_infer<'a'>,
    .doc = "Converts the ASCII letters of strings to upper case. Other bytes stay as they are.",
    .result = "string, of the same shape.",
    .cost = "One vectorised pass over the bytes.",
    .example = R"(from_tensors(upper(["AbC", "1!"])))",
    .output = R"(["ABC", "1!"])",
    .bench = "upper(s)"};

}  // namespace weir
