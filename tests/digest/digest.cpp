// The digest of docs/digest.md over weir.hpp:
//
//   digest_cpp DOCUMENT THREADS SAVE_AT
//
// prints the hash of the document's elements. With SAVE_AT from 0 up it takes so many rows, saves, and goes
// on with an iterator of another runtime that begins at the checkpoint.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "weir/weir.hpp"

namespace {

class Digest {
 public:
  Digest() { XXH64_reset(&state_, 0); }

  // Takes `count` rows, or all and the end if it is negative.
  void add_rows(const weir::Runtime& runtime, weir::Iterator& iterator, int64_t count) {
    weir_spec_info info = WEIR_SPEC_INFO_INIT;
    const weir::Spec spec = iterator.spec();
    weir_spec_view(spec.handle(), &info, nullptr);
    weir::Element element;
    for (; count != 0; count -= count > 0 ? 1 : 0) {
      try {
        if (!iterator.next(element)) {
          if (count < 0) add('z');
          return;
        }
      } catch (const weir::Error& error) {
        if (!error.element_failed()) throw;
        add('f');
        add(static_cast<int32_t>(error.code()));
        continue;
      }
      add('e');
      for (uint32_t i = 0; i < info.component_count; ++i) add_component(runtime, element, i);
    }
  }

  uint64_t value() const { return XXH64_digest(&state_); }

 private:
  template <class T>
  void add(T value) {
    add_bytes(&value, sizeof(value));
  }

  // Apart, since inlined for one byte gcc warns of what xxhash does with longer inputs.
  [[gnu::noinline]] void add_bytes(const void* data, size_t size) { XXH64_update(&state_, data, size); }

  void add_component(const weir::Runtime& runtime, const weir::Element& element, uint32_t index) {
    weir_view view = WEIR_VIEW_INIT;
    if (weir_element_view(element.handle(), index, &view, nullptr) != WEIR_OK) {
      add(static_cast<uint8_t>(WEIR_DTYPE_DATASET));
      weir::Iterator nested(runtime, element.dataset(index));
      return add_rows(runtime, nested, -1);
    }
    add(static_cast<uint8_t>(view.dtype));
    add(static_cast<uint8_t>(view.rank));
    for (int32_t i = 0; i < view.rank; ++i) add(view.dims[i]);
    if (view.dtype != WEIR_DTYPE_STRING) {
      add_bytes(view.data, view.byte_size);
      return;
    }
    for (uint64_t i = 0; i < view.byte_size / sizeof(weir_string); ++i) {
      const weir_string text = static_cast<const weir_string*>(view.data)[i];
      add(text.size);
      add_bytes(text.data, text.size);
    }
  }

  XXH64_state_t state_;
};

// What one process would have.
struct Job {
  Job(const std::string& text, int32_t threads, std::string_view checkpoint)
      : runtime(options(threads)), iterator(runtime, weir::parse(runtime, text), beginning(checkpoint)) {}

  static weir::RuntimeOptions options(int32_t threads) {
    weir::RuntimeOptions out;
    out.thread_count = threads;
    return out;
  }
  static weir::IteratorOptions beginning(std::string_view checkpoint) {
    weir::IteratorOptions out;
    out.checkpoint = checkpoint;
    return out;
  }

  weir::Runtime runtime;
  weir::Iterator iterator;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: digest_cpp DOCUMENT THREADS SAVE_AT\n");
    return 2;
  }
  try {
    std::ostringstream text;
    text << std::ifstream(argv[1]).rdbuf();
    const int32_t threads = std::atoi(argv[2]);
    const int64_t save_at = std::atoll(argv[3]);
    Digest digest;
    std::optional<Job> job(std::in_place, text.str(), threads, std::string_view());
    if (save_at >= 0) {
      digest.add_rows(job->runtime, job->iterator, save_at);
      const weir::Bytes position = job->iterator.save();
      job.emplace(text.str(), threads, position.view());
    }
    digest.add_rows(job->runtime, job->iterator, -1);
    std::printf("%016llx\n", static_cast<unsigned long long>(digest.value()));
  } catch (const weir::Error& error) {
    std::fprintf(stderr, "error: %s: %s\n", error.code_name(), error.what());
    return 2;
  }
  return 0;
}
