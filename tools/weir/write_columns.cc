// Elements as Parquet and Arrow files, which the extension weir-parquet writes.
#include <dlfcn.h>
#include <link.h>

#include <cerrno>
#include <exception>
#include <utility>
#include <vector>

#include "arrow_columns.h"
#include "core/text.h"
#include "core/utf8.h"
#include "files.h"
#include "place.h"
#include "structure.h"
#include "write_elements.h"

namespace weir::command {

namespace {

// Of a batch. The writer of Parquet takes 20 times the bytes of lists of small numbers while it encodes them.
constexpr int64_t kBatchRows = int64_t{64} << 10;
constexpr uint64_t kBatchBytes = uint64_t{4} << 20;

constexpr std::string_view kLibrary = "/libweir-parquet.so";

// weir_write_table() of the extension (extensions/parquet/src/write.rs).
using WriteTable = int32_t (*)(weir_string format, ArrowArrayStream* rows,
                               int32_t (*write)(void*, const uint8_t*, uint64_t), void* user_data,
                               char* message, uint64_t size);

// Where the library has loaded the extension from.
std::string loaded_extension() {
  std::string out;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        const std::string_view name(info->dlpi_name);
        if (name.ends_with(kLibrary)) *static_cast<std::string*>(found) = name;
        return 0;
      },
      &out);
  return out;
}

WriteTable find_writer(const Runtime& runtime) {
  try {
    // Loads it.
    parse(runtime, "parquet(@file)", {{"file", ""}});
  } catch (const Error& error) {
    if (error.code() == WEIR_CODE_FAILED_PRECONDITION) throw;
  }
  const std::string file = loaded_extension();
  void* const library = file.empty() ? nullptr : ::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
  void* const found = library ? ::dlsym(library, "weir_write_table") : nullptr;
  if (!found)
    fail(WEIR_CODE_FAILED_PRECONDITION,
         concat("expected the extension weir-parquet that came with this command, found ",
                file.empty() ? "none" : file, "; install both in one version"));
  return reinterpret_cast<WriteTable>(found);
}

bool is_text(const weir_view& view) {
  size_t count = 1;
  for (int32_t i = 0; i < view.rank; ++i) count *= static_cast<size_t>(view.dims[i]);
  const auto* const texts = static_cast<const weir_string*>(view.data);
  for (size_t i = 0; i < count; ++i) {
    if (!is_utf8({texts[i].data, static_cast<size_t>(texts[i].size)})) return false;
  }
  return true;
}

// Of each component, whether it has strings that are no text. A column is one of text or of bytes, so the
// elements are read once for this, if they have strings.
std::vector<bool> find_binary(const Elements& elements, uint32_t components) {
  std::vector<bool> out(components, false);
  each_row(
      elements.runtime, elements.rows, -1,
      [&](const Element& element) {
        bool more = false;
        for (uint32_t i = 0; i < components; ++i) {
          if (out[i]) continue;
          const weir_view view = element.view(i);
          const bool strings = view.dtype == WEIR_DTYPE_STRING;
          out[i] = strings && !is_text(view);
          more = more || (strings && !out[i]);
        }
        return more;
      },
      [](const Error& error) -> bool { throw error; });
  return out;
}

// The elements as a stream of Arrow's C stream interface, and the file that becomes of them. No exception
// passes the extension.
class Rows {
 public:
  Rows(const Elements& elements, const Structure& root, NewFile& out)
      : elements_(elements),
        root_(root),
        columns_(root, "", find_binary(elements, root.components)),
        iterator_(elements.runtime, elements.rows),
        out_(out) {}

  uint64_t count() const { return count_; }
  void write_by(WriteTable write_table, std::string_view format) {
    ArrowArrayStream stream{&get_schema, &get_next, [](ArrowArrayStream*) { return "no rows"; },
                            [](ArrowArrayStream* rows) { rows->release = nullptr; }, this};
    std::string message(1024, '\0');
    const int32_t result =
        write_table({format.data(), format.size()}, &stream, &write, this, message.data(), message.size());
    if (failure_) std::rethrow_exception(failure_);
    if (result != 0) fail(WEIR_CODE_INVALID_ARGUMENT, concat("cannot be written: ", message.c_str()));
  }

 private:
  // An errno, or 0.
  template <class Work>
  static int guarded(void* rows, Work work) {
    Rows& self = *static_cast<Rows*>(rows);
    try {
      work(self);
      return 0;
    } catch (...) {
      self.failure_ = std::current_exception();
      return EIO;
    }
  }
  static int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    return guarded(stream->private_data, [&](Rows& self) { *out = self.columns_.schema(); });
  }
  static int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    return guarded(stream->private_data, [&](Rows& self) {
      *out = {};
      while (self.columns_.length() < kBatchRows && self.columns_.byte_size() < kBatchBytes) {
        if (!self.iterator_.next(self.element_)) break;
        self.columns_.add(self.element_, self.root_, self.count_++);
        self.elements_.progress.add(0);
      }
      if (self.columns_.length() > 0) *out = self.columns_.take();
    });
  }
  static int32_t write(void* rows, const uint8_t* bytes, uint64_t size) {
    return guarded(rows, [&](Rows& self) {
      self.out_.write({reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)});
    });
  }

  const Elements& elements_;
  const Structure& root_;
  ArrowColumn columns_;
  Iterator iterator_;
  Element element_;
  uint64_t count_ = 0;
  NewFile& out_;
  std::exception_ptr failure_;
};

}  // namespace

uint64_t write_columns(const Elements& elements, const std::string& to) {
  const WriteTable write_table = find_writer(elements.runtime);
  const Structure root = as_dict(structure_of(elements.rows.spec(), elements.source), elements.name);
  NewFile out(elements.runtime, to, WEIR_RECORD_WRITER_PLAIN);
  Rows rows(elements, root, out);
  rows.write_by(write_table, to.ends_with(".parquet")  ? "parquet"
                             : to.ends_with(".arrows") ? "arrows"
                                                       : "arrow");
  out.finish();
  return rows.count();
}

}  // namespace weir::command
