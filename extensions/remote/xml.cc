#include "remote/xml.h"

#include <expat.h>

#include <memory>

namespace weir_remote {
namespace {

constexpr size_t kMostDepth = 32;

struct Builder {
  XML_Parser parser;
  Xml top;
  std::vector<Xml*> open{&top};
};

void XMLCALL begin_element(void* user, const XML_Char* name, const XML_Char** attributes) {
  Builder& builder = *static_cast<Builder*>(user);
  if (builder.open.size() > kMostDepth) {
    XML_StopParser(builder.parser, XML_FALSE);
    return;
  }
  std::string_view local(name);
  local = local.substr(local.rfind(':') + 1);  // npos + 1 is 0
  // The parent's children stay in place while a child is open: only the last one grows.
  builder.open.back()->children.push_back({std::string(local), "", {}, {}});
  builder.open.push_back(&builder.open.back()->children.back());
  for (; *attributes != nullptr; attributes += 2)
    builder.open.back()->attributes.emplace_back(attributes[0], attributes[1]);
}

void XMLCALL end_element(void* user, const XML_Char*) { static_cast<Builder*>(user)->open.pop_back(); }

void XMLCALL add_text(void* user, const XML_Char* text, int size) {
  static_cast<Builder*>(user)->open.back()->text.append(text, static_cast<size_t>(size));
}

void XMLCALL refuse_doctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int) {
  XML_StopParser(static_cast<Builder*>(user)->parser, XML_FALSE);
}

}  // namespace

const Xml& Xml::child(std::string_view wanted) const {
  static const Xml none;
  for (const Xml& one : children) {
    if (one.name == wanted) return one;
  }
  return none;
}

std::string_view Xml::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes) {
    if (key == wanted) return value;
  }
  return {};
}

Xml parse_xml(std::string_view text) {
  Builder builder{};
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreate("UTF-8"), XML_ParserFree);
  if (!parser || text.size() > (64u << 20)) return {};
  builder.parser = parser.get();
  XML_SetUserData(parser.get(), &builder);
  XML_SetElementHandler(parser.get(), begin_element, end_element);
  XML_SetCharacterDataHandler(parser.get(), add_text);
  XML_SetStartDoctypeDeclHandler(parser.get(), refuse_doctype);
  if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1) != XML_STATUS_OK) return {};
  return builder.top.children.empty() ? Xml{} : std::move(builder.top.children.front());
}

}  // namespace weir_remote
