#include "format/written_writer.h"

#include <algorithm>

#include "core/text.h"
#include "format/written_layout.h"

namespace weir {

namespace {

// How often the folder may vanish between being made and being locked, since another writer gave up.
constexpr int kAttempts = 8;
// The fastest of each codec.
constexpr int kCompressionLevel = 1;

template <class T>
std::span<const uint8_t> bytes_of(const T& header) {
  return {reinterpret_cast<const uint8_t*>(&header), sizeof header};
}

// "0123…-00000.shard" of any run.
bool is_shard_name(std::string_view name) {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (!name.ends_with(kShardSuffix) || name.size() < 34 || name[32] != '-') return false;
  const std::string_view number = name.substr(33, name.size() - 33 - kShardSuffix.size());
  return name.substr(0, 32).find_first_not_of(kHex) == std::string_view::npos && !number.empty() &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string run_name(uint64_t high, uint64_t low) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (uint64_t word : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) out += kHex[(word >> shift) & 15];
  }
  return out;
}

Result<std::unique_ptr<WrittenWriter>> WrittenWriter::begin(FileSystem& files, std::string folder,
                                                            WrittenManifest manifest,
                                                            std::vector<Component> components) {
  std::unique_ptr<WrittenWriter> out(
      new WrittenWriter(files, std::move(folder), std::move(manifest), std::move(components)));
  WEIR_ASSIGN(const bool locked, out->lock());
  if (!locked) return std::unique_ptr<WrittenWriter>();
  out->remove_others();
  if (out->manifest_.compression != Compression::none) {
    out->encoder_ = codec_of(out->manifest_.compression).encoder(kCompressionLevel, Codec::Use::piece);
    if (!out->encoder_) return resource_exhausted("not enough memory to compress");
  }
  WEIR_TRY(out->create_shards());
  return out;
}

Result<bool> WrittenWriter::lock() {
  Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    WEIR_ASSIGN(const bool there, files_.exists(folder_));
    WEIR_TRY(files_.create_folders(folder_));
    auto lock = files_.try_lock(concat(folder_, "/", kWriterLockName));
    if (lock.ok()) {
      lock_ = *std::move(lock);
      made_folder_ = lock_ != nullptr && !there;
      return lock_ != nullptr;
    }
    status = lock.status();
    if (status.code() != Code::not_found) break;
  }
  return status;
}

// Files that belong to nothing that was published: a killed writer left them, or they were replaced. What
// cannot be removed now, the next writer removes.
void WrittenWriter::remove_others() noexcept {
  try {
    try_to_remove_others();
  } catch (...) {
    // There is no memory for the names.
  }
}

void WrittenWriter::try_to_remove_others() {
  auto manifest = read_manifest(files_, folder_);
  // One that cannot be read now may be readable later, with its shards.
  if (!manifest.ok() && manifest.status().code() != Code::not_found) return;
  auto names = files_.list_folder(folder_);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const bool published = manifest.ok() && name.starts_with(manifest->run);
    if (is_shard_name(name) && !published) (void)files_.remove(concat(folder_, "/", name));
    if (name == concat(kManifestName, ".tmp")) (void)files_.remove(concat(folder_, "/", name));
  }
}

Status WrittenWriter::create_shards() {
  shards_.resize(manifest_.shards.size());
  for (size_t i = 0; i < shards_.size(); ++i) {
    manifest_.shards[i] = WrittenShard{};
    shards_[i].name = manifest_.shard_name(folder_, i);
    WEIR_ASSIGN(shards_[i].file, files_.create(shards_[i].name));
    ShardHeader header;
    header.number = static_cast<uint32_t>(i);
    std::copy_n(manifest_.run.data(), std::min(sizeof header.run, manifest_.run.size()), header.run);
    header.crc = header_crc(header);
    WEIR_TRY(append(shards_[i], bytes_of(header)));
  }
  manifest_.rows = 0;
  return {};
}

Status WrittenWriter::append(Shard& shard, std::span<const uint8_t> bytes) {
  WEIR_TRY(shard.file->append(bytes));
  shard.offset += bytes.size();
  return {};
}

