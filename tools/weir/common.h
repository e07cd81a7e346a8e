// What the subcommands share: the library's handles, printing, and reading documents.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "arguments.h"
#include "weir/weir.h"

namespace weir::command {

inline constexpr int kExitElementFailed = 1;
inline constexpr int kExitUnfit = 1;
inline constexpr int kExitNotBuilt = 2;

// The library's handles, released at the end.
struct Handles {
  weir_runtime runtime{};
  weir_dataset dataset{};
  weir_iterator iterator{};
  weir_element element{};
  weir_error error = WEIR_ERROR_INIT;

  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    weir_element_destroy(element);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
    weir_runtime_destroy(runtime);
    weir_error_clear(&error);
  }
};

void print(std::FILE* file, std::string_view text);
std::string_view view(weir_string text);

// A name on one line, with control characters and backslashes as the notation escapes them; bytes that are no
// UTF-8, too.
std::string escaped(std::string_view name);

// {"error": {"code": …, …}} on one line, with null for what isn't known.
std::string error_json(const weir_error& error);

// Prints the error of a call that could not be made, or of a document with its line and caret. Returns
// kExitNotBuilt.
int report(const Handles& handles);

// The code of an errno.
int32_t code_of(int failure);

// Returns 0, or reports what is wrong with the file and returns kExitNotBuilt.
int read_document(const std::string& name, std::string& out);

// After a file that is no document was reported: says what to do if its name is that of a table or a text.
void hint_at_data(const std::string& name);

struct Position {
  // Empty: the beginning.
  std::string file;
  // As in weir_iterator_options.
  uint32_t rank = 0;
  uint32_t world_size = 0;
};

// Makes an iterator of the dataset with the parameters, there.
int32_t begin(const Arguments& arguments, Handles& handles, const Position& position);

}  // namespace weir::command
