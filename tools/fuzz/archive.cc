// Fuzzes tar archives: the elements are the same however much of the file is in memory.
#include "format/tar_reader.h"
#include "read_rows.h"

namespace {

std::vector<weir::FieldType> all_fields() {
  using Form = weir::FieldType::Form;
  using weir::fuzz::field;
  std::vector<weir::FieldType> out = {field("__key__", Form::tensor), field("__url__", Form::tensor),
                                      field("txt", Form::tensor), field("i", Form::member)};
  out[2].optional = true;
  out[3].optional = true;
  out[3].alternatives = {"jpg", "cls", ""};
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto& fields = *new std::vector<weir::FieldType>(all_fields());
  weir::fuzz::check_rows<weir::TarReader>({reinterpret_cast<const char*>(data), size}, fields, 1 << 20);
  return 0;
}
