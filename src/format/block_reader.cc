// The reading half of inflate.h, which knows nothing about compression.
#include <algorithm>
#include <cstring>

#include "format/inflate.h"

namespace weir {

namespace {

// Blocks kept for their next use, so that reading on touches no fresh pages.
constexpr size_t kRetainedBlocks = 8;

// A longer run is trusted only as far as the stream has proven it: by what is already there. The memory is
// not touched before it is read into, and what was read is moved while it is little.
constexpr size_t kBelievedBytes = size_t{4} << 20;
constexpr size_t kBelievedTimes = 8;
// Longer runs are often of one size. Reading ends with the last that fits into the buffer, so that no part of
// one is moved; the first bytes of the next, which tell its length, come with it.
constexpr size_t kLongRunBytes = 16 * 1024, kNextBytes = 16;

// The room to make for a run of `size` bytes of which `have` are there.
size_t believed_bytes(size_t have, size_t size) {
  if (have >= size / (2 * kBelievedTimes)) return size;
  return std::min(size, std::max(kBelievedTimes * have, kBelievedBytes));
}

}  // namespace

BlockReader::BlockReader(std::unique_ptr<ByteStream> stream, size_t block_bytes)
    : stream_(std::move(stream)),
      block_bytes_(block_bytes),
      pool_(std::max(kRetainedBlocks * block_bytes, 2 * kBelievedBytes)) {}

// Moves the unread bytes to the front of a buffer with room for `size`.
void BlockReader::renew_buffer(size_t size) {
  const size_t kept = end_ - begin_;
  if (buffer_ && buffer_->unique() && buffer_->size() >= size) {
    std::memmove(data_, data_ + begin_, kept);
  } else {
    BufferRef fresh = pool_.allocate(std::max(size, block_bytes_));
    if (kept != 0) std::memcpy(fresh->data(), data_ + begin_, kept);
    buffer_ = std::move(fresh);
    data_ = buffer_->data();
  }
  room_ = buffer_->size();
  buffer_offset_ += begin_;
  begin_ = 0;
  end_ = kept;
}

// Goes on in bytes that the stream has in memory, if it has; returns whether there is nothing else to do.
// REQUIRES: all that is here has been used
bool BlockReader::take_shared() {
  Result<SharedBytes> shared = stream_->share();
  if (!shared.ok()) {
    status_ = shared.status();
    return true;
  }
  shares_ = shared->buffer != nullptr;
  if (!shares_) return false;
  buffer_offset_ = offset() - shared->begin;
  buffer_ = std::move(shared->buffer);
  data_ = buffer_->data();
  begin_ = shared->begin;
  end_ = room_ = shared->end;
  return true;
}

// Of the room that there is, only so much is touched as the stream has proven it to need.
void BlockReader::read_more(size_t size, size_t run) {
  const size_t most = std::max(block_bytes_, (end_ - begin_) / 8);
  size_t room = room_ - begin_;
  if (run >= kLongRunBytes && room >= run + kNextBytes) room = (room - kNextBytes) / run * run + kNextBytes;
  room = std::min(begin_ + room - end_, most);
  if (shares_ && size > end_ - begin_) room = std::min(room, size - (end_ - begin_));
  const Result<size_t> got = stream_->read({data_ + end_, room});
  if (!got.ok())
    status_ = got.status();
  else if (*got == 0)
    ended_ = true;
  else
    end_ += *got;
}

std::span<const uint8_t> BlockReader::fill(size_t size, size_t likely) {
  const size_t run = std::max(size, std::min(likely, kBelievedBytes));
  while (end_ - begin_ < size && !ended_ && status_.ok()) {
    if (end_ == begin_ && take_shared()) continue;
    const size_t believed = believed_bytes(end_ - begin_, run);
    if (!buffer_ || room_ - begin_ < believed) renew_buffer(believed);
    read_more(size, run);
  }
  return {data_ + begin_, end_ - begin_};
}

std::span<const uint8_t> BlockReader::extend(size_t most) {
  const size_t have = end_ - begin_;
  if (ended_ || !status_.ok()) return {data_ + begin_, have};
  if (!buffer_ || room_ == end_) {
    const bool is_long = have >= kBelievedBytes;
    renew_buffer(is_long ? believed_bytes(have, std::max(most, have + 1)) : 2 * have + 1);
  }
  read_more(0, 0);
  return {data_ + begin_, end_ - begin_};
}

void BlockReader::check_rest() {
  const Result<int64_t> size = stream_->size();
  if (!size.ok() || *size >= 0) return;
  for (std::span<const uint8_t> rest = peek(1); !rest.empty(); rest = peek(1)) advance(rest.size());
}

Status BlockReader::seek(uint64_t offset) {
  if (offset >= buffer_offset_ && offset - buffer_offset_ <= end_) {
    begin_ = static_cast<size_t>(offset - buffer_offset_);
    return {};
  }
  // Views into the old buffer stay valid.
  buffer_ = nullptr;
  data_ = nullptr;
  begin_ = end_ = 0;
  buffer_offset_ = offset;
  ended_ = false;
  status_ = stream_->seek(offset);
  return status_;
}

}  // namespace weir
