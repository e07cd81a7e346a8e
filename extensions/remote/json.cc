#include "remote/json.h"

#include <nlohmann/json.hpp>

namespace weir_remote {

using nlohmann::json;

struct Json::Tree {
  json root;
};

Json Json::parse(std::string_view text) {
  Json result;
  auto tree = std::make_shared<Tree>();
  tree->root = json::parse(text, nullptr, false);
  if (!tree->root.is_discarded()) {
    result.node_ = &tree->root;
    result.tree_ = std::move(tree);
  }
  return result;
}

bool Json::is_object() const { return node_ != nullptr && static_cast<const json*>(node_)->is_object(); }

bool Json::is_array() const { return node_ != nullptr && static_cast<const json*>(node_)->is_array(); }

Json Json::at(std::string_view name) const {
  Json result;
  if (is_object()) {
    const json& object = *static_cast<const json*>(node_);
    auto found = object.find(std::string(name));
    if (found != object.end()) {
      result.tree_ = tree_;
      result.node_ = &*found;
    }
  }
  return result;
}

std::vector<Json> Json::items() const {
  std::vector<Json> result;
  if (!is_array()) return result;
  for (const json& one : *static_cast<const json*>(node_)) {
    Json item;
    item.tree_ = tree_;
    item.node_ = &one;
    result.push_back(std::move(item));
  }
  return result;
}

std::vector<std::string> Json::strings() const {
  std::vector<std::string> result;
  for (const Json& item : items()) {
    const json& value = *static_cast<const json*>(item.node_);
    if (value.is_string()) result.push_back(value.get<std::string>());
  }
  return result;
}

std::string Json::text(std::string_view name) const {
  Json member = at(name);
  if (member.node_ == nullptr) return "";
  const json& value = *static_cast<const json*>(member.node_);
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() || value.is_boolean() ? value.dump() : "";
}

std::string json_string(std::string_view text) {
  return json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace weir_remote
