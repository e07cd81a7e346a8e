#include "format/tar/tar_scan.h"

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "format/stepping_reader.h"
#include "format/tar/tar_members.h"
#include "format/tar/tar_rows.h"

namespace weir {

namespace {

// Headers that lie close together are read at once.
constexpr size_t kLeastRead = 4096;
constexpr size_t kMostRead = size_t{256} << 10;

class FileBytes final : public TarBytes {
 public:
  FileBytes(RandomAccessFile& file, uint64_t size) : reader_(file), size_(size) {}

  const Status& status() const { return status_; }
  std::span<const uint8_t> peek(size_t size) override {
    if (begin_ + buffer_.size() < offset_ + size || offset_ < begin_) load(size);
    const auto from = static_cast<size_t>(std::min<uint64_t>(offset_ - begin_, buffer_.size()));
    return std::span<const uint8_t>(buffer_).subspan(from);
  }
  void advance(size_t size) override { offset_ += size; }
  bool skip(uint64_t size) override {
    if (size > size_ - std::min(offset_, size_)) return false;
    offset_ += size;
    return true;
  }
  uint64_t offset() const override { return offset_; }

 private:
  void load(size_t least) {
    // Long members are stepped over.
    width_ = offset_ - begin_ <= 2 * width_ ? std::min(2 * width_, kMostRead) : kLeastRead;
    begin_ = offset_;
    const uint64_t wanted = std::min<uint64_t>(std::max(least, width_), size_ - std::min(offset_, size_));
    buffer_.resize(static_cast<size_t>(wanted));
    size_t filled = 0;
    while (filled < std::min(least, buffer_.size())) {
      auto got = reader_.read_at(begin_ + filled, std::span<uint8_t>(buffer_).subspan(filled));
      if (!got.ok()) status_ = got.status();
      if (!got.ok() || *got == 0) break;
      filled += *got;
    }
    buffer_.resize(filled);
  }

  SteppingReader reader_;
  const uint64_t size_;
  std::vector<uint8_t> buffer_;
  uint64_t begin_ = 0;
  uint64_t offset_ = 0;
  size_t width_ = kLeastRead;
  Status status_;
};

}  // namespace

Status scan_archive(RandomAccessFile& file, uint64_t size, const std::atomic<bool>* cancelled,
                    std::string& offsets) {
  FileBytes bytes(file, size);
  TarMembers members(bytes);
  TarMember member;
  std::string key;
  std::string extension;
  int64_t count = 0;
  const auto put = [&](uint64_t offset) {
    offsets.append(reinterpret_cast<const char*>(&offset), sizeof offset);
  };
  for (;;) {
    if (cancelled && cancelled->load(std::memory_order_relaxed))
      return Status(Code::cancelled, "the index was not made, since the iterator was cancelled");
    TarMembers::Next next = members.next(member);
    std::string_view member_key;
    if (next == TarMembers::Next::member && split_member_path(member.name, member_key, extension) &&
        (count == 0 || member_key != key)) {
      put(member.offset);
      key.assign(member_key);
      ++count;
    }
    if (next == TarMembers::Next::member) {
      if (bytes.skip(tar_blocks(member.size))) continue;
      next = TarMembers::Next::cut;
    }
    WEIR_TRY(bytes.status());
    if (next == TarMembers::Next::end) break;
    const char* const what = next == TarMembers::Next::cut ? "it ends within a member" : members.damage();
    return file_error(Code::data_loss,
                      {concat("no index of ", file.name(), ": ", what),
                       "weir validate lists the damage; restore the file or write it again"},
                      file.name(), static_cast<int64_t>(bytes.offset()), count);
  }
  put(bytes.offset());
  return Status();
}

}  // namespace weir
