// WrittenWriter: writes elements to a folder, so that readers find either all of them or none.
//
// Everything lies in files that no reader looks at until publish() renames the manifest into its place, which
// is the last step. Destroyed before that, the writer removes what it wrote; killed before that, it leaves
// files that the next writer removes. It holds the folder's lock meanwhile. One thread at a time; the file
// system outlives it. Blocks on files. Errors are those of the file system; after one, only the destructor
// may be called.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/written_chunk.h"
#include "format/written_manifest.h"

namespace weir {

class WrittenWriter {
 public:
  // Begins to write what `manifest` says: its structure, pipeline, compression, run and number of shards,
  // whose sizes are ignored. Creates the folder if it is missing. Null if another writer has it.
  // REQUIRES: no component is a nested dataset
  static Result<std::unique_ptr<WrittenWriter>> begin(FileSystem& files, std::string folder,
                                                      WrittenManifest manifest,
                                                      std::vector<Component> components);
  ~WrittenWriter();
  WrittenWriter(const WrittenWriter&) = delete;
  WrittenWriter& operator=(const WrittenWriter&) = delete;

  // Adds the elements of a block; failed rows are left out.
  Status add(const Block& block);
  // Replaces what the folder held before. Calls fsync for each shard, and three times more.
  Status publish();

  const WrittenManifest& manifest() const { return manifest_; }

 private:
  struct Shard {
    std::string name;
    std::unique_ptr<WritableFile> file;
    uint64_t offset = 0;
    std::string index;
  };

  WrittenWriter(FileSystem& files, std::string folder, WrittenManifest manifest,
                std::vector<Component> components)
      : files_(files),
        folder_(std::move(folder)),
        manifest_(std::move(manifest)),
        builder_(std::move(components)) {}
  Result<bool> lock();
  Status create_shards();
  Status append(Shard& shard, std::span<const uint8_t> bytes);
  Status finish_chunk();
  Status finish_shard(size_t number);
  void remove_others() noexcept;
  void try_to_remove_others();
  bool may_be_published();

  FileSystem& files_;
  const std::string folder_;
  WrittenManifest manifest_;
  ChunkBuilder builder_;
  // Null if chunks are not compressed.
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<FileLock> lock_;
  bool made_folder_ = false;
  // The manifest may be in its place.
  bool publishing_ = false;
  bool published_ = false;
  std::vector<Shard> shards_;
  int64_t chunks_ = 0;
  std::vector<uint8_t> payload_;
  std::vector<uint8_t> stored_;
};

// 32 hexadecimal digits.
std::string run_name(uint64_t high, uint64_t low);

}  // namespace weir
