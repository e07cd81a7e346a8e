#include "iterator/checkpoint.h"

#include <array>
#include <bit>
#include <cstring>

#include "core/text.h"
#include "core/version.h"

namespace weir {

namespace {

static_assert(std::endian::native == std::endian::little, "the header is written as it lies in memory");

constexpr std::string_view kMagic = "weirckpt";
constexpr uint32_t kFormatVersion = 2;
constexpr int64_t kMaxHistories = 4096;
constexpr int64_t kMaxParams = 65536;

// In front of the fields.
struct Header {
  char magic[8];
  uint32_t format_version;
  uint32_t reserved;
  uint64_t size;
  uint64_t checksum;
};
static_assert(sizeof(Header) == 32);

uint64_t checksum_of(Header header, std::string_view fields) {
  header.checksum = hash_of(fields);
  return hash_of({reinterpret_cast<const char*>(&header), sizeof header});
}

// Loops over a list whose length stands before it.
template <class T, class F>
void list(Archive& archive, std::string_view key, std::vector<T>& items, int64_t limit, F&& item) {
  auto count = static_cast<int64_t>(items.size());
  archive(key, count, 0, limit);
  if (!archive.status().ok()) return;
  if (archive.loading()) items.clear();
  for (int64_t i = 0; i < count && archive.status().ok(); ++i) {
    if (archive.loading()) items.emplace_back();
    item(items[static_cast<size_t>(i)]);
  }
}

void state_of(Archive& archive, std::string_view key, Fingerprint& fingerprint) {
  std::vector<uint64_t> words(fingerprint.words.begin(), fingerprint.words.end());
  archive(key, words);
  if (!archive.loading()) return;
  if (words.size() != fingerprint.words.size()) return archive.fail("a fingerprint has another size");
  std::copy(words.begin(), words.end(), fingerprint.words.begin());
}

}  // namespace

void GraphHistory::state(Archive& archive) {
  state_of(archive, "graph", fingerprint);
  archive("openings", openings);
  archive("epochs", epochs);
}

void Checkpoint::state(Archive& archive) {
  archive("library", library_version);
  state_of(archive, "fingerprint", fingerprint);
  graph.state(archive);
  list(archive, "params", params, kMaxParams, [&](ParamDigest& param) {
    archive("param", param.name);
    archive("digest", param.hash);
  });
  archive("seeds", seeds);
  archive("names", names);
  archive("opening", opening);
  archive("epochs", epochs);
  list(archive, "histories", histories, kMaxHistories,
       [&](GraphHistory& history) { history.state(archive); });
  archive("held", held);
  archive("root", stage);
}

std::string Checkpoint::to_bytes() {
  library_version = weir::library_version();
  Archive archive;
  state(archive);
  std::string fields = archive.take();
  Header header{};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  header.format_version = kFormatVersion;
  header.size = fields.size();
  header.checksum = checksum_of(header, fields);
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  return out += fields;
}

Result<Checkpoint> Checkpoint::from_bytes(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return data_loss(concat("expected a checkpoint, which begins with \"", kMagic, "\", found ",
                            bytes.empty() ? std::string("nothing") : quote(bytes.substr(0, kMagic.size())),
                            "; give what the iterator's save wrote"));
  }
  Header header;
  if (bytes.size() < sizeof header) {
    return data_loss(concat("expected a checkpoint of ", sizeof header, " bytes and more, found ",
                            bytes.size(), "; it was cut short"));
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  std::string_view fields = bytes.substr(sizeof header);
  if (header.format_version != kFormatVersion) {
    return failed_precondition(concat("expected a checkpoint of format version ", kFormatVersion, ", found ",
                                      header.format_version,
                                      "; it comes from another version of the library or "
                                      "is damaged"));
  }
  if (header.size != fields.size()) {
    return data_loss(concat("expected a checkpoint of ", sizeof header, " + ", header.size, " bytes, found ",
                            bytes.size(), "; it was cut short, or something was appended"));
  }
  if (checksum_of(header, fields) != header.checksum) {
    return data_loss(
        "expected a checkpoint whose checksum is right, found another one; it is damaged, use an older one");
  }
  Checkpoint checkpoint;
  Archive archive(fields);
  checkpoint.state(archive);
  archive.finish();
  WEIR_TRY(archive.status());
  return checkpoint;
}

uint64_t digest_of(const Components& values) {
  constexpr size_t kWhole = size_t{1} << 20;
  constexpr size_t kEnds = size_t{64} << 10;
  std::string text;
  auto add = [&](std::string_view bytes) {
    // Its size tells where one part ends and the next begins.
    text += concat(bytes.size(), ":");
    if (bytes.size() <= kWhole) {
      uint64_t hash = hash_of(bytes);
      text.append(reinterpret_cast<const char*>(&hash), sizeof hash);
    } else {
      uint64_t ends[2] = {hash_of(bytes.substr(0, kEnds)), hash_of(bytes.substr(bytes.size() - kEnds))};
      text.append(reinterpret_cast<const char*>(ends), sizeof ends);
    }
  };
  for (const Tensor& tensor : values) {
    text += dtype_name(tensor.dtype);
    text += tensor.shape.to_string();
    if (tensor.dtype == DType::string) {
      for (const Str& entry : tensor.entries<const Str>()) add(entry.view());
    } else if (tensor.dtype != DType::dataset) {
      add({reinterpret_cast<const char*>(tensor.data), tensor.byte_size()});
    }
  }
  return hash_of(text);
}

}  // namespace weir
