#include "exec/onetbb.h"

#include <dlfcn.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <initializer_list>
#include <string_view>

namespace weir {

namespace {

// The object that the symbol's user was bound to. Null if it isn't libtbb; a wheel may have its own, "libtbb-0a1b2c.so.12".
const void* libtbb_of(const void* function) {
  Dl_info info{};
  if (::dladdr(function, &info) == 0 || info.dli_fname == nullptr) return nullptr;
  std::string_view name = info.dli_fname;
  name.remove_prefix(name.find_last_of('/') + 1);
  return name.starts_with("libtbb") ? info.dli_fbase : nullptr;
}

template <class Function>
const void* address(Function* function) {
  return reinterpret_cast<const void*>(function);
}

bool find_out() {
  using namespace tbb::detail;  // NOLINT(google-build-using-namespace)
  // Those of task_arena and global_control, and those that they and libtbb itself work with.
  using Initialize = void(d1::task_arena_base&);
  using Execute = void(d1::task_arena_base&, d1::delegate_base&);
  using Enqueue = void(d1::task&, d1::task_arena_base*);
  using Spawn = void(d1::task&, d1::task_group_context&);
  const void* const library = libtbb_of(address<Initialize>(r1::initialize));
  if (library == nullptr) return false;
  for (const void* function :
       {address<Initialize>(r1::terminate), address<Execute>(r1::execute), address<Enqueue>(r1::enqueue),
        address<Spawn>(r1::spawn), address(r1::execution_slot), address(r1::global_control_active_value),
        address<void*(d1::small_object_pool*&, size_t)>(r1::allocate),
        address<void(d1::small_object_pool&, void*, size_t, const d1::execution_data&)>(r1::deallocate)}) {
    if (libtbb_of(function) != library) return false;
  }
  return true;
}

}  // namespace

bool onetbb_is_the_shared_one() {
  static const bool found = find_out();
  return found;
}

}  // namespace weir
