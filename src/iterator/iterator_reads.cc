#include "iterator/iterator_reads.h"

#include <utility>

#include "format/disk_blocks.h"
#include "fs/few_open_files.h"
#include "fs/iterator_files.h"
#include "ops/pipeline_options.h"

namespace weir {

namespace {

constexpr size_t kMostOpenFiles = 64;

}  // namespace

IteratorReads iterator_reads(Runtime& runtime, const Dataset& root, bool in_parts) {
  if (runtime.files == nullptr) return {};
  const auto counts = make_ref<ReadCounts>();
  const DiskCacheChoice cache = disk_cache_of(root);
  RefPtr<BlockStore> blocks;
  if (!cache.folder.empty()) blocks = make_ref<DiskBlocks>(runtime, cache.folder, cache.bytes, counts);
  const auto through = make_ref<ReadThrough>(counts, std::move(blocks));
  std::shared_ptr<FileSystem> files = std::make_shared<IteratorFiles>(*runtime.files, through);
  if (in_parts) {
    FileSystem& below = *files;
    files = std::make_shared<FewOpenFiles>(below, kMostOpenFiles, std::move(files));
  }
  return {std::move(files), counts};
}

void cancel_session(Session& session) noexcept {
  session.cancelled.store(true);
  FileSystem* files = session.runtime.files ? &session.files() : nullptr;
  if (auto* few = dynamic_cast<FewOpenFiles*>(files)) files = &few->below();
  if (auto* own = dynamic_cast<IteratorFiles*>(files)) own->give_up();
}

}  // namespace weir
