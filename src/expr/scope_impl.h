// What a Scope keeps. Private to scope.cc and the compiler.
#pragma once

#include "expr/compile.h"
#include "expr/scope.h"
#include "expr/typed.h"

namespace weir {

// Exactly one of dataset, expression, computed, mistake and value (which then has leaves or an empty structure).
struct Scope::Binding {
  std::string name;
  DatasetRef dataset;
  syntax::NodePtr expression;
  Typed value;
  // Its structure is that of `value`.
  RefPtr<const TerminalRunner> computed = {};
  bool mistake = false;
};

struct Scope::Param {
  std::string name;
  Typed value;
};

}  // namespace weir
