// What the tests of weir.hpp share. They see nothing of the library but its public headers.
#pragma once

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/weir.hpp"

// The remaining elements as lines; a failed one is "error: CODE".
inline std::vector<std::string> lines(weir::Iterator& iterator) {
  std::vector<std::string> out;
  weir::Element element;
  for (;;) {
    try {
      if (!iterator.next(element)) return out;
      out.push_back(element.text());
    } catch (const weir::Error& error) {
      if (!error.element_failed()) throw;
      out.push_back(std::string("error: ") + error.code_name());
    }
  }
}

template <class Source>
std::vector<std::string> lines(const weir::Runtime& runtime, const Source& source) {
  weir::Iterator iterator(runtime, source);
  return lines(iterator);
}

inline std::vector<std::string> lines_of(const weir::Runtime& runtime, std::string_view text,
                                         const weir::Arguments& arguments = {}) {
  return lines(runtime, weir::parse(runtime, text, arguments));
}

// What `body` throws; the test fails if it throws nothing.
template <class Body>
weir::Error error_of(Body&& body) {
  try {
    body();
  } catch (const weir::Error& error) {
    return error;
  }
  FAIL("expected an Error, found none");
  return weir::Error(0, "");
}

inline bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Counts how often what holds it was destroyed; being moved from doesn't count.
class Counted {
 public:
  explicit Counted(std::atomic<int>& destroyed) : destroyed_(&destroyed) {}
  Counted(Counted&& other) noexcept : destroyed_(std::exchange(other.destroyed_, nullptr)) {}
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  Counted& operator=(Counted&&) = delete;
  ~Counted() {
    if (destroyed_) ++*destroyed_;
  }

 private:
  std::atomic<int>* destroyed_;
};

using Lines = std::vector<std::string>;
