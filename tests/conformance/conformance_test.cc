// Runs the text cases, each in its own folder: element by element through the C ABI, and in blocks.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "capi/runtime.h"
#include "case_file.h"
#include "iterator/nested.h"
#include "support/pipeline.h"
#include "support/temporary_folder.h"
#include "tools/weir/text_arguments.h"
#include "weir/weir.h"

namespace weir::conformance {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(WEIR_SOURCE_DIR) / "tests/conformance";

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string text_of(const weir_error& error) { return std::string(error.line.data, error.line.size); }

// The outcome of running a case.
struct Run {
  std::vector<std::string> lines;
  std::string spec;
  std::string cardinality;
  // The messages behind the error lines, for whoever reads a failure.
  std::string messages;
};

std::string take_bytes(weir_bytes& bytes) {
  std::string out(bytes.data, bytes.size);
  weir_bytes_release(&bytes);
  return out;
}

class Runner {
 public:
  Runner() {
    weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
    const std::string folder = WEIR_BINARY_DIR "/extensions";
    options.extensions = folder.data();
    options.extensions_size = folder.size();
    REQUIRE(weir_runtime_create(&options, &runtime_, &error_) == WEIR_OK);
  }
  Runner(const Runner&) = delete;
  ~Runner() {
    weir_error_clear(&error_);
    weir_runtime_destroy(runtime_);
  }

  // Where other runtimes find extensions.
  NameFinder* names() const { return (*capi::runtime_of(runtime_))->runtime().names; }

  Run run(const Case& test) {
    Run out;
    weir_dataset dataset{};
    if (weir_dataset_parse(runtime_, test.document.data(), test.document.size(), nullptr, 0, &dataset,
                           &error_) < 0) {
      out.lines.push_back("build error: " + failure(out));
      return out;
    }
    describe(dataset, out);
    iterate(test, dataset, out);
    weir_dataset_unref(dataset);
    return out;
  }

 private:
  std::string failure(Run& out) {
    out.messages += text_of(error_) + "\n";
    return weir_code_name(error_.code);
  }

  void describe(weir_dataset dataset, Run& out) {
    weir_spec spec{};
    weir_bytes bytes = WEIR_BYTES_INIT;
    REQUIRE(weir_dataset_spec(dataset, &spec, &error_) == WEIR_OK);
    REQUIRE(weir_spec_format(spec, &bytes, &error_) == WEIR_OK);
    out.spec = take_bytes(bytes);
    weir_spec_unref(spec);
    weir_dataset_info info = WEIR_DATASET_INFO_INIT;
    REQUIRE(weir_dataset_view(dataset, &info, &error_) == WEIR_OK);
    const int64_t cardinality = info.cardinality;
    out.cardinality = cardinality == WEIR_CARDINALITY_INFINITE  ? "infinite"
                      : cardinality == WEIR_CARDINALITY_UNKNOWN ? "unknown"
                                                                : std::to_string(cardinality);
  }

  void iterate(const Case& test, weir_dataset dataset, Run& out) {
    const std::vector<weir_argument> params = command::text_arguments(test.params);
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
    options.params = params.data();
    options.param_count = params.size();
    options.rank = static_cast<uint32_t>(test.rank);
    options.world_size = static_cast<uint32_t>(test.world_size);
    weir_iterator iterator{};
    if (weir_iterator_create(runtime_, dataset, &options, &iterator, &error_) < 0) {
      out.lines.push_back("build error: " + failure(out));
      return;
    }
    weir_element element{};
    REQUIRE(weir_element_create(&element, &error_) == WEIR_OK);
    while (test.take < 0 || static_cast<int64_t>(out.lines.size()) < test.take) {
      int32_t result = weir_iterator_next(iterator, element, &error_);
      if (result == WEIR_OK) {
        weir_bytes bytes = WEIR_BYTES_INIT;
        result = weir_element_format(element, WEIR_TEXT, &bytes, &error_);
        out.lines.push_back(result == WEIR_OK ? take_bytes(bytes) : "error: " + failure(out));
      } else if (result == WEIR_ELEMENT_FAILED) {
        out.lines.push_back("error: " + failure(out));
      } else {
        out.lines.push_back(result == WEIR_END ? "end" : "call failed: " + failure(out));
        break;
      }
    }
    weir_element_destroy(element);
    weir_iterator_destroy(iterator);
  }

