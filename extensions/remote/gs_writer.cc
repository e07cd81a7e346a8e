#include "remote/gs_writer.h"

#include "remote/gs_store.h"
#include "remote/text.h"

namespace weir_remote {
namespace {

// A multiple of 256 KiB, as the protocol wants it.
constexpr size_t kChunkBytes = 8 << 20;
constexpr int kMostTries = 6;

class GsWriter : public Writer {
 public:
  GsWriter(std::shared_ptr<GsStore> store, const std::string& name)
      : store_(std::move(store)), name_(name), parts_(split_bucket(name)) {}
  ~GsWriter() override { abort(); }

  void write(std::string_view data, Call) override {
    while (!data.empty()) {
      size_t taken = std::min(kChunkBytes - buffer_.size(), data.size());
      buffer_.append(data.substr(0, taken));
      data.remove_prefix(taken);
      // The last chunk is sent by `finish`, which says how long the file is.
      if (buffer_.size() == kChunkBytes && !data.empty()) send_chunk(false);
    }
  }

  void finish(bool publish, Call) override {
    if (!publish) {
      abort();
    } else if (session_.empty()) {
      Request request = store_->request_for("POST", "/upload/storage/v1", parts_.bucket, nullptr,
                                            {{"uploadType", "media"}, {"name", parts_.key}});
      request.add("Content-Type", "application/octet-stream");
      request.body = std::make_shared<const std::string>(std::move(buffer_));
      store_->demand(name_, std::move(request), nullptr);
    } else {
      send_chunk(true);
      session_.clear();
    }
  }

 private:
  void begin() {
    Request request = store_->request_for("POST", "/upload/storage/v1", parts_.bucket, nullptr,
                                          {{"uploadType", "resumable"}, {"name", parts_.key}});
    request.add("Content-Type", "application/json; charset=UTF-8");
    request.add("X-Upload-Content-Type", "application/octet-stream");
    request.body = std::make_shared<const std::string>("{}");
    Answer answer = store_->demand(name_, std::move(request), nullptr);
    std::string location(answer.header("location"));
    // The session stands for the credentials, so it has to be on the store's own host.
    session_ = resolve_location(store_->endpoint() + "/", location);
    if (location.empty() || parse_url(session_).origin() != parse_url(store_->endpoint()).origin()) {
      throw Failure(WEIR_CODE_DATA_LOSS, name_, "the server began an upload without saying where it goes on");
    }
  }

  Request session_request(std::string body, const std::string& range) const {
    Request request;
    request.method = "PUT";
    request.url = session_;
    request.add("Content-Range", range);
    request.body = std::make_shared<const std::string>(std::move(body));
    return request;
  }

  // Sends the buffer. The server may take less than it is sent; the rest is sent again.
  void send_chunk(bool is_last) {
    if (session_.empty()) begin();
    size_t taken = 0;
    for (int tries = 0;; ++tries) {
      uint64_t end = sent_ + buffer_.size();
      std::string total = is_last ? std::to_string(end) : "*";
      std::string range =
          taken == buffer_.size() ? "*" : std::to_string(sent_ + taken) + "-" + std::to_string(end - 1);
      Request request = session_request(buffer_.substr(taken), "bytes " + range + "/" + total);
      Answer answer = store_->ask(name_, request, nullptr, is_last);
      if (answer.ok() && is_last) return;
      if (answer.status != 308 || tries >= kMostTries) throw store_->failure(name_, request, answer);
      uint64_t have = bytes_at_server(answer);
      if (have < sent_ || have > end) {
        throw Failure(WEIR_CODE_DATA_LOSS, name_,
                      "the server lost bytes of the upload; write the file again");
      }
      taken = static_cast<size_t>(have - sent_);
      if (taken == buffer_.size() && !is_last) break;
    }
    sent_ += buffer_.size();
    buffer_.clear();
  }

  static uint64_t bytes_at_server(const Answer& answer) {
    std::string_view range = answer.header("range");  // "bytes=0-99", or nothing
    size_t dash = range.find('-');
    auto last = dash == std::string_view::npos ? std::nullopt : parse_number(range.substr(dash + 1));
    return last ? *last + 1 : 0;
  }

  void abort() {
    if (session_.empty()) return;
    Request request;
    request.method = "DELETE";
    request.url = session_;
    session_.clear();
    try {
      store_->ask(name_, std::move(request), nullptr);
    } catch (const Failure&) {
      // The session ends by itself within a week, and its bytes were never visible.
    }
  }

  std::shared_ptr<GsStore> store_;
  std::string name_;
  BucketName parts_;
  std::string buffer_;
  std::string session_;  // the URL of the upload, while it is under way
  uint64_t sent_ = 0;
};

}  // namespace

std::unique_ptr<Writer> make_gs_writer(GsStore& store, const std::string& name) {
  return std::make_unique<GsWriter>(std::static_pointer_cast<GsStore>(store.shared_from_this()), name);
}

}  // namespace weir_remote
