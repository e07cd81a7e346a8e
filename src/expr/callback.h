// Callback: a function of the host's that map, filter, … apply, as this floor sees it.
// Ownership: the host's destroy function runs exactly once, in the destructor, after the last call.
// Threads: flags say where it may run; a Function over a callback that is not concurrent serialises its
// calls. Errors: a failed Status is the error of that row, or of every row of a block. Cost: what the host's
// function costs.
#pragma once

#include <string>

#include "core/block.h"
#include "core/runtime.h"

namespace weir {

struct CallbackFlags {
  // May run on several threads at once.
  bool concurrent = false;
  // Waits, so that it runs on the blocking lane.
  bool blocking = false;
  // Takes a block; each row must get the value that it would get alone.
  bool block = false;
  // Equal rows give equal results.
  bool pure = false;
  // Runs only on a thread inside next or try_next of its iterator.
  bool on_caller = false;
};

class Callback : public RefCounted {
 public:
  explicit Callback(CallbackFlags f) : flags(f) {}

  const CallbackFlags flags;

  // The structure that it yields for elements of structure `input`; an error if it does not take them.
  virtual Result<Spec> result(const Spec& input) const = 0;
  // Fills the columns of `out` for the rows of `in`: one row unless it takes blocks. `in` has no failed rows;
  // rows that fail are listed in out.errors, a failed Status fails them all.
  virtual Status call(Session& session, const Block& in, Block& out) const = 0;
};

using CallbackRef = RefPtr<const Callback>;

}  // namespace weir
