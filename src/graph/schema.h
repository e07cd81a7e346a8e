// The schema: every operator and function as data, from their definitions. Help, weir_schema, the docs and
// bindings are made from it.
//
//   for (const SchemaEntry& entry : require(schema("take"))) std::cout << schema_page(entry);
//
// Unknown names give not_found with the nearest name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace weir {

class Callback;  // expr/types/callback.h

struct SchemaParameter {
  std::string name;
  // Of an operator: int, float, bool, string, seed, dtype, spec, fields, value, function, dataset, datasets
  // or files. Of a function: tensor, list, value, constant, dtype, seed, features or fields.
  std::string type;
  // Of a function's tensors: a dtype's name, or a word shared by parameters of one dtype. "" for any.
  std::string dtype;
  // Of a function-valued parameter: what it is called with, and what it must return.
  std::string takes;
  std::string gives;
  // The value if it is left out, as the notation writes it. If absent, the parameter is required.
  std::optional<std::string> fallback;
  std::optional<int64_t> minimum;
  std::optional<int64_t> maximum;
  // A number outside them that is allowed, too.
  std::optional<int64_t> also;
  // `auto` and `none` are allowed.
  bool automatic = false;
  bool none = false;
  // tf.data's names for it.
  std::vector<std::string> aliases;
  std::string doc;
};

struct SchemaEntry {
  std::string name;
  // source, transformation, terminal, function, or operator (a function that is written a + b).
  std::string kind;
  // How it is written, shortest form first.
  std::vector<std::string> signatures;
  std::vector<SchemaParameter> parameters;
  std::string doc;
  // Of a function: the dtype and shape of its result.
  std::string result;
  std::string cost;
  // Of an operator: its elements can be read by position, and on which condition; "" if always.
  bool by_position = false;
  std::string by_position_if;
  // A document, and the lines that it prints.
  std::string example;
  std::string output;
};

// All entries: sources, transformations, terminals, functions; each kind by name.
std::vector<SchemaEntry> schema();
// The entries of one name; a dtype's name means `cast`. not_found says which name is near, or that it is
// planned.
Result<std::vector<SchemaEntry>> schema(std::string_view name);

// That of a function or source of the host with a signature.
SchemaEntry schema_of(const std::string& name, const Callback& callback);

// {"version": …, "operators": […], "functions": […]}, as weir.h describes it.
std::string schema_json(const std::vector<SchemaEntry>& entries);
// One line per entry, under a heading per kind.
std::string schema_list(const std::vector<SchemaEntry>& entries);
// Everything about one entry, for a terminal.
std::string schema_page(const SchemaEntry& entry);

}  // namespace weir
