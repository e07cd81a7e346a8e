#include "format/codecs/zstd_frames.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "core/buffer.h"
#include "core/sync.h"
#include "core/text.h"

namespace weir {

namespace {

constexpr uint32_t kTableMagic = 0x184d2a5e;
constexpr uint32_t kFooterMagic = 0x8f92eab1;
constexpr uint64_t kTableHeaderBytes = 8;
constexpr uint64_t kFooterBytes = 9;
constexpr uint8_t kHasChecksums = 0x80;
constexpr uint8_t kReserved = 0x7c;
// Of any writer; one that wants its frames to be read alone makes them smaller.
constexpr uint64_t kMostFrameBytes = uint64_t{64} << 20;

template <class T>
T number_at(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void put(std::vector<uint8_t>& out, uint32_t value) {
  std::memcpy(grow(out, sizeof value), &value, sizeof value);
}

Status contradicts(const RandomAccessFile& file) {
  return file_error(Code::data_loss,
                    Mistake("the table of its zstd frames does not fit the file",
                            "restore it; without positions it can still be read"),
                    file.name());
}

class ZstdFrames final : public RandomAccessFile {
 public:
  explicit ZstdFrames(RefPtr<RandomAccessFile> file)
      : RandomAccessFile(file->name()), file_(std::move(file)), context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
  }
  ~ZstdFrames() override { ZSTD_freeDCtx(context_); }

  Status read_table();

  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    if (after == starts_.end()) return size_t{0};
    const auto number = static_cast<size_t>(after - starts_.begin()) - 1;
    const auto begin = static_cast<size_t>(offset - starts_[number]);
    const auto size = static_cast<size_t>(starts_[number + 1] - starts_[number]);
    MutexLock lock(mutex_);
    if (begin == 0 && out.size() >= size && number != number_) {
      WEIR_TRY(decode(number, out.data(), size));
      return size;
    }
    if (number != number_) {
      number_ = SIZE_MAX;
      if (!decoded_ || decoded_->size() < size) decoded_ = Buffer::allocate(size);
      WEIR_TRY(decode(number, decoded_->data(), size));
      number_ = number;
    }
    const size_t got = std::min(out.size(), size - begin);
    std::memcpy(out.data(), decoded_->data() + begin, got);
    return got;
  }
  Result<uint64_t> do_size() override { return starts_.back(); }

 private:
  Status decode(size_t number, uint8_t* out, size_t size);

  const RefPtr<RandomAccessFile> file_;
  // Where each frame begins in the decompressed bytes and in the file, and where the last one ends. No frame
  // is empty.
  std::vector<uint64_t> starts_{0};
  std::vector<uint64_t> places_{0};
  Mutex mutex_;
  ZSTD_DCtx* const context_;
  std::vector<uint8_t> compressed_;
  // The frame that was decoded last.
  BufferRef decoded_;
  size_t number_ = SIZE_MAX;
};

Status ZstdFrames::decode(size_t number, uint8_t* out, size_t size) {
  const auto damaged = [&](std::string_view what) {
    return file_error(
        Code::data_loss,
        concat("damaged zstd data: ", what, "; the frame begins at byte ", places_[number], " of the file"),
        name(), static_cast<int64_t>(starts_[number]));
  };
  compressed_.resize(static_cast<size_t>(places_[number + 1] - places_[number]));
  for (size_t filled = 0; filled < compressed_.size();) {
    WEIR_ASSIGN(const size_t got,
                file_->do_read_at(places_[number] + filled, std::span(compressed_).subspan(filled)));
    if (got == 0) return damaged("the file has become shorter");
    filled += got;
  }
  const size_t decoded = ZSTD_decompressDCtx(context_, out, size, compressed_.data(), compressed_.size());
  if (ZSTD_isError(decoded)) return damaged(ZSTD_getErrorName(decoded));
  return decoded == size ? Status() : damaged("it is not as long as the table says");
}

Status ZstdFrames::read_table() {
  WEIR_ASSIGN(const uint64_t size, file_->size());
  if (size == 0) return {};
  const Status none =
      file_error(Code::failed_precondition,
                 Mistake("its zstd data has no table of frames, so its records have no positions",
                         "write it again by weir convert, or read it without positions"),
                 name());
  if (size < kTableHeaderBytes + kFooterBytes) return none;
  WEIR_ASSIGN(const std::string footer, read_up_to(*file_, size - kFooterBytes, kFooterBytes));
  if (footer.size() < kFooterBytes || number_at<uint32_t>(&footer[5]) != kFooterMagic) return none;
  const auto flags = static_cast<uint8_t>(footer[4]);
  const uint64_t count = number_at<uint32_t>(footer.data());
  const uint64_t entry_bytes = (flags & kHasChecksums) != 0 ? 12 : 8;
  const uint64_t table_bytes = kTableHeaderBytes + count * entry_bytes + kFooterBytes;
  if ((flags & kReserved) != 0 || table_bytes > size) return contradicts(*file_);
  WEIR_ASSIGN(const std::string table, read_up_to(*file_, size - table_bytes, table_bytes - kFooterBytes));
  if (table.size() < table_bytes - kFooterBytes || number_at<uint32_t>(table.data()) != kTableMagic ||
      number_at<uint32_t>(&table[4]) != table_bytes - kTableHeaderBytes)
    return contradicts(*file_);
  uint64_t place = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const char* const entry = &table[static_cast<size_t>(kTableHeaderBytes + i * entry_bytes)];
    const auto decompressed = number_at<uint32_t>(entry + 4);
    place += number_at<uint32_t>(entry);
    if (decompressed > kMostFrameBytes || number_at<uint32_t>(entry) > 2 * kMostFrameBytes) {
      return file_error(Code::resource_exhausted,
                        expected_found(concat("zstd frames of at most ", kMostFrameBytes, " bytes"),
                                       "a larger one", "write it again by weir convert"),
                        name());
    }
    if (decompressed == 0) {
      places_.back() = place;
    } else {
      starts_.push_back(starts_.back() + decompressed);
      places_.push_back(place);
    }
  }
  return place == size - table_bytes ? Status() : contradicts(*file_);
}

}  // namespace

void ZstdTable::add(size_t compressed, size_t decompressed) {
  sizes_.push_back(static_cast<uint32_t>(compressed));
  sizes_.push_back(static_cast<uint32_t>(decompressed));
}

void ZstdTable::write(std::vector<uint8_t>& out) const {
  put(out, kTableMagic);
  put(out, static_cast<uint32_t>(4 * sizes_.size() + kFooterBytes));
  for (const uint32_t size : sizes_) put(out, size);
  put(out, static_cast<uint32_t>(sizes_.size() / 2));
  out.push_back(0);
  put(out, kFooterMagic);
}

Result<RefPtr<RandomAccessFile>> open_zstd_frames(RefPtr<RandomAccessFile> file) {
  auto out = make_ref<ZstdFrames>(std::move(file));
  WEIR_TRY(out->read_table());
  return RefPtr<RandomAccessFile>(std::move(out));
}

}  // namespace weir
