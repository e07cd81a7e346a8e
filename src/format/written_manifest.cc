#include "format/written_manifest.h"

#include <algorithm>
#include <cstring>

#include "core/archive.h"
#include "core/checked.h"
#include "core/text.h"
#include "format/crc32c.h"

namespace weir {

namespace {

constexpr std::string_view kManifestMagic = "weirdata";
// The first, and the one that names the compression of chunks, which the first knows as zlib or none.
constexpr uint32_t kManifestVersion = 1;
constexpr uint32_t kNamesCompression = 2;
// Magic, version, the size of the body, and the checksum of these and the body.
constexpr size_t kManifestHeaderBytes = 24;
constexpr uint64_t kMaxManifestBytes = uint64_t{64} << 20;
constexpr size_t kRunDigits = 32;

template <class T>
void append_number(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T number_at(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

uint32_t checksum_of(std::string_view bytes) {
  const uint32_t head = crc32c(bytes.data(), kManifestHeaderBytes - 4);
  return crc32c(bytes.data() + kManifestHeaderBytes, bytes.size() - kManifestHeaderBytes, head);
}

uint32_t version_of(const WrittenManifest& manifest) {
  const bool first = manifest.compression == Compression::none || manifest.compression == Compression::zlib;
  return first ? kManifestVersion : kNamesCompression;
}

void compression(Archive& archive, uint32_t version, Compression& value) {
  if (version == kManifestVersion) {
    bool zlib = value == Compression::zlib;
    archive("zlib", zlib);
    value = zlib ? Compression::zlib : Compression::none;
    return;
  }
  std::string name(compression_name(value));
  archive("compression", name);
  if (!archive.loading()) return;
  auto known = parse_written_compression(name);
  if (!known.ok()) return archive.fail(known.status().error().message);
  value = *known;
}

// Names the same members for reading and writing.
void body(Archive& archive, uint32_t version, WrittenManifest& manifest) {
  archive("run", manifest.run);
  archive("spec", manifest.spec);
  compression(archive, version, manifest.compression);
  archive("rows", manifest.rows, 0, INT64_MAX);
  auto shards = static_cast<int64_t>(manifest.shards.size());
  archive("shards", shards, 1, kMaxWrittenShards);
  if (!archive.status().ok()) return;
  manifest.shards.resize(static_cast<size_t>(shards));
  for (WrittenShard& shard : manifest.shards) {
    archive("bytes", shard.bytes);
    archive("rows", shard.rows, 0, INT64_MAX);
    archive("chunks", shard.chunks, 0, INT64_MAX);
    uint64_t crc = shard.index_crc;
    archive("crc", crc);
    shard.index_crc = static_cast<uint32_t>(crc);
  }
  manifest.pipeline.state(archive);
}

bool is_run(const std::string& run) {
  return run.size() == kRunDigits && run.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The rows of the shards, or -1 if they are too many.
int64_t rows_of(const WrittenManifest& manifest) {
  std::optional<int64_t> rows = 0;
  for (const WrittenShard& shard : manifest.shards) rows = checked_add(rows, shard.rows);
  return rows.value_or(-1);
}

}  // namespace

std::string WrittenManifest::shard_name(const std::string& folder, size_t shard) const {
  std::string number = std::to_string(shard);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, '0');
  return concat(folder, "/", run, "-", number, kShardSuffix);
}

std::string WrittenManifest::bytes() const {
  WrittenManifest copy = *this;
  Archive archive;
  const uint32_t version = version_of(*this);
  body(archive, version, copy);
  const std::string written = archive.take();
  std::string out(kManifestMagic);
  append_number(out, version);
  append_number(out, static_cast<uint64_t>(written.size()));
  append_number(out, uint32_t{0});
  out += written;
  const uint32_t crc = checksum_of(out);
  std::memcpy(out.data() + kManifestHeaderBytes - 4, &crc, sizeof crc);
  return out;
}

Result<WrittenManifest> WrittenManifest::parse(std::string_view bytes, const std::string& file) {
  const auto damaged = [&](std::string_view what) {
    return file_error(Code::data_loss,
                      concat("damaged manifest: ", what, "; remove the folder and write it again"), file);
  };
  if (bytes.size() < kManifestHeaderBytes || !bytes.starts_with(kManifestMagic)) {
    return file_error(Code::data_loss,
                      expected_found("the manifest of written elements", "other bytes",
                                     "remove the folder or name another"),
                      file);
  }
  const auto version = number_at<uint32_t>(bytes, kManifestMagic.size());
  const bool intact = number_at<uint32_t>(bytes, kManifestHeaderBytes - 4) == checksum_of(bytes);
  if (!intact) return damaged("its checksum is wrong");
  if (version < kManifestVersion || version > kNamesCompression) {
    return file_error(
        Code::failed_precondition,
        expected_found(concat("written elements of version ", kManifestVersion, " or ", kNamesCompression),
                       concat("version ", version),
                       "read them with the version of weir that wrote them, or write them again"),
        file);
  }
  if (number_at<uint64_t>(bytes, kManifestMagic.size() + 4) != bytes.size() - kManifestHeaderBytes)
    return damaged("its size is wrong");
  WrittenManifest out;
  Archive archive(bytes.substr(kManifestHeaderBytes));
  body(archive, version, out);
  archive.finish();
  if (!archive.status().ok()) return damaged(archive.status().error().message);
  if (!is_run(out.run)) return damaged("its files have no name");
  if (rows_of(out) != out.rows) return damaged("its rows do not add up");
  return out;
}

std::string manifest_name(const std::string& folder) { return concat(folder, "/", kManifestName); }

std::string trimmed_folder(std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  return std::string(folder);
}

Result<WrittenManifest> read_manifest(FileSystem& files, const std::string& folder) {
  const std::string name = manifest_name(folder);
  WEIR_ASSIGN(const std::string bytes, files.read_file(name, kMaxManifestBytes));
  return WrittenManifest::parse(bytes, name);
}

}  // namespace weir