  weir_runtime runtime_{};
  weir_error error_ = WEIR_ERROR_INIT;
};

// The lines of a case read in blocks. The C ABI does not print the rows of a block.
std::vector<std::string> lines_in_blocks(Runtime& runtime, const Case& test, int rows) {
  auto document = parse_document(runtime, test.document);
  if (!document.ok()) return {"build error: " + std::string(code_name(document.status().code()))};
  std::vector<ParamValue> params;
  for (const auto& [name, value] : test.params) params.push_back({name, value});
  const OpenIterator iterator(new Iterator(runtime, nullptr, (*document)->spec()));
  const World world{test.rank, std::max<int64_t>(test.world_size, 1), {}};
  const Status begun = iterator->initialize(*document, {.params = params, .world = &world});
  if (!begun.ok()) return {"build error: " + std::string(code_name(begun.code()))};
  NestedDrainer nested(runtime, nullptr);
  return take_lines(*iterator, test.take < 0 ? INT64_MAX : test.take, rows, &nested);
}

// A fresh folder with links to data and data_expr, as the working directory.
class CaseFolder {
 public:
  CaseFolder() : before_(fs::current_path()) {
    for (const char* data : {"data", "data_expr"})
      fs::create_directory_symlink(kFolder / data, folder_.at(data));
    fs::current_path(folder_.path());
  }
  CaseFolder(const CaseFolder&) = delete;
  ~CaseFolder() { fs::current_path(before_); }

 private:
  TemporaryFolder folder_;
  fs::path before_;
};

std::vector<Case> all_cases() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".cases") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Case> out;
  for (const fs::path& file : files) {
    for (Case& one : parse_cases(file.stem().string(), read_text(file))) out.push_back(std::move(one));
  }
  return out;
}

// One width is as large as any, the other divides nothing.
constexpr int kBlockRows[] = {kMaxBlockRows, 7};

// The option of CMake that is off in this build and that the case needs, by what the library says when it
// builds the dataset; "" if it needs none.
std::string left_out(const Run& run) {
  std::istringstream options(WEIR_LEFT_OUT);
  for (std::string option; options >> option;) {
    if (run.messages.find("build it with -D" + option + "=ON") != std::string::npos) return option;
    if (option == "WEIR_PARQUET" && run.messages.find("the extension weir-parquet") != std::string::npos)
      return option;
  }
  return "";
}

// Counts the cases that need a part that this build leaves out, by its option.
using LeftOut = std::map<std::string, int>;

std::string verdict(Runner& runner, Runtime& runtime, const Case& test, LeftOut& missed) {
  CaseFolder folder;
  Run run = runner.run(test);
  if (const std::string option = left_out(run); !option.empty()) {
    ++missed[option];
    return "";
  }
  std::string difference = compare(test, run.lines);
  if (difference.empty() && !test.spec.empty() && test.spec != run.spec) {
    difference = "spec: expected " + test.spec + ", found " + run.spec;
  }
  if (difference.empty() && !test.cardinality.empty() && test.cardinality != run.cardinality) {
    difference = "cardinality: expected " + test.cardinality + ", found " + run.cardinality;
  }
  for (int rows : kBlockRows) {
    if (!difference.empty()) break;
    difference = compare(test, lines_in_blocks(runtime, test, rows));
    if (!difference.empty()) difference = "in blocks of " + std::to_string(rows) + ": " + difference;
  }
  return difference.empty() ? "" : difference + (run.messages.empty() ? "" : "\n" + run.messages);
}

// What weir does not do yet, which is checked as well, so that nothing stays here that it does. The parquet
// crate takes another writer's field 15 of a column's metadata, a list, for the length of a Bloom filter.
const std::set<std::string> kGaps = {"new_parquet_testing:dict-page-offset-zero"};

TEST_CASE("conformance: every case gives what TensorFlow gives", "[conformance]") {
  const char* only = std::getenv("WEIR_CASES");
  std::set<std::string> seen;
  Runner runner;
  ThreadsRuntime runtime;
  runtime->names = runner.names();
  LeftOut missed;
  int passed = 0;
  for (const Case& test : all_cases()) {
    if (only != nullptr && test.id().find(only) == std::string::npos) continue;
    INFO(test.id());
    INFO(test.document);
    CHECK(seen.insert(test.id()).second);
    std::string difference = verdict(runner, *runtime, test, missed);
    INFO(difference);
    if (kGaps.contains(test.id()) && missed["WEIR_PARQUET"] == 0) {
      CHECK_FALSE(difference.empty());
      continue;
    }
    CHECK(difference.empty());
    if (difference.empty()) ++passed;
  }
  CHECK(passed > 0);
  if (only != nullptr) return;
  std::istringstream options(WEIR_LEFT_OUT);
  for (std::string option; options >> option;) {
    INFO(option);
    CHECK(missed[option] > 0);
  }
}

}  // namespace
}  // namespace weir::conformance
