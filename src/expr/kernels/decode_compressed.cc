// decode_compressed(s, compression): the bytes in each string of compressed data.
#include <cstring>
#include <optional>

#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/map_strings.h"
#include "format/decompress.h"

namespace weir {

namespace {

struct Format : KernelState {
  Compression compression = Compression::none;
};

void decode_compressed_body(KernelRun& run) {
  const Compression compression = run.state<Format>().compression;
  std::optional<Decompressor> decompressor;
  if (compression != Compression::none) decompressor.emplace(codec_of(compression));
  each_string(run, [&](int, std::string_view data, Str& out) {
    std::string_view bytes = data;
    if (decompressor) {
      WEIR_ASSIGN(bytes, decompressor->run(data));
    }
    char* to = run.bytes(bytes.size());
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    out = Str(to, bytes.size());
    return Status();
  });
}

Status decode_compressed_infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  WEIR_ASSIGN(const std::string name, call.text(1));
  auto state = std::make_shared<Format>();
  const auto compression = parse_written_compression(name);
  if (!compression.ok()) return call.error(1, compression.status().error().what());
  state->compression = *compression;
  call.result(DType::string, call.shape(0));
  call.body(decode_compressed_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel decode_compressed_kernel{
    .name = "decode_compressed",
    .params = {{.name = "s", .doc = "A string or a tensor of strings."},
               {.name = "compression",
                .kind = ParamKind::constant,
                .type = "string",
                .doc = kWrittenCompressionDoc}},
    .infer = decode_compressed_infer,
    .doc =
        "Decompresses strings, as tf.io.decode_compressed. Damaged or incomplete data are an error of the element (data_loss), as are data of more than 256 MiB (resource_exhausted). Several frames, such as gzip's members, are decompressed one after the other; the empty string stays empty. \"\" returns the bytes as they are.",
    .result = "string, of the same shape.",
    .cost = "Decompressing, of gzip and zlib by ISA-L where it is installed, and a copy.",
    .example =
        R"(from_tensors("x\x9cK\xcb\xccK\x05\x00\x04\x18\x01\xa3") | map(s -> decode_compressed(s, "zlib")))",
    .output = "\"fine\"",
    .bench =
        R"(decode_compressed(if n[0] == 0 then "x\x9cK\xcb\xccK\x05\x00\x04\x18\x01\xa3" else s, "zlib"))",
    .can_fail = true};

}  // namespace weir
