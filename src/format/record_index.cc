#include "format/record_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/digest.h"
#include "core/load.h"
#include "core/text.h"
#include "format/crc32c.h"

namespace weir {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read and written as they stand");

constexpr std::string_view kMagic = "weirindx";
constexpr size_t kIndexHeaderBytes = 40;
// Of the index's header: what its checksum covers.
constexpr size_t kCheckedFrom = 12;
constexpr int64_t kPageEntries = 64;
// After so many pages an index of at most so many entries is read as a whole.
constexpr int kPagesAlone = 8;
constexpr int64_t kWholeEntries = int64_t{128} << 10;

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

struct Header {
  uint32_t format = 0;
  uint64_t size = 0;
  int64_t state = 0;
  uint64_t count = 0;
};

// Of a file beside its size; 0 if nothing is known.
int64_t state_of(int64_t modified_ns, const std::string& version) {
  if (version.empty()) return modified_ns;
  return static_cast<int64_t>(hash_of(version, static_cast<uint64_t>(modified_ns)) | 1);
}

std::string header_bytes(const Header& header) {
  std::string checked;
  put(checked, header.format);
  put(checked, header.size);
  put(checked, header.state);
  put(checked, header.count);
  std::string out(kMagic);
  put(out, mask_crc32c(crc32c(checked.data(), checked.size())));
  return out + checked;
}

// False if these are no header of an index.
bool read_header(std::string_view bytes, Header& out) {
  if (bytes.size() < kIndexHeaderBytes || bytes.substr(0, kMagic.size()) != kMagic) return false;
  const char* checked = bytes.data() + kCheckedFrom;
  const auto crc = load<uint32_t>(bytes.data() + kMagic.size());
  if (crc != mask_crc32c(crc32c(checked, kIndexHeaderBytes - kCheckedFrom))) return false;
  out = {load<uint32_t>(checked), load<uint64_t>(checked + 4), load<int64_t>(checked + 12),
         load<uint64_t>(checked + 20)};
  return true;
}

}  // namespace

std::string index_beside(const std::string& name) { return concat(name, kIndexSuffix); }

bool is_of_index(std::string_view name) {
  for (const std::string_view more : {kIndexLockSuffix, std::string_view(".tmp")}) {
    if (name.ends_with(more) && name.substr(0, name.size() - more.size()).ends_with(kIndexSuffix))
      return true;
  }
  return name.ends_with(kIndexSuffix);
}

RecordIndex::RecordIndex(int64_t count, uint64_t file_size, FileInfo info)
    : count_(count), file_size_(file_size), info_(std::move(info)), page_entries_(kPageEntries) {}

Result<RefPtr<RecordIndex>> RecordIndex::open(FileSystem& files, const std::string& name,
                                              const IndexedFormat& format, const std::string& place) {
  auto file = files.open(place);
  if (!file.ok() && file.status().code() == Code::not_found) return RefPtr<RecordIndex>();
  WEIR_TRY(file.status());
  WEIR_ASSIGN(FileInfo info, files.stat(name));
  WEIR_ASSIGN(const std::string bytes, read_up_to(**file, 0, kIndexHeaderBytes));
  WEIR_ASSIGN(const uint64_t size, (*file)->size());
  Header header;
  if (!read_header(bytes, header) || header.format != format.number() || header.size != info.size ||
      header.state == 0)
    return RefPtr<RecordIndex>();
  if (header.state != state_of(info.modified_ns, info.version)) {
    // A server may call the version otherwise where it gives the bytes, or tell it only there.
    WEIR_ASSIGN(const RefPtr<RandomAccessFile> opened, files.open(name));
    WEIR_ASSIGN(const FileInfo seen, opened->info());
    if (seen.version.empty() || header.state != state_of(info.modified_ns, seen.version))
      return RefPtr<RecordIndex>();
    info.version = seen.version;
  }
  uint64_t contents = info.size;
  if (format.compression != Compression::none) {
    WEIR_ASSIGN(const RefPtr<RandomAccessFile> decoded, open_decoded(files, name, format.compression, &info));
    WEIR_ASSIGN(contents, decoded->size());
  }
  if (header.count > contents / format.least_bytes() || size != kIndexHeaderBytes + 8 * (header.count + 1))
    return RefPtr<RecordIndex>();
  RefPtr<RecordIndex> index(new RecordIndex(static_cast<int64_t>(header.count), contents, std::move(info)));
  index->file_ = *std::move(file);
  return index;
}

Result<RefPtr<RecordIndex>> RecordIndex::make(FileSystem& files, const std::string& name,
                                              const IndexedFormat& format,
                                              const std::atomic<bool>* cancelled) {
  WEIR_ASSIGN(const FileInfo before, files.stat(name));
  WEIR_ASSIGN(RefPtr<RandomAccessFile> file, files.open(name));
  WEIR_ASSIGN(FileInfo seen, file->info());
  WEIR_TRY(check_unchanged(name, seen, {.size = before.size, .modified_ns = before.modified_ns}));
  uint64_t contents = before.size;
  if (format.compression != Compression::none) {
    WEIR_ASSIGN(file, open_decoded(files, name, format.compression, &seen));
    WEIR_ASSIGN(contents, file->size());
  }
  std::string offsets;
  Status failure = scan_records(format, *file, contents, cancelled, offsets);
  if (failure.code() == Code::cancelled) return failure;
  WEIR_ASSIGN(const FileInfo after, files.stat(name));
  WEIR_TRY(check_unchanged(name, after, before));
  // After a failure the last offset is that of a record that is not whole.
  if (offsets.empty()) offsets.resize(8);
  const uint64_t count = offsets.size() / 8 - 1;
  const int64_t state = state_of(before.modified_ns, seen.version.empty() ? before.version : seen.version);
  std::string bytes = header_bytes({format.number(), before.size, state, count}) + offsets;
  RefPtr<RecordIndex> index(new RecordIndex(static_cast<int64_t>(count), contents, std::move(seen)));
  index->bytes_ = std::move(bytes);
  index->failure_ = std::move(failure);
  return index;
}

RefPtr<RecordIndex> RecordIndex::of_records(uint64_t begin, uint64_t bytes, int64_t count, FileInfo file) {
  const uint64_t size = begin + bytes * static_cast<uint64_t>(count);
  RefPtr<RecordIndex> index(new RecordIndex(count, size, std::move(file)));
  index->begin_ = begin;
  index->record_bytes_ = bytes;
  return index;
}

RefPtr<RecordIndex> RecordIndex::failed(Status failure) {
  RefPtr<RecordIndex> index = of_records(0, 1, 0);
  index->failure_ = std::move(failure);
  return index;
}

Status RecordIndex::save(FileSystem& files, const std::string& place) const {
  if (Header header; !read_header(bytes_, header) || header.state == 0) {
    return file_error(Code::failed_precondition,
                      expected_found("a file with a time of change or a version", "neither"), place);
  }
  return files.write_file_atomically(place, {reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()});
}

// Reads the page that has an entry.
Status RecordIndex::load_page_of(int64_t entry) {
  int64_t page = entry / page_entries_;
  if (page == page_) return Status();
  // Reading in order, as in a part of a file, needs one page at a time.
  if (page != page_ + 1) ++pages_read_;
  if (pages_read_ > kPagesAlone && count_ < kWholeEntries) {
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
  if (record_bytes_ != 0) {
    for (int64_t i = first; i <= first + count; ++i)
      out.push_back(begin_ + static_cast<uint64_t>(i) * record_bytes_);
    return Status();
  }
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
