// The manifest of a folder of written elements: what they are, which pipeline they came from, and the files
// that hold them. docs/written-format.md describes the format.
//
// A folder without a valid manifest holds no elements, whatever else lies in it. The manifest is written
// last, by one rename. Errors: not_found if there is none, data_loss if it is damaged, failed_precondition
// for another version.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"
#include "core/status.h"
#include "format/codec.h"
#include "fs/file_system.h"

namespace weir {

inline constexpr std::string_view kManifestName = "manifest";
inline constexpr std::string_view kWriterLockName = "lock";
inline constexpr std::string_view kShardSuffix = ".shard";
// The most shards of one folder.
inline constexpr int64_t kMaxWrittenShards = 1000;

struct WrittenShard {
  uint64_t bytes = 0;
  int64_t rows = 0;
  int64_t chunks = 0;
  // Of its index, which is at its end.
  uint32_t index_crc = 0;
};

struct WrittenManifest {
  // Unique for each time that elements were written: 32 hexadecimal digits, part of the names of its files.
  std::string run;
  // As Spec::to_string() gives it.
  std::string spec;
  // Of chunks; not automatic.
  Compression compression = Compression::none;
  int64_t rows = 0;
  GraphDigest pipeline;
  std::vector<WrittenShard> shards;

  std::string shard_name(const std::string& folder, size_t shard) const;

  std::string bytes() const;
  // `file` is named in errors.
  static Result<WrittenManifest> parse(std::string_view bytes, const std::string& file);
};

std::string manifest_name(const std::string& folder);
// `folder` without slashes at its end.
std::string trimmed_folder(std::string_view folder);
Result<WrittenManifest> read_manifest(FileSystem& files, const std::string& folder);

}  // namespace weir