Status WrittenWriter::add(const Block& block) {
  size_t error = 0;
  for (int row = 0; row < block.rows;) {
    if (error < block.errors.size() && block.errors[error].row == row) {
      ++error;
      ++row;
      continue;
    }
    const int end = error < block.errors.size() ? block.errors[error].row : block.rows;
    row += builder_.add(block, row, end);
    if (builder_.full()) WEIR_TRY(finish_chunk());
  }
  return {};
}

Status WrittenWriter::finish_chunk() {
  if (builder_.rows() == 0) return {};
  const auto number = static_cast<size_t>(chunks_) % shards_.size();
  Shard& shard = shards_[number];
  ChunkHeader header;
  header.rows = static_cast<uint32_t>(builder_.rows());
  builder_.finish(payload_);
  header.raw_bytes = payload_.size();
  std::vector<uint8_t>* bytes = &payload_;
  header.packed_bytes = payload_.size();
  if (encoder_) {
    stored_.clear();
    constexpr size_t kMostAtOnce = size_t{1} << 30;
    for (std::span<const uint8_t> rest(payload_);;) {
      const std::span<const uint8_t> part = rest.first(std::min(rest.size(), kMostAtOnce));
      rest = rest.subspan(part.size());
      if (!encoder_->write(part, rest.empty() ? Encoder::Flush::end : Encoder::Flush::none, stored_))
        return resource_exhausted("not enough memory to compress");
      if (rest.empty()) break;
    }
    header.packed_bytes = stored_.size();
    stored_.resize(aligned_up(stored_.size()));
    bytes = &stored_;
  }
  header.stored_bytes = bytes->size();
  header.payload_crc = crc32c(bytes->data(), bytes->size());
  header.crc = header_crc(header);
  const IndexEntry entry{shard.offset, header.rows};
  shard.index.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  WEIR_TRY(append(shard, bytes_of(header)));
  WEIR_TRY(append(shard, *bytes));
  ++chunks_;
  ++manifest_.shards[number].chunks;
  manifest_.shards[number].rows += header.rows;
  manifest_.rows += header.rows;
  return {};
}

Status WrittenWriter::finish_shard(size_t number) {
  Shard& shard = shards_[number];
  WrittenShard& written = manifest_.shards[number];
  written.index_crc = crc32c(shard.index.data(), shard.index.size());
  WEIR_TRY(append(shard, {reinterpret_cast<const uint8_t*>(shard.index.data()), shard.index.size()}));
  written.bytes = shard.offset;
  WEIR_TRY(shard.file->sync());
  return shard.file->close();
}

Status WrittenWriter::publish() {
  WEIR_TRY(finish_chunk());
  for (size_t i = 0; i < shards_.size(); ++i) WEIR_TRY(finish_shard(i));
  // The manifest must not survive a power failure without the names that it lists.
  WEIR_TRY(files_.sync_folder(folder_));
  const std::string bytes = manifest_.bytes();
  publishing_ = true;
  WEIR_TRY(files_.write_file_atomically(manifest_name(folder_),
                                        {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}));
  published_ = true;
  shards_.clear();
  remove_others();
  lock_ = nullptr;
  return {};
}

// If the rename was made and only syncing it failed, what was written is there for readers.
bool WrittenWriter::may_be_published() {
  if (published_) return true;
  if (!publishing_) return false;
  const auto manifest = read_manifest(files_, folder_);
  return manifest.ok() ? manifest->run == manifest_.run : manifest.status().code() != Code::not_found;
}

// Needs no memory, except to look whether something was published.
WrittenWriter::~WrittenWriter() {
  if (lock_ == nullptr) return;
  bool remove = false;
  try {
    remove = !may_be_published();
    for (size_t i = 0; i < shards_.size() && remove; ++i) {
      shards_[i].file = nullptr;
      (void)files_.remove(shards_[i].name);
    }
  } catch (...) {
    // The next writer removes what is left.
  }
  lock_ = nullptr;
  try {
    if (made_folder_ && remove) (void)files_.remove_folder(folder_);
  } catch (...) {
    // An empty folder does no harm.
  }
}

}  // namespace weir
