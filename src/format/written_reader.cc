#include "format/written_reader.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "format/frames.h"
#include "format/written_layout.h"

namespace weir {

namespace {

// Free buffers that are kept for the next chunks.
constexpr size_t kRetainedBytes = size_t{16} << 20;

Status damaged(const RandomAccessFile& file, uint64_t offset, std::string_view what) {
  return file_error(Code::data_loss,
                    concat("damaged elements: ", what, "; remove the folder and write it again"), file.name(),
                    static_cast<int64_t>(offset));
}

// Reads all of `out` or fails.
Status read_exactly(RandomAccessFile& file, uint64_t offset, std::span<uint8_t> out) {
  size_t total = 0;
  while (total < out.size()) {
    WEIR_ASSIGN(const size_t got, file.read_at(offset + total, out.subspan(total)));
    if (got == 0) {
      return damaged(
          file, offset,
          expected_found(concat(out.size(), " bytes"), concat(total, " and the end of the file")).sentence());
    }
    total += got;
  }
  return {};
}

}  // namespace

WrittenReader::WrittenReader(WrittenManifest manifest, std::vector<Component> components)
    : manifest_(std::move(manifest)), components_(std::move(components)), pool_(kRetainedBytes) {}

Result<std::unique_ptr<WrittenReader>> WrittenReader::open(FileSystem& files, const std::string& folder,
                                                           WrittenManifest manifest,
                                                           std::vector<Component> components) {
  std::unique_ptr<WrittenReader> out(new WrittenReader(std::move(manifest), std::move(components)));
  for (size_t i = 0; i < out->manifest_.shards.size(); ++i) WEIR_TRY(out->open_shard(files, folder, i));
  WEIR_TRY(out->number_rows());
  return out;
}

Status WrittenReader::check_header(RandomAccessFile& file, const WrittenManifest& manifest, size_t number) {
  ShardHeader header;
  const ShardHeader expected;
  WEIR_TRY(read_exactly(file, 0, {reinterpret_cast<uint8_t*>(&header), sizeof header}));
  if (header.crc != header_crc(header) || std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0)
    return damaged(file, 0, "the checksum of its header is wrong");
  if (header.version != kShardVersion) return damaged(file, 0, "it is of another version than its manifest");
  if (header.number != number || std::string_view(header.run, sizeof header.run) != manifest.run)
    return damaged(file, 0, "it belongs to another manifest or another place");
  return {};
}

Status WrittenReader::open_shard(FileSystem& files, const std::string& folder, size_t number) {
  Shard shard;
  WEIR_ASSIGN(shard.file, files.open(manifest_.shard_name(folder, number)));
  WEIR_TRY(check_header(*shard.file, manifest_, number));
  WEIR_TRY(read_index(shard, manifest_.shards[number]));
  shards_.push_back(std::move(shard));
  return {};
}

Status WrittenReader::read_index(Shard& shard, const WrittenShard& written) {
  RandomAccessFile& file = *shard.file;
  WEIR_ASSIGN(const uint64_t size, file.size());
  if (size != written.bytes) {
    return damaged(file, std::min(size, written.bytes),
                   expected_found(concat(written.bytes, " bytes"), concat(size)).sentence());
  }
  const auto chunks = static_cast<uint64_t>(written.chunks);
  if (size < sizeof(ShardHeader) || chunks > (size - sizeof(ShardHeader)) / sizeof(IndexEntry))
    return damaged(file, 0, "it has no room for its index");
  const uint64_t index_at = size - chunks * sizeof(IndexEntry);
  std::vector<IndexEntry> index(chunks);
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(index.data()), chunks * sizeof(IndexEntry));
  WEIR_TRY(read_exactly(file, index_at, bytes));
  if (crc32c(bytes.data(), bytes.size()) != written.index_crc)
    return damaged(file, index_at, "the checksum of its index is wrong");
  uint64_t rows = 0;
  uint64_t next = sizeof(ShardHeader);
  for (const IndexEntry& entry : index) {
    const bool first = &entry == index.data();
    const bool follows = first ? entry.offset == next : entry.offset >= next + sizeof(ChunkHeader);
    if (!follows || entry.offset >= index_at || entry.offset % kWrittenAlignment != 0 || entry.rows == 0 ||
        entry.rows > static_cast<uint64_t>(kChunkRows)) {
      return damaged(file, index_at, "the entries of its index contradict each other");
    }
    next = entry.offset;
    rows += entry.rows;
    shard.offsets.push_back(entry.offset);
    shard.rows.push_back(entry.rows);
  }
  shard.offsets.push_back(index_at);
  const uint64_t last = index.empty() ? sizeof(ShardHeader) : index.back().offset + sizeof(ChunkHeader);
  if (rows != static_cast<uint64_t>(written.rows) || (index.empty() ? index_at != last : index_at < last))
    return damaged(file, index_at, "its index contradicts the manifest");
  return {};
}

