// Fuzzes JSON lines with fields of every form: the rows are the same however much of the file is looked at
// together, so no line has an effect on another one.
#include "format/json_reader.h"
#include "read_rows.h"

namespace {

std::vector<weir::FieldType> all_fields() {
  using Form = weir::FieldType::Form;
  using weir::DType;
  using weir::kUnknownDim;
  using weir::Shape;
  using weir::fuzz::field;
  std::vector<weir::FieldType> out = {
      field("i", Form::tensor, DType::int64),
      field("s", Form::tensor),
      field("h", Form::tensor, DType::float16),
      field("l", Form::tensor, DType::float32, Shape{kUnknownDim, kUnknownDim}),
      field("p", Form::tensor, DType::uint8, Shape{2}),
      field("r", Form::ragged, DType::string),
      field("j", Form::json)};
  for (weir::FieldType& each : out) each.optional = true;
  weir::FieldType list = field("t", Form::list);
  list.members = {field("n", Form::tensor, DType::int32), field("g", Form::ragged, DType::float64)};
  list.optional = true;
  weir::FieldType object = field("o", Form::object);
  object.members = {out[0], list};
  out.push_back(std::move(object));
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto& fields = *new std::vector<weir::FieldType>(all_fields());
  weir::fuzz::check_rows<weir::JsonReader>({reinterpret_cast<const char*>(data), size}, fields, 1 << 20);
  return 0;
}
