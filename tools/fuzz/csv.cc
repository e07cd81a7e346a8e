// Fuzzes rows of tables: fields that are read are the same when they are written in quotes and read again,
// and decode_csv takes a row alone just if it takes it in a vector.
#include <cstdlib>
#include <string>
#include <vector>

#include "format/csv_parser.h"
#include "function.h"

namespace weir {

namespace {

// The fields of the first row. False if one has a mistake.
bool read(std::string_view text, std::vector<std::string>& out) {
  const CsvParser parser(',', true);
  const char* at = text.data();
  const char* const end = at + text.size();
  CsvEnd ended = CsvEnd::delimiter;
  bool good = true;
  out.clear();
  while (ended == CsvEnd::delimiter) {
    const char* const before = at;
    CsvField field;
    ended = parser.next(at, end, true, field);
    if (ended == CsvEnd::more || at < before || at > end) std::abort();
    if (field.bytes.data() < before || field.bytes.data() + field.bytes.size() > end) std::abort();
    good = good && field.mistake == nullptr;
    std::string& value = out.emplace_back(field.bytes);
    if (field.doubled) value.resize(CsvParser::undouble(field.bytes, value.data()));
  }
  return good;
}

std::string in_quotes(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& field : fields) {
    out += out.empty() ? "\"" : ",\"";
    for (char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    out += '"';
  }
  return out;
}

void check_function(std::string_view text) {
  static const auto& rows = *new fuzz::CompiledLambda(fuzz::require(fuzz::CompiledLambda::compile(
      "v -> decode_csv(v, [\"\", 0, 0.5], na_value: \"NA\")", Spec::tensor(DType::string, Shape{2}))));
  static const auto& row = *new fuzz::CompiledLambda(fuzz::require(fuzz::CompiledLambda::compile(
      "v -> decode_csv(v, [\"\", 0, 0.5], na_value: \"NA\")", Spec::tensor(DType::string, Shape()))));
  const std::string_view both[] = {text, text};
  const bool alone = row.call({Tensor::string(text)}).has_value();
  if (rows.call({Tensor::strings(both, Shape{2})}).has_value() != alone) std::abort();
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> fields;
  std::vector<std::string> again;
  if (weir::read(text, fields)) {
    if (!weir::read(weir::in_quotes(fields), again) || again != fields) std::abort();
  }
  if (size > 0) weir::check_function(text);
  return 0;
}
