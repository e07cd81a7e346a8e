// CsvParser: the fields of a table in text form, as RFC 4180 and TensorFlow's CsvDataset have them. Rows end
// with \n, \r, \r\n or the text. A field that begins with a quote ends at the next one that is not doubled,
// and may have delimiters and line ends inside. Fields are views of the text. About 3 ns per field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weir {

struct CsvField {
  // Without its quotes.
  std::string_view bytes;
  // A quote inside was written as a pair.
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

  // Reads a field and steps over what ends it. `last`: the text has no bytes beyond `end`. If the answer is
  // `more`, `at` is where it was.
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

inline const char* CsvParser::find_special(const char* at, const char* end) const {
  // Without quotes it looks for the delimiter twice.
  const char quote = quotes_ ? '"' : delimiter_;
#ifdef __SSE2__
  const __m128i delimiters = _mm_set1_epi8(delimiter_);
  const __m128i quotes = _mm_set1_epi8(quote);
  const __m128i newlines = _mm_set1_epi8('\n');
  const __m128i returns = _mm_set1_epi8('\r');
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i found =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, delimiters), _mm_cmpeq_epi8(bytes, quotes)),
                     _mm_or_si128(_mm_cmpeq_epi8(bytes, newlines), _mm_cmpeq_epi8(bytes, returns)));
    const int mask = _mm_movemask_epi8(found);
    if (mask != 0) return at + __builtin_ctz(static_cast<unsigned>(mask));
  }
#endif
  for (; at < end; ++at) {
    if (*at == delimiter_ || *at == quote || *at == '\n' || *at == '\r') break;
  }
  return at;
}

inline bool CsvParser::step_over_line_end(const char*& at, const char* end, bool last) {
  if (*at == '\r') {
    if (at + 1 == end && !last) return false;
    if (at + 1 < end && at[1] == '\n') ++at;
  }
  ++at;
  return true;
}

inline CsvEnd CsvParser::next(const char*& at, const char* end, bool last, CsvField& field) const {
  field.doubled = false;
  field.mistake = nullptr;
  if (at == end && !last) return CsvEnd::more;
  if (quotes_ && at < end && *at == '"') return next_quoted(at, end, last, field);
  const char* stop = find_special(at, end);
  while (stop < end && quotes_ && *stop == '"' && *stop != delimiter_) {
    field.mistake = "a field with a quote inside must stand in quotes";
    stop = find_special(stop + 1, end);
  }
  if (stop == end && !last) return CsvEnd::more;
  field.bytes = {at, static_cast<size_t>(stop - at)};
  if (stop == end) {
    at = end;
    return CsvEnd::row;
  }
  const char* next = stop;
  if (*stop == delimiter_) {
    at = stop + 1;
    return CsvEnd::delimiter;
  }
  if (!step_over_line_end(next, end, last)) return CsvEnd::more;
  at = next;
  return CsvEnd::row;
}

}  // namespace weir
