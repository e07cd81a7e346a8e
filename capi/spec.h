// SpecObject: a Spec behind a handle; children are shared parts of one tree. Immutable.
#pragma once

#include <memory>

#include "capi/barrier.h"
#include "core/spec.h"

namespace weir::capi {

using SpecRef = std::shared_ptr<const Spec>;

struct SpecObject final : Object {
  static constexpr HandleKind kKind = HandleKind::spec;
  explicit SpecObject(SpecRef s) : spec(std::move(s)), components(spec->components()) {}
  const SpecRef spec;
  const std::vector<Component> components;
};

weir_spec publish_spec(SpecRef spec);
Result<SpecRef> spec_of(weir_spec spec);

}  // namespace weir::capi
