#include "arguments.h"

#include <getopt.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"

namespace weir::command {

namespace {

// Each is open until the last record is written.
constexpr int64_t kMaxShards = 1000;

struct LongOnly {
  enum : int {
    kJson = 256,
    kOrigins,
    kFits,
    kCheckpoint,
    kStats,
    kTrace,
    kSeconds,
    kRepeats,
    kRecordBytes,
    kHeader,
    kNoHeader,
    kVersion
  };
};

const option kOptions[] = {
    {"expression", required_argument, nullptr, 'e'},
    {"param", required_argument, nullptr, 'p'},
    {"count", required_argument, nullptr, 'n'},
    {"output", required_argument, nullptr, 'o'},
    {"json", no_argument, nullptr, LongOnly::kJson},
    {"origins", no_argument, nullptr, LongOnly::kOrigins},
    {"checkpoint", no_argument, nullptr, LongOnly::kCheckpoint},
    {"help", no_argument, nullptr, 'h'},
    {"fits", required_argument, nullptr, LongOnly::kFits},
    {"stats", no_argument, nullptr, LongOnly::kStats},
    {"trace", required_argument, nullptr, LongOnly::kTrace},
    {"seconds", required_argument, nullptr, LongOnly::kSeconds},
    {"repeats", required_argument, nullptr, LongOnly::kRepeats},
    {"record-bytes", required_argument, nullptr, LongOnly::kRecordBytes},
    {"header", no_argument, nullptr, LongOnly::kHeader},
    {"no-header", no_argument, nullptr, LongOnly::kNoHeader},
    {"version", no_argument, nullptr, LongOnly::kVersion},
    {nullptr, 0, nullptr, 0},
};

std::string parse_count(const char* text, int64_t& out) {
  auto [end, failed] = std::from_chars(text, text + std::strlen(text), out);
  if (failed == std::errc() && *end == '\0' && out >= 0) return "";
  std::string problem = std::string("expected -n COUNT with a whole number from 0 up, found ") + text;
  if (text[0] == '=') problem += "; write -n 3 or --count=3";
  return problem;
}

// Of bench.
constexpr double kMostSeconds = 3600;
constexpr int64_t kMostRepeats = 1000;

std::string parse_seconds(const char* text, double& out) {
  auto [end, failed] = std::from_chars(text, text + std::strlen(text), out);
  if (failed == std::errc() && *end == '\0' && out > 0 && out <= kMostSeconds) return "";
  return std::string("expected --seconds with a number above 0, up to 3600, found ") + text;
}

std::string parse_repeats(const char* text, int64_t& out) {
  auto [end, failed] = std::from_chars(text, text + std::strlen(text), out);
  if (failed == std::errc() && *end == '\0' && out >= 1 && out <= kMostRepeats) return "";
  return std::string("expected --repeats with a whole number from 1 to 1000, found ") + text;
}

std::string parse_record_bytes(const char* text, int64_t& out) {
  auto [end, failed] = std::from_chars(text, text + std::strlen(text), out);
  if (failed == std::errc() && *end == '\0' && out >= 1) return "";
  return std::string("expected --record-bytes with a whole number of bytes from 1 up, found ") + text;
}

bool is_name(const std::string& text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto later = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), later);
}

std::string parse_param(const std::string& text, Arguments& out) {
  const size_t equals = text.find('=');
  std::string name = text.substr(0, equals);
  if (equals == std::string::npos) return "expected -p NAME=VALUE, as in -p n=3, found -p " + text;
  if (!is_name(name)) {
    std::string problem = "expected -p NAME=VALUE with the name of a param, found the name '" + name + "'";
    if (name[0] == '$') problem += "; leave out the '$'";
    return problem;
  }
  std::string value = text.substr(equals + 1);
  if (value.empty()) {
    return "expected -p NAME=VALUE, found no value for " + name + "; write -p '" + name +
           "=\"\"' for the empty string";
  }
  out.params.emplace_back(std::move(name), std::move(value));
  return "";
}

std::string missing_value(int option) {
  switch (option) {
    case 'e':
      return "expected a document after -e, as in -e 'range(3)', found the end of the line";
    case 'p':
      return "expected NAME=VALUE after -p, as in -p n=3, found the end of the line";
    case 'o':
      return "expected a name after -o, as in -o data/train.tfrecord, found the end of the line";
    case LongOnly::kFits:
      return "expected the FILE of a document after --fits, found the end of the line";
    case LongOnly::kTrace:
      return "expected the name of a file after --trace, as in --trace run.json, found the end of the line";
    case LongOnly::kSeconds:
      return "expected a number after --seconds, as in --seconds 2, found the end of the line";
    case LongOnly::kRepeats:
      return "expected a number after --repeats, as in --repeats 5, found the end of the line";
    case LongOnly::kRecordBytes:
      return "expected a number after --record-bytes, as in --record-bytes 1000000000, found the end of the line";
    default:
      return "expected a number of lines after -n, as in -n 3, found the end of the line";
  }
}

