#include "iterator/checkpoint_folder.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/archive.h"
#include "core/text.h"
#include "fs/file_system.h"
#include "graph/envelope.h"
#include "iterator/checkpoint.h"

namespace weir {

namespace {

constexpr EnvelopeKind kEnvelope{.magic = "weirgenr",
                                 .version = 1,
                                 .name = "a generation of checkpoints",
                                 .origin = "what a checkpoint manager wrote"};
constexpr std::string_view kSuffix = ".ckpt";
constexpr std::string_view kTemporary = ".tmp";
constexpr size_t kRankDigits = 5;
constexpr size_t kNumberDigits = 12;

std::string padded(uint64_t number, size_t digits) {
  std::string text = concat(number);
  return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

std::string file_name(uint32_t rank, int64_t number) {
  return concat("r", padded(rank, kRankDigits), "-", padded(static_cast<uint64_t>(number), kNumberDigits),
                kSuffix);
}

// The number in a name that file_name() gives for this rank, and nothing for any other name.
std::optional<int64_t> number_of(std::string_view name, uint32_t rank) {
  const size_t dash = name.find('-');
  if (dash == std::string_view::npos || !name.ends_with(kSuffix)) return std::nullopt;
  const char* end = name.data() + name.size() - kSuffix.size();
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(name.data() + dash + 1, end, number);
  if (error != std::errc() || stop != end || number < 1) return std::nullopt;
  if (name != file_name(rank, number)) return std::nullopt;
  return number;
}

void state(Archive& archive, std::string& position, std::string& extra) {
  archive("position", position);
  archive("extra", extra);
}

Result<CheckpointFolder::Generation> generation_of(RandomAccessFile& file, int64_t number,
                                                   int64_t limit_bytes) {
  WEIR_ASSIGN(const std::string bytes, read_enveloped(kEnvelope, file, limit_bytes));
  CheckpointFolder::Generation generation;
  generation.number = number;
  Archive archive(std::string_view(bytes).substr(kEnvelopeBytes));
  state(archive, generation.position, generation.extra);
  archive.finish();
  WEIR_TRY(archive.status());
  return generation;
}

// Whether another try may read what this one could not.
bool may_pass(Code code) {
  return code == Code::unavailable || code == Code::permission_denied || code == Code::unknown;
}

void warn(const Runtime& runtime, const std::string& line) {
  if (runtime.logger) runtime.logger->log(Logger::Level::warning, line);
}

}  // namespace

Result<CheckpointFolder> CheckpointFolder::open(Runtime& runtime, std::string folder, uint32_t rank,
                                                int keep) {
  WEIR_TRY(runtime.files->create_folders(folder));
  CheckpointFolder opened(runtime, std::move(folder), rank, keep);
  WEIR_TRY(opened.remove_temporaries());
  return opened;
}

std::string CheckpointFolder::path_of(int64_t number) const {
  return concat(folder_, folder_.ends_with('/') ? "" : "/", file_name(rank_, number));
}

Result<std::vector<int64_t>> CheckpointFolder::generations() {
  WEIR_ASSIGN(const std::vector<std::string> names, runtime_->files->list_folder(folder_));
  std::vector<int64_t> numbers;
  for (const std::string& name : names) {
    if (const auto number = number_of(name, rank_)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Status CheckpointFolder::remove_temporaries() {
  WEIR_ASSIGN(const std::vector<std::string> names, runtime_->files->list_folder(folder_));
  for (const std::string& name : names) {
    if (!name.ends_with(kTemporary)) continue;
    const auto number = number_of(std::string_view(name).substr(0, name.size() - kTemporary.size()), rank_);
    if (number) remove(concat(path_of(*number), kTemporary));
  }
  return {};
}

void CheckpointFolder::remove(const std::string& path) {
  const Status status = runtime_->files->remove(path);
  if (status.ok() || status.code() == Code::not_found) return;
  warn(*runtime_, concat("checkpoints: kept ", quote(path), ": ", status.error().lead_and_message()));
}

Result<int64_t> CheckpointFolder::save(std::string_view position, std::string_view extra) {
  WEIR_ASSIGN(const std::vector<int64_t> older, generations());
  const int64_t newest = older.empty() ? 0 : older.back();
  if (newest == INT64_MAX) {
    return resource_exhausted(expected_found(concat("a folder of generations with numbers below ", INT64_MAX),
                                             concat(quote(path_of(newest))),
                                             "remove it or choose another folder"));
  }
  std::string own_position(position);
  std::string own_extra(extra);
  Archive archive;
  state(archive, own_position, own_extra);
  const std::string bytes = enclose(kEnvelope, archive.take());
  WEIR_TRY(check_checkpoint_size(bytes.size(), runtime_->limits.checkpoint_bytes));
  const int64_t number = newest + 1;
  WEIR_TRY(runtime_->files->write_file_atomically(
      path_of(number), {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}));
  remove_old(older);
  return number;
}

// REQUIRES: one that is newer than all of these was published.
void CheckpointFolder::remove_old(const std::vector<int64_t>& older) {
  int kept = 1;
  for (auto number = older.rbegin(); number != older.rend(); ++number) {
    // A damaged one counts for nothing: `keep` of them that work are wanted.
    if (!damaged_.contains(*number) && ++kept <= keep_) continue;
    remove(path_of(*number));
  }
  damaged_.clear();
}

Result<CheckpointFolder::Generation> CheckpointFolder::load() {
  WEIR_ASSIGN(const std::vector<int64_t> numbers, generations());
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    const std::string path = path_of(*number);
    const auto file = runtime_->files->open(path);
    if (!file.ok() && (may_pass(file.status().code()) || file.status().code() == Code::resource_exhausted))
      return file.status();
    Status status = file.status();
    if (file.ok()) {
      auto generation = generation_of(**file, *number, runtime_->limits.checkpoint_bytes);
      if (generation.ok() || may_pass(generation.status().code())) return generation;
      status = generation.status();
    }
    if (status.code() == Code::data_loss) damaged_.insert(*number);
    warn(*runtime_, concat("checkpoints: skipped ", quote(path), ": ", status.error().lead_and_message()));
  }
  const std::string wanted = concat("a valid generation of rank ", rank_, " in the folder ", quote(folder_));
  if (numbers.empty()) return not_found(expected_found(wanted, "none", "begin from the start"));
  // Whoever begins anew where there is nothing must not do so over work that is damaged.
  return data_loss(expected_found(wanted, concat("only damaged or foreign ones, ", numbers.size()),
                                  "restore a copy, or remove them to begin from the start"));
}

}  // namespace weir
