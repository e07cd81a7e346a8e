#include "iterator/checkpoint.h"

#include "core/origins.h"
#include "core/part_positions.h"
#include "core/text.h"
#include "core/version.h"
#include "graph/document.h"

namespace weir {

namespace {

constexpr EnvelopeKind kCheckpointEnvelope{
    .magic = "weirckpt", .version = 4, .name = "a checkpoint", .origin = "what the iterator's save wrote"};
constexpr int64_t kMaxHistories = 4096;
constexpr int64_t kMaxParams = 65536;

// Loops over a list whose length is stored before it.
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

// As a text, which is empty for none.
void archive_inherited(Archive& archive, std::shared_ptr<const PartPositions>& inherited) {
  std::string bytes;
  if (!archive.loading() && inherited) {
    Archive writing;
    PartPositions parts = *inherited;
    parts.state(writing);
    bytes = writing.take();
  }
  archive("inherited", bytes);
  if (!archive.loading() || bytes.empty()) return;
  Archive reading{std::string_view(bytes)};
  const auto parts = std::make_shared<PartPositions>();
  parts->state(reading);
  reading.finish();
  if (!reading.status().ok()) archive.fail(reading.status().error().message);
  inherited = parts;
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
  state_of(archive, "positional", positional);
  graph.state(archive);
  list(archive, "params", params, kMaxParams, [&](ParamDigest& param) {
    archive("param", param.name);
    archive("digest", param.hash);
  });
  archive("windows", windows);
  archive("seeds", seeds);
  archive("names", names);
  archive("opening", opening);
  archive("epochs", epochs);
  list(archive, "histories", histories, kMaxHistories,
       [&](GraphHistory& history) { history.state(archive); });
  if (archive.loading() ? archive.next_is("rank") : world_size > 0) {
    archive("rank", rank, 0, INT64_MAX);
    archive("ranks", world_size, 1, INT64_MAX);
    if (archive.loading() && archive.status().ok() && rank >= world_size)
      archive.fail("a rank is not below the number of ranks");
  }
  // Absent where there are no parts.
  if (archive.loading() ? archive.next_is("turn") : turn != 0 || inherited) {
    archive("turn", turn, Origins::kNoTurn, INT64_MAX);
    archive_inherited(archive, inherited);
  }
  if (archive.loading() ? archive.next_is("states") : !states.empty()) {
    list(archive, "states", states, kMaxParams, [&](std::string& state) { archive("state", state); });
  }
  if (archive.loading() ? archive.next_is("mixtures") : !mixtures.empty()) archive("mixtures", mixtures);
  archive("held", held);
  archive("failed_reads", failed_reads);
  archive("root", stage);
}

std::string Checkpoint::to_bytes() {
  library_version = weir::library_version();
  Archive archive;
  state(archive);
  return enclose(kCheckpointEnvelope, archive.take());
}

Result<Checkpoint> Checkpoint::from_bytes(std::string_view bytes) {
  WEIR_ASSIGN(const std::string_view fields, open_envelope(kCheckpointEnvelope, bytes));
  Checkpoint checkpoint;
  Archive archive(fields);
  checkpoint.state(archive);
  archive.finish();
  WEIR_TRY(archive.status());
  return checkpoint;
}

Status check_graph(const Document& document, const Checkpoint& checkpoint) {
  if (document.placeless_fingerprint() == checkpoint.fingerprint ||
      document.positional_fingerprint() == checkpoint.positional)
    return Status();
  return failed_precondition(
      expected_found("a checkpoint of this dataset",
                     concat("one of another: ", difference(document.digest(), checkpoint.graph))));
}

Status check_checkpoint_size(uint64_t size, int64_t limit_bytes) {
  if (size <= static_cast<uint64_t>(limit_bytes)) return Status();
  return resource_exhausted(expected_found(concat("a checkpoint of at most ", limit_bytes, " bytes"),
                                           concat("one of ", size),
                                           "use smaller buffers, for example in shuffle"));
}

Result<std::string> read_enveloped(const EnvelopeKind& kind, RandomAccessFile& file, int64_t limit_bytes) {
  const auto at_file = [&file](const Status& status) {
    return file_error(status.code(), status.error().message, file.name());
  };
  WEIR_ASSIGN(const uint64_t size, file.size());
  WEIR_ASSIGN(const std::string beginning, read_up_to(file, 0, kEnvelopeBytes));
  Status status = check_envelope(kind, beginning, size);
  if (status.ok()) status = check_checkpoint_size(size, limit_bytes);
  if (!status.ok()) return at_file(status);
  WEIR_ASSIGN(std::string bytes, read_up_to(file, 0, size));
  status = open_envelope(kind, bytes).status();
  if (!status.ok()) return at_file(status);
  return bytes;
}

Result<std::string> read_checkpoint(RandomAccessFile& file, int64_t limit_bytes) {
  return read_enveloped(kCheckpointEnvelope, file, limit_bytes);
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