// `found` is what getopt stopped at, `known` the option it took it for, if any.
std::string wrong_option(const std::string& found, int known) {
  for (const option* entry = kOptions; entry->name != nullptr; ++entry) {
    if (entry->val == known)
      return "expected --" + std::string(entry->name) + " without a value, found " + found;
  }
  std::string problem = "expected an option that `weir --help` lists, found " + found;
  if (found.rfind("--", 0) != 0) return problem;
  std::vector<std::string> names;
  for (const option* entry = kOptions; entry->name != nullptr; ++entry) names.emplace_back(entry->name);
  const std::string near = nearest(found.substr(2, found.find('=') - 2), names);
  return near.empty() ? problem : problem + "; did you mean --" + near + "?";
}

std::string parse_option(int option, const std::string& word, Arguments& out) {
  switch (option) {
    case 'e':
      if (out.has_text) return "expected one -e, found two";
      if (optarg[0] == '-') return std::string("expected a document after -e, found ") + optarg;
      out.has_text = true;
      out.text = optarg;
      return "";
    case 'p':
      return parse_param(optarg, out);
    case 'n':
      return parse_count(optarg, out.count);
    case 'o':
      out.output = optarg;
      return "";
    case LongOnly::kJson:
      out.json = true;
      return "";
    case LongOnly::kCheckpoint:
      out.checkpoint = true;
      return "";
    case LongOnly::kOrigins:
      out.origins = true;
      return "";
    case LongOnly::kFits:
      out.fits = optarg;
      return "";
    case LongOnly::kStats:
      out.stats = true;
      return "";
    case LongOnly::kTrace:
      out.trace = optarg;
      return "";
    case LongOnly::kSeconds:
      return parse_seconds(optarg, out.seconds);
    case LongOnly::kRepeats:
      return parse_repeats(optarg, out.repeats);
    case LongOnly::kRecordBytes:
      return parse_record_bytes(optarg, out.record_bytes);
    case LongOnly::kHeader:
    case LongOnly::kNoHeader:
      out.header = option == LongOnly::kHeader;
      return "";
    case 'h':
      out.topic = out.verb;
      out.verb = Verb::help;
      return "";
    case LongOnly::kVersion:
      out.verb = Verb::version;
      return "";
    case ':':
      return missing_value(optopt);
    default:
      // A cluster of short options is one word.
      return wrong_option(word.rfind("--", 0) == 0 ? word : std::string{'-', static_cast<char>(optopt)},
                          optopt);
  }
}

struct VerbName {
  const char* name;
  Verb verb;
};
constexpr VerbName kVerbs[] = {
    {"run", Verb::run},         {"spec", Verb::spec},     {"format", Verb::format},
    {"check", Verb::check},     {"list", Verb::list},     {"checkpoint", Verb::checkpoint},
    {"head", Verb::head},       {"info", Verb::info},     {"validate", Verb::validate},
    {"index", Verb::index},     {"shard", Verb::shard},   {"convert", Verb::convert},
    {"explain", Verb::explain}, {"bench", Verb::bench},   {"top", Verb::top},
    {"help", Verb::help},       {"digest", Verb::digest}, {"cache", Verb::cache},
};
constexpr const char* kVerbList =
    "expected run, check, spec, format, digest, explain, bench, top, list, checkpoint, cache, head, info, validate, index, shard, convert or help";

bool parse_verb(const std::string& word, Verb& out) {
  for (const VerbName& known : kVerbs) {
    if (word != known.name) continue;
    out = known.verb;
    return true;
  }
  return false;
}

bool is_of_files(Verb verb) { return verb >= Verb::head && verb <= Verb::convert; }

// Words of other tools for what a command does; empty if it is none.
std::string meant_verb(const std::string& word) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"cat", "head"},
      {"show", "head"},
      {"print", "run"},
      {"eval", "run"},
      {"exec", "run"},
      {"count", "info"},
      {"describe", "info"},
      {"inspect", "info"},
      {"schema", "spec"},
      {"lint", "check"},
      {"fmt", "format"},
      {"hash", "digest"},
      {"split", "shard"},
      {"verify", "validate"},
      {"benchmark", "bench"},
      {"profile", "bench"},
      {"plan", "explain"},
      {"ls", "list"},
      {"checkpoints", "checkpoint"},
      {"stats", "run --stats"},
      {"version", "--version"},
  };
  for (const auto& [meant, verb] : kWords) {
    if (meant == word) return concat("; that is weir ", verb);
  }
  return "";
}

