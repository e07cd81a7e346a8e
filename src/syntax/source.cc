#include "syntax/source.h"

#include <algorithm>

#include "core/text.h"

namespace weir::syntax {

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

size_t count_characters(std::string_view bytes) {
  return static_cast<size_t>(
      std::count_if(bytes.begin(), bytes.end(), [](char c) { return !continues_character(c); }));
}

std::string_view line_around(std::string_view source, size_t offset, size_t* column_bytes) {
  size_t begin = offset == 0 ? 0 : source.rfind('\n', offset - 1) + 1;
  size_t end = std::min(source.find('\n', offset), source.size());
  *column_bytes = offset - begin;
  return source.substr(begin, end - begin);
}

}  // namespace

Location locate(std::string_view source, size_t offset) {
  offset = std::min(offset, source.size());
  size_t column_bytes = 0;
  std::string_view line = line_around(source, offset, &column_bytes);
  auto lines = std::count(source.begin(), source.begin() + static_cast<ptrdiff_t>(offset), '\n');
  return {static_cast<int>(lines) + 1, static_cast<int>(count_characters(line.substr(0, column_bytes))) + 1};
}

namespace {

std::string render_with_caret(std::string_view source, Span span, std::string_view message) {
  size_t offset = std::min<size_t>(span.offset, source.size());
  Location location = locate(source, offset);
  size_t caret = 0;
  std::string_view line = line_around(source, offset, &caret);
  std::string shown;
  if (line.size() > kMaxShownColumns) {
    size_t begin = caret > kMaxShownColumns / 2 ? caret - kMaxShownColumns / 2 : 0;
    while (begin < caret && continues_character(line[begin])) ++begin;
    size_t size = std::min(kMaxShownColumns, line.size() - begin);
    while (size > 0 && begin + size < line.size() && continues_character(line[begin + size])) --size;
    shown = concat(begin > 0 ? "..." : "", line.substr(begin, size), begin + size < line.size() ? "..." : "");
    caret = caret - begin + (begin > 0 ? 3 : 0);
  } else {
    shown = line;
  }
  std::string under;
  for (size_t i = 0; i < caret && i < shown.size(); ++i) {
    if (!continues_character(shown[i])) under += shown[i] == '\t' ? '\t' : ' ';
  }
  for (char& c : shown) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) c = ' ';
  }
  return concat("line ", location.line, ", column ", location.column, ": ", message, "\n", shown, "\n", under,
                "^");
}

// Those around a place, from the outside in.
std::string json_of(const Labels& labels, size_t begin, size_t end) {
  std::string out;
  for (const auto& [name, span] : labels) {
    if (span.offset > begin || end > span.offset + span.size) continue;
    out += concat(out.empty() ? ", \"labels\": [" : ", ", "{\"name\": ", json_string(name),
                  ", \"offset\": ", span.offset, ", \"size\": ", span.size, "}");
  }
  return out.empty() ? out : out + "]";
}

std::string json_of(const Error& error, std::string_view source, const Labels& labels) {
  std::string out = concat("{\"code\": ", json_string(code_name(error.code)));
  auto add = [&out](std::string_view name, std::string_view value) {
    if (!value.empty()) out += concat(", ", json_string(name), ": ", json_string(without_credentials(value)));
  };
  const Mistake what = error.what();
  add("message", what.sentence());
  add("operator", error.parts.op);
  add("parameter", error.parts.parameter);
  add("expected", what.expected);
  add("found", what.found);
  add("hint", what.hint);
  if (!error.parts.span) return out + "}";
  const size_t begin = std::min<size_t>(error.parts.span->offset, source.size());
  const size_t end = std::min<size_t>(begin + error.parts.span->size, source.size());
  const Location from = locate(source, begin);
  const Location to = locate(source, end);
  return concat(out, ", \"span\": {\"offset\": ", begin, ", \"size\": ", end - begin,
                ", \"line\": ", from.line, ", \"column\": ", from.column, ", \"end_line\": ", to.line,
                ", \"end_column\": ", to.column, "}", json_of(labels, begin, end), "}");
}

}  // namespace

Status error_at(Span span, const Mistake& mistake) { return with_span(invalid_argument(mistake), span); }

std::vector<ErrorPtr> mistakes_of(const Status& status, size_t* left_out) {
  std::vector<ErrorPtr> all;
  if (!status.ok()) {
    all = status.error().parts.others;
    all.insert(all.begin(), status.pointer());
  }
  if (std::any_of(all.begin(), all.end(), [](const ErrorPtr& error) { return !error->parts.consequence; }))
    std::erase_if(all, [](const ErrorPtr& error) { return error->parts.consequence; });
  auto place = [](const ErrorPtr& error) { return error->parts.span ? error->parts.span->offset : 0; };
  std::stable_sort(all.begin(), all.end(),
                   [&](const ErrorPtr& a, const ErrorPtr& b) { return place(a) < place(b); });
  auto same = [&](const ErrorPtr& a, const ErrorPtr& b) {
    return place(a) == place(b) && a->message == b->message;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  *left_out = all.size() - std::min(all.size(), kMaxShownMistakes);
  all.resize(all.size() - *left_out);
  return all;
}

Status render(const Status& status, std::string_view source) {
  if (status.ok() || status.error().parts.rendered) return status;
  size_t left_out = 0;
  std::vector<ErrorPtr> mistakes = mistakes_of(status, &left_out);
  Error out = *mistakes[0];
  out.parts.mistake = out.what();
  out.parts.rendered = true;
  out.message.clear();
  out.parts.others.assign(mistakes.begin() + 1, mistakes.end());
  for (const ErrorPtr& mistake : mistakes) {
    if (!out.message.empty()) out.message += '\n';
    out.message += mistake->parts.span
                       ? render_with_caret(source, *mistake->parts.span, mistake->lead_and_message())
                       : mistake->lead_and_message();
  }
  if (left_out > 0) out.message += concat("\n… and ", left_out, " more");
  return Status(std::move(out));
}

std::string mistakes_json(const Status& status, std::string_view source, const Labels& labels) {
  size_t left_out = 0;
  std::string out = "[";
  for (const ErrorPtr& mistake : mistakes_of(status, &left_out))
    out += concat(out.size() == 1 ? "\n  " : ",\n  ", json_of(*mistake, source, labels));
  return out + (out.size() == 1 ? "]" : "\n]");
}

}  // namespace weir::syntax
