// Extensions: the shared libraries that a runtime has loaded, and those that it can find by what they
// provide.
//
// A library is opened once in the process and never closed; its load function is called once for each
// runtime. A thread that asks for an extension that another one is loading waits for it. May be used on any
// thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capi/barrier.h"
#include "core/sync.h"

namespace weir::capi {

// The folders that a runtime looks in: those of its options, those of the environment, and the library's own.
// invalid_argument if one of the options is not absolute; others are left out.
Result<std::vector<std::string>> extension_folders(std::string_view options, const char* environment);

class Extensions {
 public:
  enum class Provides : uint8_t { scheme, table, name };

  // Makes another handle of the runtime.
  using MakeHandle = std::function<weir_runtime()>;
  // Takes the error of an index that can't be read and is left out, each once.
  using TakeDamaged = std::function<void(const Status&)>;

  Extensions(std::vector<std::string> folders, MakeHandle runtime, TakeDamaged damaged)
      : folders_(std::move(folders)), runtime_(std::move(runtime)), damaged_(std::move(damaged)) {}

  // Loads an extension from a file with an absolute name, unless it is there. Gives the first failure of its
  // load function again.
  Status load(const std::string& file);
  // Loads the extension that provides it. Returns its library, or "" if there is none. For a scheme or table,
  // the error of an index that can't be read instead, which may list it.
  Result<std::string> provide(Provides what, const std::string& name);
  // The names of functions and sources that extensions provide.
  Result<std::vector<std::string>> names();
  const std::vector<std::string>& folders() const { return folders_; }

 private:
  struct Loading;
  struct Index {
    std::map<std::string, std::string> libraries;  // by "s3://", "parquet table" or a name
    std::vector<Status> damaged;
  };

  Result<std::shared_ptr<const Index>> index();

  Status load_now(const std::string& file, bool& called) const;

  const std::vector<std::string> folders_;
  const MakeHandle runtime_;
  const TakeDamaged damaged_;
  Mutex mutex_;
  std::shared_ptr<const Index> index_;
  std::map<std::string, std::shared_ptr<Loading>> loaded_;
};

}  // namespace weir::capi
