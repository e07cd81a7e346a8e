#include "checkpoint.h"

#include <cstdio>
#include <string>

#include "common.h"

namespace weir::command {

namespace {

int describe(const Arguments& arguments, uint32_t flags, Handles& handles, std::string& out) {
  weir_bytes text = WEIR_BYTES_INIT;
  if (!arguments.json) flags |= WEIR_DESCRIBE_TEXT;
  int32_t result = weir_runtime_create(nullptr, &handles.runtime, &handles.error);
  if (result == WEIR_OK) {
    result = weir_checkpoint_describe(handles.runtime, arguments.file.data(), arguments.file.size(), flags,
                                      &text, &handles.error);
  }
  if (result != WEIR_OK) return report(handles);
  out.assign(text.data, text.size);
  weir_bytes_release(&text);
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
  const int32_t result = begin(arguments, handles, arguments.file);
  const bool unfit = result == -WEIR_CODE_FAILED_PRECONDITION || result == -WEIR_CODE_DATA_LOSS;
  // Say, a parameter without a value: that tells nothing about the position.
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
  int status = describe(arguments, 0, handles, out);
  if (status == 0 && !arguments.fits.empty()) status = add_fits(arguments, handles, out);
  if (status == kExitNotBuilt) return status;
  print(stdout, out);
  if (arguments.json) print(stdout, "\n");
  return status;
}

int list_checkpoints(const Arguments& arguments) {
  Handles handles;
  std::string out;
  if (int status = describe(arguments, WEIR_DESCRIBE_FOLDER, handles, out)) return status;
  print(stdout, out);
  if (arguments.json) print(stdout, "\n");
  return 0;
}

}  // namespace weir::command
