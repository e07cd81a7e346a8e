// What servers answer in XML, as a tree, by expat.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir_remote {

struct Xml {
  std::string name;  // without its namespace
  std::string text;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Xml> children;

  // The first child of that name; an empty one if there is none.
  const Xml& child(std::string_view wanted) const;
  // Empty if there is none.
  std::string_view attribute(std::string_view wanted) const;
};

// The root, whose name is empty if `text` isn't XML. Documents deeper than 32 or with a DTD count as none.
Xml parse_xml(std::string_view text);

}  // namespace weir_remote
