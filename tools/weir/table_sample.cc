#include "table_sample.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "format/csv_parser.h"
#include "format/parse_number.h"

namespace weir::command {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct SampleField {
  std::string text;
  // In quotes as RFC 4180 says; needlessly, where the text says the same without them.
  bool quoted = false;
  bool needless = false;
};
using SampleRow = std::vector<SampleField>;

// The rows that a table begins with.
struct Sample {
  std::vector<SampleRow> rows;
  // Fields that aren't as RFC 4180 allows, and those that stand in quotes as it says.
  size_t mistakes = 0;
  size_t quoted = 0;

  // How many fields rows have, but for blank ones: what most have, else the most.
  size_t columns() const {
    std::map<size_t, size_t> counts;
    for (const auto& row : rows) counts[row.size()] += row.size() > 1 || !row[0].text.empty() ? 1 : 0;
    const auto most = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
      return a.second <= b.second && (a.second < b.second || a.first < b.first);
    });
    return most == counts.end() ? 0 : most->first;
  }
  bool even() const {
    return std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return row.size() == columns(); });
  }
};

bool needs_quotes(std::string_view text, char delim) {
  return std::any_of(text.begin(), text.end(),
                     [&](char c) { return c == delim || c == '"' || c == '\n' || c == '\r'; });
}

// `bytes` are the whole file if `last`.
Sample sample_of(std::string_view bytes, bool last, char delim, bool quotes) {
  constexpr size_t kMostRows = 100;
  const CsvParser parser(delim, quotes);
  Sample out;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at < end && out.rows.size() < kMostRows) {
    SampleRow row;
    CsvEnd ended = CsvEnd::delimiter;
    while (ended == CsvEnd::delimiter) {
      CsvField field;
      const bool in_quotes = quotes && at < end && *at == '"';
      ended = parser.next(at, end, last, field);
      if (ended == CsvEnd::more) return out;
      out.mistakes += field.mistake ? 1 : 0;
      out.quoted += in_quotes && !field.mistake ? 1 : 0;
      std::string text(field.bytes);
      if (field.doubled) text.resize(CsvParser::undouble(field.bytes, text.data()));
      row.push_back({std::move(text), in_quotes && !field.mistake, false});
      row.back().needless = row.back().quoted && !needs_quotes(row.back().text, delim);
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

bool is_number(const std::string& text) {
  double value = 0;
  return parse_number(text, value);
}

// What stands where a value is missing.
bool is_missing(const std::string& text) {
  constexpr std::array<std::string_view, 9> kWords = {"",     "?",    "-",    "NA", "N/A",
                                                      "None", "null", "NULL", "\\N"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

// The values that a column has below the first row.
struct Below {
  bool numbers = false;
  bool others = false;
  bool any = false;
  bool plain = false;
  bool needless = false;

  Below(const std::vector<SampleRow>& rows, size_t column) {
    for (size_t i = 1; i < rows.size(); ++i) {
      if (column >= rows[i].size() || rows[i][column].text.empty()) continue;
      const SampleField& field = rows[i][column];
      any = true;
      plain = plain || !field.quoted;
      needless = needless || field.needless;
      if (is_missing(field.text)) continue;
      (is_number(field.text) ? numbers : others) = true;
    }
  }
};

// Whether the names are in quotes, numbers too, and values are not.
bool has_quoted_names(const SampleRow& first, const std::vector<Below>& below) {
  const bool quoted = std::all_of(first.begin(), first.end(), [](const auto& each) { return each.quoted; });
  if (!quoted || std::none_of(first.begin(), first.end(), [](const auto& each) { return each.needless; }))
    return false;
  return std::none_of(below.begin(), below.end(), [](const Below& each) { return each.needless; }) ||
         std::any_of(below.begin(), below.end(),
                     [](const Below& each) { return each.plain && !each.needless; });
}

bool is_header(const Sample& sample) {
  const SampleRow& first = sample.rows[0];
  std::vector<Below> below;
  for (size_t i = 0; i < first.size(); ++i) below.emplace_back(sample.rows, i);
  const bool even = first.size() == sample.columns();
  if (even && has_quoted_names(first, below)) return true;
  bool text = false;
  bool names = true;
  for (size_t i = 0; i < first.size(); ++i) {
    const bool number = is_number(first[i].text);
    const bool numbers = even && below[i].numbers && !below[i].others;
    if (numbers && !number && !is_missing(first[i].text)) return true;
    text = text || !first[i].text.empty();
    // The names of an index, and of what a comma at the end of each line makes.
    const bool unnamed = first[i].text.empty() && i > 0 && below[i].any;
    names = names && !number && !unnamed;
  }
  return names && text;
}

}  // namespace

size_t sample_columns(std::string_view bytes, bool last, std::optional<bool> header, DataFile& file) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  Sample sample = sample_of(bytes, last, file.delim[0], true);
  if (sample.mistakes > 0 && sample.quoted == 0) {
    // Quotes that are a part of the text, such as those for inches.
    Sample without = sample_of(bytes, last, file.delim[0], false);
    file.quotes = !without.even();
    if (!file.quotes) sample = std::move(without);
  }
  if (sample.rows.empty()) return 0;
  const SampleRow& first = sample.rows[0];
  file.columns.resize(sample.columns());
  file.header = header.value_or(is_header(sample));
  // It is left out as a header is, but has no names.
  file.title = file.header && first.size() != file.columns.size();
  for (size_t i = 0; i < file.columns.size(); ++i) {
    const bool named = file.header && !file.title && (first[i].quoted || !first[i].text.empty());
    file.columns[i] = named ? first[i].text : "column_" + std::to_string(i);
  }
  return file.columns.size();
}

// The byte between fields if the text is a table: several rows of as many fields each, and more than one. 0:
// no table.
char delimiter_of(std::string_view contents, bool last) {
  for (const char delim : {',', '\t'}) {
    const Sample sample = sample_of(contents, last, delim, true);
    if (sample.mistakes == 0 && sample.rows.size() > 1 && sample.columns() > 1 && sample.even()) return delim;
  }
  return 0;
}

std::string csv_field(std::string_view text, char delim, bool quoted) {
  if (!quoted && !needs_quotes(text, delim)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

std::string header_row(const std::vector<std::string>& names, char delim) {
  const bool quoted = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.empty() || is_number(name) || name.starts_with(kByteOrderMark);
  });
  std::string out;
  for (size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : std::string(1, delim)) + csv_field(names[i], delim, quoted);
  return out;
}

}  // namespace weir::command
