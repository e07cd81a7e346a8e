#include "arguments.h"

#include <getopt.h>

#include <charconv>
#include <cstring>

namespace weir::command {

const char kHelp[] =
    R"(weir - feed data through a pipeline

usage:
  weir run    [-p NAME=VALUE]... [-n COUNT] [--json] (FILE | -e TEXT)
  weir spec   (FILE | -e TEXT)
  weir format (FILE | -e TEXT)

run     prints one element a line. An element that fails prints `error: CODE: message` in its place, and the
        run goes on; the exit status is 1 then, 2 if the document cannot be built, else 0.
spec    prints the structure of the elements, and how many there are.
format  prints the document in canonical form.

options:
  -e, --expression TEXT   the document itself; FILE reads it from a file, `-` from standard input
  -p, --param NAME=VALUE  a value for `param NAME: spec`: a literal, or a bare word for a string
  -n, --count COUNT       stop after so many lines
      --json              print elements as JSON values instead of the notation
  -h, --help              this text
      --version           the version of the library

examples:
  weir run -e 'range(5)'
      0 1 2 3 4, a line each

  weir run -e 'range(10) | filter(x -> x % 2 == 0) | map(x -> (x, x * x)) | batch(2)'
      ([0, 2], [0, 4])
      ([4, 6], [16, 36])
      ([8], [64])

  weir run -p n=3 -e 'param n: int64  range($n) | repeat(2)'
      0 1 2 0 1 2

  weir run -n 3 -e 'tfrecord(list_files("train-*.tfrecord.gz", seed: 7), compression: "auto")
                    | map(r -> parse_example(r, {image: string, label: int64}))'
      the first three examples of a set of files

  weir spec -e 'range(10) | batch(4)'
      int64[?]
      cardinality: 3
)";

namespace {

enum LongOnly { kJson = 256, kVersion };

const option kOptions[] = {
    {"expression", required_argument, nullptr, 'e'},
    {"param", required_argument, nullptr, 'p'},
    {"count", required_argument, nullptr, 'n'},
    {"json", no_argument, nullptr, kJson},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, kVersion},
    {nullptr, 0, nullptr, 0},
};

std::string parse_count(const char* text, int64_t& out) {
  auto [end, failed] = std::from_chars(text, text + std::strlen(text), out);
  if (failed == std::errc() && *end == '\0' && out >= 0) return "";
  return std::string("expected -n with a count of 0 and more, found ") + text;
}

std::string parse_param(const std::string& text, Arguments& out) {
  size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) return "expected -p NAME=VALUE, found -p " + text;
  out.params.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return "";
}

std::string parse_option(int option, Arguments& out) {
  switch (option) {
    case 'e':
      if (out.has_text) return "expected one -e, found two";
      out.has_text = true;
      out.text = optarg;
      return "";
    case 'p':
      return parse_param(optarg, out);
    case 'n':
      return parse_count(optarg, out.count);
    case kJson:
      out.json = true;
      return "";
    case 'h':
      out.verb = Verb::help;
      return "";
    case kVersion:
      out.verb = Verb::version;
      return "";
    default:
      return "expected an option that `weir --help` lists";
  }
}

bool parse_verb(const std::string& word, Verb& out) {
  if (word == "run") {
    out = Verb::run;
  } else if (word == "spec") {
    out = Verb::spec;
  } else if (word == "format") {
    out = Verb::format;
  } else if (word == "help") {
    out = Verb::help;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string parse_arguments(int argc, char** argv, Arguments& out) {
  if (argc < 2) return "expected run, spec or format; `weir --help` shows examples";
  int first = 1;
  if (argv[1][0] != '-') {
    if (!parse_verb(argv[1], out.verb)) return std::string("expected run, spec or format, found ") + argv[1];
    first = 2;
  }
  bool verb_given = first == 2;
  // getopt takes the word before the options for the program's name.
  argc -= first - 1;
  argv += first - 1;
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, "e:p:n:h", kOptions, nullptr)) != -1;) {
    std::string problem = parse_option(option, out);
    if (!problem.empty()) return problem;
    if (option == 'h' || option == kVersion) return "";
  }
  if (out.verb == Verb::help) return verb_given ? "" : "expected run, spec or format before the options";
  int files = argc - optind;
  if (files + (out.has_text ? 1 : 0) != 1) return "expected one document: a FILE, or -e TEXT";
  if (files == 1) out.file = argv[optind];
  return "";
}

}  // namespace weir::command
