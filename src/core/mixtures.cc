#include "core/mixtures.h"

#include <algorithm>

#include "core/checked.h"
#include "core/text.h"

namespace weir {

namespace {

constexpr int64_t kMost = 65536;

Status refused(const std::string& path) {
  return failed_precondition(expected_found(
      concat("the weights with which the position was saved at ", path), "others",
      "a position fits other weights of a mixture that is read once and in order: put repeat into its datasets, and "
      "what reads by position before it"));
}

}  // namespace

Result<Mixtures::Mixture*> Mixtures::open(const std::string& path, const std::string& weights,
                                          bool by_position) {
  MutexLock lock(mutex_);
  Mixture& mixture = all_[path];
  if (mixture.rows == 0 && mixture.begun == 0 && !mixture.by_position) mixture.weights.clear();
  if (mixture.weights.empty() || mixture.weights.back().bytes != weights) {
    if (!mixture.weights.empty() && (mixture.begun > 1 || mixture.by_position || by_position)) {
      if (refusal_.ok()) refusal_ = refused(path);
      return refusal_;
    }
    mixture.weights.push_back({mixture.rows, weights});
  }
  mixture.by_position |= by_position;
  return &mixture;
}

std::vector<Mixtures::Weights> Mixtures::weights_of(const Mixture& mixture, bool earlier) const {
  MutexLock lock(mutex_);
  if (earlier) return mixture.weights;
  return {{0, mixture.weights.back().bytes}};
}

void Mixtures::give(Mixture& mixture, int64_t before, int64_t row, std::span<const int64_t> given) {
  MutexLock lock(mutex_);
  // The first one of a session may be the last one of the position.
  const bool again = !mixture.live && mixture.begun == 1;
  if (before == 0 && !again) ++mixture.begun;
  mixture.live = true;
  if (row <= mixture.rows) return;
  mixture.rows = row;
  mixture.given.assign(given.begin(), given.end());
}

bool Mixtures::live(const Mixture& mixture) const {
  MutexLock lock(mutex_);
  return mixture.live;
}

Status Mixtures::refusal() const {
  MutexLock lock(mutex_);
  return refusal_;
}

std::string Mixtures::written() {
  MutexLock lock(mutex_);
  Archive archive;
  if (!all_.empty()) state(archive);
  return archive.take();
}

Status Mixtures::load(std::string_view written) {
  if (written.empty()) return Status();
  MutexLock lock(mutex_);
  Archive archive(written);
  state(archive);
  archive.finish();
  return archive.status();
}

void Mixtures::state(Archive& archive) {
  auto count = static_cast<int64_t>(all_.size());
  archive("count", count, 0, kMost);
  auto next = all_.begin();
  for (int64_t i = 0; i < count && archive.status().ok(); ++i) {
    std::string path = archive.loading() ? std::string() : next->first;
    archive("path", path);
    Mixture& mixture = archive.loading() ? all_[path] : next++->second;
    archive("begun", mixture.begun, 0, kMostCounted);
    archive("rows", mixture.rows, 0, kMostCounted);
    archive("given", mixture.given);
    archive("by_position", mixture.by_position);
    auto changes = static_cast<int64_t>(mixture.weights.size());
    archive("changes", changes, 1, kMost);
    for (int64_t at = 0; at < changes && archive.status().ok(); ++at) {
      if (archive.loading()) mixture.weights.emplace_back();
      Weights& weights = mixture.weights[static_cast<size_t>(at)];
      const int64_t least = at == 0 ? 0 : mixture.weights[static_cast<size_t>(at) - 1].from;
      archive("from", weights.from, at == 0 ? 0 : least, at == 0 ? 0 : mixture.rows);
      archive("weights", weights.bytes);
    }
  }
}

}  // namespace weir
