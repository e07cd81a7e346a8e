// Which process this is, as the launcher of a distributed job tells it.
#pragma once

#include <functional>

#include "core/world.h"

namespace weir {

// Reads rank and size as launchers give them to a process. The first of these whose rank is set counts:
// - RANK and WORLD_SIZE (torchrun and others),
// - OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE (Open MPI),
// - PMI_RANK and PMI_SIZE (MPICH),
// - SLURM_PROCID and SLURM_STEP_NUM_TASKS (srun; a batch script has the former, too, and SLURM_NTASKS),
// - JOB_COMPLETION_INDEX (an indexed job of Kubernetes), with WORLD_SIZE, since Kubernetes sets no variable
// for it. If none is set, this is the one process there is, unless a size of more than 1 is. `variable`
// returns the value of a variable, or null.
World world_of(const std::function<const char*(const char*)>& variable);

}  // namespace weir
