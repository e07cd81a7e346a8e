// Pipeline: what tests of whole pipelines need: a runtime on real threads, a text made into an iterator, and
// its elements as text. Errors are thrown as std::runtime_error, which fails the test.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/format_element.h"
#include "iterator/iterator.h"

namespace weir {

// Real threads, clock and files; random numbers that repeat.
class ThreadsRuntime {
 public:
  explicit ThreadsRuntime(int threads = 2);
  ~ThreadsRuntime();
  Runtime& operator*() { return runtime_; }
  Runtime* operator->() { return &runtime_; }

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  Runtime runtime_;
};

// Waits for what an iterator still runs, since nothing here keeps the runtime alive for it.
struct CloseIterator {
  void operator()(Iterator* iterator) const {
    iterator->close();
    delete iterator;
  }
};
using OpenIterator = std::unique_ptr<Iterator, CloseIterator>;

// A new iterator over the text, at the checkpoint's position if there is one.
OpenIterator open_text(Runtime& runtime, std::string_view text, const std::string* checkpoint = nullptr,
                       const std::vector<ParamValue>& params = {});
DocumentRef parse_text(Runtime& runtime, std::string_view text);

// The row with what it has on devices copied back.
Components on_host_row(Components row);

// The next elements as printed, errors as "error: CODE": at most `count` of them, read `rows` at a time;
// "end" after the last one, "cancelled" if that was the answer. With `nested` it prints nested datasets,
// which are "dataset(...)" otherwise.
std::vector<std::string> take_lines(Iterator& iterator, int64_t count, int rows = 1,
                                    NestedPrinter* nested = nullptr);
// All of them, without "end".
std::vector<std::string> all_lines(Iterator& iterator, int rows = 1);
std::vector<std::string> all_lines(Runtime& runtime, std::string_view text, int rows = 1);

// Throws if the status is an error.
void require_ok(const Status& status);
template <class T>
T require_value(Result<T> result) {
  require_ok(result.status());
  return *std::move(result);
}

}  // namespace weir
