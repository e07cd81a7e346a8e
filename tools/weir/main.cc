// The command `weir`. All that it does with datasets is by weir.h and weir.hpp.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include "arguments.h"
#include "bench.h"
#include "cache.h"
#include "checkpoint.h"
#include "common.h"
#include "core/text.h"
#include "digest.h"
#include "help.h"
#include "inspect.h"
#include "place.h"
#include "rewrite.h"
#include "top.h"
#include "weir/weir.h"

namespace weir::command {

namespace {

void print_failure(const Arguments& arguments, const weir_error& error) {
  if (arguments.json) return print(stdout, error_json(error) + "\n");
  std::printf("error: %s: ", weir_code_name(error.code));
  print(stdout, view(error.line));
  print(stdout, "\n");
}

// "FILE, record N: ", or with --json the beginning of an object whose last member is the element.
void print_origin(const Arguments& arguments, const Handles& handles) {
  weir_origin origin = WEIR_ORIGIN_INIT;
  weir_element_origin(handles.element, 0, &origin, nullptr);
  const std::string_view file = view(origin.file);
  if (arguments.json) {
    std::printf("{\"origin\": ");
    if (file.empty()) return print(stdout, "null, \"element\": ");
    const std::string record = origin.record < 0 ? "null" : std::to_string(origin.record);
    std::printf("{\"file\": %s, \"record\": %s}, \"element\": ", json_string(file).c_str(), record.c_str());
  } else if (!file.empty()) {
    print(stdout, escaped(file));
    if (origin.record >= 0) std::printf(", record %lld", static_cast<long long>(origin.record));
    print(stdout, ": ");
  } else {
    print(stdout, "-: ");
  }
}

// Returns false if the element could not be printed: a nested dataset failed while it was drained.
bool print_element(const Arguments& arguments, Handles& handles) {
  weir_bytes text = WEIR_BYTES_INIT;
  uint32_t flags = arguments.json ? 0 : WEIR_TEXT;
  if (weir_element_format(handles.element, flags, &text, &handles.error) != WEIR_OK) {
    print_failure(arguments, handles.error);
    return false;
  }
  if (arguments.origins) print_origin(arguments, handles);
  print(stdout, {text.data, text.size});
  print(stdout, arguments.origins && arguments.json ? "}\n" : "\n");
  weir_bytes_release(&text);
  return true;
}

void print_stats(Handles& handles) {
  weir_bytes text = WEIR_BYTES_INIT;
  if (weir_iterator_stats(handles.iterator, WEIR_TEXT, &text, nullptr) != WEIR_OK) return;
  // After the elements, where both go to a terminal.
  std::fflush(stdout);
  print(stderr, {text.data, text.size});
  weir_bytes_release(&text);
}

int run(const Arguments& arguments, Handles& handles) {
  int32_t result = begin(arguments, handles, {});
  if (result == WEIR_OK) result = weir_element_create(&handles.element, &handles.error);
  if (result != WEIR_OK) return report(handles);
  bool failed = false;
  // Nobody reads what comes after a failed write.
  for (int64_t line = 0; (arguments.count < 0 || line < arguments.count) && !std::ferror(stdout); ++line) {
    result = weir_iterator_next(handles.iterator, handles.element, &handles.error);
    if (result == WEIR_END) break;
    if (result == WEIR_OK) {
      failed |= !print_element(arguments, handles);
      continue;
    }
    failed = true;
    print_failure(arguments, handles.error);
    if (result < 0) break;
  }
  if (arguments.stats) print_stats(handles);
  return failed ? kExitElementFailed : 0;
}

// `flags`: WEIR_EXPLAIN_..., without the choice of JSON.
int print_explanation(const Arguments& arguments, Handles& handles, uint32_t flags) {
  weir_bytes text = WEIR_BYTES_INIT;
  if (!arguments.json) flags |= WEIR_TEXT;
  if (weir_dataset_explain(handles.dataset, flags, &text, &handles.error) != WEIR_OK) return report(handles);
  print(stdout, {text.data, text.size});
  if (arguments.json) print(stdout, "\n");
  weir_bytes_release(&text);
  return 0;
}

int print_spec(Handles& handles) {
  weir_spec spec{};
  weir_bytes text = WEIR_BYTES_INIT;
  weir_dataset_info info = WEIR_DATASET_INFO_INIT;
  int32_t result = weir_dataset_spec(handles.dataset, &spec, &handles.error);
  if (result == WEIR_OK) result = weir_spec_format(spec, &text, &handles.error);
  if (result == WEIR_OK) result = weir_dataset_view(handles.dataset, &info, &handles.error);
  weir_spec_unref(spec);
  if (result != WEIR_OK) return report(handles);
  print(stdout, {text.data, text.size});
  weir_bytes_release(&text);
  if (info.cardinality == WEIR_CARDINALITY_INFINITE) {
    print(stdout, "\ncardinality: infinite\n");
  } else if (info.cardinality == WEIR_CARDINALITY_UNKNOWN) {
    print(stdout, "\ncardinality: unknown\n");
  } else {
    std::printf("\ncardinality: %lld\n", static_cast<long long>(info.cardinality));
  }
  return 0;
}

int print_format(Handles& handles) {
  weir_bytes text = WEIR_BYTES_INIT;
  if (weir_dataset_format(handles.dataset, &text, &handles.error) != WEIR_OK) return report(handles);
  print(stdout, {text.data, text.size});
  print(stdout, "\n");
  weir_bytes_release(&text);
  return 0;
}

int print_mistakes_as_json(Handles& handles, const std::string& text) {
  weir_bytes json = WEIR_BYTES_INIT;
  if (weir_dataset_check(handles.runtime, text.data(), text.size(), nullptr, 0, 0, &json, &handles.error) !=
      WEIR_OK)
    return report(handles);
  const std::string_view mistakes{json.data, json.size};
  print(stdout, mistakes);
  print(stdout, "\n");
  const int status = mistakes == "[]" ? 0 : kExitNotBuilt;
  weir_bytes_release(&json);
  return status;
}

// Prints what the library says about one operator or function, or about all of them if `name` is empty.
int print_schema(const std::string& name, bool json) {
  Handles handles;
  weir_bytes text = WEIR_BYTES_INIT;
  const uint32_t flags = json ? 0 : WEIR_TEXT;
  if (weir_schema(name.data(), name.size(), flags, &text, &handles.error) != WEIR_OK) return report(handles);
  print(stdout, {text.data, text.size});
  weir_bytes_release(&text);
  return 0;
}

int print_help(const Arguments& arguments) {
  if (arguments.name.empty()) {
    print(stdout, help_about(arguments.topic));
    return 0;
  }
  const int status = print_schema(arguments.name, false);
  // An operator and a command have this name.
  if (status == 0 && arguments.topic != Verb::help)
    print(stdout, concat("\n`weir ", arguments.name, " --help` explains the command.\n"));
  return status;
}

// Returns 0, or reports why a timeline can't be written there; it is written at the end.
int check_trace(const std::string& name) {
  if (name.empty() || is_elsewhere(name)) return 0;
  const std::string temporary = name + ".tmp";
  std::FILE* const file = std::filesystem::is_directory(name) ? nullptr : std::fopen(temporary.c_str(), "ab");
  if (file) {
    std::fclose(file);
    std::remove(temporary.c_str());
    return 0;
  }
  const int failure = std::filesystem::is_directory(name) ? EISDIR : errno;
  std::fprintf(stderr, "error: %s: expected a file to write after --trace, found %s: %s\n",
               weir_code_name(code_of(failure)), name.c_str(), std::strerror(failure));
  return kExitNotBuilt;
}

int build_and(const Arguments& arguments) {
  std::string text = arguments.text;
  if (!arguments.has_text) {
    if (int status = read_document(arguments.file, text)) return status;
  }
  if (int status = check_trace(arguments.trace)) return status;
  Handles handles;
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  options.trace_file = arguments.trace.data();
  options.trace_file_size = arguments.trace.size();
  options.record_bytes = arguments.record_bytes;
  if (weir_runtime_create(&options, &handles.runtime, &handles.error) != WEIR_OK) return report(handles);
  if (arguments.verb == Verb::check && arguments.json) return print_mistakes_as_json(handles, text);
  if (weir_dataset_parse(handles.runtime, text.data(), text.size(), nullptr, 0, &handles.dataset,
                         &handles.error) != WEIR_OK) {
    const int status = report(handles);
    if (!arguments.has_text) hint_at_data(arguments.file);
    return status;
  }
  switch (arguments.verb) {
    case Verb::check:
      return 0;
    case Verb::spec:
      return arguments.checkpoint ? print_explanation(arguments, handles, WEIR_EXPLAIN_CHECKPOINT)
                                  : print_spec(handles);
    case Verb::explain:
      return print_explanation(arguments, handles, 0);
    case Verb::bench:
      return bench(arguments, handles);
    case Verb::format:
      return print_format(handles);
    case Verb::digest:
      return digest(arguments, handles);
    default:
      return run(arguments, handles);
  }
}

int perform(const Arguments& arguments) {
  switch (arguments.verb) {
    case Verb::help:
      return print_help(arguments);
    case Verb::list:
      return print_schema("", arguments.json);
    case Verb::top:
      return top(arguments);
    case Verb::show_checkpoint:
      return show_checkpoint(arguments);
    case Verb::list_checkpoints:
      return list_checkpoints(arguments);
    case Verb::show_cache:
      return show_cache(arguments);
    case Verb::clear_cache:
      return clear_cache(arguments);
    case Verb::head:
      return head(arguments);
    case Verb::info:
      return info(arguments);
    case Verb::validate:
      return validate(arguments);
    case Verb::index:
      return make_indices(arguments);
    case Verb::shard:
      return shard(arguments);
    case Verb::convert:
      return convert(arguments);
    case Verb::version:
      std::printf("weir %s\n", weir_version());
      return 0;
    default:
      return build_and(arguments);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A write beyond the limit of a file's size fails in place of ending the process.
  std::signal(SIGXFSZ, SIG_IGN);
  Arguments arguments;
  std::string problem = parse_arguments(argc, argv, arguments);
  if (!problem.empty()) {
    std::fprintf(stderr, "error: invalid_argument: %s\n", problem.c_str());
    return kExitNotBuilt;
  }
  int status = perform(arguments);
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  std::fprintf(stderr, "error: %s: cannot write to standard output: %s\n", weir_code_name(code_of(errno)),
               std::strerror(errno));
  return kExitNotBuilt;
}

}  // namespace weir::command

int main(int argc, char** argv) { return weir::command::main(argc, argv); }
