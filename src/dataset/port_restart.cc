// Port, where a dataset is opened again for the next row.
#include "dataset/port.h"

namespace weir {

void Port::restart(Opening& opening, const DatasetRef& node, const EnvRef& env, Mode mode, Opens opens) {
  if (node == instance_.node) {
    instance_.env = env;
    instance_.key = opening.key;
  } else {
    instance_ = Instance(node, env, opening.key, opening.path);
  }
  mode_ = mode;
  passes_afterwards_ = false;
  by_value_ =
      mode == Mode::keep && opening.ctx.session.holds_rows() && !this->node().not_replayable().empty();
  cut_error_ = nullptr;
  last_pull_ = 0;
  met_cut_ = false;
  anchor_gap_ = 1;
  anchored_at_ns_ = 0;
  restore_anchor_ = nullptr;
  settled_.reset();
  lost_memory_ = false;
  start_over();
  if (opens == Opens::now) {
    open(opening.ctx);
  } else {
    stage_.reset();
  }
}

}  // namespace weir
