// decode_npy(s, dtype): the array in a string that NumPy's format of one array (.npy) holds, or those of a
// vector of strings.
#include <cstring>

#include "core/text.h"
#include "expr/kernels/shared/stacked.h"
#include "format/npy.h"

namespace weir {

namespace {

struct WantedEntries : KernelState {
  DType dtype = DType::invalid;
};

// Damage is a mistake of the string, not of a file.
Status as_mistake(const Status& status) { return invalid_argument(status.error().what()); }

Status decode(KernelRun& run, std::string_view bytes, Stacked& arrays) {
  const Result<NpyHeader> header = parse_npy(bytes);
  if (!header.ok()) return as_mistake(header.status());
  const ArrayType& type = header->type;
  const DType wanted = run.state<WantedEntries>().dtype;
  if (type.dtype != wanted) {
    return invalid_argument(expected_found(concat(dtype_name(wanted), " for decode_npy"),
                                           concat(dtype_name(type.dtype), header->shape.to_string())));
  }
  const auto count = static_cast<size_t>(header->shape.count());
  const size_t size = count * type.entry_bytes;
  if (bytes.size() - header->begin < size) {
    return invalid_argument(
        expected_found(concat(size, " bytes of entries for the shape ", shape_text(header->shape)),
                       concat(bytes.size() - header->begin)));
  }
  WEIR_ASSIGN(uint8_t* const out, arrays.room(header->shape, dtype_size(wanted)));
  if (out == nullptr) return Status();
  const char* const entries = bytes.data() + header->begin;
  if (wanted != DType::string) {
    if (size > 0) std::memcpy(out, entries, size);
    make_numbers(type, out, count);
    return Status();
  }
  auto* const text = reinterpret_cast<uint8_t*>(run.bytes(size));
  if (size > 0) std::memcpy(text, entries, size);
  const Status made = make_strings(type, text, count, reinterpret_cast<Str*>(out));
  return made.ok() ? made : as_mistake(made);
}

void decode_npy_body(KernelRun& run) {
  for (int row = 0; row < run.rows(); ++row) {
    Stacked arrays(run, row);
    const Status status =
        arrays.each(Shape(), [&](std::string_view bytes) { return decode(run, bytes, arrays); });
    if (!status.ok()) run.fail(row, status);
  }
}

Status decode_npy_infer(KernelCall& call) {
  WEIR_TRY(check_string_or_vector(call));
  auto state = std::make_shared<WantedEntries>();
  state->dtype = call.dtype_value(1);
  call.result(state->dtype, Shape::unknown_rank());
  call.body(decode_npy_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel decode_npy_kernel{
    .name = "decode_npy",
    .params = {{.name = "s", .doc = "A string, or a vector of strings."},
               {.name = "dtype", .kind = ParamKind::dtype, .doc = "The dtype that the array must have."}},
    .infer = decode_npy_infer,
    .doc =
        "Decodes one array in NumPy's format (.npy) from a string. A vector of strings gives one tensor of their arrays, which must have one shape. Both byte orders are read; `S` and `U` arrays give strings without the zeros at their end, `U` as UTF-8. Other bytes, another dtype, missing entries, Fortran order of two and more dimensions, objects, dates, structures and more than 8 dimensions are errors of the element; bytes after the last entry are passed over. The shape is not known when the dataset is built; `ensure_shape` and `reshape` give it one.",
    .result = "The given dtype; unknown rank.",
    .cost = "One copy of the entries.",
    .example =
        R"(from_tensors("tests/conformance/data/new/decode_npy/a-matrix.npy") | map(n -> decode_npy(read_file(n), int32)))",
    .output = "[[-2147483648, 2147483647, 1150810416], [-150565551, 1318458284, -1935644457]]",
    .bench =
        R"(decode_npy("\x93NUMPY\x01\x00\x3c\x00{'descr': '|u1', 'fortran_order': False, 'shape': (784,), }\n" + s, uint8))",
    .can_fail = true};

}  // namespace weir
