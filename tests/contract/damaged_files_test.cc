// Text lines and fixed-length records of files in which any bit is flipped or that are cut anywhere: what is
// left is given, damage that shows is one error which names the file, and the files around it lose nothing.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>

#include "core/text.h"
#include "graph/format_element.h"
#include "support/pipeline.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

std::string data(const std::string& name) {
  std::ifstream file(std::string(WEIR_SOURCE_DIR) + "/tests/conformance/data/" + name, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  REQUIRE(!bytes.empty());
  return bytes;
}

std::string flipped(std::string bytes, size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  return bytes;
}

// What a source gives of a file that lies between two others; its error comes last.
struct Found {
  Lines lines;
  ErrorPtr error;
};

class Between {
 public:
  // `call` reads the files FILES, the outer ones of which hold `whole`, the lines `lines`.
  Between(std::string call, const std::string& whole, Lines lines) : lines_(std::move(lines)) {
    runtime_->files = &files_;
    files_.put("first", whole);
    files_.put("last", whole);
    const std::string names = "[\"first\", \"second\", \"last\"]";
    document_ = parse_text(*runtime_, call.replace(call.find("FILES"), 5, names));
  }

  Found read(const std::string& bytes) {
    files_.put("second", bytes);
    Iterator iterator(*runtime_, nullptr, document_->spec());
    require_ok(iterator.initialize(document_, {{}, nullptr}));
    Found out;
    Block block;
    while (require_value(iterator.next(8, block)) == PullResult::rows) {
      for (int i = 0; i < block.rows; ++i) {
        if (const ErrorPtr* error = block.error_of(i)) {
          CHECK(!out.error);
          out.error = *error;
          error_at_ = out.lines.size();
        } else {
          out.lines.push_back(require_value(format_element(iterator.spec(), block.row(i))));
        }
      }
    }
    const size_t around = lines_.size();
    REQUIRE(out.lines.size() >= 2 * around);
    const auto end = static_cast<ptrdiff_t>(out.lines.size() - around);
    CHECK(std::equal(lines_.begin(), lines_.end(), out.lines.begin()));
    CHECK(std::equal(lines_.begin(), lines_.end(), out.lines.begin() + end));
    out.lines = Lines(out.lines.begin() + static_cast<ptrdiff_t>(around), out.lines.begin() + end);
    if (out.error) {
      CHECK(out.error->file == "second");
      CHECK(error_at_ == around + out.lines.size());
    }
    return out;
  }

  // Damage shows as data_loss, or changes nothing; what was cut gives its first lines.
  void check_compressed(const std::string& bytes) {
    CHECK(!read(bytes).error);
    CHECK(read(bytes).lines == lines_);
    for (size_t size = 1; size < bytes.size(); ++size) {
      INFO("cut at " << size);
      const Found found = read(bytes.substr(0, size));
      REQUIRE(found.lines.size() <= lines_.size());
      CHECK(std::equal(found.lines.begin(), found.lines.end(), lines_.begin()));
      if (found.error) CHECK(found.error->code == Code::data_loss);
      if (!found.error) CHECK(found.lines.size() < lines_.size());
    }
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      INFO("bit " << bit);
      const Found found = read(flipped(bytes, bit));
      if (found.error) {
        CHECK(found.error->code == Code::data_loss);
      } else {
        CHECK(found.lines == lines_);
      }
    }
  }

 private:
  SimulatedFileSystem files_;
  ThreadsRuntime runtime_;
  DocumentRef document_;
  Lines lines_;
  size_t error_at_ = 0;
};

// The lines of a text, as text_line gives and an element is printed.
Lines lines_of(const std::string& text) {
  Lines out;
  std::string line;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n' && text[i] != '\r') line += text[i];
    if (text[i] == '\n' || (i + 1 == text.size() && !line.empty()))
      out.push_back(quote(std::exchange(line, {})));
  }
  return out;
}

TEST_CASE("damaged files: text_line gives the lines that a plain file has, whatever they are", "[contract]") {
  const std::string text = "one\r\ntwo\n\n\xef\xbb\xbfthree, 3\nlast";
  Between files("text_line(FILES)", text, lines_of(text));
  for (size_t size = 0; size <= text.size(); ++size) {
    INFO("cut at " << size);
    const Found found = files.read(text.substr(0, size));
    CHECK(!found.error);
    CHECK(found.lines == lines_of(text.substr(0, size)));
  }
  for (size_t bit = 0; bit < 8 * text.size(); ++bit) {
    INFO("bit " << bit);
    const Found found = files.read(flipped(text, bit));
    CHECK(!found.error);
    CHECK(found.lines == lines_of(flipped(text, bit)));
  }
}

TEST_CASE("damaged files: text_line of gzip, one member and two", "[contract]") {
  const Lines two = {"\"one\"", "\"two\"", "\"three\"", "\"four\""};
  Between members("text_line(FILES, compression: \"gzip\")", data("twomembers.txt.gz"), two);
  members.check_compressed(data("twomembers.txt.gz"));
  Between one("text_line(FILES, compression: \"gzip\")", data("lines.txt.gz"), lines_of(data("lines.txt")));
  one.check_compressed(data("lines.txt.gz"));
}

TEST_CASE("damaged files: fixed_length_record of a plain file", "[contract]") {
  const std::string bytes = data("fixed_hf.bin");
  Between files("fixed_length_record(FILES, 4, header_bytes: 3, footer_bytes: 2)", bytes,
                {"\"AAAA\"", "\"BBBB\"", "\"CCCC\""});
  const auto records = [](const std::string& file) {
    Lines out;
    for (size_t at = 3; at + 4 + 2 <= file.size(); at += 4) out.push_back(quote(file.substr(at, 4)));
    return out;
  };
  for (size_t size = 0; size <= bytes.size(); ++size) {
    INFO("cut at " << size);
    const Found found = files.read(bytes.substr(0, size));
    const bool fits = size >= 5 && (size - 5) % 4 == 0;
    CHECK(found.lines == (fits ? records(bytes.substr(0, size)) : Lines()));
    CHECK(static_cast<bool>(found.error) == !fits);
    if (found.error) CHECK(found.error->code == Code::invalid_argument);
  }
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    INFO("bit " << bit);
    const Found found = files.read(flipped(bytes, bit));
    CHECK(!found.error);
    CHECK(found.lines == records(flipped(bytes, bit)));
  }
}

TEST_CASE("damaged files: fixed_length_record of gzip", "[contract]") {
  Between files("fixed_length_record(FILES, 4, header_bytes: 3, footer_bytes: 2, compression: \"gzip\")",
                data("fixed_hf.bin.gz"), {"\"AAAA\"", "\"BBBB\"", "\"CCCC\""});
  files.check_compressed(data("fixed_hf.bin.gz"));
}

}  // namespace
}  // namespace weir
