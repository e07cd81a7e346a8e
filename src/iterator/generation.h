// Generation: one file of a checkpoint folder (checkpoint_folder.h), with a position and the caller's bytes.
//
// The file's name has rank and number, and so has its content: a file that was renamed or copied to another
// name is recognised. An envelope (graph/envelope.h) finds any damage. Any thread. Errors also those of the
// file system.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "fs/file_system.h"

namespace weir {

struct GenerationName {
  uint32_t rank = 0;
  // From 1.
  int64_t number = 0;

  // "r00003-000000000012.ckpt" for rank 3, number 12.
  std::string to_string() const;
  // Nothing unless to_string() gives this name.
  static std::optional<GenerationName> parse(std::string_view file);
  auto operator<=>(const GenerationName&) const = default;
};

struct Generation {
  // Number 0 for a checkpoint by itself.
  GenerationName name;
  // What Iterator::save() gave.
  std::string position;
  // The bytes that the caller stored with it.
  std::string extra;
};

// The name of a file in a folder.
std::string path_in(std::string_view folder, std::string_view file);

// The names of all ranks' files, by rank and number. Whether they hold generations isn't checked.
Result<std::vector<GenerationName>> list_generations(FileSystem& files, const std::string& folder);

// Publishes the file whole or not at all. resource_exhausted if it would exceed `limit_bytes`. Calls fsync
// twice.
Status write_generation(FileSystem& files, const std::string& folder, const GenerationName& name,
                        std::string_view position, std::string_view extra, int64_t limit_bytes);

// data_loss for damage, failed_precondition for another format version, resource_exhausted above
// `limit_bytes`.
Result<Generation> read_generation(RandomAccessFile& file, int64_t limit_bytes);

// data_loss if the generation, which stood in the file `name`, was saved under another name.
Status check_name(const Generation& generation, const GenerationName& name);

// Reads a file that is a generation or a checkpoint by itself. Fails as reading either does.
Result<Generation> read_generation_or_checkpoint(RandomAccessFile& file, int64_t limit_bytes);

}  // namespace weir
