#include "expr/compile/scope.h"

#include <algorithm>

#include "core/text.h"
#include "expr/compile/builder.h"

namespace weir {

namespace {

std::string known_bytes(const Tensor& tensor) {
  std::string out = concat(dtype_name(tensor.dtype), tensor.shape.to_string(), " ");
  if (tensor.dtype == DType::string) {
    for (const Str& text : tensor.entries<const Str>()) out += concat(text.size, ":", text.view());
  } else if (tensor.dtype != DType::dataset) {
    out.append(reinterpret_cast<const char*>(tensor.data), tensor.byte_size());
  }
  return out;
}

}  // namespace

Scope::Scope() : root_builder_(std::make_unique<Builder>(Builder::Kind::root, nullptr)) {
  builder_ = root_builder_.get();
}

Scope::Scope(const Scope& outer, Builder& builder) : outer_(&outer), builder_(&builder) {}

Scope::Scope(const Scope& inner, const Let& let)
    : outer_(let.scope), outer_limit_(let.index), builder_(inner.builder_) {}

Scope::~Scope() = default;

void Scope::declare_param(std::string name, const Spec& spec) {
  Typed value = typed_of(spec);
  for (Leaf& leaf : value.leaves) leaf = builder_->add_param(leaf.type);
  params_.push_back({std::move(name), std::move(value)});
}

void Scope::bind_dataset(std::string name, DatasetRef dataset) {
  bindings_.push_back({std::move(name), std::move(dataset), nullptr, {}});
}

void Scope::bind_expression(std::string name, syntax::NodePtr value) {
  bindings_.push_back({std::move(name), nullptr, std::move(value), {}});
}

void Scope::bind_computed(std::string name, RefPtr<const TerminalRunner> value, const Spec& spec) {
  bindings_.push_back({std::move(name), nullptr, nullptr, typed_of(spec), std::move(value)});
}

void Scope::bind_mistake(std::string name) {
  bindings_.push_back(
      {.name = std::move(name), .dataset = {}, .expression = {}, .value = {}, .mistake = true});
}

void Scope::bind_value(std::string name, Typed value) {
  bindings_.push_back({std::move(name), nullptr, nullptr, std::move(value)});
}

Scope::Bound Scope::look_up(std::string_view name) const {
  size_t limit = SIZE_MAX;
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    for (size_t i = std::min(limit, scope->bindings_.size()); i-- > 0;) {
      if (scope->bindings_[i].name == name) return {scope, i};
    }
    limit = scope->outer_limit_;
  }
  return {};
}

const Scope& Scope::root() const {
  const Scope* scope = this;
  while (scope->outer_ != nullptr) scope = scope->outer_;
  return *scope;
}

Scope::Let Scope::find_let(std::string_view name) const {
  const Bound bound = look_up(name);
  if (bound.scope == nullptr) return {};
  return {bound.scope->bindings_[bound.index].expression, bound.scope, bound.index};
}

Scope::Found Scope::find(std::string_view name) const {
  const Bound bound = look_up(name);
  if (bound.scope == nullptr) return {};
  const Binding& binding = bound.scope->bindings_[bound.index];
  if (binding.mistake) return {.kind = Found::Kind::mistake, .dataset = nullptr};
  if (!binding.dataset) return {.kind = Found::Kind::value, .dataset = nullptr};
  return {.kind = Found::Kind::dataset,
          .dataset = binding.dataset,
          .env_levels = env_depth() - bound.scope->env_depth()};
}

Scope::Known Scope::known_value(std::string_view name) const {
  Known out;
  const Bound bound = look_up(name);
  if (bound.scope == nullptr) return out;
  for (const Leaf& leaf : bound.scope->bindings_[bound.index].value.leaves) {
    if (leaf.dataset) out.datasets.push_back(leaf.dataset);
    if (leaf.literal) {
      out.bytes += leaf.literal->shape.to_string();
      for (const Literal::Number& number : leaf.literal->numbers)
        out.bytes +=
            concat(number.negative ? " -" : " ", number.floating ? number.text : concat(number.integer));
    }
    if (leaf.constant) out.bytes += known_bytes(*leaf.constant);
  }
  return out;
}

int Scope::env_depth() const { return builder_->env_depth(); }

std::vector<std::string> Scope::names() const {
  std::vector<std::string> out;
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    for (const Binding& binding : scope->bindings_) out.push_back(binding.name);
  }
  return out;
}

}  // namespace weir
