// Dtypes, element specs, features, fields: the grammars of arguments that are not values.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/text.h"
#include "syntax/hints.h"
#include "syntax/literal.h"
#include "syntax/parser_impl.h"

namespace weir::syntax {

namespace {

constexpr std::array<std::string_view, 4> kFeatureKinds = {"varlen", "sequence", "ragged", "sparse"};
constexpr std::array<std::string_view, 5> kFieldKinds = {"list", "optional", "ragged", "member", "json"};

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (int i = static_cast<int>(DType::boolean); i <= static_cast<int>(DType::string); ++i) {
    names.emplace_back(dtype_name(static_cast<DType>(i)));
  }
  return names;
}

std::optional<DType> written_dtype(std::string_view word) {
  std::optional<DType> dtype = dtype_from_name(word);
  // Nested datasets have an internal dtype, without a name in the notation.
  if (dtype == DType::dataset || dtype == DType::invalid) return std::nullopt;
  return dtype;
}

}  // namespace

bool Parser::dtype_name(DType* dtype) {
  if (!cursor_.at(TokenKind::word)) return cursor_.expected("the name of a dtype, such as int64 or float32");
  std::string_view word = cursor_.text();
  std::optional<DType> found = written_dtype(word);
  if (!found) {
    const std::string hint = hint_for(word, dtype_names());
    return cursor_.fail(cursor_.token().span, expected_found("the name of a dtype, such as int64 or float32",
                                                             cursor_.found(), hint));
  }
  *dtype = *found;
  cursor_.advance();
  return true;
}

NodePtr Parser::dtype_argument() {
  size_t begin = cursor_.index();
  Node node{.kind = Kind::dtype};
  return dtype_name(&node.dtype) ? cursor_.finish(std::move(node), begin) : nullptr;
}

NodePtr Parser::value_or_dtype() {
  TokenKind next = cursor_.token(1).kind;
  bool alone = next == TokenKind::comma || next == TokenKind::right_bracket || next == TokenKind::right_paren;
  if (cursor_.at(TokenKind::word) && alone && written_dtype(cursor_.text())) return dtype_argument();
  return at_lambda() ? lambda() : pipeline();
}

NodePtr Parser::columns() {
  if (cursor_.at(TokenKind::left_brace)) return fields();
  if (!cursor_.at(TokenKind::left_bracket)) return pipeline();
  return bracketed(Kind::list, TokenKind::right_bracket, [this](Item&) { return value_or_dtype(); });
}

NodePtr Parser::spec() {
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  if (cursor_.at(TokenKind::left_paren)) return tuple_spec();
  if (cursor_.at(TokenKind::left_brace)) return dict_spec();
  if (!cursor_.at(TokenKind::word)) {
    cursor_.expected("an element spec, such as int64, float32[28, 28] or (string, int64)");
    return nullptr;
  }
  if (cursor_.at_word("sparse")) return angle_spec(Kind::spec_sparse);
  if (cursor_.at_word("ragged")) return angle_spec(Kind::spec_ragged);
  if (cursor_.at_word("optional")) return angle_spec(Kind::spec_optional);
  if (cursor_.at_word("dataset")) return angle_spec(Kind::spec_dataset);
  return tensor_spec();
}

NodePtr Parser::tuple_spec() {
  return bracketed(Kind::spec_tuple, TokenKind::right_paren, [this](Item&) { return spec(); });
}

NodePtr Parser::dict_spec() {
  Names names;
  return bracketed(Kind::spec_dict, TokenKind::right_brace, [&](Item& item) {
    return keyed(item, names, "':' and the spec of this key") ? spec() : nullptr;
  });
}

