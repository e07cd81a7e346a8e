// jpeg_shape(s): [height, width, channels] of a JPEG, from its headers.
#include "expr/kernels/shared/image.h"
#include "expr/kernels/shared/stacked.h"
#include "format/image/image.h"

namespace weir {

namespace {

constexpr const char* kJpegShape = "jpeg_shape";

void jpeg_shape_body(KernelRun& run) {
  const Arg& s = run.arg(0);
  if (s.shape.rank() > 1) {
    return fail_all(run, kJpegShape,
                    invalid_argument("expected one string or a vector, found a tensor of strings"));
  }
  const int64_t count = s.shape.count();
  int64_t* out = run.make<int64_t>(0, s.shape.rank() == 0 ? Shape{3} : Shape{count, 3});
  if (out == nullptr) return;
  for (int i = 0; i < run.rows(); ++i) {
    for (int64_t k = 0; k < count; ++k, out += 3) {
      const Result<ImageShape> shape = jpeg_shape(s.row<Str>(i)[k].view());
      if (!shape.ok()) {
        fail_row(run, i, kJpegShape, at_string(shape.status(), k, count));
        continue;
      }
      out[0] = shape->height;
      out[1] = shape->width;
      out[2] = shape->channels;
    }
  }
}

Status jpeg_shape_infer(KernelCall& call) {
  WEIR_TRY(check_string_or_vector(call));
  WEIR_TRY(check_codecs(call, kJpegShape));
  call.result(DType::int64, shape_of_stacked(call.shape(0), {3}));
  call.body(jpeg_shape_body);
  return Status();
}

}  // namespace

extern constinit const Kernel jpeg_shape_kernel{
    .name = kJpegShape,
    .params = {{.name = "s", .doc = "The bytes of the file, or a vector of those of several."}},
    .infer = jpeg_shape_infer,
    .doc =
        "The height, width and number of channels of a JPEG, as tf.io.extract_jpeg_shape. No pixels are decoded: a file that ends after its headers has a shape. Bytes without them are an error of the element.",
    .result = "int64[3]; of a vector, int64[n, 3].",
    .cost = "Reads the headers.",
    .example = "from_tensors(full([16, 24, 3], uint8(120))) | map(x -> jpeg_shape(encode_jpeg(x)))",
    .output = "[16, 24, 3]",
    .bench = "jpeg_shape(encode_jpeg(reshape(uint8(n), [28, 28, 1])))",
    .can_fail = true};

}  // namespace weir