// Chunks lie in the shards in turns.
Status WrittenReader::number_rows() {
  size_t chunks = 0;
  for (const Shard& shard : shards_) chunks += shard.rows.size();
  starts_.push_back(0);
  for (size_t i = 0; i < chunks; ++i) {
    const Shard& shard = shards_[i % shards_.size()];
    const size_t at = i / shards_.size();
    if (at >= shard.rows.size())
      return damaged(*shard.file, 0, "its chunks are not as many as those of the others");
    starts_.push_back(starts_.back() + static_cast<int64_t>(shard.rows[at]));
  }
  return {};
}

void WrittenReader::seek(int64_t row) {
  row_ = std::clamp<int64_t>(row, 0, starts_.back());
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), row_);
  const auto number = static_cast<size_t>(after - starts_.begin()) - 1;
  loaded_ = loaded_ && number == number_;
  number_ = number;
  if (loaded_) chunk_.go_to(row_ - starts_[number_]);
}

Status WrittenReader::unpack(const RandomAccessFile& file, uint64_t offset, uint64_t packed_bytes,
                             uint64_t raw_bytes) {
  const Codec& codec = codec_of(manifest_.compression);
  if (raw_bytes / codec.most_expansion > packed_bytes)
    return damaged(file, offset, "its sizes contradict each other");
  if (!decoder_) decoder_ = codec.decoder();
  if (!decoder_) throw std::bad_alloc();
  // Room for one more byte, which would be one too many.
  BufferRef raw = pool_.allocate(raw_bytes + 1);
  Decoder::Io io{bytes_.data(), packed_bytes, raw->data(), raw_bytes + 1};
  Frames frames(codec);
  while (!frames.ended()) {
    const Frames::Fault fault = frames.step(*decoder_, io);
    if (fault.code == Code::resource_exhausted) throw std::bad_alloc();
    if (fault.code != Code::ok || io.avail_out == 0)
      return damaged(file, offset, "it cannot be decompressed");
  }
  if (io.avail_out != 1) return damaged(file, offset, "it cannot be decompressed");
  buffer_ = std::move(raw);
  bytes_ = {buffer_->data(), raw_bytes};
  return {};
}

Status WrittenReader::load_chunk(size_t number) {
  const Shard& shard = shards_[number % shards_.size()];
  const size_t at = number / shards_.size();
  RandomAccessFile& file = *shard.file;
  const uint64_t offset = shard.offsets[at];
  const uint64_t size = shard.offsets[at + 1] - offset;
  // Lets the last chunk's buffer return to the pool if nobody has views of it.
  chunk_ = {};
  buffer_ = nullptr;
  buffer_ = pool_.allocate(size);
  WEIR_TRY(read_exactly(file, offset, {buffer_->data(), size}));
  ChunkHeader header;
  std::memcpy(&header, buffer_->data(), sizeof header);
  if (header.crc != header_crc(header))
    return damaged(file, offset, "the checksum of a chunk's header is wrong");
  if (header.stored_bytes != size - sizeof header || header.rows != shard.rows[at] ||
      header.packed_bytes > header.stored_bytes) {
    return damaged(file, offset, "a chunk contradicts the index");
  }
  bytes_ = {buffer_->data() + sizeof header, header.stored_bytes};
  if (crc32c(bytes_.data(), bytes_.size()) != header.payload_crc)
    return damaged(file, offset, "the checksum of a chunk is wrong");
  if (manifest_.compression != Compression::none)
    WEIR_TRY(unpack(file, offset, header.packed_bytes, header.raw_bytes));
  auto chunk = WrittenChunk::parse(buffer_, bytes_, header.rows, components_);
  if (!chunk.ok()) return damaged(file, offset, chunk.status().error().message);
  chunk_ = *std::move(chunk);
  chunk_bytes_ = bytes_.size();
  return {};
}

Status WrittenReader::load_chunk() {
  if (loaded_) return {};
  if (Status status = load_chunk(number_); !status.ok()) {
    row_ = starts_[++number_];
    return status;
  }
  chunk_.go_to(row_ - starts_[number_]);
  loaded_ = true;
  return {};
}

int WrittenReader::rows_here(int rows) {
  return static_cast<int>(std::min<int64_t>(rows, starts_[number_ + 1] - row_));
}

Result<int> WrittenReader::next(int rows, int64_t bytes, Block& out) {
  if (row_ >= starts_.back()) return 0;
  WEIR_TRY(load_chunk());
  if (!chunk_.stacked()) rows = std::min(rows, kMaxBlockRows);
  const auto each = std::max<int64_t>(1, static_cast<int64_t>(chunk_bytes_) / chunk_.rows());
  const int count = rows_here(static_cast<int>(std::clamp<int64_t>(bytes / each, 1, rows)));
  chunk_.give(count, out);
  row_ += count;
  if (row_ == starts_[number_ + 1]) {
    ++number_;
    loaded_ = false;
    chunk_ = {};
    buffer_ = nullptr;
  }
  return count;
}

int WrittenReader::pass(int rows) {
  if (row_ >= starts_.back()) return 0;
  const int count = rows_here(rows);
  seek(row_ + count);
  return count;
}

}  // namespace weir