NodePtr Parser::angle_spec(Kind kind) {
  size_t begin = cursor_.index();
  cursor_.advance();
  if (!cursor_.expect(TokenKind::less, "'<'")) return nullptr;
  Node node{.kind = kind};
  if (kind == Kind::spec_sparse || kind == Kind::spec_ragged) {
    if (!dtype_name(&node.dtype)) return nullptr;
  } else {
    NodePtr inner = spec();
    if (inner == nullptr) return nullptr;
    node.add(std::move(inner));
  }
  if (!cursor_.expect(TokenKind::greater, "'>'")) return nullptr;
  if (kind != Kind::spec_optional && !shape(&node.shape)) return nullptr;
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::tensor_spec() {
  size_t begin = cursor_.index();
  Node node{.kind = Kind::spec_tensor};
  if (!dtype_name(&node.dtype) || !shape(&node.shape)) return nullptr;
  return cursor_.finish(std::move(node), begin);
}

bool Parser::shape(Shape* shape) {
  if (!cursor_.at_touching(TokenKind::left_bracket)) return true;
  cursor_.advance();
  if (cursor_.accept(TokenKind::ellipsis)) {
    *shape = Shape::unknown_rank();
    return cursor_.expect(TokenKind::right_bracket, "']' after '...'");
  }
  std::vector<int64_t> dims;
  bool comma = false;
  bool ok = cursor_.members(TokenKind::right_bracket, false, &comma, [&] {
    const Token& token = cursor_.token();
    if (dims.size() == static_cast<size_t>(kMaxRank)) {
      return cursor_.fail(token.span, concat("expected at most ", kMaxRank, " dimensions"));
    }
    if (cursor_.accept(TokenKind::question)) {
      dims.push_back(kUnknownDim);
      return true;
    }
    if (token.kind != TokenKind::integer)
      return cursor_.expected("a dimension: an integer, '?', or '...' alone");
    std::optional<uint64_t> extent = read_integer(cursor_.text());
    if (!extent || *extent > static_cast<uint64_t>(INT64_MAX)) {
      return cursor_.fail(token.span, "expected a dimension that fits int64");
    }
    dims.push_back(static_cast<int64_t>(*extent));
    cursor_.advance();
    return true;
  });
  if (!ok) return false;
  *shape = Shape(dims);
  return true;
}

NodePtr Parser::features() {
  if (!cursor_.at(TokenKind::left_brace)) {
    cursor_.expected("features, such as {image: string, label: int64}");
    return nullptr;
  }
  Names names;
  return bracketed(Kind::features, TokenKind::right_brace, [&](Item& item) {
    return keyed(item, names, "':' and the feature of this key") ? feature() : nullptr;
  });
}

NodePtr Parser::feature() {
  size_t begin = cursor_.index();
  bool has_arguments = cursor_.token(1).kind == TokenKind::left_paren && cursor_.token(1).touches;
  return with_default(begin, has_arguments ? feature_kind() : tensor_spec());
}

NodePtr Parser::with_default(size_t begin, NodePtr type) {
  if (type == nullptr) return nullptr;
  Node node{.kind = Kind::feature};
  node.add(std::move(type));
  if (cursor_.accept(TokenKind::assign)) {
    NodePtr value = expression();
    if (value == nullptr) return nullptr;
    node.add(std::move(value));
  }
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::feature_kind() {
  size_t begin = cursor_.index();
  Node node{.kind = Kind::feature_kind, .text = std::string(cursor_.text())};
  bool known = false;
  for (std::string_view kind : kFeatureKinds) known = known || kind == node.text;
  if (!cursor_.at(TokenKind::word) || !known) {
    const std::vector<std::string> kinds(std::begin(kFeatureKinds), std::end(kFeatureKinds));
    cursor_.expected("varlen, sequence, ragged or sparse", nearest_hint(node.text, kinds));
    return nullptr;
  }
  cursor_.advance();
  cursor_.advance();
  Names names;
  bool comma = false;
  bool ok =
      cursor_.members(TokenKind::right_paren, true, &comma, [&] { return feature_argument(node, names); });
  return ok ? cursor_.finish(std::move(node), begin) : nullptr;
}

bool Parser::feature_argument(Node& kind, Names& names) {
  Item item;
  if (!argument_name(item, names)) return false;
  if (item.name.empty()) {
    item.value = tensor_spec();
  } else {
    item.value = item.name == "dtype" ? dtype_argument() : expression();
  }
  if (item.value == nullptr) return false;
  kind.items.push_back(std::move(item));
  return true;
}

NodePtr Parser::fields() {
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  if (!cursor_.at(TokenKind::left_brace)) {
    cursor_.expected("fields, such as {text: string, label: int64}");
    return nullptr;
  }
  Names names;
  return bracketed(Kind::features, TokenKind::right_brace, [&](Item& item) -> NodePtr {
    if (!keyed(item, names, "':' and the type of this field")) return nullptr;
    const size_t begin = cursor_.index();
    return with_default(begin, field_type());
  });
}

NodePtr Parser::field_type() {
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  if (cursor_.at(TokenKind::left_brace)) return fields();
  if (cursor_.at(TokenKind::word) && written_dtype(cursor_.text())) return tensor_spec();
  if (cursor_.at(TokenKind::word)) return field_kind();
  cursor_.expected("the type of a field, such as int64, float32[4], json or {name: string}");
  return nullptr;
}

NodePtr Parser::field_kind() {
  const size_t begin = cursor_.index();
  Node node{.kind = Kind::feature_kind, .text = std::string(cursor_.text())};
  if (std::find(kFieldKinds.begin(), kFieldKinds.end(), node.text) == kFieldKinds.end()) {
    std::vector<std::string> known = dtype_names();
    known.insert(known.end(), kFieldKinds.begin(), kFieldKinds.end());
    cursor_.expected("a dtype, json, {…}, list, optional, ragged or member", hint_for(node.text, known));
    return nullptr;
  }
  cursor_.advance();
  if (node.text == "json") return cursor_.finish(std::move(node), begin);
  if (!cursor_.at_touching(TokenKind::left_paren)) {
    cursor_.expected(concat("'(' right after '", node.text, "'"));
    return nullptr;
  }
  cursor_.advance();
  bool comma = false;
  const bool ok = cursor_.members(TokenKind::right_paren, true, &comma, [&] {
    NodePtr argument = node.text == "list" ? fields() : node.text == "member" ? expression() : field_type();
    if (argument == nullptr) return false;
    node.add(std::move(argument));
    return true;
  });
  return ok ? cursor_.finish(std::move(node), begin) : nullptr;
}

}  // namespace weir::syntax
