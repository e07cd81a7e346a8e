// Runs documents in several ways and compares each with the model's answer: the C++ half of random_graphs.py,
// which starts it in the folder of the record files and talks to it through pipes.
//
//   request   SEED LIMIT MODELLED AGAIN SIZE\n, then SIZE bytes: the document, the spec, the expected lines
//             and those of a second iteration after AGAIN rows, each part ended by a NUL
//   answer    KIND SIZE\n, then SIZE bytes: "same", or the kind of difference and a description of it
//
// As written and rewritten (graph/rewrites), one by one, in blocks, on one, two and eight threads, saved and
// restored, from its canonical text, from its bytes, initialised again, and under the simulated executor.
// Without a model the first way is what the others are compared with.
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/text.h"
#include "fs/file_system.h"
#include "graph/document.h"
#include "graph/format_element.h"
#include "iterator/nested.h"
#include "support/pipeline.h"
#include "support/sim_world.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

class Dice {
 public:
  explicit Dice(uint64_t seed) : numbers_(seed) {}
  // In [0, bound).
  uint64_t draw(uint64_t bound) { return numbers_() % bound; }

 private:
  std::mt19937_64 numbers_;
};

struct Request {
  uint64_t seed = 0;
  size_t limit = 0;
  bool modelled = true;
  size_t again = 0;
  std::string text;
  std::string spec;
  Lines expected;
  Lines second;
};

struct Difference : std::runtime_error {
  Difference(std::string kind_, const std::string& what) : std::runtime_error(what), kind(std::move(kind_)) {}
  std::string kind;
};

std::string line_of(Runtime& runtime, const Spec& spec, const Block& block, int row) {
  if (const ErrorPtr* error = block.error_of(row)) return concat("error: ", code_name((*error)->code));
  NestedDrainer drainer(runtime, nullptr);
  Result<std::string> text = format_element(spec, block.row(row), &drainer);
  return text.ok() ? *text : concat("error: ", code_name(text.status().code()));
}

// An iterator and the lines that it gave, from the first row on; those before a checkpoint are passed on.
class Reader {
 public:
  Reader(Runtime& runtime, DocumentRef document, const std::string* checkpoint = nullptr, Lines lines = {},
         bool rewrites = true)
      : runtime_(runtime),
        iterator_(new Iterator(runtime, nullptr, document->spec())),
        lines_(std::move(lines)) {
    require_ok(iterator_->initialize(std::move(document),
                                     {.params = {}, .checkpoint = checkpoint, .rewrites = rewrites}));
  }

  // Reads up to `count` lines in all, at most `widest` rows at a time.
  void read_to(size_t count, Dice& dice, uint64_t widest) {
    while (!ended() && lines_.size() < count) {
      const uint64_t left = std::min<uint64_t>(widest, count - lines_.size());
      const PullResult got = require_value(iterator_->next(1 + static_cast<int>(dice.draw(left)), block_));
      if (got == PullResult::end) lines_.push_back("end");
      if (got == PullResult::cancelled)
        throw Difference{"cancelled", concat("after ", lines_.size(), " lines")};
      for (int row = 0; got == PullResult::rows && row < block_.rows; ++row) {
        lines_.push_back(line_of(runtime_, iterator_->spec(), block_, row));
      }
    }
  }
  bool ended() const { return !lines_.empty() && lines_.back() == "end"; }
  const Lines& lines() const { return lines_; }
  Iterator& iterator() { return *iterator_; }

 private:
  Runtime& runtime_;
  OpenIterator iterator_;
  Lines lines_;
  Block block_;
};

// The first place where the lines are wrong; empty if there is none.
std::string difference(const Lines& expected, const Lines& found) {
  size_t at = 0;
  while (at < expected.size() && at < found.size() && expected[at] == found[at]) ++at;
  if (at == expected.size() && at == found.size()) return "";
  auto told = [at](const Lines& lines) {
    std::string out;
    for (size_t i = at; i < std::min(lines.size(), at + 4); ++i) out += "\n    " + lines[i].substr(0, 300);
    return out.empty() ? std::string("\n    nothing") : out;
  };
  return concat("line ", at, "\n  expected", told(expected), "\n  found", told(found));
}

class Check {
 public:
  Check(std::vector<std::unique_ptr<ThreadsRuntime>>& runtimes, Request request)
      : runtimes_(runtimes), request_(std::move(request)), dice_(request_.seed) {}

