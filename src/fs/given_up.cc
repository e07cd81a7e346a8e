#include "fs/given_up.h"

#include <utility>

namespace weir {

namespace {

constinit thread_local const GivenUp* innermost = nullptr;

}  // namespace

GivenUp::Scope::Scope(const GivenUp& reads) noexcept : outer_(std::exchange(innermost, &reads)) {}
GivenUp::Scope::~Scope() { innermost = outer_; }

RefPtr<const GivenUp> GivenUp::current() noexcept { return RefPtr<const GivenUp>(innermost); }

}  // namespace weir
