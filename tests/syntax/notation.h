// Grammars of arguments as the notation's page lists them, and short forms for the tests of this floor. A
// text that should parse and does not fails the test.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "syntax/grammar.h"
#include "syntax/parser.h"
#include "syntax/printer.h"

namespace weir::syntax {

// Texts of this floor may call anything.
class AnyCallee final : public SignatureTable {
 public:
  bool knows(CalleeKind, std::string_view) const override { return true; }
};

inline const AnyCallee& notation() {
  static const AnyCallee table = [] {
    AnyCallee t;
    auto function = [&t](std::string_view callee, const std::vector<std::string>& names) {
      t.add_names(CalleeKind::function, callee, names);
    };
    function("range", {"stop", "dtype"});
    function("range", {"start", "stop", "step", "dtype"});
    function("empty", {"spec"});
    function("nothing", {"spec"});
    function("from_generator", {"f", "spec"});
    function("sql", {"driver", "connection", "query", "spec"});
    function("csv", {"files", "columns"});
    function("decode_csv", {"s", "columns"});
    for (const char* callee : {"zeros", "ones", "eye", "cast", "bitcast", "saturate_cast", "to_number",
                               "decode_raw", "parse_tensor", "convert_image_dtype"}) {
      function(callee, {"x", "dtype"});
    }
    function("decode_padded_raw", {"s", "length", "dtype"});
    function("one_hot", {"i", "depth", "on", "off", "dtype"});
    function("parse_example", {"r", "features"});
    function("parse_sequence_example", {"r", "context", "lists"});
    function("parse_json", {"s", "fields"});
    function("arrow", {"files", "fields"});
    function("jsonl", {"files", "fields"});
    function("lmdb", {"files", "fields"});
    function("parquet", {"files", "fields"});
    function("webdataset", {"files", "fields"});
    return t;
  }();
  return table;
}

// The canonical text of a document, or the message of its error.
inline std::string canonical(const std::string& text) {
  Result<Tree> tree = parse_document(text, notation());
  return tree.ok() ? print(*tree->root) : tree.status().error().message;
}

inline bool parses(const std::string& text) { return parse_document(text, notation()).ok(); }

// Printing gives the same tree and, again, the same text.
inline void check_fixpoint(const std::string& text) {
  INFO(text);
  Result<Tree> first = parse_document(text, notation());
  REQUIRE(first.status().pointer() == nullptr);
  std::string printed = print(*first->root);
  INFO(printed);
  Result<Tree> second = parse_document(printed, notation());
  REQUIRE(second.ok());
  CHECK(equal(*first->root, *second->root));
  CHECK(print(*second->root) == printed);
}

}  // namespace weir::syntax