  void run() {
    build();
    as_written();
    one_by_one();
    in_blocks();
    written_again();
    for (int i = 0; i < 3; ++i) saved_and_restored();
    if (request_.modelled) initialised_again();
    if (request_.text.find("prefetch(") != std::string::npos ||
        request_.text.find("num_parallel_calls") != std::string::npos) {
      simulated();
    }
  }

 private:
  Runtime& any_runtime() { return **runtimes_[dice_.draw(runtimes_.size())]; }
  uint64_t any_width() {
    constexpr uint64_t kWidths[] = {1, 3, 20, 1024};
    return kWidths[dice_.draw(4)];
  }

  void build() {
    Result<DocumentRef> built = parse_document(any_runtime(), request_.text);
    if (!built.ok()) throw Difference{"build", built.status().error().describe()};
    documents_.push_back(*built);
    const std::string spec = documents_[0]->spec().to_string();
    if (!request_.spec.empty() && spec != request_.spec) {
      throw Difference{"spec", concat("expected ", request_.spec, "\n  found ", spec)};
    }
  }

  void compare(const std::string& way, const Lines& expected, const Lines& found) {
    std::string text = difference(expected, found);
    if (!text.empty()) throw Difference{"rows", concat(way, ": ", text)};
  }
  void compare(const std::string& way, const Lines& found) { compare(way, request_.expected, found); }

  void as_written() {
    Reader reader(any_runtime(), documents_[0], nullptr, {}, false);
    reader.read_to(request_.limit, dice_, any_width());
    if (!request_.modelled) request_.expected = reader.lines();
    compare("as written", reader.lines());
  }

  void one_by_one() {
    Reader reader(any_runtime(), documents_[0]);
    reader.read_to(request_.limit, dice_, 1);
    compare("one by one", reader.lines());
    count();
  }

  // What the document says about their number, unless an error replaces an element.
  void count() {
    const Lines& lines = request_.expected;
    const int64_t cardinality = documents_[0]->cardinality();
    const bool ends = !lines.empty() && lines.back() == "end";
    // An endless repetition counts as infinite, even of nothing.
    if (request_.text.find("repeat()") != std::string::npos) return;
    if (request_.text.find("repeat(-1)") != std::string::npos) return;
    for (const std::string& line : lines) {
      if (line.starts_with("error: ")) return;
    }
    if (ends && cardinality >= 0 && lines.size() != static_cast<size_t>(cardinality) + 1) {
      throw Difference{"cardinality", concat("said ", cardinality, ", found ", lines.size() - 1)};
    }
  }

  void in_blocks() {
    for (int i = 0; i < 3; ++i) {
      const uint64_t widest = i == 0 ? 1024 : any_width();
      Reader reader(any_runtime(), documents_[0]);
      reader.read_to(request_.limit, dice_, widest);
      compare(concat("in blocks of up to ", widest), reader.lines());
    }
  }

  void written_again() {
    const std::string canonical = documents_[0]->format();
    Result<DocumentRef> parsed = parse_document(any_runtime(), canonical);
    if (!parsed.ok()) throw Difference{"text", concat(canonical, "\n  ", parsed.status().error().describe())};
    if ((*parsed)->format() != canonical || !((*parsed)->fingerprint() == documents_[0]->fingerprint())) {
      throw Difference{"text", concat(canonical, "\n  became ", (*parsed)->format())};
    }
    const std::string bytes = require_value(documents_[0]->serialize());
    Result<DocumentRef> read = deserialize_document(any_runtime(), bytes);
    if (!read.ok()) throw Difference{"bytes", read.status().error().describe()};
    documents_.push_back(*parsed);
    documents_.push_back(*read);
    for (size_t i = 1; i < 3; ++i) {
      Reader reader(any_runtime(), documents_[i]);
      reader.read_to(request_.limit, dice_, any_width());
      compare(i == 1 ? "from its canonical text" : "from its bytes", reader.lines());
    }
  }

