#include "checkpoint.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common.h"
#include "core/text.h"
#include "files.h"

namespace weir::command {

namespace {

// `-` is what comes from standard input.
int open_file(const std::string& name, std::string& out) {
  try {
    out = is_standard_input(name) ? standard_input_file() : name;
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s: %s\n", error.code_name(), error.what());
    return kExitNotBuilt;
  }
}

int describe(const std::string& file, uint32_t flags, Handles& handles, std::string& out) {
  weir_bytes text = WEIR_BYTES_INIT;
  int32_t result = WEIR_OK;
  if (handles.runtime.value == 0) result = weir_runtime_create(nullptr, &handles.runtime, &handles.error);
  if (result == WEIR_OK) {
    result =
        weir_checkpoint_describe(handles.runtime, file.data(), file.size(), flags, &text, &handles.error);
  }
  if (result != WEIR_OK) return report(handles);
  out.assign(text.data, text.size);
  weir_bytes_release(&text);
  return 0;
}

uint32_t format_of(const Arguments& arguments) { return arguments.json ? 0 : WEIR_TEXT; }

// The number of that name in a JSON object of weir_checkpoint_describe; 0 if it has none.
uint32_t number_in(const std::string& json, const std::string& name) {
  // In a string, a backslash stands before the quotes.
  const std::string key = ", \"" + name + "\": ";
  const size_t at = json.find(key);
  return at == std::string::npos ? 0
                                 : static_cast<uint32_t>(std::strtoul(&json[at + key.size()], nullptr, 10));
}

// Whether a position fits does not depend on the rank of this process, so it is restored as the rank that
// saved it.
int find_position(const Arguments& arguments, Handles& handles, Position& out) {
  std::string json;
  std::string file;
  if (int status = open_file(arguments.file, file)) return status;
  if (int status = describe(file, 0, handles, json)) return status;
  out = {file, number_in(json, "world_rank"), number_in(json, "world_size")};
  return 0;
}

// Members of the JSON object, or lines.
std::string fits(const Arguments& arguments, const weir_error* error) {
  if (!error) return arguments.json ? ", \"fits\": true" : "fits: yes\n";
  const std::string code = weir_code_name(error->code);
  const std::string message(view(error->message));
  if (arguments.json) {
    return ", \"fits\": false, \"code\": " + json_string(code) + ", \"message\": " + json_string(message);
  }
  return "fits: no: " + code + ": " + message + "\n";
}

// Appends whether the position fits, as restoring it decides. Returns the exit status.
int add_fits(const Arguments& arguments, Handles& handles, std::string& out) {
  std::string document;
  if (int status = read_document(arguments.fits, document)) return status;
  if (weir_dataset_parse(handles.runtime, document.data(), document.size(), nullptr, 0, &handles.dataset,
                         &handles.error) != WEIR_OK) {
    return report(handles);
  }
  Position position;
  if (int status = find_position(arguments, handles, position)) return status;
  const int32_t result = begin(arguments, handles, position);
  const bool unfit = result == -WEIR_CODE_FAILED_PRECONDITION || result == -WEIR_CODE_DATA_LOSS;
  // Such as a parameter without a value, which says nothing about the position.
  if (result != WEIR_OK && !unfit) return report(handles);
  if (arguments.json) out.pop_back();
  out += fits(arguments, unfit ? &handles.error : nullptr);
  if (arguments.json) out += "}";
  return unfit ? kExitUnfit : 0;
}

}  // namespace

int show_checkpoint(const Arguments& arguments) {
  Handles handles;
  std::string out;
  std::string file;
  if (int status = open_file(arguments.file, file)) return status;
  int status = describe(file, format_of(arguments), handles, out);
  const size_t named = is_standard_input(arguments.file) ? out.find(file) : std::string::npos;
  if (named != std::string::npos) out.replace(named, file.size(), "standard input");
  if (status == 0 && !arguments.fits.empty()) status = add_fits(arguments, handles, out);
  if (status == kExitNotBuilt) return status;
  print(stdout, out);
  if (arguments.json) print(stdout, "\n");
  return status;
}

int list_checkpoints(const Arguments& arguments) {
  Handles handles;
  std::string out;
  const uint32_t flags = WEIR_DESCRIBE_FOLDER | format_of(arguments);
  if (int status = describe(arguments.file, flags, handles, out)) return status;
  print(stdout, out);
  if (arguments.json) print(stdout, "\n");
  return 0;
}

}  // namespace weir::command
