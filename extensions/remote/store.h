// A kind of store: what its names mean and how it is asked. The functions of weir_file_system, in C++; they
// throw Failure.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "remote/call.h"
#include "remote/engine.h"
#include "remote/http.h"

namespace weir_remote {

class RemoteFile;

// A file that is written. Ends without `publish` when it is destroyed.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual void write(std::string_view data, Call call) = 0;
  // With `publish` the file is there afterwards, else nothing is left of it.
  virtual void finish(bool publish, Call call) = 0;
};

class Store : public Service, public std::enable_shared_from_this<Store> {
 public:
  explicit Store(Engine& engine) : engine_(&engine) {}

  // Throws `not_found` if no file has this name; stores with folders look for one then.
  virtual FileInfo stat(const std::string& name, Call call);
  virtual void list(const std::string& folder, const std::string& prefix, Call call);
  std::unique_ptr<RemoteFile> open(const std::string& name, Call call);
  virtual std::unique_ptr<Writer> create(const std::string& name, Call call);
  virtual void remove(const std::string& name, Call call);

  // Asks and waits, and returns an answer of any status.
  Answer ask(const std::string& name, Request request, std::function<bool()> cancelled, bool patient = false);
  // The same; an answer that isn't one of success is thrown.
  Answer demand(const std::string& name, Request request, std::function<bool()> cancelled,
                bool patient = false);

  Engine& engine() { return *engine_; }
  // Which of the stores this is whose names are the same; empty if names tell.
  const std::string& place() const { return place_; }

 protected:
  // What gets the contents of the file. May wait.
  virtual Request object_request(const std::string& name) = 0;
  // Changes `get`, which got `answer`, so that it gets no other version.
  virtual void pin(Request& get, const Answer& answer) const;
  // What is known of a file from an answer about it, without its size: by `stat` and by `open` the same, or
  // nothing by one of them.
  virtual FileInfo info_of(const Answer& answer) const;

  std::string place_;  // set by the constructor

 private:
  friend class RemoteFile;
  // What HEAD says of the size where the end of `answer`, a whole file, is that of its connection; 0 if
  // nothing.
  uint64_t size_of_head(const std::string& name, Request get, const Answer& answer, Call call);
  // By HEAD, or by its first byte. Throws if there is none.
  FileInfo ask_size(const std::string& name, const Request& get, Call call);

  // Outlives the store, which a loop may be the last to hold.
  Engine* engine_;
};

// Splits "s3://bucket/a/b" into "bucket" and "a/b". Throws if there is no bucket; the key may be empty.
struct BucketName {
  std::string bucket;
  std::string key;
};
BucketName split_bucket(const std::string& name);

// The last part of a key that begins with `folder`, without a slash at its end; empty if there is none.
std::string_view entry_name(std::string_view key, std::string_view folder);

// Sets `page`, the token or URL of the page that came last, to that of the next one. Throws if there is none,
// or if it is one of those before, which are in `turned`: a listing that ends early would look whole.
void turn_page(const std::string& folder, std::set<std::string>& turned, std::string& page,
               const std::string& next);

// A version is pinned by a strong ETag; a weak one says that the bytes may differ.
bool is_strong_tag(std::string_view tag);

}  // namespace weir_remote
