#include "core/mixtures.h"

#include <algorithm>
#include <utility>

#include "core/checked.h"
#include "core/text.h"

namespace weir {

namespace {

constexpr int64_t kMost = 65536;

// It ends the sequence, whatever drops the errors of elements.
Status refused(const std::string& path) {
  const std::string expected = concat("the weights with which the position was saved at ", path);
  const char* const hint =
      "a position fits other weights of a mixture that is read once and in order: put repeat into its datasets, and what reads by position before it";
  Error error = failed_precondition(expected_found(expected, "others", hint)).error();
  error.position_lost = true;
  return Status(std::move(error));
}

}  // namespace

Result<Mixtures::Mixture*> Mixtures::open(const std::string& path, const std::string& weights, bool fixed) {
  MutexLock lock(mutex_);
  Mixture& mixture = all_[path];
  const bool read = mixture.begun > 0 || mixture.fixed;
  if (read && mixture.weights != weights) {
    if (mixture.begun > 1 || mixture.fixed || fixed) {
      if (refusal_.ok()) refusal_ = refused(path);
      return refusal_;
    }
    mixture.changed = mixture.key;
    if (mixture.changes.empty()) mixture.changes.push_back({0, mixture.weights});
    if (!mixture.ended) mixture.changes.push_back({mixture.rows, weights});
  }
  mixture.weights = weights;
  mixture.fixed |= fixed;
  return &mixture;
}

std::vector<Mixtures::Weights> Mixtures::weights_of(const Mixture& mixture, uint64_t key) const {
  MutexLock lock(mutex_);
  if (!mixture.changes.empty() && mixture.changed == key) return mixture.changes;
  return {{0, mixture.weights}};
}

void Mixtures::give(Mixture& mixture, uint64_t key, int64_t row, std::span<const int64_t> given, bool ended) {
  MutexLock lock(mutex_);
  if (mixture.begun == 0 || mixture.key != key) {
    ++mixture.begun;
    mixture.key = key;
    mixture.rows = 0;
    mixture.ended = false;
    mixture.given.clear();
  }
  mixture.ended |= ended;
  if (row <= mixture.rows) return;
  mixture.rows = row;
  mixture.given.assign(given.begin(), given.end());
}

Status Mixtures::refusal() const {
  MutexLock lock(mutex_);
  return refusal_;
}

std::string Mixtures::written_below(std::string_view path) {
  MutexLock lock(mutex_);
  // "cache/map" and "cache[1]/map" are below "cache", "cache_all/map" is not.
  const auto is_below = [path](const auto& each) {
    const std::string_view name = each.first;
    return name.starts_with(path) && (path.empty() || name.size() == path.size() ||
                                      name[path.size()] == '/' || name[path.size()] == '[');
  };
  Archive archive;
  auto count = static_cast<int64_t>(std::count_if(all_.begin(), all_.end(), is_below));
  if (count > 0) archive("count", count);
  for (auto& each : all_) {
    std::string name = each.first;
    if (is_below(each)) state(archive, name, each.second);
  }
  return archive.take();
}

Status Mixtures::load(std::string_view written) {
  if (written.empty()) return Status();
  MutexLock lock(mutex_);
  Archive archive(written);
  int64_t count = 0;
  archive("count", count, 0, kMost);
  for (int64_t i = 0; i < count && archive.status().ok(); ++i) {
    std::string path;
    Mixture mixture;
    state(archive, path, mixture);
    all_[path] = std::move(mixture);
  }
  archive.finish();
  return archive.status();
}

void Mixtures::state(Archive& archive, std::string& path, Mixture& mixture) {
  archive("path", path);
  archive("weights", mixture.weights);
  archive("begun", mixture.begun, 0, kMostCounted);
  archive("key", mixture.key);
  archive("rows", mixture.rows, 0, kMostCounted);
  archive("ended", mixture.ended);
  archive("given", mixture.given);
  archive("by_position", mixture.fixed);
  auto changes = static_cast<int64_t>(mixture.changes.size());
  archive("changes", changes, 0, kMost);
  if (changes > 0) archive("changed", mixture.changed);
  for (int64_t at = 0; at < changes && archive.status().ok(); ++at) {
    if (archive.loading()) mixture.changes.emplace_back();
    Weights& weights = mixture.changes[static_cast<size_t>(at)];
    const int64_t least = at == 0 ? 0 : mixture.changes[static_cast<size_t>(at) - 1].from;
    archive("from", weights.from, least, at == 0 ? 0 : kMostCounted);
    archive("weights", weights.bytes);
  }
}

}  // namespace weir
