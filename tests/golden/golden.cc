#include "golden/golden.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "core/text.h"
#include "graph/envelope.h"
#include "support/failing_new.h"

namespace weir::golden {
namespace {

constexpr std::string_view kIndent = "    ";
constexpr int64_t kEnough = 10'000;

[[noreturn]] void refuse(const std::string& name, const std::string& line) {
  throw std::runtime_error(
      concat(name, ": expected KEY: VALUE, or a line of the document, found ", quote(line)));
}

// "1 of 3"
World parse_world(const std::string& value) {
  World world;
  std::string of;
  std::istringstream(value) >> world.rank >> of >> world.size;
  return world;
}

void set(Case& one, const std::string& key, const std::string& value, const std::string& line) {
  if (key == "param") {
    const size_t equals = value.find('=');
    if (equals == std::string::npos) refuse(one.name, line);
    one.params.push_back({value.substr(0, equals), value.substr(equals + 1)});
  } else if (key == "epochs") {
    one.epochs = std::stoi(value);
  } else if (key == "take") {
    one.take = std::stoi(value);
  } else if (key == "rows") {
    one.rows = std::stoi(value);
  } else if (key == "fail") {
    one.fail = std::stoi(value);
  } else if (key == "hold") {
    one.hold = std::stoi(value);
  } else if (key == "seeds" && value == "drawn") {
    one.drawn = true;
  } else if (key == "rank") {
    one.world = parse_world(value);
  } else {
    refuse(one.name, line);
  }
}

Case parse_case(std::string name, std::string_view text) {
  Case one;
  one.name = std::move(name);
  for (const std::string& line : lines_of(text)) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with(kIndent)) {
      one.document += line.substr(kIndent.size()) + "\n";
      continue;
    }
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) refuse(one.name, line);
    set(one, line.substr(0, colon), line.substr(colon + 2), line);
  }
  return one;
}

uint32_t version_of(std::string_view bytes) {
  // After eight bytes of magic.
  uint32_t version = 0;
  std::memcpy(&version, bytes.substr(8, sizeof version).data(), sizeof version);
  return version;
}

}  // namespace

std::string folder() { return WEIR_SOURCE_DIR "/tests/golden"; }

std::vector<Case> cases() {
  std::filesystem::current_path(folder() + "/data");
  std::vector<Case> out;
  for (const std::string& name : names_in(folder() + "/cases")) {
    const std::filesystem::path path = folder() + "/cases/" + name;
    if (path.extension() == ".case") out.push_back(case_named(path.stem()));
  }
  return out;
}

Case case_named(const std::string& name) {
  return parse_case(name, read_file(concat(folder(), "/cases/", name, ".case")));
}

Beginning beginning_of(const Case& one, const std::string* checkpoint) {
  return {.params = one.params, .checkpoint = checkpoint, .world = one.world ? &*one.world : nullptr};
}

OpenIterator open(Runtime& runtime, const Case& one, const DocumentRef& document,
                  const std::string* checkpoint) {
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, beginning_of(one, checkpoint)));
  return iterator;
}

OpenIterator at_position(Runtime& runtime, const Case& one) {
  const DocumentRef document = parse_text(runtime, one.document);
  OpenIterator iterator = open(runtime, one, document);
  for (int epoch = 1; epoch < one.epochs; ++epoch) {
    take_lines(*iterator, kEnough);
    require_ok(iterator->initialize(document, {one.params}));
  }
  Scarcity scarcity{.first = one.fail, .count = one.fail < 0 ? 0 : 1};
  Block block;
  for (int64_t taken = 0; taken < one.take; taken += block.rows) {
    const int rows = static_cast<int>(std::min<int64_t>(one.rows, one.take - taken));
    const Scarce scarce(scarcity);
    if (require_value(iterator->next(rows, block)) != PullResult::rows || scarcity.failed > 0) break;
  }
  if (one.hold > 0) {
    if (require_value(iterator->next(one.hold, block)) == PullResult::rows)
      require_ok(iterator->give_back(block, 0));
  }
  return iterator;
}

std::vector<std::string> rest(Iterator& iterator, int rows) { return take_lines(iterator, kEnough, rows); }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  if (!file || !(out << file.rdbuf())) throw std::runtime_error(concat("cannot read ", path));
  return out.str();
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(path)) out.push_back(entry.path().filename());
  std::sort(out.begin(), out.end());
  return out;
}

std::string folder_of(std::string_view kind, std::string_view bytes) {
  return concat(folder(), "/", kind, "-", version_of(bytes));
}

std::string enclosed_like(std::string_view file, std::string_view content) {
  EnvelopeKind kind;
  kind.magic = file.substr(0, 8);
  kind.version = version_of(file);
  return enclose(kind, content);
}

}  // namespace weir::golden