std::string wrong_verb(const std::string& word) {
  std::string problem = std::string(kVerbList) + ", found " + word;
  if (looks_like_document(word)) return problem + "; write weir run -e '" + word + "'";
  if (word.find_first_of("./") != std::string::npos) return problem + "; write weir run " + word;
  std::vector<std::string> names;
  for (const VerbName& known : kVerbs) names.emplace_back(known.name);
  const std::string near = nearest(word, names);
  return near.empty() ? problem + meant_verb(word) : problem + "; did you mean " + near + "?";
}

// Takes the one document from the rest of the line.
std::string parse_document(int argc, char** argv, Arguments& out) {
  const std::string expected = "expected one document: a FILE, or -e TEXT; ";
  const int files = argc - optind;
  if (files + (out.has_text ? 1 : 0) == 0) return expected + "found none";
  if (out.has_text && files == 0) return "";
  if (out.has_text) return expected + "found -e and then " + argv[optind] + "; put TEXT in single quotes";
  if (files > 1) return expected + "found " + argv[optind] + " and " + argv[optind + 1];
  out.file = argv[optind];
  return "";
}

// The word after `weir checkpoint` or `weir cache`.
std::string parse_second_verb(int argc, char** argv, Arguments& out) {
  const bool cache = out.verb == Verb::cache;
  const std::vector<std::pair<std::string, Verb>> known =
      cache ? std::vector<std::pair<std::string, Verb>>{{"show", Verb::show_cache},
                                                        {"clear", Verb::clear_cache}}
            : std::vector<std::pair<std::string, Verb>>{{"show", Verb::show_checkpoint},
                                                        {"list", Verb::list_checkpoints}};
  const std::string word = argc > 2 ? argv[2] : "";
  for (const auto& [name, verb] : known) {
    if (word != name) continue;
    out.verb = verb;
    return "";
  }
  if (word == "-h" || word == "--help") return "";
  const std::string near = nearest(word, std::vector<std::string>{known[0].first, known[1].first});
  return concat("expected ", known[0].first, " or ", known[1].first, " after ",
                cache ? "cache" : "checkpoint", ", found ", word.empty() ? "the end of the line" : word,
                near.empty() ? "" : concat("; did you mean ", near, "?"));
}

bool has_second_verb(Verb verb) { return verb == Verb::checkpoint || verb == Verb::cache; }

// Takes the folder from the rest of the line.
std::string parse_cache(int argc, char** argv, Arguments& out) {
  if (out.has_text || out.count >= 0 || out.origins || !out.params.empty() ||
      (out.json && out.verb == Verb::clear_cache))
    return "expected no option but --json of show, found another; see weir cache --help";
  if (argc - optind != 1) {
    return concat("expected one FOLDER, found ",
                  optind >= argc ? "the end of the line" : concat(argv[optind], " and ", argv[optind + 1]));
  }
  out.file = argv[optind];
  return "";
}

// Takes the file or folder from the rest of the line.
std::string parse_checkpoint(int argc, char** argv, Arguments& out) {
  const bool shows = out.verb == Verb::show_checkpoint;
  if (out.has_text || out.count >= 0 || out.origins || (!shows && !out.fits.empty()))
    return std::string("expected only --json") + (shows ? ", --fits and -p" : "") +
           " as options, found another; see weir checkpoint --help";
  if (!out.params.empty() && out.fits.empty()) return "expected -p only with --fits, found it alone";
  const std::string expected = shows ? "expected one FILE to show, found " : "expected one FOLDER, found ";
  if (optind >= argc) return expected + "none";
  if (optind + 1 < argc) return expected + argv[optind] + " and " + argv[optind + 1];
  out.file = argv[optind];
  if (out.file == "-" && out.fits == "-") return "expected one `-`, found both FILE and the document";
  return "";
}

// Takes the files from the rest of the line.
std::string parse_files(int argc, char** argv, Arguments& out) {
  const Verb verb = out.verb;
  const bool counts = verb == Verb::head || verb == Verb::shard;
  const char* const other = out.has_text                ? "-e"
                            : !out.params.empty()       ? "-p"
                            : out.json                  ? "--json"
                            : out.origins               ? "--origins"
                            : out.count >= 0 && !counts ? "-n"
                                                        : nullptr;
  if (other) return concat("expected only options that `weir --help` lists for this command, found ", other);
  out.files.assign(argv + optind, argv + argc);
  if (verb == Verb::convert) {
    if (out.files.size() == 2) return "";
    return "expected two names, FROM and TO, found " + std::to_string(out.files.size());
  }
  if (out.files.empty()) return "expected at least one FILE, found none";
  if (verb != Verb::shard) return "";
  if (out.count < 1 || out.count > kMaxShards)
    return "expected -n COUNT with the number of files to write, 1 to " + std::to_string(kMaxShards) +
           ", found " + (out.count < 0 ? "none" : std::to_string(out.count));
  return out.output.empty() ? "expected -o NAME, as in -o data/train.tfrecord, found none" : "";
}

