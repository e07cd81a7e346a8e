#include "expr/compile/builder.h"

#include "expr/compile/finish_program.h"

namespace weir {

Typed typed_of(const Spec& spec) {
  Typed out;
  out.spec = spec;
  for (const Component& component : spec.components()) out.leaves.push_back({.type = component});
  return out;
}

namespace {

std::optional<std::vector<int64_t>> integers_of(const Tensor& value) {
  if (value.dtype != DType::int64 || value.shape.rank() > 1) return std::nullopt;
  auto entries = value.entries<const int64_t>();
  return std::vector<int64_t>(entries.begin(), entries.end());
}

}  // namespace

Typed typed_constant(Tensor value) {
  Typed out = typed_of(Spec::tensor(value.dtype, value.shape));
  out.leaves[0].integers = integers_of(value);
  out.leaves[0].constant = std::make_shared<const Tensor>(std::move(value));
  return out;
}

Typed typed_literal(Literal literal) {
  Typed out = typed_of(Spec::tensor(literal.natural(), literal.shape));
  out.leaves[0].literal = std::make_shared<const Literal>(std::move(literal));
  return out;
}

int Builder::env_depth() const {
  if (kind_ == Kind::root) return 0;
  return outer_->env_depth() + (kind_ == Kind::capture ? 1 : 0);
}

int Builder::add_register(Register reg) {
  program_.registers.push_back(std::move(reg));
  return static_cast<int>(program_.registers.size()) - 1;
}

int Builder::env_register(const Component& type, int level, int slot) {
  for (size_t i = 0; i < program_.registers.size(); ++i) {
    const Register& reg = program_.registers[i];
    if (reg.source == Register::Source::env && reg.level == level && reg.index == slot)
      return static_cast<int>(i);
  }
  return add_register({.type = type, .source = Register::Source::env, .index = slot, .level = level});
}

void Builder::capture(const Leaf& leaf) {
  for (Builder* at = this; at != nullptr && at != leaf.owner; at = at->outer_) {
    if (at->kind_ != Kind::capture) continue;
    at->import(leaf, false);
    return;
  }
}

Leaf Builder::import(const Leaf& leaf, bool use) {
  if (leaf.owner == nullptr || leaf.owner == this) return leaf;
  Leaf out = outer_->import(leaf, use);
  out.owner = this;
  if (kind_ == Kind::program) {
    out.index = env_register(leaf.type, out.level, out.index);
    out.level = 0;
    return out;
  }
  const Register& from = outer_->program_.registers[static_cast<size_t>(out.index)];
  if (from.source == Register::Source::env) {
    // No need to pass it on: it can be read from the Env here, too.
    if (kind_ == Kind::branch) {
      out.index = env_register(leaf.type, from.level, from.index);
    } else {
      out.level = from.level + 1;
      out.index = from.index;
    }
    return out;
  }
  for (size_t i = 0; i < imported_.size(); ++i) {
    if (imported_[i] == out.index) {
      used_[i] = used_[i] || use;
      out.index = kind_ == Kind::branch ? import_registers_[i] : static_cast<int>(i);
      return out;
    }
  }
  imported_.push_back(out.index);
  used_.push_back(use);
  if (kind_ == Kind::branch) {
    out.index = add_input(leaf.type).index;
    import_registers_.push_back(out.index);
  } else {
    out.index = env_slots_++;
  }
  return out;
}

int Builder::register_of(const Leaf& leaf) {
  if (leaf.constant) {
    return add_register(
        {.type = leaf.type, .source = Register::Source::constant, .constant = *leaf.constant});
  }
  if (leaf.dataset) {
    Instruction make{.kind = Instruction::Kind::dataset};
    make.dataset = leaf.dataset;
    make.shared_env_level = env_depth() - leaf.env_depth;
    return emit(std::move(make), {leaf.type})[0].index;
  }
  return import(leaf).index;
}

Leaf Builder::add_input(const Component& type) {
  Leaf leaf{.type = type, .owner = this};
  leaf.index = add_register({.type = type, .source = Register::Source::input, .index = program_.inputs++});
  return leaf;
}

Leaf Builder::add_param(const Component& type) {
  return {.type = type, .owner = this, .index = env_slots_++};
}

std::vector<Leaf> Builder::emit(Instruction instruction, const std::vector<Component>& results) {
  std::vector<Leaf> leaves;
  for (const Component& type : results) {
    Leaf leaf{.type = type, .owner = this};
    leaf.index = add_register({.type = type, .instruction = static_cast<int>(program_.code.size())});
    instruction.results.push_back(leaf.index);
    leaves.push_back(std::move(leaf));
  }
  program_.code.push_back(std::move(instruction));
  return leaves;
}

const std::vector<Leaf>* Builder::find(const std::string& key) const {
  const auto found = computed_.find(key);
  return found == computed_.end() ? nullptr : &found->second;
}

std::vector<Leaf> Builder::emit(Instruction instruction, const std::vector<Component>& results,
                                const std::string& key) {
  std::vector<Leaf> leaves = emit(std::move(instruction), results);
  if (!key.empty()) computed_.emplace(key, leaves);
  return leaves;
}

Program Builder::finish(const std::vector<Leaf>& results) {
  for (const Leaf& leaf : results) {
    const int index = register_of(leaf);
    program_.results.push_back(index);
  }
  finish_program(program_);
  return std::move(program_);
}

}  // namespace weir
