// CsvParser: the fields of a table in text form, as RFC 4180 and TensorFlow's CsvDataset have them. Rows end with \n, \r, \r\n
// or the text. A field that begins with a quote ends at the next one that is not doubled, and may have delimiters and line
// ends inside. Fields are views of the text. About 3 ns per field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir {

struct CsvField {
  // Without its quotes.
  std::string_view bytes;
  // A quote inside stands for a pair.
  bool doubled = false;
  // What is wrong with it, or null.
  const char* mistake = nullptr;
};

// What ended a field.
enum class CsvEnd : uint8_t {
  delimiter,
  row,
  more,  // nothing yet: the text goes on
};

class CsvParser {
 public:
  // `quotes`: a quote at the beginning of a field is one; else it is a byte like others.
  CsvParser(char delimiter, bool quotes) : delimiter_(delimiter), quotes_(quotes) {}

  // Reads a field and steps over what ends it. `last`: the text has no bytes beyond `end`. If the answer is `more`, `at` is
  // where it was.
  CsvEnd next(const char*& at, const char* end, bool last, CsvField& field) const;
  // Writes the bytes of a field with doubled quotes, at most bytes.size() of them, and returns how many.
  static size_t undouble(std::string_view bytes, char* to);

 private:
  CsvEnd next_quoted(const char*& at, const char* end, bool last, CsvField& field) const;
  // Steps over the line end at `at`. False if a \n might follow that is not there yet.
  static bool step_over_line_end(const char*& at, const char* end, bool last);
  // The first delimiter, quote or line end, or `end`.
  const char* find_special(const char* at, const char* end) const;

  const char delimiter_;
  const bool quotes_;
};

}  // namespace weir
