#include "iterator/generation.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "graph/envelope.h"
#include "iterator/checkpoint.h"
#include "iterator/numbered_names.h"

namespace weir {

namespace {

constexpr EnvelopeKind kGenerationEnvelope{.magic = "weirgenr",
                                           .version = 1,
                                           .name = "a generation of checkpoints",
                                           .origin = "what a checkpoint manager wrote"};
constexpr std::string_view kSuffix = ".ckpt";
constexpr size_t kRankDigits = 5;
constexpr size_t kNumberDigits = 12;

// What follows the envelope's header; then come the position and the extra bytes.
struct GenerationFields {
  int64_t number;
  uint64_t position_size;
  uint32_t rank;
  uint32_t reserved;
};

}  // namespace

std::string GenerationName::to_string() const {
  return concat("r", padded(rank, kRankDigits), "-", padded(static_cast<uint64_t>(number), kNumberDigits),
                kSuffix);
}

std::optional<GenerationName> GenerationName::parse(std::string_view file) {
  if (!file.starts_with('r')) return std::nullopt;
  std::string_view left = file.substr(1);
  GenerationName name;
  if (!take_number(left, name.rank, "-") || !take_number(left, name.number, kSuffix) || name.number < 1)
    return std::nullopt;
  // No other number of zeros, no sign, nothing after it.
  if (name.to_string() != file) return std::nullopt;
  return name;
}

std::string path_in(std::string_view folder, std::string_view file) {
  return concat(folder, folder.ends_with('/') ? "" : "/", file);
}

Result<std::vector<GenerationName>> list_generations(FileSystem& files, const std::string& folder) {
  WEIR_ASSIGN(const std::vector<std::string> found, files.list_folder(folder));
  std::vector<GenerationName> names;
  for (const std::string& file : found) {
    if (const auto name = GenerationName::parse(file)) names.push_back(*name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status write_generation(FileSystem& files, const std::string& folder, const GenerationName& name,
                        std::string_view position, std::string_view extra, int64_t limit_bytes) {
  const size_t size = kEnvelopeBytes + sizeof(GenerationFields) + position.size() + extra.size();
  WEIR_TRY(check_checkpoint_size(size, limit_bytes));
  const GenerationFields fields{
      .number = name.number, .position_size = position.size(), .rank = name.rank, .reserved = 0};
  // The extra bytes may be a model's weights: this is their only copy.
  std::string bytes;
  bytes.reserve(size);
  bytes.resize(kEnvelopeBytes);
  bytes.append(reinterpret_cast<const char*>(&fields), sizeof fields);
  bytes.append(position).append(extra);
  seal(kGenerationEnvelope, bytes);
  return files.write_file_atomically(path_in(folder, name.to_string()),
                                     {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

Result<Generation> read_generation(RandomAccessFile& file, int64_t limit_bytes) {
  constexpr size_t kBegin = kEnvelopeBytes + sizeof(GenerationFields);
  WEIR_ASSIGN(std::string bytes, read_enveloped(kGenerationEnvelope, file, limit_bytes));
  GenerationFields fields{};
  const bool complete = bytes.size() >= kBegin;
  if (complete) std::memcpy(&fields, bytes.data() + kEnvelopeBytes, sizeof fields);
  if (!complete || fields.number < 1 || fields.reserved != 0 ||
      fields.position_size > bytes.size() - kBegin) {
    return file_error(Code::data_loss, "expected the fields of a generation, found others", file.name());
  }
  Generation generation;
  generation.name = {.rank = fields.rank, .number = fields.number};
  generation.position = bytes.substr(kBegin, fields.position_size);
  bytes.erase(0, kBegin + fields.position_size);
  generation.extra = std::move(bytes);
  return generation;
}

Status check_name(const Generation& generation, const GenerationName& name) {
  if (generation.name == name) return Status();
  return data_loss(expected_found(concat("the generation ", name.to_string()),
                                  concat(generation.name.to_string(), " under its name"),
                                  "a copy has to keep the name that it was saved under"));
}

Result<Generation> read_generation_or_checkpoint(RandomAccessFile& file, int64_t limit_bytes) {
  WEIR_ASSIGN(const std::string beginning, read_up_to(file, 0, kGenerationEnvelope.magic.size()));
  if (beginning == kGenerationEnvelope.magic) return read_generation(file, limit_bytes);
  Generation alone;
  WEIR_ASSIGN(alone.position, read_checkpoint(file, limit_bytes));
  return alone;
}

}  // namespace weir
