// What a checkpoint says, for people and for programs that show it to them: as text, or as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "core/status.h"
#include "fs/file_system.h"

namespace weir {

struct DescribeOptions {
  // Wall-clock time, for the age.
  int64_t now_ns = 0;
  int64_t limit_bytes = 0;
  bool json = true;
};

// Describes a file that holds a checkpoint or a generation. The position is shown operator by operator, from
// the fields of the saved state, up to about a megabyte of them. Fails as reading it does.
Result<std::string> describe_checkpoint(FileSystem& files, const std::string& name,
                                        const DescribeOptions& options);

// Lists a folder's generations of all ranks, then those of each group of ranks in it. Those that can't be
// used are in the list, with what is wrong.
Result<std::string> describe_generations(FileSystem& files, const std::string& folder,
                                         const DescribeOptions& options);

}  // namespace weir
