// MemberNodes: the members of a tuple or dict of datasets as expressions, with its spreads taken apart, so
// that each member is bound where it is written. Refers to the scope and to the nodes; lives for one
// argument.
#pragma once

#include <list>
#include <string>
#include <vector>

#include "expr/compile/compile.h"

namespace weir {

inline bool is_written_structure(const syntax::Node& node) {
  return node.kind == syntax::Kind::tuple || node.kind == syntax::Kind::dict;
}

class MemberNodes {
 public:
  struct Member {
    std::string key;
    syntax::NodePtr node;
    const Scope* scope = nullptr;
  };

  // `path` is the call site, as for compile_expression().
  MemberNodes(const CompileContext& context, std::string path) : context_(context), path_(std::move(path)) {}

  // Adds the members of a written tuple or dict. Of two values of one key, the later takes the place of the
  // earlier.
  // REQUIRES: is_written_structure(node)
  Status add(const syntax::Node& node, const Scope& scope);
  // Adds the members of a value of that structure, as `node.key` and `node.0`.
  void add_value(const syntax::Node& node, const Spec& spec, const Scope& scope);

  const std::vector<Member>& list() const { return list_; }
  // A tuple or dict without members yet.
  const Spec& empty_spec() const { return empty_spec_; }

 private:
  Status spread(const syntax::Node& value, const Scope& scope);
  void set(std::string key, syntax::NodePtr node, const Scope& scope);

  const CompileContext& context_;
  const std::string path_;
  std::vector<Member> list_;
  Spec empty_spec_ = Spec::tuple({});
  // Those in which the values of a `let` are read.
  std::list<Scope> scopes_;
};

}  // namespace weir
