#include "ops/files/find_index.h"

#include <memory>

#include "core/digest.h"
#include "core/text.h"

namespace weir {

namespace {

// What the index of a file is in if the file's folder can't be written to; empty: nothing.
std::string cached_place(FileSystem& files, const std::string& name) {
  const std::string folder = files.cache_folder();
  if (folder.empty()) return {};
  const auto whole = files.absolute(name);
  if (!whole.ok()) return {};
  return concat(folder, "/", fingerprint_of(*whole).to_string(), kIndexSuffix);
}

// Null if there is none.
Result<RefPtr<RecordIndex>> find_index(FileSystem& files, const std::string& name,
                                       const IndexedFormat& format, const std::string& cached) {
  WEIR_ASSIGN(RefPtr<RecordIndex> beside, RecordIndex::open(files, name, format, index_beside(name)));
  if (beside || cached.empty()) return beside;
  auto kept = RecordIndex::open(files, name, format, cached);
  return kept.ok() ? *std::move(kept) : RefPtr<RecordIndex>();
}

// The right to make the index; null where there can be no lock, and nobody else writes one either.
std::unique_ptr<FileLock> lock_index(FileSystem& files, const std::string& name, const std::string& cached) {
  auto lock = files.lock(concat(index_beside(name), kIndexLockSuffix));
  if (!lock.ok() && !cached.empty() && files.create_folders(files.cache_folder()).ok())
    lock = files.lock(concat(cached, kIndexLockSuffix));
  return lock.ok() ? *std::move(lock) : nullptr;
}

Status save_index(FileSystem& files, const std::string& name, const std::string& cached,
                  const RecordIndex& index) {
  const Status beside = index.save(files, index_beside(name));
  if (beside.ok() || cached.empty()) return beside;
  WEIR_TRY(files.create_folders(files.cache_folder()));
  return index.save(files, cached);
}

}  // namespace

Result<RefPtr<RecordIndex>> index_of(Context& ctx, FileSystem& files, const std::string& name,
                                     const IndexedFormat& format) {
  Runtime& runtime = ctx.runtime();
  const std::string cached = cached_place(files, name);
  WEIR_ASSIGN(RefPtr<RecordIndex> index, find_index(files, name, format, cached));
  if (index) return index;
  // Nothing is locked for a file that isn't there.
  WEIR_TRY(files.open(name).status());
  const std::unique_ptr<FileLock> lock = lock_index(files, name, cached);
  // Who had the lock has made it meanwhile, unless it was stopped.
  if (lock) {
    WEIR_ASSIGN(index, find_index(files, name, format, cached));
    if (index) return index;
  }
  WEIR_ASSIGN(index, RecordIndex::make(files, name, format, &ctx.session.cancelled));
  if (!index->failure().ok()) return index;
  const Status saved = save_index(files, name, cached, *index);
  if (!saved.ok() && runtime.logger && !ctx.session.cancelled) {
    runtime.logger->log(
        Logger::Level::warning,
        concat("the index of ", quote(name), " is made again each time: ", saved.error().describe()));
  }
  return index;
}

bool have_index(Context& ctx, const std::string& name, const IndexedFormat& format) {
  FileSystem& files = ctx.session.files();
  const auto index = find_index(files, name, format, cached_place(files, name));
  return index.ok() && *index;
}

}  // namespace weir
