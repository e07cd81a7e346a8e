#include "common.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <vector>

#include "core/text.h"
#include "core/utf8.h"
#include "format/signature.h"
#include "text_arguments.h"

namespace weir::command {

namespace {

// More than the library accepts as a document; reading further is pointless.
constexpr size_t kMaxDocumentBytes = size_t{16} << 20;

// Returns 0, or why the file cannot be read, as in errno.
int read_all(const std::string& name, std::string& out) {
  std::FILE* file = name == "-" ? stdin : std::fopen(name.c_str(), "rb");
  if (!file) return errno;
  char buffer[65536];
  size_t size;
  while (out.size() <= kMaxDocumentBytes && (size = std::fread(buffer, 1, sizeof buffer, file)) > 0) {
    out.append(buffer, size);
  }
  const int failure = std::ferror(file) ? errno : 0;
  if (file != stdin) std::fclose(file);
  return failure;
}

int report_unreadable(const std::string& name, int failure) {
  std::string hint;
  if (looks_like_document(name)) hint = "; if it is the document itself, write -e '" + name + "'";
  std::fprintf(stderr, "error: %s: expected a FILE that can be read, found %s: %s%s\n",
               weir_code_name(code_of(failure)), name.c_str(), std::strerror(failure), hint.c_str());
  return kExitNotBuilt;
}

// Records, or another file that is not text.
int report_binary(const std::string& name, std::string_view bytes) {
  if (name == "-") {
    print(
        stderr,
        "error: invalid_argument: expected a document, found binary data; `weir head -` shows what it is\n");
    return kExitNotBuilt;
  }
  const Signature* const found = find_signature(bytes);
  const bool compressed = std::any_of(std::begin(kCodecMarks), std::end(kCodecMarks),
                                      [&](const CodecMarks* marks) { return found == &marks->signature; });
  if (found != nullptr && !compressed) {
    const std::string text = concat("error: invalid_argument: expected a document, found ", found->name, ": ",
                                    name, "; ", found->hint, "\n");
    print(stderr, text);
    return kExitNotBuilt;
  }
  std::fprintf(
      stderr,
      "error: invalid_argument: expected a document, found binary data in %s; to read records, write weir run -e 'tfrecord(\"%s\", compression: \"auto\")'\n",
      name.c_str(), name.c_str());
  return kExitNotBuilt;
}

}  // namespace

void print(std::FILE* file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }
std::string_view view(weir_string text) { return {text.data, text.size}; }

std::string escaped(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const size_t size = utf8_size(name);
    const auto byte = static_cast<unsigned char>(name[0]);
    const std::string_view next = name.substr(0, std::max<size_t>(size, 1));
    const std::string quoted = quote(next);
    const bool plain = size > 1 || (size == 1 && byte >= 0x20 && byte != 0x7f && byte != '\\');
    out += plain ? next : std::string_view(quoted).substr(1, quoted.size() - 2);
    name.remove_prefix(next.size());
  }
  return out;
}

int32_t code_of(int failure) {
  switch (failure) {
    case ENOENT:
      return WEIR_CODE_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
      return WEIR_CODE_PERMISSION_DENIED;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return WEIR_CODE_RESOURCE_EXHAUSTED;
    default:
      return WEIR_CODE_INVALID_ARGUMENT;
  }
}

std::string error_json(const weir_error& error) {
  const auto text = [](weir_string value) { return value.size == 0 ? "null" : json_string(view(value)); };
  const auto number = [](int64_t value) { return value < 0 ? "null" : std::to_string(value); };
  return concat(R"({"error": {"code": )", json_string(weir_code_name(error.code)), R"(, "message": )",
                json_string(view(error.message)), R"(, "path": )", text(error.path), R"(, "file": )",
                text(error.file), R"(, "offset": )", number(error.offset), R"(, "record": )",
                number(error.record), "}}");
}

int report(const Handles& handles) {
  std::fprintf(stderr, "error: %s: ", weir_code_name(handles.error.code));
  print(stderr, view(handles.error.message));
  print(stderr, "\n");
  return kExitNotBuilt;
}

void hint_at_data(const std::string& name) {
  for (const std::string_view suffix : {".csv", ".tsv", ".txt", ".json", ".jsonl", ".log"}) {
    if (!std::string_view(name).ends_with(suffix)) continue;
    print(stderr,
          concat(name, " looks like data: `weir info ", name, "` prints the document that reads it\n"));
  }
}

int read_document(const std::string& name, std::string& out) {
  if (int failure = read_all(name, out)) return report_unreadable(name, failure);
  if (out.find('\0') != std::string::npos || find_signature(out) != nullptr) return report_binary(name, out);
  return 0;
}

int32_t begin(const Arguments& arguments, Handles& handles, const Position& position) {
  const std::vector<weir_argument> params = text_arguments(arguments.params);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.params = params.data();
  options.param_count = params.size();
  if (!position.file.empty()) {
    options.checkpoint_file = position.file.data();
    options.checkpoint_file_size = position.file.size();
  }
  options.rank = position.rank;
  options.world_size = position.world_size;
  options.flags = WEIR_ITERATOR_UNINITIALIZED;
  int32_t result =
      weir_iterator_create(handles.runtime, handles.dataset, &options, &handles.iterator, &handles.error);
  // Separate from creating it, so that a missing or undeclared parameter is an error.
  options.flags = 0;
  if (result != WEIR_OK) return result;
  return weir_iterator_initialize(handles.iterator, handles.dataset, &options, &handles.error);
}

}  // namespace weir::command
