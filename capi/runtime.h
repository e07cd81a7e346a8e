// RuntimeHost: a Runtime made of the real back ends, shared by its handle and everything made with it:
// iterators, their pumps, and elements with nested datasets. May be used on any thread. Creating one starts
// threads, which takes at most a few milliseconds.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "capi/barrier.h"
#include "capi/extensions.h"
#include "capi/logging.h"
#include "capi/top_page.h"
#include "core/runtime.h"
#include "core/sync.h"
#include "core/trace.h"
#include "exec/executor.h"
#include "format/tables/table_format.h"
#include "fs/block_cache.h"
#include "fs/routed_files.h"
#include "graph/document.h"
#include "graph/name_finder.h"

namespace weir::capi {

// The host's allocator, as the pool calls it; destroyed after the pool and its buffers.
class HostAllocator;

class RuntimeHost final : public RefCounted, private NameFinder {
 public:
  // REQUIRES: options were checked
  static RefPtr<RuntimeHost> create(const weir_runtime_options& options, RefPtr<HostAllocator> allocator,
                                    std::unique_ptr<Logger> logger, const std::string& trace_file,
                                    std::vector<std::string> extension_folders);
  ~RuntimeHost() override;

  Runtime& runtime() { return runtime_; }
  Extensions& extensions() { return extensions_; }
  // Null unless somebody asked for it.
  TopPage* top() { return top_.get(); }
  // Returns already_exists if the name is taken.
  Status add_callback(const std::string& name, RefPtr<const Callback> callback);
  // Returns already_exists if one of the schemes is taken.
  Status add_file_system(const std::vector<std::string>& schemes, RefPtr<RemoteStore> store);
  // Returns already_exists if the name is taken.
  Status add_table_format(const std::string& name, RefPtr<const TableFormat> format);
  // Returns all registered callbacks by name.
  Handed callbacks() const;

  // Returns the iterator that has the name, or gives the name to `iterator` and returns that, with one more
  // owner in either case. resource_exhausted if it cannot have another owner.
  Result<uint64_t> share_iterator(const std::string& name, uint64_t iterator);
  // Frees the names of an iterator that is gone.
  void forget_iterator(uint64_t iterator);

 private:
  explicit RuntimeHost(std::vector<std::string> extension_folders);
  // Loads the extension that serves a scheme. Its status is the error if the scheme is still unknown then.
  Status find_scheme(const std::string& scheme);
  Result<std::optional<HandedThing>> find(const std::string& name) override;
  Result<RefPtr<const TableFormat>> table_format(const std::string& name) override;
  Status not_installed(std::string_view what, std::string_view extension) const;
  void write_trace() noexcept;

  Runtime runtime_;
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<RandomSource> random_;
  std::unique_ptr<Logger> logger_;
  RefPtr<HostAllocator> allocator_;
  std::unique_ptr<BufferPool> pool_;
  std::unique_ptr<TraceLog> trace_;
  std::string trace_file_;
  const RefPtr<BlockCache> blocks_ = make_ref<BlockCache>();
  RoutedFiles files_;
  Extensions extensions_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<TopPage> top_;

  mutable Mutex mutex_;
  Handed callbacks_;
  std::map<std::string, RefPtr<const TableFormat>> table_formats_;
  std::map<std::string, uint64_t> shared_iterators_;
};

struct RuntimeObject final : Object {
  static constexpr HandleKind kKind = HandleKind::runtime;
  explicit RuntimeObject(RefPtr<RuntimeHost> h) : host(std::move(h)) {}
  const RefPtr<RuntimeHost> host;
};

// Returns the runtime behind a handle; the reference keeps it alive.
Result<RefPtr<RuntimeHost>> runtime_of(weir_runtime runtime);

}  // namespace weir::capi
