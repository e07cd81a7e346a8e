// encode_base64(s) and decode_base64(s): each string in web-safe base64, and back.
#include "format/base64.h"

#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/map_strings.h"

namespace weir {

namespace {

void encode_body(KernelRun& run) {
  map_strings(run, base64_size, [](std::string_view bytes, char* to, size_t& size) {
    write_base64(bytes, to);
    size = base64_size(bytes.size());
    return Status();
  });
}

void decode_body(KernelRun& run) { map_strings(run, base64_read_bound, read_base64); }

template <KernelBody body>
Status base64_infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  call.result(DType::string, call.shape(0));
  call.body(body);
  return Status();
}

}  // namespace

extern constinit const Kernel encode_base64_kernel{
    .name = "encode_base64",
    .params = {{.name = "s", .doc = "A string or a tensor of strings."}},
    .infer = base64_infer<encode_body>,
    .doc =
        "Encodes strings as web-safe base64 without padding, as tf.io.encode_base64. Web-safe base64 has `-` and `_` in place of `+` and `/`.",
    .result = "string, of the same shape.",
    .cost = "One pass over the bytes.",
    .example = R"(from_tensors(encode_base64(["a", "\xfb\xff\xfe"])))",
    .output = R"(["YQ", "-__-"])",
    .bench = "encode_base64(s)"};

extern constinit const Kernel decode_base64_kernel{
    .name = "decode_base64",
    .params = {{.name = "s", .doc = "A string or a tensor of strings."}},
    .infer = base64_infer<decode_body>,
    .doc =
        "Decodes web-safe base64, as tf.io.decode_base64. It may be padded with `=`. Any other byte, including `+`, `/` and line ends, is an error of the element.",
    .result = "string, of the same shape.",
    .cost = "One pass over the bytes.",
    .example = R"(from_tensors(decode_base64(["YQ==", "YWI"])))",
    .output = R"(["a", "ab"])",
    .bench = "decode_base64(s)",
    .can_fail = true};

}  // namespace weir
