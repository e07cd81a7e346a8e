// Callback: a function of the host that map, filter, … apply, as this floor sees it.
//
// The host's destroy function runs exactly once, in the destructor, after the last call. The flags say where
// the function may run. All uses of a callback that is not concurrent take its turn.
#pragma once

#include <string>
#include <utility>

#include "core/block.h"
#include "core/runtime.h"
#include "dataset/host_state.h"
#include "exec/host_turn.h"

namespace weir {

struct CallbackFlags {
  // May run on several threads at once.
  bool concurrent = false;
  // Waits, so it must run on the blocking lane.
  bool blocking = false;
  // Takes a block; each row must get the value that it would get alone.
  bool block = false;
  // Equal rows give equal results.
  bool pure = false;
  // Runs only on a thread inside next or try_next of its iterator.
  bool on_caller = false;
};

class Callback : public HostState {
 public:
  explicit Callback(CallbackFlags f, RefPtr<HostTurn> of = make_ref<HostTurn>())
      : flags(f), turn(std::move(of)) {}

  const CallbackFlags flags;
  const RefPtr<HostTurn> turn;

  // The names of its arguments and their structures, if it may be called as NAME(…) like a function of the
  // notation.
  virtual const Spec* signature() const { return nullptr; }
  // What help says of it.
  virtual std::string_view doc() const { return {}; }
  // Returns the structure of its result for elements of structure `input`; an error if it does not take them.
  virtual Result<Spec> result(const Spec& input) const = 0;
  // Fills the columns of `out` for the rows of `in`, a single row unless it takes blocks. `in` has no failed
  // rows; rows that fail are listed in out.errors. A failed Status fails all rows.
  virtual Status call(Session& session, const Block& in, Block& out) const = 0;
  // The callback for one structure of its result, where that depends on the arguments; null if it does not.
  virtual RefPtr<const Callback> with_result(const Spec&) const { return nullptr; }
};

using CallbackRef = RefPtr<const Callback>;

}  // namespace weir
