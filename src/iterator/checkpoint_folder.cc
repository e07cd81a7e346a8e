#include "iterator/checkpoint_folder.h"

#include <utility>

#include "core/text.h"
#include "fs/file_system.h"
#include "iterator/checkpoint.h"

namespace weir {

namespace {

// Whether the file is worthless to this library, whatever is tried. Others may be read by another try, or
// after the limit was raised: a device that reports damage has not shown what the file holds.
bool is_lost(const Error& error) {
  if (error.read_failed && error.code == Code::data_loss) return false;
  return error.code != Code::unavailable && error.code != Code::permission_denied &&
         error.code != Code::resource_exhausted && error.code != Code::unknown;
}

// What load() returns for a file that may be intact.
Status not_passed_over(const Error& error) {
  const Code code = error.code == Code::data_loss ? Code::unavailable : error.code;
  return read_error(
      code,
      {concat("the newest generation can't be read now, and an older one would lose work: ", error.message),
       "try again, or remove the file if it is lost for good"},
      error.file);
}

void warn(const Runtime& runtime, const std::string& line) {
  if (runtime.logger) runtime.logger->log(Logger::Level::warning, line);
}

}  // namespace

void remove_or_warn(const Runtime& runtime, const std::string& path) {
  const Status status = runtime.files->remove(path);
  if (status.ok() || status.code() == Code::not_found) return;
  warn(runtime, concat("checkpoints: kept ", quote(path), ": ", status.error().lead_and_message()));
}

Result<CheckpointFolder> CheckpointFolder::open(Runtime& runtime, std::string folder, uint32_t rank,
                                                int keep) {
  WEIR_TRY(runtime.files->create_folders(folder));
  CheckpointFolder opened(runtime, std::move(folder), rank, keep);
  WEIR_TRY(opened.remove_temporaries());
  return opened;
}

std::string CheckpointFolder::path_of(int64_t number) const {
  return path_in(folder_, GenerationName{rank_, number}.to_string());
}

Result<std::vector<int64_t>> CheckpointFolder::generations() {
  WEIR_ASSIGN(const std::vector<GenerationName> names, list_generations(*runtime_->files, folder_));
  std::vector<int64_t> numbers;
  for (const GenerationName& name : names) {
    if (name.rank == rank_) numbers.push_back(name.number);
  }
  return numbers;
}

Status CheckpointFolder::remove_temporaries() {
  WEIR_ASSIGN(const std::vector<std::string> files, runtime_->files->list_folder(folder_));
  for (const std::string& file : files) {
    if (!file.ends_with(kTemporarySuffix)) continue;
    const auto name =
        GenerationName::parse(std::string_view(file).substr(0, file.size() - kTemporarySuffix.size()));
    if (name && name->rank == rank_) remove_or_warn(*runtime_, path_in(folder_, file));
  }
  return {};
}

Result<int64_t> CheckpointFolder::save(std::string_view position, std::string_view extra) {
  WEIR_ASSIGN(const std::vector<int64_t> older, generations());
  const int64_t newest = older.empty() ? 0 : older.back();
  if (newest == INT64_MAX) {
    return resource_exhausted(expected_found(concat("a folder of generations with numbers below ", INT64_MAX),
                                             concat(quote(path_of(newest))),
                                             "remove it or choose another folder"));
  }
  const GenerationName name{rank_, newest + 1};
  // Made first, so that what was published isn't lost for want of memory.
  const std::vector<std::string> outdated = outdated_by_next(older);
  WEIR_TRY(
      write_generation(*runtime_->files, folder_, name, position, extra, runtime_->limits.checkpoint_bytes));
  for (const std::string& path : outdated) remove_or_warn(*runtime_, path);
  damaged_.clear();
  return name.number;
}

// The files to remove once there is one that is newer than all of these.
std::vector<std::string> CheckpointFolder::outdated_by_next(const std::vector<int64_t>& older) const {
  std::vector<std::string> outdated;
  int kept = 1;
  for (auto number = older.rbegin(); number != older.rend(); ++number) {
    // It may be the newest of all that hold work.
    if (unread_.contains(*number)) continue;
    if (kept < keep_ && !damaged_.contains(*number)) {
      // Only generations that load count as kept.
      kept += unusable_.contains(*number) ? 0 : 1;
      continue;
    }
    outdated.push_back(path_of(*number));
  }
  return outdated;
}

Result<Generation> CheckpointFolder::read(int64_t number) {
  WEIR_ASSIGN(const auto file, runtime_->files->open(path_of(number)));
  auto generation = read_generation(*file, runtime_->limits.checkpoint_bytes);
  if (!generation.ok()) {
    const Error& error = generation.status().error();
    if (error.code == Code::data_loss && !error.read_failed) damaged_.insert(number);
    return generation;
  }
  WEIR_TRY(check_name(*generation, {rank_, number}));
  // The envelope says nothing of the version of what is in it.
  WEIR_TRY(Checkpoint::from_bytes(generation->position).status());
  return generation;
}

Result<Generation> CheckpointFolder::load() {
  WEIR_ASSIGN(const std::vector<int64_t> numbers, generations());
  damaged_.clear();
  unusable_.clear();
  unread_.clear();
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    auto generation = read(*number);
    if (generation.ok()) return generation;
    if (!is_lost(generation.status().error())) {
      unread_.insert(*number);
      return not_passed_over(generation.status().error());
    }
    unusable_.insert(*number);
    warn(*runtime_, concat("checkpoints: skipped ", quote(path_of(*number)), ": ",
                           generation.status().error().lead_and_message()));
  }
  const std::string wanted = concat("a valid generation of rank ", rank_, " in the folder ", quote(folder_));
  if (numbers.empty()) return not_found(expected_found(wanted, "none", "begin from the start"));
  // A caller that starts afresh where there is nothing must not do so over damaged work.
  return data_loss(expected_found(wanted, concat("only damaged or foreign ones, ", numbers.size()),
                                  "restore a copy, or remove them to begin from the start"));
}

}  // namespace weir