std::string parse_process(int argc, char** argv, Arguments& out) {
  const std::string expected = "expected the PID of a process, found ";
  if (out.has_text || out.json || !out.params.empty() || out.count >= 0) return expected + "an option";
  if (optind >= argc) return expected + "none";
  if (optind + 1 < argc) return expected + argv[optind] + " and " + argv[optind + 1];
  const char* text = argv[optind];
  auto [end, failed] = std::from_chars(text, text + std::strlen(text), out.process);
  return failed == std::errc() && *end == '\0' && out.process > 0 ? "" : expected + text;
}

bool reads(Verb verb) {
  return verb == Verb::run || verb == Verb::bench || verb == Verb::digest || is_of_files(verb);
}

// Options that belong to some commands only.
std::string parse_misplaced(const Arguments& out) {
  const Verb verb = out.verb;
  if (out.json && (verb == Verb::format || (verb == Verb::spec && !out.checkpoint)))
    return "expected --json only after commands that print JSON, such as run and spec --checkpoint";
  if (out.origins && verb >= Verb::check && verb <= Verb::list) return "expected --origins only after run";
  if (out.count >= 0 && (verb == Verb::check || verb == Verb::explain || verb == Verb::list))
    return "expected -n only after commands that read elements or files";
  if (!out.fits.empty() && out.verb != Verb::show_checkpoint && out.verb != Verb::list_checkpoints)
    return "expected --fits only after checkpoint show";
  if (out.checkpoint && out.verb != Verb::spec) return "expected --checkpoint only after spec";
  if (!out.output.empty() && out.verb != Verb::shard) return "expected -o only after shard";
  if (out.stats && out.verb != Verb::run) return "expected --stats only after run";
  if (!out.trace.empty() && out.verb != Verb::run) return "expected --trace only after run";
  if (out.record_bytes != 0 && !reads(out.verb))
    return "expected --record-bytes only after commands that read elements or files";
  if (out.header && (!is_of_files(out.verb) || out.verb == Verb::shard))
    return "expected --header and --no-header only after head, info, validate, index and convert";
  if ((out.seconds != 0 || out.repeats != 0) && out.verb != Verb::bench)
    return "expected --seconds and --repeats only after bench";
  return "";
}

std::string parse_nothing(int argc, char** argv, const Arguments& out) {
  if (out.has_text || !out.params.empty()) return "list takes only --json";
  if (optind >= argc) return "";
  return std::string("expected nothing after list, found ") + argv[optind] +
         "; weir help NAME tells all about one";
}

}  // namespace

bool looks_like_document(const std::string& word) { return word.find_first_of("(|") != std::string::npos; }

std::string parse_arguments(int argc, char** argv, Arguments& out) {
  if (argc < 2) return std::string(kVerbList) + "; `weir --help` shows examples";
  int first = 1;
  if (argv[1][0] != '-') {
    if (!parse_verb(argv[1], out.verb)) return wrong_verb(argv[1]);
    first = 2;
    if (has_second_verb(out.verb)) {
      std::string problem = parse_second_verb(argc, argv, out);
      if (!problem.empty()) return problem;
      if (!has_second_verb(out.verb)) first = 3;
    }
  }
  bool verb_given = first >= 2;
  // getopt takes the word before the options for the program's name.
  argc -= first - 1;
  argv += first - 1;
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, ":e:p:n:o:h", kOptions, nullptr)) != -1;) {
    std::string problem = parse_option(option, argv[optind - 1], out);
    if (!problem.empty()) return problem;
    if (option == 'h' || option == LongOnly::kVersion) return "";
  }
  if (std::string problem = parse_misplaced(out); !problem.empty()) return problem;
  if (out.verb == Verb::top) return parse_process(argc, argv, out);
  if (is_of_files(out.verb)) return parse_files(argc, argv, out);
  if (out.verb == Verb::list) return parse_nothing(argc, argv, out);
  if (out.verb == Verb::show_checkpoint || out.verb == Verb::list_checkpoints)
    return parse_checkpoint(argc, argv, out);
  if (out.verb == Verb::show_cache || out.verb == Verb::clear_cache) return parse_cache(argc, argv, out);
  if (out.verb != Verb::help) return parse_document(argc, argv, out);
  if (!verb_given)
    return std::string("expected run, check, spec or format before ") + argv[1] +
           ", as in weir run -e 'range(3)'";
  // `weir help run`, or `weir help take`; there are operators called shard and cache, too.
  if (optind < argc &&
      (!parse_verb(argv[optind], out.topic) || out.topic == Verb::shard || out.topic == Verb::cache))
    out.name = argv[optind];
  return "";
}

}  // namespace weir::command
