#include "format/record_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/text.h"
#include "format/crc32c.h"

namespace weir {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read and written as they stand");

constexpr std::string_view kMagic = "weirindx";
constexpr uint32_t kVersion = 1;
constexpr size_t kIndexHeaderBytes = 40;
// Of the index's header: what its checksum covers.
constexpr size_t kCheckedFrom = 16;
constexpr int64_t kPageEntries = 512;
// After so many pages an index of at most so many entries is read as a whole.
constexpr int kPagesAlone = 8;
constexpr int64_t kWholeEntries = int64_t{128} << 10;

constexpr uint64_t kRecordHeaderBytes = 12;
constexpr uint64_t kRecordFooterBytes = 4;
// The lengths of small records are read together.
constexpr size_t kScanBytes = size_t{256} << 10;
constexpr size_t kLeastScanBytes = 4096;

template <class T>
T load(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

struct Header {
  uint64_t size = 0;
  int64_t modified_ns = 0;
  uint64_t count = 0;
};

std::string header_bytes(const Header& header) {
  std::string checked;
  put(checked, header.size);
  put(checked, header.modified_ns);
  put(checked, header.count);
  std::string out(kMagic);
  put(out, kVersion);
  put(out, mask_crc32c(crc32c(checked.data(), checked.size())));
  return out + checked;
}

// False if these are no header of an index.
bool read_header(std::string_view bytes, Header& out) {
  if (bytes.size() < kIndexHeaderBytes || bytes.substr(0, kMagic.size()) != kMagic) return false;
  const char* at = bytes.data() + kMagic.size();
  const char* checked = bytes.data() + kCheckedFrom;
  if (load<uint32_t>(at) != kVersion) return false;
  if (load<uint32_t>(at + 4) != mask_crc32c(crc32c(checked, kIndexHeaderBytes - kCheckedFrom))) return false;
  out = {load<uint64_t>(checked), load<int64_t>(checked + 8), load<uint64_t>(checked + 16)};
  // No record takes fewer bytes.
  return out.count <= out.size / (kRecordHeaderBytes + kRecordFooterBytes);
}

std::string index_name(const std::string& name) { return name + std::string(kIndexSuffix); }

// Goes from header to header, reading those that lie close together at once.
class Scan {
 public:
  Scan(RandomAccessFile& file, uint64_t size) : file_(file), size_(size), buffer_(kScanBytes) {}

  // Appends the offset of each record, and the end.
  Status run(const std::atomic<bool>* cancelled, std::string& out) {
    uint64_t offset = 0;
    for (int64_t record = 0; offset < size_; ++record) {
      if (cancelled && cancelled->load(std::memory_order_relaxed))
        return Status(Code::cancelled, "the index was not made, since the iterator was cancelled");
      put(out, offset);
      std::array<uint8_t, kRecordHeaderBytes> header{};
      WEIR_ASSIGN(const bool whole, read(offset, header));
      const auto damaged = [&](std::string_view what) {
        return file_error(Code::data_loss,
                          {concat("no index of ", file_.name(), ": ", what),
                           "weir validate lists the damage; restore the file or write it again"},
                          file_.name(), static_cast<int64_t>(offset), record);
      };
      if (!whole) return damaged("it ends within the header of a record");
      if (load<uint32_t>(&header[8]) != mask_crc32c(crc32c(header.data(), 8)))
        return damaged("the checksum of a record's length is wrong");
      const auto length = load<uint64_t>(header.data());
      if (length > size_ || size_ - offset < kRecordHeaderBytes + kRecordFooterBytes + length)
        return damaged("it ends within a record");
      offset += kRecordHeaderBytes + length + kRecordFooterBytes;
    }
    put(out, offset);
    return Status();
  }

 private:
  // False if the file ends first.
  Result<bool> read(uint64_t offset, std::span<uint8_t> out) {
    if (offset < begin_ || offset + out.size() > begin_ + filled_) {
      // Long records are stepped over.
      width_ = offset - begin_ <= 2 * width_ ? std::min(2 * width_, kScanBytes) : kLeastScanBytes;
      begin_ = offset;
      filled_ = 0;
      while (filled_ < out.size()) {
        WEIR_ASSIGN(const size_t got,
                    file_.read_at(begin_ + filled_, {buffer_.data() + filled_, width_ - filled_}));
        if (got == 0) return false;
        filled_ += got;
      }
    }
    std::memcpy(out.data(), buffer_.data() + (offset - begin_), out.size());
    return true;
  }

  RandomAccessFile& file_;
  const uint64_t size_;
  std::vector<uint8_t> buffer_;
  uint64_t begin_ = 0;
  size_t filled_ = 0;
  size_t width_ = kLeastScanBytes;
};

}  // namespace

RecordIndex::RecordIndex() : page_entries_(kPageEntries) {}

Result<RefPtr<RecordIndex>> RecordIndex::open(FileSystem& files, const std::string& name) {
  const std::string beside = index_name(name);
  auto file = files.open(beside);
  if (!file.ok() && file.status().code() == Code::not_found) return RefPtr<RecordIndex>();
  WEIR_TRY(file.status());
  WEIR_ASSIGN(const FileInfo info, files.stat(name));
  WEIR_ASSIGN(const std::string bytes, read_up_to(**file, 0, kIndexHeaderBytes));
  WEIR_ASSIGN(const uint64_t size, (*file)->size());
  Header header;
  const bool fits = read_header(bytes, header) && header.size == info.size &&
                    header.modified_ns == info.modified_ns &&
                    size == kIndexHeaderBytes + 8 * (header.count + 1);
  if (!fits) return RefPtr<RecordIndex>();
  RefPtr<RecordIndex> index(new RecordIndex());
  index->count_ = static_cast<int64_t>(header.count);
  index->file_ = *std::move(file);
  return index;
}

Result<RefPtr<RecordIndex>> RecordIndex::make(FileSystem& files, const std::string& name,
                                              const std::atomic<bool>* cancelled) {
  WEIR_ASSIGN(RefPtr<RandomAccessFile> file, files.open(name));
  WEIR_ASSIGN(const FileInfo before, files.stat(name));
  std::string offsets;
  WEIR_TRY(Scan(*file, before.size).run(cancelled, offsets));
  WEIR_ASSIGN(const FileInfo after, files.stat(name));
  if (after.size != before.size || after.modified_ns != before.modified_ns) {
    return file_error(Code::unavailable,
                      Mistake("the file changed while its index was made", "try again when it is complete"),
                      name);
  }
  RefPtr<RecordIndex> index(new RecordIndex());
  const uint64_t count = offsets.size() / 8 - 1;
  index->count_ = static_cast<int64_t>(count);
  index->bytes_ = header_bytes({before.size, before.modified_ns, count}) + offsets;
  return index;
}

Status RecordIndex::save(FileSystem& files, const std::string& name) const {
  return files.write_file_atomically(index_name(name),
                                     {reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()});
}

// Reads the page that has an entry.
Status RecordIndex::load_page_of(int64_t entry) {
  int64_t page = entry / page_entries_;
  if (page == page_) return Status();
  if (++pages_read_ > kPagesAlone && count_ < kWholeEntries) {
    page_entries_ = kWholeEntries;
    page = 0;
  }
  const int64_t first = page * page_entries_;
  const auto entries = static_cast<size_t>(std::min(page_entries_, count_ + 1 - first));
  page_ = -1;
  entries_.resize(entries);
  const uint64_t at = kIndexHeaderBytes + 8 * static_cast<uint64_t>(first);
  if (!file_) {
    std::memcpy(entries_.data(), bytes_.data() + at, 8 * entries);
  } else {
    WEIR_ASSIGN(const std::string bytes, read_up_to(*file_, at, 8 * entries));
    if (bytes.size() < 8 * entries) {
      return file_error(
          Code::data_loss,
          expected_found("an index as long as when it was opened", "a shorter one", "run weir index again"),
          file_->name());
    }
    std::memcpy(entries_.data(), bytes.data(), 8 * entries);
  }
  page_ = page;
  return Status();
}

Status RecordIndex::offsets(int64_t first, int64_t count, std::vector<uint64_t>& out) {
  out.clear();
  for (int64_t i = first; i <= first + count;) {
    WEIR_TRY(load_page_of(i));
    const auto from = static_cast<size_t>(i % page_entries_);
    const auto to = std::min(entries_.size(), from + static_cast<size_t>(first + count - i) + 1);
    out.insert(out.end(), entries_.begin() + static_cast<ptrdiff_t>(from),
               entries_.begin() + static_cast<ptrdiff_t>(to));
    i += static_cast<int64_t>(to - from);
  }
  return Status();
}

}  // namespace weir
