// Builder: a program (or an Env) under construction.
//
// Builders nest as the text does: a lambda's program inside a document's or a pipeline's Env, a branch of
// `if` inside its program, a pipeline's Env inside the program that makes the dataset. import() brings a
// value computed by one builder into another inside it: a branch takes it as an input, an Env captures it, a
// lambda reads it from its Env. A builder refers to the one around it, which must outlive it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "expr/run/program.h"
#include "expr/types/typed.h"

namespace weir {

class Builder {
 public:
  enum class Kind : uint8_t {
    root,     // the document: its Env holds the $params
    program,  // a lambda or an expression over an Env
    branch,   // of an `if`
    capture,  // the Env of a pipeline inside a lambda
  };

  Builder(Kind kind, Builder* outer) : kind_(kind), outer_(outer) {}
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  Kind kind() const { return kind_; }
  // How many Envs lie below the one that this runs under (or is).
  int env_depth() const;

  // The value of a leaf of any enclosing builder, as seen from here. `use`: not only for capture().
  Leaf import(const Leaf& leaf, bool use = true);
  // A pipeline that this is inside of names the leaf: its Env gets it, used or not, since that says which
  // rows make the same dataset (ops/files/pipeline_digest.h).
  void capture(const Leaf& leaf);
  // The register that holds it here.
  // REQUIRES: a program or branch; a literal has been resolved.
  int register_of(const Leaf& leaf);

  // The next component of the input, as a leaf.
  Leaf add_input(const Component& type);
  // The next slot of the root Env.
  Leaf add_param(const Component& type);
  // Appends an instruction with `results.size()` new registers and returns their leaves.
  std::vector<Leaf> emit(Instruction instruction, const std::vector<Component>& results);

  // The results of the instruction that was emitted with that key, or null; an empty key is none.
  const std::vector<Leaf>* find(const std::string& key) const;
  // The same, and remembers the results for find().
  std::vector<Leaf> emit(Instruction instruction, const std::vector<Component>& results,
                         const std::string& key);

  // Registers of the enclosing program that this branch takes, or this Env captures, in order.
  const std::vector<int>& imported() const { return imported_; }
  // Which of those that an Env captures are used.
  const std::vector<bool>& used() const { return used_; }

  // Returns the finished program, without dead code that cannot fail.
  Program finish(const std::vector<Leaf>& results);

 private:
  int add_register(Register reg);
  int env_register(const Component& type, int level, int slot);

  const Kind kind_;
  Builder* const outer_;
  Program program_;
  std::vector<int> imported_;
  std::vector<int> import_registers_;
  std::vector<bool> used_;
  // The results of instructions by their keys.
  std::map<std::string, std::vector<Leaf>> computed_;
  int env_slots_ = 0;
};

}  // namespace weir
