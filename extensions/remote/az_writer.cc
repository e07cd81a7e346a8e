#include "remote/az_writer.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include "remote/az_store.h"
#include "remote/crypto.h"
#include "remote/uploads.h"

namespace weir_remote {
namespace {

class AzWriter : public Writer {
 public:
  AzWriter(std::shared_ptr<AzStore> store, const std::string& name)
      : store_(std::move(store)), name_(name), parts_(split_bucket(name)), uploads_(store_, name) {
    // Two writers of one name must not have blocks of the same names.
    std::random_device random;
    std::snprintf(nonce_, sizeof(nonce_), "%08x%08x", random(), random());
  }

  void write(std::string_view data, Call) override {
    while (!data.empty()) {
      size_t room = part_bytes(uploads_.count()) - buffer_.size();
      size_t taken = std::min(room, data.size());
      buffer_.append(data.substr(0, taken));
      data.remove_prefix(taken);
      if (taken == room && !data.empty()) send_block();
    }
  }

  void finish(bool publish, Call) override {
    if (!publish) {
      uploads_.settle();
      return;
    }
    Request request;
    if (uploads_.count() == 0) {
      request = store_->request_for("PUT", parts_);
      request.add("x-ms-blob-type", "BlockBlob");
      request.add("Content-Type", "application/octet-stream");
      request.body = std::make_shared<const std::string>(std::move(buffer_));
    } else {
      send_block();
      uploads_.finish();
      std::string list = "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>";
      for (size_t i = 0; i < uploads_.count(); ++i) list += "<Latest>" + block_id(i) + "</Latest>";
      request = store_->request_for("PUT", parts_, {{"comp", "blocklist"}});
      request.add("Content-Type", "application/xml");
      request.body = std::make_shared<const std::string>(list + "</BlockList>");
    }
    store_->demand(name_, std::move(request), nullptr);
  }

 private:
  std::string block_id(size_t index) const {
    char text[40];
    std::snprintf(text, sizeof(text), "%s%06zu", nonce_, index);
    return base64(text);
  }

  void send_block() {
    Request request =
        store_->request_for("PUT", parts_, {{"comp", "block"}, {"blockid", block_id(uploads_.count())}});
    request.body = std::make_shared<const std::string>(std::move(buffer_));
    buffer_.clear();
    uploads_.start(std::move(request));
  }

  std::shared_ptr<AzStore> store_;
  std::string name_;
  BucketName parts_;
  Uploads uploads_;
  std::string buffer_;
  char nonce_[20];
};

}  // namespace

std::unique_ptr<Writer> make_az_writer(AzStore& store, const std::string& name) {
  return std::make_unique<AzWriter>(std::static_pointer_cast<AzStore>(store.shared_from_this()), name);
}

}  // namespace weir_remote
