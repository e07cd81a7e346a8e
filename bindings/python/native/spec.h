// The structure of elements, as Python sees it.
#pragma once

#include "plan.h"

namespace weirpy {

struct Spec {
  OwnedSpec handle;
  Plan plan;

  explicit Spec(OwnedSpec owned) : handle(std::move(owned)), plan(Plan::of(handle.get())) {}
};

}  // namespace weirpy