  // A chain of iterators, each from the last one's checkpoint, over any form of the document, as written or
  // rewritten.
  void saved_and_restored() {
    const size_t step = 1 + dice_.draw(request_.expected.size() / 2 + 2);
    std::string story = "saved at";
    std::unique_ptr<Reader> reader = std::make_unique<Reader>(any_runtime(), documents_[0]);
    for (int saves = 0; saves < 12; ++saves) {
      reader->read_to(std::min(request_.limit, reader->lines().size() + dice_.draw(step + 1)), dice_,
                      any_width());
      const std::string saved = save(*reader, story);
      const Lines lines = reader->lines();
      if (dice_.draw(3) == 0) {
        // Saving changes nothing.
        reader->read_to(request_.limit, dice_, any_width());
        compare(concat(story, ", read on"), reader->lines());
      }
      const bool rewrites = dice_.draw(2) == 0;
      story += rewrites ? " r" : " w";
      reader = std::make_unique<Reader>(any_runtime(), documents_[dice_.draw(3)], &saved, lines, rewrites);
      if (reader->ended()) {
        reader = std::make_unique<Reader>(any_runtime(), documents_[0], &saved,
                                          Lines(lines.begin(), lines.end() - 1));
        break;
      }
    }
    reader->read_to(request_.limit, dice_, any_width());
    compare(story, reader->lines());
  }

  std::string save(Reader& reader, std::string& story) {
    story += concat(" ", reader.lines().size());
    Result<std::string> saved = reader.iterator().save();
    if (!saved.ok()) throw Difference{"save", concat(story, ": ", saved.status().error().describe())};
    return *std::move(saved);
  }

  // The next epoch of the same iterator.
  void initialised_again() {
    Runtime& runtime = any_runtime();
    Reader first(runtime, documents_[0]);
    first.read_to(request_.again, dice_, any_width());
    require_ok(first.iterator().initialize(documents_[0], {{}, nullptr}));
    Lines lines;
    Block block;
    while (lines.size() < request_.limit) {
      const uint64_t left = std::min<uint64_t>(any_width(), request_.limit - lines.size());
      const PullResult got =
          require_value(first.iterator().next(1 + static_cast<int>(dice_.draw(left)), block));
      if (got != PullResult::rows) {
        lines.push_back("end");
        break;
      }
      for (int row = 0; row < block.rows; ++row) {
        lines.push_back(line_of(runtime, documents_[0]->spec(), block, row));
      }
    }
    compare(concat("initialised again after ", request_.again), request_.second, lines);
  }

  void simulated() {
    const uint64_t seed = dice_.draw(UINT64_MAX);
    sim::SimWorld world(seed);
    world.runtime().files = &local_file_system();
    Lines lines;
    world.client("the reader", [&] {
      DocumentRef document = parse_text(world.runtime(), request_.text);
      Reader first(world.runtime(), document);
      first.read_to(dice_.draw(request_.expected.size() + 1), dice_, any_width());
      std::string saved = require_value(first.iterator().save());
      Lines before = first.lines();
      if (first.ended()) before.pop_back();
      Reader rest(world.runtime(), document, &saved, before);
      rest.read_to(request_.limit, dice_, any_width());
      lines = rest.lines();
    });
    const std::string failure = world.run();
    if (!failure.empty()) throw Difference{"simulated", concat("world ", seed, ": ", failure)};
    compare(concat("simulated, world ", seed), lines);
  }

  std::vector<std::unique_ptr<ThreadsRuntime>>& runtimes_;
  Request request_;
  Dice dice_;
  // As written, from its canonical text, from its bytes.
  std::vector<DocumentRef> documents_;
};

Lines split(const std::string& text) {
  Lines out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

bool read_request(Request& out) {
  size_t size = 0;
  if (!(std::cin >> out.seed >> out.limit >> out.modelled >> out.again >> size)) return false;
  std::cin.ignore();
  std::string bytes(size, '\0');
  if (!std::cin.read(bytes.data(), static_cast<std::streamsize>(size))) return false;
  std::string parts[4];
  size_t at = 0;
  for (std::string& part : parts) {
    const size_t end = std::min(bytes.find('\0', at), size);
    part = bytes.substr(at, end - at);
    at = end + 1;
  }
  out.text = parts[0];
  out.spec = parts[1];
  out.expected = split(parts[2]);
  out.second = split(parts[3]);
  return true;
}

void serve() {
  std::vector<std::unique_ptr<ThreadsRuntime>> runtimes;
  for (int threads : {1, 2, 8}) runtimes.push_back(std::make_unique<ThreadsRuntime>(threads));
  for (Request request; read_request(request); request = {}) {
    std::string kind = "same";
    std::string what;
    try {
      Check(runtimes, std::move(request)).run();
    } catch (const Difference& found) {
      kind = found.kind;
      what = found.what();
    } catch (const std::exception& error) {
      kind = "exception";
      what = error.what();
    }
    std::cout << kind << ' ' << what.size() << '\n' << what << std::flush;
  }
}

}  // namespace
}  // namespace weir

int main() {
  std::ios::sync_with_stdio(false);
  weir::serve();
  return 0;
}
