#include "remote/s3_writer.h"

#include <algorithm>

#include "remote/s3_store.h"
#include "remote/text.h"
#include "remote/uploads.h"
#include "remote/xml.h"

namespace weir_remote {
namespace {

class S3Writer : public Writer {
 public:
  S3Writer(std::shared_ptr<S3Store> store, const std::string& name)
      : store_(std::move(store)), name_(name), parts_(split_bucket(name)), uploads_(store_, name) {}
  ~S3Writer() override { abort(); }

  void write(std::string_view data, Call) override {
    while (!data.empty()) {
      size_t room = part_bytes(uploads_.count()) - buffer_.size();
      size_t taken = std::min(room, data.size());
      buffer_.append(data.substr(0, taken));
      data.remove_prefix(taken);
      size_ += taken;
      // The last part is sent by `finish`, so that a file of one part is one PUT.
      if (taken == room && !data.empty()) send_part();
    }
  }

  void finish(bool publish, Call) override {
    if (!publish) {
      abort();
    } else if (upload_.empty()) {
      Request request = store_->request_for("PUT", parts_.bucket, parts_.key);
      request.body = std::make_shared<const std::string>(std::move(buffer_));
      store_->demand(name_, std::move(request), nullptr);
    } else {
      send_part();
      complete(uploads_.finish());
    }
  }

 private:
  void send_part() {
    if (upload_.empty()) begin();
    Request request =
        store_->request_for("PUT", parts_.bucket, parts_.key,
                            {{"partNumber", std::to_string(uploads_.count() + 1)}, {"uploadId", upload_}});
    request.body = std::make_shared<const std::string>(std::move(buffer_));
    buffer_.clear();
    uploads_.start(std::move(request));
  }

  void begin() {
    Request request = store_->request_for("POST", parts_.bucket, parts_.key, {{"uploads", ""}});
    request.body = std::make_shared<const std::string>();
    request.add("Content-Type", "application/octet-stream");
    Answer answer = store_->demand(name_, std::move(request), nullptr);
    upload_ = parse_xml(answer.body).child("UploadId").text;
    if (upload_.empty())
      throw Failure(WEIR_CODE_DATA_LOSS, name_, "the server began an upload without an id");
  }

  void complete(const std::vector<std::string>& tags) {
    std::string text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
    for (size_t i = 0; i < tags.size(); ++i) {
      text +=
          "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" + tags[i] + "</ETag></Part>";
    }
    text += "</CompleteMultipartUpload>";
    Request request = store_->request_for("POST", parts_.bucket, parts_.key, {{"uploadId", upload_}});
    request.body = std::make_shared<const std::string>(std::move(text));
    request.add("Content-Type", "application/xml");
    Answer answer = store_->ask(name_, request, nullptr, true);
    bool is_complete = store_->status_of(request, answer) < 300;
    if (!is_complete && !(answer.status == 404 && was_completed(tags.size())))
      throw store_->failure(name_, request, answer);
    upload_.clear();
  }

  // Whether an earlier attempt completed it, whose answer was lost.
  bool was_completed(size_t parts) {
    Answer answer = store_->ask(name_, store_->request_for("HEAD", parts_.bucket, parts_.key), nullptr);
    std::string end = "-" + std::to_string(parts) + "\"";
    std::string_view tag = answer.header("etag");
    return answer.ok() && tag.size() > end.size() && tag.substr(tag.size() - end.size()) == end &&
           parse_number(answer.header("content-length")) == size_;
  }

  // Leaves nothing behind, as far as the server can be reached.
  void abort() {
    uploads_.settle();
    if (upload_.empty()) return;
    Request request = store_->request_for("DELETE", parts_.bucket, parts_.key, {{"uploadId", upload_}});
    upload_.clear();
    try {
      store_->ask(name_, std::move(request), nullptr);
    } catch (const Failure&) {
      // The bucket's rule for unfinished uploads removes it.
    }
  }

  std::shared_ptr<S3Store> store_;
  std::string name_;
  BucketName parts_;
  Uploads uploads_;
  std::string buffer_;
  std::string upload_;  // its id, while it is under way
  uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<Writer> make_s3_writer(S3Store& store, const std::string& name) {
  return std::make_unique<S3Writer>(std::static_pointer_cast<S3Store>(store.shared_from_this()), name);
}

}  // namespace weir_remote
