#include "format/csv_parser.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weir {

const char* CsvParser::find_special(const char* at, const char* end) const {
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

bool CsvParser::step_over_line_end(const char*& at, const char* end, bool last) {
  if (*at == '\r') {
    if (at + 1 == end && !last) return false;
    if (at + 1 < end && at[1] == '\n') ++at;
  }
  ++at;
  return true;
}

CsvEnd CsvParser::next(const char*& at, const char* end, bool last, CsvField& field) const {
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

CsvEnd CsvParser::next_quoted(const char*& at, const char* end, bool last, CsvField& field) const {
  const char* const begin = at + 1;
  const char* here = begin;
  for (;;) {
    const void* found = here < end ? std::memchr(here, '"', static_cast<size_t>(end - here)) : nullptr;
    if (!found) {
      if (!last) return CsvEnd::more;
      field.bytes = {begin, static_cast<size_t>(end - begin)};
      field.mistake = "the file ends inside a field in quotes";
      at = end;
      return CsvEnd::row;
    }
    const char* quote = static_cast<const char*>(found);
    const char* next = quote + 1;
    if (next == end && !last) return CsvEnd::more;
    const bool closes = next == end || *next == delimiter_ || *next == '\n' || *next == '\r';
    if (!closes) {
      if (*next == '"') {
        field.doubled = true;
      } else {
        field.mistake = "a quote inside a field in quotes must be doubled";
      }
      here = next + 1;
      continue;
    }
    field.bytes = {begin, static_cast<size_t>(quote - begin)};
    if (next == end) {
      at = end;
      return CsvEnd::row;
    }
    if (*next == delimiter_) {
      at = next + 1;
      return CsvEnd::delimiter;
    }
    if (!step_over_line_end(next, end, last)) return CsvEnd::more;
    at = next;
    return CsvEnd::row;
  }
}

size_t CsvParser::undouble(std::string_view bytes, char* to) {
  size_t size = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    to[size++] = bytes[i];
    if (bytes[i] == '"' && i + 1 < bytes.size() && bytes[i + 1] == '"') ++i;
  }
  return size;
}

}  // namespace weir
