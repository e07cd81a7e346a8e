// JSON lines compared with simdjson's own reader of documents, over the same fields in one run.
#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support.h"

namespace weir::bench {
namespace {

namespace ondemand = simdjson::ondemand;

// Columns of so many rows, which the next ones take the place of.
constexpr size_t kRows = 1024;

struct Columns {
  std::vector<int64_t> id, row, column, sizes, lengths;
  std::vector<double> score, x, y;
  std::vector<std::string_view> name, kind, url, tags;
  std::vector<bool> on, missing;

  void clear() {
    for (auto* numbers : {&id, &row, &column, &sizes, &lengths}) numbers->clear();
    for (auto* numbers : {&score, &x, &y}) numbers->clear();
    for (auto* texts : {&name, &kind, &url, &tags}) texts->clear();
    for (auto* truths : {&on, &missing}) truths->clear();
  }

  void add(ondemand::object object) {
    id.push_back(object["id"].get_int64());
    name.push_back(object["name"].get_string());
    score.push_back(object["score"].get_double());
    kind.push_back(object["kind"].get_string());
    on.push_back(object["on"].get_bool());
    lengths.push_back(static_cast<int64_t>(tags.size()));
    for (auto tag : object["tags"].get_array()) tags.push_back(tag.get_string());
    x.push_back(object["x"].get_double());
    y.push_back(object["y"].get_double());
    ondemand::object at = object["at"].get_object();
    row.push_back(at["row"].get_int64());
    column.push_back(at["column"].get_int64());
    missing.push_back(object["note"].is_null());
    lengths.push_back(static_cast<int64_t>(sizes.size()));
    for (auto size : object["sizes"].get_array()) sizes.push_back(size.get_int64());
    url.push_back(object["url"].get_string());
  }
};

int64_t read_with_simdjson(const simdjson::padded_string& lines) {
  ondemand::parser parser;
  ondemand::document_stream documents = parser.iterate_many(lines);
  Columns columns;
  int64_t rows = 0;
  for (auto document : documents) {
    if (columns.id.size() == kRows) columns.clear();
    columns.add(document.get_object());
    ++rows;
  }
  return rows;
}

// Twelve fields, by processor time, simdjson's from memory.
void jsonl_simdjson(benchmark::State& state) {
  const std::string path = object_file();
  const std::string text =
      "jsonl(\"" + path +
      "\", {id: int64, name: string, score: float64, kind: string, on: bool, tags: string[?], x: float64, y: float64, "
      "at: {row: int64, column: int64}, note: optional(int64), sizes: int64[?], url: string})";
  const simdjson::padded_string lines = simdjson::padded_string::load(path);
  alternate(
      state, [&] { Drain(parse(text)).run(kRows); },
      [&] { benchmark::DoNotOptimize(read_with_simdjson(lines)); }, 1);
}
BENCHMARK(jsonl_simdjson)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(7);

}  // namespace
}  // namespace weir::bench
